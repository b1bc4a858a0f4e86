//! Machines of [earth] whose nodes are the ranks of an MPI job.
//!
//! ```no_run
//! use earth::{Eu, Reply, threaded};
//! use earth_mpi::Mpi;
//!
//! struct Where;
//!
//! #[threaded]
//! impl Where {
//!     fn start(out: Reply<usize>, eu: &mut Eu<Self>) {
//!         eu.put(out, eu.nodes());
//!     }
//! }
//!
//! let mpi = Mpi::join()?;
//! let mut machine = mpi.machine()?;
//! if mpi.rank() == 0 {
//!     println!("{} ranks", machine.run(Where::call)?.value);
//! } else {
//!     while machine.serve()?.is_some() {}
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `mpirun -n 4 program` starts four ranks. Programs need no change: rank 0 calls
//! [`run`](earth::Machine::run), the others call [`serve`](earth::Machine::serve). The
//! [machine of ranks](earth::ranks) describes the rest.
//!
//! *Threads.* MPI is initialized with the level FUNNELED. All calls of MPI come from the thread that called
//! [`Mpi::join`], and the machine must run in it.
//!
//! So a run cannot have input from other threads: [`Machine::open`](earth::Machine::open) and
//! [`Machine::start`](earth::Machine::start) move the machine, and end with
//! [`Error::WrongThread`](earth::Error::WrongThread).
//!
//! *End.* The machine is dropped first. It tells all ranks that it leaves, receives all messages that are
//! under way, and waits for the other ranks. A rank that waits longer than four seconds ends the job. The
//! drop of [`Mpi`] finalizes the library.
//!
//! *Lost ranks.* The launcher ends the job when a rank dies. No rank gets an error before that.

mod cores;
mod leaving;
mod link;
mod raw;
mod ring;
mod stream;

use std::sync::Arc;

use earth::Machine;
use mpi::Threading;

use crate::link::MpiLink;
use crate::raw::{Communicator, Failure, Running};

/// This process's part in an MPI job.
pub struct Mpi {
    running: Arc<Running>,
    rank: usize,
    ranks: usize,
    /// Number of cores that this rank has for itself, if the system tells.
    cores: Option<usize>,
}

/// The error of joining an MPI job.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MpiError {
    /// MPI was initialized before, by this crate or another.
    #[error("MPI is initialized already; a process joins its job once")]
    Initialized,
    /// The library supports no threads beside the one that calls it.
    #[error("the MPI library supports threads at the level {0} only; the machine needs FUNNELED")]
    Threads(String),
    /// A call of MPI failed.
    #[error("{0}")]
    Failed(String),
}

impl From<Failure> for MpiError {
    fn from(failure: Failure) -> Self {
        MpiError::Failed(failure.to_string())
    }
}

impl Mpi {
    /// Initializes MPI and joins the job that started this process. Without a launcher the job has one rank.
    ///
    /// # Errors
    ///
    /// If MPI was initialized before, or supports no other threads, or fails.
    pub fn join() -> Result<Self, MpiError> {
        let (universe, level) =
            mpi::initialize_with_threading(Threading::Funneled).ok_or(MpiError::Initialized)?;
        let cores = cores::own(&universe.world());
        let running = Running::new(universe);
        if level < Threading::Funneled {
            return Err(MpiError::Threads(format!("{level:?}").to_uppercase()));
        }
        let Communicator { rank, ranks, .. } = &Communicator::of_world(&running)?;
        let (rank, ranks) = (*rank, *ranks);
        Ok(Mpi { running, rank, ranks, cores })
    }

    /// Returns the number of this process, from 0.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the number of processes.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Returns this process's part of a machine whose nodes are the ranks. All ranks call it, equally often.
    ///
    /// # Errors
    ///
    /// If MPI fails.
    pub fn machine(&self) -> Result<Machine, MpiError> {
        Ok(Machine::ranks(MpiLink::new(Communicator::of_world(&self.running)?, self.cores)?))
    }
}

impl std::fmt::Debug for Mpi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mpi").field("rank", &self.rank).field("ranks", &self.ranks).finish_non_exhaustive()
    }
}
