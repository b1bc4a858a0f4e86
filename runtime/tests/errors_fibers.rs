//! Errors that a fiber makes by itself: a panic, a value it may not take or does not take, a function, node
//! or entry that is not there.

mod common;

use common::{bad, good, on_every, on_every_of};
use earth::{Error, FiberName, Machine, NodeId, Reply, Then, threaded_old};

fn at(function: &str, fiber: &str, node: NodeId) -> FiberName {
    FiberName { function: function.to_owned(), fiber: fiber.to_owned(), node: node.index() }
}

threaded_old! {
    /// Starts `Second` on a node; that panics in its second fiber, in one of three ways.
    fn PanicThere(node: NodeId, how: u64, out: Reply<u64>)
    calls { Second }
    fiber start(this, eu) {
        eu.invoke_old::<Second>(this.node, (this.how, this.out));
        Then::End
    }
}

threaded_old! {
    fn Second(how: u64, out: Reply<u64>)
    slots { go: 1 => explode }
    fiber start(this, eu) {
        eu.sync(Self::go);
        Then::Wait
    }
    fiber explode(this, eu) {
        match this.how {
            0 => panic!("plain text"),
            1 => panic!("text with {} in it", this.how),
            2 => std::panic::panic_any(17u8),
            _ => eu.put(this.out, this.how),
        }
        Then::End
    }
}

#[test]
fn a_panic_is_reported_with_its_fiber_and_its_message() {
    on_every(|case| {
        let mut machine = case.machine();
        let messages = ["plain text", "text with 1 in it", "something that is no text"];
        for (how, message) in messages.into_iter().enumerate() {
            let expected =
                Error::Panicked { at: at("Second", "explode", case.last()), message: message.to_owned() };
            assert_eq!(bad::<PanicThere>(&mut machine, (case.last(), how as u64)), expected);
        }
        assert_eq!(good::<PanicThere>(&mut machine, (case.last(), 3)).value, 3);
    });
}

threaded_old! {
    /// Takes from inlets that hold nothing for the fiber that takes, in the way that `how` says.
    fn TakesWrongly(how: u64, out: Reply<u64>)
    inlets { x: u64, y: u64, many[3]: u64 }
    slots  { one: 1 => takes, other: 2 => never }
    fiber start(this, eu) {
        match this.how {
            0 => { eu.take(Self::x); }
            1 => { eu.spawn(Self::takes); return Then::Wait; }
            _ => {}
        }
        // `y` and `many[2]` belong to a slot that waits for more.
        eu.put(eu.reply_to(Self::y, Self::other), 1);
        eu.put(eu.reply_to(Self::x, Self::one), 2);
        Then::Wait
    }
    fiber takes(this, eu) {
        match this.how {
            1 => eu.take(Self::x),
            2 => eu.take(Self::x) + eu.take(Self::x),
            3 => eu.take(Self::y),
            _ => eu.take(Self::many.at(2)),
        };
        Then::Wait
    }
    fiber never(this, eu) {
        eu.put(this.out, this.how);
        Then::End
    }
}

#[test]
fn only_values_that_came_with_the_enabling_signals_can_be_taken() {
    on_every(|case| {
        let mut machine = case.machine();
        let wrong = [("start", "x"), ("takes", "x"), ("takes", "x"), ("takes", "y"), ("takes", "many[2]")];
        for (how, (fiber, inlet)) in wrong.into_iter().enumerate() {
            let error = bad::<TakesWrongly>(&mut machine, how as u64);
            let expected = Error::NotDelivered {
                at: at("TakesWrongly", fiber, NodeId::new(0)),
                inlet: inlet.to_owned(),
            };
            assert_eq!(error, expected, "way {how}");
        }
    });
}

threaded_old! {
    /// Takes a value in its first fiber, for which no frame has been made on a new machine.
    fn Hasty(out: Reply<u64>)
    inlets { x: u64 }
    slots  { came: 1 => never }
    fiber start(this, eu) {
        let x = eu.take(Self::x);
        eu.put(this.out, x);
        Then::Wait
    }
    fiber never(_this, _eu) { Then::Wait }
}

