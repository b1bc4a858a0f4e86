//! Tokens and where they wait: the token queue of EARTH, with a private and a shared end.
//!
//! A node's newest token is the next it runs itself (last in, first out: depth first, so memory stays
//! small). Its oldest tokens, which stand for the largest pieces of work, go to the shared end as long as
//! that has room, before each fiber starts; idle nodes steal there. A token taken from the shared end, by
//! whomever, is taken once.
//!
//! Cost: a push and a pop of 64 bytes; one relaxed load a fiber to see whether thieves made room.

use std::collections::VecDeque;
use std::num::NonZero;

use earth_signal::Publisher;

use super::function::{Call, ErasedCall, FunctionRef, Threaded, kind};
use super::signature::sign_call;
use super::token_stack::TokenStack;
use crate::probe::recorder::FiberRef;

/// A function to start on whichever node takes it first, among those of a range.
#[derive(Debug)]
pub(crate) struct Token {
    pub(crate) call: ErasedCall,
    /// The nodes that may run it.
    pub(crate) within: Within,
}

const _: () = assert!(size_of::<Option<Token>>() == 64, "an outstanding token is one cache line");

/// A range of nodes, not empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(8))]
pub(crate) struct Within {
    pub(crate) first: u32,
    /// The node after the last one.
    pub(crate) end: NonZero<u32>,
}

impl Within {
    /// Some range, for a token whose range does not matter any more.
    pub(crate) const ONE: Within = Within { first: 0, end: NonZero::<u32>::MIN };

    #[inline(always)]
    pub(crate) fn has(self, node: u32) -> bool {
        self.first <= node && node < self.end.get()
    }
}

/// The token queue of one node.
pub(crate) struct TokenQueue {
    private: TokenStack,
    shared: Option<Publisher<Token>>,
    /// The maker of each private token, oldest first, or nobody if its call is signed; kept on an SPN node that
    /// traces.
    makers: Option<VecDeque<FiberRef>>,
}

impl TokenQueue {
    /// `shared` is the node's shared end, if there is any other node to steal from it.
    pub(crate) fn new(shared: Option<Publisher<Token>>) -> Self {
        TokenQueue { private: TokenStack::new(), shared, makers: None }
    }

    /// The most private tokens that have waited at once since this was last [forgotten](Self::forget_high).
    pub(crate) fn high(&self) -> usize {
        self.private.high()
    }

    /// Forgets the most tokens that have waited at once.
    pub(crate) fn forget_high(&mut self) {
        self.private.forget_high();
    }

    /// Knows from now on who makes a token.
    pub(crate) fn traced(&mut self) {
        self.makers = Some(VecDeque::new());
    }

    /// Adds a token to start `F`.
    #[inline(always)]
    pub(crate) fn push_new<F: Threaded>(&mut self, args: F::Args, within: Within) {
        let entry = self.private.push();
        entry.within = within;
        entry.call.fill(Call::<F>(args), kind::<F>());
    }

    /// Notes the maker of the newest token.
    pub(crate) fn note_maker(&mut self, maker: FiberRef) {
        if let Some(makers) = &mut self.makers {
            makers.push_back(maker);
        }
    }

    /// Takes the newest token back, whose maker is not noted.
    pub(crate) fn take_made(&mut self) -> Token {
        let token = take(self.private.top());
        self.private.forget_newest();
        token
    }

    pub(crate) fn push(&mut self, token: Token) {
        *self.private.push() = token;
        self.note_maker(FiberRef::NOBODY);
    }

    /// Adds a token that is started at once, where [`top`](Self::top) finds it. Nobody is known to have made it.
    pub(crate) fn put_on_top(&mut self, token: Token) {
        *self.private.push() = token;
    }

    /// The maker of the newest token, which is going to be started.
    #[inline(always)]
    pub(crate) fn newest_maker(&mut self) -> FiberRef {
        self.makers.as_mut().and_then(VecDeque::pop_back).unwrap_or(FiberRef::NOBODY)
    }

    /// Forbids the taking of private tokens, or allows it again.
    pub(crate) fn bar(&mut self, barred: bool) {
        self.private.bar(barred);
    }

