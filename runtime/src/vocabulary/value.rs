//! Type-erased values on their way to an inlet or a cell.

use earth_memory::{HooksOf, KindOf, Parcel};

use super::wire::{Packer, Undecodable, Unpacker, Wire};

/// The functions of a value's type that pass it through bytes.
#[derive(Debug)]
pub struct ValueHooks {
    pub(crate) pack: fn(&mut Value, &mut Packer),
    pub(crate) unpack: ReadValue,
    bulk_bytes: fn(&Value) -> u64,
}

/// Reads a value of an erased type.
pub(crate) type ReadValue = fn(&mut Unpacker<'_>) -> Result<Value, Undecodable>;

/// A value of any type that may travel, or an empty parcel.
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

/// Returns the bytes of blocks that move with a value.
pub(crate) fn bulk(value: &Value) -> u64 {
    value.kind().map_or(0, |kind| (kind.hooks().bulk_bytes)(value))
}

/// Reads a `T` that takes all remaining bytes, and erases its type.
pub(crate) fn unpack<T: Wire>(input: &mut Unpacker<'_>) -> Result<Value, Undecodable> {
    input.last::<T>().map(|value| Value::new(value, T::KIND))
}

/// Returns a clone of a value whose type is `T`.
pub(crate) fn copy<T: Wire + Clone>(value: &Value) -> Option<Value> {
    value.peek(T::KIND).map(|value| Value::new(value.clone(), T::KIND))
}
