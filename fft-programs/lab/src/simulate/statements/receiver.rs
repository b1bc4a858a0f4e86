//! The statements about the receiver-initiated FFT, each for both of its variants and both configurations.

use earth::Config;

use crate::simulate::figures::{COMPARED_N, NODES, RECEIVER_N};
use crate::simulate::judge::{
    DOUBLING, FEW, MANY, NEVER_IDLE, POOR, Results, receivers, span, steps, within,
};
use crate::simulate::measured::Measured;
use crate::simulate::program::Program;
use crate::statements::{CONSIDERABLE, Judged, about};

pub(super) fn phase_linear_in_n(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for (program, config, name) in receivers() {
        let times = RECEIVER_N.map(|n| results.get(program, config, n, MANY).map(|run| run.multithreaded));
        if let Some(times) = times.into_iter().collect::<Option<Vec<_>>>() {
            let steps = steps(&times);
            judged.check(within(&steps, DOUBLING), format!("{name} x {} a doubling", span(&steps)));
        }
    }
    judged
}

pub(super) fn total_linear_in_n(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for (program, config, name) in receivers() {
        let (mut linear, mut all, mut values) = (0, 0, Vec::new());
        for p in NODES {
            let times = RECEIVER_N.map(|n| results.total(program, config, n, p));
            if let Some(times) = times.into_iter().collect::<Option<Vec<_>>>() {
                let steps = steps(&times);
                linear += usize::from(within(&steps, DOUBLING));
                all += 1;
                values.extend(steps);
            }
        }
        if all > 0 {
            judged.count(linear, all, format!("{name} x {} a doubling", span(&values)));
        }
    }
    judged
}

pub(super) fn falls_with_nodes(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for (program, config, name) in receivers() {
        let (mut falling, mut all, mut gains) = (0, 0, Vec::new());
        for n in RECEIVER_N {
            if let Some(times) = results.over_nodes(program, config, n, &NODES) {
                falling += usize::from(steps(&times).iter().all(|&step| step < 1.0));
                all += 1;
                gains.push(times[0] / times[NODES.len() - 1]);
            }
        }
        if all > 0 {
            judged.count(
                falling,
                all,
                format!("{name} for {falling} of {all} N, 64 nodes {} times as fast as 1", span(&gains)),
            );
        }
    }
    judged
}

pub(super) fn poor_on_few(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for (program, config, name) in receivers() {
        let efficiency = |p| results.efficiency(program, config, COMPARED_N, p);
        let (Some(two), Some(four), Some(many)) = (efficiency(FEW[0]), efficiency(FEW[1]), efficiency(MANY))
        else {
            continue;
        };
        let shares = [two, four, many].map(|share| format!("{:.0}%", 100.0 * share)).join(", ");
        let passed = usize::from(two < POOR) + usize::from(four < POOR) + usize::from(many > POOR);
        judged.count(passed, 3, format!("{name} {shares} at P = 2, 4, 64"));
    }
    judged.because(
        "tokens a node are 2N(1-1/P), more on many nodes than on few, so the paper's reason cannot be it",
    );
    judged
}

pub(super) fn sender_better_on_few(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for (program, config, name) in receivers() {
        let over = |p: usize, sender| {
            let receiver = results.total(program, config, COMPARED_N, p)?;
            Some(receiver / results.total(sender, config, COMPARED_N, p)?)
        };
        for (block, senders) in [("B = 16", [16, 16, 16]), ("B = P", [FEW[0], FEW[1], MANY])] {
            let at = [FEW[0], FEW[1], MANY];
            let ratios: Option<Vec<_>> =
                at.into_iter().zip(senders).map(|(p, block)| over(p, Program::Sender(block))).collect();
            let Some(ratios) = ratios else { continue };
            let shown = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect::<Vec<_>>().join(", ");
            let better = usize::from(ratios[0] > 1.0) + usize::from(ratios[1] > 1.0);
            let equal = usize::from(about(ratios[2], 1.0));
            judged.count(better + equal, 3, format!("{name} over sender {block} {shown} at P = 2, 4, 64"));
        }
    }
    judged
}

pub(super) fn spn_beats_dual(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for program in [Program::Tree, Program::Shared] {
        let (mut faster, mut all, mut one, mut more) = (0, 0, Vec::new(), Vec::new());
        for n in RECEIVER_N {
            for p in NODES {
                let total = |config| results.total(program, config, n, p);
                let (Some(spn), Some(dual)) = (total(Config::Spn), total(Config::Dual)) else { continue };
                faster += usize::from(spn < dual);
                all += 1;
                if p == 1 { &mut one } else { &mut more }.push(dual / spn);
            }
        }
        if all > 0 {
            judged.count(
                faster,
                all,
                format!(
                    "{program}: in {faster} of {all}, DUAL/SPN {} on one node, {} on more",
                    span(&one),
                    span(&more)
                ),
            );
        }
    }
    judged
}

pub(super) fn difference_grows(results: &Results) -> Judged {
    let mut judged = Judged::default();
    let mut is_dual_faster = true;
    for program in [Program::Tree, Program::Shared] {
        let (mut grows, mut all, mut few, mut many) = (0, 0, Vec::new(), Vec::new());
        for n in RECEIVER_N {
            let ratio = |p| {
                Some(
                    results.total(program, Config::Dual, n, p)?
                        / results.total(program, Config::Spn, n, p)?,
                )
            };
            let (Some(at_two), Some(at_many)) = (ratio(FEW[0]), ratio(MANY)) else { continue };
            let [near, far] = [at_two, at_many].map(|ratio: f64| (ratio - 1.0).abs());
            is_dual_faster &= at_many < 1.0;
            grows += usize::from(far > CONSIDERABLE && far > near);
            all += 1;
            few.push(at_two);
            many.push(at_many);
        }
        if all > 0 {
            judged.count(
                grows,
                all,
                format!("{program}: DUAL/SPN {} at P = 2, {} at 64", span(&few), span(&many)),
            );
        }
    }
    if is_dual_faster {
        judged.because("DUAL is the faster one at 64, where the paper has SPN");
    }
    judged
}

pub(super) fn never_idle(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for (program, config, name) in receivers() {
        let busy = |p: usize| {
            // What node 0 does while it deals is a little more than nothing.
            let share = |run: &Measured| (run.eu_busy / (p as f64 * run.total())).min(1.0);
            results.get(program, config, COMPARED_N, p).map(share)
        };
        let shares: Vec<_> = NODES.into_iter().filter(|&p| p > 1).filter_map(busy).collect();
        if !shares.is_empty() {
            let passed = shares.iter().filter(|&&share| share >= NEVER_IDLE).count();
            let shown: Vec<_> = shares.iter().map(|share| format!("{:.0}", 100.0 * share)).collect();
            judged.count(passed, shares.len(), format!("{name} {}%", shown.join(", ")));
        }
    }
    judged.because("busy at P = 2, 4, ... 64, execution units alone");
    judged
}
