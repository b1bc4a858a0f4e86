//! Addresses that outlived their frame are reported and never followed, also when the frame's number
//! serves another frame by then.

mod common;

use common::{bad, good, on_every, on_every_of};
use earth::{CellRef, EntryName, Error, FiberName, NodeId, Reply, SlotRef, Then, threaded_old};

/// The addresses of a slot, an inlet and a cell of one frame.
type Addresses = (SlotRef, (Reply<u64>, CellRef<u64>));

threaded_old! {
    /// Gives out its addresses; ends at once or when it is poked.
    fn Child(stays: bool, out: Reply<SlotRef>, rest: Reply<(Reply<u64>, CellRef<u64>)>)
    inlets { x: u64 }
    cells  { c: u64 }
    slots  { poke: 1 => poked, value: 1 => valued }
    fiber start(this, eu) {
        eu.put(this.out, eu.slot_ref(Self::poke));
        eu.put(this.rest, (eu.reply_to(Self::x, Self::value), eu.cell_ref(Self::c)));
        if this.stays { Then::Wait } else { Then::End }
    }
    fiber poked(_this, _eu) { Then::End }
    fiber valued(_this, eu) {
        eu.take(Self::x);
        Then::End
    }
}

threaded_old! {
    /// Lets a child on `node` end, starts `others` that stay, and uses the first one's addresses `how`;
    /// else pokes those that stay.
    fn Parent(node: NodeId, others: usize, how: u64, out: Reply<u64>)
    state  { ended: Option<Addresses> = None, stay: Vec<SlotRef> = Vec::new() }
    calls  { Child }
    inlets { slot: SlotRef, rest: (Reply<u64>, CellRef<u64>), answer: u64 }
    slots  { both: 2, reset 2 => told, got: 1 => answered }
    fiber start(this, eu) {
        let args = (false, eu.reply_to(Self::slot, Self::both), eu.reply_to(Self::rest, Self::both));
        eu.invoke_old::<Child>(this.node, args);
        Then::Wait
    }
    fiber told(this, eu) {
        let (slot, rest) = (eu.take(Self::slot), eu.take(Self::rest));
        let Some(ended) = this.ended else {
            this.ended = Some((slot, rest));
            if this.others == 0 {
                return Self::use_ended(this, eu);
            }
            let args = (true, eu.reply_to(Self::slot, Self::both), eu.reply_to(Self::rest, Self::both));
            eu.invoke_old::<Child>(this.node, args);
            return Then::Wait;
        };
        this.stay.push(slot);
        if this.stay.len() < this.others {
            let args = (true, eu.reply_to(Self::slot, Self::both), eu.reply_to(Self::rest, Self::both));
            eu.invoke_old::<Child>(this.node, args);
            return Then::Wait;
        }
        let reused = this.stay.iter().any(|&stays| is_same_number(stays, ended.0));
        assert!(reused, "none of {:?} has the number of {:?}", this.stay, ended.0);
        Self::use_ended(this, eu)
    }
    fiber answered(this, eu) {
        let answer = eu.take(Self::answer);
        eu.put(this.out, answer);
        Then::End
    }
}

impl Parent {
    fn use_ended(&mut self, eu: &mut earth::Eu) -> Then {
        let Some((slot, (inlet, cell))) = self.ended else {
            unreachable!("the first child told its addresses")
        };
        match self.how {
            0 => eu.rsync(slot),
            1 => eu.put(inlet, 5),
            2 => eu.get(cell, eu.reply_to(Self::answer, Self::got)),
            3 => eu.write(cell, 5),
            _ => {
                self.stay.drain(..).for_each(|stays| eu.rsync(stays));
                eu.put(self.out, 8);
                return Then::End;
            }
        }
        Then::Wait
    }
}

/// Whether two slots are of one frame number at two generations, as their text says.
fn is_same_number(a: SlotRef, b: SlotRef) -> bool {
    let number = |slot: SlotRef| format!("{slot:?}").split(" (generation").next().map(str::to_owned);
    a != b && number(a) == number(b)
}

fn entry(what: &'static str, name: &str, function: &str, node: NodeId) -> EntryName {
    EntryName { what, name: name.to_owned(), function: function.to_owned(), node: node.index() }
}

fn fiber(fiber: &str, function: &str, node: NodeId) -> FiberName {
    FiberName { function: function.to_owned(), fiber: fiber.to_owned(), node: node.index() }
}

/// The error of `Parent` when it uses the addresses of its first child in each way.
fn stale(how: usize, node: NodeId) -> Error {
    let (what, kind, name) = [
        ("a signal", "slot", "poke"),
        ("a value", "inlet", "x"),
        ("a question", "cell", "c"),
        ("a value", "cell", "c"),
    ][how];
    let sender = Box::new(fiber("told", "Parent", NodeId::new(0)));
    Error::StaleAddress { what, to: entry(kind, name, "Child", node), why: "had ended", sender }
}

