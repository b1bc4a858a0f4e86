//! Errors of a whole run: stuck, without a value, with two values, cancelled, impossible to build, or with
//! invalid bytes of events.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::common::{fails, gives, on_every, on_every_of, still_works};
use earth::simulated::{Faults, Profile, Schedule};
use earth::{
    Block, CancelToken, CellRef, CellRefs, Config, Error, Eu, FiberOrder, Machine, NodeId, Packer, Policy,
    Reply, Start, Stuck, StuckFrame, StuckSlot, Undecodable, Unpacker, Wire, Work, threaded,
};
use snapbox::{assert_data_eq, str};

/// Leaves a `Waiter` on every node except the first, and two on the last.
struct LeavesWaiting;

#[threaded]
impl LeavesWaiting {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.put(out, 0);
        for node in (1..eu.nodes()).chain([eu.nodes() - 1]) {
            eu.invoke(NodeId::new(node), Waiter::call());
        }
        eu.sync(Self::never());
        LeavesWaiting
    }

    #[slot(syncs = 7)]
    fn never(self) {}
}

struct Waiter;

#[threaded]
impl Waiter {
    fn start(eu: &mut Eu<Self>) -> Self {
        let x = eu.reply(Self::a().x);
        (0..3).for_each(|value| eu.put(x, value));
        eu.put(eu.reply(Self::b(1).y), 9);
        (0..2).for_each(|_| eu.sync(Self::last()));
        // The cell is read from this node and from the first one.
        let cells = eu.cell_refs(Self::c(..));
        eu.get(cells.at(1), x);
        eu.get(cells.at(1), x);
        eu.invoke(NodeId::new(0), Asks::call(cells, x));
        // Creates addresses that it gives to no other function.
        let _ = (eu.slot_ref(Self::fired()), eu.cell_ref(Self::one()));
        Waiter
    }

    #[cell]
    fn one() -> u64;

    #[cells(len = 2)]
    fn c(i: usize) -> u64;

    #[slot(syncs = 2)]
    fn a(self, x: u64) {
        unreachable!("{x} comes without signals")
    }

    #[slots(len = 3, sync)]
    fn b(self, i: usize, y: u64) {
        unreachable!("{y} comes for slot {i} without a signal")
    }

    #[slot(sync)]
    fn fired(self) {}

    #[slot(syncs = 2, again)]
    fn last(&mut self) {}
}

struct Asks;

#[threaded]
impl Asks {
    fn start(cells: CellRefs<u64>, reply: Reply<u64>, eu: &mut Eu<Self>) {
        eu.get(cells.at(1), reply);
        eu.get(cells.at(0), reply);
    }
}

fn slots<const N: usize>(list: [(&str, u32, u32); N]) -> Vec<StuckSlot> {
    list.map(|(slot, got, expected)| StuckSlot { slot: slot.to_owned(), got, expected }).to_vec()
}

fn named<T: Copy, const N: usize>(list: [(&str, T); N]) -> Vec<(String, T)> {
    list.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

#[test]
fn the_report_of_a_stuck_run_is_complete() {
    on_every(|case| {
        let main = StuckFrame {
            function: "LeavesWaiting".to_owned(),
            node: 0,
            waiting: slots([("never", 1, 7)]),
            ..StuckFrame::default()
        };
        let waiter = |node| StuckFrame {
            function: "Waiter".to_owned(),
            node,
            waiting: slots([
                ("a", 1, 3),
                ("fired", 0, 1),
                ("last", 0, 2),
                ("b[0]", 0, 2),
                ("b[1]", 1, 2),
                ("b[2]", 0, 2),
            ]),
            full: named([("x", 2), ("y[1]", 0)]),
            unwritten: named([("c[0]", 1), ("c[1]", 3)]),
            ..StuckFrame::default()
        };
        let waiters = (1..case.nodes).chain([case.nodes - 1]).map(waiter);
        let mut shown: Vec<_> = [main].into_iter().chain(waiters).collect();
        let (frames, parked) = (shown.len(), 2 * (shown.len() - 1));
        shown.truncate(Stuck::SHOWN);
        let expected = Stuck { frames, parked, shown, ..Stuck::default() };
        let Error::Stuck(mut stuck) = fails(&mut case.machine(), LeavesWaiting::call) else {
            panic!("it is stuck")
        };
        for frame in &mut stuck.shown {
            // Each waiter has four pending reads, all for one of its own inlets.
            let own = (frame.node, std::mem::take(&mut frame.frame));
            let asked = if frame.function == "Waiter" { 4 } else { 0 };
            assert_eq!(std::mem::take(&mut frame.holds), vec![own; asked]);
        }
        assert_eq!(*stuck, expected);
    });
}

/// Waits, on the last node, for a value from another function, and lists its addresses.
#[derive(Wire)]
struct Asked {
    out: Reply<u64>,
}

#[threaded]
impl Asked {
    fn start(forgets: bool, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke(last, Answers::call(forgets, eu.reply(Self::end().answer)));
        Asked { out }
    }

    #[slot]
    fn end(self, answer: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, answer);
    }
}

