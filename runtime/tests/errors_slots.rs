//! Errors that a synchronization unit finds: signals, values, raised counts and ends of frames
//! that do not fit together.

mod common;

use common::{bad, good, on_every};
use earth::{
    CellRef, CellRefs, EntryName, Error, FiberName, NodeId, Replies, Reply, SlotRefs, Then, threaded_old,
};

fn entry(what: &'static str, name: &str, function: &str, node: NodeId) -> EntryName {
    EntryName { what, name: name.to_owned(), function: function.to_owned(), node: node.index() }
}

fn fiber(fiber: &str, function: &str, node: NodeId) -> FiberName {
    FiberName { function: function.to_owned(), fiber: fiber.to_owned(), node: node.index() }
}

threaded_old! {
    /// Gives its addresses to `Signals` on another node, which uses them `how`.
    fn Owner(node: NodeId, how: u64, out: Reply<u64>)
    calls  { Signals }
    inlets { x: u64, many[3]: u64 }
    slots  { once: 1 => fired, each[3]: 1 => fired, never[1]: 0 => fired, enough: 2 => done }
    fiber start(this, eu) {
        if this.how == 3 {
            eu.sync(Self::each.at(2));
        }
        let slots = (eu.slot_refs(Self::each), eu.replies_to(Self::many, Self::each));
        eu.invoke_old::<Signals>(this.node, (this.how, Box::new(slots)));
        match this.how {
            0 => { eu.sync(Self::once); eu.sync(Self::once); }
            1 => { eu.sync(Self::never.at(0)); }
            _ => {}
        }
        eu.sync(Self::enough);
        Then::Wait
    }
    fiber fired(this, eu, index) {
        match this.how {
            4 => { eu.take(Self::many.at(index)); }
            5 => {
                eu.take(Self::many.at(index));
                eu.sync(Self::enough);
            }
            _ => {}
        }
        Then::Wait
    }
    fiber done(this, eu) {
        eu.put(this.out, this.how);
        Then::End
    }
}

threaded_old! {
    fn Signals(how: u64, to: Box<(SlotRefs, Replies<u64>)>)
    fiber start(this, eu) {
        match this.how {
            2 => { eu.rsync(this.to.0.at(1)); eu.rsync(this.to.0.at(1)); }
            3 => eu.put(this.to.1.at(2), 1),
            4 => { eu.put(this.to.1.at(0), 1); eu.put(this.to.1.at(0), 2); }
            5 => { eu.put(this.to.1.at(0), 1); }
            _ => {}
        }
        Then::End
    }
}

#[test]
fn a_signal_too_many_names_its_slot_and_its_sender() {
    on_every(|case| {
        let mut machine = case.machine();
        for (how, slot) in ["once", "never[0]", "each[1]", "each[2]", "each[0]"].into_iter().enumerate() {
            let slot = entry("slot", slot, "Owner", NodeId::new(0));
            let error = bad::<Owner>(&mut machine, (case.last(), how as u64));
            let sender = Box::new(match how {
                0 | 1 => fiber("start", "Owner", NodeId::new(0)),
                _ => fiber("start", "Signals", case.last()),
            });
            assert_eq!(error, Error::TooManySignals { slot, sender }, "way {how}");
        }
        assert_eq!(good::<Owner>(&mut machine, (case.last(), 5)).value, 5);
    });
}

threaded_old! {
    /// Raises the count of a slot on the last node, `how` says when.
    fn Raises(how: u64, hop: bool, out: Reply<u64>)
    slots { once: 1 => fired, large[2]: 1 => fired }
    fiber start(this, eu) {
        if this.hop {
            eu.invoke_old::<Raises>(NodeId::new(eu.nodes() - 1), (this.how, false, this.out));
            return Then::End;
        }
        match this.how {
            0 => { eu.sync(Self::once); eu.incr(Self::once, 1); }
            1 => eu.incr(Self::large.at(1), u32::MAX),
            2 => { eu.incr(Self::once, 2); (0..3).for_each(|_| eu.sync(Self::once)); }
            _ => eu.sync(Self::once),
        }
        Then::Wait
    }
    fiber fired(this, eu) {
        if this.how == 3 {
            eu.incr(Self::once, 1);
        }
        eu.put(this.out, this.how);
        Then::End
    }
}

#[test]
fn a_count_that_cannot_be_raised_names_its_slot() {
    on_every(|case| {
        let mut machine = case.machine();
        let late = |name| Error::CannotRaise {
            slot: entry("slot", name, "Raises", case.last()),
            why: "it has reached zero",
        };
        let far = Error::CannotRaise {
            slot: entry("slot", "large[1]", "Raises", case.last()),
            why: "it does not fit 32 bits",
        };
        assert_eq!(bad::<Raises>(&mut machine, (0, true)), late("once"));
        assert_eq!(bad::<Raises>(&mut machine, (1, true)), far);
        assert_eq!(good::<Raises>(&mut machine, (2, true)).value, 2);
        assert_eq!(bad::<Raises>(&mut machine, (3, true)), late("once"));
    });
}

