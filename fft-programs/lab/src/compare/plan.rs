//! Rows of a comparison.
//!
//! Each program and number of nodes P has two rows: P nodes of each configuration, and 2P nodes of SPN
//! against P nodes of DUAL. A series is transformed by the programs for one dimension, the sender-initiated
//! one with several block sizes; a matrix by the program for two. The number of blocks does not grow with the
//! signal.
//!
//! A program with more than [`MAX_REQUESTS`] requests is not tried: a single run would take seconds.

use earth_fft::Shape;

use super::report::Equal;

/// Numbers of blocks of a series; a number above its points is not used.
const BLOCKS: [usize; 3] = [256, 64, 16];

/// Largest number of DUAL nodes tried. SPN has twice this number, which a machine still supports.
const MOST_NODES: usize = 32;

/// Lower bound of the largest number of nodes: on fewer cores, nodes take turns.
const LEAST_MOST_NODES: usize = 4;

/// Most requests of a transform that is tried.
const MAX_REQUESTS: usize = 1 << 19;

/// One row of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowPlan {
    /// Index of the subject.
    pub(super) subject: usize,
    pub(super) equal: Equal,
    pub(super) algorithm: &'static str,
    /// Points per block; `None` lets the program choose.
    pub(super) block: Option<usize>,
    pub(super) spn_nodes: usize,
    pub(super) dual_nodes: usize,
}

/// Lists the rows for subjects of these shapes on `cores` cores, smaller machines first, and counts the rows
/// dropped because of too many requests. The programs of a shape are the papers' programs and `more`.
pub(super) fn plans(
    shapes: &[Shape],
    cores: usize,
    more: impl Fn(Shape) -> Vec<&'static str>,
) -> (Vec<RowPlan>, usize) {
    let programs = |shape| {
        let more = more(shape).into_iter().map(|name| (name, None));
        programs(shape).into_iter().chain(more).collect::<Vec<_>>()
    };
    let of_shapes: Vec<_> = shapes.iter().map(|shape| programs(*shape)).collect();
    let most = cores.clamp(LEAST_MOST_NODES, MOST_NODES);
    let mut plans = Vec::new();
    for nodes in (0..).map(|log| 1 << log).take_while(|&nodes| nodes <= most) {
        for (subject, programs) in of_shapes.iter().enumerate() {
            for &(algorithm, block) in programs {
                for (equal, spn_nodes) in [(Equal::Nodes, nodes), (Equal::Cores, 2 * nodes)] {
                    plans.push(RowPlan { subject, equal, algorithm, block, spn_nodes, dual_nodes: nodes });
                }
            }
        }
    }
    plans.retain(|plan| plan.is_possible(shapes[plan.subject]));
    let all = plans.len();
    plans.retain(|plan| plan.requests(shapes[plan.subject]) <= MAX_REQUESTS);
    let too_many_asks = all - plans.len();
    (plans, too_many_asks)
}

/// Lists the programs for this shape, with block sizes.
fn programs(shape: Shape) -> Vec<(&'static str, Option<usize>)> {
    let Shape::Line(n) = shape else { return vec![("grouped", None)] };
    let blocks = BLOCKS.into_iter().filter(|&blocks| blocks <= n).map(|blocks| n / blocks);
    let mut programs: Vec<_> = blocks.map(|block| ("sender", Some(block))).collect();
    if programs.is_empty() {
        programs.push(("sender", Some(1)));
    }
    programs.extend([("receiver", None), ("receiver-shared", None)]);
    programs
}

impl RowPlan {
    fn is_receiver(&self) -> bool {
        matches!(self.algorithm, "receiver" | "receiver-shared")
    }

    /// Returns whether there is a point for each node, if the program needs one.
    fn is_possible(&self, shape: Shape) -> bool {
        !self.is_receiver() || shape.samples().is_some_and(|n| self.spn_nodes <= n)
    }

    /// Returns the requests on the larger machine: 2(P - 1)N in a tree, 2N log2 P for shared points.
    fn requests(&self, shape: Shape) -> usize {
        let (n, p) = (shape.samples().unwrap_or(usize::MAX), self.spn_nodes);
        match self.algorithm {
            "receiver" => n.saturating_mul(2 * (p - 1)),
            "receiver-shared" => n.saturating_mul(2 * p.ilog2() as usize),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_line(n: usize, cores: usize) -> Vec<RowPlan> {
        plans(&[Shape::Line(n)], cores, |_| Vec::new()).0
    }

    #[test]
    fn every_program_is_tried_on_every_number_of_nodes_in_both_ways() {
        let shapes = [Shape::Line(4096), Shape::Matrix { rows: 256, cols: 256 }];
        let (plans, too_many) = plans(&shapes, 4, |_| Vec::new());
        assert_eq!((plans.len(), too_many), (3 * 2 * (3 + 2 + 1), 0));
        for dual_nodes in [1, 2, 4] {
            for (equal, spn_nodes) in [(Equal::Nodes, dual_nodes), (Equal::Cores, 2 * dual_nodes)] {
                let row = |subject, algorithm, block| RowPlan {
                    subject,
                    equal,
                    algorithm,
                    block,
                    spn_nodes,
                    dual_nodes,
                };
                for block in [16, 64, 256] {
                    assert!(plans.contains(&row(0, "sender", Some(block))));
                }
                for (subject, algorithm) in [(0, "receiver"), (0, "receiver-shared"), (1, "grouped")] {
                    assert!(plans.contains(&row(subject, algorithm, None)));
                }
            }
        }
        assert!(
            plans.is_sorted_by_key(|plan| plan.dual_nodes),
            "if the time is over, the large machines are left out"
        );
    }

    #[test]
    fn machines_grow_with_the_cores_as_far_as_there_are_nodes() {
        let most = |cores| of_line(64, cores).iter().map(|plan| (plan.spn_nodes, plan.dual_nodes)).max();
        assert_eq!(most(1), Some((8, 4)), "one core is tried beyond its number too");
        assert_eq!(most(8), Some((16, 8)));
        assert_eq!(most(1000), Some((64, 32)));
    }

    #[test]
    fn the_number_of_blocks_does_not_grow_with_the_signal() {
        let blocks = |n| {
            let mut blocks: Vec<_> = of_line(n, 1).iter().filter_map(|plan| plan.block).collect();
            blocks.sort_unstable();
            blocks.dedup();
            blocks
        };
        assert_eq!(blocks(1 << 20), [1 << 12, 1 << 14, 1 << 16]);
        assert_eq!(blocks(64), [1, 4]);
        assert_eq!([blocks(8), blocks(1)], [[1], [1]]);
    }

    #[test]
    fn receivers_have_a_point_for_each_node_and_do_not_ask_for_ever() {
        let receivers = |n| {
            let (plans, too_many) = plans(&[Shape::Line(n)], 1, |_| Vec::new());
            (plans.into_iter().filter(RowPlan::is_receiver).map(|plan| plan.spn_nodes).max(), too_many)
        };
        assert_eq!([receivers(1), receivers(2), receivers(4)], [(Some(1), 0), (Some(2), 0), (Some(4), 0)]);
        // In the tree, rows 4:4 and 8:4 send 393216 and 917504 requests; shared points send at most 393216.
        assert_eq!(receivers(1 << 16), (Some(8), 1));
        // Only one node of each configuration sends few enough requests.
        assert_eq!(receivers(1 << 20), (Some(1), 2 * 5));
    }
}
