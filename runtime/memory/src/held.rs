//! The states of frames: one value of any type each, in memory that is recycled by size class.
//!
//! A frame's state is made when its function first waits and dropped when it ends, millions of times a
//! second, in sizes that repeat. A [`HoldPool`] keeps the memory of ended states in one list per power of two
//! (64 bytes to 4 KiB; larger states are allocated and freed plainly), so the steady state allocates nothing.
//! The list is a stack: the next state gets the memory that is still in cache. Memory goes back to the system
//! only when the pool is dropped.
//!
//! A [`Held`] owns its value, so a fiber can be given `&mut` to its state while everything else of
//! its node is borrowed too.
//!
//! # Invariant
//!
//! `at` points to an allocation of `kind.layout` that this handle alone owns and that holds an
//! initialised value of the type `kind` was made for. Memory in the list of class `c` has the layout of
//! class `c` and holds nothing.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::any::TypeId;
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, align_of, needs_drop, size_of};
use std::ptr::NonNull;

use crate::erased::{DropOf, drop_erased, drop_in_place};

/// Every state starts on a cache line of its own.
const ALIGN: usize = 64;
const SMALLEST: usize = 64;
const CLASSES: usize = 7;

#[derive(Debug)]
struct HeldKind {
    type_id: TypeId,
    layout: Layout,
    /// The list of free memory that its memory goes to, or `CLASSES` for none.
    class: usize,
    drop: Option<DropOf>,
}

struct Of<T>(PhantomData<T>);

impl<T: Send + 'static> Of<T> {
    const KIND: &'static HeldKind = &{
        assert!(align_of::<T>() <= ALIGN, "a frame's state has an alignment of at most 64");
        let size = if size_of::<T>() <= SMALLEST { SMALLEST } else { size_of::<T>().next_power_of_two() };
        let class = (size / SMALLEST).trailing_zeros() as usize;
        let (size, class) = if class < CLASSES { (size, class) } else { (size_of::<T>(), CLASSES) };
        let Ok(layout) = Layout::from_size_align(size, ALIGN) else { panic!("a frame's state is too large") };
        let drop = if needs_drop::<T>() { Some(drop_in_place::<T> as DropOf) } else { None };
        HeldKind { type_id: TypeId::of::<T>(), layout, class, drop }
    };
}

/// The owner of one value of a type known at run time. 16 bytes.
#[derive(Debug)]
pub struct Held {
    at: NonNull<u8>,
    kind: &'static HeldKind,
}

/// The owner of one value whose type is known: a [`Held`] that was found to hold a `T`.
#[derive(Debug)]
pub struct HeldAs<T> {
    held: Held,
    holds: PhantomData<T>,
}

// SAFETY: `HoldPool::hold` takes only `Send` values, and a `Held` is the value's only handle.
unsafe impl Send for Held {}

impl<T: Send + 'static> HeldAs<T> {
    /// The value.
    #[inline(always)]
    pub fn get_mut(&mut self) -> &mut T {
        // SAFETY: by the invariant `at` holds a value of the kind's type, which `Held::downcast` or
        // `HoldPool::hold` saw to be `T`; the borrow of `self` makes it the only one.
        unsafe { self.held.at.cast::<T>().as_mut() }
    }

    /// Forgets the type of the value.
    #[inline(always)]
    pub fn erase(self) -> Held {
        self.held
    }
}

impl Held {
    /// Recalls the type of the value, if it is `T`.
    #[inline(always)]
    pub fn downcast<T: Send + 'static>(self) -> Option<HeldAs<T>> {
        let same = std::ptr::eq(self.kind, Of::<T>::KIND) || self.holds_a::<T>();
        if same { Some(HeldAs { held: self, holds: PhantomData }) } else { None }
    }

    /// A type's kind may have several addresses, but hardly ever has.
    #[cold]
    #[inline(never)]
    fn holds_a<T: 'static>(&self) -> bool {
        self.kind.type_id == TypeId::of::<T>()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // Freed even if the value's drop panics.
        let _memory = Memory { at: self.at, kind: self.kind };
        if let Some(drop) = self.kind.drop {
            // SAFETY: by the invariant a value of this kind is there; the handle is going,
            // so nobody sees it again.
            unsafe { drop_erased(drop, self.at.as_ptr()) }
        }
    }
}

/// Memory of a kind's layout that holds no value.
struct Memory {
    at: NonNull<u8>,
    kind: &'static HeldKind,
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated by `HoldPool::memory` with this layout and owned by this value alone.
        unsafe { dealloc(self.at.as_ptr(), self.kind.layout) }
    }
}

