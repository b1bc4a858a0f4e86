//! Errors that a synchronization unit finds: signals, values and raised counts that do not fit together.

use crate::common::{fails, gives, on_every, on_every_of_one_process};
use earth::{
    Arrived, CellRef, CellRefs, EntryName, Error, Eu, FiberName, NodeId, Replies, Reply, SlotRefs, Start,
    threaded,
};
use snapbox::{assert_data_eq, str};

fn entry(what: &'static str, name: &str, function: &str, node: NodeId) -> EntryName {
    EntryName { what: what.into(), name: name.to_owned(), function: function.to_owned(), node: node.index() }
}

fn fiber(fiber: &str, function: &str, node: NodeId) -> FiberName {
    FiberName { function: function.to_owned(), fiber: fiber.to_owned(), node: node.index() }
}

/// Gives its addresses to `Signals` on another node, which uses them in the way `how`.
struct Owner {
    how: u64,
    out: Reply<u64>,
}

#[threaded]
impl Owner {
    fn start(node: NodeId, how: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let (slots, values) = (eu.slot_refs(Self::each(..)), eu.replies(Self::many(..).x));
        eu.invoke(node, Signals::call(how, slots, values));
        match how {
            0 => (0..2).for_each(|_| eu.sync(Self::once())),
            1 => eu.sync(Self::never(0)),
            _ => {}
        }
        eu.sync(Self::enough());
        Owner { how, out }
    }

    #[slot(sync)]
    fn once(&mut self) {}

    #[slots(len = 1, syncs = 0)]
    fn never(&mut self, _i: usize) {}

    #[slots(len = 3, sync)]
    fn each(&mut self, _i: usize) {}

    #[slots(len = 3)]
    fn many(&mut self, i: usize, x: u64, eu: &mut Eu<Self>) {
        match self.how {
            3 => eu.put(eu.reply(Self::many(i).x), x),
            5 => eu.sync(Self::enough()),
            _ => {}
        }
    }

    #[slot(syncs = 2)]
    fn enough(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.how);
    }
}

struct Signals;

#[threaded]
impl Signals {
    fn start(how: u64, slots: SlotRefs, values: Replies<u64>, eu: &mut Eu<Self>) {
        match how {
            2 => (0..2).for_each(|_| eu.rsync(slots.at(1))),
            3 => eu.put(values.at(2), 1),
            4 => (0..2).for_each(|value| eu.put(values.at(0), value)),
            5 => eu.put(values.at(0), 1),
            _ => {}
        }
    }
}

#[test]
fn a_signal_too_many_names_its_slot_and_its_sender() {
    on_every(|case| {
        let mut machine = case.machine();
        for (how, slot) in ["once", "never[0]", "each[1]", "many[2]", "many[0]"].into_iter().enumerate() {
            let slot = entry("slot", slot, "Owner", NodeId::new(0));
            let error = fails(&mut machine, |out| Owner::call(case.last(), how as u64, out));
            let sender = Box::new(match how {
                0 | 1 => fiber("start", "Owner", NodeId::new(0)),
                3 => fiber("many", "Owner", NodeId::new(0)),
                _ => fiber("start", "Signals", case.last()),
            });
            assert_eq!(error, Error::TooManySignals { slot, sender }, "way {how}");
        }
        assert_eq!(gives(&mut machine, |out| Owner::call(case.last(), 5, out)).value, 5);
    });
}

/// Raises the count of a slot on the last node, at the time `how`.
struct Raises {
    how: u64,
    out: Reply<u64>,
}

#[threaded]
impl Raises {
    fn start(how: u64, hop: bool, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if hop {
            eu.invoke(NodeId::new(eu.nodes() - 1), Raises::call(how, false, out));
            return Start::End;
        }
        match how {
            0 => {
                eu.sync(Self::once());
                eu.incr(Self::once(), 1);
            }
            1 => eu.incr(Self::large(1), u32::MAX),
            2 => {
                eu.incr(Self::once(), 2);
                (0..3).for_each(|_| eu.sync(Self::once()));
            }
            _ => eu.sync(Self::once()),
        }
        Start::Wait(Raises { how, out })
    }

