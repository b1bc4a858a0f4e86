//! The compile-time layout of the frames of a function.
//!
//! ```text
//!  0 id: generation (odd while live) | number    8 layout    16 flags, parked count    20 mask of 32 inlets
//! 24 counts: u64 a slot    [masks: u32 for 32 more inlets]    [extra: pointer, or resets: u64 a slot]
//!    inlets    state
//! ```
//!
//! So a function of one slot with two words of values and a state of two words takes one cache line of 64
//! bytes. A declared array of inlets has its number here and no bytes. A declared array of slots has an
//! unused count. Array elements are in the frame's [extra](super::extra); elements of inlets with numbers
//! below 32 have their bits in the mask. Counts that are known only when the frame starts overwrite the
//! counts of the layout. If later rounds need them, the frame [also keeps](ExtraContents) them.
//!
//! # The parameter of frames
//!
//! Frames have one parameter, the [`Function`]. This crate is below the units that run fibers. So it can name
//! neither the code that resumes a frame, nor the serialization of a value, nor a cell. A function pointer
//! behind a type known here would need a check at each fiber.

use std::any::TypeId;
use std::fmt::Debug;
use std::mem::{align_of, needs_drop, size_of};

use super::count::{Count, Due};
use crate::erased::{DropOf, drop_in_place};
use crate::kind::Kind;

/// Description of a function, which the runtime attaches to each layout. Other threads read it, so all of it
/// is `Sync`:
///
/// ```compile_fail,E0277
/// #[derive(Debug)]
/// struct Own;
/// impl earth_memory::frames::Function for Own {
///     type Value = std::cell::Cell<u32>;
///     type Extra = ();
/// }
/// ```
pub trait Function: Debug + Sync + 'static {
    /// The hooks of the kinds of values.
    type Value: Debug + Sync + 'static;
    /// Data that the runtime keeps in each frame with an extra.
    type Extra: Default + Debug + Send;
}

/// Offset of the mask of the first inlets: one bit for each that is full.
pub(super) const MASK: u32 = 20;

/// Offset of the counts of slots.
pub(super) const COUNTS: u32 = 24;

/// Number of inlets that one mask covers.
pub(super) const MASK_BITS: u32 = 32;

/// A declared slot, or an array of slots.
#[derive(Debug)]
pub struct SlotLayout {
    /// Name of the slot.
    pub name: &'static str,
    /// Number of the fiber that the slot enables.
    pub fiber: u32,
    /// Whether it is an array.
    pub array: bool,
    /// Whether the slot resets.
    pub again: bool,
    /// Whether the counts are known only when the frame starts.
    pub varies: bool,
    /// Counts of the first round and of later ones, if they are known before the frame starts.
    pub(super) first: Count,
    pub(super) due: Due,
    /// Inlets that the slot counts: the number of the first, and how many follow one another.
    pub(super) first_inlet: u32,
    pub(super) inlets: u32,
}

/// A declared inlet, or an array of inlets.
#[derive(Debug)]
pub struct InletLayout<V: 'static> {
    /// Name of the inlet.
    pub name: &'static str,
    /// Whether it is an array.
    pub array: bool,
    pub(super) kind: &'static Kind<V>,
    pub(super) slot: u32,
    pub(super) spot: Spot,
}

/// Position of the value of an inlet in a frame; unused for an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) at: u32,
    /// Offset of the mask that shows whether the inlet is full, and the inlet's bit in it.
    pub(super) mask_at: u32,
    pub(super) bit: u32,
    /// For the first inlet of a slot: the end of the values of all inlets of the slot, which are contiguous.
    /// It is 0 if one of them is an array.
    pub(super) end: u32,
    /// Size of these values in words if all these inlets have bits in the first mask, else
    /// [`NOT_IN_FIRST_MASK`].
    pub(super) value_words: u32,
}

