//! Computing on blocks, and charging for it, in one call: what runs with data and what is charged without it
//! cannot differ.
//!
//! A [phantom](Block::phantom) has a size and no elements. A program whose fibers compute on their blocks by
//! [`Eu::compute`] alone, and allocate others by [`Block::zeroed_like`], runs on phantoms as it does on blocks of
//! memory: the same fibers, signals and moves, the same bytes counted, and on a [simulated
//! machine](crate::Machine::simulated) the same virtual time to the cycle, as that is made of what operations,
//! messages and [work](Eu::work) cost. So a run larger than memory takes what its fibers take to
//! simulate. Tests hold every such program to that at sizes that fit.
//!
//! *When it is of no use.* Where what is computed decides what is done next (a pivot, a convergence test), or
//! words travel instead of blocks. On real cores phantoms are moved and counted all the same, but what takes time
//! is the runtime alone.

use earth_memory::{Block, Element};

use crate::node::eu::Eu;
use crate::probe::costs::Work;

/// The blocks that a computation reads and writes: one, or two as a pair, a pair of pairs and so on, or a slice of them.
pub trait Operands {
    /// Whether they are phantoms.
    ///
    /// # Panics
    ///
    /// If some are and some are not.
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
        assert!(agree, "a computation on phantoms and on blocks with elements");
        phantoms
    }
}

impl<A: Operands, B: Operands> Operands for (A, B) {
    #[inline]
    #[track_caller]
    fn are_phantoms(&self) -> bool {
        let phantoms = self.0.are_phantoms();
        assert_eq!(phantoms, self.1.are_phantoms(), "a computation on phantoms and on blocks with elements");
        phantoms
    }
}

impl<F> Eu<F> {
    /// Does a piece of work on the elements of one or several blocks, and charges for it as [`work`](Eu::work)
    /// does. If the blocks are [phantoms](Block::phantom) it is only charged for.
    ///
    /// Gives what `does` gives, or nothing for phantoms. Beside `work` it costs a branch for each block, which
    /// in one run always goes the same way.
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
    /// If some of the blocks are phantoms and some are not.
    #[inline(always)]
    #[track_caller]
    pub fn compute<B: Operands, R>(&mut self, on: B, work: Work, does: impl FnOnce(B) -> R) -> Option<R> {
        let done = if on.are_phantoms() { None } else { Some(does(on)) };
        self.work(work);
        done
    }
}