#[test]
fn a_value_taken_before_there_is_a_frame_is_not_delivered() {
    on_every(|case| {
        let at = at("Hasty", "start", NodeId::new(0));
        let expected = Error::NotDelivered { at, inlet: "x".to_owned() };
        assert_eq!(bad::<Hasty>(&mut case.machine(), ()), expected);
    });
}

threaded_old! {
    /// Takes `taken` of three values.
    fn Leaves(taken: u64, out: Reply<u64>)
    inlets { x[3]: u64 }
    slots  { all: 3 => takes }
    fiber start(this, eu) {
        for i in 0..3 {
            eu.put(eu.replies_to_one(Self::x, Self::all).at(i), i as u64);
        }
        Then::Wait
    }
    fiber takes(this, eu) {
        let sum = (0..this.taken as usize).map(|i| eu.take(Self::x.at(2 - i))).sum();
        eu.put(this.out, sum);
        Then::End
    }
}

#[test]
fn every_value_that_enabled_a_fiber_must_be_taken() {
    on_every(|case| {
        let mut machine = case.machine();
        for taken in 0..3 {
            let at = at("Leaves", "takes", NodeId::new(0));
            assert_eq!(bad::<Leaves>(&mut machine, taken), Error::NotTaken { at, count: 3 - taken as u32 });
        }
        assert_eq!(good::<Leaves>(&mut machine, 3).value, 3);
    });
}

threaded_old! {
    /// Names nodes that are not there, from the last one.
    fn NamesNode(how: u64, hop: bool, out: Reply<u64>)
    fiber start(this, eu) {
        let nodes = eu.nodes();
        let node = NodeId::new;
        if this.hop {
            eu.invoke_old::<NamesNode>(node(nodes - 1), (this.how, false, this.out));
            return Then::End;
        }
        let args = (3, false, this.out);
        match this.how {
            0 => eu.invoke_old::<NamesNode>(node(nodes), args),
            1 => eu.token_within_old::<NamesNode>(node(0)..node(nodes + 5), args),
            2 => eu.token_within_old::<NamesNode>(node(nodes - 1)..node(nodes - 1), args),
            _ => eu.put(this.out, 1),
        }
        Then::End
    }
}

#[test]
fn a_node_that_is_not_there_is_named() {
    on_every(|case| {
        let mut machine = case.machine();
        for (how, node) in [case.nodes, case.nodes + 4, case.nodes - 1].into_iter().enumerate() {
            let at = at("NamesNode", "start", case.last());
            let expected = Error::NoSuchNode { at, node, nodes: case.nodes };
            assert_eq!(bad::<NamesNode>(&mut machine, (how as u64, true)), expected);
        }
        assert_eq!(good::<NamesNode>(&mut machine, (3, true)).value, 1);
    });
}

threaded_old! {
    /// Uses entries that it does not have.
    fn Misplaces(how: u64, len: u64, out: Reply<u64>)
    inlets { x[this.len as usize]: u64 }
    cells  { c[this.len as usize]: u64 }
    slots  { s[this.len as usize]: 1 => never, counted: (this.len) => never }
    fiber start(this, eu) {
        match this.how {
            0 => eu.sync(Self::s.at(3)),
            1 => { eu.take(Self::x.at(7)); }
            2 => { eu.cell_ref(Self::c.at(3)); }
            3 => eu.spawn(HasMore::sixth),
            4 => { eu.slot_refs(HasMore::second); }
            5 => { eu.replies_to_one(HasMore::inlets, Self::counted); }
            6 => { eu.cell_refs(HasMore::cells); }
            _ => eu.put(this.out, this.how),
        }
        Then::End
    }
    fiber never(this, eu) {
        let _ = (&this, &eu);
        Then::Wait
    }
}

threaded_old! {
    /// Has an entry more of everything than `Misplaces`.
    fn HasMore(out: Reply<u64>)
    inlets { of: u64, inlets[1]: u64 }
    cells  { other: u64, cells[1]: u64 }
    slots  { first: 1 => sixth, and: 1 => sixth, second[1]: 1 => sixth }
    fiber start(this, eu) { eu.put(this.out, 0); Then::End }
    fiber two(_this, _eu) { Then::Wait }
    fiber three(_this, _eu) { Then::Wait }
    fiber four(_this, _eu) { Then::Wait }
    fiber five(_this, _eu) { Then::Wait }
    fiber sixth(_this, _eu) { Then::Wait }
}

