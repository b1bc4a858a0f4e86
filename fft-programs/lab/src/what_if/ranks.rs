//! The costs of messages between ranks of this computer.
//!
//! 1. Measure signals between two ranks as [`calibrate`](crate::calibrate) does between two nodes of threads.
//! 2. Add the time to encode and decode a message, which each program has of its own. Half of it is the
//!    sender's.
//!
//! *Limit.* All messages of a program take the same time, whatever their length.

use earth::CancelToken;
use earth::simulated::{Operations, Profile};

use crate::calibrate::{Effort, with_messages};
use crate::ranks::on_ranks;
use crate::run_cache::SimulateError;

/// Effort for messages. An idle rank polls, so a run takes long while other programs need its core.
const EFFORT: Effort = Effort { operations: 2_000, runs: 5 };

/// Returns the profile of ranks, from the profile of threads.
pub(super) fn profile(threads: &Profile, cancel: &CancelToken) -> Result<Profile, SimulateError> {
    Ok(on_ranks(
        2,
        |machine| machine,
        |machine| with_messages(threads.clone(), &mut machine.cancel_token(cancel.clone()), EFFORT),
    )?)
}

/// Returns the profile with this time to encode and decode a message, in nanoseconds.
pub(super) fn with_encoding(profile: &Profile, nanoseconds: f64) -> Profile {
    let half = (nanoseconds * profile.clock_mhz / 2e3).round() as u64;
    let mut profile = profile.clone();
    for Operations { send_word, send_block, receive_word, receive_block, .. } in
        [&mut profile.spn, &mut profile.dual]
    {
        for cost in [send_word, send_block, receive_word, receive_block] {
            *cost += half;
        }
    }
    profile
}