/// Waits for a signal that never comes.
#[derive(Wire)]
struct Answers {
    to: Vec<Option<Reply<u64>>>,
}

#[threaded]
impl Answers {
    fn start(forgets: bool, to: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let _ = eu.slot_ref(Self::never());
        Answers { to: vec![None, (!forgets).then_some(to)] }
    }

    #[slot(sync)]
    fn never(self, eu: &mut Eu<Self>) {
        self.to.into_iter().flatten().for_each(|to| eu.put(to, 1));
    }
}

#[test]
fn holders_of_addresses_of_waiting_frames_are_drawn() {
    on_every(|case| {
        let dot = |forgets| match fails(&mut case.machine(), |out| Asked::call(forgets, out)) {
            Error::Stuck(stuck) => stuck.to_dot(),
            error => panic!("{error}"),
        };
        let (holds, forgets) = (dot(false), dot(true));
        let arrows = |dot: &str| dot.lines().filter(|line| line.contains("dotted")).count();
        assert_eq!((arrows(&holds), arrows(&forgets)), (1, 0), "{holds}{forgets}");
        // The answering frame can never be signaled again; in the end the same holds for the asking frame.
        let lost = |dot: &str| dot.matches("no other frame holds its address").count();
        assert_eq!((lost(&holds), lost(&forgets)), (1, 2), "{holds}{forgets}");
    });
}

/// Leaves `frames` frames on the last node, each with more waiting slots than a report shows.
struct LeavesMany;

#[threaded]
impl LeavesMany {
    fn start(frames: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        for _ in 0..frames {
            eu.invoke(NodeId::new(eu.nodes() - 1), Wide::call(20));
        }
        eu.put(out, 0);
    }
}

struct Wide;

#[threaded]
impl Wide {
    fn start(len: usize, eu: &mut Eu<Self>) -> Self {
        assert_eq!(eu.slot_refs(Self::s(..)).len(), len);
        Wide
    }

    #[slots(len = len, sync)]
    fn s(self, _i: usize) {}
}

#[test]
fn a_long_report_is_cut() {
    on_every(|case| {
        let Error::Stuck(stuck) = fails(&mut case.machine(), |out| LeavesMany::call(30, out)) else {
            panic!("it is stuck")
        };
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
        ..StuckFrame::default()
    };
    let stuck = Stuck { frames: 2, parked: 3, shown: vec![frame], ..Stuck::default() };
    assert_data_eq!(
        Error::Stuck(Box::new(stuck)).to_string(),
        str![
            "the run is stuck: 2 frames are live and 3 values are parked; Fib on node 1, slot `done` waits for 1 signal (got 1 of 2), \
         slot `more` waits for 2 signals (got 0 of 2), inlet `left` is full, inlet `right` is full with 3 parked behind, \
         cell `c` was requested 2 times and never written; and 1 more"
        ]
    );
}

/// Puts `values` values to the run's reply, from the last node, where the function ends.
struct Puts;

#[threaded]
impl Puts {
    fn start(values: u64, hop: bool, out: Reply<u64>, eu: &mut Eu<Self>) {
        if hop {
            eu.invoke(NodeId::new(eu.nodes() - 1), Puts::call(values, false, out));
        } else {
            (0..values).for_each(|_| eu.put(out, 6));
        }
    }
}

#[test]
fn a_run_gives_exactly_one_value() {
    on_every(|case| {
        let mut machine = case.machine();
        assert_eq!(
            fails(&mut machine, |out| Puts::call(0, true, out)),
            Error::NoValue { function: "Puts".to_owned() }
        );
        assert_eq!(fails(&mut machine, |out| Puts::call(2, true, out)), Error::SecondValue);
        assert_eq!(gives(&mut machine, |out| Puts::call(1, true, out)).value, 6);
    });
}

/// Number of fibers that ran since it was last set to 0.
static FIBERS: AtomicU64 = AtomicU64::new(0);

/// Never ends: each function starts the next, on all nodes in turn.
struct Endless;

#[threaded]
impl Endless {
    fn start(node: usize, out: Reply<u64>, eu: &mut Eu<Self>) {
        FIBERS.fetch_add(1, Ordering::Relaxed);
        let next = (node + 1) % eu.nodes();
        eu.invoke(NodeId::new(next), Endless::call(next, out));
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
            assert_eq!(machine.run(|out| Endless::call(0, out)).map(|run| run.value), Err(Error::Cancelled));
        });
        assert!(token.is_cancelled() && FIBERS.load(Ordering::Relaxed) >= 100);
        assert_eq!(machine.run(|out| Puts::call(1, true, out)).map(|run| run.value), Err(Error::Cancelled));
        still_works(&mut machine.cancel_token(CancelToken::new()));
    });
}

