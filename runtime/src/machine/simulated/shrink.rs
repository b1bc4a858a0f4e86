//! From a schedule that makes a program fail to a simpler one.
//!
//! 1. A recording falls into turns: steps of one unit in a row.
//! 2. With a part of the turns left out, the others are replayed: choices that cannot be taken are passed over,
//!    and what is left over is done at the end, in a plain order. Parts are halves, then quarters, down to
//!    single turns (Zeller, Hildebrandt: Simplifying and Isolating Failure-Inducing Input, 2002).
//! 3. A preemption may also go by letting the unit do its next turn at once.
//! 4. What still fails, with fewer preemptions, or as many and fewer switches, replaces the recording.
//!
//! Cost: a run for each try, at most [`TRIES`] in all.

use super::recording::{Choice, Recording};

/// How many runs a recording may take to become simpler.
const TRIES: usize = 2_000;

/// Looks for a simpler schedule under which a program still fails. `replay` runs the program by the schedule
/// it is given and says what was [recorded](crate::Machine::recording) if that failed, none if all went well.
///
/// The result is one that `replay` gave, or `failing` itself: it has no more preemptions, and as a
/// rule far fewer. The same recording and program give the same result.
pub fn shrink(failing: &Recording, replay: impl FnMut(&Recording) -> Option<Recording>) -> Recording {
    let mut search = Search { best: failing.clone(), tries: 0, replay };
    // The plain order may be enough.
    search.attempt(Vec::new());
    while search.pass() {}
    search.best
}

struct Search<R> {
    best: Recording,
    tries: usize,
    replay: R,
}

impl<R: FnMut(&Recording) -> Option<Recording>> Search<R> {
    /// Tries the choices. Whether that is the best so far.
    fn attempt(&mut self, choices: Vec<Choice>) -> bool {
        if self.tries == TRIES {
            return false;
        }
        self.tries += 1;
        let measure = |recording: &Recording| (recording.preemptions(), recording.switches());
        let found = (self.replay)(&Recording::new(self.best.is_timed(), choices));
        let simpler = found.filter(|found| measure(found) < measure(&self.best));
        simpler.map(|found| self.best = found).is_some()
    }

    /// Tries parts until one makes the recording simpler. Whether one did.
    fn pass(&mut self) -> bool {
        let all = self.best.choices().to_vec();
        let turns: Vec<&[Choice]> = all.chunk_by(|a, b| a.lane == b.lane).collect();
        let mut part = turns.len();
        while part > 1 {
            part = part.div_ceil(2);
            for from in (0..turns.len()).step_by(part) {
                let to = turns.len().min(from + part);
                if self.attempt([&turns[..from], &turns[to..]].concat().concat()) {
                    return true;
                }
            }
        }
        for turn in (1..turns.len()).filter(|&turn| turns[turn][0].preempts) {
            let lane = turns[turn - 1][0].lane;
            let Some(next) = (turn..turns.len()).find(|&next| turns[next][0].lane == lane) else { continue };
            let moved = [&turns[..turn], &turns[next..=next], &turns[turn..next], &turns[next + 1..]];
            if self.attempt(moved.concat().concat()) {
                return true;
            }
        }
        false
    }
}
