//! Statements that need no run, because they follow from the order of the programs' steps: the asks of each
//! node, the thread for which another one waits, and the sums that form a transform. Each is evaluated in
//! full for some small sizes.

use std::collections::BTreeSet;
use std::f64::consts::TAU;

use earth_kernels::{ReceiverOrder, SenderOrder, dft};
use earth_report::statements::Judged;
use num_complex::Complex;

use crate::signals::noise;
use crate::simulate::charts::figures::NODES;

/// Number of points of the FFT whose asks are followed.
const FOLLOWED: usize = 1 << 10;

/// Returns the number of asks that each node receives at each level, the level below the roots first. In a
/// tree each ask for a point causes two at the level below; if `shared`, each point asks once.
fn requests(order: ReceiverOrder, shared: bool) -> Vec<Vec<usize>> {
    let mut requested = vec![1; order.points()];
    let mut levels = Vec::new();
    for level in (1..=order.levels()).rev() {
        let mut below = vec![0; order.points()];
        for (point, times) in requested.into_iter().enumerate() {
            for operand in order.operands(point, level) {
                below[operand] += if shared { 1 } else { times };
            }
        }
        let share = |node: usize| below[node * order.share()..][..order.share()].iter().sum();
        levels.push((0..order.nodes()).map(share).collect());
        requested = below;
    }
    levels
}

/// Returns the orders of the points on several nodes.
fn orders() -> impl Iterator<Item = ReceiverOrder> {
    NODES.into_iter().filter(|&p| p > 1).filter_map(|p| ReceiverOrder::new(FOLLOWED, p).ok())
}

/// Variants of the receiver: the paper's tree, and ours.
const VARIANTS: [(&str, bool); 2] = [("tree", false), ("shared", true)];

/// Begins a variant.
fn begin<'a>(judged: &'a mut Judged, name: &str, shared: bool) -> &'a mut Judged {
    if shared { judged.our_program(name) } else { judged.program(name) }
}

pub(super) fn as_many_asks_on_each_node<R>(_: &R, judged: &mut Judged) {
    for (name, shared) in VARIANTS {
        let (mut even, mut all, mut each) = (0, 0, 0);
        for order in orders() {
            let levels = requests(order, shared);
            let of = |node: usize| levels.iter().map(|level| level[node]).sum::<usize>();
            even += usize::from((0..order.nodes()).all(|node| of(node) == of(0)));
            all += 1;
            each = of(0);
        }
        let found = format!("on {even} of {all} machines, {each} on each of 64 nodes");
        begin(judged, name, shared).count(even, all, found);
    }
}

pub(super) fn doubling_asks<R>(_: &R, judged: &mut Judged) {
    for (name, shared) in VARIANTS {
        let (mut right, mut all, mut shown) = (0, 0, Vec::new());
        for order in orders() {
            shown.clear();
            for (level, requested) in requests(order, shared).into_iter().enumerate() {
                let stated = order.share() << (level + 1);
                right += usize::from(requested.iter().all(|&requested| requested == stated));
                all += 1;
                shown.push(requested[0].to_string());
            }
        }
        let found = format!("at {right} of {all} levels, {} on 64 nodes", shown.join(", "));
        begin(judged, name, shared).count(right, all, found);
    }
}

pub(super) fn one_ahead<R>(_: &R, judged: &mut Judged) {
    let leads: Vec<_> = [4, 8, 16, 256].into_iter().map(|threads| (threads, largest_lead(threads))).collect();
    let most = leads.iter().map(|&(_, lead)| lead).max().unwrap_or(0);
    let finding: Vec<_> =
        leads.iter().map(|(threads, lead)| format!("{lead} with {threads} threads")).collect();
    judged.check(leads.iter().all(|&(_, lead)| lead <= 1), format!("leads of {}", finding.join(", ")));
    judged.check(
        most == 0,
        "a flag of one bit is enough only without any lead: else a later block sets it while an earlier one is awaited",
    );
    judged.because(format!(
        "up to {most} stages here, log2(N/B) - 1 in general; so each stage has an inlet and a slot of its own"
    ));
}

