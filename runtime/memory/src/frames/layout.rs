//! Where everything lies in a frame of a function, worked out when the program is compiled.
//!
//! ```text
//!  0 id: odd generation of a live frame | number     8 layout     16 flags, values parked     20 mask of 32 inlets
//! 24 counts: u64 a slot    [masks: u32 for 32 more inlets]    [extra: pointer, or resets: u64 a slot]    inlets    state
//! ```
//!
//! So a function of one slot with two words of values and a state of two words takes one line of 64 bytes. An inlet that
//! stands for an array has its number here and no bytes, and a slot that does has a count that nobody uses: elements lie in
//! the frame's [extra](super::extra), and those of inlets with numbers below 32 have their bits in the mask. Counts that are
//! known only when the frame starts are written over those of the layout, and [stand beside them](Beside) where later rounds
//! need them.

use std::any::TypeId;
use std::fmt::Debug;
use std::mem::{align_of, needs_drop, size_of};

use super::count::{Count, Due};
use crate::erased::{DropOf, drop_in_place};
use crate::kind::{Kind, KindOf};

/// What the user of frames adds to the declarations of a function. It is read wherever frames are sent to, so it is `Sync`:
///
/// ```compile_fail,E0277
/// struct Own;
/// impl earth_memory::frames::Declared for Own {
///     type Value = std::cell::Cell<u32>;
///     type Slot = ();
///     type Inlet = ();
/// }
/// ```
pub trait Declared: 'static {
    /// What it wants to know of the type of a value.
    type Value: Debug + Sync + 'static;
    /// What it wants to know of a declared slot.
    type Slot: Debug + Sync + 'static;
    /// What it wants to know of a declared inlet.
    type Inlet: Debug + Sync + 'static;
}

/// What the user of frames adds to them.
pub trait Family: Sized + 'static {
    /// What it adds to declarations.
    type Declared: Declared;
    /// What it wants to know of a function.
    type Function: Debug + Sync + 'static;
    /// What it keeps with each frame that has an extra.
    type Extra: Default + Debug + Send;
}

/// What the user of frames wants to know of the type of a value.
pub type ValueOf<H> = <<H as Family>::Declared as Declared>::Value;

/// Where the mask of the first inlets is: a bit for each that is full.
pub(super) const MASK: u32 = 20;

/// Where the counts of slots begin.
pub(super) const COUNTS: u32 = 24;

/// How many inlets a mask has bits for.
pub(super) const MASK_BITS: u32 = 32;

/// A declared slot, or an array of slots.
#[derive(Debug)]
pub struct SlotLayout<D: Declared> {
    /// The count of a new frame and those of later rounds, where they are known before the frame starts.
    pub(super) first: Count,
    pub(super) due: Due,
    /// The inlets that it counts, by number: from the first on so many.
    pub(super) first_inlet: u32,
    pub(super) inlets: u32,
    hooks: D::Slot,
}

/// A declared inlet, or an array of inlets.
#[derive(Debug)]
pub struct InletLayout<D: Declared> {
    pub(super) kind: &'static Kind<D::Value>,
    /// The slot that it signals.
    pub(super) slot: u32,
    /// Where its value lies, and where the mask that says whether it is full, in which it has this bit. An array has
    /// none.
    pub(super) at: u32,
    pub(super) mask_at: u32,
    pub(super) bit: u32,
    /// Where the values of it and of the later inlets of that slot end, which lie one behind another; 0 if one of these is
    /// an array.
    pub(super) end: u32,
    /// How many words these values are, if they are whole words and all these inlets have bits in the first mask; else 0.
    pub(super) near_words: u32,
    hooks: D::Inlet,
}

