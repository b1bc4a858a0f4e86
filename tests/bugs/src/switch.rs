//! Which bug is awake in this thread.

use std::cell::Cell;

use crate::seeds::Bug;

thread_local! {
    static AWAKE: Cell<Option<Bug>> = const { Cell::new(None) };
}

/// Whether `bug` is awake in this thread.
#[inline]
pub(crate) fn is_on(bug: Bug) -> bool {
    AWAKE.get() == Some(bug)
}

/// Runs `work` with `bug` awake in this thread.
pub fn with<T>(bug: Bug, work: impl FnOnce() -> T) -> T {
    struct Asleep;
    impl Drop for Asleep {
        fn drop(&mut self) {
            AWAKE.set(None);
        }
    }
    let _asleep = Asleep;
    AWAKE.set(Some(bug));
    work()
}
