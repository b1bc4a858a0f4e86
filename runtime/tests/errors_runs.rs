//! Errors of a run as a whole: stuck, without a value, with two; cancelled; not to be built; events
//! whose bytes are no good.

mod common;

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use common::{bad, good, on_every, on_every_of, still_works};
use earth::{
    CancelToken, CellRefs, Config, Error, Machine, NodeId, Packer, Reply, Stuck, StuckFrame, StuckSlot, Then,
    Undecodable, Unpacker, Wire, threaded_old,
};

threaded_old! {
    /// Leaves a `Waiter` on every node but the first, and two on the last.
    fn LeavesWaiting(out: Reply<u64>)
    calls { Waiter, Asks }
    slots { never: 7 => end }
    fiber start(this, eu) {
        eu.put(this.out, 0);
        for node in (1..eu.nodes()).chain([eu.nodes() - 1]) {
            eu.invoke_old::<Waiter>(NodeId::new(node), ());
        }
        eu.sync(Self::never);
        Then::Wait
    }
    fiber end(_this, _eu) { Then::End }
}

threaded_old! {
    fn Waiter()
    calls  { Asks }
    inlets { x: u64, y[3]: u64 }
    cells  { one: u64, c[2]: u64 }
    slots  { a: 3 => end, b[3]: 2 => end, fired: 1 => end, last: 1, reset 9 => wait }
    fiber start(_this, eu) {
        let x = eu.reply_to(Self::x, Self::a);
        (0..3).for_each(|value| eu.put(x, value));
        eu.put(eu.reply_to(Self::y.at(2), Self::b.at(1)), 9);
        eu.sync(Self::last);
        // Asked from here and from the first node.
        let cells = eu.cell_refs(Self::c);
        eu.get(cells.at(1), x);
        eu.get(cells.at(1), x);
        eu.invoke_old::<Asks>(NodeId::new(0), (cells, x));
        Then::Wait
    }
    fiber wait(_this, _eu) { Then::Wait }
    fiber end(_this, _eu) { Then::End }
}

threaded_old! {
    fn Asks(cells: CellRefs<u64>, reply: Reply<u64>)
    fiber start(this, eu) {
        eu.get(this.cells.at(1), this.reply);
        eu.get(this.cells.at(0), this.reply);
        Then::End
    }
}

fn slots<const N: usize>(list: [(&str, u32, u32); N]) -> Vec<StuckSlot> {
    list.map(|(slot, got, expected)| StuckSlot { slot: slot.to_owned(), got, expected }).to_vec()
}

