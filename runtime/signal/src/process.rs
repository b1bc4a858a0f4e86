//! The process that a thing belongs to.
//!
//! A forked child has a copy of its parent's memory and, of all its threads, only the one that forked. So a thread, a
//! wake-up or a lock that the copy names may be waited for in vain. A pool of threads remembers the [`Process`] that built
//! it, and a child builds another one. A [`ProcessLock`] tells a child that the holder of the lock is not there.
//!
//! A count that each fork raises in the child distinguishes a process from its children: comparing costs one load.
//! (Asking the system for the number of the process takes 300 ns, and numbers are used again.) A child made by other
//! means than `fork`, such as a bare `clone`, counts as its parent.

use std::sync::{PoisonError, TryLockError};

use super::primitive::{AtomicBool, AtomicU64, Mutex, MutexGuard, Ordering};

/// The number of forks from the first process of the program to this one.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// Whether forks are counted.
static COUNTED: AtomicBool = AtomicBool::new(false);

/// Set in the mark of a process whose forks cannot be counted, beside its number.
const BY_NUMBER: u64 = 1 << 63;

/// A process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Process(u64);

impl Process {
    /// The process that calls.
    #[inline]
    pub fn current() -> Self {
        if COUNTED.load(Ordering::Acquire) || count_forks() {
            Process(FORKS.load(Ordering::Relaxed))
        } else {
            Process(u64::from(std::process::id()) | BY_NUMBER)
        }
    }

    /// Whether it is the process that calls, and no ancestor of it.
    #[inline]
    pub fn is_current(self) -> bool {
        if self.0 & BY_NUMBER == 0 {
            FORKS.load(Ordering::Relaxed) == self.0
        } else {
            self == Process::current()
        }
    }

    /// Ends this process, a child whose only thread cannot go on, with this sentence and the exit code 1. Nothing
    /// that the parent has registered for its own end is done.
    pub fn end(sentence: &str) -> ! {
        #[cfg(unix)]
        {
            let sentence = format!("{sentence}\n");
            // SAFETY: the bytes are there, and both calls may be made in a child of many threads. A sentence that cannot be
            // written changes nothing.
            unsafe {
                libc::write(libc::STDERR_FILENO, sentence.as_ptr().cast(), sentence.len());
                libc::_exit(1)
            }
        }
        #[cfg(not(unix))]
        {
            eprintln!("{sentence}");
            std::process::exit(1)
        }
    }
}

/// Has the system count forks from now on. Returns whether it does: it may have no memory for that.
#[cold]
fn count_forks() -> bool {
    #[cfg(unix)]
    {
        extern "C" fn forked() {
            FORKS.fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY: the handler adds to an atomic, which it may do in a child of many threads, and it is there as long as the
        // program. If two threads register it at once, a fork counts twice, which is another number as well.
        let refused = unsafe { libc::pthread_atfork(None, None, Some(forked)) };
        COUNTED.store(refused == 0, Ordering::Release);
        refused == 0
    }
    #[cfg(not(unix))]
    true
}

/// A lock that is never waited for in vain: a child gets no guard if a thread of its parent held the lock at the fork.
#[derive(Debug)]
pub struct ProcessLock<T> {
    /// The process whose threads have taken it last.
    process: AtomicU64,
    value: Mutex<T>,
}

impl<T> ProcessLock<T> {
    /// A free lock around `value`.
    pub const fn new(value: T) -> Self {
        Self { process: AtomicU64::new(0), value: Mutex::new(value) }
    }

    /// Locks it. Returns `None` if a thread of the parent held it as this process was forked. (While one thread of a child
    /// is the first that takes it there, another one may be told so, too.)
    pub fn lock(&self) -> Option<MutexGuard<'_, T>> {
        let process = Process::current().0;
        if self.process.load(Ordering::Relaxed) == process {
            return Some(self.value.lock().unwrap_or_else(PoisonError::into_inner));
        }
        let guard = match self.value.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        self.process.store(process, Ordering::Relaxed);
        Some(guard)
    }
}

impl<T: Default> Default for ProcessLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}
