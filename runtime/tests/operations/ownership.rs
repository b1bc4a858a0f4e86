//! Values that own something are dropped exactly once: delivered, parked, in arguments, cells and states, in
//! tokens that never run after an error, and in full queues. Within a process no copies are made except by
//! the program.

use crate::common::counted::{Counted, Tally};
use crate::common::{fails, gives, on_every_of_one_process, still_works};
use earth::{Error, Eu, NodeId, Reply, threaded};

/// Sends `n` values by arguments, tokens and inlets, parks some, keeps some in its state, and puts the sum of
/// their contents.
struct Passes {
    kept: Vec<Counted>,
    sum: u64,
    out: Reply<u64>,
}

#[threaded]
impl Passes {
    fn start(tally: u32, n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let tally = Tally::of(tally);
        let to = eu.reply(Self::keep().x);
        for i in 0..n {
            match i % 3 {
                0 => eu.put(to, tally.value(i)),
                1 => eu.invoke(NodeId::new(i as usize % eu.nodes()), Carries::call(tally.value(i), to)),
                _ => eu.token(Carries::call(tally.value(i), to)),
            }
        }
        Passes { kept: Vec::new(), sum: 0, out }
    }

    #[slot(again)]
    fn keep(&mut self, x: Counted, eu: &mut Eu<Self>) {
        self.sum += x.carries;
        if x.carries.is_multiple_of(2) {
            self.kept.push(x);
        }
        eu.sync(Self::done());
    }

    #[slot(syncs = n as usize)]
    fn done(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.sum);
    }
}

struct Carries;

#[threaded]
impl Carries {
    fn start(value: Counted, to: Reply<Counted>, eu: &mut Eu<Self>) {
        eu.put(to, value);
    }
}

#[test]
fn values_end_once_and_are_moved_not_cloned() {
    on_every_of_one_process(|case| {
        let (tally, n) = (Tally::new(), 300);
        let run = gives(&mut case.machine(), |out| Passes::call(tally.number(), n, out));
        assert_eq!((run.value, tally.left()), ((0..n).sum::<u64>(), 0));
        if case.through_bytes && case.nodes > 1 {
            // A value is made again when it leaves a node, in an event or in a stolen token.
            let sent = tally.made() as u64 - n;
            let left = run.counters.events_sent + run.counters.tokens_stolen;
            assert!(sent > 0 && sent <= left, "{sent} of {left}");
        } else {
            assert_eq!(tally.made() as u64, n);
        }
    });
}

/// Leaves values everywhere: parked, in an inlet, in states of waiting frames, in tokens, in events on their
/// way. Then it fails in the way `how`.
struct LeavesAll {
    tally: Tally,
    how: u64,
    _own: Vec<Counted>,
    out: Reply<u64>,
}

#[threaded]
impl LeavesAll {
    fn start(tally: u32, how: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let tally = Tally::of(tally);
        let own = (0..3).map(|i| tally.value(i)).collect();
        let to = eu.reply(Self::pair().x);
        (0..5).for_each(|i| eu.put(to, tally.value(i)));
        for i in 0..40 {
            eu.invoke(NodeId::new(i % eu.nodes()), Waits::call(tally.value(9)));
        }
        eu.sync(Self::once());
        eu.sync(Self::fail());
        LeavesAll { tally, how, _own: own, out }
    }

    #[slot(sync)]
    fn once(&mut self) {}

    #[slot(sync)]
    fn fail(&mut self, eu: &mut Eu<Self>) {
        (0..50).for_each(|_| eu.token(Never::call(self.tally.value(1))));
        let held = self.tally.value(2);
        match self.how {
            0 => panic!("with a value in hand"),
            1 => eu.sync(Self::once()),
            2 => eu.invoke(NodeId::new(eu.nodes()), Never::call(self.tally.value(1))),
            3 => (1..3).for_each(|value| eu.put(self.out, value)),
            _ => {}
        }
        drop(held);
    }

    #[slot(sync)]
    fn pair(self, x: Counted) {
        unreachable!("{x:?} comes without a signal")
    }
}

/// Waits forever with its value and another one.
struct Waits {
    _values: [Counted; 2],
}

#[threaded]
impl Waits {
    fn start(value: Counted, eu: &mut Eu<Self>) -> Self {
        let _ = eu.slot_ref(Self::never());
        Waits { _values: [value.again(), value] }
    }

    #[slot(sync)]
    fn never(self) {}
}

struct Never;

#[threaded]
impl Never {
    fn start(value: Counted) {
        assert_eq!(value.carries, 1);
    }
}

