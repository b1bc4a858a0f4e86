//! The process that a resource belongs to.
//!
//! A forked child has a copy of its parent's memory and, of all its threads, only the one that forked. So
//! waiting for a thread, a wake-up or a lock in the copy may never end. A thread pool remembers the
//! [`Process`] that built it, and a child builds another pool. A [`ProcessLock`] reports to a child that the
//! lock's holder does not exist there.
//!
//! A counter that each fork raises in the child distinguishes a process from its children: comparing costs
//! one load. (Getting the process number from the system takes 300 ns, and numbers are reused.) A child made
//! by other means than `fork`, such as a bare `clone`, counts as its parent.

use std::sync::{PoisonError, TryLockError};

use super::primitive::{AtomicBool, AtomicU64, Mutex, MutexGuard, Ordering};

/// The number of forks from the first process of the program to this one.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// Whether forks are counted.
static COUNTED: AtomicBool = AtomicBool::new(false);

/// Bit in the mark of a process whose forks cannot be counted; the other bits hold its process number.
const BY_NUMBER: u64 = 1 << 63;

/// Identity of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Process(u64);

impl Process {
    /// Returns the calling process.
    #[inline]
    pub fn current() -> Self {
        if COUNTED.load(Ordering::Acquire) || count_forks() {
            Process(FORKS.load(Ordering::Relaxed))
        } else {
            Process(u64::from(std::process::id()) | BY_NUMBER)
        }
    }

    /// Whether this is the calling process, not an ancestor of it.
    #[inline]
    pub fn is_current(self) -> bool {
        if self.0 & BY_NUMBER == 0 {
            FORKS.load(Ordering::Relaxed) == self.0
        } else {
            self == Process::current()
        }
    }

    /// Ends this process, a child whose only thread cannot continue, with this sentence and exit code 1. Exit
    /// handlers that the parent registered do not run.
    pub fn end(sentence: &str) -> ! {
        #[cfg(unix)]
        {
            let sentence = format!("{sentence}\n");
            // SAFETY: the bytes are valid, and both calls are allowed in a child of a multithreaded process.
            // A failed write changes nothing.
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

/// Makes the system count forks from now on. Returns whether it does: it may have no memory for that.
#[cold]
fn count_forks() -> bool {
    #[cfg(unix)]
    {
        extern "C" fn forked() {
            FORKS.fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY: the handler adds to an atomic, which is allowed in a child of a multithreaded process, and
        // it lives as long as the program. If two threads register it at once, a fork counts twice, which
        // still changes the number.
        let refused = unsafe { libc::pthread_atfork(None, None, Some(forked)) };
        COUNTED.store(refused == 0, Ordering::Release);
        refused == 0
    }
    #[cfg(not(unix))]
    true
}

/// A lock that never blocks forever after a fork: a child gets no guard if a thread of its parent held it at
/// the fork.
#[derive(Debug)]
pub struct ProcessLock<T> {
    /// The process whose threads have locked it last.
    process: AtomicU64,
    value: Mutex<T>,
}

impl<T> ProcessLock<T> {
    /// Returns an unlocked lock around `value`.
    pub const fn new(value: T) -> Self {
        Self { process: AtomicU64::new(0), value: Mutex::new(value) }
    }

    /// Locks it. Returns `None` if a thread of the parent held it when this process was forked. (While a
    /// child's first thread locks it for the first time there, another thread may also get `None`.)
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
