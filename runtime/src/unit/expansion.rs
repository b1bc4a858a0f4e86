//! What the expansions of [`#[threaded]`](macro@crate::threaded) call.

use earth_memory::PARCEL_BYTES;

use super::eu::Eu;
use super::function::Threaded;
use crate::vocabulary::layout::Sizes;
use crate::vocabulary::name::{Inlet, InletArray};
use crate::vocabulary::wire::Wire;

pub use super::ending::{Begins, Ends, EndsFrame, Frame};
pub use crate::vocabulary::layout::{CellSpec, InletSpec, Layout, SlotSpec};
pub use crate::vocabulary::name::{Slot, SlotArray};
pub use crate::vocabulary::place::{cell, inlet, inlets, slot, slots, spawned};

/// Makes the frame of a first fiber, of the sizes that `size` works out.
#[inline(always)]
pub fn open_sized<F: Threaded>(eu: &mut Eu<F>, size: impl FnOnce(&mut Sizes)) {
    let mut sizes = Sizes::of(F::LAYOUT);
    size(&mut sizes);
    eu.unit.open_sized(sizes);
}

/// The values of a type that arrive at inlets: all that an expansion asks of the type, so that one which does not
/// travel is refused in one way.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` cannot travel between nodes",
    label = "this type is not `Wire`",
    note = "derive it for a type of your own: `#[derive(Wire)]`",
    note = "a value that is only read travels within its process as `Shared`"
)]
#[doc(hidden)]
pub trait Arrives: Sized {
    /// An inlet that has no name yet.
    const INLET: InletSpec;

    /// Takes the value that arrived at an inlet.
    fn take<F: Threaded>(eu: &mut Eu<F>, inlet: u32) -> Self;

    /// Takes the value that arrived at the inlet of one of an array of slots.
    fn take_at<F: Threaded>(eu: &mut Eu<F>, inlets: u32, index: usize) -> Self;

    /// Takes the values that arrived at an array of inlets.
    fn take_all<F: Threaded>(eu: &mut Eu<F>, inlets: u32) -> Vec<Self>;
}

impl<T: Wire> Arrives for T {
    const INLET: InletSpec = InletSpec::new::<T>("");

    #[inline(always)]
    fn take<F: Threaded>(eu: &mut Eu<F>, inlet: u32) -> T {
        eu.unit.take(Inlet::new(inlet))
    }

    #[inline(always)]
    fn take_at<F: Threaded>(eu: &mut Eu<F>, inlets: u32, index: usize) -> T {
        eu.unit.take(InletArray::new(inlets).at(index))
    }

    fn take_all<F: Threaded>(eu: &mut Eu<F>, inlets: u32) -> Vec<T> {
        eu.unit.take_all(InletArray::new(inlets))
    }
}

/// Refuses arguments that do not travel in line.
#[track_caller]
pub const fn arguments_fit<T>() {
    assert!(
        size_of::<T>() <= PARCEL_BYTES,
        "the arguments of this function take more than 48 bytes, so they do not travel in line"
    );
}

/// Refuses a value that does not travel in line.
#[track_caller]
pub const fn value_fits<T>() {
    assert!(
        size_of::<T>() <= PARCEL_BYTES,
        "a value of this type takes more than 48 bytes, so it does not travel in line"
    );
}

/// A fiber was asked for that the layout does not name.
#[cold]
pub fn no_such_fiber() -> ! {
    unreachable!("a unit asks only for fibers that the layout names")
}
