//! Agreement of all ranks on the outcome of a step.
//!
//! A step may fail on one rank only: its disk is full, or its memory is too small. The other ranks would then
//! wait for it in the next exchange. So all ranks call [`Ranks::agree`] after such a step. It returns an
//! error on all ranks if the step failed on any of them.
//!
//! Steps: the ranks find the lowest rank that failed; this rank sends its exit code and its message to all.
//!
//! *Errors.* An error of MPI itself ends the job.
//!
//! *Cost.* One reduction for each step, and two broadcasts after a failure.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::time::Instant;

use earth_console::Failure;
use earth_console::output::print_message;
use earth_console::stop::Stop;
use earth_mpi::Mpi;
use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, CommunicatorCollectives as _, Root as _};

/// This rank among the ranks of the job. All calls come from the thread that joined the job.
pub(crate) struct Ranks {
    world: SimpleCommunicator,
    rank: usize,
    ranks: usize,
    stop: Stop,
}

/// Failure of a step on some rank, the same value on all ranks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Refused {
    code: u8,
    /// None if the user caused the failure.
    message: Option<String>,
}

impl Refused {
    /// Prints the message on rank 0. Returns the exit code.
    pub(crate) fn end(&self, ranks: &Ranks) -> u8 {
        self.tell(ranks);
        self.code
    }

    /// Prints the message on rank 0.
    pub(crate) fn tell(&self, ranks: &Ranks) {
        if ranks.is_first() {
            self.message.iter().for_each(print_message);
        }
    }
}

/// Lets contestants take turns in rounds, in an order that rotates. A round before the first one warms up.
/// Returns the results of each contestant, round by round.
pub(crate) fn in_turns<R>(
    contestants: usize,
    rounds: usize,
    mut turn: impl FnMut(usize) -> Result<R, Refused>,
) -> Result<Vec<Vec<R>>, Refused> {
    let mut results: Vec<_> = (0..contestants).map(|_| Vec::with_capacity(rounds)).collect();
    for round in 0..=rounds {
        for place in 0..contestants {
            let contestant = (round + place) % contestants;
            let result = turn(contestant)?;
            if round > 0 {
                results[contestant].push(result);
            }
        }
    }
    Ok(results)
}

impl Ranks {
    /// Returns the ranks of the job that this process has joined.
    pub(crate) fn of(mpi: &Mpi) -> Self {
        let world = SimpleCommunicator::world();
        Self { world, rank: mpi.rank(), ranks: mpi.ranks(), stop: Stop::default() }
    }

    /// Returns the number of this rank.
    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the number of ranks.
    pub(crate) fn count(&self) -> usize {
        self.ranks
    }

    /// Returns the communicator of all ranks.
    pub(crate) fn world(&self) -> &SimpleCommunicator {
        &self.world
    }

    /// Whether this is rank 0, which prints.
    pub(crate) fn is_first(&self) -> bool {
        self.rank == 0
    }

    /// Returns the handle that removes an unfinished output when this process is interrupted.
    pub(crate) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Returns the command line of rank 0. All ranks make this call, as all later ones.
    pub(crate) fn line(&self) -> Vec<OsString> {
        let own: Vec<_> = std::env::args_os().collect();
        let own: Vec<_> = own.iter().map(|word| word.as_bytes()).collect();
        // No argument of a process contains a zero.
        let line = self.of_first(own.join(&0));
        line.split(|&byte| byte == 0).map(|word| OsString::from_vec(word.to_vec())).collect()
    }

    /// Returns the value of a step on this rank if all ranks have one.
    ///
    /// # Errors
    ///
    /// The failure of the lowest rank that failed, on all ranks. Its message tells the rank, unless it is
    /// rank 0.
    pub(crate) fn agree<V>(&self, own: Result<V, Failure>) -> Result<V, Refused> {
        let none = self.ranks as u64;
        let mut failed = none;
        let candidate = if own.is_err() { self.rank as u64 } else { none };
        self.world.all_reduce_into(&candidate, &mut failed, SystemOperation::min());
        let own = match own {
            Ok(value) if failed == none => return Ok(value),
            own => own.err().map(|failure| failure.outcome(&self.stop)),
        };
        let (code, message) = own.unwrap_or_default();
        let is_told = [code, u8::from(message.is_some())];
        let sent = [&is_told[..], message.unwrap_or_default().as_bytes()].concat();
        let received = self.of_rank(failed as usize, sent);
        let text = String::from_utf8_lossy(&received[2..]);
        let message = if failed == 0 { text.into_owned() } else { format!("rank {failed}: {text}") };
        Err(Refused { code: received[0], message: (received[1] == 1).then_some(message) })
    }

    /// Returns the bytes of rank 0.
    pub(crate) fn of_first(&self, own: Vec<u8>) -> Vec<u8> {
        self.of_rank(0, own)
    }

    /// Returns the bytes of a rank.
    fn of_rank(&self, rank: usize, mut bytes: Vec<u8>) -> Vec<u8> {
        let root = self.world.process_at_rank(rank as i32);
        let mut length = bytes.len() as u64;
        root.broadcast_into(&mut length);
        bytes.resize(length as usize, 0);
        // MPI refuses the address of no bytes.
        if length > 0 {
            root.broadcast_into(&mut bytes[..]);
        }
        bytes
    }

    /// Returns the greatest number of all ranks.
    pub(crate) fn greatest(&self, own: f64) -> f64 {
        let mut all = own;
        self.world.all_reduce_into(&own, &mut all, SystemOperation::max());
        all
    }

    /// Returns the sum over all ranks.
    pub(crate) fn sum(&self, own: u64) -> u64 {
        let mut all = own;
        self.world.all_reduce_into(&own, &mut all, SystemOperation::sum());
        all
    }

    /// Returns the sum over the ranks of this computer.
    pub(crate) fn sum_here(&self, own: u64) -> u64 {
        let here = self.world.split_shared(self.world.rank());
        let mut all = own;
        here.all_reduce_into(&own, &mut all, SystemOperation::sum());
        all
    }

    /// Waits for all ranks.
    pub(crate) fn wait(&self) {
        self.world.barrier();
    }

    /// Carries out a step on all ranks at the same time. Returns the time of the slowest rank in seconds.
    pub(crate) fn timed(&self, step: impl FnOnce() -> Result<(), Failure>) -> Result<f64, Refused> {
        self.wait();
        let begin = Instant::now();
        let done = step();
        self.wait();
        let time = begin.elapsed().as_secs_f64();
        self.agree(done)?;
        Ok(self.greatest(time))
    }

    /// Ends the job.
    pub(crate) fn abort(&self) -> ! {
        self.world.abort(101)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_contestant_has_each_place_of_a_round_and_the_first_round_does_not_count() {
        let mut order = Vec::new();
        let turn = |contestant| {
            order.push(contestant);
            Ok(order.len())
        };
        assert_eq!(in_turns(3, 2, turn), Ok(vec![vec![6, 8], vec![4, 9], vec![5, 7]]));
        assert_eq!(order, [0, 1, 2, 1, 2, 0, 2, 0, 1]);
    }
}
