//! Isolated calls that fail, with lent blocks, streams, values under way, and isolated calls inside. Frames
//! outside get their answers, and may still use addresses of dropped frames.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::counted::{Counted, Tally};
use crate::common::{fails, gives, on_every, on_every_of_one_process, still_works};
use earth::isolated::IsolatedError;
use earth::patterns::{Flow, Stage, Streams, Upstream, items};
use earth::{
    Arrived, Block, CellRef, Config, Error, Eu, Machine, NodeId, Policy, Reply, SlotRef, Start, Then, Wire,
    lend, threaded,
};

fn unwind(message: &str) -> ! {
    // A panic without its message on the terminal.
    resume_unwind(Box::new(message.to_owned()))
}

/// Counts up in each row of lent memory, isolated by row.
struct Rows {
    out: Reply<u64>,
}

#[threaded]
impl Rows {
    fn start(count: usize, rows: Vec<Block<u64>>, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        let answers = eu.replies(Self::all().answers);
        for (at, row) in rows.into_iter().enumerate() {
            let node = NodeId::new(at % eu.nodes());
            eu.isolated(node, |reply| Row::call(at, row, reply), answers.at(at));
        }
        Start::Wait(Rows { out })
    }

    #[slot]
    fn all(
        self,
        #[inlets(count)] answers: Arrived<'_, Result<Block<u64>, IsolatedError>>,
        eu: &mut Eu<Self>,
    ) {
        eu.put(self.out, answers.flatten().count() as u64);
    }
}

/// Sends its row to a function on the next node and back. At every third row this function fails, with the
/// row in its state or in an inlet.
struct Row {
    at: usize,
    out: Reply<Block<u64>>,
}

#[threaded]
impl Row {
    fn start(at: usize, row: Block<u64>, out: Reply<Block<u64>>, eu: &mut Eu<Self>) -> Self {
        let next = NodeId::new((eu.node().index() + 1) % eu.nodes());
        let (back, to) = (eu.reply(Self::back().row), eu.reply(Self::send().to));
        eu.invoke(next, Holds::call(at, row, back, to));
        Row { at, out }
    }

    #[slot]
    fn send(&mut self, to: (Reply<u64>, SlotRef), eu: &mut Eu<Self>) {
        eu.put(to.0, 1);
        eu.put(to.0, 2);
        if self.at.is_multiple_of(3) {
            eu.rsync(to.1);
        }
    }

    #[slot]
    fn back(self, row: Block<u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, row);
    }
}

struct Holds {
    at: usize,
    row: Option<Block<u64>>,
    back: Reply<Block<u64>>,
}

#[threaded]
impl Holds {
    fn start(
        at: usize,
        row: Block<u64>,
        back: Reply<Block<u64>>,
        to: Reply<(Reply<u64>, SlotRef)>,
        eu: &mut Eu<Self>,
    ) -> Self {
        eu.put(to, (eu.reply(Self::add().by), eu.slot_ref(Self::fail())));
        let (row, full) = if at % 9 == 3 { (None, Some(row)) } else { (Some(row), None) };
        if let Some(row) = full {
            eu.put_block(eu.reply(Self::never().row), row);
        }
        Holds { at, row, back }
    }

    #[slot(sync)]
    fn never(&mut self, row: Block<u64>) {
        drop(row);
    }

    #[slot(again)]
    fn add(&mut self, by: u64, eu: &mut Eu<Self>) -> Then {
        if self.at.is_multiple_of(3) {
            return Then::Wait;
        }
        let Some(mut row) = self.row.take() else { unreachable!("the row is in the state") };
        row.row_mut(0).iter_mut().for_each(|value| *value += by);
        if by == 1 {
            self.row = Some(row);
            return Then::Wait;
        }
        eu.put_block(self.back, row);
        Then::End
    }

    #[slot(sync)]
    fn fail(&mut self) {
        unwind("no");
    }
}

#[test]
fn lent_rows_come_back_from_calls_that_fail() {
    on_every(|case| {
        let (mut machine, mut memory) = (case.machine(), vec![1_u64; 4 * 20]);
        let run = lend(&mut memory, 20, 4, |block| {
            let (mut rows, mut rest) = (Vec::new(), block);
            for _ in 0..19 {
                let (row, others) = rest.split_rows(1);
                rows.push(row);
                rest = others;
            }
            rows.push(rest);
            gives(&mut machine, |out| Rows::call(rows.len(), rows, out))
        });
        assert_eq!(run.expect("all of it is back").value, 13);
        if !case.is_of_ranks() && !case.through_bytes {
            let sums = memory.chunks(4).map(|row| row.iter().sum::<u64>());
            assert!(sums.eq((0..20).map(|at| if at % 3 == 0 { 4 } else { 16 })), "{memory:?}");
        }
    });
}

