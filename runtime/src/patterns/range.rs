//! A value made of all indices of a range, by tokens.
//!
//! 1. A range is halved, at a whole number of grains, and each half is a token, until no more than a grain is left.
//! 2. A grain is mapped by one fiber.
//! 3. Halves are combined, the left one first, on the node that halved them.
//!
//! Idle nodes take the oldest tokens, which stand for the largest ranges; so few are stolen, however unequal the
//! indices are. Where pieces end depends on the range and the grain alone, so with a given grain the operation need be
//! associative only up to rounding, and the bits are the same on every machine. A grain that is chosen depends on the
//! number of nodes.
//!
//! # Cost
//!
//! A token a half, and for each place where a range is halved a frame and a fiber. A token that is stolen costs two messages: it
//! and its result.
//!
//! # When it loses
//!
//! With grains of less than a microsecond the tokens cost more than a loop.

use std::marker::PhantomData;
use std::ops::Range;

use crate::collective::Combine;
use crate::{Eu, Reply, Shared, Start, Wire, Work, threaded};

/// How many indices, or rows, one fiber does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Wire)]
pub struct Grain(usize);

impl Grain {
    /// As many as make 32 pieces for each node.
    pub const CHOSEN: Grain = Grain(0);

    /// So many.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn of(count: usize) -> Self {
        assert!(count > 0, "a grain has at least one index");
        Grain(count)
    }

    /// The number of indices of a grain, for a range of `len` on a machine of `nodes`.
    pub(super) fn size(self, len: usize, nodes: usize) -> usize {
        match self.0 {
            0 => len.div_ceil(32 * nodes).max(1),
            given => given,
        }
    }
}

/// Where a range of `len`, longer than a grain, is halved: at the end of a grain.
pub(super) fn middle(len: usize, grain: usize) -> usize {
    len.div_ceil(grain).div_ceil(2) * grain
}

/// What is made of the indices of a range.
///
/// A closure has it as [`Shared`], and then stays in its process. A type that travels runs on machines whose nodes are
/// processes, too.
pub trait Maps: Wire + Clone {
    /// The value of a range.
    type Said: Wire;

    /// The value of `range`, which is not empty unless the whole range is.
    fn map(&self, range: Range<usize>) -> Self::Said;

    /// What it costs to map `range` on a simulated machine; a real one takes what it takes.
    fn cost(&self, range: &Range<usize>) -> Work {
        let _ = range;
        Work::Cycles(0)
    }
}

impl<T: Wire, F: Fn(Range<usize>) -> T + Send + Sync + 'static> Maps for Shared<F> {
    type Said = T;
    fn map(&self, range: Range<usize>) -> T {
        self(range)
    }
}

/// What is left of pieces that give nothing: that they are done.
#[derive(Debug)]
pub enum Done {}

impl Combine<()> for Done {
    fn combine((): (), (): ()) {}
}

/// Maps the pieces of a range and combines their values by `O`, from left to right.
///
/// ```
/// use earth::collective::Sum;
/// use earth::patterns::{Grain, MapReduce};
/// use earth::{Machine, Shared};
///
/// let squares = Shared::new(|range: std::ops::Range<usize>| range.map(|i| (i * i) as u64).sum::<u64>());
/// let run = Machine::threads(2).run(|out| MapReduce::<_, Sum>::call(0..1000, Grain::CHOSEN, squares, out))?;
/// assert_eq!(run.value, 332_833_500);
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(Debug)]
pub struct MapReduce<M: Maps, O> {
    to: Reply<M::Said>,
    combines: PhantomData<fn() -> O>,
}

#[threaded]
impl<M: Maps, O: Combine<M::Said>> MapReduce<M, O> {
    /// Maps `range` by `maps`, a grain at a time, and puts the combined value to `to`. An empty range is mapped as it is.
    pub fn start(
        range: Range<usize>,
        grain: Grain,
        maps: M,
        to: Reply<M::Said>,
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
        eu.token(Self::call(right, Grain(grain), maps.clone(), eu.reply(halves.right)));
        eu.token(Self::call(left, Grain(grain), maps, eu.reply(halves.left)));
        Start::Wait(MapReduce { to, combines: PhantomData })
    }

    #[slot]
    fn combine(self, left: M::Said, right: M::Said, eu: &mut Eu<Self>) {
        eu.put(self.to, O::combine(left, right));
    }
}
