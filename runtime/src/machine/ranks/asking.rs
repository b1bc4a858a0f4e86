//! Who gets tokens: an idle rank asks the others for one, and a question stands until it is answered by a token.
//!
//! A rank that has nothing to run asks one other rank. That one gives the oldest token that it shares, or says that
//! it has none and keeps the question; then the asker asks the next one. When all have its question it waits, without
//! any message: the first that shares a token later gives it one. So an idle machine is silent, and no rank that has
//! tokens is looked for in vain twice. (These are the lifelines of Saraswat and others, Lifeline-based Global Load
//! Balancing, 2011, with a lifeline to every rank.)
//!
//! *When it loses:* a rank that has been idle may be given as many tokens at once as there are others. Each is given by a
//! rank that had more than it ran, and the next one that asks gets it in turn.

use std::collections::VecDeque;

use crate::node::tokens::victims::Victims;
use crate::vocabulary::policy::StealOrder;

/// What a rank has asked for, and what it was asked for.
pub(super) struct Asking {
    rank: usize,
    /// Whether each rank has a question of this one.
    asked: Vec<bool>,
    /// Whether an answer to the last question is to come.
    awaits: bool,
    /// The ranks that wait for a token of this one, longest first.
    askers: VecDeque<usize>,
    victims: Victims,
}

impl Asking {
    pub(super) fn new(rank: usize, ranks: usize, steal: StealOrder) -> Self {
        let asked = vec![false; ranks];
        Asking { rank, asked, awaits: false, askers: VecDeque::new(), victims: Victims::new(steal) }
    }

    /// The rank to ask next, by one that has nothing to run: none while an answer is to come, or all have its question.
    pub(super) fn next(&mut self, draw: impl FnOnce() -> u64) -> Option<usize> {
        let ranks = self.asked.len();
        if self.awaits || ranks == 1 {
            return None;
        }
        let first = self.victims.first(ranks - 1, draw);
        let number = |step| (first + step) % (ranks - 1);
        let rank =
            (0..ranks - 1).map(|step| (self.rank + 1 + number(step)) % ranks).find(|&at| !self.asked[at])?;
        self.asked[rank] = true;
        self.awaits = true;
        Some(rank)
    }

    /// Rank `from` has no token now. Returns whether it had a question.
    pub(super) fn refused(&mut self, from: usize) -> bool {
        self.awaits = false;
        self.asked[from]
    }

    /// Rank `from` gave a token. Returns whether it had a question.
    pub(super) fn was_given(&mut self, from: usize) -> bool {
        self.awaits = false;
        self.victims.gave((from + self.asked.len() - self.rank - 1) % self.asked.len());
        std::mem::take(&mut self.asked[from])
    }

    /// Rank `from` asks. Returns whether it may: it has asked no other question.
    pub(super) fn asks(&mut self, from: usize) -> bool {
        if self.askers.contains(&from) {
            return false;
        }
        self.askers.push_back(from);
        true
    }

    pub(super) fn has_askers(&self) -> bool {
        !self.askers.is_empty()
    }

    /// The rank that has waited longest, of those that `may` run a token, which is given it.
    pub(super) fn longest_waiting(&mut self, may: impl Fn(usize) -> bool) -> Option<usize> {
        let at = self.askers.iter().position(|&rank| may(rank))?;
        self.askers.remove(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_rank_is_asked_once_and_again_only_when_it_gave_a_token() {
        let mut asking = Asking::new(1, 4, StealOrder::NextNode);
        assert_eq!(asking.next(|| 0), Some(2));
        assert_eq!(asking.next(|| 0), None, "an answer is to come");
        assert!(asking.refused(2));
        assert_eq!(asking.next(|| 0), Some(3));
        assert!(asking.refused(3));
        assert_eq!(asking.next(|| 0), Some(0));
        assert!(asking.refused(0));
        assert_eq!(asking.next(|| 0), None, "all have its question");
        assert!(asking.was_given(3));
        assert!(!asking.was_given(3), "it was asked once");
        assert_eq!(asking.next(|| 0), Some(3));
    }

    #[test]
    fn who_asks_first_is_given_a_token_first_and_asks_once() {
        let mut asking = Asking::new(0, 3, StealOrder::NextNode);
        assert!(asking.asks(2) && asking.asks(1));
        assert!(!asking.asks(2));
        assert_eq!(asking.longest_waiting(|rank| rank < 2), Some(1), "the other one may not");
        assert_eq!([(); 2].map(|()| asking.longest_waiting(|_| true)), [Some(2), None]);
        assert!(!asking.has_askers());
    }
}
