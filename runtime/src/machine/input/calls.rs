//! One call from outside: its checks, the event that it becomes, and the call that comes back.

use std::num::NonZero;

use super::super::gate::{InputGate, Patience, Refused};
use super::try_error::TryError;
use crate::node::function::{Call, ErasedCall, Event, Threaded, Token, kind};
use crate::node::tokens::Within;
use crate::vocabulary::address::NodeId;
use crate::vocabulary::error::{Error, FiberName};
use crate::vocabulary::inside::inside_fiber;

/// Node that a call is for.
#[derive(Clone, Copy)]
pub(super) enum Goal {
    Node(NodeId),
    /// The node that takes the token first.
    Any,
}

/// Checks that this thread may send a call to `goal` now.
pub(super) fn check(gate: &InputGate, goal: Goal) -> Result<(), Error> {
    if inside_fiber() {
        return Err(Error::InsideFiber);
    }
    if !gate.is_here() {
        return Err(Error::Forked { what: "the input".into() });
    }
    match goal {
        Goal::Node(node) => check_node(node.index(), gate.nodes),
        Goal::Any => Ok(()),
    }
}

/// Sends a call. Returns it if there was no room for as long as the sender is patient.
pub(super) fn send<F: Threaded>(
    gate: &InputGate,
    goal: Goal,
    call: Call<F>,
    patience: Patience,
) -> Result<(), TryError<Call<F>>> {
    check(gate, goal).map_err(TryError::Error)?;
    let call = ErasedCall::new(call, kind::<F>());
    let (node, event) = match (goal, NonZero::new(gate.nodes as u32)) {
        (Goal::Node(node), _) => (node.0, Event::Invoke { node: node.0, call }),
        (Goal::Any, Some(end)) => {
            (0, Event::Token { node: 0, token: Token { call, within: Within { first: 0, end } } })
        }
        // The run reports that a machine needs a node.
        (Goal::Any, None) => (0, Event::Invoke { node: 0, call }),
    };
    gate.send(node, event, patience).map_err(|Refused { call, over }| match over {
        Some(error) => TryError::Error(*error),
        None => TryError::Full(back(call)),
    })
}

/// Returns the call of an event that was made of it.
fn back<F: Threaded>(event: Event) -> Call<F> {
    let call = match event {
        Event::Invoke { call, .. } | Event::Token { token: Token { call, .. }, .. } => Some(call),
        _ => None,
    };
    let call = call.and_then(|mut call| call.take(kind::<F>()));
    call.unwrap_or_else(|| unreachable!("a refused event is returned unchanged"))
}

/// Checks that a machine of `nodes` nodes has node `node`, which a caller outside the run named.
pub(super) fn check_node(node: usize, nodes: usize) -> Result<(), Error> {
    if node < nodes {
        return Ok(());
    }
    let (function, fiber) = ("a thread".to_owned(), "outside of the run".to_owned());
    Err(Error::NoSuchNode { at: FiberName { function, fiber, node: 0 }, node, nodes })
}
