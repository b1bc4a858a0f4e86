//! Computation on blocks together with its charge, in one call. So the work done with data and the work
//! charged without data cannot differ.
//!
//! A [phantom](Block::phantom) has a size and no elements. Some programs compute on their blocks by
//! [`Eu::compute`] alone, and allocate blocks by [`Block::zeroed_like`]. Such a program runs on phantoms as
//! on real blocks: with the same fibers, signals and moves, and the same bytes counted. On a [simulated
//! machine](crate::Machine::simulated) it takes the same virtual time to the cycle, because that time is the
//! cost of operations, messages and [work](Eu::work). A run larger than memory therefore takes only the time
//! to simulate its fibers. Tests check this for every such program at sizes that fit.
//!
//! *When it is of no use.* Phantoms do not serve if computed values decide the next step (a pivot, a
//! convergence test), or if words travel instead of blocks. On real cores phantoms are moved and counted, but
//! only the runtime takes time.

use earth_memory::{Block, Element};

use crate::node::eu::Eu;
use crate::probe::costs::Work;

/// The blocks that a computation reads and writes: one block, a slice of blocks, or a pair of operands.
pub trait Operands {
    /// Whether the blocks are phantoms.
    ///
    /// # Panics
    ///
    /// If some blocks are phantoms and others are not.
    fn are_phantoms(&self) -> bool;
}

impl<T: Element> Operands for &Block<T> {
    #[inline]
    fn are_phantoms(&self) -> bool {
        self.is_phantom()
    }
}

impl<T: Element> Operands for &mut Block<T> {
    #[inline]
    fn are_phantoms(&self) -> bool {
        self.is_phantom()
    }
}

impl<T: Element> Operands for &mut [Block<T>] {
    #[inline]
    #[track_caller]
    fn are_phantoms(&self) -> bool {
        let phantoms = self.first().is_some_and(Block::is_phantom);
        let agree = self.iter().all(|block| block.is_phantom() == phantoms);
        assert!(agree, "a computation mixes phantoms and blocks with elements");
        phantoms
    }
}

impl<A: Operands, B: Operands> Operands for (A, B) {
    #[inline]
    #[track_caller]
    fn are_phantoms(&self) -> bool {
        let phantoms = self.0.are_phantoms();
        assert_eq!(phantoms, self.1.are_phantoms(), "a computation mixes phantoms and blocks with elements");
        phantoms
    }
}

impl<F> Eu<F> {
    /// Runs `does` on one or several blocks, and charges for it as [`work`](Eu::work) does. For
    /// [phantoms](Block::phantom) it only charges.
    ///
    /// Returns the result of `does`, or `None` for phantoms. The cost over `work` is one predictable branch
    /// for each block.
    ///
    /// ```
    /// use earth::simulated::Profile;
    /// use earth::{Block, Eu, Machine, Reply, Work, threaded};
    ///
    /// struct Sum;
    ///
    /// #[threaded]
    /// impl Sum {
    ///     fn start(block: Block<f64>, out: Reply<Option<f64>>, eu: &mut Eu<Self>) {
    ///         let work = Work::Flops(block.len() as u64);
    ///         let sum = eu.compute(&block, work, |block| block.iter_rows().flatten().sum());
    ///         eu.put(out, sum);
    ///     }
    /// }
    ///
    /// let mut machine = Machine::simulated(&Profile::named("manna50").unwrap());
    /// let with_data = machine.run(|out| Sum::call(Block::from_fn(100, 100, |_, _| 1.0), out))?;
    /// let without = machine.run(|out| Sum::call(Block::phantom(100, 100).unwrap(), out))?;
    /// assert_eq!((with_data.value, without.value), (Some(1e4), None));
    /// assert_eq!((with_data.cycles, with_data.counters), (without.cycles, without.counters));
    /// # Ok::<(), earth::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If some of the blocks are phantoms and others are not.
    #[inline(always)]
    #[track_caller]
    pub fn compute<B: Operands, R>(&mut self, on: B, work: Work, does: impl FnOnce(B) -> R) -> Option<R> {
        let done = if on.are_phantoms() { None } else { Some(does(on)) };
        self.work(work);
        done
    }
}
