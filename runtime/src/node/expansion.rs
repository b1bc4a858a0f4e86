//! What the expansions of [`#[threaded]`](macro@crate::threaded) call.

use std::array;

use earth_memory::{Kind, KindOf, PARCEL_BYTES, frames};

use super::eu::Eu;
use super::execution_unit::ExecutionUnit;
use super::function::{FrameOf, Framed, Resumes, Threaded};
use crate::node::frame::OfFrames;
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::layout::Sizes;
use crate::vocabulary::name::{InletArray, Then};
use crate::vocabulary::value::{Carried, ValueHooks};
use crate::vocabulary::wire::Wire;

pub use super::ending::{Begins, Ends, EndsFrame};
pub use crate::vocabulary::layout::{CellSpec, InletSpec, Layout, SlotSpec, declared_inlet, declared_slot};
pub use crate::vocabulary::name::{Slot, SlotArray};
pub use crate::vocabulary::place::{cell, fixed_inlets, inlet, inlets, slot, slots, spawned};
pub use earth_memory::frames::lay_out;

/// What a fiber that is spawned is [resumed](Threaded::resume) by.
pub const fn spawned_fiber(fiber: u32) -> u32 {
    Enabler::spawned(fiber).0
}

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
    /// The kind of the values.
    const KIND: &'static Kind<ValueHooks>;

    /// Takes the value that arrived at an inlet, if it lies there.
    fn take<F: Threaded>(entered: &mut Entered<'_, F>, inlet: u32) -> Option<Self>;

    /// The value of an inlet from where it lay, or as it was handed over.
    fn arrived<F: Threaded>(taken: Option<Self>, eu: &mut Eu<F>, inlet: u32) -> Self;

    /// Takes the values that arrived at the `N` inlets from this one on, as far as they lie there.
    fn take_each<F: Threaded, const N: usize>(entered: &mut Entered<'_, F>, first: u32) -> [Option<Self>; N];

    /// The values of so many inlets from where they lay, or as they were handed over.
    fn arrived_each<F: Threaded, const N: usize>(
        taken: [Option<Self>; N],
        eu: &mut Eu<F>,
        first: u32,
    ) -> [Self; N];

    /// Takes the value that arrived at the inlet of one of an array of slots.
    fn take_at<F: Threaded>(eu: &mut Eu<F>, inlets: u32, index: usize) -> Self;

    /// Takes the values that arrived at an array of inlets.
    fn take_all<F: Threaded>(eu: &mut Eu<F>, inlets: u32) -> Vec<Self>;
}

impl<T: Wire> Arrives for T {
    const KIND: &'static Kind<ValueHooks> = KindOf::<T, ValueHooks>::KIND.erased();

    #[inline(always)]
    fn take<F: Threaded>(entered: &mut Entered<'_, F>, inlet: u32) -> Option<T> {
        entered.0.take(inlet, <T as Carried>::KIND)
    }

    #[inline(always)]
    fn arrived<F: Threaded>(taken: Option<T>, eu: &mut Eu<F>, inlet: u32) -> T {
        taken.unwrap_or_else(|| eu.unit.take_delivered(inlet))
    }

    #[inline(always)]
    fn take_each<F: Threaded, const N: usize>(entered: &mut Entered<'_, F>, first: u32) -> [Option<T>; N] {
        array::from_fn(|index| Self::take(entered, first + index as u32))
    }

    #[inline(always)]
    fn arrived_each<F: Threaded, const N: usize>(
        taken: [Option<T>; N],
        eu: &mut Eu<F>,
        first: u32,
    ) -> [T; N] {
        let mut inlet = first;
        taken.map(|taken| {
            let value = Self::arrived(taken, eu, inlet);
            inlet += 1;
            value
        })
    }

    #[inline(always)]
    fn take_at<F: Threaded>(eu: &mut Eu<F>, inlets: u32, index: usize) -> T {
        eu.unit.take_element(InletArray::new(inlets), index)
    }

    fn take_all<F: Threaded>(eu: &mut Eu<F>, inlets: u32) -> Vec<T> {
        let inlets = InletArray::new(inlets);
        (0..eu.unit.inlet_extent(inlets).len as usize)
            .map(|index| eu.unit.take_element(inlets, index))
            .collect()
    }
}

/// The frame of the fiber that is going to run, out of which its values come, and the state if the fiber ends it.
pub struct Entered<'a, F: Threaded>(frames::Entered<'a, OfFrames<Resumes>, FrameOf<F>>);

impl<'a, F: Threaded> Entered<'a, F> {
    /// The frame of a fiber of `F`.
    #[inline(always)]
    pub fn of(eu: &'a mut Eu<F>) -> Self {
        Entered(eu.unit.su.frames.memory.entered_as())
    }

    /// Whether values are parked that may come in now.
    #[inline(always)]
    pub fn has_parked(&self) -> bool {
        self.0.has_parked()
    }

    /// The state of the frame, for the fiber that ends it.
    #[inline(always)]
    pub fn state(&mut self) -> F {
        match self.0.take_state() {
            Some(state) => state,
            None => ExecutionUnit::no_state(),
        }
    }
}

/// The fiber has all its values: what is parked at the inlets of its slot comes in.
#[inline(always)]
pub fn taken<F: Threaded>(eu: &mut Eu<F>, parked: bool) {
    if parked {
        eu.unit.let_parked_in();
    }
}

/// Runs a fiber that borrows the state of its frame.
#[inline(always)]
pub fn borrowed<F: Threaded>(eu: &mut Eu<F>, fiber: impl FnOnce(&mut F, &mut Eu<F>) -> Then) -> Then {
    match frames::with_state(eu, |eu| &mut eu.unit.su.frames.memory, F::FRAME, fiber) {
        Some(then) => then,
        None => ExecutionUnit::no_state(),
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
