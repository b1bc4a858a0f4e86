//! Memory of the earth runtime: values in line, states of frames, blocks of data.
//!
//! Everything here is a handle that owns what it names: a [`Parcel`] one small value of any type, a [`Held`] the state of one frame.
#![deny(unsafe_op_in_unsafe_fn)]

mod held;
mod parcel;

pub use held::{Held, HoldPool};
pub use parcel::{Kind, KindOf, PARCEL_BYTES, Parcel};