impl SlotLayout {
    /// Describes a slot, or an array of slots, that enables fiber `fiber` and counts the inlets
    /// `first_inlet..first_inlet + inlets`. `counts` gives the signals of the first round and of each later
    /// round; a second count of 0 means no later round. `None` means that they are known only when the frame
    /// starts.
    pub const fn new(
        name: &'static str,
        fiber: u32,
        counts: Option<(u32, u32)>,
        again: bool,
        array: bool,
        first_inlet: u32,
        inlets: u32,
    ) -> Self {
        let (count, reset) = match counts {
            Some(counts) => counts,
            None => (0, 0),
        };
        let spread = inlets > MASK_BITS;
        let counted = if spread { u64::MAX } else { ((1 << inlets) - 1) << (first_inlet % MASK_BITS) };
        SlotLayout {
            name,
            fiber,
            array,
            again,
            varies: counts.is_none(),
            first: Count::round(count),
            due: Due { counted, next: Count::after(reset) },
            first_inlet,
            inlets,
        }
    }

    /// Returns the counts of the first round and of each later one; 0 means no later round.
    #[inline(always)]
    pub const fn counts(&self) -> (u32, u32) {
        (self.first.halves().0, self.due.next.halves().0)
    }
}

impl<V> InletLayout<V> {
    /// Describes an inlet, or an array of inlets, for values of a kind, which signals slot `slot`.
    /// [`lay_out`] sets its position later.
    pub const fn new(name: &'static str, kind: &'static Kind<V>, slot: u32, array: bool) -> Self {
        InletLayout { name, array, kind, slot, spot: Spot::NONE }
    }

    /// Returns the end of the value, if the values before it end at `at`.
    const fn end(&self, at: u32) -> u32 {
        if self.array { at } else { up(at, self.kind.align) + self.kind.size }
    }
}

/// Number of words larger than any frame.
const NOT_IN_FIRST_MASK: u32 = u32::MAX;

impl Spot {
    const NONE: Spot = Spot { at: 0, mask_at: 0, bit: 0, end: 0, value_words: NOT_IN_FIRST_MASK };

    /// Returns the spot of inlet `number` in frames with `slots` slots, if the values of the inlets before it
    /// end at `at`.
    const fn of<V>(slots: usize, inlets: &[InletLayout<V>], number: usize, at: u32) -> Spot {
        let inlet = &inlets[number];
        if inlet.array {
            return Spot::NONE;
        }
        let mut spot = Spot {
            at: up(at, inlet.kind.align),
            mask_at: mask_at(slots, number),
            bit: 1 << (number as u32 % MASK_BITS),
            ..Spot::NONE
        };
        if number > 0 && inlets[number - 1].slot == inlet.slot {
            return spot;
        }
        let (mut last, mut end) = (number, inlet.end(at));
        while last + 1 < inlets.len() && inlets[last + 1].slot == inlet.slot {
            last += 1;
            if inlets[last].array {
                return spot;
            }
            end = inlets[last].end(end);
        }
        spot.end = end;
        if mask_at(slots, last) == MASK {
            spot.value_words = end.div_ceil(8) - spot.at / 8;
        }
        spot
    }

    const fn is(self, other: Spot) -> bool {
        self.at == other.at
            && self.mask_at == other.mask_at
            && self.bit == other.bit
            && self.end == other.end
            && self.value_words == other.value_words
    }
}

/// Returns the smallest multiple of `align` that is at least `at`.
const fn up(at: u32, align: u32) -> u32 {
    at.next_multiple_of(align)
}

/// Returns the number of masks besides the first that `inlets` inlets need.
const fn more_masks(inlets: usize) -> u32 {
    (inlets as u32).div_ceil(MASK_BITS).saturating_sub(1)
}

const fn masks_at(slots: usize) -> u32 {
    COUNTS + 8 * slots as u32
}

/// Returns the offset of the mask of inlet `number`.
const fn mask_at(slots: usize, number: usize) -> u32 {
    match number as u32 / MASK_BITS {
        0 => MASK,
        word => masks_at(slots) + 4 * (word - 1),
    }
}

/// Further contents of frames, besides slots, inlets and state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExtraContents {
    /// No further contents. The counts of one-shot slots may be known only when the frame starts.
    Nothing,
    /// Counts of later rounds, which are known only when the frame starts.
    Resets,
    /// An extra, which holds these counts and the elements of arrays.
    Extra,
}

const fn beside_at(slots: usize, inlets: usize) -> u32 {
    up(masks_at(slots) + 4 * more_masks(inlets), 8)
}

