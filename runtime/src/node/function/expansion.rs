//! Functions and traits that the expansions of [`#[threaded]`](macro@crate::threaded) call.

use std::array;
use std::marker::PhantomData;

use earth_memory::frames::Taken;
use earth_memory::{Kind, KindOf, PARCEL_BYTES, frames};

use crate::node::eu::Eu;
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::function::{Call, Function, Threaded};
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::name::Then;
use crate::vocabulary::value::{Carried, ValueHooks};
use crate::vocabulary::wire::Wire;

pub use crate::node::eu::ending::{Begins, Ends, EndsFrame};
pub use crate::node::function::Pack;
pub use crate::node::function::held::{ArgStorage, Holds, InLine};
pub use crate::vocabulary::layout::{CellSpec, InletSpec, Layout, SlotSpec};
pub use crate::vocabulary::name::{Slot, SlotArray};
pub use crate::vocabulary::nesting::Bulk;
pub use crate::vocabulary::place::{cell, fixed_inlets, inlet, inlets, slot, slots, spawned};
pub use earth_memory::frames::{ExtraContents, lay_out};

/// Lookup of the function that packs states of type `F`, if `F` is `Wire`. See [`Threaded::PACK_STATE`].
#[derive(Debug)]
pub struct StateOf<F>(PhantomData<F>);

impl<F: Wire> StateOf<F> {
    /// Packs a state.
    pub const PACK: Option<Pack<F>> = Some(F::pack);
}

/// Fallback of [`StateOf`] for states that are not known to be `Wire`.
pub trait NotPackable<F> {
    /// No function packs the state.
    const PACK: Option<Pack<F>> = None;
}

impl<F> NotPackable<F> for StateOf<F> {}

/// Returns the enabler with which a spawned fiber is [resumed](Threaded::resume).
pub const fn spawned_fiber(fiber: u32) -> u32 {
    Enabler::spawned(fiber).0
}

/// Sets the sizes of the function whose first fiber runs next, as numbers in the order of its declarations.
#[inline(always)]
pub fn sized<F: Threaded, const N: usize>(eu: &mut Eu<F>, numbers: [usize; N]) {
    eu.unit.size(numbers);
}

/// A type whose values arrive at inlets. It is the only trait that an expansion requires of the type, so that
/// a type that is not `Wire` yields one diagnostic.
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

    /// Takes the value of an inlet from the values that a slot counts, which are in their inlets.
    fn held<F: Threaded>(held: &mut Entered<'_, F>, inlet: u32) -> Self;

    /// Takes the values of the `N` inlets from this one on in the same way.
    #[inline(always)]
    fn held_each<F: Threaded, const N: usize>(held: &mut Entered<'_, F>, first: u32) -> [Self; N] {
        array::from_fn(|index| Self::held(held, first + index as u32))
    }

    /// Takes the value of an inlet, from the inlet or from the values that were handed over with the fiber.
    fn arrived<F: Threaded>(eu: &mut Eu<F>, inlet: u32) -> Self;

    /// Takes the values of the `N` inlets from this one on in the same way.
    fn arrived_each<F: Threaded, const N: usize>(eu: &mut Eu<F>, first: u32) -> [Self; N] {
        array::from_fn(|index| Self::arrived(eu, first + index as u32))
    }

    /// Takes the value that arrived at the inlet of slot `index` of an array of slots.
    fn take_at<F: Threaded>(eu: &mut Eu<F>, inlets: u32, index: usize) -> Self;

    /// Takes the values that arrived at an array of inlets.
    fn take_all<F: Threaded>(eu: &mut Eu<F>, inlets: u32) -> Taken<Self>;
}

impl<T: Wire> Arrives for T {
    const KIND: &'static Kind<ValueHooks> = KindOf::<T, ValueHooks>::KIND.erased();

    #[inline(always)]
    fn held<F: Threaded>(held: &mut Entered<'_, F>, inlet: u32) -> T {
        match held.0.take(inlet, <T as Carried>::KIND) {
            Some(value) => value,
            None => unreachable!("a slot counts the inlets of its fiber"),
        }
    }

