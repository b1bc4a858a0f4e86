//! Checks that the explorer finds all executions.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;

use earth_model::explore_all;

/// The values that one thread can see in a word that another thread loads and then stores to.
macro_rules! seen {
    ($atomic:ty) => {{
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        explore_all(move || {
            let word = Arc::new(<$atomic>::new(0));
            let other = Arc::clone(&word);
            let thread = loom::thread::spawn(move || other.store(other.load(Relaxed) + 1, Relaxed));
            log.lock().unwrap().push(word.load(Relaxed));
            thread.join().unwrap();
        });
        let mut seen = seen.lock().unwrap().clone();
        seen.sort_unstable();
        seen.dedup();
        seen
    }};
}

#[test]
fn a_load_before_a_store_hides_no_signal() {
    assert_eq!(seen!(earth_model::atomic::AtomicUsize), [0, 1]);
}

/// The reason for `earth_model::atomic`. When this test fails, loom tries the missing order, and the module
/// can be removed.
#[test]
fn a_load_before_a_store_hides_an_execution_from_loom_itself() {
    assert_eq!(seen!(loom::sync::atomic::AtomicUsize), [0]);
}
