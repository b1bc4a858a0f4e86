//! The passes of a plan, as the model has them.

use earth_kernels::Real;
use earth_serial::{PassFacts, Way};
use num_complex::Complex;

use super::pass::{Pass, Work};
use super::rates::Pattern;
use crate::dataflow::alone::AlonePlan;
use crate::dataflow::matrix::MatrixPlan;
use crate::dataflow::matrix::dealing::{Cut, node_of_neighbours};
use crate::dataflow::receiver::{Asking, Scalar};
use crate::dataflow::sender::SenderPlan;
use crate::dataflow::tall::TallPlan;
use crate::dataflow::transpose::TransposePlan;
use crate::dataflow::two_pass::TwoPassPlan;
use crate::plan::program::Program;
use crate::problem::UntypedProblem;

/// The step of a thread in an exchange stage of the sender-initiated FFT, a point.
const SENDER: &str = "sender";

/// The exchange of a block by a thread of it.
const EXCHANGE: &str = "exchange";

/// An ask of the receiver-initiated FFT, with its share of the half butterflies: in trees, and where points are shared.
const ASKS: [&str; 2] = ["ask", "ask-shared"];

/// A point that is put into another place, one by one.
const REORDER: &str = "reorder";

/// Whether calls replace their input, where they can.
fn replaces(problem: &UntypedProblem) -> bool {
    let [input, output] = problem.layouts();
    if problem.is_real() { problem.is_padded() } else { input == output }
}

/// The passes of one thread.
pub(crate) fn alone<T: Real>(problem: &UntypedProblem, plan: &AlonePlan<T>) -> Option<Vec<Pass>> {
    let passes = plan.steps()?.passes(replaces(problem)).into_iter();
    Some(passes.map(|facts| Pass::alone(facts, size_of::<Complex<T>>())).collect())
}

/// The passes of a program on so many nodes; nothing if it has no kernels, or none whose rate is known.
pub(crate) fn program<T: Scalar>(
    problem: &UntypedProblem,
    program: &Program<T>,
    nodes: usize,
) -> Option<Vec<Pass>> {
    match program {
        Program::TwoPass(plan) => two_pass(plan, nodes, replaces(problem)),
        Program::Tall(tall) => self::tall(tall.plan(), nodes, replaces(problem)),
        Program::Transpose(series) => transpose(series.plan(), nodes),
        Program::Matrix { plan, in_place, .. } => matrix(plan, nodes, *in_place),
        Program::Sender { plan, .. } => sender(plan, nodes),
        // How fast stages are is not measured.
        Program::Stages { .. } => None,
        Program::Receiver { plan, .. } => {
            let order = plan.order();
            let counts = program.counts();
            let name = ASKS[usize::from(plan.asking() == Asking::Shared)];
            let asks =
                Pass { work: Work::Steps(name, counts.asks + order.points() as u64), ..steps::<T>(nodes) };
            let rows = [order.nodes(), order.share()];
            let rows = lines::<T>(plan.kernel_name(), rows, nodes);
            Some(vec![rows, Pass { what: format!("{} asks", counts.asks), ..asks }])
        }
    }
}

/// Rows on nodes, which lie one after another.
fn lines<T: Real>(kernel: &'static str, [lines, len]: [usize; 2], nodes: usize) -> Pass {
    let point = size_of::<Complex<T>>();
    let footprint = lines * len * point;
    let facts =
        PassFacts { way: Way::Rows, kernel, len, lines, real: false, bytes: 2 * footprint, footprint };
    Pass::alone(facts, point).shared(
        nodes,
        uneven((0..lines).map(|line| (line % nodes, 1)), nodes),
        [lines, 0],
    )
}

/// Steps on nodes that go through no array.
fn steps<T: Real>(nodes: usize) -> Pass {
    let (what, work, point) = (String::new(), Work::Moves(Pattern::Stream), size_of::<Complex<T>>());
    Pass { what, work, point, bytes: 0, footprint: 0, threads: nodes, uneven: 1.0, parts: 1, tiles: 0 }
}

/// The largest share of a node over an even one, of parts with their nodes and sizes.
fn uneven(parts: impl Iterator<Item = (usize, usize)>, nodes: usize) -> f64 {
    let mut shares = vec![0; nodes.max(1)];
    for (node, size) in parts {
        shares[node % nodes.max(1)] += size;
    }
    let (most, all) = (shares.iter().max().unwrap_or(&0), shares.iter().sum::<usize>());
    if all == 0 { 1.0 } else { (most * shares.len()) as f64 / all as f64 }
}

/// [`uneven`] where neighbours are on one node.
fn uneven_neighbours(sizes: impl ExactSizeIterator<Item = usize>, nodes: usize) -> f64 {
    let parts = sizes.len();
    uneven(sizes.enumerate().map(|(part, size)| (node_of_neighbours(part, parts, nodes), size)), nodes)
}

fn uneven_cut(cut: &Cut, nodes: usize) -> f64 {
    uneven((0..cut.count()).map(|part| (cut.node_of(part, nodes), cut.rows_of(part))), nodes)
}

