//! Functions that wait on a node until it starts them: those invoked there, and tokens.
//!
//! What was invoked here comes before any token, the first first. Of tokens the newest is next; the oldest
//! are shared with idle nodes, and what those leave is taken back when nothing else is left. No token is
//! taken while something is kept for lack of room.

use super::super::balance::{Token, Within};
use super::super::event::{Event, Work};
use super::super::function::Call;
use super::Su;

impl Su {
    /// `INVOKE`.
    pub(crate) fn invoke(&mut self, node: u32, call: Call) {
        if node != self.node {
            self.forward(Event::Invoke { node, call });
        } else if self.hands_over {
            self.work.push_back(Work::Start(call));
        } else {
            self.invoke_here(call);
        }
    }

    /// A function to start on this node, which hands nothing over (SPN).
    pub(crate) fn invoke_here(&mut self, call: Call) {
        self.invoked.push_back(call);
        self.bar_tokens();
    }

    /// Whether a function invoked here waits (SPN).
    pub(crate) fn has_invoked(&self) -> bool {
        !self.invoked.is_empty()
    }

    /// The function invoked here first.
    pub(crate) fn invoked_call(&mut self) -> Option<Call> {
        let call = self.invoked.pop_front();
        self.bar_tokens();
        call
    }

    /// Puts a call where [`TokenQueue::top`] finds it, to be started at once.
    pub(crate) fn put_on_top(&mut self, call: Call) {
        self.tokens.put_on_top(Token { call, within: Within::ONE });
    }

    /// `TOKEN`. One that may not run here goes to the first node of its range.
    pub(crate) fn token(&mut self, token: Token) {
        if token.within.has(self.node) {
            self.tokens.push(token);
        } else {
            self.forward(Event::Token { node: token.within.first, token });
        }
    }

    /// The newest private token of this node. None while something is kept for lack of room.
    #[inline(always)]
    pub(crate) fn own_token(&mut self) -> Option<Token> {
        self.tokens.pop()
    }

    /// A token of this node's shared end, or one that another node shares, on the same condition.
    pub(crate) fn shared_token(&mut self) -> Option<Token> {
        if self.spilled { None } else { self.fetch_token() }
    }

    fn fetch_token(&mut self) -> Option<Token> {
        if let Some(token) = self.tokens.take_back() {
            self.received += 1;
            return Some(token);
        }
        let token = self.transport.steal()?;
        self.received += 1;
        if token.within.has(self.node) {
            self.counters.tokens_stolen += 1;
            return Some(token);
        }
        // Only the nodes of its range may run it: one of them gets it.
        let node = token.within.first;
        self.forward(Event::Token { node, token });
        None
    }

    /// Shares old tokens, all but `keep`, with idle nodes, as far as they made room.
    #[inline(always)]
    pub(crate) fn share_tokens(&mut self, keep: usize) {
        let shared = self.tokens.refill(keep);
        if shared > 0 {
            self.sent += shared;
            self.transport.shares();
        }
    }

    /// Private tokens wait while something is kept for lack of room, and behind functions invoked here.
    pub(super) fn bar_tokens(&mut self) {
        self.tokens.bar(self.spilled || !self.invoked.is_empty());
    }
}
