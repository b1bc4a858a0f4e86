//! The drop of a value whose type was set aside.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The drop of a type that needs one.
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
    let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { drop_of(value) }));
    // The drop of a payload may panic, too; what it panics with is leaked.
    std::mem::forget(outcome.map_err(|payload| catch_unwind(AssertUnwindSafe(|| drop(payload)))));
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