impl<D: Declared> SlotLayout<D> {
    /// A slot that takes `count` signals in its first round and `reset` in each later one, if that is not 0. Its inlets are
    /// the next `inlets`, from number `first_inlet` on.
    pub const fn new(count: u32, reset: u32, first_inlet: u32, inlets: u32, hooks: D::Slot) -> Self {
        let spread = inlets > MASK_BITS;
        let counted = if spread { u64::MAX } else { ((1 << inlets) - 1) << (first_inlet % MASK_BITS) };
        SlotLayout {
            first: Count::round(count),
            due: Due { counted, next: Count::after(reset) },
            first_inlet,
            inlets,
            hooks,
        }
    }

    /// What the user of frames wanted to know of it.
    #[inline(always)]
    pub const fn hooks(&self) -> &D::Slot {
        &self.hooks
    }

    /// The count of a new frame, and that of each round after the first, 0 if there is none.
    #[inline(always)]
    pub const fn counts(&self) -> (u32, u32) {
        (self.first.halves().0, self.due.next.halves().0)
    }
}

impl<D: Declared> InletLayout<D> {
    /// An inlet for values of a type, which has no place yet.
    pub const fn new<T: Send + 'static>(kind: &'static KindOf<T, D::Value>, hooks: D::Inlet) -> Self {
        Self::of(kind.erased(), hooks)
    }

    /// As [`new`](Self::new), with the type set aside.
    pub const fn of(kind: &'static Kind<D::Value>, hooks: D::Inlet) -> Self {
        InletLayout { kind, slot: 0, at: 0, mask_at: 0, bit: 1, end: 0, near_words: 0, hooks }
    }

    /// The inlet, or an array of such, which signals slot `slot`.
    #[must_use]
    pub const fn signalling(mut self, slot: u32, array: bool) -> Self {
        self.slot = slot;
        self.bit = if array { 0 } else { 1 };
        self
    }

    /// What the user of frames wanted to know of it.
    #[inline(always)]
    pub const fn hooks(&self) -> &D::Inlet {
        &self.hooks
    }

    /// Whether it is an array.
    pub const fn is_array(&self) -> bool {
        self.bit == 0
    }
}

/// `at`, or what comes next that is a multiple of `align`.
const fn up(at: u32, align: u32) -> u32 {
    at.next_multiple_of(align)
}

/// How many masks so many inlets have besides the first.
const fn more_masks(inlets: usize) -> u32 {
    (inlets as u32).div_ceil(MASK_BITS).saturating_sub(1)
}

const fn masks_at(slots: usize) -> u32 {
    COUNTS + 8 * slots as u32
}

/// Where the mask of inlet `number` lies.
const fn mask_at(slots: usize, number: u32) -> u32 {
    match number / MASK_BITS {
        0 => MASK,
        word => masks_at(slots) + 4 * (word - 1),
    }
}

/// What frames have beside slots, inlets and state of the sizes that the layout tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beside {
    /// Nothing. The counts of one-shot slots may be known only when the frame starts.
    Nothing,
    /// The counts of later rounds, which are known only when the frame starts.
    Resets,
    /// An [extra](super::Extra), which has these counts and the elements of arrays.
    Extra,
}

const fn beside_at(slots: usize, inlets: usize) -> u32 {
    up(masks_at(slots) + 4 * more_masks(inlets), 8)
}

const fn values_at(slots: usize, inlets: usize, beside: Beside) -> u32 {
    beside_at(slots, inlets)
        + match beside {
            Beside::Nothing => 0,
            Beside::Resets => 8 * slots as u32,
            Beside::Extra => 8,
        }
}

/// Gives the inlets of a function with so many declared slots their places.
pub const fn lay_out<D: Declared, const N: usize>(
    slots: usize,
    beside: Beside,
    mut inlets: [InletLayout<D>; N],
) -> [InletLayout<D>; N] {
    let mut at = values_at(slots, N, beside);
    let mut i = 0;
    while i < N {
        let inlet = &mut inlets[i];
        if !inlet.is_array() {
            at = up(at, inlet.kind.align);
            inlet.at = at;
            inlet.mask_at = mask_at(slots, i as u32);
            inlet.bit = 1 << (i as u32 % MASK_BITS);
            at += inlet.kind.size;
        }
        i += 1;
    }
    while i > 0 {
        i -= 1;
        (inlets[i].end, inlets[i].near_words) = round_from(&inlets, i);
    }
    inlets
}