#[test]
fn a_machine_that_cannot_be_built_gives_the_reason() {
    let refused = |machine: Machine| {
        let mut machine = machine;
        let Err(Error::CannotBuild(why)) = machine.run(|out| Puts::call(1, false, out)).map(|run| run.value)
        else {
            panic!("{machine:?} was built");
        };
        // The wrong setting can be corrected.
        still_works(&mut machine.nodes(2).queue_capacity(4).pin(false));
        why
    };
    let both = [Machine::threads(1), Machine::stepper(7)];
    for machine in both {
        let (config, seed) = (Config::Dual, format!("{machine:?}").contains("stepper"));
        let make = || if seed { Machine::stepper(7) } else { Machine::threads(1) };
        assert_data_eq!(refused(make().nodes(0)), str!["a machine has 1 to 1024 nodes, not 0"]);
        assert_data_eq!(
            refused(make().nodes(1025).config(config)),
            str!["a machine has 1 to 1024 nodes, not 1025"]
        );
        for capacity in [0, 3, 1 << 21, 1 << 63, usize::MAX] {
            let why = format!("a queue's capacity is a power of two up to 1048576, not {capacity}");
            assert_eq!(refused(make().queue_capacity(capacity)), why);
        }
        let most = make().nodes(usize::MAX).config(config);
        assert!(most.footprint() > 0, "it is asked of machines that cannot be built, too");
        assert_eq!(refused(most), format!("a machine has 1 to 1024 nodes, not {}", usize::MAX));
        assert!(make().queue_capacity(1 << 63).footprint() > 1 << 62);
    }
    let slow = Faults { slowness: u32::MAX, ..Faults::default() };
    let changes = Schedule::Pct { changes: u32::MAX, steps: u32::MAX };
    let mut costly = Profile::free();
    costly.spn.sync = u64::MAX;
    for (mut machine, word) in [
        (Machine::stepper(7).faults(slow), "slowness"),
        (Machine::stepper(7).schedule(changes), "changes"),
        (Machine::simulated(&costly), "a cost in [spn]"),
    ] {
        let error = machine.run(|out| Puts::call(1, false, out)).map(drop).unwrap_err();
        assert!(matches!(&error, Error::CannotBuild(why) if why.contains(word)), "{error}");
    }
    let why = refused(Machine::threads(1024).queue_capacity(1 << 20));
    let is_told =
        why.starts_with("there is no memory for ") && why.ends_with(" bytes of queues between nodes");
    assert!(is_told, "{why}");
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

/// Requests more memory than a process may have.
struct WantsAll;

#[threaded]
impl WantsAll {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        let block = Block::<u64>::try_zeroed(1 << 22, 1 << 22, "a matrix");
        eu.put(out, block.unwrap_or_else(|none| none.unwind()).len() as u64);
    }
}

#[test]
fn a_fiber_that_finds_no_memory_ends_the_run() {
    on_every(|case| {
        let error = fails(&mut case.machine(), WantsAll::call);
        let Error::NoMemory { at, bytes, what } = &error else { panic!("{error}") };
        assert_eq!(
            (at.function.as_str(), at.node, *bytes, what.as_str()),
            ("WantsAll", 0, 1 << 47, "a matrix")
        );
        let told =
            "fiber `start` of WantsAll on node 0 could not allocate 140737488355328 bytes for a matrix";
        assert_eq!(error.to_string(), told);
    });
}

/// A value whose bytes are not what its reader expects: the reader finds too few bytes, or some are left.
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

/// Sends a value between the first node and the last, in the role `how`.
struct SendsGarbled {
    out: Reply<Garbled>,
}

#[threaded]
impl SendsGarbled {
    fn start(value: (u8, u8), how: u64, out: Reply<Garbled>, eu: &mut Eu<Self>) -> Start<Self> {
        let last = NodeId::new(eu.nodes() - 1);
        let garbled = Garbled { writes: value.0, reads: value.1 };
        match how {
            // An argument.
            0 => {
                eu.invoke(last, Takes::call(garbled, out));
                return Start::End;
            }
            // The value of the run.
            1 => {
                eu.invoke(last, Gives::call(value, out));
                return Start::End;
            }
            // The value of an inlet.
            2 => eu.invoke(last, Gives::call(value, eu.reply(Self::pass_on().x))),
            // The value of a cell.
            _ => {
                eu.get(eu.cell_ref(Self::c()), eu.reply(Self::pass_on().x));
                eu.invoke(last, Writes::call(value, eu.cell_ref(Self::c())));
            }
        }
        Start::Wait(SendsGarbled { out })
    }

