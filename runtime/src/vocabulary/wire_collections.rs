//! Strings and collections as bytes: a length, then the values.
//!
//! The reader accepts a length only if at least that many bytes are left: each value that takes memory has at
//! least one byte. (A `Box<()>` has no bytes, so it is not sent in a collection.) Memory is allocated as
//! values are read. A wrong length therefore cannot make the reader allocate much more memory than the bytes
//! take.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};

use super::nesting::Bulk;
use super::wire::{Packer, Undecodable, Unpacker, Wire};

/// Reads the number of values of a collection of `T`.
fn length<T>(input: &mut Unpacker<'_>) -> Result<usize, Undecodable> {
    if size_of::<T>() > 0 {
        return input.length(1);
    }
    // Only the time to count them limits the number of zero-sized values.
    input.length(0).and_then(|length| if length > u32::MAX as usize { Err(Undecodable) } else { Ok(length) })
}

/// Adds the bulk data of a key and its value to a count.
fn pair<'a, K: Wire, V: Wire>((key, value): (&'a K, &'a V), bulk: &mut Bulk<'a>) {
    key.bulk(bulk);
    value.bulk(bulk);
}

macro_rules! collections {
    ($([$($generics:tt)+] $collection:ty, of $value:ty: $bulk:expr;)+) => {$(
        impl<$($generics)+> Wire for $collection {
            fn pack(self, out: &mut Packer) {
                out.nested::<$value, _>(self, |values, out| {
                    out.length(values.len());
                    for value in values {
                        value.pack(out);
                    }
                });
            }
            fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
                input.nested(|input| {
                    let length = length::<$value>(input)?;
                    let values = (0..length).map(|_| Wire::unpack(input)).collect::<Result<Self, _>>()?;
                    // A repeated key yields fewer entries.
                    if values.len() == length { Ok(values) } else { Err(Undecodable) }
                })
            }
            fn bulk_bytes(&self) -> u64 {
                Bulk::of(self)
            }
            fn bulk<'a>(&'a self, bulk: &mut Bulk<'a>) {
                bulk.nested(self, |values, bulk| values.iter().for_each(|value| $bulk(value, bulk)));
            }
        }
    )+};
}
collections! {
    [T: Wire] Vec<T>, of T: T::bulk;
    [T: Wire] Box<[T]>, of T: T::bulk;
    [T: Wire] VecDeque<T>, of T: T::bulk;
    [T: Wire + Ord] BTreeSet<T>, of T: T::bulk;
    [T: Wire + Eq + Hash, S: BuildHasher + Default + Send + 'static] HashSet<T, S>, of T: T::bulk;
    [K: Wire + Ord, V: Wire] BTreeMap<K, V>, of (K, V): pair;
    [K: Wire + Eq + Hash, V: Wire, S: BuildHasher + Default + Send + 'static]
        HashMap<K, V, S>, of (K, V): pair;
}

impl Wire for String {
    fn pack(self, out: &mut Packer) {
        out.length(self.len());
        out.bytes(self.as_bytes());
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let length = input.length(1)?;
        String::from_utf8(input.bytes(length)?.to_vec()).map_err(|_| Undecodable)
    }
}

impl Wire for Box<str> {
    fn pack(self, out: &mut Packer) {
        String::from(self).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        String::unpack(input).map(String::into_boxed_str)
    }
}
