//! Distribution of tokens: an idle rank requests a token from the others, and a request stands until a token
//! answers it.
//!
//! A rank without work requests a token from one other rank. That rank gives the oldest token that it shares.
//! If it shares none, it refuses and keeps the request, and the idle rank asks the next rank. When all ranks
//! have its request, it waits without sending further messages. The first rank that later shares a token
//! gives it one. So an idle machine sends no messages, and no rank is asked twice in vain. (These are the
//! lifelines of Saraswat and others, Lifeline-based Global Load Balancing, 2011, with a lifeline to every
//! rank.)
//!
//! *Disadvantage:* a rank that has been idle may get a token from every other rank at once. Each giver had
//! more tokens than it ran, and the next rank that asks gets the surplus.

use std::collections::VecDeque;

use crate::node::tokens::victims::{LookAt, Victims};

/// Token requests of a rank, sent and received.
pub(super) struct TokenRequests {
    rank: usize,
    /// Whether each rank has a request of this rank.
    requested: Vec<bool>,
    /// Whether the answer to the last request is outstanding.
    awaits: bool,
    /// Ranks that wait for a token of this rank, longest waiting first.
    askers: VecDeque<usize>,
    victims: Victims,
}

impl TokenRequests {
    pub(super) fn new(rank: usize, ranks: usize, victims: Victims) -> Self {
        let requested = vec![false; ranks];
        TokenRequests { rank, requested, awaits: false, askers: VecDeque::new(), victims }
    }

    /// Returns the rank that this idle rank asks next. Returns `None` if an answer is outstanding or all
    /// ranks have its request.
    pub(super) fn next(&mut self, draw: impl FnMut() -> u64) -> Option<usize> {
        let TokenRequests { rank: thief, requested, victims, .. } = self;
        let (thief, ranks) = (*thief, requested.len());
        if self.awaits || ranks == 1 || (0..ranks).all(|rank| rank == thief || requested[rank]) {
            return None;
        }
        let may_ask = |rank: usize| (rank != thief && !requested[rank]).then_some((rank, ()));
        let (rank, ()) = victims.choose(thief, ranks, draw, |at| match at {
            LookAt::Node(rank) => may_ask(rank),
            LookAt::Ring(from) => (from..ranks).chain(0..from).find_map(may_ask),
        })?;
        requested[rank] = true;
        self.awaits = true;
        Some(rank)
    }

    /// Notes that rank `from` refused. Returns whether it had a request.
    pub(super) fn refused(&mut self, from: usize) -> bool {
        self.awaits = false;
        self.victims.gave(from, 0);
        self.requested[from]
    }

    /// Notes that rank `from` gave a token. Returns whether it had a request.
    pub(super) fn was_given(&mut self, from: usize) -> bool {
        self.awaits = false;
        self.victims.found(from);
        self.victims.gave(from, 1);
        std::mem::take(&mut self.requested[from])
    }

    /// Notes a request of rank `from`. Returns false if that rank already has a request here.
    pub(super) fn add_request(&mut self, from: usize) -> bool {
        if self.askers.contains(&from) {
            return false;
        }
        self.askers.push_back(from);
        true
    }

    pub(super) fn has_askers(&self) -> bool {
        !self.askers.is_empty()
    }

    /// Removes and returns the longest-waiting rank that `may` run a token.
    pub(super) fn longest_waiting(&mut self, may: impl Fn(usize) -> bool) -> Option<usize> {
        let at = self.askers.iter().position(|&rank| may(rank))?;
        self.askers.remove(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::policy::StealOrder;

    #[test]
    fn each_rank_is_asked_again_only_after_it_gave_a_token() {
        let mut asking = TokenRequests::new(1, 4, Victims::new(StealOrder::NextNode, None));
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
    fn the_first_requester_gets_the_first_token_and_asks_once() {
        let mut asking = TokenRequests::new(0, 3, Victims::new(StealOrder::NextNode, None));
        assert!(asking.add_request(2) && asking.add_request(1));
        assert!(!asking.add_request(2));
        assert_eq!(asking.longest_waiting(|rank| rank < 2), Some(1), "the other one may not");
        assert_eq!([(); 2].map(|()| asking.longest_waiting(|_| true)), [Some(2), None]);
        assert!(!asking.has_askers());
    }
}