/// Fails at an item.
#[derive(Wire)]
struct FailsAt(u64);

impl Stage<u64> for FailsAt {
    type Out = u64;
    fn work(&mut self, item: u64, out: &mut Vec<u64>) {
        if item == self.0 {
            unwind("the item");
        }
        out.push(item + 1);
    }
}

/// Three streams. The second one fails in the middle.
struct ThreeStreams {
    out: Reply<(u64, u64, String)>,
}

#[threaded]
impl ThreeStreams {
    fn start(out: Reply<(u64, u64, String)>, eu: &mut Eu<Self>) -> Self {
        let each = Self::all();
        for (at, to) in [(1_000, each.a), (57, each.b), (1_000, each.c)] {
            let stream = items(0..100).through(FailsAt(1_000)).through(FailsAt(at));
            let flow = Flow { batch: 7, window: 2 };
            let to = eu.reply(to);
            eu.isolated_token(|reply| Streams::call(stream, Vec::new(), flow, reply), to);
        }
        ThreeStreams { out }
    }

    #[slot]
    fn all(
        self,
        a: Result<Vec<u64>, IsolatedError>,
        b: Result<Vec<u64>, IsolatedError>,
        c: Result<Vec<u64>, IsolatedError>,
        eu: &mut Eu<Self>,
    ) {
        let sum = |items: Result<Vec<u64>, _>| items.map_or(0, |items| items.into_iter().sum());
        let why = b.map_or_else(|error| error.to_string(), |items| format!("{items:?}"));
        eu.put(self.out, (sum(a), sum(c), why));
    }
}

#[test]
fn a_stream_that_fails_in_the_middle_is_an_answer() {
    on_every(|case| {
        let mut machine = case.machine();
        let (a, c, why) = gives(&mut machine, ThreeStreams::call).value;
        assert_eq!((a, c), (5_150, 5_150));
        assert!(why.ends_with("panicked: the item"), "{why}");
        still_works(&mut machine);
    });
}

/// Addresses of a frame that fails soon.
type Addresses = (SlotRef, Reply<u64>, CellRef<u64>);

/// Gives a frame outside all its addresses, and fails when that says so.
struct Fails {
    _own: Counted,
}

#[threaded]
impl Fails {
    fn start(tally: u32, to: Reply<Addresses>, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let all = (eu.slot_ref(Self::fail()), eu.reply(Self::take().value), eu.cell_ref(Self::cell()));
        eu.put(to, all);
        // Its frame waits on another node when this one fails.
        let next = NodeId::new((eu.node().index() + 1) % eu.nodes());
        eu.invoke(next, Waits::call(Tally::of(tally).value(1), out));
        Fails { _own: Tally::of(tally).value(0) }
    }

    #[cell]
    fn cell() -> u64;

    #[slot(again)]
    fn take(&mut self, value: u64) -> Then {
        unreachable!("{value} comes late")
    }

    #[slot(syncs = 2)]
    fn fail(&mut self) {
        unwind("as told");
    }
}

/// Waits for ever.
struct Waits {
    _own: Counted,
    _out: Reply<u64>,
}

#[threaded]
impl Waits {
    fn start(own: Counted, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.isolated_token(Nothing::call, eu.reply(Self::never().answer));
        Waits { _own: own, _out: out }
    }

    #[slot(sync)]
    fn never(self, answer: Result<u64, IsolatedError>) {
        unreachable!("{answer:?}")
    }
}

/// Ends without a value.
struct Nothing;

#[threaded]
impl Nothing {
    fn start(_out: Reply<u64>) {}
}

/// Lets a call fail, then sends its frame all kinds of messages.
struct Outside {
    at: Option<Addresses>,
    out: Reply<String>,
}

#[threaded]
impl Outside {
    fn start(tally: u32, out: Reply<String>, eu: &mut Eu<Self>) -> Self {
        let to = eu.reply(Self::learn().at);
        let last = NodeId::new(eu.nodes() - 1);
        eu.isolated(last, |reply| Fails::call(tally, to, reply), eu.reply(Self::answer().answer));
        Outside { at: None, out }
    }

    #[slot]
    fn learn(&mut self, at: Addresses, eu: &mut Eu<Self>) {
        eu.rsync(at.0);
        eu.rsync(at.0);
        self.at = Some(at);
    }

