//! The costs of messages between ranks of this computer.
//!
//! 1. Measure messages between two ranks as [`calibrate`](crate::calibrate) does between two nodes of
//!    threads.
//! 2. Run chains that exchange large blocks, and chains that exchange words, on two ranks and on two threads.
//!    A block travels between ranks as bytes, and between threads as a handle. The difference is the time of
//!    its bytes.
//!
//! *Limit.* Copying the bytes is time of the network, although a processor does it.

use earth::simulated::{NetworkProfile, Profile};
use earth::{CancelToken, Config, Machine};
use earth_programs::chains::Chains;
use earth_programs::work::nanoseconds_per_round;
use earth_report::spread::median;

use crate::calibrate::{Effort, with_messages};
use crate::map::Bench;
use crate::ranks::on_ranks;
use crate::run_cache::SimulateError;

/// Bytes of a large block.
const BYTES: u32 = 1 << 16;

/// Rounds of runs.
const ROUNDS: usize = 5;

/// Effort for messages. An idle rank polls, so a run takes long while other programs need its core.
const EFFORT: Effort = Effort { operations: 2_000, runs: ROUNDS };

/// Returns the profile of ranks, from the profile of threads.
pub(super) fn profile(threads: &Profile, cancel: &CancelToken) -> Result<Profile, SimulateError> {
    let set = |machine: Machine| machine.cancel_token(cancel.clone());
    let with = |machine| with_messages(threads.clone(), &mut set(machine), EFFORT);
    let profile = on_ranks(2, |machine| machine, with)?;
    let bench = Bench { round: nanoseconds_per_round(), run: 0.0, pairs: 1, cancel };
    let more_on_ranks = |bytes| {
        let of =
            Chains { groups: 2, chains: 1, messages: 2, remote: 1, bytes, steps: 100, rounds: 1, cycles: 1 };
        let expected = of.expected();
        let ranks = bench.timed_on_ranks(of, expected, 2, Config::Spn)?;
        Ok::<_, SimulateError>(ranks - bench.timed(of, expected, Machine::threads(2))?)
    };
    let of_block = || Ok::<_, SimulateError>(more_on_ranks(BYTES)? - more_on_ranks(0)?);
    let blocks = (0..ROUNDS).map(|_| of_block()).collect::<Result<Vec<_>, _>>()?;
    let nanoseconds = median(blocks).unwrap_or(0.0).max(0.0) / f64::from(BYTES);
    let network = NetworkProfile { byte: nanoseconds * profile.clock_mhz / 1e3, ..profile.network };
    Ok(Profile { network, ..profile })
}