#[test]
fn an_address_of_an_ended_frame_is_reported() {
    on_every_of(2, |case| {
        for how in 0..4 {
            let mut machine = case.machine();
            let error = bad::<Parent>(&mut machine, (case.last(), 0, how as u64));
            assert_eq!(error, stale(how, case.last()), "way {how}");
            assert_eq!(good::<Parent>(&mut machine, (case.last(), 0, 4)).value, 8);
        }
    });
}

#[test]
fn an_address_is_not_followed_to_a_newer_frame_of_the_same_number() {
    on_every(|case| {
        for how in 0..4 {
            let mut machine = case.machine();
            let error = bad::<Parent>(&mut machine, (case.last(), 3, how as u64));
            assert_eq!(error, stale(how, case.last()), "way {how}");
            assert_eq!(good::<Parent>(&mut machine, (case.last(), 3, 4)).value, 8);
        }
    });
}

threaded_old! {
    /// Makes addresses of its own frame with the names of another function's entries.
    fn Mixed(how: u64, out: Reply<u64>)
    inlets { x: u64 }
    cells  { c: u64 }
    slots  { s: 1 => fired }
    fiber start(this, eu) {
        match this.how {
            0 => eu.sync(More::third),
            1 => eu.put(eu.reply_to(More::z, Self::s), 1),
            2 => eu.get(eu.cell_ref(More::e), eu.reply_to(Self::x, Self::s)),
            3 => eu.write(eu.cell_ref(More::e), 1),
            4 => eu.incr(More::third, 1),
            _ => { eu.put(this.out, 9); return Then::End; }
        }
        Then::Wait
    }
    fiber fired(_this, _eu) { Then::Wait }
}

threaded_old! {
    fn More(out: Reply<u64>)
    inlets { x: u64, y: u64, z: u64 }
    cells  { c: u64, d: u64, e: u64 }
    slots  { first: 1 => fired, second: 1 => fired, third: 1 => fired }
    fiber start(this, eu) { eu.put(this.out, 0); Then::End }
    fiber fired(_this, _eu) { Then::Wait }
}

#[test]
fn an_address_of_an_entry_that_its_frame_does_not_have_is_reported() {
    on_every(|case| {
        let wrong = [
            ("a signal", "slot", "has no such slot"),
            ("a value", "inlet", "has no such inlet"),
            ("a question", "cell", "has no such cell"),
            ("a value", "cell", "has no such cell"),
            ("a signal", "slot", "has no such slot"),
        ];
        for (how, (what, kind, why)) in wrong.into_iter().enumerate() {
            let mut machine = case.machine();
            let error = bad::<Mixed>(&mut machine, how as u64);
            let to = entry(kind, "number 2", "Mixed", NodeId::new(0));
            let sender = Box::new(fiber("start", "Mixed", NodeId::new(0)));
            assert_eq!(error, Error::StaleAddress { what, to, why, sender }, "way {how}");
            assert_eq!(good::<Mixed>(&mut machine, 9).value, 9);
        }
    });
}

threaded_old! {
    /// Asks for an element beyond the end of arrays on another node.
    fn Beyond(slots: earth::SlotRefs, out: Reply<u64>)
    fiber start(this, eu) {
        eu.rsync(this.slots.at(3));
        Then::End
    }
}

threaded_old! {
    fn HasThree(out: Reply<u64>)
    calls { Beyond }
    slots { s[3]: 1 => fired }
    fiber start(this, eu) {
        eu.invoke_old::<Beyond>(NodeId::new(eu.nodes() - 1), (eu.slot_refs(Self::s), this.out));
        Then::Wait
    }
    fiber fired(_this, _eu) { Then::Wait }
}

#[test]
fn an_element_beyond_the_end_of_a_remote_array_is_a_panic_of_the_fiber_that_asks() {
    on_every(|case| {
        let Error::Panicked { at, message } = bad::<HasThree>(&mut case.machine(), ()) else {
            panic!("it panics")
        };
        assert_eq!(
            (at.function.as_str(), at.node, message.as_str()),
            ("Beyond", case.nodes - 1, "element 3 of an array of 3")
        );
    });
}

threaded_old! {
    /// Has a line of functions begin and end under one frame number of the last node: a `Sized`, whose address it
    /// keeps, then `others` more of changing kinds. Then another function puts to the first one.
    fn Succession(others: u64, out: Reply<u64>)
    state  { turn: u64 = 0, first: Option<Reply<u64>> = None }
    calls  { Sized, Plain, Other, Late }
    inlets { address: Reply<u64> }
    slots  { told: 1, reset 1 => next }
    fiber start(this, eu) {
        let _ = &this.first;
        eu.invoke_old::<Sized>(NodeId::new(eu.nodes() - 1), (3, eu.reply_to(Self::address, Self::told)));
        Then::Wait
    }
    fiber next(this, eu) {
        let (address, last) = (eu.take(Self::address), NodeId::new(eu.nodes() - 1));
        let first = *this.first.get_or_insert(address);
        let to = eu.reply_to(Self::address, Self::told);
        this.turn += 1;
        match this.turn {
            turn if turn > this.others => eu.invoke_old::<Late>(last, (first,)),
            // A function has every other number, so the first one's changes hands at each even turn.
            turn if turn / 2 % 2 == 0 => eu.invoke_old::<Plain>(last, (to,)),
            _ => eu.invoke_old::<Other>(last, (to,)),
        }
        Then::Wait
    }
}

