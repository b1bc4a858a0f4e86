//! Addresses that outlived their frame are reported and never followed, also when the frame's number
//! serves another frame by then.

mod common;

use common::{bad, good, on_every, on_every_of};
use earth::{CellRef, Error, NodeId, Reply, SlotRef, Then, threaded};

/// The addresses of a slot, an inlet and a cell of one frame.
type Addresses = (SlotRef, (Reply<u64>, CellRef<u64>));

threaded! {
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

threaded! {
    /// Lets a child on `node` end, starts `others` that stay, and uses the first one's addresses `how`;
    /// else pokes those that stay.
    fn Parent(node: NodeId, others: usize, how: u64, out: Reply<u64>)
    state  { ended: Option<Addresses> = None, stay: Vec<SlotRef> = Vec::new() }
    calls  { Child }
    inlets { slot: SlotRef, rest: (Reply<u64>, CellRef<u64>), answer: u64 }
    slots  { both: 2, reset 2 => told, got: 1 => answered }
    fiber start(this, eu) {
        let args = (false, eu.reply_to(Self::slot, Self::both), eu.reply_to(Self::rest, Self::both));
        eu.invoke::<Child>(this.node, args);
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
            eu.invoke::<Child>(this.node, args);
            return Then::Wait;
        };
        this.stay.push(slot);
        if this.stay.len() < this.others {
            let args = (true, eu.reply_to(Self::slot, Self::both), eu.reply_to(Self::rest, Self::both));
            eu.invoke::<Child>(this.node, args);
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

fn stale(what: &'static str, address: String) -> Error {
    Error::StaleAddress { what, address, why: "has ended" }
}

#[test]
fn an_address_of_an_ended_frame_is_reported() {
    on_every_of(2, |case| {
        for (how, what) in ["a signal", "a value", "a question", "a value"].into_iter().enumerate() {
            // On a new machine the child is the first function of its node.
            let mut machine = case.machine();
            let address = format!("frame 0 (generation 0) of node {}", case.last());
            let error = bad::<Parent>(&mut machine, (case.last(), 0, how as u64));
            assert_eq!(error, stale(what, address), "way {how}");
            assert_eq!(good::<Parent>(&mut machine, (case.last(), 0, 4)).value, 8);
        }
    });
}

#[test]
fn an_address_is_not_followed_to_a_newer_frame_of_the_same_number() {
    on_every(|case| {
        for (how, what) in ["a signal", "a value", "a question", "a value"].into_iter().enumerate() {
            let mut machine = case.machine();
            let error = bad::<Parent>(&mut machine, (case.last(), 3, how as u64));
            let frame = u32::from(case.nodes == 1);
            let address = format!("frame {frame} (generation 0) of node {}", case.last());
            assert_eq!(error, stale(what, address), "way {how}");
            assert_eq!(good::<Parent>(&mut machine, (case.last(), 3, 4)).value, 8);
        }
    });
}

threaded! {
    /// Makes addresses of its own frame with the names of another function's places.
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

threaded! {
    fn More(out: Reply<u64>)
    inlets { x: u64, y: u64, z: u64 }
    cells  { c: u64, d: u64, e: u64 }
    slots  { first: 1 => fired, second: 1 => fired, third: 1 => fired }
    fiber start(this, eu) { eu.put(this.out, 0); Then::End }
    fiber fired(_this, _eu) { Then::Wait }
}

#[test]
fn an_address_of_a_place_that_its_frame_does_not_have_is_reported() {
    on_every(|case| {
        let wrong = [
            ("a signal", "has no such slot"),
            ("a value", "has no such inlet"),
            ("a question", "has no such cell"),
            ("a value", "has no such cell"),
            ("a signal", "has no such slot"),
        ];
        for (how, (what, why)) in wrong.into_iter().enumerate() {
            let mut machine = case.machine();
            let error = bad::<Mixed>(&mut machine, how as u64);
            let address = "frame 0 (generation 0) of node 0".to_owned();
            assert_eq!(error, Error::StaleAddress { what, address, why }, "way {how}");
            assert_eq!(good::<Mixed>(&mut machine, 9).value, 9);
        }
    });
}

threaded! {
    /// Asks for an element beyond the end of arrays on another node.
    fn Beyond(slots: earth::SlotRefs, out: Reply<u64>)
    fiber start(this, eu) {
        eu.rsync(this.slots.at(3));
        Then::End
    }
}

threaded! {
    fn HasThree(out: Reply<u64>)
    calls { Beyond }
    slots { s[3]: 1 => fired }
    fiber start(this, eu) {
        eu.invoke::<Beyond>(NodeId::new(eu.nodes() - 1), (eu.slot_refs(Self::s), this.out));
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