/// Where the values of inlet `number` and of the later ones of its slot end, and how many near words they are.
const fn round_from<D: Declared>(inlets: &[InletLayout<D>], number: usize) -> (u32, u32) {
    let (first, mut last) = (&inlets[number], number);
    loop {
        if inlets[last].is_array() {
            return (0, 0);
        }
        if last + 1 == inlets.len() || inlets[last + 1].slot != first.slot {
            break;
        }
        last += 1;
    }
    let end = inlets[last].at + inlets[last].kind.size;
    let is_near = inlets[last].mask_at == MASK && first.at.is_multiple_of(8) && end.is_multiple_of(8);
    (end, if is_near { (end - first.at) / 8 } else { 0 })
}

/// How many bytes a frame of class `class` has: 64, 96, 128, 192, and so on.
pub(super) const fn bytes_of(class: usize) -> u32 {
    (if class.is_multiple_of(2) { 64 } else { 96 }) << (class / 2)
}

/// How many classes there are.
pub(super) const CLASSES: usize = 40;

const fn class_of(bytes: u32) -> usize {
    let mut class = 0;
    while bytes_of(class) < bytes {
        class += 1;
        assert!(class < CLASSES, "a frame is too large");
    }
    class
}

/// The most bytes and the largest alignment of a state that lies in the frame; others lie in a box.
const STATE_BYTES: usize = 1024;
const STATE_ALIGN: usize = 32;

/// Whether a state of type `F` lies in its frame.
pub(super) const fn state_fits<F>() -> bool {
    size_of::<F>() <= STATE_BYTES && align_of::<F>() <= STATE_ALIGN
}

/// The flag of a frame that has, or may have, a slot amid a round of several signals, after which others follow.
pub(super) const ROUNDS: u32 = 1 << 30;

/// The flag of a frame that has inlets with no bit in its first mask.
pub(super) const FULL_ELSEWHERE: u32 = 1 << 29;

/// The [`ROUNDS`] of a frame that has a slot with these counts.
pub(super) const fn rounds_of(first: Count, next: Count) -> u32 {
    let ((count, _), (reset, _)) = (first.halves(), next.halves());
    if reset != 0 && (count > 1 || reset > 1) { ROUNDS } else { 0 }
}

/// Where everything lies in the frames of a function.
#[derive(Debug)]
pub struct FrameLayout<H: Family> {
    pub(super) slots: &'static [SlotLayout<H::Declared>],
    pub(super) inlets: &'static [InletLayout<H::Declared>],
    pub(super) masks_at: u32,
    /// How many masks there are besides the first.
    pub(super) more_masks: u32,
    /// How many inlets, from the first on, lie in the first mask; none of a frame that is not `plain`.
    pub(super) near: u64,
    /// Where the pointer to the extra is, and where the counts of later rounds are; 0 if there is none.
    pub(super) extra_at: u32,
    pub(super) resets_at: u32,
    /// Whether there is neither.
    pub(super) plain: bool,
    pub(super) state_at: u32,
    pub(super) class: usize,
    /// The flags that a frame begins with.
    pub(super) flags: u32,
    state: TypeId,
    pub(super) drop_state: Option<DropOf>,
    hooks: H::Function,
}

