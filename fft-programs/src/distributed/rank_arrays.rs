//! The arrays of a process's ranks during a run, and the run of all processes.

use earth::{Error, Machine, Run, Shared, SharedValues};
use parking_lot::Mutex;

use crate::plan::TransformError;

/// Arrays of the ranks of a process while no fiber has them.
#[derive(Debug)]
pub struct RankArrays<A> {
    /// The first rank of the process.
    first: usize,
    /// Array of each rank, or why there are none.
    arrays: Result<Mutex<Vec<Option<A>>>, String>,
}

impl<A> RankArrays<A> {
    /// Takes the arrays of a process whose first rank is `first`. Instead of the arrays it may have the
    /// reason why the process cannot take part. The reason then ends the run of all ranks.
    pub fn new(first: usize, arrays: Result<impl IntoIterator<Item = A>, String>) -> Self {
        let arrays = arrays.map(|arrays| Mutex::new(arrays.into_iter().map(Some).collect()));
        Self { first, arrays }
    }

    /// Takes the array of a rank.
    ///
    /// # Errors
    ///
    /// The reason why the process has no array, as a sentence about the rank.
    pub fn take(&self, rank: usize) -> Result<A, String> {
        let mut arrays = self.arrays.as_ref().map_err(|why| format!("rank {rank}: {why}"))?.lock();
        let array = rank.checked_sub(self.first).and_then(|at| arrays.get_mut(at)?.take());
        array.ok_or_else(|| format!("rank {rank} has no arrays in its process"))
    }

    /// Gives back the array of a rank.
    pub fn give_back(&self, rank: usize, array: A) {
        if let (Ok(all), Some(at)) = (&self.arrays, rank.checked_sub(self.first))
            && let Some(place) = all.lock().get_mut(at)
        {
            *place = Some(array);
        }
    }
}

/// Begins a run on rank 0 by `begin`, or takes part in it on another rank, where the value is the default.
/// Each process has a call of its own.
///
/// # Errors
///
/// An error of the machine, or [`TransformError::NoRun`].
pub fn run_or_serve<C: Send + Sync + 'static, V: Default>(
    machine: &mut Machine,
    call: Shared<C>,
    begin: impl FnOnce(&mut Machine, SharedValues, Shared<C>) -> Result<Run<V>, Error>,
) -> Result<Run<V>, TransformError> {
    let shared = SharedValues::default().with(&call);
    if machine.own_nodes().start == 0 {
        return Ok(begin(machine, shared, call)?);
    }
    let run = machine.serve_with(shared)?.ok_or(TransformError::NoRun)?;
    Ok(run.map(|()| V::default()))
}
