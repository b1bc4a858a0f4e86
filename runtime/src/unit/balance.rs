//! Tokens and where they wait: the token queue of EARTH, with a private and a shared end.
//!
//! A node's newest token is the next it runs itself (last in, first out: depth first, so memory stays small). Its oldest tokens, which
//! stand for the largest pieces of work, go to the shared end as long as that has room, before each fiber starts; idle
//! nodes steal there. A token taken from the shared end, by whomever, is taken once.
//!
//! Cost: a push and a pop of 64 bytes; one relaxed load a fiber to see whether thieves made room.

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
    /// Oldest first. Those before `shared_to` have gone to the shared end, and left empty places.
    private: Vec<Token>,
    shared_to: usize,
    shared: Option<Publisher<Token>>,
    pub(crate) high: usize,
}

impl TokenQueue {
    /// `shared` is the node's shared end, if there is any other node to steal from it.
    pub(crate) fn new(shared: Option<Publisher<Token>>) -> Self {
        TokenQueue { private: Vec::new(), shared_to: 0, shared, high: 0 }
    }

    /// How many private tokens wait.
    #[inline(always)]
    fn private_len(&self) -> usize {
        self.private.len() - self.shared_to
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, token: Token) {
        self.private.push(token);
    }

    #[inline(always)]
    fn has_private(&self) -> bool {
        self.private_len() > 0
    }

    /// The call of the newest private token, where it lies: its arguments are read once, without moving the token first.
    #[inline(always)]
    pub(crate) fn newest(&mut self) -> Option<&mut Call> {
        if self.has_private() { self.private.last_mut().map(|token| &mut token.call) } else { None }
    }

    /// Drops the newest private token, whose call has been taken.
    #[inline(always)]
    pub(crate) fn forget_newest(&mut self) {
        // Tokens are made many at a time and taken one at a time, so the most are there just before one is taken.
        self.high = self.high.max(self.private.len());
        self.private.truncate(self.private.len().saturating_sub(1));
    }

    /// Takes the newest private token.
    pub(crate) fn pop(&mut self) -> Option<Token> {
        self.high = self.high.max(self.private.len());
        if self.has_private() { self.private.pop() } else { None }
    }

    /// The oldest token still at the shared end.
    pub(crate) fn take_back(&mut self) -> Option<Token> {
        self.shared.as_mut()?.take_back()
    }

    /// Whether any token waits here.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_private() && self.shared.as_ref().is_none_or(Publisher::is_empty)
    }

    /// Moves the oldest private tokens but `keep` to the shared end as far as there is room, and says how many.
    #[inline(always)]
    pub(crate) fn refill(&mut self, keep: usize) -> u64 {
        match &self.shared {
            Some(shared) if self.private_len() > keep && shared.has_room() => self.share(keep),
            _ => 0,
        }
    }

    #[cold]
    fn share(&mut self, keep: usize) -> u64 {
        let Some(shared) = &mut self.shared else { return 0 };
        let before = self.shared_to;
        let end = self.private.len() - keep;
        for place in &mut self.private[before..end] {
            let empty = Token { call: Call::empty(), within: place.within };
            if let Err(full) = shared.publish(std::mem::replace(place, empty)) {
                *place = full.0;
                break;
            }
            self.shared_to += 1;
        }
        let moved = (self.shared_to - before) as u64;
        // Empty places go when they are the half: each token is moved once more at the most.
        if 2 * self.shared_to >= self.private.len() {
            self.private.drain(..self.shared_to);
            self.shared_to = 0;
        }
        moved
    }
}
