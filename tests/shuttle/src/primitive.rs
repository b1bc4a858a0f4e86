//! Shuttle's threads, locks, channels and pauses.

pub(crate) use shuttle::hint::spin_loop;
pub(crate) use shuttle::{sync, thread_local};

use std::sync::PoisonError;

/// A lock that is never poisoned.
#[derive(Default)]
pub(crate) struct Mutex<T>(sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Mutex(sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> sync::MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shuttle's threads. All of them have the stack size that Shuttle sets.
pub(crate) mod thread {
    use std::cell::Cell;
    use std::io;
    use std::num::NonZero;

    pub(crate) use shuttle::thread::{
        JoinHandle, Result, Scope, ScopedJoinHandle, ThreadId, current, scope, yield_now,
    };

    std::thread_local! {
        static CORES: Cell<NonZero<usize>> = const { Cell::new(NonZero::<usize>::MIN) };
    }

    /// Sets the number of cores that machines find if this thread of the system builds them. This thread runs
    /// all threads of an execution.
    pub fn set_cores(cores: NonZero<usize>) {
        CORES.set(cores);
    }

    #[expect(clippy::unnecessary_wraps, reason = "the original function can fail")]
    pub(crate) fn available_parallelism() -> io::Result<NonZero<usize>> {
        Ok(CORES.get())
    }

    pub(crate) struct Builder(shuttle::thread::Builder);

    impl Builder {
        pub(crate) fn new() -> Self {
            Builder(shuttle::thread::Builder::new())
        }

        pub(crate) fn name(self, name: String) -> Self {
            Builder(self.0.name(name))
        }

        pub(crate) fn stack_size(self, _bytes: usize) -> Self {
            self
        }

        pub(crate) fn spawn<T: Send + 'static>(
            self,
            body: impl FnOnce() -> T + Send + 'static,
        ) -> io::Result<JoinHandle<T>> {
            self.0.spawn(body)
        }

        /// Starts a thread of the scope without the builder's settings, since Shuttle has no builder of
        /// scoped threads. Shuttle also unblocks the thread of a scope when its last thread ends, even if
        /// that thread waits for something else. Only values in thousands of levels and runs with a stack of
        /// their own call this.
        #[expect(
            clippy::unnecessary_wraps,
            clippy::unused_self,
            reason = "the original builder has this signature"
        )]
        pub(crate) fn spawn_scoped<'scope, T: Send + 'scope>(
            self,
            scope: &'scope Scope<'scope, '_>,
            body: impl FnOnce() -> T + Send + 'scope,
        ) -> io::Result<ScopedJoinHandle<'scope, T>> {
            Ok(scope.spawn(body))
        }
    }
}