fn two_pass<T: Real>(plan: &TwoPassPlan<T>, nodes: usize, in_place: bool) -> Option<Vec<Pass>> {
    let tiles = plan.cut(0).count() * plan.cut(1).count();
    let point = size_of::<Complex<T>>();
    let mut passes = Vec::new();
    for (side, facts) in plan.passes(in_place)? {
        let (cut, last) = (plan.cut(side), !passes.is_empty());
        // Tiles are sent by the first pass and joined by the second one.
        let parts = [cut.count(), if last { tiles } else { 0 }];
        let uneven = uneven_neighbours((0..cut.count()).map(|part| cut.rows_of(part)), nodes);
        passes.push(Pass::alone(facts, point).shared(nodes, uneven, parts));
    }
    Some(passes)
}

fn tall<T: Real>(plan: &TallPlan<T>, nodes: usize, in_place: bool) -> Option<Vec<Pass>> {
    let (rows, cut) = (plan.rows(), plan.rows().cut());
    let uneven = uneven_neighbours((0..cut.count()).map(|part| cut.rows_of(part)), nodes);
    let of_rows = |facts| Pass::alone(facts, size_of::<Complex<T>>()).shared(nodes, uneven, [cut.count(), 0]);
    let of_rows = rows.facts(in_place)?.into_iter().map(of_rows);
    let of_columns = transpose(plan.columns(), nodes)?;
    Some(if rows.columns_first() {
        of_columns.into_iter().chain(of_rows).collect()
    } else {
        of_rows.chain(of_columns).collect()
    })
}

fn transpose<T: Real>(plan: &TransposePlan<T>, nodes: usize) -> Option<Vec<Pass>> {
    let tiles = plan.cut(0).parts() * plan.cut(1).parts();
    let of = |(side, facts): (usize, PassFacts)| {
        let cut = plan.cut(side);
        let lines = (0..cut.workers()).map(|worker| cut.lines_of(worker));
        let counts = [cut.workers(), if side == 0 { tiles } else { 0 }];
        Pass::alone(facts, size_of::<Complex<T>>()).shared(nodes, uneven_neighbours(lines, nodes), counts)
    };
    Some(plan.passes()?.into_iter().map(of).collect())
}

fn matrix<T: Real>(plan: &MatrixPlan<T>, nodes: usize, in_place: bool) -> Option<Vec<Pass>> {
    let point = size_of::<Complex<T>>();
    let tiles = plan.pass(0).cut().count() * plan.pass(1).cut().count();
    let mut passes = Vec::new();
    for pass in [0, 1].map(|pass| plan.pass(pass)) {
        let (cut, lines, len) =
            (pass.cut(), pass.cut().distribution().iter().sum::<usize>(), pass.transformed());
        let shared = uneven_cut(cut, nodes);
        // Rows of all groups by the first group's kernel: groups differ in padding.
        let kernel = pass.kernel_name()?;
        let rows = self::lines::<T>(kernel, [lines, len], nodes).shared(nodes, shared, [cut.count(), 0]);
        let bytes = 2 * lines * pass.len() * point;
        let footprint = if in_place { bytes / 2 } else { bytes };
        let (what, work) = ("tiles transposed".to_owned(), Work::Moves(Pattern::Columns));
        let moves =
            Pass { what, work, bytes, footprint, uneven: shared, parts: 0, tiles, ..steps::<T>(nodes) };
        passes.extend([rows, moves]);
    }
    Some(passes)
}

fn sender<T: Real>(plan: &SenderPlan<T>, nodes: usize) -> Option<Vec<Pass>> {
    let (order, point) = (plan.order(), size_of::<Complex<T>>());
    let (points, threads, stages) = (order.points(), order.threads(), u64::from(order.stages()));
    let [butterflies, exchanges] =
        [(SENDER, points as u64 * stages), (EXCHANGE, threads as u64 * (stages + 3))]
            .map(|(name, count)| Pass { work: Work::Steps(name, count), ..steps::<T>(nodes) });
    let rows = lines::<T>(plan.kernel_name()?, [threads, order.block()], nodes);
    let reordered = Pass { work: Work::Steps(REORDER, points as u64), ..steps::<T>(1) };
    let (bytes, footprint) = (4 * points * point * stages as usize, 2 * points * point);
    let moved = |pass: Pass, bytes, what: String| Pass { bytes, footprint, what, parts: 0, ..pass };
    Some(vec![
        moved(butterflies, bytes, format!("{stages} exchange stages of {points} points")),
        moved(exchanges, 0, format!("{threads} threads that exchange blocks")),
        rows,
        moved(reordered, 2 * points * point, "points put into their order".to_owned()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_share_counts() {
        let of = |sizes: &[usize]| uneven(sizes.iter().copied().enumerate(), 2);
        for (sizes, expected) in [(&[4, 4][..], 1.0), (&[4, 4, 4], 4.0 / 3.0), (&[1, 0], 2.0), (&[], 1.0)] {
            assert!((of(sizes) - expected).abs() < 1e-12, "{sizes:?}");
        }
    }
}
