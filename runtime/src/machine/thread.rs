//! Start of threads: their stacks, and the error if a thread cannot be started.

use std::io;
use std::panic::resume_unwind;

use earth_memory::Limits;
use earth_signal::Process;

use super::Machine;
use super::core_binding::Usable;
use super::panics::drop_ignoring_panics;
use crate::primitive::thread::{self, Builder, JoinHandle};
use crate::vocabulary::error::Error;

/// Minimum stack in bytes. With less, a worker that runs an empty fiber in a debug build may overflow its
/// stack.
pub(super) const LEAST_STACK: usize = 128 << 10;

/// Maximum stack in bytes. A larger size cannot be rounded up to whole pages.
pub(super) const MOST_STACK: usize = isize::MAX as usize;

/// Address space, in bytes, that a thread takes in addition to its stack before its first instruction: a
/// guard page and the stack of signal handlers.
const BESIDE: u64 = 1 << 20;

/// Returns the size of a thread's stack: `requested`, or else the larger of the default and `RUST_MIN_STACK`.
fn stack(requested: Option<usize>) -> usize {
    let least = || std::env::var("RUST_MIN_STACK").ok()?.parse().ok().filter(|bytes| *bytes <= MOST_STACK);
    requested.unwrap_or_else(|| Machine::USUAL_STACK.max(least().unwrap_or(0)))
}

/// Starts a thread with a stack of `requested` bytes, or of the default size.
pub(super) fn start<T: Send + 'static>(
    name: &str,
    requested: Option<usize>,
    body: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, Error> {
    start_by(name, stack(requested), |builder| builder.spawn(unbound(body)))
}

/// Runs `work` on `thing`, in a thread with a stack of `requested` bytes, or in the calling thread if
/// `requested` is `None`. If the thread cannot be started, `thing` is dropped and panics of its drop are
/// ignored.
pub(super) fn on_stack<A: Send, T: Send>(
    requested: Option<usize>,
    thing: A,
    work: impl FnOnce(A) -> Result<T, Error> + Send,
) -> Result<T, Error> {
    let Some(requested) = requested else { return work(thing) };
    let (mut thing, process) = (Some(thing), Process::current());
    let work = || {
        let done = thing.take().map(work);
        end_in_child(process);
        done
    };
    let done = thread::scope(|scope| {
        let thread = start_by("earth-0", requested, |builder| builder.spawn_scoped(scope, unbound(work)))?;
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    drop_ignoring_panics(thing);
    done?.unwrap_or_else(|| unreachable!("it is there until the work takes it"))
}

/// Runs `body` with the calling thread's mask, or with the mask from before a machine bound it. The calling
/// thread may be one that a fiber started.
fn unbound<T>(body: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let narrowed = Usable::narrowed();
    move || {
        if let Some(before) = narrowed {
            before.give();
        }
        body()
    }
}

/// Ends this process if it is a child of `process`. The child has only the calling thread, a machine's
/// thread: a fiber or a stall report has forked.
pub(super) fn end_in_child(process: Process) {
    if !process.is_current() {
        Process::end("a fiber forked and returned in the child, which cannot continue its parent's run");
    }
}

fn start_by<T>(name: &str, stack: usize, start: impl FnOnce(Builder) -> io::Result<T>) -> Result<T, Error> {
    let limits = Limits::of_process();
    // If the address space suffices only for the stack, starting the thread would abort the process.
    let started =
        if limits.address_space_left.is_some_and(|left| left < (stack as u64).saturating_add(BESIDE)) {
            Err(io::ErrorKind::OutOfMemory.into())
        } else {
            start(Builder::new().name(name.to_owned()).stack_size(stack))
        };
    started.map_err(|why| Error::CannotBuild(cannot_start(stack, &why, &limits)))
}

/// Returns the error text for a thread that cannot be started.
fn cannot_start(stack: usize, why: &io::Error, limits: &Limits) -> String {
    // The system reports too little memory and too many threads by the same error.
    let space = limits.address_space.map(|bytes| format!("{bytes} bytes of address space"));
    let threads = limits.threads.map(|threads| format!("{threads} threads"));
    let limits: Vec<_> = space.into_iter().chain(threads).collect();
    let limits =
        if limits.is_empty() { String::new() } else { format!("; the limits are {}", limits.join(" and ")) };
    format!("a thread with a stack of {stack} bytes could not be started: {why}{limits}")
}

/// Returns whether the address space of this process is limited. Then threads are started one after the
/// other, because [`start`] cannot see the memory that other starting threads will need.
pub(super) fn are_limited() -> bool {
    Limits::of_process().address_space.is_some()
}
