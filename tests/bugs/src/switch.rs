//! The bugs of the runtime and of its memory, each asleep until a thread [switches](with) it on.
//!
//! A test that no bug can fail is worth nothing. The package `earth-bugs-memory` compiles the source of `earth-memory` with
//! this file in the place of its module `seeded`, and `earth-bugs` that of `earth` upon it: there a hook is `false`, here it
//! asks which bug is awake in this thread. The simulated machine runs all its units in the calling thread, so a switch of
//! that thread is seen by all of them, and tests run side by side.
//!
//! What is there beside the switch is the runtime, item for item: a test says `extern crate earth_bugs as earth` and
//! uses it as a program would.

use std::cell::Cell;

/// Whether the bug of this name is awake in this thread.
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
    /// Which.
    pub bug: Bug,
    /// What goes wrong.
    pub what: &'static str,
}

thread_local! {
    static AWAKE: Cell<Option<Bug>> = const { Cell::new(None) };
}

/// Whether `bug` is awake in this thread.
#[inline]
pub fn is_awake(bug: Bug) -> bool {
    AWAKE.get() == Some(bug)
}

/// The bug that is awake in this thread.
pub fn awake() -> Option<Bug> {
    AWAKE.get()
}

/// Has this bug awake in this thread, a new one, for good.
pub fn stay_awake(bug: Option<Bug>) {
    AWAKE.set(bug);
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
