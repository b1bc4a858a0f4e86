//! Calls of a [domain](super::domain): a call with its mark, of the same size as any call. A packed call has
//! the mark before its function.

use earth_memory::{HooksOf, KindOf};

use crate::node::domain::Mark;
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::function::{ErasedCall, Function, bulk};
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::layout::BETWEEN_FIBERS;
use crate::vocabulary::wire::Undecodable;

/// A call and its mark.
struct IsolatedCall {
    mark: Mark,
    call: Box<ErasedCall>,
}

const ISOLATED: &KindOf<IsolatedCall, Function> = KindOf::KIND;

impl HooksOf<IsolatedCall> for Function {
    const HOOKS: &'static Self = &Function {
        layout: &BETWEEN_FIBERS,
        fibers: start_isolated,
        pack: |_, _| {},
        unpack: |_| Err(Undecodable),
        bulk_bytes: |call| call.peek(ISOLATED).map_or(0, |isolated| bulk(&isolated.call)),
        held: |_, _| None,
    };
}

/// Starts the function of the isolated call on top of the token stack.
fn start_isolated(eu: &mut ExecutionUnit, by: Enabler, index: u32) {
    let top = eu.su.tokens.top();
    let Some(IsolatedCall { mark, call }) = top.take(ISOLATED) else {
        unreachable!("an isolated call holds its mark")
    };
    *top = *call;
    let Some(function) = top.kind() else { unreachable!("a call names its function") };
    eu.start_in(mark, function, by, index);
}

/// Marks a call.
pub(in crate::node) fn isolate(call: ErasedCall, mark: Mark) -> ErasedCall {
    ErasedCall::new(IsolatedCall { mark, call: Box::new(call) }, ISOLATED)
}

/// Removes the mark of a call, if it has one.
pub(in crate::node) fn open(mut call: ErasedCall) -> (Option<Mark>, ErasedCall) {
    match call.take(ISOLATED) {
        Some(IsolatedCall { mark, call }) => (Some(mark), *call),
        None => (None, call),
    }
}
