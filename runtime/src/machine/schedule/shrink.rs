//! From a schedule that makes a program fail to a simpler one.
//!
//! A recording falls into turns: steps of one unit in a row. What is replayed in part ends in a plain order, in
//! which a unit goes on as long as it can, and passes over choices that cannot be taken.
//!
//! 1. The first few turns may be enough: as few as make the program fail.
//! 2. Parts are left out of what there is: halves, then quarters, down to single turns (Zeller, Hildebrandt:
//!    Simplifying and Isolating Failure-Inducing Input, 2002).
//! 3. A unit that is preempted does its next turn at once instead.
//! 4. What still fails, with fewer preemptions, or as many and fewer switches, replaces the recording. From
//!    there on, until nothing makes it simpler.
//!
//! Cost: a run for each try, at most [`TRIES`] in all. The result is no minimum: a unit that does less in one
//! place changes what all others do later.

use super::{Choice, Recording};

/// How many runs a recording may take to become simpler.
const TRIES: usize = 4_000;

/// Looks for a simpler schedule under which a program still fails. `replay` runs the program by the schedule
/// it is given and says what was [recorded](crate::Machine::record) if that failed, none if all went well.
///
/// The result is one that `replay` gave, or `failing` itself: it has no more preemptions, and as a
/// rule far fewer. The same recording and program give the same result.
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

/// Steps of one unit in a row.
type Turn = Vec<Choice>;

impl<R: FnMut(&Recording) -> Option<Recording>> Search<R> {
    fn turns(&self) -> Vec<Turn> {
        self.best.choices().chunk_by(|a, b| a.lane == b.lane).map(<[Choice]>::to_vec).collect()
    }

    /// Replays these turns alone. Returns whether the result is the best so far.
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

    /// Tries how few of the first turns are enough.
    fn begin(&mut self) {
        let turns = self.turns();
        let _ = (0..turns.len()).any(|end| self.attempt(&turns[..end]));
    }

    /// Leaves out parts, ever smaller ones. Returns whether that made the recording simpler.
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

    /// Lets units go on that were preempted. Returns whether that made the recording simpler.
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
