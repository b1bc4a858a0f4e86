//! What a frame has besides its piece of memory: arrays whose length is known when the frame starts, and what the user of
//! frames keeps with it.
//!
//! All elements lie in one block of words: the masks of the arrays of inlets, the counts of the arrays of slots, the
//! values. The block is kept and used again by the next frame that needs one.

use std::mem::MaybeUninit;

use super::layout::{Family, FrameLayout};

/// How many elements a declared slot or inlet has, and their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The number of the first element; that of the declaration if it is no array.
    pub first: u32,
    /// How many there are.
    pub len: u32,
    /// Whether it is an array.
    pub array: bool,
}

/// A slot, or an array of slots, in one frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots {
    pub(super) extent: Extent,
    pub(super) count: u32,
    pub(super) reset: u32,
    /// The word that holds the first two counts, if it is an array.
    at: u32,
}

/// An inlet, or an array of inlets, in one frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inlets {
    pub(super) extent: Extent,
    /// The slot that the first element signals, and how far apart the slots of two neighbours are: 0 or 1.
    pub(super) slot: u32,
    pub(super) step: u32,
    /// The first word of the mask, that of the values, and the words of a value.
    mask_at: u32,
    at: u32,
    words: u32,
}

/// What a frame has besides its piece of memory.
pub struct Extra<H: Family> {
    pub(super) slots: Vec<Slots>,
    pub(super) inlets: Vec<Inlets>,
    words: Vec<MaybeUninit<u64>>,
    /// What the user of frames keeps with the frame.
    pub user: H::Extra,
}

impl<H: Family> Default for Extra<H> {
    fn default() -> Self {
        Extra { slots: Vec::new(), inlets: Vec::new(), words: Vec::new(), user: H::Extra::default() }
    }
}

impl<H: Family> Extra<H> {
    /// Lays the elements of a frame out: for each declared slot its extent, the count of the first round and that of
    /// later ones; for each declared inlet its extent.
    ///
    /// # Panics
    ///
    /// If these are not as many as `layout` declares, or an array signals a shorter one.
    pub(super) fn lay_out(
        &mut self,
        layout: &FrameLayout<H>,
        slots: impl ExactSizeIterator<Item = (Extent, u32, u32)>,
        inlets: impl ExactSizeIterator<Item = Extent>,
    ) {
        assert!(
            slots.len() == layout.slots.len() && inlets.len() == layout.inlets.len(),
            "sizes are those of the function's declarations"
        );
        let mut at = 0;
        self.slots.clear();
        for (extent, count, reset) in slots {
            let words = if extent.array { extent.len.div_ceil(2) } else { 0 };
            self.slots.push(Slots { extent, count, reset, at });
            at += words;
        }
        let counts_end = at;
        self.inlets.clear();
        for (extent, place) in inlets.zip(layout.inlets) {
            assert!(extent.array == (place.bit == 0), "an array has no place in the frame");
            let slots = &self.slots[place.slot as usize].extent;
            let (slot, step) = if slots.array { (slots.first, 1) } else { (place.slot, 0) };
            assert!(!extent.array || !slots.array || extent.len <= slots.len, "each inlet has a slot");
            let masks = if extent.array { extent.len.div_ceil(64) } else { 0 };
            self.inlets.push(Inlets { extent, slot, step, mask_at: at, at: 0, words: 0 });
            at += masks;
        }
        let masks_end = at;
        for (inlets, place) in self.inlets.iter_mut().zip(layout.inlets) {
            inlets.words = place.kind.size.div_ceil(8);
            inlets.at = at;
            at += if inlets.extent.array { inlets.extent.len * inlets.words } else { 0 };
        }
        self.words.clear();
        self.words.resize(masks_end as usize, MaybeUninit::new(0));
        self.words.resize(at as usize, MaybeUninit::uninit());
        let counts = self.words[..counts_end as usize].as_mut_ptr().cast::<u32>();
        for slots in self.slots.iter().filter(|slots| slots.extent.array) {
            for i in 0..slots.extent.len {
                // SAFETY: the words of this array of counts are those from `at` on, two counts each, all before
                // `counts_end`.
                unsafe { counts.add((2 * slots.at + i) as usize).write(slots.count) }
            }
        }
    }

    /// The declared array that element `number` of slots belongs to, and its index there.
    #[inline]
    pub(super) fn slot(&self, number: u32) -> Option<(usize, u32)> {
        find(self.slots.iter().map(|slots| &slots.extent), number)
    }

    /// The declared array that element `number` of inlets belongs to, and its index there.
    #[inline]
    pub(super) fn inlet(&self, number: u32) -> Option<(usize, u32)> {
        find(self.inlets.iter().map(|inlets| &inlets.extent), number)
    }

    /// The count of an element of an array of slots.
    #[inline]
    pub(super) fn count(&mut self, declared: usize, index: u32) -> *mut u32 {
        let slots = &self.slots[declared];
        assert!(slots.extent.array && index < slots.extent.len, "an element of an array");
        // SAFETY: the words of the array's counts are those from `at` on, two counts each.
        unsafe { self.words.as_mut_ptr().cast::<u32>().add((2 * slots.at + index) as usize) }
    }

    /// The word of the mask that says whether an element of an array of inlets is full, and its bit there.
    #[inline]
    pub(super) fn mask(&mut self, declared: usize, index: u32) -> (*mut u64, u64) {
        let inlets = &self.inlets[declared];
        assert!(inlets.extent.array && index < inlets.extent.len, "an element of an array");
        let word = (inlets.mask_at + index / 64) as usize;
        (self.words[word].as_mut_ptr(), 1 << (index % 64))
    }

    /// Where the value of an element of an array of inlets lies.
    #[inline]
    pub(super) fn value(&mut self, declared: usize, index: u32) -> *mut u8 {
        let inlets = &self.inlets[declared];
        assert!(inlets.extent.array && index < inlets.extent.len, "an element of an array");
        // SAFETY: the words of the array's values are those from `at` on.
        unsafe { self.words.as_mut_ptr().add((inlets.at + index * inlets.words) as usize).cast() }
    }
}

fn find<'a>(extents: impl Iterator<Item = &'a Extent>, number: u32) -> Option<(usize, u32)> {
    extents.enumerate().find_map(|(declared, extent)| {
        let index = number.checked_sub(extent.first)?;
        (extent.array && index < extent.len).then_some((declared, index))
    })
}
