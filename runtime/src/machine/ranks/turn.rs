//! Length of a rank's turn: the number of steps that its node takes before the rank looks at the link.
//!
//! A look at the link costs some hundred nanoseconds, as much as several small fibers. A message waits for
//! the end of a turn. So a turn should take some ten microseconds, whatever the fibers take. The rank
//! measures each turn in which its node worked. It halves the number of steps, or adds half of it if the turn
//! would not become too long. The single step after a message is not measured.
//!
//! *Cost.* Two readings of the clock a turn.
//!
//! *When it loses.* A fiber that takes longer than a turn delays the messages until its end, or until it
//! calls [`Eu::poll`](crate::Eu::poll).

use std::time::Duration;

/// Time that a turn should not exceed.
const LONGEST: Duration = Duration::from_micros(10);

/// Number of steps of the first turn, and the largest number.
const FIRST: u32 = 32;
const MOST: u32 = 1 << 10;

/// Length of the next turn.
#[derive(Debug)]
pub(super) struct Turn(u32);

impl Turn {
    pub(super) fn new() -> Self {
        Turn(FIRST)
    }

    /// Returns the number of steps of the next turn.
    pub(super) fn steps(&self) -> u32 {
        self.0
    }

    /// Whether a turn of `steps` steps is measured.
    pub(super) fn measures(&self, steps: u32) -> bool {
        steps > 1 || self.0 == 1
    }

    /// Sets the number of steps after a turn of `steps` steps that took this time, and in which the node
    /// worked. A turn shorter than intended counts only if it took too long.
    pub(super) fn took(&mut self, steps: u32, time: Duration) {
        let more = (steps + (steps / 2).max(1)).min(MOST);
        if time > LONGEST {
            self.0 = (self.0 / 2).max(1);
        } else if steps == self.0 && time * more <= LONGEST * steps {
            self.0 = more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the time of the longest of the turns after the hundredth, in steps that take this time each.
    fn longest(step: Duration) -> Duration {
        let mut turn = Turn::new();
        let times = (0..200).map(|_| {
            let time = step * turn.0;
            turn.took(turn.0, time);
            time
        });
        times.skip(100).max().expect("there are turns")
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
