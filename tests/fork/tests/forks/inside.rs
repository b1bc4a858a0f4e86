//! Fibers that fork.

use std::sync::atomic::{AtomicI32, Ordering};

use earth::{Config, Error, Eu, Machine, NodeId, Reply, Shared, threaded};

use super::{alone, assert_runs, ends_with, in_child, machines};

/// A function whose fiber fails.
pub(crate) struct Fails;

#[threaded]
impl Fails {
    pub(crate) fn start(_out: Reply<u64>) -> Result<(), &'static str> {
        Err("as it is meant to")
    }
}

/// Forks on a node, and goes on in both processes. The parent stores the child's process id.
struct Forks;

type Note = Shared<AtomicI32>;

#[threaded]
impl Forks {
    fn start(node: usize, child: Note, out: Reply<usize>, eu: &mut Eu<Self>) {
        if eu.node().index() != node {
            return eu.invoke(NodeId::new(node), Forks::call(node, child, out));
        }
        // SAFETY: the child continues in this fiber alone, which is the case under test.
        let forked = unsafe { libc::fork() };
        if forked == 0 {
            // SAFETY: a system call without preconditions.
            unsafe { libc::alarm(super::SECONDS) };
        }
        child.store(forked, Ordering::Relaxed);
        eu.put(out, node);
    }
}

/// Returns the exit code of a child, or the signal that ended it.
fn end_of(child: i32) -> Result<i32, i32> {
    let mut status = 0;
    // SAFETY: the child belongs to this process, and the status is a local variable.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    if libc::WIFEXITED(status) { Ok(libc::WEXITSTATUS(status)) } else { Err(libc::WTERMSIG(status)) }
}

/// Runs a fiber that forks on a node. If the run ends in the child, the child exits here: with 7 if
/// `in_child` accepts the result, else with 8. Returns the child's process id.
fn fork_on(
    machine: &mut Machine,
    node: usize,
    in_child: impl FnOnce(&mut Machine, Result<usize, Error>) -> bool,
) -> i32 {
    let child = Shared::new(AtomicI32::new(-1));
    let result = machine.run(|out| Forks::call(node, child.clone(), out)).map(|run| run.value);
    let child = child.load(Ordering::Relaxed);
    if child == 0 {
        let is_right = in_child(machine, result);
        // SAFETY: it ends the child at once.
        unsafe { libc::_exit(if is_right { 7 } else { 8 }) }
    }
    assert_eq!(result, Ok(node));
    child
}

#[test]
fn the_run_of_a_fiber_that_forks_ends_in_the_child_and_goes_on_in_the_parent() {
    let _alone = alone();
    let forked = |machine: &mut Machine, result: Result<usize, Error>| {
        result == Err(Error::Forked { what: "the run".into() })
            && machine.run(super::Sum::call).is_ok_and(|run| run.value == 1)
    };
    for mut machine in machines() {
        // In DUAL the calling thread also runs the execution unit of node 0.
        let child = fork_on(&mut machine, 0, forked);
        assert_eq!(end_of(child), Ok(7));
        assert_runs(&mut machine);
    }
}

#[test]
fn a_child_that_is_left_with_a_thread_of_the_machine_ends() {
    let _alone = alone();
    let [spn, dual] = machines();
    // If the machine has a stack size of its own, node 0 also runs in a thread of the machine.
    let cases = [(spn, 1), (dual, 1), (Machine::threads(2).stack_size(1 << 20), 0)];
    for (mut machine, node) in cases {
        let child = fork_on(&mut machine, node, |_, _| false);
        assert_eq!(end_of(child), Ok(1), "{machine:?}");
        assert_runs(&mut machine);
    }
}

#[test]
fn a_simulated_run_goes_on_in_both() {
    let _alone = alone();
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::stepper(7).config(config);
        let child = fork_on(&mut machine, 1, |machine, result| {
            result == Ok(1) && machine.run(super::Sum::call).is_ok_and(|run| run.value == 1)
        });
        assert_eq!(end_of(child), Ok(7));
        assert_runs(&mut machine);
    }
}

#[test]
fn a_child_of_a_fiber_may_end_there() {
    let _alone = alone();
    for mut machine in machines() {
        let run = machine.run(Ends::call).expect("the parent goes on");
        assert_eq!(run.value, 5);
    }
    in_child(|| ());
}

/// Forks a child that ends in the fiber, and puts the child's exit code.
struct Ends;

#[threaded]
impl Ends {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        // SAFETY: a system call without preconditions.
        let end = ends_with(|| unsafe { libc::_exit(5) });
        eu.put(out, end.map_or(0, |code| code as u64));
    }
}