/// Memory for states, recycled by size class. One thread's: it is neither shared nor locked.
#[derive(Debug, Default)]
pub struct HoldPool {
    free: [Vec<NonNull<u8>>; CLASSES],
}

// SAFETY: the lists own plain memory that nobody else points to.
unsafe impl Send for HoldPool {}

impl HoldPool {
    /// A pool that owns no memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves `value` into memory of the pool.
    #[inline(always)]
    pub fn hold<T: Send + 'static>(&mut self, value: T) -> HeldAs<T> {
        let kind = Of::<T>::KIND;
        let recycled = if kind.class < CLASSES { self.free[kind.class].pop() } else { None };
        let at = recycled.unwrap_or_else(|| Self::memory(kind));
        // SAFETY: the memory has the kind's layout, which is at least that of `T`, and nobody else owns it.
        unsafe { at.cast::<T>().write(value) };
        HeldAs { held: Held { at, kind }, holds: PhantomData }
    }

    /// Moves the value out and keeps its memory for the next one.
    #[inline(always)]
    pub fn take<T: Send + 'static>(&mut self, held: HeldAs<T>) -> T {
        let kind = Of::<T>::KIND;
        let at = ManuallyDrop::new(held.held).at;
        // SAFETY: by the invariant a `T` is there; the handle is gone, so nobody reads it again.
        let value = unsafe { at.cast::<T>().read() };
        if kind.class < CLASSES {
            self.free[kind.class].push(at);
        } else {
            drop(Memory { at, kind });
        }
        value
    }

    /// Drops the value and keeps its memory for the next one.
    #[inline(always)]
    pub fn release<T: Send + 'static>(&mut self, held: HeldAs<T>) {
        let kind = Of::<T>::KIND;
        let at = ManuallyDrop::new(held.held).at;
        // Freed if the value's drop panics.
        let memory = Memory { at, kind };
        // SAFETY: by the invariant a `T` is there; the handle is gone, so nobody sees it again.
        unsafe { at.cast::<T>().drop_in_place() }
        if kind.class < CLASSES {
            std::mem::forget(memory);
            self.free[kind.class].push(at);
        }
    }

    #[cold]
    fn memory(kind: &HeldKind) -> NonNull<u8> {
        // SAFETY: no layout of a kind is of size zero.
        let at = unsafe { alloc(kind.layout) };
        NonNull::new(at).unwrap_or_else(|| handle_alloc_error(kind.layout))
    }
}

impl Drop for HoldPool {
    fn drop(&mut self) {
        for (class, list) in self.free.iter_mut().enumerate() {
            for at in list.drain(..) {
                let layout =
                    Layout::from_size_align(SMALLEST << class, ALIGN).expect("a class has a valid layout");
                // SAFETY: memory in the list of a class has that class's layout and is owned by the list.
                unsafe { dealloc(at.as_ptr(), layout) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn memory_of_an_ended_state_serves_the_next_of_its_class() {
        let mut pool = HoldPool::new();
        let first = pool.hold([1u64; 3]);
        let address = first.held.at;
        pool.release(first);
        let mut second = pool.hold([2u64; 8]);
        assert_eq!((second.held.at, *second.get_mut()), (address, [2; 8]));
        let other = pool.hold([3u64; 9]);
        assert_ne!(other.held.at, address);
    }

    #[test]
    fn a_state_is_found_again_only_as_what_it_is() {
        let mut pool = HoldPool::new();
        let held = pool.hold([2u64; 8]).erase();
        let mut same = held.downcast::<[u64; 8]>().expect("an array of eight words is held");
        assert_eq!(same.get_mut(), &mut [2; 8]);
        assert!(same.erase().downcast::<[i64; 8]>().is_none());
    }

    #[test]
    fn every_state_is_dropped_once_in_every_class() {
        let counted = Arc::new(());
        let mut pool = HoldPool::new();
        let a = pool.hold(counted.clone());
        let b = pool.hold((counted.clone(), [0u8; 500]));
        let c = pool.hold((counted.clone(), [0u8; 4000]));
        let d = pool.hold((counted.clone(), [0u8; 9_000]));
        assert_eq!(Arc::strong_count(&counted), 5);
        pool.release(a);
        drop(b);
        pool.release(c);
        pool.release(d);
        assert_eq!(Arc::strong_count(&counted), 1);
    }
}
