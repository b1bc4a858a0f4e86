//! Values on their way to an inlet or a cell, with the type set aside.

use earth_memory::{HooksOf, KindOf, Parcel};

use super::shared::SharedValues;
use super::wire::{Packer, Undecodable, Unpacker, Wire};

/// The functions of a value's type that units need to pass it through bytes.
#[derive(Debug)]
pub struct ValueHooks {
    pub(crate) pack: fn(&mut Value, &mut Packer),
    pub(crate) unpack: ReadValue,
    bulk_bytes: fn(&Value) -> u64,
}

/// Reads a value of a type that was set aside.
pub(crate) type ReadValue = fn(&mut Unpacker<'_>) -> Result<Value, Undecodable>;

/// How the bytes of a run are read, the same on all nodes.
#[derive(Clone)]
pub(crate) struct Decoding {
    /// Reads the value of the whole run.
    pub(crate) result: ReadValue,
    /// What the run began with.
    pub(crate) shared: SharedValues,
    /// How many nodes there are: no address names another one.
    pub(crate) nodes: u32,
}

impl Decoding {
    /// Of a run that has no value.
    pub(crate) fn nothing() -> Self {
        Decoding { result: |_| Err(Undecodable), shared: SharedValues::default(), nodes: 0 }
    }
}

/// A value of any type that may travel, or nothing.
pub(crate) type Value = Parcel<ValueHooks>;

/// The kind of each type that may travel.
pub(crate) trait Carried: Wire {
    const KIND: &'static KindOf<Self, ValueHooks>;
}

impl<T: Wire> Carried for T {
    const KIND: &'static KindOf<Self, ValueHooks> = KindOf::KIND;
}

impl<T: Wire> HooksOf<T> for ValueHooks {
    const HOOKS: &'static Self =
        &ValueHooks { pack: pack::<T>, unpack: unpack::<T>, bulk_bytes: bulk_bytes::<T> };
}

fn pack<T: Wire>(value: &mut Value, out: &mut Packer) {
    if let Some(value) = value.take(T::KIND) {
        value.pack(out);
    }
}

fn bulk_bytes<T: Wire>(value: &Value) -> u64 {
    value.peek(T::KIND).map_or(0, T::bulk_bytes)
}

/// The bytes of blocks that move with a value.
pub(crate) fn bulk(value: &Value) -> u64 {
    value.kind().map_or(0, |kind| (kind.hooks().bulk_bytes)(value))
}

/// Reads a `T`, which is all that is left, and sets its type aside.
pub(crate) fn unpack<T: Wire>(input: &mut Unpacker<'_>) -> Result<Value, Undecodable> {
    input.last::<T>().map(|value| Value::new(value, T::KIND))
}

/// A copy of a value that is a `T`.
pub(crate) fn copy<T: Wire + Clone>(value: &Value) -> Option<Value> {
    value.peek(T::KIND).map(|value| Value::new(value.clone(), T::KIND))
}
