//! Functions that wait on a node until it starts them: those invoked there, and tokens.
//!
//! What was invoked here waits with the enabled fibers, in the order of the [`Policy`](crate::Policy). Tokens wait
//! behind both, but one of them has its turn after so many fibers. A node starts its newest token next, or its
//! oldest, as the policy says; the oldest are shared with idle nodes, and what those leave is taken back when nothing
//! else is left. While something is held back for lack of room no token is started but in its turn.

use earth_signal::Look;

use super::{Making, Role, Su};
use crate::node::bytes;
use crate::node::function::{ErasedCall, Event, RunQueue, Token, Work};
use crate::transport::Stolen;
use crate::vocabulary::error::Error;
use crate::vocabulary::policy::TokenOrder;

impl Su {
    /// Starts a function on a named node (`INVOKE`).
    pub(crate) fn invoke(&mut self, node: u32, call: ErasedCall) {
        if self.owns(node) {
            self.invoke_here(call);
        } else {
            self.forward(Event::Invoke { node, call });
        }
    }

    /// Adds a function to start on this node.
    pub(crate) fn invoke_here(&mut self, call: ErasedCall) {
        if self.role == Role::HandsOver {
            self.hand(Work::Start(call));
        } else {
            self.run_queue.push_function(call);
        }
    }

    /// Adds a token (`TOKEN`). One that may not run here goes to the first node of its range.
    pub(crate) fn token(&mut self, token: Token) {
        let may_run = token.within.has(self.node);
        if self.passes_on() && !(may_run && self.keeps_tokens()) {
            self.forward(Event::Token { node: self.node, token });
        } else if may_run && self.to_eu.is_some() {
            self.hand(Work::Token(token));
        } else if may_run {
            self.tokens.push(token);
            if self.shares_unwatched() {
                self.share_soon();
            }
        } else {
            self.forward(Event::Token { node: token.within.first, token });
        }
    }

    /// Whether a token waits until its turn, since a unit of this node holds something back for lack of room.
    #[inline(always)]
    fn holds_tokens(&self) -> bool {
        self.spilled || self.is_barred()
    }

    /// The token that this node starts next by itself, unless something is held back for lack of room.
    pub(crate) fn own_token(&mut self) -> Option<Token> {
        if self.holds_tokens() { None } else { self.next_in_order() }
    }

    /// The token that this node starts next by itself, else one of its shared end, on the same condition.
    pub(crate) fn kept_token(&mut self) -> Option<Token> {
        if self.holds_tokens() { None } else { self.due_token() }
    }

    /// Whether [`kept_token`](Self::kept_token) has one.
    #[inline(always)]
    pub(crate) fn has_token_to_start(&self) -> bool {
        !self.tokens.is_empty() && !self.holds_tokens()
    }

    /// The token that this node starts next by itself, else one of its shared end, else one that another node shares, on
    /// the same condition. Fails if the bytes of a stolen token cannot be read.
    pub(crate) fn any_token(&mut self) -> Result<Option<Token>, Box<Error>> {
        if self.spilled {
            return Ok(None);
        }
        match self.kept_token() {
            None if seeded!(StolenTwice) => self.steal_twice(),
            None => self.steal(),
            token => Ok(token),
        }
    }

    /// A token of this node whose turn has come, whatever is held back.
    pub(crate) fn due_token(&mut self) -> Option<Token> {
        self.next_in_order().or_else(|| self.take_back())
    }

    /// Whether [`own_token`](Self::own_token) has one to give while nothing is held back.
    pub(crate) fn has_own_token(&self) -> bool {
        self.tokens.private.len() > 0
            || self.policy.tokens == TokenOrder::OldestFirst && !self.tokens.is_empty()
    }

    fn next_in_order(&mut self) -> Option<Token> {
        match self.policy.tokens {
            TokenOrder::NewestFirst => self.tokens.pop(),
            TokenOrder::OldestFirst if seeded!(OldestForgotten) => {
                self.take_back().or_else(|| self.tokens.pop())
            }
            // The oldest are at the shared end.
            TokenOrder::OldestFirst => self.take_back().or_else(|| self.tokens.pop_oldest()),
        }
    }

