//! Slots, inlets and cells that do not exist: beyond the end of an array, of a number that no address has, or
//! beyond 32 bits.

use std::panic::catch_unwind;

use crate::common::{fails, gives, on_every};
use earth::{
    Arrived, EntryName, Error, Eu, FiberName, Machine, NodeId, Packer, Reply, SlotRefs, Start, Unpacker,
    Wire, threaded,
};
use snapbox::{assert_data_eq, str};

/// Returns the first fiber of a function on node 0.
fn start(function: &str) -> FiberName {
    FiberName { function: function.to_owned(), fiber: "start".to_owned(), node: 0 }
}

/// Line of the first use of an element in `Misplaces`.
const FIRST_USE: u32 = line!() + 10;

/// Uses elements that its arrays do not have.
struct Misplaces;

#[threaded]
impl Misplaces {
    fn start(how: u64, len: usize, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        assert_eq!(eu.cell_refs(Self::c(..)).len(), len);
        match how {
            0 => eu.sync(Self::s(3)),
            1 => drop(eu.reply(Self::s(4).x)),
            2 => drop(eu.reply(Self::all().xs.at(7))),
            3 => drop(eu.cell_ref(Self::c(3))),
            4 => drop(eu.replies(Self::all().xs).at(3)),
            5 => drop(eu.slot_refs(Self::s(..)).at(usize::MAX)),
            6 => drop(eu.cell_refs(Self::c(..)).at(4)),
            7 => eu.sync(Self::s(1 << 32)),
            8 => drop(eu.reply(Self::all().xs.at(usize::MAX))),
            9 => drop(eu.cell_ref(Self::c(usize::MAX))),
            10 => eu.spawn(Self::far(1 << 32)),
            _ => eu.put(out, how),
        }
        Start::End
    }

    #[cells(len = len)]
    fn c(i: usize) -> u64;

    #[slots(len = len)]
    fn s(&mut self, i: usize, x: u64) {
        unreachable!("{x} comes for slot {i}")
    }

    #[slot]
    fn all(&mut self, #[inlets(len)] xs: Arrived<'_, u64>) {
        unreachable!("{xs:?} come")
    }

    #[spawned]
    fn far(&mut self, i: usize) {
        unreachable!("fiber {i} runs")
    }
}

#[test]
fn an_element_that_is_not_there_is_named() {
    on_every(|case| {
        let mut machine = case.machine();
        let uses = [
            str!["element 3 of an array of 3 slots"],
            str!["element 4 of an array of 3 inlets"],
            str!["element 7 of an array of 3 inlets"],
            str!["element 3 of an array of 3 cells"],
            str!["element 3 of an array of 3 inlets"],
            str!["element 18446744073709551615 of an array of 3 slots"],
            str!["element 4 of an array of 3 cells"],
            str!["element 4294967296 of an array, whose indices fit 32 bits"],
            str!["element 18446744073709551615 of an array, whose indices fit 32 bits"],
            str!["element 18446744073709551615 of an array, whose indices fit 32 bits"],
            str!["index 4294967296 of a fiber, which does not fit 32 bits"],
        ];
        // Only some machines check all of them.
        let most = if case.nodes == 3 { uses.len() } else { 4 };
        for (how, what) in uses.into_iter().enumerate().take(most) {
            let Error::NoSuchEntry { at, what: entry, place } =
                fails(&mut machine, |out| Misplaces::call(how as u64, 3, out))
            else {
                panic!("it is an entry that does not exist");
            };
            assert_eq!(at, start("Misplaces"));
            // An index beyond 32 bits is refused before the fiber uses the name.
            let place = place.unwrap_or_default();
            let line = format!("{}:{}:", file!(), FIRST_USE + how as u32);
            assert!(if how < 7 { place.starts_with(&line) } else { place.is_empty() }, "{how}: {place}");
            assert_data_eq!(entry, what);
        }
        assert_eq!(gives(&mut machine, |out| Misplaces::call(99, 3, out)).value, 99);
    });
}

/// Has a slot with the count `count`.
struct Oversized;

#[threaded]
impl Oversized {
    fn start(count: usize, out: Reply<usize>, eu: &mut Eu<Self>) -> Start<Self> {
        let _ = eu.slot_ref(Self::never());
        eu.put(out, count);
        Start::End
    }

    #[slot(syncs = count)]
    fn never(&mut self) {}
}

