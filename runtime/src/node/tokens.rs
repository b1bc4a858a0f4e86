//! Tokens, and the token queue of EARTH, with a private and a shared end.
//!
//! A node runs its newest token next (LIFO: depth first, so memory stays small). Its oldest tokens stand for
//! the largest pieces of work. The node moves them to the shared end while that has room: when tokens are
//! made, or before another fiber starts. Idle nodes steal there, and then ask the node to refill the room
//! that they made. A token at the shared end is taken exactly once, by its node or by a thief.
//!
//! Cost: a push and a pop of 64 bytes. A full shared end adds no cost.

mod token_stack;
pub(crate) mod victims;

use std::collections::VecDeque;
use std::num::NonZero;

use earth_memory::push_back;
use earth_signal::Publisher;

use crate::node::tokens::token_stack::TokenStack;
use crate::probe::recorder::FiberRef;
use crate::vocabulary::choice::OwnTokens;
use crate::vocabulary::steal::MOST_SHARED;

/// A function to start, by its call, on whichever node of a range takes it first.
#[derive(Debug)]
pub(crate) struct Token<C> {
    pub(crate) call: C,
    /// The nodes that may run it.
    pub(crate) within: Within,
}

/// Placeholder for an empty entry.
impl<C: Default> Default for Token<C> {
    fn default() -> Self {
        Token { call: C::default(), within: Within::ONE }
    }
}

/// A non-empty range of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(8))]
pub(crate) struct Within {
    pub(crate) first: u32,
    /// The node after the last one.
    pub(crate) end: NonZero<u32>,
}

impl Within {
    /// The range of a token whose range is not used any more.
    pub(crate) const ONE: Within = Within { first: 0, end: NonZero::<u32>::MIN };

    #[inline(always)]
    pub(crate) fn has(self, node: u32) -> bool {
        self.first <= node && node < self.end.get()
    }
}

pub(crate) struct TokenQueue<C> {
    pub(crate) private: TokenStack<Token<C>>,
    shared: Option<Publisher<Token<C>>>,
    /// Whether tokens may be left at the shared end.
    published: bool,
    /// Kept on an SPN node that traces.
    makers: Option<Makers<C>>,
}

/// The makers of the private tokens.
struct Makers<C> {
    /// The maker of each token, oldest first. It is `NONE` if the call is signed.
    list: VecDeque<FiberRef>,
    /// Signs a call with its maker.
    sign: fn(C, FiberRef) -> C,
}

impl<C: Default + Send> TokenQueue<C> {
    /// Makes a queue. `shared` is the node's shared end, if another node can steal from it.
    pub(crate) fn new(shared: Option<Publisher<Token<C>>>) -> Self {
        TokenQueue { private: TokenStack::new(), shared, published: false, makers: None }
    }

    /// Records the maker of each token from now on, and signs tokens that leave the private end.
    pub(crate) fn traced(&mut self, sign: fn(C, FiberRef) -> C) {
        self.makers = Some(Makers { list: VecDeque::new(), sign });
    }

    /// Adds a token with an empty call, which the caller fills.
    #[inline(always)]
    pub(crate) fn push_empty(&mut self, within: Within) -> &mut C {
        let entry = self.private.push();
        entry.within = within;
        &mut entry.call
    }

    /// Records the maker of the newest token.
    pub(crate) fn note_maker(&mut self, maker: FiberRef) {
        if let Some(makers) = &mut self.makers {
            push_back(&mut makers.list, maker);
        }
    }

    /// Takes the newest token back. Its maker must not be recorded yet.
    pub(crate) fn take_made(&mut self) -> Token<C> {
        let token = std::mem::take(self.private.top());
        self.private.forget_newest();
        token
    }

    pub(crate) fn push(&mut self, token: Token<C>) {
        *self.private.push() = token;
        self.note_maker(FiberRef::NONE);
    }

    /// Puts on the [`top`](Self::top) the call of a function that starts at once. The entry has no maker and
    /// no valid range.
    #[inline(always)]
    pub(crate) fn put_on_top(&mut self, call: C) {
        self.private.push().call = call;
    }