threaded_old! {
    /// Waits on the last node with slots whose counts are worked out. A count of 0 is meant where it is a number, and
    /// does not matter on the first node, where the function ends at once.
    fn Counts(one: u64, each: u64, len: usize, hop: bool, out: Reply<u64>)
    slots {
        raised: 0 => told, one: (this.one) => told, each[this.len]: (this.each), reset (this.one) => never,
        empty[0]: (this.len - this.len) => never,
    }
    fiber start(this, eu) {
        if this.hop {
            let args = (this.one, this.each, this.len, false, this.out);
            eu.invoke_old::<Counts>(NodeId::new(eu.nodes() - 1), args);
            return Then::End;
        }
        eu.incr(Self::raised, 1);
        eu.sync(Self::raised);
        Then::Wait
    }
    fiber told(this, eu) {
        eu.put(this.out, this.one);
        Then::End
    }
    fiber never(_this, _eu) { Then::Wait }
}

#[test]
fn a_count_that_comes_to_0_names_its_slot_when_the_frame_waits() {
    on_every(|case| {
        let mut machine = case.machine();
        let never = |slot, fiber: &str| {
            let slot = entry("slot", slot, "Counts", case.last());
            Error::NeverEnabled { slot, fiber: fiber.to_owned() }
        };
        assert_eq!(bad::<Counts>(&mut machine, (0, 1, 2, true)), never("one", "told"));
        assert_eq!(bad::<Counts>(&mut machine, (1, 0, 2, true)), never("each[0]", "never"));
        for (each, len) in [(0, 0), (1, 0), (1, 2)] {
            assert_eq!(good::<Counts>(&mut machine, (1, each, len, true)).value, 1);
        }
    });
}

threaded_old! {
    /// Sends `values` values to one inlet of a slot that never fires: one fills the
    /// inlet, the others are parked.
    fn Parks(values: u64, hop: bool, out: Reply<u64>)
    inlets { other: u64, x[2]: u64 }
    slots  { pair: 2 => never }
    fiber start(this, eu) {
        if this.hop {
            eu.invoke_old::<Parks>(NodeId::new(eu.nodes() - 1), (this.values, false, this.out));
            return Then::End;
        }
        for value in 0..this.values {
            eu.put(eu.replies_to_one(Self::x, Self::pair).at(1), value);
        }
        Then::Wait
    }
    fiber never(_this, _eu) { Then::Wait }
}

#[test]
fn parking_beyond_the_limit_names_node_limit_and_inlet() {
    on_every(|case| {
        // More than the program that shows that a machine still works may park: a value
        // from each of eight nodes.
        let mut machine = case.machine().parking_limit(9);
        let inlet = entry("inlet", "x[1]", "Parks", case.last());
        let expected = Error::ParkingFull { node: case.last().index(), limit: 9, inlet };
        assert_eq!(bad::<Parks>(&mut machine, (11, true)), expected);
        // As many as allowed are parked, and reported when nothing is left to run.
        let Error::Stuck(stuck) = bad::<Parks>(&mut machine, (10, true)) else { panic!("it is stuck") };
        assert_eq!((stuck.frames, stuck.parked), (1, 9));
        let mut machine = machine.parking_limit(0);
        let error = machine.run_old::<Parks>((2, true)).map(|run| run.value);
        assert!(matches!(error, Err(Error::ParkingFull { limit: 0, .. })), "{error:?}");
    });
}

threaded_old! {
    /// Has cells that `Writes` on another node writes.
    fn HasCells(node: NodeId, how: u64, out: Reply<u64>)
    calls  { Writes }
    inlets { x: u64 }
    cells  { one: u64, many[4]: u64 }
    slots  { got: 1 => end }
    fiber start(this, eu) {
        if this.how < 2 {
            eu.write(eu.cell_ref(Self::many.at(3)), 1);
        }
        let cells = (eu.cell_ref(Self::one), eu.cell_refs(Self::many));
        eu.invoke_old::<Writes>(this.node, (this.how, cells.0, cells.1));
        if this.how == 2 {
            eu.get(cells.1.at(3), eu.reply_to(Self::x, Self::got));
        }
        Then::Wait
    }
    fiber end(this, eu) {
        let value = eu.take(Self::x);
        eu.put(this.out, value);
        Then::End
    }
}

threaded_old! {
    fn Writes(how: u64, one: CellRef<u64>, many: CellRefs<u64>)
    fiber start(this, eu) {
        match this.how {
            0 => { eu.write(this.one, 1); eu.write(this.one, 1); }
            _ => eu.write(this.many.at(3), 30),
        }
        Then::End
    }
}