#[test]
fn sizes_beyond_32_bits_are_refused_when_the_frame_starts() {
    on_every(|case| {
        let mut machine = case.machine();
        let expected = Error::NoSuchEntry {
            at: start("Oversized"),
            what: "a count or a number of slots, inlets or cells that does not fit 32 bits".to_owned(),
            place: None,
        };
        assert_eq!(fails(&mut machine, |out| Oversized::call(1 << 32, out)), expected);
        assert_eq!(gives(&mut machine, |out| Oversized::call((1 << 32) - 1, out)).value, (1 << 32) - 1);
    });
}

/// Uses addresses of entries that its frame does not have.
struct Forges;

#[threaded]
impl Forges {
    fn start(how: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        let (inlet, cell) = (eu.reply(Self::s().x), eu.cell_ref(Self::c()));
        match how {
            0 => eu.rsync(third(eu.slot_ref(Self::s()))),
            1 => eu.put(third(inlet), 1),
            2 => eu.get(third(cell), inlet),
            3 => eu.write(third(cell), 1),
            _ => {
                eu.put(out, 9);
                return Start::End;
            }
        }
        Start::Wait(Forges)
    }

    #[cell]
    fn c() -> u64;

    #[slot]
    fn s(self, x: u64) {
        unreachable!("{x} is for another inlet")
    }
}

/// Returns the address with the number of a third entry, as the bytes of an event might contain it.
fn third<A: Wire>(address: A) -> A {
    let mut out = Packer::default();
    address.pack(&mut out);
    let mut bytes = out.into_bytes();
    let number = bytes.len() - 4;
    bytes[number..].copy_from_slice(&2u32.to_le_bytes());
    A::unpack(&mut Unpacker::new(&bytes)).expect("an address of another entry")
}

#[test]
fn an_address_of_an_entry_that_its_frame_does_not_have_is_reported() {
    on_every(|case| {
        let wrong = [
            ("a signal", "slot", "has no such slot"),
            ("a value", "inlet", "has no such inlet"),
            ("a read request", "cell", "has no such cell"),
            ("a value", "cell", "has no such cell"),
        ];
        for (how, (what, kind, why)) in wrong.into_iter().enumerate() {
            let mut machine = case.machine();
            let error = fails(&mut machine, |out| Forges::call(how as u64, out));
            let (name, function) = ("number 2".to_owned(), "Forges".to_owned());
            let to = EntryName { what: kind.into(), name, function, node: 0 };
            let (what, why, sender) = (what.into(), why.into(), Box::new(start("Forges")));
            assert_eq!(error, Error::StaleAddress { what, to, why, sender }, "way {how}");
            assert_eq!(gives(&mut machine, |out| Forges::call(9, out)).value, 9);
        }
    });
}

/// Line and column of the use in `Beyond`.
const LINE_BEYOND: u32 = line!() + 9;
const COLUMN_BEYOND: u32 = 24;

/// Requests an element beyond the end of arrays on another node.
struct Beyond;

#[threaded]
impl Beyond {
    fn start(slots: SlotRefs, eu: &mut Eu<Self>) {
        eu.rsync(slots.at(3));
    }
}

struct HasThree;

#[threaded]
impl HasThree {
    fn start(eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(eu.nodes() - 1), Beyond::call(eu.slot_refs(Self::s(..))));
        HasThree
    }

    #[slots(len = 3, sync)]
    fn s(self, _i: usize) {}
}

#[test]
fn an_element_beyond_a_remote_array_is_reported_with_the_requesting_fiber() {
    on_every(|case| {
        let at = FiberName { node: case.last().index(), ..start("Beyond") };
        let error = fails(&mut case.machine(), |_: Reply<u64>| HasThree::call());
        let place = format!("{}:{LINE_BEYOND}:{COLUMN_BEYOND}", file!());
        let text = format!("{at} used element 3 of an array of 3 slots, at {place}");
        assert_eq!(error.to_string(), text);
        let what = "element 3 of an array of 3 slots".to_owned();
        assert_eq!(error, Error::NoSuchEntry { at, what, place: Some(place) });
    });
}

/// Puts the addresses of its three slots.
struct Lends;

#[threaded]
impl Lends {
    fn start(out: Reply<SlotRefs>, eu: &mut Eu<Self>) -> Start<Self> {
        eu.put(out, eu.slot_refs(Self::s(..)));
        Start::End
    }

    #[slots(len = 3, sync)]
    fn s(&mut self, _i: usize) {}
}

#[test]
fn an_element_that_is_not_there_is_a_panic_outside_of_fibers() {
    let slots = gives(&mut Machine::threads(1), Lends::call).value;
    let panic = catch_unwind(|| slots.at(3)).expect_err("there are three");
    let message = panic.downcast_ref::<String>().expect("it is a text");
    assert_data_eq!(message, str!["element 3 of an array of 3 slots does not exist"]);
}