    #[slot]
    fn answer(&mut self, answer: Result<u64, IsolatedError>, eu: &mut Eu<Self>) -> Then {
        let Some((slot, inlet, cell)) = self.at else { unreachable!("it has failed because of these") };
        for _ in 0..3 {
            eu.rsync(slot);
            eu.put(inlet, 3);
            eu.write(cell, 4);
        }
        eu.put(self.out, answer.map_or_else(|error| error.to_string(), |value| value.to_string()));
        Then::End
    }
}

#[test]
fn messages_for_a_dropped_frame_are_dropped() {
    on_every(|case| {
        let (tally, mut machine) = (Tally::new(), case.machine());
        for _ in 0..3 {
            let why = gives(&mut machine, |out| Outside::call(tally.number(), out)).value;
            assert!(why.ends_with("panicked: as told"), "{why}");
        }
        still_works(&mut machine);
        drop(machine);
        if !case.is_of_ranks() {
            assert_eq!(tally.left(), 0);
        }
    });
}

/// An isolated call makes another one, whose answer is for a frame outside, and fails. The inner call waits.
struct Inner {
    out: Reply<(Result<u64, IsolatedError>, Result<u64, IsolatedError>)>,
}

#[threaded]
impl Inner {
    fn start(
        tally: u32,
        out: Reply<(Result<u64, IsolatedError>, Result<u64, IsolatedError>)>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let inner = eu.reply(Self::both().inner);
        let outer = eu.reply(Self::both().outer);
        let last = NodeId::new(eu.nodes() - 1);
        eu.isolated(last, |reply| Outer::call(tally, inner, reply), outer);
        Inner { out }
    }

    #[slot]
    fn both(self, outer: Result<u64, IsolatedError>, inner: Result<u64, IsolatedError>, eu: &mut Eu<Self>) {
        eu.put(self.out, (outer, inner));
    }
}

struct Outer;

#[threaded]
impl Outer {
    fn start(
        tally: u32,
        inner: Reply<Result<u64, IsolatedError>>,
        _out: Reply<u64>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let (own, begun) = (Tally::of(tally).value(2), eu.slot_ref(Self::fail()));
        eu.isolated_token(|reply| Begins::call(own, begun, reply), inner);
        Outer
    }

    #[slot(sync)]
    fn fail(self) -> Result<(), &'static str> {
        Err("as planned")
    }
}

/// Signals that it has begun, and waits for ever.
struct Begins {
    _own: Counted,
}

#[threaded]
impl Begins {
    fn start(own: Counted, begun: SlotRef, _out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.rsync(begun);
        eu.sync(Self::never());
        Begins { _own: own }
    }

    #[slot(syncs = 2)]
    fn never(self) {}
}

#[test]
fn the_failure_of_a_call_ends_the_calls_inside() {
    on_every(|case| {
        let (tally, mut machine) = (Tally::new(), case.machine());
        let (outer, inner) = gives(&mut machine, |out| Inner::call(tally.number(), out)).value;
        let outer = outer.expect_err("it fails");
        assert!(matches!(outer.error(), Some(Error::Failed { why, .. }) if why == "as planned"), "{outer}");
        assert_eq!(inner, Err(IsolatedError::CallerFailed));
        drop(machine);
        if !case.is_of_ranks() {
            assert_eq!(tally.left(), 0);
        }
    });
}

/// Two calls without an answer: one forgets its reply, the other gives it to this frame, which puts a value
/// too late.
struct Silent {
    late: Option<Reply<u64>>,
    out: Reply<u64>,
}

#[threaded]
impl Silent {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.isolated_token(Nothing::call, eu.reply(Self::none().forgets));
        let to = eu.reply(Self::keep().reply);
        eu.isolated(
            NodeId::new(eu.nodes() - 1),
            |reply| GivesAway::call(to, reply),
            eu.reply(Self::none().gives_away),
        );
        Silent { late: None, out }
    }

    #[slot]
    fn keep(&mut self, reply: Reply<u64>, eu: &mut Eu<Self>) {
        self.late = Some(reply);
        eu.sync(Self::none());
    }

    #[slot(sync)]
    fn none(
        self,
        forgets: Result<u64, IsolatedError>,
        gives_away: Result<u64, IsolatedError>,
        eu: &mut Eu<Self>,
    ) {
        assert_eq!(forgets, Err(IsolatedError::NoAnswer));
        assert_eq!(gives_away, Err(IsolatedError::NoAnswer));
        if let Some(late) = self.late {
            eu.put(late, 1);
        }
        eu.put(self.out, 2);
    }
}

struct GivesAway;

#[threaded]
impl GivesAway {
    fn start(to: Reply<Reply<u64>>, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(to, out);
    }
}

#[test]
fn a_call_that_ends_without_a_value_has_an_answer() {
    on_every(|case| assert_eq!(gives(&mut case.machine(), Silent::call).value, 2));
}

