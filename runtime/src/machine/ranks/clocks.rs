//! Comparison of the ranks' clocks, on a machine that traces. Rank 0 asks each other rank for its time,
//! before the run and after it.
//!
//! *Cost.* Some tens of messages with each rank, before the run and after it.

use crate::probe::records::gathered::{ClockMap, Moment, RankClock};

/// Number of questions to a rank at each moment. The answer with the shortest trip counts.
const QUESTIONS: usize = 16;

/// The clocks of all ranks, as rank 0 compares them.
pub(super) struct Clocks {
    pub(super) clock: RankClock,
    /// Time at which the run began, after the first comparison.
    pub(super) began: u64,
    /// Moments of each rank: before the run and after it.
    maps: Vec<ClockMap>,
    /// Index of the moment that is compared now.
    moment: usize,
    /// The rank that is asked, the number of its answers, and the time of the open question.
    rank: usize,
    answers: usize,
    asked: Option<u64>,
}

impl Clocks {
    pub(super) fn new(clock: RankClock, ranks: usize) -> Self {
        let own = Moment::default();
        let unknown = Moment { error: u64::MAX, ..own };
        let maps = (0..ranks).map(|rank| ClockMap([if rank == 0 { own } else { unknown }; 2])).collect();
        Clocks { clock, began: 0, maps, moment: 0, rank: 1, answers: 0, asked: None }
    }

    /// Records that the run begins now.
    pub(super) fn begin(&mut self) {
        self.began = self.clock.now();
    }

    /// Begins the second comparison.
    pub(super) fn compare_again(&mut self) {
        (self.moment, self.rank, self.answers) = (1, 1, 0);
    }

    /// Returns whether all ranks have been compared at this moment.
    pub(super) fn are_compared(&self) -> bool {
        self.rank >= self.maps.len()
    }

    /// Returns the rank to ask now, if no question is open.
    pub(super) fn next(&mut self) -> Option<usize> {
        if self.are_compared() || self.asked.is_some() {
            return None;
        }
        self.asked = Some(self.clock.now());
        Some(self.rank)
    }

    /// Takes a rank's answer. Returns whether it was asked.
    pub(super) fn answer(&mut self, from: usize, its: u64) -> bool {
        let now = self.clock.now();
        let Some(asked) = self.asked.take().filter(|_| from == self.rank) else { return false };
        let moment = &mut self.maps[from].0[self.moment];
        let error = (now - asked).div_ceil(2);
        if error < moment.error {
            *moment = Moment { its, own: asked + (now - asked) / 2, error };
        }
        self.answers += 1;
        if self.answers == QUESTIONS {
            (self.rank, self.answers) = (self.rank + 1, 0);
        }
        true
    }

    /// Returns the map of each rank's clock.
    pub(super) fn maps(&self) -> impl Iterator<Item = ClockMap> {
        self.maps.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_is_asked_in_turn_and_answers_once() {
        let mut clocks = Clocks::new(RankClock::start(), 3);
        for _ in 0..2 {
            for rank in 1..3 {
                for _ in 0..QUESTIONS {
                    assert_eq!(clocks.next(), Some(rank));
                    assert_eq!(clocks.next(), None, "a question is open");
                    assert!(clocks.answer(rank, 1_000));
                    assert!(!clocks.answer(rank, 1_000), "it was not asked");
                }
            }
            assert!(clocks.are_compared() && clocks.next().is_none());
            clocks.compare_again();
        }
    }
}
