//! The elements of arrays of inlets: where each lies, and whether all of an array are full.
//!
//! An inlet whose number is less than that of the bits of a frame's first mask has its bit there, an element as well as a
//! declared one. So a small array is full, is emptied, and is found empty when its frame ends, by one look at that mask. The
//! masks of all other elements lie in the extra.

use std::iter;

use super::extra::Extra;
use super::find::Inlet;
use super::layout::{Family, MASK, MASK_BITS};
use super::store::{Frames, Head};
use super::tables::{Extent, Inlets, Tables};

/// The arrays of a frame.
pub(super) struct Arrays<'a, H: Family> {
    head: *mut Head<H>,
    pub(super) extra: &'a Extra<H>,
    pub(super) tables: &'a Tables<H>,
}

impl<H: Family> Frames<H> {
    /// The arrays of a frame, if it has an extra that is laid out.
    ///
    /// # Safety
    ///
    /// `head` is Live; while the arrays are used the store is not changed.
    #[inline(always)]
    pub(super) unsafe fn arrays<'a>(head: *mut Head<H>) -> Option<Arrays<'a, H>> {
        // SAFETY: by this function's contract.
        let extra: &Extra<H> = unsafe { Self::extra_of(head)? };
        Some(Arrays { head, extra, tables: extra.tables()? })
    }
}

impl<H: Family> Arrays<'_, H> {
    /// An element of an array of inlets.
    ///
    /// # Safety
    ///
    /// The array is one of these, and has an element of this index.
    #[inline(always)]
    pub(super) unsafe fn element(&self, inlets: &Inlets<H>, index: u32) -> Inlet<H> {
        let number = inlets.extent.first + index;
        Inlet {
            kind: inlets.kind,
            slot: inlets.slot + inlets.step * index,
            value: self.extra.word(inlets.at + index * inlets.words),
            // SAFETY: by this function's contract; Sized.
            mask: unsafe { self.mask_of(number) },
            bit: 1 << (number % MASK_BITS),
            due: inlets.due,
        }
    }

    /// The mask that says whether an element is full.
    ///
    /// # Safety
    ///
    /// One of the arrays has an element of this number.
    #[inline(always)]
    unsafe fn mask_of(&self, number: u32) -> *mut u32 {
        // SAFETY: by this function's contract; the first mask lies in the head.
        unsafe {
            if number < MASK_BITS {
                Frames::place(self.head, MASK)
            } else {
                self.extra.mask_of(self.tables, number)
            }
        }
    }

    /// The masks of the elements of an array, each with the bits that they have there.
    ///
    /// # Safety
    ///
    /// The array is one of these.
    unsafe fn masks(&self, Extent { first, len, .. }: Extent) -> impl Iterator<Item = (*mut u32, u32)> {
        let (mut number, end) = (first, first + len);
        iter::from_fn(move || {
            if number == end {
                return None;
            }
            let from = number;
            number = (from | (MASK_BITS - 1)).saturating_add(1).min(end);
            let bits = ((1u64 << (number - from)) - 1) << (from % MASK_BITS);
            // SAFETY: by this function's contract.
            Some((unsafe { self.mask_of(from) }, bits as u32))
        })
    }

    /// Whether all elements of an array are full.
    ///
    /// # Safety
    ///
    /// The array is one of these.
    #[inline(always)]
    pub(super) unsafe fn all_full(&self, inlets: &Inlets<H>) -> bool {
        // SAFETY: by this function's contract.
        unsafe {
            if inlets.bits != 0 {
                return (*self.head).mask & inlets.bits == inlets.bits;
            }
            self.masks(inlets.extent).all(|(mask, bits)| *mask & bits == bits)
        }
    }

    /// Has all elements of an array be empty.
    ///
    /// # Safety
    ///
    /// The array is one of these.
    #[inline(always)]
    pub(super) unsafe fn empty(&self, inlets: &Inlets<H>) {
        // SAFETY: by this function's contract.
        unsafe {
            if inlets.bits != 0 {
                (*self.head).mask &= !inlets.bits;
            } else {
                self.masks(inlets.extent).for_each(|(mask, bits)| *mask &= !bits);
            }
        }
    }
}