/// An isolated call whose answer has no frame to go to.
struct Gone;

#[threaded]
impl Gone {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let answer = eu.reply(Self::never().answer);
        eu.isolated(NodeId::new(eu.nodes() - 1), Nothing::call, answer);
        eu.put(out, 1);
        eu.sync(Self::end());
        Gone
    }

    #[slot(sync)]
    fn end(self) {}

    #[slot(sync)]
    fn never(&mut self, answer: Result<u64, IsolatedError>) {
        unreachable!("{answer:?}")
    }
}

#[test]
fn an_answer_without_a_frame_ends_the_run() {
    on_every(|case| {
        let error = fails(&mut case.machine(), Gone::call);
        let late = matches!(error, Error::StaleAddress { .. } | Error::EndedTooEarly { .. });
        assert!(late, "{error}");
    });
}

#[test]
fn a_traced_run_isolates() {
    on_every_of_one_process(|case| {
        if case.nodes > 3 {
            return;
        }
        let (tally, mut machine) = (Tally::new(), case.machine().trace(true));
        let run = gives(&mut machine, |out| Outside::call(tally.number(), out));
        let records = run.records.expect("the machine traces");
        let names: Vec<_> = records
            .nodes()
            .flat_map(|node| node.fibers().map(|ran| (ran.fiber.function(), ran.fiber.name())))
            .collect();
        // The waiting frame may be discarded before its first fiber runs. The failed fiber has its own name.
        let sure = [("Outside", "start"), ("Outside", "learn"), ("Outside", "answer"), ("Fails", "fail")];
        for (function, fiber) in sure {
            let count = names.iter().filter(|(of, name)| of == function && *name == fiber).count();
            assert_eq!(count, 1, "{function}::{fiber} in {names:?}");
        }
        assert_eq!(tally.left(), 0);
    });
}

/// How many fibers polled to the end although their call had failed.
static POLLED: AtomicUsize = AtomicUsize::new(0);

/// Polls for a long time.
struct Polls;

#[threaded]
impl Polls {
    fn start(eu: &mut Eu<Self>) {
        (0..100).for_each(|_| eu.poll());
        POLLED.fetch_add(1, Ordering::Relaxed);
    }
}

/// Starts a function that polls at the node of the caller, and fails. The report of the failure follows the
/// call on its way.
struct FailsFirst;

#[threaded]
impl FailsFirst {
    fn start(_out: Reply<u64>, eu: &mut Eu<Self>) -> Result<(), &'static str> {
        eu.invoke(NodeId::new(1), Polls::call());
        Err("before the other one")
    }
}

struct CallsFromOne {
    out: Reply<String>,
}

#[threaded]
impl CallsFromOne {
    fn start(out: Reply<String>, eu: &mut Eu<Self>) -> Start<Self> {
        if eu.node() != NodeId::new(1) {
            eu.invoke(NodeId::new(1), CallsFromOne::call(out));
            return Start::End;
        }
        eu.isolated(NodeId::new(0), FailsFirst::call, eu.reply(Self::came().answer));
        Start::Wait(CallsFromOne { out })
    }

    #[slot]
    fn came(self, answer: Result<u64, IsolatedError>, eu: &mut Eu<Self>) {
        eu.put(self.out, answer.map_or_else(|error| error.to_string(), |value| value.to_string()));
    }
}

#[test]
fn a_fiber_that_polls_ends_when_its_call_has_failed() {
    let runs = 40;
    for seed in 0..runs {
        let policy = Policy { batch: 1, ..Policy::default() };
        let mut machine = Machine::stepper(seed).nodes(2).config(Config::Spn).policy(policy);
        let why = gives(&mut machine, CallsFromOne::call).value;
        assert!(why.ends_with("failed: before the other one"), "{why}");
    }
    // In some runs the report arrives while the fiber polls.
    let polled = POLLED.load(Ordering::Relaxed) as u64;
    assert!(polled < runs, "{polled} of {runs} fibers polled to the end");
}

/// Isolates a call on a node that does not exist.
struct Beyond;

#[threaded]
impl Beyond {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.isolated(NodeId::new(eu.nodes()), Nothing::call, eu.reply(Self::came().answer));
        eu.put(out, 1);
        Beyond
    }

    #[slot]
    fn came(self, answer: Result<u64, IsolatedError>) {
        unreachable!("{answer:?}")
    }
}

#[test]
fn a_call_on_no_node_is_an_error_of_the_caller() {
    on_every(|case| {
        let error = fails(&mut case.machine(), Beyond::call);
        assert!(matches!(error, Error::NoSuchNode { .. }), "{error}");
    });
}
