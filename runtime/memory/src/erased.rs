//! The drop of a value whose type was set aside, and of several values any of which may panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

pub(crate) type DropOf = unsafe fn(*mut u8);

/// Drops a value. A panic of its drop goes on, unless the thread unwinds already: a second panic would end the
/// process, so it is passed over, and the rest of what is dropped on the way goes, too.
///
/// # Safety
///
/// `value` points to an initialised value of the type of `drop_of`, and nobody uses it afterwards.
#[inline(never)]
pub(crate) unsafe fn drop_erased(drop_of: DropOf, value: *mut u8) {
    if !std::thread::panicking() {
        // SAFETY: by this function's contract.
        return unsafe { drop_of(value) };
    }
    // SAFETY: by this function's contract.
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| unsafe { drop_of(value) })) {
        discard(payload);
    }
}

/// Drops what a panic carried. Its drop may panic, too; what that panics with is leaked.
fn discard(payload: Box<dyn Any + Send>) {
    std::mem::forget(catch_unwind(AssertUnwindSafe(|| drop(payload))));
}

/// The first panic of several drops, all of which have their turn.
pub(crate) struct FirstPanic(Option<Box<dyn Any + Send>>);

impl FirstPanic {
    pub(crate) const fn none() -> Self {
        FirstPanic(None)
    }

    pub(crate) fn catch(&mut self, drops: impl FnOnce()) {
        match catch_unwind(AssertUnwindSafe(drops)) {
            Err(payload) if self.0.is_none() => self.0 = Some(payload),
            Err(payload) => discard(payload),
            Ok(()) => {}
        }
    }

    /// Lets the panic go on, if there was one, unless the thread unwinds already.
    pub(crate) fn resume(self) {
        match self.0 {
            Some(payload) if std::thread::panicking() => discard(payload),
            Some(payload) => resume_unwind(payload),
            None => {}
        }
    }
}

/// The drop of a `T`.
///
/// # Safety
///
/// `value` points to an initialised `T` that nobody uses afterwards.
pub(crate) unsafe fn drop_in_place<T>(value: *mut u8) {
    // SAFETY: by this function's contract.
    unsafe { value.cast::<T>().drop_in_place() }
}
