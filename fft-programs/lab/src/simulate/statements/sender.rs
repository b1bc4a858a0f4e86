//! Statements about the sender-initiated FFT, for both configurations.

use earth::Config;
use earth_report::statements::{ABOUT, FLAT, Judged};

use crate::simulate::chart::{CONFIGS, upper};
use crate::simulate::charts::experiments::{N, P};
use crate::simulate::charts::figures::{BLOCKS, BLOCKS_N, MOST, NODES, SMALL};
use crate::simulate::charts::threads::{THREADS, with_threads};
use crate::simulate::judge::{DOUBLING, MANY, Results, all_of, begin_sender, span, steps, within};
use crate::simulate::program::Program;

/// Ratios that do not count as a change.
const UNCHANGED: [f64; 2] = [1.0 - FLAT, 1.0 + FLAT];

/// Returns the total time of the sender, in seconds.
fn time(results: &Results, config: Config, n: usize, block: usize, p: usize) -> Option<f64> {
    results.total(Program::Sender(block), config, n, p)
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
        begin_sender(judged, config);
        for block in [4, 16] {
            if let Some(times) = results.over_nodes(Program::Sender(block), config, BLOCKS_N, &NODES) {
                let steps = steps(&times);
                judged.check(
                    steps.iter().all(|&step| step < 1.0 - FLAT),
                    format!("B = {block} x {} a doubling", span(&steps)),
                );
            }
        }
    }
}

/// Number of nodes where the paper compares blocks of 4 with blocks of 16.
pub(super) const SLOWER_P: usize = 32;

pub(super) fn four_slightly_slower(results: &Results, judged: &mut Judged) {
    for config in CONFIGS {
        let at = |block| time(results, config, BLOCKS_N, block, SLOWER_P);
        let (Some(four), Some(sixteen)) = (at(4), at(16)) else { continue };
        let ratio = four / sixteen;
        let found = format!("x {ratio:.3} of the time of B = 16");
        begin_sender(judged, config).check(ratio > 1.0 && ratio <= ABOUT, found);
    }
}

/// Returns numbers of nodes, each with the block size N/P that gives one thread per node.
pub(super) fn one_thread_a_node() -> [(usize, usize); 3] {
    [16, 32, MANY].map(|p| (p, BLOCKS_N / p))
}

pub(super) fn best_at_sixteen(results: &Results, judged: &mut Judged) {
    let at = |config, block, p| Some((time(results, config, BLOCKS_N, block, p)?, block, p));
    judged.clause("16 threads on 16 nodes are best in figure 11");
    for config in CONFIGS {
        let all = BLOCKS.into_iter().flat_map(|block| NODES.map(|p| (block, p)));
        let all = all.filter_map(|(block, p)| at(config, block, p));
        let Some((least, block, p)) = all.min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        let found = format!("the least time is {:.2} ms, with B = {block} at P = {p}", results.ms(least));
        begin_sender(judged, config).check((block, p) == (256, 16), found);
    }
    judged.clause("one thread a node is best");
    for config in CONFIGS {
        begin_sender(judged, config);
        for (p, own) in one_thread_a_node() {
            let others = BLOCKS.into_iter().filter(|&block| block != own);
            let others = others.filter_map(|block| at(config, block, p));
            let Some((least, other, _)) = others.min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            let Some((one_each, ..)) = at(config, own, p) else { continue };
            let ratio = one_each / least;
            let found = format!("on {p} nodes B = {own} takes {ratio:.3} of the time of B = {other}");
            judged.check_if(!within(&[ratio], UNCHANGED), ratio < 1.0, found);
        }
    }
}

pub(super) fn linear_to_four(results: &Results, judged: &mut Judged) {
    let (n, block) = SMALL;
    let over = |config, nodes: &[usize]| results.over_nodes(Program::Sender(block), config, n, nodes);
    judged.clause("linear to 4 nodes");
    for config in CONFIGS {
        let Some(falling) = over(config, &[1, 2, 4]) else { continue };
        let gains: Vec<_> = steps(&falling).iter().map(|step| 1.0 / step).collect();
        begin_sender(judged, config)
            .check(within(&gains, DOUBLING), format!("/ {} a doubling", span(&gains)));
    }
    judged.clause("flat from 8 nodes");
    for config in CONFIGS {
        let Some(flat) = over(config, &[8, 16, 32, MANY, MOST]) else { continue };
        let ratios: Vec<_> = flat.iter().map(|time| time / flat[0]).collect();
        begin_sender(judged, config).check(within(&ratios, UNCHANGED), format!("x {}", span(&ratios)));
    }
}

/// Compares two threads a node with one, and with more.
pub(super) fn two_or_three_threads(results: &Results, judged: &mut Judged) {
    for config in CONFIGS {
        let time = |threads| results.total(with_threads(threads), config, N, P);
        let Some(times) = all_of(THREADS.map(time)) else { continue };
        let two = times[1];
        let others = || THREADS.iter().zip(&times).filter(|(threads, _)| **threads != 2);
        let ratios: Vec<_> = others().map(|(_, time)| time / two).collect();
        let shown: Vec<_> =
            others().map(|(threads, time)| format!("{:.3} with {threads}", time / two)).collect();
        let found = format!("over the time with 2 threads a node: {}", shown.join(", "));
        let is_told = !within(&ratios, UNCHANGED);
        begin_sender(judged, config).check_if(is_told, ratios.iter().all(|&ratio| ratio > 1.0 + FLAT), found);
    }
}