    /// Takes the maker of the newest token, which starts next.
    #[inline(always)]
    pub(crate) fn newest_maker(&mut self) -> FiberRef {
        self.makers.as_mut().and_then(|makers| makers.list.pop_back()).unwrap_or(FiberRef::NONE)
    }

    /// Returns the call of the newest private token, if there is one and the stack is not barred. The caller
    /// then takes it.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<&mut C> {
        self.private.newest().map(|token| &mut token.call)
    }

    /// Returns the entry of the newest private token or of a call that was put on top, even if the stack is
    /// barred. Its arguments are read in place, without moving the token first. The call is empty if there is
    /// none.
    #[inline(always)]
    pub(crate) fn top(&mut self) -> &mut C {
        &mut self.private.top().call
    }

    /// Removes the token on top; `take` takes its call out.
    #[inline(always)]
    pub(crate) fn take_top<T>(&mut self, take: impl FnOnce(&mut C) -> T) -> T {
        let taken = take(&mut self.private.top().call);
        self.private.forget_newest();
        taken
    }

    /// Takes the newest private token out of the stack, even if the stack is barred.
    pub(crate) fn pop(&mut self) -> Option<Token<C>> {
        self.private.note_high();
        if self.private.len() == 0 {
            return None;
        }
        let token = self.take_made();
        Some(signed(token, &mut self.makers, VecDeque::pop_back))
    }

    /// Takes the oldest private token.
    pub(crate) fn pop_oldest(&mut self) -> Option<Token<C>> {
        self.private.note_high();
        let token = self.private.oldest().map(std::mem::take)?;
        self.private.forget_oldest();
        Some(signed(token, &mut self.makers, VecDeque::pop_front))
    }

    /// Whether tokens may be left at the shared end.
    pub(crate) fn shares(&self) -> bool {
        self.published
    }

    /// Takes back the oldest token at the shared end.
    pub(crate) fn take_back(&mut self) -> Option<Token<C>> {
        let token = self.shared.as_mut()?.take_back();
        self.published &= token.is_some();
        token
    }

    /// Whether no token waits here.
    pub(crate) fn is_empty(&self) -> bool {
        self.private.len() == 0
            && !(self.published && self.shared.as_ref().is_some_and(|end| !end.is_empty()))
    }

    /// Returns how many tokens are here, for a policy of the program's own.
    pub(crate) fn counts(&self) -> OwnTokens {
        let shared = self.shared.as_ref().map_or(0, |end| MOST_SHARED.saturating_sub(end.room()));
        OwnTokens { kept: self.private.len(), shared }
    }

    /// Whether there is room at the shared end.
    #[inline(always)]
    pub(crate) fn has_room(&self) -> bool {
        self.shared.as_ref().is_some_and(Publisher::has_room)
    }

    /// Moves the oldest private tokens to the shared end while there is room and more than `keep` are left.
    /// Returns how many it moved.
    #[cold]
    pub(crate) fn share(&mut self, keep: usize) -> u64 {
        let Some(shared) = &mut self.shared else { return 0 };
        let mut moved = 0;
        while self.private.len() > keep
            && shared.has_room()
            && let Some(token) = self.private.oldest().map(std::mem::take)
        {
            self.private.forget_oldest();
            if let Err(full) = shared.publish(signed(token, &mut self.makers, VecDeque::pop_front)) {
                // `has_room` was true, and no other thread publishes here.
                self.push(full.0);
                break;
            }
            moved += 1;
            self.published = true;
        }
        moved
    }
}

/// Signs a token that leaves the private end with its maker, which `taken` takes out of the list.
fn signed<C>(
    mut token: Token<C>,
    makers: &mut Option<Makers<C>>,
    taken: fn(&mut VecDeque<FiberRef>) -> Option<FiberRef>,
) -> Token<C> {
    if let Some(Makers { list, sign }) = makers
        && let Some(maker) = taken(list)
        && maker != FiberRef::NONE
    {
        token.call = sign(token.call, maker);
    }
    token
}