/// Returns how many stages early a block may arrive at thread 0 when thread 0's mate of stage 0 is late and
/// all other threads proceed until they must wait.
fn largest_lead(threads: usize) -> u32 {
    let order = match SenderOrder::new(threads, 1) {
        Ok(order) if order.stages() > 0 => order,
        _ => return 0,
    };
    let late = order.mate(0, 0);
    // Stage of each thread. In stage s a thread has sent its blocks of stages 0 to s.
    let mut stage = vec![0; threads];
    loop {
        let mut moved = false;
        for thread in (1..threads).filter(|&thread| thread != late) {
            let now = stage[thread];
            // The late mate has sent no block.
            let can_go = now < order.stages() && {
                let mate = order.mate(thread, now);
                mate != late && stage[mate] >= now
            };
            if can_go {
                stage[thread] += 1;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    (1..order.stages()).filter(|&s| stage[order.mate(0, s)] >= s).max().unwrap_or(0)
}

pub(super) fn no_synchronisation_on_one_node<R>(_: &R, judged: &mut Judged) {
    for threads in [2, 4, 16] {
        let Ok(order) = SenderOrder::new(threads, 1) else { continue };
        let in_turn = consumed_early(order, true);
        let by_stages = consumed_early(order, false);
        let all = threads * order.stages() as usize;
        judged.check(
            in_turn == 0,
            format!(
                "{threads} threads: {in_turn} of {all} blocks are consumed before they are produced if a thread runs to its end \
                 before the next one, {by_stages} if all go stage by stage"
            ),
        );
    }
}

/// Returns the number of blocks that are consumed before they are produced, if pairs on one node do not wait
/// for each other. Either each thread runs `to_its_end` in turn, or all threads produce and then all consume,
/// stage by stage.
fn consumed_early(order: SenderOrder, to_its_end: bool) -> usize {
    let (threads, stages) = (order.threads(), order.stages());
    let mut produced = vec![vec![false; threads]; stages as usize];
    let mut early = 0;
    let mut consume = |produced: &[Vec<bool>], thread, stage: u32| {
        early += usize::from(!produced[stage as usize][order.mate(thread, stage)]);
    };
    if to_its_end {
        for thread in 0..threads {
            for stage in 0..stages {
                produced[stage as usize][thread] = true;
                consume(&produced, thread, stage);
            }
        }
    } else {
        for stage in 0..stages {
            produced[stage as usize].fill(true);
            (0..threads).for_each(|thread| consume(&produced, thread, stage));
        }
    }
    early
}

/// Returns `exp(-2 pi i k / n)`.
fn root(k: usize, n: usize) -> Complex<f64> {
    Complex::cis(-TAU * (k % n) as f64 / n as f64)
}

/// Counts the different sums of a node's points that other nodes need. Output `k` of N uses the sum of
/// `x w_N^(..k)` over the node's samples. Sums that are multiples of each other count once, because one value
/// can serve both outputs.
fn different_sums(n: usize, samples: &[usize]) -> usize {
    let mut kinds: Vec<Vec<Complex<f64>>> = Vec::new();
    for k in 0..n {
        // Coefficients are relative to the first sample, so multiples become equal.
        let sum: Vec<_> = samples.iter().map(|&sample| root(k * (sample - samples[0]), n)).collect();
        let is_known = kinds.iter().any(|known| known.iter().zip(&sum).all(|(a, b)| (a - b).norm() < 1e-9));
        if !is_known {
            kinds.push(sum);
        }
    }
    kinds.len()
}

/// Numbers of points, and of nodes or threads, of the counted sums.
const SUMS: [(usize, usize); 3] = [(8, 4), (64, 4), (256, 16)];

pub(super) fn local_stages_first<R>(_: &R, judged: &mut Judged) {
    for (n, threads) in SUMS {
        let block = n / threads;
        let needed = different_sums(n, &(0..block).collect::<Vec<_>>());
        judged.check(
            needed <= block,
            format!("N = {n}, B = {block}: the other threads need {needed} different sums of a block's {block} points"),
        );
    }
}

pub(super) fn contiguous_points<R>(_: &R, judged: &mut Judged) {
    for (n, nodes) in SUMS {
        let share = n / nodes;
        let contiguous = different_sums(n, &(0..share).collect::<Vec<_>>());
        let decimated = different_sums(n, &(0..n).step_by(nodes).collect::<Vec<_>>());
        judged.check(
            contiguous <= share,
            format!("N = {n}, P = {nodes}: {contiguous} different sums of {share} contiguous points are needed, {decimated} of decimated ones"),
        );
    }
}

/// Judges the butterflies with the exponent that makes them a transform, and shows another one.
pub(super) fn plus_minus_is_a_transform<R>(_: &R, judged: &mut Judged) {
    for n in [4, 8, 16] {
        let [by_block, by_place] =
            [exponent_by_block, exponent_by_place].map(|exponent| right_outputs(n, exponent));
        let found = format!(
            "N = {n}: {by_block} of {n} outputs are right with the reversed number of the block, {by_place} with the place in it"
        );
        judged.check(by_block == n, found);
    }
    let exponents = (0..4).map(|block| exponent_by_block(8, block, 0, 1));
    let exponents: BTreeSet<_> = exponents.collect();
    let shown: Vec<_> = exponents.iter().map(usize::to_string).collect();
    judged.check(exponents == (0..4).collect(), format!("for N = 8 the exponents are {}", shown.join(", ")));
}

/// Exponent of a butterfly's factor, from N, the number of its block, its place in the block and the distance
/// of its points.
type Exponent = fn(usize, usize, usize, usize) -> usize;

/// Returns the exponent from the bit-reversed number of the block.
fn exponent_by_block(n: usize, block: usize, _: usize, distance: usize) -> usize {
    let blocks = n / 2 / distance;
    (0..blocks.ilog2()).map(|bit| ((block >> bit) & 1) << (blocks.ilog2() - 1 - bit)).sum::<usize>()
        * distance
}

/// Returns the exponent from the place in the block.
fn exponent_by_place(n: usize, _: usize, place: usize, distance: usize) -> usize {
    place * (n / 2 / distance)
}

/// Counts the outputs of the definition that stages of `a + b w^n` and `a - b w^n` have, in any order. Points
/// at distance N/2 meet first.
fn right_outputs(n: usize, exponent: Exponent) -> usize {
    let signal = noise::<f64>(n);
    let mut values = signal.clone();
    let mut distance = n / 2;
    while distance > 0 {
        for (block, start) in (0..n).step_by(2 * distance).enumerate() {
            for place in 0..distance {
                let (upper, lower) = (start + place, start + place + distance);
                let product = values[lower] * root(exponent(n, block, place, distance), n);
                (values[upper], values[lower]) = (values[upper] + product, values[upper] - product);
            }
        }
        distance /= 2;
    }
    let found = |x: &&Complex<f64>| values.iter().any(|value| (*x - value).norm() < 1e-9);
    dft(&signal).iter().filter(found).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_are_one_stage_less_than_there_are() {
        let leads: Vec<_> = [1, 2, 4, 8, 16, 64].map(largest_lead).into();
        assert_eq!(leads, [0, 0, 1, 2, 3, 5]);
    }

    #[test]
    fn requests_equal_the_counts_of_the_programs() {
        for order in orders() {
            let all = |shared| requests(order, shared).into_iter().flatten().sum::<usize>();
            let (n, p) = (order.points(), order.nodes());
            assert_eq!([all(false), all(true)], [2 * (p - 1) * n, 2 * n * order.levels() as usize]);
        }
    }

    #[test]
    fn threads_that_go_stage_by_stage_consume_what_is_there() {
        let order = SenderOrder::new(8, 1).unwrap();
        // In each pair, the first thread runs before its mate.
        assert_eq!([consumed_early(order, true), consumed_early(order, false)], [3 * 4, 0]);
    }

    #[test]
    fn decimated_points_serve_all_outputs_by_as_many_sums() {
        for (n, nodes) in SUMS {
            assert_eq!(different_sums(n, &(0..n).step_by(nodes).collect::<Vec<_>>()), n / nodes);
        }
        assert_eq!(different_sums(8, &[0, 1]), 8);
    }
}
