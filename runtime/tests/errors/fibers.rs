//! Errors that a fiber makes by itself: a panic, a value that did not arrive, a node that does not exist, a
//! run in a fiber.

use crate::common::{Case, cases, fails, gives, on_every, on_every_of};
use earth::{Arrived, Error, Eu, FiberName, Machine, NodeId, Reply, threaded};
use snapbox::{assert_data_eq, str};

fn at(function: &str, fiber: &str, node: NodeId) -> FiberName {
    FiberName { function: function.to_owned(), fiber: fiber.to_owned(), node: node.index() }
}

/// Starts `Second` on a node. `Second` panics in its second fiber, in one of three ways.
struct PanicThere;

#[threaded]
impl PanicThere {
    fn start(node: NodeId, how: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.invoke(node, Second::call(how, out));
    }
}

struct Second {
    how: u64,
    out: Reply<u64>,
}

#[threaded]
impl Second {
    fn start(how: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::explode());
        Second { how, out }
    }

    #[slot(sync)]
    fn explode(self, eu: &mut Eu<Self>) {
        match self.how {
            0 => panic!("plain text"),
            1 => panic!("text with {} in it", self.how),
            2 => std::panic::panic_any(17u8),
            _ => eu.put(self.out, self.how),
        }
    }
}

#[test]
fn a_panic_is_reported_with_its_fiber_and_its_message() {
    on_every(|case| {
        let mut machine = case.machine();
        let messages = ["plain text", "text with 1 in it", "a panic payload that is not text"];
        for (how, message) in messages.into_iter().enumerate() {
            let expected =
                Error::Panicked { at: at("Second", "explode", case.last()), message: message.to_owned() };
            assert_eq!(fails(&mut machine, |out| PanicThere::call(case.last(), how as u64, out)), expected);
        }
        assert_eq!(gives(&mut machine, |out| PanicThere::call(case.last(), 3, out)).value, 3);
    });
}

/// Signals slots instead of putting values, in the way `how`, so that a fiber runs without a value.
struct Skips {
    out: Reply<u64>,
}

#[threaded]
impl Skips {
    fn start(how: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        // Creates addresses that it gives to no other function.
        let _ = (eu.reply(Self::one().x), eu.reply(Self::two().y), eu.replies(Self::each(..).x));
        match how {
            0 => eu.sync(Self::one()),
            1 => {
                eu.put(eu.reply(Self::two().x), 1);
                eu.sync(Self::two());
            }
            2 => eu.sync(Self::each(2)),
            3 => {
                eu.put(eu.reply(Self::all().xs.at(2)), 1);
                eu.put(eu.reply(Self::all().xs.at(0)), 1);
                eu.sync(Self::all());
            }
            // The value belongs to the next round.
            _ => {
                (0..2).for_each(|_| eu.sync(Self::rounds()));
                eu.put(eu.reply(Self::rounds().x), 1);
            }
        }
        Skips { out }
    }

    #[slot]
    fn one(self, x: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, x);
    }

    #[slot]
    fn two(self, y: u64, x: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, x + y);
    }

    #[slots(len = 3)]
    fn each(self, i: usize, x: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, x + i as u64);
    }

    #[slot]
    fn all(self, #[inlets(3)] xs: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, xs.sum());
    }

    #[slot(sync, again)]
    fn rounds(self, x: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, x);
    }
}

#[test]
fn a_value_that_did_not_come_with_the_enabling_signals_is_named() {
    on_every(|case| {
        let mut machine = case.machine();
        let wrong = [("one", "x"), ("two", "y"), ("each", "x[2]"), ("all", "xs[1]"), ("rounds", "x")];
        for (how, (fiber, inlet)) in wrong.into_iter().enumerate() {
            let error = fails(&mut machine, |out| Skips::call(how as u64, out));
            let expected =
                Error::NotDelivered { at: at("Skips", fiber, NodeId::new(0)), inlet: inlet.to_owned() };
            assert_eq!(error, expected, "way {how}");
        }
    });
}

/// Names nodes that do not exist, from the last node.
struct NamesNode;

