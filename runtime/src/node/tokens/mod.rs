//! Tokens and where they wait: the token queue of EARTH, with a private and a shared end.
//!
//! A node's newest token is the next it runs itself (last in, first out: depth first, so memory stays
//! small). Its oldest tokens, which stand for the largest pieces of work, go to the shared end as long as
//! that has room: as they are made, or before another fiber starts; idle nodes steal there, and ask the node to look what room they made. A token
//! taken from the shared end, by whomever, is taken once.
//!
//! Cost: a push and a pop of 64 bytes. While the shared end is full nothing more.

mod token_stack;
pub(crate) mod victims;

use std::collections::VecDeque;
use std::num::NonZero;

use earth_memory::push_back;
use earth_signal::Publisher;

use crate::node::tokens::token_stack::TokenStack;
use crate::probe::recorder::FiberRef;

/// A function to start, by its call, on whichever node takes it first, among those of a range.
#[derive(Debug)]
pub(crate) struct Token<C> {
    pub(crate) call: C,
    /// The nodes that may run it.
    pub(crate) within: Within,
}

/// No token yet, or no more.
impl<C: Default> Default for Token<C> {
    fn default() -> Self {
        Token { call: C::default(), within: Within::ONE }
    }
}

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

pub(crate) struct TokenQueue<C> {
    pub(crate) private: TokenStack<Token<C>>,
    shared: Option<Publisher<Token<C>>>,
    /// Whether anything may be left at the shared end.
    published: bool,
    /// Kept on an SPN node that traces.
    makers: Option<Makers<C>>,
}

/// Who made the private tokens.
struct Makers<C> {
    /// The maker of each, oldest first, or nobody if its call is signed.
    list: VecDeque<FiberRef>,
    /// Writes the name of its maker on a call.
    sign: fn(C, FiberRef) -> C,
}

impl<C: Default + Send> TokenQueue<C> {
    /// `shared` is the node's shared end, if there is any other node to steal from it.
    pub(crate) fn new(shared: Option<Publisher<Token<C>>>) -> Self {
        TokenQueue { private: TokenStack::new(), shared, published: false, makers: None }
    }

    /// Knows from now on who makes a token, and signs with it what leaves the private tokens.
    pub(crate) fn traced(&mut self, sign: fn(C, FiberRef) -> C) {
        self.makers = Some(Makers { list: VecDeque::new(), sign });
    }

    /// Adds a token, whose call is empty until the caller fills it.
    #[inline(always)]
    pub(crate) fn push_empty(&mut self, within: Within) -> &mut C {
        let entry = self.private.push();
        entry.within = within;
        &mut entry.call
    }

    /// Notes the maker of the newest token.
    pub(crate) fn note_maker(&mut self, maker: FiberRef) {
        if let Some(makers) = &mut self.makers {
            push_back(&mut makers.list, maker);
        }
    }

    /// Takes the newest token back, whose maker is not noted.
    pub(crate) fn take_made(&mut self) -> Token<C> {
        let token = std::mem::take(self.private.top());
        self.private.forget_newest();
        token
    }

    pub(crate) fn push(&mut self, token: Token<C>) {
        *self.private.push() = token;
        self.note_maker(FiberRef::NOBODY);
    }

    /// Adds the call of a function that is started at once, where [`top`](Self::top) finds it. Nobody is known to have made
    /// it, and it has no range.
    #[inline(always)]
    pub(crate) fn put_on_top(&mut self, call: C) {
        self.private.push().call = call;
    }

    /// The maker of the newest token, which is going to be started.
    #[inline(always)]
    pub(crate) fn newest_maker(&mut self) -> FiberRef {
        self.makers.as_mut().and_then(|makers| makers.list.pop_back()).unwrap_or(FiberRef::NOBODY)
    }

    /// The call of the newest private token, if there is one and it may be taken. The caller is going to take it.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<&mut C> {
        self.private.newest().map(|token| &mut token.call)
    }

    /// The call of the newest private token, or of one that was put on top, where it lies, barred or not: its arguments are
    /// read once, without moving the token first. It is empty if there is none.
    #[inline(always)]
    pub(crate) fn top(&mut self) -> &mut C {
        &mut self.private.top().call
    }

    /// Gives up the token on top, whose call is taken out by `take`.
    #[inline(always)]
    pub(crate) fn take_top<T>(&mut self, take: impl FnOnce(&mut C) -> T) -> T {
        let taken = take(&mut self.private.top().call);
        self.private.forget_newest();
        taken
    }

    /// Takes the newest private token out of the stack, barred or not.
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

    /// Whether anything may be left at the shared end.
    pub(crate) fn shares(&self) -> bool {
        self.published
    }

    /// The oldest token still at the shared end.
    pub(crate) fn take_back(&mut self) -> Option<Token<C>> {
        let token = self.shared.as_mut()?.take_back();
        self.published &= token.is_some();
        token
    }

    /// Whether any token waits here.
    pub(crate) fn is_empty(&self) -> bool {
        self.private.len() == 0
            && !(self.published && self.shared.as_ref().is_some_and(|end| !end.is_empty()))
    }

    /// Whether there is room at the shared end.
    #[inline(always)]
    pub(crate) fn has_room(&self) -> bool {
        self.shared.as_ref().is_some_and(Publisher::has_room)
    }

    /// Moves the oldest private tokens but `keep` to the shared end as far as there is
    /// room, and says how many.
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
                // Room that was seen is there: nobody else publishes here.
                self.push(full.0);
                break;
            }
            moved += 1;
            self.published = true;
        }
        moved
    }
}

/// A token that leaves the private ones, with the name of its maker, which is `taken` out of the list, on its call.
fn signed<C>(
    mut token: Token<C>,
    makers: &mut Option<Makers<C>>,
    taken: fn(&mut VecDeque<FiberRef>) -> Option<FiberRef>,
) -> Token<C> {
    if let Some(Makers { list, sign }) = makers
        && let Some(maker) = taken(list)
        && maker != FiberRef::NOBODY
    {
        token.call = sign(token.call, maker);
    }
    token
}
