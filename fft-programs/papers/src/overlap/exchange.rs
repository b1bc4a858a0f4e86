//! The exchange of a tile on one rank: its arrived blocks, and the blocks that wait for their rounds.

use earth_fft::dataflow::points::{Points, elements, elements_mut};
use earth_kernels::Real;
use num_complex::Complex;

use super::rank_plan::Rounds;

/// Exchange of a tile.
#[derive(Debug)]
pub(super) struct Exchange<T: Real> {
    /// Blocks that have arrived, by sender.
    arrived: Vec<Option<Points<T>>>,
    /// Whether a block has yet to arrive, by sender. The rank's own block is among them.
    awaited: Vec<bool>,
    /// Packed blocks that have not been sent, by receiver.
    packed: Vec<Option<Points<T>>>,
    /// Number of rounds that have begun, once the exchange has begun.
    rounds: Option<usize>,
}

impl<T: Real> Exchange<T> {
    /// Makes the exchange of a rank that awaits these blocks, by sender.
    pub(super) fn new(awaited: Vec<bool>) -> Self {
        let arrived = awaited.iter().map(|_| None).collect();
        Self { arrived, awaited, packed: Vec::new(), rounds: None }
    }

    /// Takes memory for the packed blocks, by receiver.
    pub(super) fn take_memory(&mut self, blocks: impl Iterator<Item = Points<T>>) {
        self.packed = blocks.map(Some).collect();
    }

    /// Yields the memory for the packed blocks, by receiver.
    pub(super) fn packed(&mut self) -> impl Iterator<Item = &mut [Complex<T>]> {
        self.packed.iter_mut().flatten().map(elements_mut)
    }

    /// Yields the blocks of all ranks. A rank without points has an empty one.
    pub(super) fn arrived(&self) -> impl Iterator<Item = &[Complex<T>]> {
        self.arrived.iter().map(|block| block.as_ref().map_or(&[][..], elements))
    }

    /// Returns whether all blocks have arrived.
    pub(super) fn is_complete(&self) -> bool {
        !self.awaited.contains(&true)
    }

    /// Keeps a block that has arrived.
    pub(super) fn keep(&mut self, from: usize, points: Points<T>) {
        self.arrived[from] = Some(points);
        self.awaited[from] = false;
    }

    /// Frees the blocks that have arrived.
    pub(super) fn free(&mut self) {
        self.arrived = Vec::new();
    }

    /// Begins the exchange on the rank `own`, which keeps its own block.
    pub(super) fn begin(&mut self, own: usize) {
        if let Some(points) = self.packed.get_mut(own).and_then(Option::take) {
            self.keep(own, points);
        }
        self.rounds = Some(0);
    }

    /// Begins rounds whose turn it is, up to the first one with a block to send. Returns the receiver and the
    /// block.
    pub(super) fn next_block(&mut self, own: usize, rounds: Rounds) -> Option<(usize, Points<T>)> {
        let ranks = self.awaited.len();
        while let Some(begun) = self.rounds
            && begun + 1 < ranks
        {
            // Before the first round this is the rank itself.
            let sender_before = (own + ranks - begun) % ranks;
            if rounds == Rounds::Pairwise && self.awaited[sender_before] {
                return None;
            }
            self.rounds = Some(begun + 1);
            let to = (own + begun + 1) % ranks;
            let block = self.packed.get_mut(to).and_then(Option::take);
            if let Some(points) = block.filter(|block| !block.is_empty()) {
                return Some((to, points));
            }
        }
        None
    }
}
