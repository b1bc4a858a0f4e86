//! Detection of ranks that are silent: stopped, hung in a fiber, or cut off without an error of the link.
//!
//! During a run each rank sends all others a message at least four times in the limit, even while it has no
//! work. A rank takes in all messages. If no message of another rank came for the limit, it ends the run with
//! an error that names that rank.
//!
//! *Cost.* A reading of the clock a turn, and four small messages to each rank in the limit.
//!
//! *When it is wrong.* A rank does not send inside a fiber. So the limit must exceed the longest fiber, and
//! the longest time during which the system does not run a rank.

use std::time::{Duration, Instant};

/// Number of messages in the time limit.
const BEATS: u32 = 4;

/// State of a rank's heartbeat in a run.
#[derive(Debug)]
pub(super) struct Heartbeat {
    limit: Duration,
    sent: Instant,
    /// Time of the last message of each rank.
    heard: Vec<Instant>,
}

impl Heartbeat {
    /// Starts the heartbeat of a run of `ranks` ranks. The first message is due a quarter of the limit later.
    pub(super) fn new(limit: Duration, ranks: usize, now: Instant) -> Self {
        Heartbeat { limit, sent: now, heard: vec![now; ranks] }
    }

    /// Returns the longest time between two messages.
    pub(super) fn every(limit: Duration) -> Duration {
        limit / BEATS
    }

    /// Records a message of a rank.
    pub(super) fn hear(&mut self, rank: usize, now: Instant) {
        self.heard[rank] = now;
    }

    /// Returns whether a message to all ranks is due, and counts it as sent.
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        let is_due = now.saturating_duration_since(self.sent) >= Self::every(self.limit);
        if is_due {
            self.sent = now;
        }
        is_due
    }

    /// Returns the first of these ranks that has been silent for the limit, and for how long.
    pub(super) fn silent(
        &self,
        mut ranks: impl Iterator<Item = usize>,
        now: Instant,
    ) -> Option<(usize, Duration)> {
        let silence = |rank: usize| now.saturating_duration_since(self.heard[rank]);
        ranks.find(|&rank| silence(rank) >= self.limit).map(|rank| (rank, silence(rank)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(1);

    #[test]
    fn a_rank_is_silent_after_the_limit_since_its_last_message() {
        let begun = Instant::now();
        let at = |milliseconds| begun + Duration::from_millis(milliseconds);
        let mut heartbeat = Heartbeat::new(LIMIT, 3, begun);
        assert_eq!(heartbeat.silent(1..3, at(999)), None);
        heartbeat.hear(1, at(500));
        assert_eq!(heartbeat.silent(1..3, at(1_200)), Some((2, Duration::from_millis(1_200))));
        assert_eq!(heartbeat.silent(1..2, at(1_499)), None);
        assert_eq!(heartbeat.silent(1..2, at(1_500)), Some((1, LIMIT)));
    }

    #[test]
    fn a_rank_that_beats_in_time_is_never_silent() {
        let begun = Instant::now();
        let [mut sender, mut receiver] = [(); 2].map(|()| Heartbeat::new(LIMIT, 2, begun));
        // Turns of 200 ms, and a message that takes as long.
        let mut under_way = false;
        for turn in 1..100 {
            let now = begun + Duration::from_millis(200) * turn;
            if std::mem::replace(&mut under_way, sender.is_due(now)) {
                receiver.hear(1, now);
            }
            assert_eq!(receiver.silent(1..2, now), None, "turn {turn}");
        }
    }
}
