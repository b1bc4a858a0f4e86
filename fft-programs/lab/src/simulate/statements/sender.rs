//! The statements about the sender-initiated FFT, for both configurations.

use earth::Config;

use crate::simulate::chart::CONFIGS;
use crate::simulate::chart::upper;
use crate::simulate::figures::{BLOCKS, BLOCKS_N, MOST, NODES, SENDER_N, SMALL, sender_nodes};
use crate::simulate::judge::{DOUBLING, MANY, Results, span, steps, within};
use crate::simulate::program::Program;
use crate::statements::{ABOUT, FLAT, Judged};

/// The total time of the sender.
fn time(results: &Results, config: Config, n: usize, block: usize, p: usize) -> Option<f64> {
    results.total(Program::Sender(block), config, n, p)
}

/// All sizes of figures 10 to 12.
fn sizes() -> impl Iterator<Item = (usize, usize)> {
    let others = BLOCKS.into_iter().filter(|&block| block != 16).map(|block| (BLOCKS_N, block));
    SENDER_N.into_iter().map(|n| (n, 16)).chain(others).chain([SMALL])
}

pub(super) fn spn_beats_dual(results: &Results) -> Judged {
    let mut judged = Judged::default();
    let (mut faster, mut all, mut one, mut many) = (0, 0, Vec::new(), Vec::new());
    let mut most_on_few = 0;
    for (n, block) in sizes() {
        let ratio =
            |p| Some(time(results, Config::Dual, n, block, p)? / time(results, Config::Spn, n, block, p)?);
        let ratios: Vec<_> = sender_nodes().filter_map(ratio).collect();
        faster += ratios.iter().filter(|&&ratio| ratio > 1.0).count();
        all += ratios.len();
        if let (Some(at_one), Some(at_many)) = (ratio(1), ratio(MANY)) {
            most_on_few += usize::from(at_one > at_many);
            one.push(at_one);
            many.push(at_many);
        }
    }
    if all > 0 {
        judged.count(faster, all, format!("SPN is faster in {faster} of {all}"));
        judged.count(
            most_on_few,
            one.len(),
            format!(
                "DUAL/SPN is {} on one node and {} on 64, greater on one in {most_on_few} of {}",
                span(&one),
                span(&many),
                one.len()
            ),
        );
    }
    judged
}

pub(super) fn least_at_large(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for config in CONFIGS {
        let (mut passed, mut all, mut best) = (0, 0, Vec::new());
        for n in SENDER_N {
            let times = sender_nodes().filter_map(|p| Some((time(results, config, n, 16, p)?, p)));
            if let Some((_, p)) = times.min_by(|a, b| a.0.total_cmp(&b.0)) {
                passed += usize::from(p >= MANY);
                all += 1;
                best.push(p.to_string());
            }
        }
        if all > 0 {
            judged.count(passed, all, format!("{} least at P = {}", upper(config), best.join(", ")));
        }
    }
    judged
}

pub(super) fn flat_past_sixteen(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for config in CONFIGS {
        let at = |p| time(results, config, BLOCKS_N, 256, p);
        let Some(base) = at(16) else { continue };
        let ratios: Vec<_> = [32, MANY, MOST].into_iter().filter_map(at).map(|time| time / base).collect();
        judged.check(
            within(&ratios, [1.0 - FLAT, 1.0 + FLAT]),
            format!("{} x {} of that at 16", upper(config), span(&ratios)),
        );
    }
    judged
}

pub(super) fn falls_steadily(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for config in CONFIGS {
        for block in [4, 16] {
            if let Some(times) = results.over_nodes(Program::Sender(block), config, BLOCKS_N, &NODES) {
                let steps = steps(&times);
                judged.check(
                    steps.iter().all(|&step| step < 1.0),
                    format!("B = {block} {} x {} a doubling", upper(config), span(&steps)),
                );
            }
        }
    }
    judged
}

pub(super) fn four_slightly_slower(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for config in CONFIGS {
        let at = |block| time(results, config, BLOCKS_N, block, 32);
        let (Some(four), Some(sixteen)) = (at(4), at(16)) else { continue };
        let ratio = four / sixteen;
        judged.check(ratio > 1.0 && ratio <= ABOUT, format!("{} x {ratio:.2}", upper(config)));
    }
    judged
}

pub(super) fn best_at_sixteen(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for config in CONFIGS {
        let all = BLOCKS.into_iter().flat_map(|block| sender_nodes().map(move |p| (block, p)));
        let times: Vec<_> = all
            .filter_map(|(block, p)| Some((time(results, config, BLOCKS_N, block, p)?, block, p)))
            .collect();
        let on_sixteen = times.iter().filter(|&&(.., p)| p == 16);
        let best = times.iter().min_by(|a, b| a.0.total_cmp(&b.0));
        let best_there = on_sixteen.min_by(|a, b| a.0.total_cmp(&b.0));
        let (Some(&(least, block, p)), Some(&(there, best_block, _))) = (best, best_there) else { continue };
        judged.count(
            usize::from((block, p) == (256, 16)) + usize::from(best_block == 256),
            2,
            format!(
                "{}: best B = {block} at P = {p} ({:.2} ms), on 16 nodes B = {best_block} ({:.2} ms)",
                upper(config),
                least * 1e3,
                there * 1e3
            ),
        );
    }
    judged
}

pub(super) fn linear_to_four(results: &Results) -> Judged {
    let mut judged = Judged::default();
    let (n, block) = SMALL;
    for config in CONFIGS {
        let Some(falling) = results.over_nodes(Program::Sender(block), config, n, &[1, 2, 4]) else {
            continue;
        };
        let Some(flat) = results.over_nodes(Program::Sender(block), config, n, &[8, 16, 32, MANY, MOST])
        else {
            continue;
        };
        let gains: Vec<_> = steps(&falling).iter().map(|step| 1.0 / step).collect();
        let ratios: Vec<_> = flat.iter().map(|time| time / flat[0]).collect();
        let passed =
            usize::from(within(&gains, DOUBLING)) + usize::from(within(&ratios, [1.0 - FLAT, 1.0 + FLAT]));
        judged.count(
            passed,
            2,
            format!("{} / {} a doubling to 4, x {} from 8 on", upper(config), span(&gains), span(&ratios)),
        );
    }
    judged
}