#[threaded]
impl NamesNode {
    fn start(how: u64, hop: bool, out: Reply<u64>, eu: &mut Eu<Self>) {
        let nodes = eu.nodes();
        let node = NodeId::new;
        if hop {
            return eu.invoke(node(nodes - 1), NamesNode::call(how, false, out));
        }
        let call = NamesNode::call(3, false, out);
        match how {
            0 => eu.invoke(node(nodes), call),
            1 => eu.token_within(node(0)..node(nodes + 5), call),
            2 => eu.token_within(node(nodes - 1)..node(nodes - 1), call),
            _ => eu.put(out, 1),
        }
    }
}

#[test]
fn a_node_that_is_not_there_is_named() {
    on_every(|case| {
        let mut machine = case.machine();
        for (how, node) in [case.nodes, case.nodes + 4, case.nodes - 1].into_iter().enumerate() {
            let at = at("NamesNode", "start", case.last());
            let expected = Error::NoSuchNode { at, node, nodes: case.nodes };
            assert_eq!(fails(&mut machine, |out| NamesNode::call(how as u64, true, out)), expected);
        }
        assert_eq!(gives(&mut machine, |out| NamesNode::call(3, true, out)).value, 1);
    });
}

struct Zero;

#[threaded]
impl Zero {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 0);
    }
}

/// Runs a program inside a fiber and in a thread of its own. Puts whether the first was refused, and the
/// value of the second.
struct RunsInside;

#[threaded]
impl RunsInside {
    fn start(out: Reply<(bool, u64)>, eu: &mut Eu<Self>) {
        let run = || Machine::threads(1).run(Zero::call).map(|run| run.value);
        let inside = run();
        let beside = std::thread::spawn(run).join().expect("it does not panic");
        eu.put(out, (inside == Err(Error::InsideFiber), beside.map_or(1, |value| value)));
    }
}

struct OnLast;

#[threaded]
impl OnLast {
    fn start(out: Reply<(bool, u64)>, eu: &mut Eu<Self>) {
        eu.invoke(NodeId::new(eu.nodes() - 1), RunsInside::call(out));
    }
}

#[test]
fn a_run_inside_a_fiber_is_refused_and_the_run_outside_goes_on() {
    on_every(|case| {
        let mut machine = case.machine();
        assert_eq!(gives(&mut machine, OnLast::call).value, (true, 0));
        // The calling thread is outside again, even after a failed run.
        fails(&mut machine, |out| PanicThere::call(NodeId::new(0), 0, out));
        assert_eq!(gives(&mut machine, Zero::call).value, 0);
    });
}

#[test]
fn errors_of_fibers_read_as_sentences() {
    let at = at("Fib", "add", NodeId::new(3));
    let say = |error: Error| error.to_string();
    // A `main` that returns the error prints it in this form.
    assert_data_eq!(
        format!("{:?}", Error::NoValue { function: "Fib".into() }),
        str!["the main function Fib ended without a value (guide, errors: NoValue)"]
    );
    assert_data_eq!(
        say(Error::Panicked { at: at.clone(), message: "why".into() }),
        str!["fiber `add` of Fib on node 3 panicked: why"]
    );
    assert_data_eq!(
        say(Error::NotDelivered { at: at.clone(), inlet: "left".into() }),
        str![
            "fiber `add` of Fib on node 3 was enabled before a value came for left: its slot got more signals than it \
         counts beside its inlets"
        ]
    );
    assert_data_eq!(
        say(Error::NoSuchNode { at, node: 8, nodes: 4 }),
        str!["fiber `add` of Fib on node 3 named node 8, but the nodes of the machine are 0..4"]
    );
}

/// Every kind of machine comes with 1 to 8 nodes, as handles and as bytes, in SPN or DUAL.
#[test]
fn all_machines_with_enough_nodes_are_walked() {
    let mut seen = Vec::new();
    on_every_of(2, |case| seen.push(case));
    let all: Vec<_> = cases().collect();
    assert_eq!(seen, all.iter().copied().filter(|case| case.nodes >= 2).collect::<Vec<_>>());
    for case in all.iter().filter(|case| !case.is_of_ranks()) {
        for (nodes, through_bytes) in [1, 2, 3, 8].into_iter().flat_map(|n| [(n, false), (n, true)]) {
            let same = |other: &&Case| (other.kind, other.nodes) == (case.kind, nodes);
            assert!(all.iter().filter(same).any(|case| case.through_bytes == through_bytes), "{case}");
        }
    }
}