#[test]
fn whatever_a_failed_run_leaves_ends_once() {
    on_every_of_one_process(|case| {
        let (tally, mut machine) = (Tally::new(), case.machine());
        for how in 0..5 {
            let error = fails(&mut machine, |out| LeavesAll::call(tally.number(), how, out));
            let expected = match how {
                0 => matches!(error, Error::Panicked { .. }),
                1 => matches!(error, Error::TooManySignals { .. }),
                2 => matches!(error, Error::NoSuchNode { .. }),
                3 => matches!(error, Error::SecondValue),
                _ => matches!(error, Error::Stuck(_)),
            };
            assert!(expected, "way {how}: {error}");
            assert!(tally.made() > 60 * (how as usize + 1));
            assert_eq!(tally.left(), 0, "way {how}");
        }
    });
}

/// Fills the queues of every node with values from all nodes, then fails.
struct Floods;

#[threaded]
impl Floods {
    fn start(tally: u32, eu: &mut Eu<Self>) {
        for node in 0..eu.nodes() {
            eu.invoke(NodeId::new(node), Flood::call(tally, 2));
        }
    }
}

struct Flood;

#[threaded]
impl Flood {
    fn start(tally: u32, depth: u64, eu: &mut Eu<Self>) {
        let value = |carries: usize| Tally::of(tally).value(carries as u64);
        for i in 0..200 {
            eu.invoke(NodeId::new(i % eu.nodes()), Sinks::call(value(i)));
            eu.token(Sinks::call(value(i)));
        }
        if depth > 0 {
            let next = NodeId::new((eu.node().index() + 1) % eu.nodes());
            eu.invoke(next, Flood::call(tally, depth - 1));
        } else {
            // All queues are full. The failing operation still owns a value.
            eu.invoke(NodeId::new(eu.nodes()), Sinks::call(value(0)));
        }
    }
}

struct Sinks;

#[threaded]
impl Sinks {
    fn start(value: Counted) {
        assert!(value.carries < 200);
    }
}

#[test]
fn values_in_full_queues_end_once() {
    on_every_of_one_process(|case| {
        let (tally, mut machine) = (Tally::new(), case.machine().queue_capacity(1));
        for _ in 0..2 {
            let error = machine.run(|_: Reply<u64>| Floods::call(tally.number())).map(|run| run.value);
            assert!(matches!(error, Err(Error::NoSuchNode { .. })), "{error:?}");
            assert!(tally.made() >= 3 * 400);
            assert_eq!(tally.left(), 0);
        }
        still_works(&mut machine);
    });
}

/// A cell gives each reader its own copy, and keeps one.
struct Shelf {
    sum: u64,
    out: Reply<u64>,
}

#[threaded]
impl Shelf {
    fn start(tally: u32, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let (shelf, to) = (eu.cell_ref(Self::shelf()), eu.reply(Self::read().x));
        (0..3).for_each(|_| eu.get(shelf, to));
        eu.write(shelf, Book(Tally::of(tally).value(7)));
        (0..3).for_each(|_| eu.get(shelf, to));
        Shelf { sum: 0, out }
    }

    #[cell]
    fn shelf() -> Book;

    #[slot(again)]
    fn read(&mut self, x: Book, eu: &mut Eu<Self>) {
        self.sum += x.0.carries;
        eu.sync(Self::done());
    }

    #[slot(syncs = 6)]
    fn done(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.sum);
    }
}

/// A value that can be cloned; each clone is counted.
#[derive(Debug)]
struct Book(Counted);

impl Clone for Book {
    fn clone(&self) -> Self {
        Book(self.0.again())
    }
}

impl earth::Wire for Book {
    fn pack(self, out: &mut earth::Packer) {
        self.0.pack(out);
    }
    fn unpack(input: &mut earth::Unpacker<'_>) -> Result<Self, earth::Undecodable> {
        Counted::unpack(input).map(Book)
    }
}

#[test]
fn a_cell_makes_one_value_for_each_reader_and_ends_its_own() {
    on_every_of_one_process(|case| {
        let tally = Tally::new();
        let run = gives(&mut case.machine(), |out| Shelf::call(tally.number(), out));
        assert_eq!((run.value, tally.made(), tally.left()), (42, 7, 0));
    });
}

#[test]
fn a_machine_that_is_dropped_after_a_run_leaves_nothing() {
    on_every_of_one_process(|case| {
        let tally = Tally::new();
        let mut machine = case.machine();
        let _ = machine.run(|out| LeavesAll::call(tally.number(), 4, out));
        drop(machine);
        assert_eq!(tally.left(), 0);
    });
}
