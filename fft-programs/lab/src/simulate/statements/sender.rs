//! Statements about the sender-initiated FFT, for both configurations.

use earth::Config;
use earth_report::statements::{ABOUT, FLAT, Judged};

use crate::simulate::chart::{CONFIGS, upper};
use crate::simulate::charts::figures::{BLOCKS, BLOCKS_N, MOST, NODES, SENDER_N, SMALL, sender_nodes};
use crate::simulate::judge::{DOUBLING, MANY, Results, span, spn_faster, steps, within};
use crate::simulate::program::Program;

/// Ratios that do not count as a change.
const UNCHANGED: [f64; 2] = [1.0 - FLAT, 1.0 + FLAT];

/// Returns the total time of the sender, in seconds.
fn time(results: &Results, config: Config, n: usize, block: usize, p: usize) -> Option<f64> {
    results.total(Program::Sender(block), config, n, p)
}

/// Returns all sizes of figures 10 to 12.
fn sizes() -> impl Iterator<Item = (usize, usize)> {
    let others = BLOCKS.into_iter().filter(|&block| block != 16).map(|block| (BLOCKS_N, block));
    SENDER_N.into_iter().map(|n| (n, 16)).chain(others).chain([SMALL])
}

pub(super) fn spn_beats_dual_on_few(results: &Results, judged: &mut Judged) {
    let ratio = |(n, block), p| results.dual_over_spn(Program::Sender(block), n, p);
    let all: Vec<_> = sizes().flat_map(|of| NODES.into_iter().filter_map(move |p| ratio(of, p))).collect();
    let ends: Vec<_> = sizes().filter_map(|of| Some([ratio(of, 1)?, ratio(of, MANY)?])).collect();
    if !all.is_empty() {
        let [faster, differ] = spn_faster(&all);
        let differing = ends.iter().filter(|[one, many]| (one - many).abs() > FLAT).count();
        let most_on_few = ends.iter().filter(|[one, many]| *one > many + FLAT).count();
        let [one, many] = [0, 1].map(|at| span(&ends.iter().map(|pair| pair[at]).collect::<Vec<_>>()));
        let (number, ratios) = (all.len(), span(&all));
        let found = format!(
            "SPN is faster in {faster} of the {differ} that differ by more than 5%, of {number} in all; DUAL/SPN {ratios}"
        );
        let found_at_ends = format!(
            "DUAL/SPN is {one} on one node and {many} on 64; of the {differing} sizes where these differ by more than 0.05 \
             the one on one node is greater in {most_on_few}"
        );
        judged.count(faster, differ, found).count(most_on_few, differing, found_at_ends);
    }
}

pub(super) fn least_at_large(results: &Results, judged: &mut Judged) {
    let least = |config, n| {
        let times = sender_nodes().filter_map(|p| Some((time(results, config, n, 16, p)?, p)));
        times.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, p)| p)
    };
    let pairs = SENDER_N.map(|n| Some([least(Config::Spn, n)?, least(Config::Dual, n)?]));
    let pairs: Vec<_> = pairs.into_iter().flatten().collect();
    let finding: Vec<_> = pairs.iter().map(|[spn, dual]| format!("{spn} and {dual}")).collect();
    let finding = |_| format!("least at P = {} (SPN and DUAL)", finding.join(", "));
    judged.each(&pairs, |both| both.iter().all(|&p| p >= MANY), finding);
}

pub(super) fn flat_past_sixteen(results: &Results, judged: &mut Judged) {
    for config in CONFIGS {
        let at = |p| time(results, config, BLOCKS_N, 256, p);
        let Some(base) = at(16) else { continue };
        let ratios: Vec<_> = [32, MANY, MOST].into_iter().filter_map(at).map(|time| time / base).collect();
        let finding = format!("{} x {} of that at 16", upper(config), span(&ratios));
        judged.check(within(&ratios, UNCHANGED), finding);
    }
}

pub(super) fn falls_steadily(results: &Results, judged: &mut Judged) {
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
}

pub(super) fn four_slightly_slower(results: &Results, judged: &mut Judged) {
    for config in CONFIGS {
        let at = |block| time(results, config, BLOCKS_N, block, 32);
        let (Some(four), Some(sixteen)) = (at(4), at(16)) else { continue };
        let ratio = four / sixteen;
        judged.check(ratio > 1.0 && ratio <= ABOUT, format!("{} x {ratio:.2}", upper(config)));
    }
}

/// Returns numbers of nodes, each with the block size N/P that gives one thread per node.
pub(super) fn one_thread_a_node() -> [(usize, usize); 3] {
    [16, 32, MANY].map(|p| (p, BLOCKS_N / p))
}

pub(super) fn best_at_sixteen(results: &Results, judged: &mut Judged) {
    for config in CONFIGS {
        let at = |block, p| Some((time(results, config, BLOCKS_N, block, p)?, block, p));
        let all = BLOCKS.into_iter().flat_map(|block| NODES.map(|p| (block, p)));
        let all = all.filter_map(|(block, p)| at(block, p));
        let Some((least, block, p)) = all.min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        let (name, least) = (upper(config), least * 1e3);
        let finding = format!("{name}: the least of figure 11 is {least:.2} ms, B = {block} at P = {p}");
        judged.check((block, p) == (256, 16), finding);
        for (p, own) in one_thread_a_node() {
            let others = BLOCKS.into_iter().filter(|&block| block != own).filter_map(|block| at(block, p));
            let Some((least, other, _)) = others.min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            let Some((one_each, ..)) = at(own, p) else { continue };
            let ratio = one_each / least;
            let found = format!("on {p} nodes B = {own} takes {ratio:.3} of the time of B = {other}");
            judged.check_if(!within(&[ratio], UNCHANGED), ratio < 1.0, found);
        }
    }
}

pub(super) fn linear_to_four(results: &Results, judged: &mut Judged) {
    let (n, block) = SMALL;
    for config in CONFIGS {
        let over = |nodes| results.over_nodes(Program::Sender(block), config, n, nodes);
        let (Some(falling), Some(flat)) = (over(&[1, 2, 4]), over(&[8, 16, 32, MANY, MOST])) else {
            continue;
        };
        let gains: Vec<_> = steps(&falling).iter().map(|step| 1.0 / step).collect();
        let ratios: Vec<_> = flat.iter().map(|time| time / flat[0]).collect();
        let passed = usize::from(within(&gains, DOUBLING)) + usize::from(within(&ratios, UNCHANGED));
        let (config, gains, ratios) = (upper(config), span(&gains), span(&ratios));
        judged.count(passed, 2, format!("{config} / {gains} a doubling to 4, x {ratios} from 8 on"));
    }
}
