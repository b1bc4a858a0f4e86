//! Gates: addresses on a node at which [isolated calls](crate::node::domain) put their values. A gate has no
//! frame.

use std::collections::HashMap;
use std::marker::PhantomData;

use crate::node::domain::{GateHooks, Opening};
use crate::vocabulary::address::FrameId;
use crate::vocabulary::isolated::IsolatedError;
use crate::vocabulary::value::{self, Carried, Value};
use crate::vocabulary::wire::Wire;

/// A gate of a domain that is alive, or dead and not ended yet.
pub(crate) struct Gate {
    pub(crate) opening: Opening,
    /// The value, if it has come.
    pub(crate) value: Option<Value>,
    /// The first error.
    pub(crate) error: Option<IsolatedError>,
}

/// The gates of a node.
pub(crate) type Gates = HashMap<FrameId, Gate>;

/// Lookup of the hooks of a gate for a `T`.
pub(crate) struct GateOf<T>(PhantomData<T>);

impl<T: Wire> GateOf<T> {
    pub(crate) const HOOKS: &'static GateHooks =
        &GateHooks { unpack: value::unpack::<T>, answer: answer::<T> };
}

/// Returns the answer of a call, whose value is a `T`.
fn answer<T: Wire>(outcome: Result<Value, IsolatedError>) -> Value {
    let outcome: Result<T, IsolatedError> = outcome.map(|mut value| {
        value.take(T::KIND).unwrap_or_else(|| unreachable!("a reply takes values of its own type"))
    });
    Value::new(outcome, <Result<T, IsolatedError>>::KIND)
}