impl<H: Family> FrameLayout<H> {
    /// The layout of frames with a state of type `F`.
    ///
    /// # Panics
    ///
    /// If the places of `inlets` are not those that [`lay_out`] gives them (two might overlap), an inlet signals a slot that
    /// does not count it, or a slot counts an inlet that signals another one.
    pub const fn new<F: Send + 'static>(
        slots: &'static [SlotLayout<H::Declared>],
        inlets: &'static [InletLayout<H::Declared>],
        beside: Beside,
        hooks: H::Function,
    ) -> Self {
        let extra = matches!(beside, Beside::Extra);
        let beside_at = beside_at(slots.len(), inlets.len());
        let mut at = values_at(slots.len(), inlets.len(), beside);
        let mut i = 0;
        while i < inlets.len() {
            let inlet = &inlets[i];
            assert!((inlet.slot as usize) < slots.len(), "an inlet signals a slot of its function");
            let slot = &slots[inlet.slot as usize];
            let from = slot.first_inlet as usize;
            assert!(from <= i && i - from < slot.inlets as usize, "a slot counts the inlets that signal it");
            if inlet.is_array() {
                assert!(extra && inlet.at == 0 && inlet.mask_at == 0, "an array of inlets lies in the extra");
            } else {
                at = up(at, inlet.kind.align);
                assert!(
                    inlet.at == at
                        && inlet.mask_at == mask_at(slots.len(), i as u32)
                        && inlet.bit == 1 << (i as u32 % MASK_BITS),
                    "inlets lie where they are laid out"
                );
                at += inlet.kind.size;
            }
            let (end, near_words) = round_from(inlets, i);
            assert!(
                inlet.end == end && inlet.near_words == near_words,
                "inlets know where the values of their slots end"
            );
            i += 1;
        }
        let plain = matches!(beside, Beside::Nothing);
        let mut near = 0;
        while plain && near < inlets.len() && near < MASK_BITS as usize && !inlets[near].is_array() {
            near += 1;
        }
        let mut flags = if more_masks(inlets.len()) > 0 { FULL_ELSEWHERE } else { 0 };
        i = 0;
        while i < slots.len() {
            let end = slots[i].first_inlet as usize + slots[i].inlets as usize;
            assert!(end <= inlets.len(), "a slot counts inlets of its function");
            let mut counted = slots[i].first_inlet as usize;
            while counted < end {
                assert!(inlets[counted].slot as usize == i, "a slot counts inlets that signal it");
                counted += 1;
            }
            flags |= rounds_of(slots[i].first, slots[i].due.next);
            i += 1;
        }
        let (drop_state, size, align) = if state_fits::<F>() {
            let drop = if needs_drop::<F>() { Some(drop_in_place::<F> as DropOf) } else { None };
            (drop, size_of::<F>(), align_of::<F>())
        } else {
            (Some(drop_in_place::<Box<F>> as DropOf), size_of::<Box<F>>(), align_of::<Box<F>>())
        };
        let state_at = up(at, align as u32);
        FrameLayout {
            slots,
            inlets,
            masks_at: masks_at(slots.len()),
            more_masks: more_masks(inlets.len()),
            near: near as u64,
            extra_at: if extra { beside_at } else { 0 },
            resets_at: if matches!(beside, Beside::Resets) { beside_at } else { 0 },
            plain,
            state_at,
            class: class_of(state_at + size as u32),
            flags,
            state: TypeId::of::<F>(),
            drop_state,
            hooks,
        }
    }

    /// What the user of frames wanted to know of the function.
    #[inline(always)]
    pub const fn hooks(&self) -> &H::Function {
        &self.hooks
    }

    /// How many bytes a frame takes.
    pub const fn bytes(&self) -> u32 {
        bytes_of(self.class)
    }

    /// Whether states are of type `F`: known when the program is compiled, if the layout is.
    #[inline(always)]
    pub(super) fn is_of<F: 'static>(&self) -> bool {
        self.state == TypeId::of::<F>()
    }

    /// Where the state lies, if it is of type `F`.
    #[cold]
    #[inline(never)]
    pub(super) fn state_at_of<F: 'static>(&self) -> Option<u32> {
        self.is_of::<F>().then_some(self.state_at)
    }
}

/// What has a layout, which the compiler knows where it is used.
pub trait Laid<H: Family> {
    /// The layout.
    const FRAME: &'static FrameLayout<H>;
}