#[test]
fn an_entry_that_is_not_there_is_named() {
    on_every(|case| {
        let mut machine = case.machine();
        let uses = [
            "element 3 of an array of 3 slots",
            "element 7 of an array of 3 inlets",
            "element 3 of an array of 3 cells",
            "fiber 5 of another function",
            "an array of slots of another function",
            "an array of inlets of another function",
            "an array of cells of another function",
        ];
        for (how, what) in uses.into_iter().enumerate() {
            let expected =
                Error::NoSuchEntry { at: at("Misplaces", "start", NodeId::new(0)), what: what.to_owned() };
            assert_eq!(bad::<Misplaces>(&mut machine, (how as u64, 3)), expected);
        }
        assert_eq!(good::<Misplaces>(&mut machine, (9, 3)).value, 9);
    });
}

threaded_old! {
    /// Has a slot whose count is `count`.
    fn Oversized(count: u64, out: Reply<u64>)
    slots { s: (this.count) => never }
    fiber start(this, eu) {
        eu.put(this.out, this.count);
        Then::End
    }
    fiber never(_this, _eu) { Then::Wait }
}

#[test]
fn sizes_beyond_32_bits_are_refused_when_the_frame_starts() {
    on_every(|case| {
        let mut machine = case.machine();
        let expected = Error::NoSuchEntry {
            at: at("Oversized", "start", NodeId::new(0)),
            what: "a count or a number of slots, inlets or cells that does not fit 32 bits".to_owned(),
        };
        assert_eq!(bad::<Oversized>(&mut machine, 1 << 32), expected);
        assert_eq!(good::<Oversized>(&mut machine, (1 << 32) - 1).value, (1 << 32) - 1);
    });
}

threaded_old! {
    /// Runs a program inside a fiber: what that says, and what a thread of its own gets.
    fn RunsInside(out: Reply<(bool, u64)>)
    fiber start(this, eu) {
        let inside = Machine::threads(1).run_old::<HasMore>(()).map(|run| run.value);
        let beside = std::thread::spawn(|| Machine::threads(1).run_old::<HasMore>(()).map(|run| run.value));
        let beside = beside.join().expect("it does not panic");
        eu.put(this.out, (inside == Err(Error::InsideFiber), beside.map_or(1, |value| value)));
        Then::End
    }
}

threaded_old! {
    fn OnLast(out: Reply<(bool, u64)>)
    calls { RunsInside }
    fiber start(this, eu) {
        eu.invoke_old::<RunsInside>(NodeId::new(eu.nodes() - 1), (this.out,));
        Then::End
    }
}

#[test]
fn a_run_inside_a_fiber_is_refused_and_the_run_outside_goes_on() {
    on_every(|case| {
        let mut machine = case.machine();
        assert_eq!(good::<OnLast>(&mut machine, ()).value, (true, 0));
        // The calling thread is outside again, also after a run that failed.
        bad::<PanicThere>(&mut machine, (NodeId::new(0), 0));
        assert_eq!(good::<HasMore>(&mut machine, ()).value, 0);
    });
}

#[test]
fn errors_of_fibers_read_as_sentences() {
    let at = at("Fib", "add", NodeId::new(3));
    let say = |error: Error| error.to_string();
    assert_eq!(
        say(Error::Panicked { at: at.clone(), message: "why".into() }),
        "fiber `add` of Fib on node 3 panicked: why"
    );
    assert_eq!(
        say(Error::NotTaken { at: at.clone(), count: 2 }),
        "fiber `add` of Fib on node 3 ended without taking 2 of the values that enabled it"
    );
    assert_eq!(
        say(Error::NoSuchNode { at, node: 8, nodes: 4 }),
        "fiber `add` of Fib on node 3 named node 8 of a machine of 4"
    );
}

#[test]
fn all_machines_with_enough_nodes_are_walked() {
    let mut seen = 0;
    on_every_of(2, |case| {
        assert!(case.nodes >= 2);
        seen += 1;
    });
    assert_eq!((seen, common::cases().count()), (72, 96));
}
