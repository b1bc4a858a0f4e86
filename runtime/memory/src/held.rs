//! The states of frames: one value of any type each, in memory that is recycled by size class.
//!
//! A frame's state is made when its function first waits and dropped when it ends, millions of times a second, in sizes that repeat. A
//! [`HoldPool`] keeps the memory of ended states in one list per power of two (64 bytes to 4 KiB; larger states are allocated
//! and freed plainly), so the steady state allocates nothing. The list is a stack: the next state gets the memory that is
//! still in cache. Memory goes back to the system only when the pool is dropped.
//!
//! A [`Held`] owns its value, so a fiber can be given `&mut` to its state while everything else of its node is borrowed too.
//!
//! # Invariant
//!
//! `at` points to an allocation of `kind.layout` that this handle alone owns and that holds an initialised value of the type `kind` was
//! made for. Memory in the list of class `c` has the layout of class `c` and holds nothing.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::any::TypeId;
use std::marker::PhantomData;
use std::mem::{align_of, needs_drop, size_of};
use std::ptr::NonNull;

/// Every state starts on a cache line of its own.
const ALIGN: usize = 64;
const SMALLEST: usize = 64;
const CLASSES: usize = 7;

#[derive(Debug)]
struct HeldKind {
    type_id: TypeId,
    layout: Layout,
    /// Which list its memory goes to, or `CLASSES` for none.
    class: usize,
    drop: Option<unsafe fn(*mut u8)>,
}

struct Of<T>(PhantomData<T>);

impl<T: Send + 'static> Of<T> {
    const KIND: &'static HeldKind = &{
        assert!(align_of::<T>() <= ALIGN, "a frame's state has an alignment of at most 64");
        let size = if size_of::<T>() <= SMALLEST { SMALLEST } else { size_of::<T>().next_power_of_two() };
        let class = (size / SMALLEST).trailing_zeros() as usize;
        let (size, class) = if class < CLASSES { (size, class) } else { (size_of::<T>(), CLASSES) };
        let Ok(layout) = Layout::from_size_align(size, ALIGN) else { panic!("a frame's state is too large") };
        let drop = if needs_drop::<T>() { Some(drop_in_place::<T> as unsafe fn(*mut u8)) } else { None };
        HeldKind { type_id: TypeId::of::<T>(), layout, class, drop }
    };
}

/// # Safety
///
/// `value` points to an initialised `T` that nobody uses afterwards.
unsafe fn drop_in_place<T>(value: *mut u8) {
    // SAFETY: by this function's contract.
    unsafe { value.cast::<T>().drop_in_place() }
}

/// The owner of one value of a type known at run time. 16 bytes.
#[derive(Debug)]
pub struct Held {
    at: NonNull<u8>,
    kind: &'static HeldKind,
}

// SAFETY: `HoldPool::hold` takes only `Send` values, and a `Held` is the value's only handle.
unsafe impl Send for Held {}

impl Held {
    /// The value, if it is a `T`.
    #[inline(always)]
    pub fn get_mut<T: Send + 'static>(&mut self) -> Option<&mut T> {
        if !std::ptr::eq(self.kind, Of::<T>::KIND) && self.kind.type_id != TypeId::of::<T>() {
            return None;
        }
        // SAFETY: by the invariant `at` holds a value of the kind's type, which is `T`; the borrow of `self` makes it the only one.
        Some(unsafe { self.at.cast::<T>().as_mut() })
    }

    /// Drops the value and gives the memory up without freeing it.
    #[inline]
    fn vacate(self) -> (NonNull<u8>, &'static HeldKind) {
        let held = std::mem::ManuallyDrop::new(self);
        let (at, kind) = (held.at, held.kind);
        // Freed even if the value's drop panics.
        let memory = Memory { at, kind };
        if let Some(drop) = kind.drop {
            // SAFETY: by the invariant a value of this kind is there; the handle is gone, so nobody sees it again.
            unsafe { drop(at.as_ptr()) }
        }
        std::mem::forget(memory);
        (at, kind)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let whole = Held { at: self.at, kind: self.kind };
        let (at, kind) = whole.vacate();
        drop(Memory { at, kind });
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
    pub fn hold<T: Send + 'static>(&mut self, value: T) -> Held {
        let kind = Of::<T>::KIND;
        let recycled = if kind.class < CLASSES { self.free[kind.class].pop() } else { None };
        let at = recycled.unwrap_or_else(|| Self::memory(kind));
        // SAFETY: the memory has the kind's layout, which is at least that of `T`, and nobody else owns it.
        unsafe { at.cast::<T>().write(value) };
        Held { at, kind }
    }

    /// Drops the value and keeps its memory for the next one.
    #[inline(always)]
    pub fn release(&mut self, held: Held) {
        let (at, kind) = held.vacate();
        if kind.class < CLASSES {
            self.free[kind.class].push(at);
        } else {
            drop(Memory { at, kind });
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
        let address = first.at;
        pool.release(first);
        let mut second = pool.hold([2u64; 8]);
        assert_eq!(second.at, address);
        assert_eq!(second.get_mut::<[u64; 8]>(), Some(&mut [2; 8]));
        assert!(second.get_mut::<[i64; 8]>().is_none());
        let other = pool.hold([3u64; 9]);
        assert_ne!(other.at, address);
        drop((second, other));
    }

    #[test]
    fn every_state_is_dropped_once_in_every_class() {
        let counted = Arc::new(());
        let mut pool = HoldPool::new();
        let held = [
            pool.hold(counted.clone()),
            pool.hold((counted.clone(), [0u8; 500])),
            pool.hold((counted.clone(), [0u8; 4000])),
            pool.hold((counted.clone(), [0u8; 9_000])),
        ];
        assert_eq!(Arc::strong_count(&counted), 5);
        let [a, b, c, d] = held;
        pool.release(a);
        drop(b);
        pool.release(c);
        pool.release(d);
        assert_eq!(Arc::strong_count(&counted), 1);
    }
}