    #[cold]
    fn arrived<F: Threaded>(eu: &mut Eu<F>, inlet: u32) -> T {
        let taken = eu.unit.su.frames.memory.take_any(inlet, <T as Carried>::KIND);
        taken.unwrap_or_else(|| eu.unit.take_delivered(inlet))
    }

    #[inline(always)]
    fn take_at<F: Threaded>(eu: &mut Eu<F>, inlets: u32, index: usize) -> T {
        eu.unit.take_element(inlets, index)
    }

    #[inline(always)]
    fn take_all<F: Threaded>(eu: &mut Eu<F>, inlets: u32) -> Taken<T> {
        eu.unit.take_all(inlets)
    }
}

/// The frame of the fiber that runs next, with the values of its slot out of their inlets.
pub struct Entered<'a, F: Threaded>(frames::Entered<'a, Function>, PhantomData<fn() -> F>);

impl<F: Threaded> Entered<'_, F> {
    /// Whether values are parked that can now enter inlets.
    #[inline(always)]
    pub fn has_parked(&self) -> bool {
        self.0.has_parked()
    }

    /// Takes the state of the frame, for the fiber that ends it.
    #[inline(always)]
    pub fn state(&mut self) -> F {
        self.0.take_state().unwrap_or_else(|| ExecutionUnit::no_state())
    }
}

/// Takes the values of the inlets that a slot counts out of them, if the values are there.
#[inline(always)]
pub fn all_of<F: Threaded>(eu: &mut Eu<F>, slot: u32) -> Option<Entered<'_, F>> {
    let held = eu.unit.su.frames.memory.all_of(Call::<F>::FRAME, slot)?;
    Some(Entered(held, PhantomData))
}

/// Whether parked values can enter the frame of the fiber that runs next.
#[inline(always)]
pub fn has_parked<F: Threaded>(eu: &Eu<F>) -> bool {
    eu.unit.su.frames.memory.entered_has_parked()
}

/// Takes the state of the frame, for the fiber that ends it.
#[inline(always)]
pub fn state<F: Threaded>(eu: &mut Eu<F>) -> F {
    let state = eu.unit.su.frames.memory.take_state(Call::<F>::FRAME);
    state.unwrap_or_else(|| ExecutionUnit::no_state())
}

/// Lets the values parked at the inlets of the slot in: the fiber has taken all its values.
#[inline(always)]
pub fn taken<F: Threaded>(eu: &mut Eu<F>, parked: bool) {
    if parked {
        eu.unit.let_parked_in();
    }
}

/// Reuses the memory of these values, whose fiber has ended.
#[inline(always)]
pub fn give_back<F: Threaded, T>(eu: &mut Eu<F>, taken: Taken<T>) {
    eu.unit.su.frames.memory.give_back(taken);
}

/// Runs a fiber that borrows the state of its frame.
#[inline(always)]
pub fn borrowed<F: Threaded>(eu: &mut Eu<F>, fiber: impl FnOnce(&mut F, &mut Eu<F>) -> Then) -> Then {
    let then = frames::with_state(eu, |eu| &mut eu.unit.su.frames.memory, Call::<F>::FRAME, fiber);
    then.unwrap_or_else(|| ExecutionUnit::no_state())
}

/// Whether a value, or a function's arguments, travels in line.
pub const fn are_in_line<T>() -> bool {
    size_of::<T>() <= PARCEL_BYTES
}

/// Refuses at compile time arguments that do not travel in line.
#[track_caller]
pub const fn arguments_fit<T>() {
    assert!(
        are_in_line::<T>(),
        "the arguments of this function take more than 48 bytes, so they do not travel in line"
    );
}

/// Refuses at compile time a value that does not travel in line.
#[track_caller]
pub const fn value_fits<T>() {
    assert!(
        are_in_line::<T>(),
        "a value of this type takes more than 48 bytes, so it does not travel in line"
    );
}

/// Panics because of a fiber that the layout does not name.
#[cold]
pub fn no_such_fiber() -> ! {
    unreachable!("a unit asks only for fibers that the layout names")
}
