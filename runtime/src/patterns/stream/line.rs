//! The nodes of a stream's functions.
//!
//! Nodes are counted from the node of the sink. A machine with fewer cores than nodes gives each thread
//! neighbouring nodes, and the first threads one node more than the last. So the stages are spread evenly,
//! each at the end of its part of the nodes. Then two stages are never on one thread of two, whatever the
//! number of nodes is.
//!
//! | nodes | stages | source |
//! |---|---|---|
//! | at most the stages | neighbouring stages share a node | with the first stage |
//! | one more | a node each | with the sink |
//! | more | a node each, the last node excluded | on the last node |
//!
//! A source that stays is with the sink, and the stages have all nodes. The copies of a farm are stages. If
//! there are fewer nodes than stages, the copies of each farm are spread over all nodes: then each node has a
//! part of each farm's work.

use super::Flow;
use crate::{NodeId, Wire};

/// Data that all functions of a stream share.
#[derive(Clone, Copy, Debug, Wire)]
pub struct Line {
    pub(super) flow: Flow,
    /// Node of the sink.
    pub(super) sink: NodeId,
    /// Number of stages, each copy of a farm included.
    pub(super) stages: usize,
    /// Whether the source is on the node of the sink in any case.
    pub(super) source_stays: bool,
}

impl Line {
    /// Returns the node of the source on a machine of `nodes` nodes.
    pub(super) fn source(self, nodes: usize) -> NodeId {
        let is_at_sink = self.source_stays || self.stages + 1 == nodes;
        self.after_sink(if is_at_sink { 0 } else { nodes - 1 }, nodes)
    }

    /// Returns the node of the last of `stages` stages that follow the source, or of the source if there are
    /// none.
    pub(super) fn node(self, stages: usize, nodes: usize) -> NodeId {
        if stages == 0 {
            return self.source(nodes);
        }
        let before_sink = self.stages - stages;
        self.after_sink(end_of_part(before_sink, self.stages, self.nodes_of_stages(nodes)), nodes)
    }

    /// Returns the node of a copy of a farm of `copies` copies, which follow `stages` stages.
    pub(super) fn copy(self, stages: usize, copy: usize, copies: usize, nodes: usize) -> NodeId {
        if self.stages <= self.nodes_of_stages(nodes) {
            return self.node(stages + copy + 1, nodes);
        }
        self.after_sink(end_of_part(copy, copies, nodes), nodes)
    }

    /// Returns the number of nodes that may have stages.
    fn nodes_of_stages(self, nodes: usize) -> usize {
        let source_is_alone = !self.source_stays && self.stages + 1 < nodes;
        nodes - usize::from(source_is_alone)
    }

    fn after_sink(self, node: usize, nodes: usize) -> NodeId {
        NodeId::new((self.sink.index() + node) % nodes)
    }
}

/// Returns the last node of part `part` of `nodes` nodes in `parts` equal parts.
fn end_of_part(part: usize, parts: usize, nodes: usize) -> usize {
    ((part + 1) * nodes).div_ceil(parts) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(stages: usize, source_stays: bool) -> Line {
        Line { flow: Flow::default(), sink: NodeId::new(0), stages, source_stays }
    }

    /// Returns the nodes of all stages.
    fn nodes_of(line: Line, nodes: usize) -> Vec<usize> {
        (1..=line.stages).map(|stages| line.node(stages, nodes).index()).collect()
    }

    /// Returns how many of these nodes each of `threads` threads has, as the machine deals its nodes.
    fn of_threads(of: &[usize], nodes: usize, threads: usize) -> Vec<usize> {
        let mut counts = vec![0; threads];
        for node in of {
            counts[node * threads / nodes] += 1;
        }
        counts
    }

    #[test]
    fn an_even_number_of_stages_is_divided_equally_between_two_threads() {
        for nodes in 2..40 {
            for (stages, source_stays) in (2..=nodes).step_by(2).flat_map(|n| [(n, true), (n, false)]) {
                let of = nodes_of(line(stages, source_stays), nodes);
                assert_eq!(of_threads(&of, nodes, 2), [stages / 2; 2], "{stages} on {nodes}: {of:?}");
            }
        }
    }

    #[test]
    fn no_thread_has_more_than_its_share_and_one_stage() {
        for nodes in 1..30 {
            for (stages, threads) in (1..=nodes).flat_map(|stages| (1..=nodes).map(move |of| (stages, of))) {
                let counts = of_threads(&nodes_of(line(stages, true), nodes), nodes, threads);
                let most = stages.div_ceil(threads) + 1;
                assert!(counts.iter().all(|&count| count <= most), "{stages} on {nodes} nodes: {counts:?}");
            }
        }
    }

    #[test]
    fn functions_have_nodes_of_their_own_if_there_are_enough() {
        for stages in 0..9 {
            let mut of = nodes_of(line(stages, false), stages + 2);
            of.extend([0, line(stages, false).source(stages + 2).index()]);
            of.sort_unstable();
            assert!(of.into_iter().eq(0..stages + 2));
            assert_eq!(line(stages, true).source(stages + 2).index(), 0);
        }
    }

    #[test]
    fn copies_of_a_farm_among_more_stages_than_nodes_are_on_all_nodes() {
        // Two stages, a farm of four copies, and a stage.
        for nodes in [2, 4] {
            let of: Vec<_> = (0..4).map(|copy| line(7, false).copy(2, copy, 4, nodes).index()).collect();
            assert_eq!(of_threads(&of, nodes, nodes), vec![4 / nodes; nodes]);
        }
    }
}
