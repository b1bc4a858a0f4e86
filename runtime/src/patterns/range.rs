//! A value computed from all indices of a range, by tokens.
//!
//! 1. A range is halved, at a whole number of grains. Each half is a token, until at most a grain remains.
//! 2. One fiber maps a grain.
//! 3. The node that halved a range combines the halves, the left one first.
//!
//! Idle nodes steal the oldest tokens, which stand for the largest ranges. So few are stolen, however unequal
//! the indices are. The range and the grain alone fix the ends of the pieces. So with a given grain the
//! operation need be associative only up to rounding, and the results are bitwise equal on every machine. The
//! default grain depends on the number of nodes.
//!
//! # Cost
//!
//! A token per half; a frame and a fiber for each split. A stolen token costs two messages: the token and its
//! result.
//!
//! # When it loses
//!
//! With grains of less than a microsecond, the tokens cost more than a loop.

use std::ops::Range;

use crate::collective::Combine;
use crate::{Eu, Reply, Shared, Start, Wire, Work, threaded};

/// Number of indices, or rows, that one fiber processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Wire)]
pub struct Grain(usize);

impl Grain {
    /// The default: a grain that makes 32 pieces for each node.
    pub const CHOSEN: Grain = Grain(0);

    /// Returns a grain of `count` indices.
    ///
    /// # Panics
    ///
    /// If `count` is 0.
    pub fn of(count: usize) -> Self {
        assert!(count > 0, "a grain has at least one index");
        Grain(count)
    }

    /// Returns the number of indices of a grain, for a range of `len` on a machine of `nodes`.
    pub(super) fn size(self, len: usize, nodes: usize) -> usize {
        self.or(len.div_ceil(32 * nodes))
    }

    /// Returns the number of indices of a grain, where the default is `chosen`.
    pub(super) fn or(self, chosen: usize) -> usize {
        if self == Grain::CHOSEN { chosen.max(1) } else { self.0 }
    }
}

/// Returns the position at which a range of `len`, longer than a grain, is halved: the end of a grain.
pub(super) fn middle(len: usize, grain: usize) -> usize {
    len.div_ceil(grain).div_ceil(2) * grain
}

/// A function of the indices of a range.
///
/// A closure implements it as [`Shared`], and then stays in its process. A type that travels also runs on
/// machines whose nodes are processes.
pub trait Maps: Wire + Clone {
    /// The result for a range.
    type Output: Wire;

    /// Returns the result for `range`, which is empty only if the whole range is.
    fn map(&self, range: Range<usize>) -> Self::Output;

    /// Returns the cost of mapping `range` on a simulated machine; real machines ignore it.
    fn cost(&self, range: &Range<usize>) -> Work {
        let _ = range;
        Work::Cycles(0)
    }
}

impl<T: Wire, F: Fn(Range<usize>) -> T + Send + Sync + 'static> Maps for Shared<F> {
    type Output = T;
    fn map(&self, range: Range<usize>) -> T {
        self(range)
    }
}

/// The combination of pieces without a result: all pieces are done.
#[derive(Clone, Copy, Debug, Wire)]
pub struct Done;

impl Combine<()> for Done {
    fn combine(&self, (): (), (): ()) {}
}

/// Maps the pieces of a range and combines their values, from left to right.
///
/// ```
/// use earth::collective::Sum;
/// use earth::patterns::{Grain, MapReduce};
/// use earth::{Machine, Shared};
///
/// let squares = Shared::new(|range: std::ops::Range<usize>| range.map(|i| (i * i) as u64).sum::<u64>());
/// let run = Machine::threads(2).run(|out| MapReduce::call(0..1000, Grain::CHOSEN, squares, Sum, out))?;
/// assert_eq!(run.value, 332_833_500);
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(Debug)]
pub struct MapReduce<M: Maps, O> {
    to: Reply<M::Output>,
    combine: O,
}

#[threaded]
impl<M: Maps, O: Combine<M::Output>> MapReduce<M, O> {
    /// Maps `range` by `maps`, a grain at a time. Puts the results, combined by `combine`, to `to`. An empty
    /// range is mapped as one piece.
    pub fn start(
        range: Range<usize>,
        grain: Grain,
        maps: M,
        combine: O,
        to: Reply<M::Output>,
        eu: &mut Eu<Self>,
    ) -> Start<Self> {
        let grain = grain.size(range.len(), eu.nodes());
        if range.len() <= grain {
            eu.work(maps.cost(&range));
            eu.put(to, maps.map(range));
            return Start::End;
        }
        let middle = range.start + middle(range.len(), grain);
        let halves = Self::combine();
        let (left, right) = (range.start..middle, middle..range.end);
        eu.token(Self::call(right, Grain(grain), maps.clone(), combine.clone(), eu.reply(halves.right)));
        eu.token(Self::call(left, Grain(grain), maps, combine.clone(), eu.reply(halves.left)));
        Start::Wait(MapReduce { to, combine })
    }

    #[slot]
    fn combine(self, left: M::Output, right: M::Output, eu: &mut Eu<Self>) {
        eu.put(self.to, self.combine.combine(left, right));
    }
}
