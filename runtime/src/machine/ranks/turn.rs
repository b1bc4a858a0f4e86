//! Length of a rank's turn: the number of steps that its node takes before the rank looks at the link.
//!
//! A look at the link costs some hundred nanoseconds, as much as several small fibers. A message waits for
//! the end of a turn. So a turn should take some ten microseconds, whatever the fibers take. The rank
//! measures each turn in which its node worked. It halves the number of steps, or adds half of it if the turn
//! would not become too long. The single step after a message is not measured.
//!
//! The first turns of a run are single steps. At its beginning a program often calls functions on other ranks
//! and then works for long on its own. These calls must not wait for the work.
//!
//! *Cost.* Two readings of the clock a turn, and a look at the link for each of the first fibers of a run.
//!
//! *When it loses.* A fiber that takes longer than a turn delays the messages until its end, or until it
//! calls [`Eu::poll`](crate::Eu::poll).

use std::time::Duration;

/// Time that a turn should not exceed.
const LONGEST: Duration = Duration::from_micros(10);

/// Number of turns of a single step at the beginning of a run.
const SINGLE: u32 = 32;

/// Largest number of steps.
const MOST: u32 = 1 << 10;

/// Length of the next turn.
#[derive(Debug)]
pub(super) struct Turn {
    steps: u32,
    /// Number of turns before a turn may have more steps.
    until_longer: u32,
}

impl Turn {
    /// Makes the length of the first turn of a run.
    pub(super) fn new() -> Self {
        Turn { steps: 1, until_longer: SINGLE }
    }

    /// Returns the number of steps of the next turn.
    pub(super) fn steps(&self) -> u32 {
        self.steps
    }

    /// Whether a turn of `steps` steps is measured.
    pub(super) fn measures(&self, steps: u32) -> bool {
        steps > 1 || self.steps == 1
    }

    /// Sets the number of steps after a turn of `steps` steps that took this time, and in which the node
    /// worked. A turn shorter than intended counts only if it took too long.
    pub(super) fn took(&mut self, steps: u32, time: Duration) {
        if self.until_longer > 0 {
            self.until_longer -= 1;
            return;
        }
        let more = (steps + (steps / 2).max(1)).min(MOST);
        if time > LONGEST {
            self.steps = (self.steps / 2).max(1);
        } else if steps == self.steps && time * more <= LONGEST * steps {
            self.steps = more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Yields the numbers of steps of turns in steps that take this time each.
    fn turns(step: Duration) -> impl Iterator<Item = u32> {
        let mut turn = Turn::new();
        std::iter::repeat_with(move || {
            let steps = turn.steps();
            turn.took(steps, step * steps);
            steps
        })
    }

    /// Returns the time of the longest of the turns after the hundredth.
    fn longest(step: Duration) -> Duration {
        let times = turns(step).take(200).map(|steps| step * steps);
        times.skip(100).max().expect("there are turns")
    }

    #[test]
    fn a_run_begins_with_single_steps() {
        let steps: Vec<_> = turns(Duration::from_nanos(10)).take(SINGLE as usize + 3).collect();
        assert_eq!(steps[..=SINGLE as usize], [1; SINGLE as usize + 1]);
        assert_eq!(steps[SINGLE as usize + 1..], [2, 3]);
    }

    #[test]
    fn a_turn_takes_some_microseconds_whatever_a_step_takes() {
        for nanoseconds in [10, 50, 200, 1_000, 4_000, 9_000] {
            let longest = longest(Duration::from_nanos(nanoseconds));
            assert!(longest <= LONGEST, "{nanoseconds} ns a step: {longest:?}");
            assert!(longest > LONGEST / 2, "{nanoseconds} ns a step: {longest:?}");
        }
    }

    #[test]
    fn a_turn_of_long_fibers_is_one_step() {
        let step = Duration::from_millis(1);
        assert_eq!(longest(step), step);
    }
}
