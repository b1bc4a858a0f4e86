//! The bugs of the runtime and of its memory, each inactive until a thread [switches](with) it on.
//!
//! A test that no bug can fail is worthless. The package `earth-bugs-memory` compiles the source of
//! `earth-memory` with this file as its module `seeded`, and `earth-bugs` compiles the source of `earth` on
//! top of it. In the original crates a hook is `false`; here it checks whether its bug is active in this
//! thread. The simulated machine runs all its units in the calling thread, so all of them see the switch of
//! that thread. Tests can therefore run concurrently.
//!
//! Everything else is the unchanged runtime. A test declares `extern crate earth_bugs as earth` and uses it
//! like a program.

use std::cell::Cell;

/// Whether the bug of this name is active in this thread.
macro_rules! seeded {
    ($bug:ident) => {
        $crate::seeded::is_awake($crate::seeded::Bug::$bug)
    };
}

macro_rules! bugs {
    ($($name:ident: $what:literal;)+) => {
        /// A bug.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Bug {
            $(#[doc = $what] $name,)+
        }

        /// All bugs.
        pub const BUGS: &[Seed] = &[$(Seed { bug: Bug::$name, what: $what },)+];
    };
}

include!("seeds.rs");

/// A bug and its description.
#[derive(Debug)]
pub struct Seed {
    /// The bug.
    pub bug: Bug,
    /// Description of the bug.
    pub what: &'static str,
}

thread_local! {
    static AWAKE: Cell<Option<Bug>> = const { Cell::new(None) };
}

/// Whether `bug` is active in this thread.
#[inline]
pub fn is_awake(bug: Bug) -> bool {
    AWAKE.get() == Some(bug)
}

/// Returns the bug that is active in this thread.
pub fn awake() -> Option<Bug> {
    AWAKE.get()
}

/// Activates this bug in this thread permanently. It is meant for a new thread.
pub fn stay_awake(bug: Option<Bug>) {
    AWAKE.set(bug);
}

/// Runs `work` with `bug` active in this thread.
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
