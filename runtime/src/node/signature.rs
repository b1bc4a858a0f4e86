//! Signatures: how an event or call that leaves its node names its sender, on a machine that traces.
//!
//! In SPN the operations of a fiber on its own node are recorded while it runs, so they need no signature.
//! Events and calls that travel are *signed*:
//!
//! * An event in a queue travels inside an [`Event::Signed`], which is boxed so that it does not enlarge
//!   other events. In packed form the signature precedes the event and does not count as bytes.
//! * A call travels inside a [`Signed`] call of the same size, so that a token stays one cache line. A token
//!   that waits on the node where it was made is not signed: its maker is stored [beside
//!   it](crate::node::tokens::TokenQueue).
//! * A spawned fiber carries the number of its spawner in the field that holds a signal's number in other
//!   fibers.
//!
//! Cost: one allocation for each event and each call that travels.

use earth_memory::{HooksOf, KindOf};

use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::function::{ErasedCall, Event, Function, Token, bulk};
use crate::node::su::{Su, SuResult};
use crate::probe::recorder::FiberRef;
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::layout::BETWEEN_FIBERS;
use crate::vocabulary::wire::Undecodable;

/// A call and its maker.
struct Signed {
    sender: FiberRef,
    call: Box<ErasedCall>,
}

/// The kind of signed calls. They are never read from bytes: a packed call has its signature before the
/// event.
const SIGNED: &KindOf<Signed, Function> = KindOf::KIND;

impl HooksOf<Signed> for Function {
    const HOOKS: &'static Self = &Function {
        layout: &BETWEEN_FIBERS,
        fibers: start_signed,
        pack: |_, _| {},
        unpack: |_| Err(Undecodable),
        bulk_bytes: |call| call.peek(SIGNED).map_or(0, |signed| bulk(&signed.call)),
        held: |_, _| None,
    };
}

/// Starts the function of the signed call on top of the token stack.
fn start_signed(eu: &mut ExecutionUnit, by: Enabler, index: u32) {
    let top = eu.su.tokens.top();
    let Some(Signed { sender, call }) = top.take(SIGNED) else {
        unreachable!("a signed call holds a signature")
    };
    *top = *call;
    let Some(function) = top.kind() else { unreachable!("a call names its function") };
    if let Some(recorder) = &mut eu.recorder {
        recorder.expect_started(function.hooks().layout, sender);
    }
    eu.charge_fiber(function.hooks().layout, by);
    (function.hooks().fibers)(eu, by, index);
}

pub(crate) fn sign_call(call: ErasedCall, sender: FiberRef) -> ErasedCall {
    ErasedCall::new(Signed { sender, call: Box::new(call) }, SIGNED)
}

/// Returns the signature of a call, or `NONE`.
pub(crate) fn signature(call: &ErasedCall) -> FiberRef {
    call.peek(SIGNED).map_or(FiberRef::NONE, |signed| signed.sender)
}

/// Removes the signature of an event before it is packed.
pub(super) fn unsign(event: Event) -> (Option<FiberRef>, Event) {
    let open = |mut call: ErasedCall| match call.take(SIGNED) {
        Some(Signed { sender, call }) => (Some(sender), *call),
        None => (None, call),
    };
    match event {
        Event::Signed { sender, event } => (Some(sender), *event),
        Event::Invoke { node, call } => {
            let (sender, call) = open(call);
            (sender, Event::Invoke { node, call })
        }
        Event::Token { node, mut token } => {
            let (sender, call) = open(std::mem::take(&mut token.call));
            token.call = call;
            (sender, Event::Token { node, token })
        }
        event => (None, event),
    }
}

/// Returns the event inside a signed one, with the signature moved back to its call if it has one.
pub(super) fn open(event: Event) -> Event {
    match event {
        Event::Signed { sender, event } => sign_again(*event, sender),
        event => event,
    }
}

/// Signs the call of an event again after the event came through bytes.
fn sign_again(event: Event, sender: FiberRef) -> Event {
    match event {
        Event::Invoke { node, call } => Event::Invoke { node, call: sign_call(call, sender) },
        Event::Token { node, token: Token { call, within } } => {
            Event::Token { node, token: Token { call: sign_call(call, sender), within } }
        }
        event => event,
    }
}

/// Signs an event that is a signal or will cause one.
fn sign(event: Event, sender: FiberRef) -> Event {
    match event {
        Event::Signal { .. } | Event::Put { .. } | Event::Get { .. } | Event::Write { .. } => {
            Event::Signed { sender, event: Box::new(event) }
        }
        event => event,
    }
}

impl Su {
    /// Signs an event for another node, on a machine that traces.
    pub(super) fn signed(&self, event: Event) -> Event {
        if self.recorder.is_some() { sign(event, self.sender()) } else { event }
    }

    /// Applies an event on behalf of its sender. A call is signed again.
    pub(super) fn apply_signed(&mut self, sender: FiberRef, event: Event) -> SuResult {
        let before = self.send_as(sender);
        let outcome = self.apply(sign_again(event, sender));
        self.send_as(before);
        outcome
    }
}

impl ExecutionUnit {
    /// Signs the call of a token with its name, on a machine that traces or records the order.
    pub(super) fn named_token(&mut self, call: ErasedCall) -> ErasedCall {
        if self.recorder.is_none() && self.su.order.is_none() {
            return call;
        }
        let name = self.token_name();
        sign_call(call, name)
    }

    /// Signs a call, on a machine that traces.
    #[inline(always)]
    pub(super) fn signed_call(&self, call: ErasedCall) -> ErasedCall {
        if self.recorder.is_some() { sign_call(call, self.me()) } else { call }
    }
}