    #[cell]
    fn c() -> Garbled;

    #[slot]
    fn pass_on(self, x: Garbled, eu: &mut Eu<Self>) {
        eu.put(self.out, x);
    }
}

struct Takes;

#[threaded]
impl Takes {
    fn start(value: Garbled, out: Reply<Garbled>, eu: &mut Eu<Self>) {
        eu.invoke(NodeId::new(0), Gives::call((value.writes, value.reads), out));
    }
}

struct Gives;

#[threaded]
impl Gives {
    fn start(value: (u8, u8), out: Reply<Garbled>, eu: &mut Eu<Self>) {
        eu.put(out, Garbled { writes: value.0, reads: value.1 });
    }
}

struct Writes;

#[threaded]
impl Writes {
    fn start(value: (u8, u8), cell: CellRef<Garbled>, eu: &mut Eu<Self>) {
        eu.write(cell, Garbled { writes: value.0, reads: value.1 });
    }
}

#[test]
fn bytes_that_do_not_hold_what_they_should_are_refused_where_they_arrive() {
    on_every_of(2, |case| {
        let mut machine = case.machine();
        for how in 0..4 {
            for bytes in [(0, 0), (1, 3), (5, 2)] {
                if case.through_bytes {
                    let last = case.last().index();
                    let (node, from) = if how == 0 { (last, 0) } else { (0, last) };
                    assert_eq!(
                        fails(&mut machine, |out| SendsGarbled::call(bytes, how, out)),
                        Error::Undecodable { node, from },
                        "{bytes:?}, way {how}"
                    );
                } else {
                    let value = gives(&mut machine, |out| SendsGarbled::call(bytes, how, out)).value;
                    assert_eq!((value.writes, value.reads), bytes);
                }
            }
            assert_eq!(
                gives(&mut machine, |out| SendsGarbled::call((4, 4), how, out)).value,
                Garbled { writes: 4, reads: 4 }
            );
        }
    });
}

/// Works for a number of cycles, twice, on the last node.
struct Toils;

#[threaded]
impl Toils {
    fn start(cycles: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        let last = NodeId::new(eu.nodes() - 1);
        if eu.node() != last {
            return eu.invoke(last, Toils::call(cycles, out));
        }
        eu.work(Work::Cycles(cycles));
        eu.work(Work::Flops(cycles));
        eu.put(out, cycles);
    }
}

#[test]
fn a_run_that_reaches_the_end_of_virtual_time_is_an_error() {
    let profile = Profile::named("manna50").expect("it is built in");
    for config in [Config::Spn, Config::Dual] {
        for (schedule, nodes) in [(Schedule::Time, 1), (Schedule::Time, 2), (Schedule::Random, 2)] {
            let make = || Machine::simulated(&profile).config(config).nodes(nodes).schedule(schedule.clone());
            assert_eq!(fails(&mut make(), |out| Toils::call(u64::MAX, out)), Error::TooLong);
            assert_eq!(gives(&mut make(), |out| Toils::call(1 << 40, out)).value, 1 << 40);
        }
        // A message arrives in time, or at the end of time.
        let faults = Faults { delay: u64::MAX, slowness: 1 << 20 };
        let run = Machine::simulated(&profile).config(config).faults(faults).run(|out| Toils::call(1, out));
        let run = run.map(|run| run.value);
        assert!(matches!(run, Ok(1) | Err(Error::TooLong)), "{run:?}");
    }
}

#[test]
fn a_policy_of_the_greatest_figures_is_one() {
    let most = u32::MAX;
    let figures = Policy { in_a_row: most, token_every: most, feed: most, batch: most, ..Policy::default() };
    on_every(|case| {
        if case.nodes > 2 {
            return;
        }
        for fibers in [FiberOrder::NewestFirst, FiberOrder::OneQueue, FiberOrder::FibersFirst] {
            let machine = case.machine().policy(Policy { fibers, ..figures }).parking_limit(usize::MAX);
            still_works(&mut if case.is_of_ranks() { machine } else { machine.trace_limit(usize::MAX) });
        }
    });
    // Workers that never sleep.
    still_works(&mut Machine::threads(2).policy(Policy { spin: most, ..Policy::default() }));
}
