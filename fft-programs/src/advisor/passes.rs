//! The passes of one thread, and parts of the passes of programs, for the model.

use earth_kernels::Real;
use earth_serial::{Method, PassFacts};
use num_complex::Complex;

use super::pass::{Pass, PassWork, Pattern};
use crate::dataflow::cut::{Cut, node_of_neighbors};
use crate::plan::alone::AlonePlan;
use crate::problem::UntypedProblem;

/// Returns whether calls of the problem transform in place, if they can.
pub(crate) fn replaces(problem: &UntypedProblem) -> bool {
    let [input, output] = problem.layouts();
    if problem.is_real() { problem.is_padded() } else { input == output }
}

pub(crate) fn alone<T: Real>(problem: &UntypedProblem, plan: &AlonePlan<T>) -> Option<Vec<Pass>> {
    let passes = plan.steps()?.passes(replaces(problem)).into_iter();
    Some(passes.map(|facts| Pass::alone(facts, size_of::<Complex<T>>())).collect())
}

/// Returns the pass over consecutive rows that are dealt to nodes.
pub fn lines<T: Real>(kernel: &'static str, [lines, len]: [usize; 2], nodes: usize) -> Pass {
    let point = size_of::<Complex<T>>();
    let footprint = lines * len * point;
    let facts =
        PassFacts { way: Method::Rows, kernel, len, lines, real: false, bytes: 2 * footprint, footprint };
    Pass::alone(facts, point).shared(
        nodes,
        uneven((0..lines).map(|line| (line % nodes, 1)), nodes),
        [lines, 0],
    )
}

/// Returns an empty pass of steps on nodes, without an array.
pub fn steps<T: Real>(nodes: usize) -> Pass {
    let (what, work, point) = (String::new(), PassWork::Moves(Pattern::Stream), size_of::<Complex<T>>());
    Pass { what, work, point, bytes: 0, footprint: 0, threads: nodes, uneven: 1.0, parts: 1, tiles: 0 }
}

/// Returns the largest share of a node relative to an even share, of parts with their nodes and sizes.
fn uneven(parts: impl Iterator<Item = (usize, usize)>, nodes: usize) -> f64 {
    let mut shares = vec![0; nodes.max(1)];
    for (node, size) in parts {
        shares[node % nodes.max(1)] += size;
    }
    let (most, all) = (shares.iter().max().unwrap_or(&0), shares.iter().sum::<usize>());
    if all == 0 { 1.0 } else { (most * shares.len()) as f64 / all as f64 }
}

/// Returns [`uneven`] for parts whose neighbors are on one node.
pub(crate) fn uneven_neighbours(sizes: impl ExactSizeIterator<Item = usize>, nodes: usize) -> f64 {
    let parts = sizes.len();
    uneven(sizes.enumerate().map(|(part, size)| (node_of_neighbors(part, parts, nodes), size)), nodes)
}

/// Returns the largest share of a node relative to an even share, of rows with this cut.
pub fn uneven_cut(cut: &Cut, nodes: usize) -> f64 {
    uneven((0..cut.count()).map(|part| (cut.node_of(part, nodes), cut.rows_of(part))), nodes)
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
