//! Where everything lies in a frame of a function, worked out when the program is compiled.
//!
//! ```text
//!  0 id: odd generation of a live frame | number     8 layout     16 flags, values parked
//! 20 counts: u32 a slot    [masks: u64 for 64 inlets]    [extra: pointer]    inlets    state
//! ```
//!
//! A slot or an inlet that stands for an array has its number here and no bytes: elements lie in the frame's
//! [extra](super::extra), as do the counts that are known only when the frame starts.

use std::any::TypeId;
use std::fmt::Debug;
use std::mem::{align_of, needs_drop, size_of};

use crate::erased::{DropOf, drop_in_place};
use crate::kind::{Kind, KindOf};

/// What the user of frames adds to them.
pub trait Family: Sized + 'static {
    /// What it wants to know of the type of a value.
    type Value: Debug + 'static;
    /// What it wants to know of a function.
    type Function: Debug + 'static;
    /// What it wants to know of a declared slot.
    type Slot: Debug + 'static;
    /// What it wants to know of a declared inlet.
    type Inlet: Debug + 'static;
    /// What it keeps with each frame that has an extra.
    type Extra: Default + Debug + Send;
}

/// Where the counts of slots begin.
pub(super) const COUNTS: u32 = 20;

/// A declared slot, or an array of slots.
#[derive(Debug)]
pub struct SlotLayout<H: Family> {
    /// The count of a new frame and that of each round after the first; 0 if there is none. Where they are known only
    /// when the frame starts, they stand in its extra.
    pub(super) count: u32,
    pub(super) reset: u32,
    /// The inlets that it counts, by number: from the first on so many.
    pub(super) first_inlet: u32,
    pub(super) inlets: u32,
    hooks: H::Slot,
}

/// A declared inlet, or an array of inlets.
#[derive(Debug)]
pub struct InletLayout<H: Family> {
    pub(super) kind: &'static Kind<H::Value>,
    /// The slot that it signals.
    pub(super) slot: u32,
    /// Where its value lies, and where the mask that says whether it is full, in which it has this bit. An array has
    /// none.
    pub(super) at: u32,
    pub(super) mask_at: u32,
    pub(super) bit: u64,
    hooks: H::Inlet,
}

impl<H: Family> SlotLayout<H> {
    /// A slot whose inlets are the next `inlets`, from number `first_inlet` on.
    pub const fn new(count: u32, reset: u32, first_inlet: u32, inlets: u32, hooks: H::Slot) -> Self {
        SlotLayout { count, reset, first_inlet, inlets, hooks }
    }

    /// What the user of frames wanted to know of it.
    #[inline(always)]
    pub const fn hooks(&self) -> &H::Slot {
        &self.hooks
    }

    /// The count of a new frame, and that of each round after the first.
    #[inline(always)]
    pub const fn counts(&self) -> (u32, u32) {
        (self.count, self.reset)
    }
}

impl<H: Family> InletLayout<H> {
    /// An inlet for values of a type, which has no place yet.
    pub const fn new<T: Send + 'static>(kind: &'static KindOf<T, H::Value>, hooks: H::Inlet) -> Self {
        InletLayout { kind: kind.erased(), slot: 0, at: 0, mask_at: 0, bit: 1, hooks }
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
    pub const fn hooks(&self) -> &H::Inlet {
        &self.hooks
    }

    const fn is_array(&self) -> bool {
        self.bit == 0
    }
}

/// `at`, or what comes next that is a multiple of `align`.
const fn up(at: u32, align: u32) -> u32 {
    at.next_multiple_of(align)
}

const fn masks_at(slots: usize) -> u32 {
    up(COUNTS + 4 * slots as u32, 8)
}

const fn values_at(slots: usize, inlets: usize, extra: bool) -> u32 {
    masks_at(slots) + 8 * inlets.div_ceil(64) as u32 + if extra { 8 } else { 0 }
}

/// Gives the inlets of a function with so many declared slots their places.
pub const fn lay_out<H: Family, const N: usize>(
    slots: usize,
    extra: bool,
    mut inlets: [InletLayout<H>; N],
) -> [InletLayout<H>; N] {
    let mut at = values_at(slots, N, extra);
    let mut i = 0;
    while i < N {
        let inlet = &mut inlets[i];
        if !inlet.is_array() {
            at = up(at, inlet.kind.align);
            inlet.at = at;
            inlet.mask_at = masks_at(slots) + 8 * (i as u32 / 64);
            inlet.bit = 1 << (i % 64);
            at += inlet.kind.size;
        }
        i += 1;
    }
    inlets
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

/// Where everything lies in the frames of a function.
#[derive(Debug)]
pub struct FrameLayout<H: Family> {
    pub(super) slots: &'static [SlotLayout<H>],
    pub(super) inlets: &'static [InletLayout<H>],
    pub(super) masks_at: u32,
    /// Where the pointer to the extra is; 0 if there is none.
    pub(super) extra_at: u32,
    pub(super) state_at: u32,
    pub(super) class: usize,
    state: TypeId,
    pub(super) drop_state: Option<DropOf>,
    hooks: H::Function,
}

impl<H: Family> FrameLayout<H> {
    /// The layout of frames with a state of type `F`. `extra` says whether each has an [extra](super::Extra).
    ///
    /// # Panics
    ///
    /// If the places of `inlets` are not those that [`lay_out`] gives them: two might overlap.
    pub const fn new<F: Send + 'static>(
        slots: &'static [SlotLayout<H>],
        inlets: &'static [InletLayout<H>],
        extra: bool,
        hooks: H::Function,
    ) -> Self {
        let mut at = values_at(slots.len(), inlets.len(), extra);
        let mut i = 0;
        while i < inlets.len() {
            let inlet = &inlets[i];
            assert!((inlet.slot as usize) < slots.len(), "an inlet signals a slot of its function");
            if inlet.is_array() {
                assert!(extra, "an array of inlets lies in the extra");
            } else {
                at = up(at, inlet.kind.align);
                let mask_at = masks_at(slots.len()) + 8 * (i as u32 / 64);
                assert!(
                    inlet.at == at && inlet.mask_at == mask_at && inlet.bit == 1 << (i % 64),
                    "inlets lie where they are laid out"
                );
                at += inlet.kind.size;
            }
            i += 1;
        }
        i = 0;
        while i < slots.len() {
            let end = slots[i].first_inlet as usize + slots[i].inlets as usize;
            assert!(end <= inlets.len(), "a slot counts inlets of its function");
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
            extra_at: if extra { values_at(slots.len(), inlets.len(), true) - 8 } else { 0 },
            state_at,
            class: class_of(state_at + size as u32),
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

    /// Whether the frames of this layout have states of type `F`. The address decides nearly always; a constant may have
    /// several.
    #[inline(always)]
    pub(super) fn is_of<F: 'static>(&self, layout: &FrameLayout<H>) -> bool {
        std::ptr::eq(self, layout) || self.has_state_of::<F>()
    }

    #[cold]
    #[inline(never)]
    fn has_state_of<F: 'static>(&self) -> bool {
        self.state == TypeId::of::<F>()
    }
}