    #[slot(sync)]
    fn once(self, eu: &mut Eu<Self>) {
        if self.how == 3 {
            eu.incr(Self::once(), 1);
        }
        eu.put(self.out, self.how);
    }

    #[slots(len = 2, sync)]
    fn large(&mut self, _i: usize) {}
}

#[test]
fn a_count_that_cannot_be_raised_names_its_slot() {
    on_every(|case| {
        let mut machine = case.machine();
        let late = |name| Error::CannotRaise {
            slot: entry("slot", name, "Raises", case.last()),
            why: "it has reached zero".into(),
        };
        let far = Error::CannotRaise {
            slot: entry("slot", "large[1]", "Raises", case.last()),
            why: "it does not fit 32 bits".into(),
        };
        assert_eq!(fails(&mut machine, |out| Raises::call(0, true, out)), late("once"));
        assert_eq!(fails(&mut machine, |out| Raises::call(1, true, out)), far);
        assert_eq!(gives(&mut machine, |out| Raises::call(2, true, out)).value, 2);
        assert_eq!(fails(&mut machine, |out| Raises::call(3, true, out)), late("once"));
    });
}

/// Waits on the last node with slots whose counts are computed. A count of 0 is allowed if it is a literal.
/// It does not matter on the first node, where the function ends at once.
struct Counts {
    out: Reply<u64>,
}

#[threaded]
impl Counts {
    fn start(
        one: usize,
        each: usize,
        len: usize,
        hop: bool,
        out: Reply<u64>,
        eu: &mut Eu<Self>,
    ) -> Start<Self> {
        // Creates addresses that it gives to no other function.
        let _ = (eu.slot_ref(Self::one()), eu.slot_refs(Self::each(..)));
        if hop {
            eu.invoke(NodeId::new(eu.nodes() - 1), Counts::call(one, each, len, false, out));
            return Start::End;
        }
        eu.incr(Self::raised(), 1);
        eu.sync(Self::raised());
        Start::Wait(Counts { out })
    }

    #[slot(syncs = 0)]
    fn raised(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 1);
    }

    #[slot(syncs = one)]
    fn one(self) {}

    #[slots(len = len, syncs = each, again)]
    fn each(&mut self, _i: usize) {}
}

#[test]
fn a_count_that_comes_to_0_names_its_slot_when_the_frame_waits() {
    on_every(|case| {
        let mut machine = case.machine();
        let never = |slot, fiber: &str| {
            let slot = entry("slot", slot, "Counts", case.last());
            Error::NeverEnabled { slot, fiber: fiber.to_owned() }
        };
        assert_eq!(fails(&mut machine, |out| Counts::call(0, 1, 2, true, out)), never("one", "one"));
        assert_eq!(fails(&mut machine, |out| Counts::call(1, 0, 2, true, out)), never("each[0]", "each"));
        for (each, len) in [(0, 0), (1, 0), (1, 2)] {
            assert_eq!(gives(&mut machine, |out| Counts::call(1, each, len, true, out)).value, 1);
        }
    });
}

/// Sends `values` values to one inlet of a slot that never fires. The first fills the inlet, the others are
/// parked.
struct Parks;

#[threaded]
impl Parks {
    fn start(values: u64, hop: bool, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if hop {
            eu.invoke(NodeId::new(eu.nodes() - 1), Parks::call(values, false, out));
            return Start::End;
        }
        for value in 0..values {
            eu.put(eu.reply(Self::pair().x.at(1)), value);
        }
        Start::Wait(Parks)
    }

    #[slot]
    fn pair(self, #[inlets(2)] x: Arrived<'_, u64>) {
        unreachable!("{x:?} came to one inlet")
    }
}

