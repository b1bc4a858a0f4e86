//! Tokens and where they wait: the token queue of EARTH, with a private and a shared end.
//!
//! A node's newest token is the next it runs itself (last in, first out: depth first, so memory stays small). Its oldest tokens, which
//! stand for the largest pieces of work, go to the shared end as long as that has room, before each fiber starts; idle
//! nodes steal there. A token taken from the shared end, by whomever, is taken once.
//!
//! Cost: a push and a pop of 64 bytes; one relaxed load a fiber to see whether thieves made room.

use std::collections::VecDeque;
use std::num::NonZero;

use earth_signal::Publisher;

use super::function::Call;

/// A function to start on whichever node takes it first, among those of a range.
#[derive(Debug)]
pub(crate) struct Token {
    pub(crate) call: Call,
    /// The nodes that may run it.
    pub(crate) within: Within,
}

const _: () = assert!(size_of::<Option<Token>>() == 64, "an outstanding token is one cache line");

/// A range of nodes, not empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Within {
    pub(crate) first: u32,
    /// The one after the last.
    pub(crate) end: NonZero<u32>,
}

impl Within {
    #[inline(always)]
    pub(crate) fn has(self, node: u32) -> bool {
        self.first <= node && node < self.end.get()
    }
}

/// The token queue of one node.
pub(crate) struct TokenQueue {
    private: VecDeque<Token>,
    shared: Option<Publisher<Token>>,
    pub(crate) high: usize,
}

impl TokenQueue {
    /// `shared` is the node's shared end, if there is any other node to steal from it.
    pub(crate) fn new(shared: Option<Publisher<Token>>) -> Self {
        TokenQueue { private: VecDeque::new(), shared, high: 0 }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, token: Token) {
        self.private.push_back(token);
    }

    /// The newest private token.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<Token> {
        // Tokens are made many at a time and taken one at a time, so the most are there just before one is taken.
        self.high = self.high.max(self.private.len());
        self.private.pop_back()
    }

    /// The oldest token still at the shared end.
    pub(crate) fn take_back(&mut self) -> Option<Token> {
        self.shared.as_mut()?.take_back()
    }

    /// Whether any token waits here.
    pub(crate) fn is_empty(&self) -> bool {
        self.private.is_empty() && self.shared.as_ref().is_none_or(Publisher::is_empty)
    }

    /// Moves the oldest private tokens to the shared end as far as there is room, and says how many.
    #[inline(always)]
    pub(crate) fn refill(&mut self) -> u64 {
        match &self.shared {
            Some(shared) if !self.private.is_empty() && shared.has_room() => self.share(),
            _ => 0,
        }
    }

    #[cold]
    fn share(&mut self) -> u64 {
        let Some(shared) = &mut self.shared else { return 0 };
        let mut moved = 0;
        while let Some(token) = self.private.pop_front() {
            if let Err(full) = shared.publish(token) {
                self.private.push_front(full.0);
                break;
            }
            moved += 1;
        }
        moved
    }
}
