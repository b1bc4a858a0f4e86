//! Which bug is awake in this thread.

use std::cell::Cell;

use crate::seeds::Bug;

/// How many steps a run on a simulated machine may take: many times what the runs of the tests take.
pub(crate) const STEPS: u32 = 50_000;

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
