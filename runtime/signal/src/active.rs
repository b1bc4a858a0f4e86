//! The number of threads of this process that work for machines or look for work.
//!
//! It is only a count and hands no data over. A machine whose workers would find no free core reads it, and
//! runs in the calling thread. A forked child also counts the threads of its parent.
//!
//! *Cost.* One read-modify-write of a word that all machines of the process share to begin, one to end; one
//! load to read.

use crossbeam_utils::CachePadded;

use super::primitive::{AtomicUsize, Ordering};

static THREADS: CachePadded<AtomicUsize> = CachePadded::new(AtomicUsize::new(0));

/// One thread's share of the count. Dropping it removes the thread from the count.
#[derive(Debug)]
pub struct Active(());

impl Active {
    /// Counts one more thread.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it changes a count")]
    pub fn new() -> Self {
        THREADS.fetch_add(1, Ordering::Relaxed);
        Active(())
    }

    /// Returns the number of threads that are counted at this moment.
    #[inline]
    pub fn threads() -> usize {
        THREADS.load(Ordering::Relaxed)
    }

    /// Runs `sleep` while the thread is not counted.
    pub fn asleep<T>(&mut self, sleep: impl FnOnce() -> T) -> T {
        /// Counts the thread again, even if it unwinds.
        struct Awake;
        impl Drop for Awake {
            fn drop(&mut self) {
                THREADS.fetch_add(1, Ordering::Relaxed);
            }
        }
        THREADS.fetch_sub(1, Ordering::Relaxed);
        let _awake = Awake;
        sleep()
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        THREADS.fetch_sub(1, Ordering::Relaxed);
    }
}
