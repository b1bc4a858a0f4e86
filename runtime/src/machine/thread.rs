//! How threads are started: with which stack, and what is said of one that cannot be started.

use std::io;
use std::panic::resume_unwind;

use earth_memory::Limits;
use earth_signal::Process;

use super::Machine;
use super::core_binding::Usable;
use super::panics::quietly;
use crate::primitive::thread::{self, Builder, JoinHandle};
use crate::vocabulary::error::Error;

/// The least stack: below this, a worker that runs an empty fiber in a debug build may have too little.
pub(super) const LEAST_STACK: usize = 128 << 10;

/// The largest stack: more cannot be rounded up to whole pages.
pub(super) const MOST_STACK: usize = isize::MAX as usize;

/// The address space that a thread takes beside its stack before its first instruction: a guard page, the stack of signal
/// handlers.
const BESIDE: u64 = 1 << 20;

/// The bytes of the stack of a thread: those asked for, or the usual ones, or more if `RUST_MIN_STACK` says so.
fn stack(asked: Option<usize>) -> usize {
    let least = || std::env::var("RUST_MIN_STACK").ok()?.parse().ok().filter(|bytes| *bytes <= MOST_STACK);
    asked.unwrap_or_else(|| Machine::USUAL_STACK.max(least().unwrap_or(0)))
}

/// Starts a thread with a stack of `asked` bytes, or a usual one.
pub(super) fn start<T: Send + 'static>(
    name: &str,
    asked: Option<usize>,
    body: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, Error> {
    start_by(name, stack(asked), |builder| builder.spawn(unbound(body)))
}

/// Does `work` with a thing, in a thread with a stack of `asked` bytes, or without a number in the calling thread. If that
/// thread cannot be started, the thing is dropped quietly.
pub(super) fn on_stack<A: Send, T: Send>(
    asked: Option<usize>,
    thing: A,
    work: impl FnOnce(A) -> Result<T, Error> + Send,
) -> Result<T, Error> {
    let Some(asked) = asked else { return work(thing) };
    let (mut thing, process) = (Some(thing), Process::current());
    let work = || {
        let done = thing.take().map(work);
        end_in_child(process);
        done
    };
    let done = thread::scope(|scope| {
        let thread = start_by("earth-0", asked, |builder| builder.spawn_scoped(scope, unbound(work)))?;
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    quietly(thing);
    done?.unwrap_or_else(|| unreachable!("it is there until the work takes it"))
}

/// Does this with the mask that the calling thread has, or had before a machine bound it: the calling thread may be one that a
/// fiber has started.
fn unbound<T>(body: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let narrowed = Usable::narrowed();
    move || {
        if let Some(before) = narrowed {
            before.give();
        }
        body()
    }
}

/// Ends this process if it is a child of that one. It has the calling thread alone, which is one of a machine: a fiber, or
/// the report of a stall, has forked.
pub(super) fn end_in_child(process: Process) {
    if !process.is_current() {
        Process::end("a fiber has forked and returned, and the run belongs to the parent of this process");
    }
}

fn start_by<T>(name: &str, stack: usize, start: impl FnOnce(Builder) -> io::Result<T>) -> Result<T, Error> {
    let limits = Limits::of_process();
    // A thread that gets its stack and nothing beside it would abort the process.
    let started =
        if limits.address_space_left.is_some_and(|left| left < (stack as u64).saturating_add(BESIDE)) {
            Err(io::ErrorKind::OutOfMemory.into())
        } else {
            start(Builder::new().name(name.to_owned()).stack_size(stack))
        };
    started.map_err(|why| Error::CannotBuild(cannot_start(stack, &why, &limits)))
}

/// The sentence about a thread that cannot be started.
fn cannot_start(stack: usize, why: &io::Error, limits: &Limits) -> String {
    // The system gives one reason for too little memory and for too many threads.
    let space = limits.address_space.map(|bytes| format!("{bytes} bytes of address space"));
    let threads = limits.threads.map(|threads| format!("{threads} threads"));
    let limits: Vec<_> = space.into_iter().chain(threads).collect();
    let limits =
        if limits.is_empty() { String::new() } else { format!("; the limits are {}", limits.join(" and ")) };
    format!("a thread with a stack of {stack} bytes could not be started: {why}{limits}")
}

/// Whether the address space of this process is limited, so that threads are started one after the other: each needs
/// more than [`start`] could look for if others were about to begin.
pub(super) fn are_limited() -> bool {
    Limits::of_process().address_space.is_some()
}
