//! Functions that wait on a node until it starts them: functions invoked there, and tokens.
//!
//! Invoked functions wait with the enabled fibers, in the order of the [`Policy`](crate::Policy). Tokens wait
//! behind both, but after a fixed number of fibers a token has its turn. As the policy says, a node starts
//! its newest or its oldest token next. The oldest tokens are shared with idle nodes; the node takes the rest
//! back when it has no other work. While events are held back for lack of room, a token starts only in its
//! turn.

use earth_signal::Look;

use super::{Packing, Role, Su, TokenSharing};
use crate::node::bytes;
use crate::node::function::{ErasedCall, EuWork, Event, RunQueue, Runnable, Token};
use crate::probe::order::Taken;
use crate::transport::StolenToken;
use crate::vocabulary::choice::WaitingWork;
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
            self.hand(EuWork::Start(call));
        } else {
            self.run_queue.push_function(call);
        }
    }

    /// Takes the fiber or function that is next, if it is not the newest fiber.
    #[inline(always)]
    pub(crate) fn next_work(&mut self) -> Option<Runnable> {
        if self.run_queue.is_chosen() { self.choose_work() } else { self.run_queue.pop() }
    }

    #[cold]
    #[inline(never)]
    fn choose_work(&mut self) -> Option<Runnable> {
        let Su { run_queue, frames, .. } = self;
        run_queue.choose(|work| match work {
            Runnable::Fiber(ready) => frames.names(ready.id).waiting(ready),
            Runnable::Function(call) => {
                let layout = call.kind().map(|kind| kind.hooks().layout);
                let fiber = layout.map_or("?", |layout| layout.fiber_name(0));
                WaitingWork { layout, fiber, enabled: None, index: 0, passed_over: 0 }
            }
        })
    }

    /// Adds a token (`TOKEN`). A token that may not run here goes to the first node of its range.
    pub(crate) fn token(&mut self, token: Token) {
        let may_run = token.within.has(self.node);
        if self.passes_on() && !(may_run && self.keeps_tokens()) {
            self.forward(Event::Token { node: self.node, token });
        } else if may_run && self.to_eu.is_some() {
            self.hand(EuWork::Token(token));
        } else if may_run {
            self.tokens.push(token);
            if self.shares_unwatched() {
                self.share_soon();
            }
        } else {
            self.forward(Event::Token { node: token.within.first, token });
        }
    }

    /// Whether tokens wait for their turn, because a unit of this node holds events back for lack of room.
    #[inline(always)]
    fn holds_tokens(&self) -> bool {
        self.holds_back || self.is_barred()
    }

    /// Takes the private token that this node starts next, unless events are held back for lack of room. If
    /// the oldest token is next, the shared end is included.
    pub(crate) fn own_token(&mut self) -> Option<Token> {
        if self.holds_tokens() { None } else { self.next_in_order() }
    }

    /// Takes the token that this node starts next, else one of its shared end, on the same condition.
    pub(crate) fn kept_token(&mut self) -> Option<Token> {
        if self.holds_tokens() { None } else { self.due_token() }
    }

    /// Whether [`kept_token`](Self::kept_token) would return a token.
    #[inline(always)]
    pub(crate) fn has_token_to_start(&self) -> bool {
        !self.tokens.is_empty() && !self.holds_tokens()
    }

    /// Takes the token that this node starts next, else one of its shared end, else one that another node
    /// shares, on the same condition. Fails if the bytes of a stolen token cannot be read.
    pub(crate) fn any_token(&mut self) -> Result<Option<Token>, Box<Error>> {
        if self.holds_back {
            return Ok(None);
        }
        match self.kept_token() {
            None if seeded!(StolenTwice) => self.steal_twice(),
            None => self.steal(),
            token => Ok(token),
        }
    }

    /// Takes a token of this node whose turn has come, even if events are held back.
    pub(crate) fn due_token(&mut self) -> Option<Token> {
        self.next_in_order().or_else(|| self.take_back())
    }

    /// Whether [`own_token`](Self::own_token) would return a token if no events were held back.
    pub(crate) fn has_own_token(&mut self) -> bool {
        self.tokens.private.len() > 0
            || !self.tokens.is_empty() && self.token_order() == TokenOrder::OldestFirst
    }

    /// Returns the end at which the next token is taken.
    #[inline]
    fn token_order(&mut self) -> TokenOrder {
        match &mut self.token_policy {
            None => self.policy.tokens,
            Some(policy) => {
                let own = self.tokens.counts();
                policy.ask(|policy| policy.next(own))
            }
        }
    }

    /// Whether the execution unit of a simulated DUAL node gets a token while `waiting` entries wait for it.
    #[inline]
    pub(crate) fn feeds_ahead(&mut self, waiting: usize) -> bool {
        let feed = self.policy.feed as usize;
        match &mut self.token_policy {
            None => waiting < feed,
            Some(policy) => policy.ask(|policy| policy.feeds(waiting, feed)),
        }
    }

    fn next_in_order(&mut self) -> Option<Token> {
        let order = self.token_order();
        let token = self.token_at(order);
        if let (Some(policy), true) = (&mut self.token_policy, token.is_some()) {
            policy.ask(|policy| policy.took(order));
        }
        token
    }

    fn token_at(&mut self, end: TokenOrder) -> Option<Token> {
        match end {
            TokenOrder::NewestFirst => self.tokens.pop(),
            TokenOrder::OldestFirst if seeded!(OldestForgotten) => {
                self.take_back().or_else(|| self.tokens.pop())
            }
            // The oldest tokens are at the shared end.
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
        let token = self.take_stolen(stolen)?;
        while let Some(further) = self.transport.steal_further() {
            self.keep_stolen(further)?;
        }
        Ok(token.and_then(|token| self.accept(token)))
    }

    /// Takes the token that the transport has for this node, and adds it to the tokens of the node, or
    /// hands it to the execution unit if `hands` (DUAL).
    pub(crate) fn take_given(&mut self, hands: bool) -> Result<(), Box<Error>> {
        let Some(token) = self.steal()? else { return Ok(()) };
        if hands {
            self.hand(EuWork::Start(token.call));
        } else {
            self.token(token);
        }
        Ok(())
    }

    /// Adds a stolen token to the tokens of this node.
    pub(crate) fn keep_stolen(&mut self, stolen: StolenToken<Token>) -> Result<(), Box<Error>> {
        if let Some(token) = self.take_stolen(stolen)? {
            self.keep_given(token);
        }
        Ok(())
    }

    /// Receives a token that another node has given.
    pub(crate) fn receive_given(&mut self, token: Token) {
        self.received += 1;
        self.keep_given(token);
    }

    /// Adds a token that another node has given to the tokens of this node.
    pub(super) fn keep_given(&mut self, token: Token) {
        if let Some(token) = self.accept(token) {
            self.token(token);
        }
    }

    /// Receives a stolen token.
    fn take_stolen(&mut self, stolen: StolenToken<Token>) -> Result<Option<Token>, Box<Error>> {
        self.received += 1;
        if seeded!(StolenLost) {
            return Ok(None);
        }
        let StolenToken { from, token } = stolen;
        self.note_token(&token.call, |node, number| Taken::Steal { node, number });
        if self.packing != Packing::Bytes || seeded!(StolenPastBytes) {
            return Ok(Some(token));
        }
        let bytes = bytes::pack_token(token, self.node, &self.decoding.shared);
        self.read_token(&bytes, &mut [], from).map(Some)
    }

    /// Returns a token of another node if it may run here.
    fn accept(&mut self, token: Token) -> Option<Token> {
        if token.within.has(self.node) || seeded!(RangeIgnored) {
            self.counters.tokens_stolen += 1;
            return Some(token);
        }
        // The token may run only on the nodes of its range, so it is sent to the first of them.
        let node = token.within.first;
        self.forward(Event::Token { node, token });
        None
    }

    /// Steals a token and decodes two copies of its bytes: the seeded bug `StolenTwice`.
    #[cold]
    fn steal_twice(&mut self) -> Result<Option<Token>, Box<Error>> {
        let Some(token) = self.steal()? else { return Ok(None) };
        let bytes = bytes::pack_token(token, self.node, &self.decoding.shared);
        let token = self.read_token(&bytes, &mut [], self.node)?;
        self.token(token);
        self.read_token(&bytes, &mut [], self.node).map(Some)
    }

    /// Shares the oldest tokens with idle nodes while there is room, and keeps `keep(run_queue)`. If room
    /// remains, the unit is asked to look again as soon as it has tokens.
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
            self.token_sharing = if kept || !lacks { TokenSharing::Plain } else { TokenSharing::Shared };
        }
    }

    /// Makes the unit share tokens when the running fiber has ended or makes another token.
    pub(crate) fn share_soon(&mut self) {
        if !self.is_asked() {
            self.attention.ask();
        }
        // A watched unit must record the maker of every token, so its `token_sharing` stays.
        if self.shares_unwatched() {
            self.token_sharing = TokenSharing::Plain;
        }
    }

    /// Shares all tokens but the newest, oldest first, while a fiber runs. The unit looks again when the
    /// fiber has ended.
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

    /// Whether this unit shares the tokens that its fibers make, no trace records their makers, no stall
    /// monitor reads their number, and the running fiber is of no domain.
    #[inline(always)]
    pub(super) fn shares_unwatched(&self) -> bool {
        (self.is_in_line() || self.passes_types())
            && !self.publishes_tokens
            && self.domain.is_none()
            && self.order.is_none()
    }

    /// Whether this unit's fibers make tokens and the unit shares them (not in virtual time).
    pub(in crate::node) fn shares_as_made(&self) -> bool {
        self.makes_plain() || self.keeps_tokens()
    }

    /// Whether another thread, such as a thief that took a token, has asked the unit to look at its requests.
    #[inline(always)]
    pub(in crate::node) fn is_asked(&self) -> bool {
        self.attention.look() == Look::Asked
    }

    /// Bars the newest token while events are held back for lack of room, or if the policy may start another
    /// token first.
    pub(in crate::node) fn bar_tokens(&mut self) {
        let in_order = self.policy.tokens == TokenOrder::OldestFirst || self.token_policy.is_some();
        self.tokens.private.bar(self.holds_tokens() || in_order);
    }
}
