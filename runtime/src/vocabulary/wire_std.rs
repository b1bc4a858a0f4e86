//! Numbers, and the standard library's types of a fixed number of values, as bytes: tuples, arrays, options,
//! results, boxes, ranges.

use std::marker::PhantomData;
use std::ops::Range;
use std::time::Duration;

use super::nesting::Bulk;
use super::wire::{Packer, Undecodable, Unpacker, Wire};

macro_rules! words {
    ($($word:ty)+) => {$(
        impl Wire for $word {
            #[inline]
            fn pack(self, out: &mut Packer) {
                out.bytes(&self.to_le_bytes());
            }
            #[inline]
            fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
                Ok(Self::from_le_bytes(input.array()?))
            }
        }
    )+};
}
words! { u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 }

macro_rules! pointer_sized {
    ($($word:ty as $wide:ty),+) => {$(
        impl Wire for $word {
            fn pack(self, out: &mut Packer) {
                (self as $wide).pack(out);
            }
            fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
                <$wide>::unpack(input)?.try_into().map_err(|_| Undecodable)
            }
        }
    )+};
}
pointer_sized! { usize as u64, isize as i64 }

impl Wire for bool {
    fn pack(self, out: &mut Packer) {
        u8::from(self).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        match u8::unpack(input)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Undecodable),
        }
    }
}

impl Wire for char {
    fn pack(self, out: &mut Packer) {
        u32::from(self).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        char::from_u32(u32::unpack(input)?).ok_or(Undecodable)
    }
}

/// Seconds, then nanoseconds below a second.
impl Wire for Duration {
    fn pack(self, out: &mut Packer) {
        (self.as_secs(), self.subsec_nanos()).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        match Wire::unpack(input)? {
            (seconds, nanoseconds @ 0..1_000_000_000) => Ok(Duration::new(seconds, nanoseconds)),
            _ => Err(Undecodable),
        }
    }
}

/// No bytes.
impl<T: ?Sized + 'static> Wire for PhantomData<T>
where
    PhantomData<T>: Send,
{
    fn pack(self, _: &mut Packer) {}
    fn unpack(_: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        Ok(PhantomData)
    }
}

/// Implements the bulk count of a value as the sum over its parts.
macro_rules! bulk_of_parts {
    ($this:ident, $bulk:ident => $count:expr) => {
        #[inline(always)]
        fn bulk_bytes(&self) -> u64 {
            Bulk::of(self)
        }
        #[inline(always)]
        fn bulk<'a>(&'a $this, $bulk: &mut Bulk<'a>) {
            $count
        }
    };
}

macro_rules! tuples {
    ($(($($name:ident)*))+) => {$(
        #[allow(non_snake_case, unused_variables, reason = "a tuple's parts are named by their types; the unit has none")]
        impl<$($name: Wire),*> Wire for ($($name,)*) {
            fn pack(self, out: &mut Packer) {
                let ($($name,)*) = self;
                $($name.pack(out);)*
            }
            fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
                input.nested(|input| Ok(($($name::unpack(input)?,)*)))
            }
            bulk_of_parts!(self, bulk => {
                let ($($name,)*) = self;
                $($name.bulk(bulk);)*
            });
        }
    )+};
}
tuples! { () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }

impl<T: Wire, const N: usize> Wire for [T; N] {
    fn pack(self, out: &mut Packer) {
        for value in self {
            value.pack(out);
        }
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        input.nested(|input| {
            let values = (0..N).map(|_| T::unpack(input)).collect::<Result<Vec<T>, _>>()?;
            // The array moves from the heap straight to the return value, since each copy of a large array
            // takes stack.
            let Ok(values) = Box::<[T; N]>::try_from(values) else { return Err(Undecodable) };
            Ok(*values)
        })
    }
    bulk_of_parts!(self, bulk => {
        for value in self {
            value.bulk(bulk);
        }
    });
}

impl<T: Wire> Wire for Option<T> {
    fn pack(self, out: &mut Packer) {
        self.is_some().pack(out);
        if let Some(value) = self {
            value.pack(out);
        }
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        Ok(if bool::unpack(input)? { Some(T::unpack(input)?) } else { None })
    }
    bulk_of_parts!(self, bulk => {
        if let Some(value) = self {
            value.bulk(bulk);
        }
    });
}

/// 0 before a value that is `Ok`, 1 before an error.
impl<T: Wire, E: Wire> Wire for Result<T, E> {
    fn pack(self, out: &mut Packer) {
        self.is_err().pack(out);
        match self {
            Ok(value) => value.pack(out),
            Err(error) => error.pack(out),
        }
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        Ok(if bool::unpack(input)? { Err(E::unpack(input)?) } else { Ok(T::unpack(input)?) })
    }
    bulk_of_parts!(self, bulk => match self {
        Ok(value) => value.bulk(bulk),
        Err(error) => error.bulk(bulk),
    });
}

impl<T: Wire> Wire for Box<T> {
    fn pack(self, out: &mut Packer) {
        out.nested::<T, _>(self, |value, out| (*value).pack(out));
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        input.nested(|input| T::unpack(input).map(Box::new))
    }
    fn bulk_bytes(&self) -> u64 {
        Bulk::of(self)
    }
    fn bulk<'a>(&'a self, bulk: &mut Bulk<'a>) {
        bulk.nested(self, |value, bulk| (**value).bulk(bulk));
    }
}

impl<T: Wire> Wire for Range<T> {
    fn pack(self, out: &mut Packer) {
        (self.start, self.end).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        <(T, T)>::unpack(input).map(|(start, end)| start..end)
    }
    bulk_of_parts!(self, bulk => {
        self.start.bulk(bulk);
        self.end.bulk(bulk);
    });
}
