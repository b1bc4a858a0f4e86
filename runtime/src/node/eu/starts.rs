//! Functions that a fiber starts on a named node, and tokens.

use std::hint::cold_path;
use std::num::NonZero;
use std::ops::Range;

use crate::node::eu::Eu;
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::function::held::Holds;
use crate::node::function::{Call, ErasedCall, Threaded, Token, kind};
use crate::node::su::TokenSharing;
use crate::node::tokens::Within;
use crate::vocabulary::address::NodeId;
use crate::vocabulary::error::Error;
use crate::vocabulary::wire::Wire;

impl<F> Eu<F> {
    /// Starts a function on a named node. It sends a message if that is another node. Up to 48 bytes of
    /// arguments travel in line.
    ///
    /// # Errors of the run
    ///
    /// [`NoSuchNode`](crate::Error::NoSuchNode) if the node does not exist,
    /// [`StaysInProcess`](crate::Error::StaysInProcess) if a [`Shared`](crate::Shared) among the arguments
    /// would leave its process.
    #[doc(alias = "spawn")]
    #[doc(alias = "INVOKE")]
    #[inline]
    pub fn invoke<G: Threaded>(&mut self, node: NodeId, call: Call<G>) {
        self.unit.invoke::<G>(node, call.0);
    }

    /// Starts a function on this node or an idle one. This node starts the newest token first; an idle node
    /// takes the oldest, at the cost of two messages. A token whose first fiber neither waits nor gives out
    /// an address needs no frame.
    #[doc(alias = "spawn")]
    #[doc(alias = "TOKEN")]
    #[inline(always)]
    pub fn token<G: Threaded>(&mut self, call: Call<G>) {
        self.unit.token::<G>(call.0);
    }

    /// Starts a function as [`token`](Self::token) does, on one of the nodes `first..end` (a group).
    ///
    /// # Errors of the run
    ///
    /// [`NoSuchNode`](crate::Error::NoSuchNode) if the range is empty or has a node that does not exist.
    #[doc(alias = "TOKEN")]
    pub fn token_within<G: Threaded>(&mut self, nodes: Range<NodeId>, call: Call<G>) {
        self.unit.token_within::<G>(nodes, call.0);
    }
}

impl ExecutionUnit {
    #[inline]
    pub(in crate::node) fn invoke<F: Threaded>(&mut self, node: NodeId, held: F::ArgStorage) {
        if node.0 >= self.nodes.get() {
            let nodes = self.nodes.get() as usize;
            self.fail(Error::NoSuchNode { at: self.fiber_name(), node: node.index(), nodes });
        }
        self.count_invoke::<F>(&held);
        let call = self.marked_call(ErasedCall::new(Call::<F>(held), kind::<F>()));
        self.send_invoke(node, call);
    }

    #[inline(always)]
    pub(super) fn count_invoke<F: Threaded>(&mut self, held: &F::ArgStorage) {
        self.counters.invokes += 1;
        self.counters.bytes_moved += held.peek().bulk_bytes();
    }

    #[inline(always)]
    pub(super) fn send_invoke(&mut self, node: NodeId, call: ErasedCall) {
        let call = self.signed_call(call);
        self.make_before(None);
        self.charge_at(node.0, |costs| costs.spawn);
        self.su.invoke(node.0, call);
    }

    #[inline(always)]
    pub(in crate::node) fn token<F: Threaded>(&mut self, held: F::ArgStorage) {
        self.count_token::<F>(&held);
        self.su.tokens.push_empty(self.everywhere).fill(Call::<F>(held), kind::<F>());
        if self.su.token_sharing != TokenSharing::Plain || self.su.is_asked() {
            cold_path();
            self.token_made();
        }
    }

    /// Shares tokens while the fiber runs, if there is room for them. On a watched machine it records the
    /// maker of the newest token and charges for it. In virtual time the execution unit of a DUAL node passes
    /// the token on.
    #[inline(never)]
    fn token_made(&mut self) {
        self.mark_newest();
        if self.su.token_sharing != TokenSharing::Slow {
            self.share_tokens();
        } else if self.su.passes_on() && !self.su.keeps_tokens() {
            let token = self.su.tokens.take_made();
            self.send_token(token);
        } else {
            let name = self.token_name();
            self.su.tokens.note_maker(name);
            self.charge_at(self.node, |costs| costs.token);
            if self.su.shares_as_made() {
                self.share_tokens();
            }
            self.publish_waiting();
        }
    }

    /// Shares all tokens but the newest, oldest first, while the fiber runs. A token may contain an address
    /// of the fiber's frame, so the frame is made first.
    fn share_tokens(&mut self) {
        if seeded!(OfferForgotten) {
            return;
        }
        if self.su.tokens.has_room() && self.su.tokens.private.len() > 1 {
            if self.owes_frame() {
                self.make_frame();
            }
            self.su.share_early();
        } else {
            self.su.share_soon();
        }
    }

    pub(in crate::node) fn token_within<F: Threaded>(&mut self, nodes: Range<NodeId>, held: F::ArgStorage) {
        let (first, end) = (nodes.start.0, nodes.end.0);
        let within = match NonZero::new(end) {
            Some(end) if first < end.get() && end <= self.nodes => Within { first, end },
            _ => {
                let (node, nodes) = (if first < end { end - 1 } else { first }, self.nodes.get());
                let at = self.fiber_name();
                self.fail(Error::NoSuchNode { at, node: node as usize, nodes: nodes as usize })
            }
        };
        self.count_token::<F>(&held);
        let call = self.marked_call(ErasedCall::new(Call::<F>(held), kind::<F>()));
        self.send_token(Token { call, within });
    }

    #[inline(always)]
    pub(super) fn count_token<F: Threaded>(&mut self, held: &F::ArgStorage) {
        self.counters.tokens += 1;
        self.counters.bytes_moved += held.peek().bulk_bytes();
    }

    #[inline(never)]
    pub(super) fn send_token(&mut self, token: Token) {
        let token = Token { call: self.named_token(token.call), ..token };
        self.make_before(None);
        self.charge_at(self.node, |costs| costs.token);
        self.su.token(token);
        if self.su.shares_as_made() {
            self.share_tokens();
        }
        self.publish_waiting();
    }
}