const fn values_at(slots: usize, inlets: usize, extra_contents: ExtraContents) -> u32 {
    beside_at(slots, inlets)
        + match extra_contents {
            ExtraContents::Nothing => 0,
            ExtraContents::Resets => 8 * slots as u32,
            ExtraContents::Extra => 8,
        }
}

/// Sets the positions of the inlets of a function with `slots` declared slots.
pub const fn lay_out<V, const N: usize>(
    slots: usize,
    extra_contents: ExtraContents,
    mut inlets: [InletLayout<V>; N],
) -> [InletLayout<V>; N] {
    let mut at = values_at(slots, N, extra_contents);
    let mut i = 0;
    while i < N {
        inlets[i].spot = Spot::of(slots, &inlets, i, at);
        at = inlets[i].end(at);
        i += 1;
    }
    inlets
}

/// Returns the size in bytes of a frame of class `class`: 64, 96, 128, 192, and so on.
pub(super) const fn bytes_of(class: usize) -> u32 {
    (if class.is_multiple_of(2) { 64 } else { 96 }) << (class / 2)
}

pub(super) const CLASSES: usize = 40;

const fn class_of(bytes: u32) -> usize {
    let mut class = 0;
    while bytes_of(class) < bytes {
        class += 1;
        assert!(class < CLASSES, "a frame is too large");
    }
    class
}

/// Maximum size and alignment, in bytes, of a state in the frame. Other states are in a box.
const STATE_BYTES: usize = 1024;
const STATE_ALIGN: usize = 32;

/// Whether a state of type `S` is stored in its frame without a box.
pub(super) const fn state_fits<S>() -> bool {
    size_of::<S>() <= STATE_BYTES && align_of::<S>() <= STATE_ALIGN
}

/// Flag of a frame that may have a slot in the middle of a round of several signals, with further rounds to
/// follow.
pub(super) const ROUNDS: u32 = 1 << 30;

/// Flag of a frame with inlets that have no bit in its first mask.
pub(super) const FULL_ELSEWHERE: u32 = 1 << 29;

/// Returns the [`ROUNDS`] flag of a frame with a slot of these counts.
pub(super) const fn rounds_of(first: Count, next: Count) -> u32 {
    let ((count, _), (reset, _)) = (first.halves(), next.halves());
    if reset != 0 && (count > 1 || reset > 1) { ROUNDS } else { 0 }
}

/// Layout of the frames of a function.
#[derive(Debug)]
pub struct FrameLayout<F: Function> {
    pub(super) slots: &'static [SlotLayout],
    pub(super) inlets: &'static [InletLayout<F::Value>],
    pub(super) masks_at: u32,
    /// Number of masks besides the first.
    pub(super) more_masks: u32,
    /// Number of leading inlets with bits in the first mask; 0 if the frame is not `plain`.
    pub(super) leading_inlets: u64,
    /// Offsets of the pointer to the extra and of the counts of later rounds; 0 if absent.
    pub(super) extra_at: u32,
    pub(super) resets_at: u32,
    /// Whether the frame has neither an extra nor counts of later rounds.
    pub(super) plain: bool,
    pub(super) state_at: u32,
    pub(super) class: usize,
    /// Initial flags of a frame.
    pub(super) flags: u32,
    state: TypeId,
    pub(super) drop_state: Option<DropOf>,
    function: F,
}

