//! Reduction of a schedule that makes a program fail to a simpler one.
//!
//! A recording consists of turns: consecutive steps of one unit. A partial recording is replayed as far as it
//! goes. Then each unit continues as long as it can. The replay skips impossible choices. The search has four
//! rules:
//!
//! 1. Keep only the first turns, as few as still make the program fail.
//! 2. Leave parts out: halves, then quarters, down to single turns (Zeller, Hildebrandt: Simplifying and
//!    Isolating Failure-Inducing Input, 2002).
//! 3. Let a preempted unit do its next turn at once.
//! 4. A recording that still fails replaces the best one if it has fewer preemptions, or equally many and
//!    fewer switches. The search continues from there until no change makes the recording simpler.
//!
//! Cost: one run for each try, at most [`TRIES`] in all. The result is not a minimum, because a change in one
//! place affects all later steps.

use super::{Choice, Recording};

/// Maximum number of runs to simplify a recording.
const TRIES: usize = 4_000;

/// Searches for a simpler schedule under which a program still fails. `replay` runs the program by the given
/// schedule. It returns what was [recorded](crate::Machine::record) if the run failed, and `None` if it
/// succeeded.
///
/// Returns a recording that `replay` returned, or `failing` itself. The result never has more preemptions
/// than `failing`, and usually far fewer. Equal recordings and programs give equal results.
pub fn shrink(failing: &Recording, replay: impl FnMut(&Recording) -> Option<Recording>) -> Recording {
    let mut search = Search { best: failing.clone(), tries: 0, replay };
    search.begin();
    while search.leave_out() | search.go_on() {}
    search.best
}

struct Search<R> {
    best: Recording,
    tries: usize,
    replay: R,
}

/// Consecutive steps of one unit.
type Turn = Vec<Choice>;

impl<R: FnMut(&Recording) -> Option<Recording>> Search<R> {
    fn turns(&self) -> Vec<Turn> {
        self.best.choices().chunk_by(|a, b| a.lane == b.lane).map(<[Choice]>::to_vec).collect()
    }

    /// Replays only these turns. Returns whether the result is the best so far.
    fn attempt<'a>(&mut self, turns: impl IntoIterator<Item = &'a Turn>) -> bool {
        if self.tries == TRIES {
            return false;
        }
        self.tries += 1;
        let measure = |recording: &Recording| (recording.preemptions(), recording.switches());
        let choices = turns.into_iter().flatten().copied().collect();
        let found = (self.replay)(&Recording::new(self.best.is_timed(), choices));
        let simpler = found.filter(|found| measure(found) < measure(&self.best));
        simpler.map(|found| self.best = found).is_some()
    }

    /// Tries how few of the first turns suffice.
    fn begin(&mut self) {
        let turns = self.turns();
        let _ = (0..turns.len()).any(|end| self.attempt(&turns[..end]));
    }

    /// Leaves out smaller and smaller parts. Returns whether that made the recording simpler.
    fn leave_out(&mut self) -> bool {
        let mut any = false;
        let mut turns = self.turns();
        let mut part = turns.len();
        while part > 1 {
            part = part.div_ceil(2);
            let mut from = 0;
            while from < turns.len() {
                let to = turns.len().min(from + part);
                if self.attempt(turns[..from].iter().chain(&turns[to..])) {
                    any = true;
                    turns = self.turns();
                } else {
                    from = to;
                }
            }
        }
        any
    }

    /// Lets preempted units continue. Returns whether that made the recording simpler.
    fn go_on(&mut self) -> bool {
        let mut any = false;
        let mut turns = self.turns();
        let mut at = 1;
        while at < turns.len() {
            let lane = turns[at - 1][0].lane;
            let next = (at..turns.len()).find(|&next| turns[next][0].lane == lane);
            let moved = next.filter(|_| turns[at][0].preempts).is_some_and(|next| {
                let (before, between, after) = (&turns[..at], &turns[at..next], &turns[next + 1..]);
                self.attempt(before.iter().chain([&turns[next]]).chain(between).chain(after))
            });
            if moved {
                any = true;
                turns = self.turns();
            } else {
                at += 1;
            }
        }
        any
    }
}