    fn take_back(&mut self) -> Option<Token> {
        let shared = self.tokens.shares();
        let token = self.tokens.take_back();
        if token.is_some() {
            self.received += 1;
        } else if shared {
            self.transport.shares_none();
        }
        token
    }

    fn steal(&mut self) -> Result<Option<Token>, Box<Error>> {
        let Some(stolen) = self.transport.steal() else { return Ok(None) };
        self.received += 1;
        if seeded!(StolenLost) {
            return Ok(None);
        }
        let token = match stolen {
            Stolen::Token { token, .. } if !self.through_bytes || seeded!(StolenPastBytes) => token,
            Stolen::Token { from, token } => {
                let bytes = bytes::pack_token(token, self.node, &self.decoding.shared);
                self.read_token(&bytes, from)?
            }
            Stolen::Bytes { from, bytes } => self.read_token(&bytes, from)?,
        };
        if token.within.has(self.node) || seeded!(RangeIgnored) {
            self.counters.tokens_stolen += 1;
            return Ok(Some(token));
        }
        // Only the nodes of its range may run it: one of them gets it.
        let node = token.within.first;
        self.forward(Event::Token { node, token });
        Ok(None)
    }

    /// Steals a token and reads two of its bytes: what the bug `StolenTwice` does.
    #[cold]
    fn steal_twice(&mut self) -> Result<Option<Token>, Box<Error>> {
        let Some(token) = self.steal()? else { return Ok(None) };
        let bytes = bytes::pack_token(token, self.node, &self.decoding.shared);
        let token = self.read_token(&bytes, self.node)?;
        self.token(token);
        self.read_token(&bytes, self.node).map(Some)
    }

    /// Shares old tokens with idle nodes, as far as they made room: all but as many as `keep` makes of the run queue. If
    /// there is room for more, the unit looks again as soon as there are tokens for it.
    #[inline(always)]
    pub(crate) fn share_tokens(&mut self, keep: impl FnOnce(&RunQueue) -> usize) {
        if self.tokens.has_room() {
            self.share_out(keep(&self.run_queue));
        }
    }

    #[cold]
    #[inline(never)]
    fn share_out(&mut self, keep: usize) {
        if self.tokens.private.len() > keep {
            self.share_all_but(keep);
        }
        if self.shares_unwatched() {
            let (kept, lacks) = (self.tokens.private.len() > 0, self.tokens.has_room());
            if kept && lacks {
                self.attention.ask();
            }
            self.making = if kept || !lacks { Making::Plain } else { Making::Shared };
        }
    }

    /// Has the unit share tokens as soon as the fiber has ended, or makes another one.
    pub(crate) fn share_soon(&mut self) {
        if !self.is_asked() {
            self.attention.ask();
        }
        // Of a unit that somebody watches every token has its maker noted.
        if self.shares_unwatched() {
            self.making = Making::Plain;
        }
    }

    /// Shares the oldest tokens, all but the newest, while a fiber runs. The unit looks again when it has ended.
    pub(in crate::node) fn share_early(&mut self) {
        self.share_all_but(1);
        self.share_soon();
    }

    /// Fills the shared end with the oldest tokens, and keeps at least the newest `keep`.
    fn share_all_but(&mut self, keep: usize) {
        if self.show_before_tokens() {
            let shared = self.tokens.share(keep);
            if shared > 0 {
                self.sent += shared;
                self.transport.shares();
            }
        }
    }

    /// Whether this unit shares the tokens that its fibers make, and no trace records who made them.
    #[inline(always)]
    pub(super) fn shares_unwatched(&self) -> bool {
        self.is_in_line() || self.passes_types()
    }

    /// Whether the unit whose fibers make tokens shares them (not in virtual time).
    pub(in crate::node) fn shares_as_made(&self) -> bool {
        self.makes_plain() || self.keeps_tokens()
    }

    /// Whether somebody has asked the unit to look up, a thief that took a token among others.
    #[inline(always)]
    pub(in crate::node) fn is_asked(&self) -> bool {
        self.attention.look() == Look::Asked
    }

    /// The newest token is not the next one while something is held back for lack of room, nor if the oldest is.
    pub(in crate::node) fn bar_tokens(&mut self) {
        self.tokens.private.bar(self.holds_tokens() || self.policy.tokens == TokenOrder::OldestFirst);
    }
}