impl<F: Function> FrameLayout<F> {
    /// Returns the layout of frames with a state of type `S`.
    ///
    /// # Panics
    ///
    /// If the positions of `inlets` differ from the ones that [`lay_out`] sets (two might overlap), an inlet
    /// signals a slot that does not count it, or a slot counts an inlet that signals another slot.
    pub const fn new<S: Send + 'static>(
        slots: &'static [SlotLayout],
        inlets: &'static [InletLayout<F::Value>],
        extra_contents: ExtraContents,
        function: F,
    ) -> Self {
        let values_end = Self::check_inlets(slots, inlets, extra_contents);
        Self::check_slots(slots, inlets);
        let (size, align, drop_state) = if state_fits::<S>() {
            let drop = if needs_drop::<S>() { Some(drop_in_place::<S> as DropOf) } else { None };
            (size_of::<S>(), align_of::<S>(), drop)
        } else {
            (size_of::<Box<S>>(), align_of::<Box<S>>(), Some(drop_in_place::<Box<S>> as DropOf))
        };
        let state_at = up(values_end, align as u32);
        let beside_at = beside_at(slots.len(), inlets.len());
        let plain = matches!(extra_contents, ExtraContents::Nothing);
        FrameLayout {
            slots,
            inlets,
            masks_at: masks_at(slots.len()),
            more_masks: more_masks(inlets.len()),
            leading_inlets: if plain { near_inlets(inlets) } else { 0 },
            extra_at: if matches!(extra_contents, ExtraContents::Extra) { beside_at } else { 0 },
            resets_at: if matches!(extra_contents, ExtraContents::Resets) { beside_at } else { 0 },
            plain,
            state_at,
            class: class_of(state_at + size as u32),
            flags: first_flags(slots, inlets.len()),
            state: TypeId::of::<S>(),
            drop_state,
            function,
        }
    }

    /// Checks the positions of inlets, and that the signaled slots count them. Returns the end of their
    /// values.
    const fn check_inlets(
        slots: &[SlotLayout],
        inlets: &[InletLayout<F::Value>],
        extra_contents: ExtraContents,
    ) -> u32 {
        let mut at = values_at(slots.len(), inlets.len(), extra_contents);
        let mut i = 0;
        while i < inlets.len() {
            let inlet = &inlets[i];
            assert!((inlet.slot as usize) < slots.len(), "an inlet must signal a slot of its function");
            let slot = &slots[inlet.slot as usize];
            let from = slot.first_inlet as usize;
            assert!(
                from <= i && i - from < slot.inlets as usize,
                "a slot must count the inlets that signal it"
            );
            assert!(
                !inlet.array || matches!(extra_contents, ExtraContents::Extra),
                "an array of inlets needs `Beside::Extra`"
            );
            assert!(
                inlet.spot.is(Spot::of(slots.len(), inlets, i, at)),
                "inlets must be where `lay_out` places them"
            );
            at = inlet.end(at);
            i += 1;
        }
        at
    }

    /// Checks that slots count only inlets that signal them.
    const fn check_slots(slots: &[SlotLayout], inlets: &[InletLayout<F::Value>]) {
        let mut i = 0;
        while i < slots.len() {
            let mut counted = slots[i].first_inlet as usize;
            let end = counted + slots[i].inlets as usize;
            assert!(end <= inlets.len(), "a slot must count inlets of its function");
            while counted < end {
                assert!(inlets[counted].slot as usize == i, "a slot must count only inlets that signal it");
                counted += 1;
            }
            i += 1;
        }
    }

    /// Returns the description of the function.
    #[inline(always)]
    pub const fn function(&self) -> &F {
        &self.function
    }

    /// Returns the size of a frame in bytes.
    pub const fn bytes(&self) -> u32 {
        bytes_of(self.class)
    }

    /// Whether states are of type `S`. The compiler evaluates this if the layout is known at compile time.
    #[inline(always)]
    pub(super) fn is_of<S: 'static>(&self) -> bool {
        self.state == TypeId::of::<S>()
    }

    /// Returns the offset of the state, if it is of type `S`.
    #[cold]
    #[inline(never)]
    pub(super) fn state_at_of<S: 'static>(&self) -> Option<u32> {
        self.is_of::<S>().then_some(self.state_at)
    }
}

/// Returns the number of leading inlets that are no arrays and have bits in the first mask.
const fn near_inlets<V>(inlets: &[InletLayout<V>]) -> u64 {
    let mut leading_inlets = 0;
    while leading_inlets < inlets.len()
        && leading_inlets < MASK_BITS as usize
        && !inlets[leading_inlets].array
    {
        leading_inlets += 1;
    }
    leading_inlets as u64
}

/// Returns the initial flags of a frame with these slots and this number of inlets.
const fn first_flags(slots: &[SlotLayout], inlets: usize) -> u32 {
    let mut flags = if more_masks(inlets) > 0 { FULL_ELSEWHERE } else { 0 };
    let mut i = 0;
    while i < slots.len() {
        flags |= rounds_of(slots[i].first, slots[i].due.next);
        i += 1;
    }
    flags
}