fn named<T: Copy, const N: usize>(list: [(&str, T); N]) -> Vec<(String, T)> {
    list.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

#[test]
fn what_waits_when_nothing_can_run_is_told_in_full() {
    on_every(|case| {
        let main = StuckFrame {
            function: "LeavesWaiting".to_owned(),
            node: 0,
            waiting: slots([("never", 1, 7)]),
            full: vec![],
            unwritten: vec![],
        };
        let waiter = |node| StuckFrame {
            function: "Waiter".to_owned(),
            node,
            waiting: slots([
                ("a", 1, 3),
                ("fired", 0, 1),
                ("last", 0, 9),
                ("b[0]", 0, 2),
                ("b[1]", 1, 2),
                ("b[2]", 0, 2),
            ]),
            full: named([("x", 2), ("y[2]", 0)]),
            unwritten: named([("c[0]", 1), ("c[1]", 3)]),
        };
        let waiters = (1..case.nodes).chain([case.nodes - 1]).map(waiter);
        let mut shown: Vec<_> = [main].into_iter().chain(waiters).collect();
        let (frames, parked) = (shown.len(), 2 * (shown.len() - 1));
        shown.truncate(Stuck::SHOWN);
        let expected = Stuck { frames, parked, shown, ..Stuck::default() };
        let error = bad::<LeavesWaiting>(&mut case.machine(), ());
        assert_eq!(error, Error::Stuck(Box::new(expected)));
    });
}

threaded_old! {
    /// Leaves `frames` frames on the last node, each with more waiting slots than a report shows.
    fn LeavesMany(frames: u64, out: Reply<u64>)
    calls { Wide }
    fiber start(this, eu) {
        for _ in 0..this.frames {
            eu.invoke_old::<Wide>(NodeId::new(eu.nodes() - 1), (20,));
        }
        eu.put(this.out, 0);
        Then::End
    }
}

threaded_old! {
    fn Wide(len: usize)
    slots { s[this.len]: 1 => end }
    fiber start(this, _eu) { Then::Wait }
    fiber end(_this, _eu) { Then::End }
}

#[test]
fn a_long_report_is_cut() {
    on_every(|case| {
        let Error::Stuck(stuck) = bad::<LeavesMany>(&mut case.machine(), 30) else { panic!("it is stuck") };
        assert_eq!((stuck.frames, stuck.parked, stuck.shown.len()), (30, 0, 8));
        for frame in &stuck.shown {
            let waiting: Vec<_> =
                (0..8).map(|i| StuckSlot { slot: format!("s[{i}]"), got: 0, expected: 1 }).collect();
            assert_eq!(
                (frame.function.as_str(), frame.node, &frame.waiting),
                ("Wide", case.last().index(), &waiting)
            );
        }
    });
}

#[test]
fn a_report_reads_as_a_sentence() {
    let frame = StuckFrame {
        function: "Fib".to_owned(),
        node: 1,
        waiting: slots([("done", 1, 2), ("more", 0, 2)]),
        full: named([("left", 0), ("right", 3)]),
        unwritten: named([("c", 2)]),
    };
    let stuck = Stuck { frames: 2, parked: 3, shown: vec![frame], ..Stuck::default() };
    assert_eq!(
        Error::Stuck(Box::new(stuck)).to_string(),
        "nothing is left to run, but 2 frames are live and 3 values are parked; Fib on node 1, slot `done` waits for 1 signal (got 1 of 2), \
         slot `more` waits for 2 signals (got 0 of 2), inlet `left` is full, inlet `right` is full with 3 parked behind, \
         cell `c` was asked for 2 times and never written; and 1 more"
    );
}

threaded_old! {
    /// Puts `values` values to the run's reply, from the last node, on which everything ends.
    fn Puts(values: u64, hop: bool, out: Reply<u64>)
    fiber start(this, eu) {
        if this.hop {
            eu.invoke_old::<Puts>(NodeId::new(eu.nodes() - 1), (this.values, false, this.out));
        } else {
            (0..this.values).for_each(|_| eu.put(this.out, 6));
        }
        Then::End
    }
}

#[test]
fn a_run_gives_exactly_one_value() {
    on_every(|case| {
        let mut machine = case.machine();
        assert_eq!(bad::<Puts>(&mut machine, (0, true)), Error::NoValue { function: "Puts".to_owned() });
        assert_eq!(bad::<Puts>(&mut machine, (2, true)), Error::SecondValue);
        assert_eq!(good::<Puts>(&mut machine, (1, true)).value, 6);
    });
}

/// Fibers that ran since the number was last set to 0.
static FIBERS: AtomicU64 = AtomicU64::new(0);

threaded_old! {
    /// Never ends: each one starts the next, on all nodes in turn.
    fn Endless(node: usize, out: Reply<u64>)
    fiber start(this, eu) {
        FIBERS.fetch_add(1, Ordering::Relaxed);
        let next = (this.node + 1) % eu.nodes();
        eu.invoke_old::<Endless>(NodeId::new(next), (next, this.out));
        Then::End
    }
}

#[test]
fn a_cancelled_token_ends_runs_before_and_while_they_go() {
    on_every(|case| {
        let token = CancelToken::new();
        let mut machine = case.machine().cancel_token(token.clone());
        still_works(&mut machine);
        FIBERS.store(0, Ordering::Relaxed);
        thread::scope(|scope| {
            scope.spawn(|| {
                while FIBERS.load(Ordering::Relaxed) < 100 {
                    thread::yield_now();
                }
                token.cancel();
            });
            assert_eq!(machine.run_old::<Endless>(0).map(|run| run.value), Err(Error::Cancelled));
        });
        assert!(token.is_cancelled() && FIBERS.load(Ordering::Relaxed) >= 100);
        assert_eq!(machine.run_old::<Puts>((1, true)).map(|run| run.value), Err(Error::Cancelled));
        still_works(&mut machine.cancel_token(CancelToken::new()));
    });
}

#[test]
fn a_machine_that_cannot_be_built_says_why() {
    let refused = |machine: Machine| {
        let mut machine = machine;
        let Err(Error::CannotBuild(why)) = machine.run_old::<Puts>((1, false)).map(|run| run.value) else {
            panic!("{machine:?} was built");
        };
        // What was wrong can be put right.
        still_works(&mut machine.nodes(2).queue_capacity(4).pin(false));
        why
    };
    let both = [Machine::threads(1), Machine::stepper(7)];
    for machine in both {
        let (config, seed) = (Config::Dual, format!("{machine:?}").contains("stepper"));
        let make = || if seed { Machine::stepper(7) } else { Machine::threads(1) };
        assert_eq!(refused(make().nodes(0)), "it has 1 to 64 nodes, not 0");
        assert_eq!(refused(make().nodes(65).config(config)), "it has 1 to 64 nodes, not 65");
        assert_eq!(refused(make().queue_capacity(3)), "a queue's capacity is a power of two, not 3");
        assert_eq!(refused(make().queue_capacity(0)), "a queue's capacity is a power of two, not 0");
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    if cores < 64 {
        let units = cores + 1;
        let why = format!("pinning {units} units needs {units} cores, and {cores} can be used");
        assert_eq!(refused(Machine::threads(units).pin(true)), why);
    }
    if cores < 32 {
        let units = 2 * (cores / 2 + 1);
        let why = format!("pinning {units} units needs {units} cores, and {cores} can be used");
        assert_eq!(refused(Machine::threads(units / 2).config(Config::Dual).pin(true)), why);
    }
}

/// A value whose bytes are not what its reader expects: none can be read, or more were written than are read.
#[derive(Clone, Debug, PartialEq)]
struct Garbled {
    writes: u8,
    reads: u8,
}

impl Wire for Garbled {
    fn pack(self, out: &mut Packer) {
        let Garbled { writes, reads } = self;
        out.bytes(&vec![reads; usize::from(writes)]);
    }

    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let [reads] = input.array()?;
        input.bytes(usize::from(reads).checked_sub(1).ok_or(Undecodable)?)?;
        Ok(Garbled { writes: reads, reads })
    }
}

threaded_old! {
    /// Sends a value between the first node and the last, `how` says as what.
    fn SendsGarbled(value: (u8, u8), how: u64, out: Reply<Garbled>)
    calls  { Takes, Gives }
    inlets { x: Garbled }
    cells  { c: Garbled }
    slots  { got: 1 => pass_on }
    fiber start(this, eu) {
        let last = NodeId::new(eu.nodes() - 1);
        let value = Garbled { writes: this.value.0, reads: this.value.1 };
        match this.how {
            // An argument.
            0 => { eu.invoke_old::<Takes>(last, (value, this.out)); return Then::End; }
            // The value of the run.
            1 => { eu.invoke_old::<Gives>(last, (this.value, this.out)); return Then::End; }
            // The value of an inlet.
            2 => eu.invoke_old::<Gives>(last, (this.value, eu.reply_to(Self::x, Self::got))),
            // The value of a cell.
            _ => {
                eu.get(eu.cell_ref(Self::c), eu.reply_to(Self::x, Self::got));
                eu.invoke_old::<Writes>(last, (this.value, eu.cell_ref(Self::c)));
            }
        }
        Then::Wait
    }
    fiber pass_on(this, eu) {
        let value = eu.take(Self::x);
        eu.put(this.out, value);
        Then::End
    }
}

threaded_old! {
    fn Takes(value: Garbled, out: Reply<Garbled>)
    fiber start(this, eu) {
        eu.invoke_old::<Gives>(NodeId::new(0), ((this.value.writes, this.value.reads), this.out));
        Then::End
    }
}

threaded_old! {
    fn Gives(value: (u8, u8), out: Reply<Garbled>)
    calls { Writes, Takes }
    fiber start(this, eu) {
        eu.put(this.out, Garbled { writes: this.value.0, reads: this.value.1 });
        Then::End
    }
}

threaded_old! {
    fn Writes(value: (u8, u8), cell: earth::CellRef<Garbled>)
    fiber start(this, eu) {
        eu.write(this.cell, Garbled { writes: this.value.0, reads: this.value.1 });
        Then::End
    }
}

#[test]
fn bytes_that_do_not_hold_what_they_should_are_refused_where_they_arrive() {
    on_every_of(2, |case| {
        let mut machine = case.machine();
        for how in 0..4 {
            for bytes in [(0, 0), (1, 3), (5, 2)] {
                if case.through_bytes {
                    let node = if how == 0 { case.last().index() } else { 0 };
                    assert_eq!(
                        bad::<SendsGarbled>(&mut machine, (bytes, how)),
                        Error::Undecodable { node },
                        "{bytes:?}, way {how}"
                    );
                } else {
                    let value = good::<SendsGarbled>(&mut machine, (bytes, how)).value;
                    assert_eq!((value.writes, value.reads), bytes);
                }
            }
            assert_eq!(
                good::<SendsGarbled>(&mut machine, ((4, 4), how)).value,
                Garbled { writes: 4, reads: 4 }
            );
        }
    });
}
