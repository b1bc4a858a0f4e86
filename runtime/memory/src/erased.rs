//! Drops of values whose types are erased, and of several values whose drops may panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

pub(crate) type DropOf = unsafe fn(*mut u8);

/// Drops a value. A panic of the drop propagates unless the thread already unwinds. During unwinding a second
/// panic would abort the process, so it is discarded and the remaining drops still run.
///
/// # Safety
///
/// `value` points to an initialized value of the type that `drop_of` drops, and the value is not used
/// afterwards.
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

/// Drops the payload of a panic. If this drop panics too, the new payload is leaked.
fn discard(payload: Box<dyn Any + Send>) {
    std::mem::forget(catch_unwind(AssertUnwindSafe(|| drop(payload))));
}

/// First panic of several drops. Every drop runs.
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

    /// Discards the caught panic, if there is one.
    pub(crate) fn discard(self) {
        self.0.into_iter().for_each(discard);
    }

    /// Resumes the caught panic, if there is one, unless the thread already unwinds.
    pub(crate) fn resume(self) {
        match self.0 {
            Some(payload) if std::thread::panicking() => discard(payload),
            Some(payload) => resume_unwind(payload),
            None => {}
        }
    }
}

/// Drops a `T`.
///
/// # Safety
///
/// `value` points to an initialized `T` that is not used afterwards.
pub(crate) unsafe fn drop_in_place<T>(value: *mut u8) {
    // SAFETY: by this function's contract.
    unsafe { value.cast::<T>().drop_in_place() }
}
