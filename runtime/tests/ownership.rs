//! Values that own something end exactly once: delivered, parked, in arguments, cells and states, in
//! tokens that never run after an error, in queues that are full. Within a process nothing is made
//! but what the program makes.

mod common;

use common::counted::{Counted, Tally};
use common::{bad, good, on_every, still_works};
use earth::{Error, NodeId, Reply, Then, threaded_old};

threaded_old! {
    /// Sends `n` values by arguments, tokens and inlets, parks some, keeps some in its state,
    /// and sums what they carry.
    fn Passes(tally: u32, n: u64, out: Reply<u64>)
    state  { kept: Vec<Counted> = Vec::new(), sum: u64 = 0 }
    calls  { Carries }
    inlets { x: Counted }
    slots  { came: 1, reset 1 => keep, all: (this.n) => done }
    fiber start(this, eu) {
        let tally = Tally::of(this.tally);
        let to = eu.reply_to(Self::x, Self::came);
        for i in 0..this.n {
            match i % 3 {
                0 => eu.put(to, tally.value(i)),
                1 => eu.invoke_old::<Carries>(NodeId::new(i as usize % eu.nodes()), (Some(tally.value(i)), to)),
                _ => eu.token_old::<Carries>((Some(tally.value(i)), to)),
            }
        }
        Then::Wait
    }
    fiber keep(this, eu) {
        let value = eu.take(Self::x);
        this.sum += value.carries;
        if value.carries % 2 == 0 {
            this.kept.push(value);
        }
        eu.sync(Self::all);
        Then::Wait
    }
    fiber done(this, eu) {
        eu.put(this.out, this.sum);
        Then::End
    }
}

threaded_old! {
    fn Carries(value: Option<Counted>, to: Reply<Counted>)
    fiber start(this, eu) {
        if let Some(value) = this.value.take() {
            eu.put(this.to, value);
        }
        Then::End
    }
}

#[test]
fn values_end_once_and_are_moved_not_cloned() {
    on_every(|case| {
        let (tally, n) = (Tally::new(), 300);
        let run = good::<Passes>(&mut case.machine(), (tally.number(), n));
        assert_eq!((run.value, tally.left()), ((0..n).sum::<u64>(), 0));
        if case.through_bytes && case.nodes > 1 {
            // A value is made anew wherever it leaves a node.
            let sent = tally.made() as u64 - n;
            assert!(sent > 0 && sent <= run.counters.events_sent, "{sent} of {}", run.counters.events_sent);
        } else {
            assert_eq!(tally.made() as u64, n);
        }
    });
}

threaded_old! {
    /// Leaves values everywhere: parked, in an inlet, in states of waiting frames, in tokens, in events under
    /// way. Then it fails in the way that `how` says.
    fn LeavesAll(tally: u32, how: u64, out: Reply<u64>)
    state  { own: Vec<Counted> = Vec::new() }
    calls  { Waits, Never }
    inlets { x: Counted, y: Counted }
    slots  { pair: 2 => never, go: 1 => fail, once: 1 => spent }
    fiber start(this, eu) {
        let tally = Tally::of(this.tally);
        this.own = (0..3).map(|i| tally.value(i)).collect();
        let to = eu.reply_to(Self::x, Self::pair);
        (0..5).for_each(|i| eu.put(to, tally.value(i)));
        for i in 0..40 {
            eu.invoke_old::<Waits>(NodeId::new(i % eu.nodes()), (tally.value(9), to));
        }
        eu.sync(Self::once);
        eu.sync(Self::go);
        Then::Wait
    }
    fiber spent(_this, _eu) { Then::Wait }
    fiber fail(this, eu) {
        let tally = Tally::of(this.tally);
        (0..50).for_each(|_| eu.token_old::<Never>((tally.value(1),)));
        let held = tally.value(2);
        match this.how {
            0 => panic!("with a value in hand"),
            1 => eu.sync(Self::once),
            2 => { eu.take(Self::y); }
            3 => {
                eu.put(this.out, 1);
                eu.put(this.out, 2);
            }
            _ => {}
        }
        drop(held);
        Then::Wait
    }
    fiber never(_this, _eu) { Then::Wait }
}

threaded_old! {
    /// Sends its value on and waits for ever with another.
    fn Waits(value: Counted, to: Reply<Counted>)
    state { own: Option<Counted> = None }
    slots { never: 1 => end }
    fiber start(this, _eu) {
        this.own = Some(this.value.again());
        Then::Wait
    }
    fiber end(_this, _eu) { Then::End }
}

