//! Forked children use their parents' machines, runs, inputs, tokens and plans.
//!
//! The tests fork this process, so they run one at a time. If a child hangs, its alarm ends it and its test
//! fails. The tests use `unsafe` only to fork, to set an alarm or a limit, to wait for a child and to end it.

#![cfg(unix)]

mod handles;
mod inside;
#[cfg(target_os = "linux")]
mod limits;
mod machines;
mod plans;

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use earth::{Config, Eu, Machine, NodeId, Reply, threaded};

/// Time limit of a child, in seconds: many times what it needs on a busy computer.
const SECONDS: u32 = 100;

/// Makes the calling test run alone, so that no other test of this process is in a call of the library as it
/// forks.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Forks a child that does this work. Returns its exit code, or the signal that ended it. The code is 0 if
/// the work returns, and 101 if it panics.
fn ends_with(work: impl FnOnce()) -> Result<i32, i32> {
    // SAFETY: no other thread of this process forks or waits, and the child only does what its test is about.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "there can be a process more");
    if child == 0 {
        // SAFETY: system calls without preconditions.
        unsafe { libc::alarm(SECONDS) };
        let outcome = catch_unwind(AssertUnwindSafe(work));
        if let Err(panic) = &outcome {
            let text = panic.downcast_ref::<String>().map_or("a child panicked", |text| text);
            // The test harness captures the usual output in a place that the parent does not read.
            let _ = writeln!(std::io::stderr(), "in a child: {text}");
        }
        // SAFETY: it ends the child at once, without the exit handlers of the parent.
        unsafe { libc::_exit(if outcome.is_ok() { 0 } else { 101 }) }
    }
    let mut status = 0;
    // SAFETY: the child belongs to this process, and the status is a local variable.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    if libc::WIFEXITED(status) { Ok(libc::WEXITSTATUS(status)) } else { Err(libc::WTERMSIG(status)) }
}

/// Does this work in a forked child. Panics if the child panics, hangs or ends early.
#[track_caller]
fn in_child(work: impl FnOnce()) {
    assert_eq!(ends_with(work), Ok(0), "the exit code of a child, or the signal that has ended it");
}

/// Returns a machine of two nodes in each configuration.
fn machines() -> [Machine; 2] {
    [Config::Spn, Config::Dual].map(|config| Machine::threads(2).config(config))
}

/// The sum of the numbers of all nodes. Each node puts its own number.
struct Sum {
    out: Reply<usize>,
    heard: usize,
    missing: usize,
}

/// Puts the number of its node.
struct Tells;

#[threaded]
impl Tells {
    fn start(out: Reply<usize>, eu: &mut Eu<Self>) {
        eu.put(out, eu.node().index());
    }
}

#[threaded]
impl Sum {
    fn start(out: Reply<usize>, eu: &mut Eu<Self>) -> Self {
        for node in 0..eu.nodes() {
            eu.invoke(NodeId::new(node), Tells::call(eu.reply(Self::hear().number)));
        }
        Sum { out, heard: 0, missing: eu.nodes() }
    }

    #[slot(again)]
    fn hear(&mut self, number: usize, eu: &mut Eu<Self>) -> earth::Then {
        self.heard += number;
        self.missing -= 1;
        if self.missing > 0 {
            return earth::Then::Wait;
        }
        eu.put(self.out, self.heard);
        earth::Then::End
    }
}

/// Checks that a machine of two nodes runs.
#[track_caller]
fn assert_runs(machine: &mut Machine) {
    assert_eq!(machine.run(Sum::call).map(|run| run.value), Ok(1), "{machine:?}");
}
