//! What a fiber starts: functions on a named node, and tokens.

use std::num::NonZero;
use std::ops::Range;

use super::balance::{Token, Within};
use super::eu::Eu;
use super::event::Event;
use super::execution_unit::{ExecutionUnit, Route};
use super::function::{Call, ErasedCall, Threaded, kind};
use crate::error::Error;
use crate::vocabulary::address::NodeId;
use crate::vocabulary::wire::Wire;

impl<F> Eu<F> {
    /// Starts a function on a named node.
    #[doc(alias = "INVOKE")]
    #[inline]
    pub fn invoke<G: Threaded>(&mut self, node: NodeId, call: Call<G>) {
        self.unit.invoke::<G>(node, call.0);
    }

    /// Starts a function wherever the balancer likes: here, last in first out, or on an idle node.
    #[doc(alias = "TOKEN")]
    #[inline(always)]
    pub fn token<G: Threaded>(&mut self, call: Call<G>) {
        self.unit.token::<G>(call.0);
    }

    /// Starts a function wherever the balancer likes among the nodes `first..end` (a group).
    #[doc(alias = "TOKEN")]
    pub fn token_within<G: Threaded>(&mut self, nodes: Range<NodeId>, call: Call<G>) {
        self.unit.token_within::<G>(nodes, call.0);
    }
}

impl ExecutionUnit {
    #[inline]
    pub(super) fn invoke<F: Threaded>(&mut self, node: NodeId, args: F::Args) {
        if node.0 >= self.nodes.get() {
            let nodes = self.nodes.get() as usize;
            self.fail(Error::NoSuchNode { at: self.fiber_name(), node: node.index(), nodes });
        }
        self.counters.invokes += 1;
        self.counters.bytes_moved += args.bulk_bytes();
        let call = self.signed_call(ErasedCall::new(Call::<F>(args), kind::<F>()));
        self.charge_at(node.0, |costs| costs.spawn);
        match &mut self.route {
            Route::Merged(su) | Route::Traced(su) | Route::Charged(su) => su.invoke(node.0, call),
            Route::Separate(_) => self.send(Event::Invoke { node: node.0, call }),
        }
    }

    #[inline(always)]
    pub(super) fn token<F: Threaded>(&mut self, args: F::Args) {
        let within = Within { first: 0, end: self.nodes };
        self.count_token::<F>(&args);
        match &mut self.route {
            Route::Merged(su) => su.tokens.push_new::<F>(args, within),
            Route::Traced(_) | Route::Charged(_) | Route::Separate(_) => self.token_other::<F>(args, within),
        }
    }

    /// Makes a token on the other routes: with its cost charged and its maker noted, or through a queue.
    #[inline(never)]
    fn token_other<F: Threaded>(&mut self, args: F::Args, within: Within) {
        let maker = self.recorder.me;
        if let Route::Traced(su) | Route::Charged(su) = &mut self.route {
            su.tokens.push_made::<F>(args, within, maker);
            self.charge_at(self.node, |costs| costs.token);
        } else {
            self.send_token(Token { call: ErasedCall::new(Call::<F>(args), kind::<F>()), within });
        }
    }

    pub(super) fn token_within<F: Threaded>(&mut self, nodes: Range<NodeId>, args: F::Args) {
        let (first, end) = (nodes.start.0, nodes.end.0);
        let within = match NonZero::new(end) {
            Some(end) if first < end.get() && end <= self.nodes => Within { first, end },
            _ => {
                let (node, nodes) = (if first < end { end - 1 } else { first }, self.nodes.get());
                let at = self.fiber_name();
                self.fail(Error::NoSuchNode { at, node: node as usize, nodes: nodes as usize })
            }
        };
        self.count_token::<F>(&args);
        self.send_token(Token { call: ErasedCall::new(Call::<F>(args), kind::<F>()), within });
    }

    #[inline(always)]
    fn count_token<F: Threaded>(&mut self, args: &F::Args) {
        self.counters.tokens += 1;
        self.counters.bytes_moved += args.bulk_bytes();
    }

    /// Makes any token, on any route.
    #[inline(never)]
    fn send_token(&mut self, token: Token) {
        let token = Token { call: self.signed_call(token.call), ..token };
        self.charge_at(self.node, |costs| costs.token);
        match &mut self.route {
            Route::Merged(su) | Route::Traced(su) | Route::Charged(su) => su.token(token),
            Route::Separate(_) => self.send(Event::Token { node: self.node, token }),
        }
    }
}
