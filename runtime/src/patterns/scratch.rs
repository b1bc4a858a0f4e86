//! Memory that pieces of work use in turn.
//!
//! # Cost
//!
//! Two short locks a use. If no memory is free, `make` makes some. So there is at most one for each piece
//! that runs at the same time: one a node.
//!
//! # When it loses
//!
//! A use should take a microsecond or more. A function that stays on its node keeps its memory in its state.

use std::fmt;

use crate::primitive::Mutex;

/// Memory that pieces of work use in turn, such as a buffer. A closure of [`MapReduce`](super::MapReduce),
/// [`ParallelFor`](super::ParallelFor) or a [stage](super::Stage) holds it.
///
/// On machines whose nodes are processes each process makes its own:
/// [`Machine::run_with`](crate::Machine::run_with) and [`serve_with`](crate::Machine::serve_with) begin with a
/// [`Shared`](crate::Shared) of it, or of the closure that holds it.
///
/// ```
/// use earth::collective::Sum;
/// use earth::patterns::{Grain, MapReduce, Scratch};
/// use earth::{Machine, Shared};
///
/// // Numbers of up to 10,000 that are the same when their digits are reversed.
/// let digits = Scratch::new(Vec::new);
/// let palindromes = Shared::new(move |range: std::ops::Range<usize>| {
///     digits.with(|digits: &mut Vec<u8>| {
///         let same = |number: &usize| {
///             digits.clear();
///             digits.extend(number.to_string().bytes());
///             digits.iter().eq(digits.iter().rev())
///         };
///         range.filter(same).count()
///     })
/// });
/// let run = Machine::threads(2).run(|out| MapReduce::call(1..10_001, Grain::CHOSEN, palindromes, Sum, out))?;
/// assert_eq!(run.value, 9 + 9 + 90 + 90);
/// # Ok::<(), earth::Error>(())
/// ```
pub struct Scratch<S> {
    make: Box<dyn Fn() -> S + Send + Sync>,
    free: Mutex<Vec<S>>,
}

impl<S> Scratch<S> {
    /// Returns scratch memory that `make` makes when it is needed.
    pub fn new(make: impl Fn() -> S + Send + Sync + 'static) -> Self {
        Scratch { make: Box::new(make), free: Mutex::new(Vec::new()) }
    }

    /// Calls `work` with memory that no other piece uses at the same time. It is as an earlier piece left it,
    /// or new. Memory of a piece that panics is dropped.
    pub fn with<R>(&self, work: impl FnOnce(&mut S) -> R) -> R {
        let free = self.free.lock().pop();
        let mut scratch = free.unwrap_or_else(&self.make);
        let result = work(&mut scratch);
        self.free.lock().push(scratch);
        result
    }
}

impl<S> fmt::Debug for Scratch<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch").field("free", &self.free.lock().len()).finish_non_exhaustive()
    }
}