threaded_old! {
    /// Tells the address of the last of its inlets and ends.
    fn Sized(len: usize, out: Reply<Reply<u64>>)
    inlets { single: u64, x[this.len]: u64 }
    slots  { s: 1 => never }
    fiber start(this, eu) {
        eu.put(this.out, eu.replies_to_one(Self::x, Self::s).at(this.len - 1));
        Then::End
    }
    fiber never(_this, _eu) { Then::Wait }
}

threaded_old! {
    fn Plain(out: Reply<Reply<u64>>)
    inlets { a: u64 }
    slots  { s: 1 => never }
    fiber start(this, eu) {
        eu.put(this.out, eu.reply_to(Self::a, Self::s));
        Then::End
    }
    fiber never(_this, _eu) { Then::Wait }
}

threaded_old! {
    fn Other(out: Reply<Reply<u64>>)
    inlets { b: u64, c: u64 }
    slots  { s: 1 => never }
    fiber start(this, eu) {
        eu.put(this.out, eu.reply_to(Self::c, Self::s));
        Then::End
    }
    fiber never(_this, _eu) { Then::Wait }
}

threaded_old! {
    /// Puts a value from a frame of its own.
    fn Late(to: Reply<u64>)
    slots { go: 1 => late }
    fiber start(_this, eu) {
        eu.sync(Self::go);
        Then::Wait
    }
    fiber late(this, eu) {
        eu.put(this.to, 5);
        Then::End
    }
}

#[test]
fn an_ended_frame_is_named_though_its_number_serves_another_function() {
    on_every_of(2, |case| {
        for others in 0..9 {
            let sender = Box::new(fiber("late", "Late", case.last()));
            // Four functions of a number are known.
            let (name, function) = match others {
                0 => ("x[2]", "Sized"),
                1..=6 => ("number 4", "Sized"),
                _ => ("number 4", "a function that ended long ago"),
            };
            let to = entry("inlet", name, function, case.last());
            let expected = Error::StaleAddress { what: "a value", to, why: "had ended", sender };
            assert_eq!(bad::<Succession>(&mut case.machine(), others), expected, "{others} others");
        }
    });
}

threaded_old! {
    /// Has a cell on the last node, for which `Asks` asks and ends; then `Answers` writes it.
    fn HasCell(hop: bool, out: Reply<u64>)
    calls { Asks }
    cells { c: u64 }
    slots { never: 1 => end }
    fiber start(this, eu) {
        if this.hop {
            eu.invoke_old::<HasCell>(NodeId::new(eu.nodes() - 1), (false, this.out));
            return Then::End;
        }
        eu.invoke_old::<Asks>(eu.node(), (eu.cell_ref(Self::c),));
        Then::Wait
    }
    fiber end(_this, _eu) { Then::End }
}

threaded_old! {
    fn Asks(cell: CellRef<u64>)
    calls  { Answers }
    inlets { answer: u64 }
    slots  { come: 1 => end }
    fiber start(this, eu) {
        eu.get(this.cell, eu.reply_to(Self::answer, Self::come));
        eu.invoke_old::<Answers>(eu.node(), (this.cell,));
        Then::End
    }
    fiber end(_this, _eu) { Then::End }
}

threaded_old! {
    fn Answers(cell: CellRef<u64>)
    fiber start(this, eu) {
        eu.write(this.cell, 1);
        Then::End
    }
}

#[test]
fn an_answer_to_an_ended_frame_counts_as_sent_by_whoever_asked() {
    on_every(|case| {
        let sender = Box::new(fiber("start", "Asks", case.last()));
        let to = entry("inlet", "answer", "Asks", case.last());
        let expected = Error::StaleAddress { what: "a value", to, why: "had ended", sender };
        assert_eq!(bad::<HasCell>(&mut case.machine(), true), expected);
    });
}

#[test]
fn an_error_of_an_address_reads_as_a_sentence() {
    let to = entry("inlet", "left", "Fib", NodeId::new(1));
    let sender = Box::new(fiber("start", "Ring", NodeId::new(0)));
    let error = Error::StaleAddress { what: "a value", to, why: "had ended", sender };
    assert_eq!(
        error.to_string(),
        "a value for inlet `left` of Fib on node 1, which had ended, from fiber `start` of Ring on node 0"
    );
}
