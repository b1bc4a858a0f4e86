//! The stacks of fibers: their sizes on each node, and the passing of large arguments.

use std::hint::black_box;
use std::thread::{self, Builder};

use crate::common::channels::channels;
use crate::common::on_every_of_one_process;
use earth::{Config, Error, Eu, Machine, NodeId, Reply, threaded};

/// Uses `kib` KiB of stack, and some bytes more for each.
#[inline(never)]
fn eat(kib: usize) -> u64 {
    let room = [1_u8; 1024];
    // A reference: a value would take a second KiB, or not, by the optimization.
    let first = u64::from(*black_box(&room).first().unwrap_or(&0));
    if kib == 0 { first } else { eat(kib - 1) + u64::from(black_box(&room)[3]) }
}

/// Uses `kib` KiB of the stack of a node.
struct Eats;

#[threaded]
impl Eats {
    fn start(node: usize, kib: usize, out: Reply<u64>, eu: &mut Eu<Self>) {
        if eu.node().index() == node {
            eu.put(out, eat(kib));
        } else {
            eu.invoke(NodeId::new(node), Eats::call(node, kib, out));
        }
    }
}

/// Runs `work` with a machine of two ranks, in threads of this process with stacks of `bytes` bytes.
fn on_ranks(config: Config, bytes: usize, work: impl FnOnce(&mut Machine)) {
    let mut machines =
        channels(2, 64).into_iter().map(|end| Machine::ranks(end).config(config).stack_size(bytes));
    let (mut first, mut second) = machines.next().zip(machines.next()).expect("there are two");
    let serves = thread::spawn(move || while let Ok(Some(_)) = second.serve() {});
    work(&mut first);
    drop(first);
    serves.join().expect("it does not panic");
}

#[test]
fn all_nodes_have_the_requested_stack() {
    on_every_of_one_process(|case| {
        if case.nodes != 2 {
            return;
        }
        let mut machine = case.machine().stack_size(24 << 20);
        assert!(format!("{machine:?}").contains("stack_size: Some(25165824)"), "{machine:?}");
        for node in [0, 1] {
            let run = machine.run(|out| Eats::call(node, 20_000, out)).expect("it runs");
            assert_eq!(run.value, 20_001, "{case}");
        }
        let (_, run) = machine.start(|out| Eats::call(0, 20_000, out)).wait();
        assert_eq!(run.expect("it runs").value, 20_001, "{case}");
    });
    for config in [Config::Spn, Config::Dual] {
        on_ranks(config, 24 << 20, |machine| {
            for node in [0, 1] {
                let run = machine.run(|out| Eats::call(node, 20_000, out)).expect("it runs");
                assert_eq!(run.value, 20_001);
            }
        });
    }
}

#[test]
fn a_thread_that_a_machine_starts_has_eight_mebibytes() {
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::threads(2).config(config);
        // A run with input has all its threads. Otherwise the test's thread runs all nodes while other tests
        // keep the cores busy, and its stack is smaller.
        for node in [0, 1] {
            let (again, run) = machine.start(move |out| Eats::call(node, 6_500, out)).wait();
            assert_eq!(run.expect("it runs").value, 6_501);
            machine = again;
        }
    }
}

const LARGE: usize = 1 << 20;

/// Adds up an array that it takes by value, on a node.
struct Adds;

#[threaded]
impl Adds {
    fn start(numbers: [u8; LARGE], node: usize, out: Reply<u64>, eu: &mut Eu<Self>) {
        if eu.node().index() == node {
            eu.put(out, numbers.iter().map(|number| u64::from(*number)).sum());
        } else {
            eu.invoke(NodeId::new(node), Adds::call(numbers, node, out));
        }
    }
}

#[expect(clippy::large_stack_arrays, reason = "the test needs a large array")]
fn add(machine: &mut Machine) {
    for node in [0, 1] {
        let run = machine.run(|out| Adds::call([1; LARGE], node, out)).expect("it runs");
        assert_eq!(run.value, LARGE as u64, "{machine:?}");
    }
}

#[test]
fn an_argument_of_a_mebibyte_goes_to_another_node_by_value() {
    // The main thread of a test has a smaller stack.
    let all = || {
        on_every_of_one_process(|case| {
            if case.nodes == 2 {
                add(&mut case.machine());
            }
        });
        on_ranks(Config::Spn, 8 << 20, add);
        on_ranks(Config::Dual, 8 << 20, add);
    };
    let thread = Builder::new().stack_size(8 << 20).spawn(all).expect("there can be a thread");
    thread.join().expect("it does not panic");
}

#[test]
fn stacks_that_no_thread_can_have_are_refused() {
    let refused = |machine: Machine| {
        let mut machine = machine;
        let Err(Error::CannotBuild(why)) = machine.run(|out| Eats::call(0, 0, out)) else {
            panic!("{machine:?} was built")
        };
        let (machine, ended) = machine.start(|out| Eats::call(0, 0, out)).wait();
        assert_eq!(ended.map(|run| run.value), Err(Error::CannotBuild(why.clone())));
        // The machine runs with a valid size.
        let run = machine.stack_size(1 << 20).run(|out| Eats::call(0, 0, out));
        assert_eq!(run.map(|run| run.value), Ok(1));
        why
    };
    for make in [|| Machine::threads(2), || Machine::threads(1).config(Config::Dual), || Machine::stepper(1)]
    {
        for bytes in [0, 1, (128 << 10) - 1, usize::MAX, isize::MAX as usize + 1] {
            let why = refused(make().stack_size(bytes));
            assert_eq!(why, format!("a stack has 131072 to {} bytes, not {bytes}", isize::MAX));
        }
        let why = refused(make().stack_size(isize::MAX as usize));
        let begin = format!("a thread with a stack of {} bytes could not be started: ", isize::MAX);
        assert!(why.starts_with(&begin), "{why}");
        // The smallest stack is enough for small fibers.
        let run = make().stack_size(128 << 10).run(|out| Eats::call(0, 0, out));
        assert_eq!(run.map(|run| run.value), Ok(1));
    }
}