#[test]
fn a_cell_that_is_written_twice_is_named() {
    on_every(|case| {
        let mut machine = case.machine();
        for (how, cell) in ["one", "many[3]"].into_iter().enumerate() {
            let cell = entry("cell", cell, "HasCells", NodeId::new(0));
            assert_eq!(
                bad::<HasCells>(&mut machine, (case.last(), how as u64)),
                Error::WrittenTwice { cell }
            );
        }
        assert_eq!(good::<HasCells>(&mut machine, (case.last(), 2)).value, 30);
    });
}

threaded_old! {
    /// Ends while something needs its frame.
    fn EndsEarly(how: u64, hop: bool, out: Reply<u64>)
    inlets { x: u64, y: u64 }
    cells  { c: u64 }
    slots  { pair: 2 => end, go: 1 => end, again: 1, reset 1 => end }
    fiber start(this, eu) {
        if this.hop {
            eu.invoke_old::<EndsEarly>(NodeId::new(eu.nodes() - 1), (this.how, false, this.out));
            return Then::End;
        }
        let x = eu.reply_to(Self::x, Self::pair);
        match this.how {
            0 => { eu.put(x, 1); eu.put(x, 2); }
            1 => { eu.get(eu.cell_ref(Self::c), eu.reply_to(Self::x, Self::pair)); }
            2 => { eu.put(x, 1); }
            3 => { eu.sync(Self::again); eu.sync(Self::again); return Then::Wait; }
            4 => { eu.spawn(Self::end); eu.sync(Self::go); return Then::Wait; }
            5 => { eu.spawn(Self::end); return Then::End; }
            6 => { eu.sync(Self::go); return Then::End; }
            7 => { eu.put(x, 1); return Then::End; }
            _ => { eu.put(this.out, this.how); return Then::End; }
        }
        eu.sync(Self::go);
        Then::Wait
    }
    fiber end(_this, _eu) { Then::End }
}

#[test]
fn a_function_that_ends_while_its_frame_is_needed_is_named() {
    on_every(|case| {
        let mut machine = case.machine();
        let ended =
            |why| Error::EndedTooEarly { function: "EndsEarly".to_owned(), node: case.last().index(), why };
        let parked = "while values were parked at its inlets or reads waited at its cells";
        let full = "while its inlets held values that no fiber had taken";
        let enabled = "while one of its fibers was enabled";
        for (how, why) in
            [parked, parked, full, enabled, enabled, enabled, enabled, full].into_iter().enumerate()
        {
            let error = bad::<EndsEarly>(&mut machine, (how as u64, true));
            assert_eq!(error, ended(why), "way {how}");
        }
        assert_eq!(good::<EndsEarly>(&mut machine, (9, true)).value, 9);
    });
}

#[test]
fn errors_of_slots_read_as_sentences() {
    let slot = entry("slot", "all", "Sums", NodeId::new(2));
    assert_eq!(
        Error::NeverEnabled { slot, fiber: "add".to_owned() }.to_string(),
        "slot `all` of Sums on node 2 starts with a count of 0, so nothing ever enables its fiber `add`"
    );
    let slot = entry("slot", "stage[3]", "Butterfly<f64>", NodeId::new(1));
    let error = Error::TooManySignals { slot, sender: Box::new(fiber("add", "Fib", NodeId::new(0))) };
    assert_eq!(
        error.to_string(),
        "a signal too many for slot `stage[3]` of Butterfly<f64> on node 1, from fiber `add` of Fib on node 0"
    );
    let inlet = entry("inlet", "x", "Fib", NodeId::new(0));
    assert_eq!(
        Error::ParkingFull { node: 0, limit: 5, inlet }.to_string(),
        "more than 5 values are parked at full inlets of node 0; the last was for inlet `x` of Fib on node 0"
    );
}

threaded_old! {
    /// Enables its fiber twice, and starts others in between; the fiber ends the frame, so the second time
    /// finds it gone, or, in DUAL, serving one of the others.
    fn EndsTwice(others: u64, out: Reply<u64>)
    calls { Stays }
    fiber start(this, eu) {
        eu.spawn(Self::end);
        for _ in 0..this.others {
            eu.invoke_old::<Stays>(eu.node(), ());
        }
        eu.spawn(Self::end);
        Then::Wait
    }
    fiber end(_this, _eu) { Then::End }
}

threaded_old! {
    fn Stays()
    slots { never: 1 => never_runs }
    fiber start(_this, _eu) { Then::Wait }
    fiber never_runs(_this, _eu) { panic!("a fiber of another frame was taken for this one") }
}

#[test]
fn an_enabled_fiber_is_never_run_in_the_frame_that_came_after_its_own() {
    on_every(|case| {
        for others in 0..4 {
            let Error::EndedTooEarly { function, node: 0, why } =
                bad::<EndsTwice>(&mut case.machine(), others)
            else {
                panic!("it ends too early");
            };
            assert_eq!(why, "while one of its fibers was enabled");
            // The name of a frame that serves another function may be gone, but it is not that of the other.
            assert!(function == "EndsTwice" || others > 0 && function == "a function", "{function}");
        }
    });
}