    /// The function of the newest private token, if there is one and it may be taken. The caller is going to start it.
    #[inline(always)]
    pub(crate) fn next_function(&mut self) -> Option<FunctionRef> {
        self.private.newest()?.call.kind()
    }

    /// Whether there is a newest private token that may be taken. The caller is going to take it.
    #[inline(always)]
    pub(crate) fn has_next(&mut self) -> bool {
        self.private.newest().is_some()
    }

    /// Whether the call [on top](Self::top), barred or not, is known to be one of `F`. A kind at another address is not.
    #[inline(always)]
    pub(crate) fn is_on_top<F: Threaded>(&mut self) -> bool {
        self.private.top().call.is_of(kind::<F>())
    }

    /// Takes the call on top, which is [known](Self::is_on_top) to be one of `F`.
    #[inline(always)]
    pub(crate) fn take_known<F: Threaded>(&mut self) -> Call<F> {
        let call = self.private.top().call.take_known(kind::<F>());
        self.private.forget_newest();
        call
    }

    /// Takes the call on top, if it is one of `F`.
    #[cold]
    pub(crate) fn take_top<F: Threaded>(&mut self) -> Option<Call<F>> {
        let call = self.top().take(kind::<F>())?;
        self.private.forget_newest();
        Some(call)
    }

    /// The call of the newest private token, or of one that was put on top, where it lies: its arguments are read once,
    /// without moving the token first. There must be one.
    #[inline(always)]
    pub(crate) fn top(&mut self) -> &mut ErasedCall {
        &mut self.private.top().call
    }

    /// Takes the newest private token out of the stack, barred or not.
    pub(crate) fn pop(&mut self) -> Option<Token> {
        self.private.note_high();
        if self.private.len() == 0 {
            return None;
        }
        let token = self.take_made();
        let maker = self.makers.as_mut().and_then(VecDeque::pop_back);
        Some(signed(token, maker))
    }

    /// Takes the oldest private token.
    pub(crate) fn pop_oldest(&mut self) -> Option<Token> {
        self.private.note_high();
        let token = self.private.oldest().map(take)?;
        self.private.forget_oldest();
        let maker = self.makers.as_mut().and_then(VecDeque::pop_front);
        Some(signed(token, maker))
    }

    /// The oldest token still at the shared end.
    pub(crate) fn take_back(&mut self) -> Option<Token> {
        self.shared.as_mut()?.take_back()
    }

    /// How many private tokens wait here.
    pub(crate) fn waiting(&self) -> usize {
        self.private.len()
    }

    /// Whether a private token waits here.
    pub(crate) fn has_private(&self) -> bool {
        self.private.len() > 0
    }

    /// Whether any token waits here.
    pub(crate) fn is_empty(&self) -> bool {
        self.private.len() == 0 && self.shared.as_ref().is_none_or(Publisher::is_empty)
    }

    /// Moves the oldest private tokens but `keep` to the shared end as far as there is
    /// room, and says how many.
    #[inline(always)]
    pub(crate) fn refill(&mut self, keep: usize) -> u64 {
        match &self.shared {
            Some(shared) if shared.has_room() && self.private.len() > keep => self.share(keep),
            _ => 0,
        }
    }

    #[cold]
    fn share(&mut self, keep: usize) -> u64 {
        let Some(shared) = &mut self.shared else { return 0 };
        let mut moved = 0;
        while self.private.len() > keep
            && shared.has_room()
            && let Some(token) = self.private.oldest().map(take)
        {
            self.private.forget_oldest();
            let maker = self.makers.as_mut().and_then(VecDeque::pop_front);
            if let Err(full) = shared.publish(signed(token, maker)) {
                // Room that was seen is there: nobody else publishes here.
                self.push(full.0);
                break;
            }
            moved += 1;
        }
        moved
    }
}

/// A token that leaves the list of makers behind, with the name of its maker on its call.
fn signed(mut token: Token, maker: Option<FiberRef>) -> Token {
    if let Some(maker) = maker.filter(|maker| *maker != FiberRef::NOBODY) {
        token.call = sign_call(token.call, maker);
    }
    token
}

/// Moves a token out of its entry.
fn take(entry: &mut Token) -> Token {
    Token { call: std::mem::take(&mut entry.call), within: entry.within }
}