threaded_old! {
    fn Never(value: Counted)
    fiber start(this, _eu) {
        assert_eq!(this.value.carries, 1);
        Then::End
    }
}

#[test]
fn whatever_a_failed_run_leaves_ends_once() {
    on_every(|case| {
        let (tally, mut machine) = (Tally::new(), case.machine());
        for how in 0..5 {
            let error = bad::<LeavesAll>(&mut machine, (tally.number(), how));
            let expected = match how {
                0 => matches!(error, Error::Panicked { .. }),
                1 => matches!(error, Error::TooManySignals { .. }),
                2 => matches!(error, Error::NotDelivered { .. }),
                3 => matches!(error, Error::SecondValue),
                _ => matches!(error, Error::Stuck(_)),
            };
            assert!(expected, "way {how}: {error}");
            assert!(tally.made() > 60 * (how as usize + 1));
            assert_eq!(tally.left(), 0, "way {how}");
        }
    });
}

threaded_old! {
    /// Fills the queues of every node with values from all nodes, then fails.
    fn Floods(tally: u32, out: Reply<u64>)
    calls { Flood }
    fiber start(this, eu) {
        for node in 0..eu.nodes() {
            eu.invoke_old::<Flood>(NodeId::new(node), (this.tally, 2));
        }
        Then::End
    }
}

threaded_old! {
    fn Flood(tally: u32, depth: u64)
    calls { Sinks }
    fiber start(this, eu) {
        let tally = Tally::of(this.tally);
        for i in 0..200 {
            eu.invoke_old::<Sinks>(NodeId::new(i % eu.nodes()), (tally.value(i as u64),));
            eu.token_old::<Sinks>((tally.value(i as u64),));
        }
        if this.depth > 0 {
            let next = NodeId::new((eu.node().index() + 1) % eu.nodes());
            eu.invoke_old::<Flood>(next, (this.tally, this.depth - 1));
        }
        if this.depth == 0 {
            // All queues are full. The error keeps a value in hand.
            eu.invoke_old::<Sinks>(NodeId::new(eu.nodes()), (tally.value(0),));
        }
        Then::End
    }
}

threaded_old! {
    fn Sinks(value: Counted)
    fiber start(this, _eu) {
        assert!(this.value.carries < 200);
        Then::End
    }
}

#[test]
fn values_in_full_queues_end_once() {
    on_every(|case| {
        let (tally, mut machine) = (Tally::new(), case.machine().queue_capacity(1));
        for _ in 0..2 {
            let error = machine.run_old::<Floods>(tally.number()).map(|run| run.value);
            assert!(matches!(error, Err(Error::NoSuchNode { .. })), "{error:?}");
            assert!(tally.made() >= 3 * 400);
            assert_eq!(tally.left(), 0);
        }
        still_works(&mut machine);
    });
}

threaded_old! {
    /// A cell gives each reader a value of its own, and keeps one.
    fn Shelf(tally: u32, out: Reply<u64>)
    state  { sum: u64 = 0 }
    inlets { x: Book }
    cells  { shelf: Book }
    slots  { came: 1, reset 1 => read, all: 6 => done }
    fiber start(this, eu) {
        let (shelf, to) = (eu.cell_ref(Self::shelf), eu.reply_to(Self::x, Self::came));
        (0..3).for_each(|_| eu.get(shelf, to));
        eu.write(shelf, Book(Tally::of(this.tally).value(7)));
        (0..3).for_each(|_| eu.get(shelf, to));
        Then::Wait
    }
    fiber read(this, eu) {
        this.sum += eu.take(Self::x).0.carries;
        eu.sync(Self::all);
        Then::Wait
    }
    fiber done(this, eu) {
        eu.put(this.out, this.sum);
        Then::End
    }
}

/// A value that may be cloned, each clone being counted.
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
    on_every(|case| {
        let tally = Tally::new();
        let run = good::<Shelf>(&mut case.machine(), tally.number());
        assert_eq!((run.value, tally.made(), tally.left()), (42, 7, 0));
    });
}

#[test]
fn a_machine_that_is_dropped_after_a_run_leaves_nothing() {
    on_every(|case| {
        let tally = Tally::new();
        let mut machine = case.machine();
        let _ = machine.run_old::<LeavesAll>((tally.number(), 4));
        drop(machine);
        assert_eq!(tally.left(), 0);
    });
}