#[test]
fn parking_beyond_the_limit_names_node_limit_and_inlet() {
    on_every_of_one_process(|case| {
        // The limit exceeds the needs of the program that checks that the machine still works: a value from
        // each of eight nodes.
        let mut machine = case.machine().parking_limit(9);
        let inlet = entry("inlet", "x[1]", "Parks", case.last());
        let expected = Error::ParkingFull { node: case.last().index(), limit: 9, inlet };
        assert_eq!(fails(&mut machine, |out| Parks::call(11, true, out)), expected);
        // The largest allowed number of values is parked. They are reported when no work is left.
        let Error::Stuck(stuck) = fails(&mut machine, |out| Parks::call(10, true, out)) else {
            panic!("it is stuck")
        };
        assert_eq!((stuck.frames, stuck.parked), (1, 9));
        let mut machine = machine.parking_limit(0);
        let error = machine.run(|out| Parks::call(2, true, out)).map(|run| run.value);
        assert!(matches!(error, Err(Error::ParkingFull { limit: 0, .. })), "{error:?}");
    });
}

/// Has cells that `Writes` on another node writes.
struct HasCells {
    out: Reply<u64>,
}

#[threaded]
impl HasCells {
    fn start(node: NodeId, how: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        if how < 2 {
            eu.write(eu.cell_ref(Self::many(3)), 1);
        }
        let (one, many) = (eu.cell_ref(Self::one()), eu.cell_refs(Self::many(..)));
        eu.invoke(node, Writes::call(how, one, many));
        if how == 2 {
            eu.get(many.at(3), eu.reply(Self::end().x));
        }
        HasCells { out }
    }

    #[cell]
    fn one() -> u64;

    #[cells(len = 4)]
    fn many(i: usize) -> u64;

    #[slot]
    fn end(self, x: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, x);
    }
}

struct Writes;

#[threaded]
impl Writes {
    fn start(how: u64, one: CellRef<u64>, many: CellRefs<u64>, eu: &mut Eu<Self>) {
        match how {
            0 => (0..2).for_each(|_| eu.write(one, 1)),
            _ => eu.write(many.at(3), 30),
        }
    }
}

#[test]
fn a_cell_that_is_written_twice_is_named() {
    on_every(|case| {
        let mut machine = case.machine();
        for (how, cell) in ["one", "many[3]"].into_iter().enumerate() {
            let cell = entry("cell", cell, "HasCells", NodeId::new(0));
            assert_eq!(
                fails(&mut machine, |out| HasCells::call(case.last(), how as u64, out)),
                Error::WrittenTwice { cell }
            );
        }
        assert_eq!(gives(&mut machine, |out| HasCells::call(case.last(), 2, out)).value, 30);
    });
}

#[test]
fn errors_of_slots_read_as_sentences() {
    let slot = entry("slot", "all", "Sums", NodeId::new(2));
    assert_data_eq!(
        Error::NeverEnabled { slot, fiber: "add".to_owned() }.to_string(),
        str!["slot `all` of Sums on node 2 starts with a count of 0, so its fiber `add` would never run"]
    );
    let slot = entry("slot", "stage[3]", "Butterfly<f64>", NodeId::new(1));
    let error = Error::TooManySignals { slot, sender: Box::new(fiber("add", "Fib", NodeId::new(0))) };
    assert_data_eq!(
        error.to_string(),
        str![
            "slot `stage[3]` of Butterfly<f64> on node 1 received more signals than its count; \
         the extra signal came from fiber `add` of Fib on node 0"
        ]
    );
    let inlet = entry("inlet", "x", "Fib", NodeId::new(0));
    assert_data_eq!(
        Error::ParkingFull { node: 0, limit: 5, inlet }.to_string(),
        str![
            "more than 5 values are parked at full inlets of node 0; the last was for inlet `x` of Fib on node 0"
        ]
    );
}
