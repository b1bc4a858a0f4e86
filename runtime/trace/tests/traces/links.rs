//! Contents of a trace: every fiber and every signal, exactly linked, on every single-process machine. Also
//! the critical path.

use std::collections::BTreeMap;

use earth::simulated::Profile;
use earth::{
    Call, Config, Eu, Machine, NodeId, Reply, Run, SlotRef, Start, Then, Threaded, Wire, Work, threaded,
};
use earth_trace::{ArrowKind, Queue, Trace};

use crate::common::{Kind, gives, on_every};

/// Makes fibers run in every possible way, on all nodes.
struct Fork {
    sum: u64,
    out: Reply<u64>,
}

#[threaded]
impl Fork {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(eu.nodes() - 1), Keeper::call(eu.reply(Self::end().keeper)));
        let part = eu.reply(Self::add().part);
        for i in 0..3 {
            eu.invoke(NodeId::new(i % eu.nodes()), Leaf::call(i as u64, part));
            eu.token(Leaf::call(10, part));
        }
        Fork { sum: 0, out }
    }

    #[cell]
    fn c() -> u64;

    #[slot(again)]
    fn add(&mut self, part: u64, eu: &mut Eu<Self>) {
        self.sum += part;
        eu.sync(Self::ask());
    }

    #[slot(syncs = 6)]
    fn ask(&mut self, eu: &mut Eu<Self>) {
        eu.get(eu.cell_ref(Self::c()), eu.reply(Self::end().read));
        eu.spawn(Self::tell());
    }

    #[spawned]
    fn tell(&mut self, eu: &mut Eu<Self>) {
        eu.write(eu.cell_ref(Self::c()), 100);
    }

    #[slot]
    fn end(self, read: u64, keeper: SlotRef, eu: &mut Eu<Self>) {
        eu.rsync(keeper);
        eu.put(self.out, self.sum + read);
    }
}

struct Leaf;

#[threaded]
impl Leaf {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.work(Work::Cycles(100 * n));
        eu.put(out, n);
    }
}

struct Keeper;

#[threaded]
impl Keeper {
    fn start(hello: Reply<SlotRef>, eu: &mut Eu<Self>) -> Self {
        eu.put(hello, eu.slot_ref(Self::end()));
        Keeper
    }

    #[slot(sync)]
    fn end(self) {}
}

/// Runs `links` fibers of 100 cycles each, one after another.
struct Chain {
    links: u64,
    done: u64,
    out: Reply<u64>,
}

#[threaded]
impl Chain {
    fn start(links: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::link());
        Chain { links, done: 0, out }
    }

    #[slot(sync, again)]
    fn link(&mut self, eu: &mut Eu<Self>) -> Then {
        eu.work(Work::Cycles(100));
        self.done += 1;
        if self.done < self.links {
            eu.sync(Self::link());
            return Then::Wait;
        }
        eu.put(self.out, self.done);
        Then::End
    }
}

/// Sends three values before they are taken, so that two are parked.
struct Ahead {
    sum: u64,
    out: Reply<u64>,
}

#[threaded]
impl Ahead {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let to = eu.reply(Self::consume().x);
        (0..3).for_each(|i| eu.put(to, i));
        Ahead { sum: 0, out }
    }

    #[slot(again)]
    fn consume(&mut self, x: u64, eu: &mut Eu<Self>) {
        self.sum += x;
        eu.sync(Self::end());
    }

    #[slot(syncs = 3)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.sum);
    }
}

/// Returns the number of runs of each fiber, by name.
fn fibers(trace: &Trace) -> BTreeMap<String, usize> {
    let mut counted = BTreeMap::new();
    for slice in &trace.slices {
        *counted.entry(trace.name(slice).to_string()).or_default() += 1;
    }
    counted
}

/// Returns the number of arrows between each pair of fibers, by name.
fn arrows(trace: &Trace) -> BTreeMap<(String, String, ArrowKind), usize> {
    let mut counted = BTreeMap::new();
    for arrow in &trace.arrows {
        let [from, to] =
            [arrow.from, arrow.to].map(|slice| trace.name(&trace.slices[slice as usize]).to_string());
        *counted.entry((from, to, arrow.kind)).or_default() += 1;
    }
    counted
}

/// Builds the expected arrows from a list: sender, receiver, kind, number.
fn expected(list: &[(&str, &str, ArrowKind, usize)]) -> BTreeMap<(String, String, ArrowKind), usize> {
    list.iter().map(|&(from, to, kind, count)| ((from.to_owned(), to.to_owned(), kind), count)).collect()
}

fn traced<F: Threaded, R: Wire>(machine: Machine, main: impl FnOnce(Reply<R>) -> Call<F>) -> Run<R> {
    gives(&mut machine.trace(true), main)
}

fn trace_of<R>(run: &Run<R>) -> Trace {
    Trace::of(run.records.as_ref().expect("tracing is on"))
}

fn trace<F: Threaded>(machine: Machine, main: impl FnOnce(Reply<u64>) -> Call<F>) -> Trace {
    trace_of(&traced(machine, main))
}

fn manna50() -> Profile {
    Profile::named("manna50").expect("it is built in")
}

use ArrowKind::{Signal, Spawn};

/// Arrows of [`Fork`]. They are equal whether the cell is written before or after the request: `tell` comes
/// after `ask`.
const FORK: [(&str, &str, ArrowKind, usize); 8] = [
    ("Fork.start", "Keeper.start", ArrowKind::Start, 1),
    ("Fork.start", "Leaf.start", ArrowKind::Start, 6),
    ("Leaf.start", "Fork.add", Signal, 6),
    ("Fork.add", "Fork.ask", Signal, 6),
    ("Fork.ask", "Fork.tell", Spawn, 1),
    ("Fork.tell", "Fork.end", Signal, 1),
    ("Keeper.start", "Fork.end", Signal, 1),
    ("Fork.end", "Keeper.end", Signal, 1),
];

#[test]
fn every_machine_shows_the_same_fibers_and_arrows() {
    on_every(|case| {
        let run = traced(case.traced(), Fork::call);
        assert_eq!(run.value, 3 + 30 + 100);
        let trace = trace_of(&run);
        let names = [
            ("Fork.add", 6),
            ("Fork.ask", 1),
            ("Fork.end", 1),
            ("Fork.start", 1),
            ("Fork.tell", 1),
            ("Keeper.end", 1),
            ("Keeper.start", 1),
            ("Leaf.start", 6),
        ];
        assert_eq!(fibers(&trace), names.map(|(name, count)| (name.to_owned(), count)).into());
        assert_eq!(trace.slices.len() as u64, run.counters.fibers);
        assert_eq!(arrows(&trace), expected(&FORK));
        // The run's value is a signal, too. No fiber started the main function.
        let signals = trace.arrows.iter().filter(|arrow| arrow.kind == Signal).count() as u64;
        assert_eq!(signals + 1, run.counters.signals);
        assert_eq!((trace.nodes, trace.dropped), (case.nodes, 0));
    });
}

#[test]
fn arrows_go_forward_and_fibers_of_a_node_do_not_overlap() {
    on_every(|case| {
        let trace = trace(case.traced(), Fork::call);
        for arrow in &trace.arrows {
            let [from, to] = [arrow.from, arrow.to].map(|slice| trace.slices[slice as usize]);
            if case.is_simulated() {
                assert!(from.begin < to.begin, "{arrow:?}: {from:?} {to:?}");
            }
            // The nodes of a stepper have no common time.
            assert!(from.node != to.node || from.end <= to.begin);
            // Each of the two times may be wrong.
            let error = 2 * trace.clock_error;
            assert!(from.begin <= to.begin + error || matches!(case.kind, Kind::Stepper(_)));
        }
        for pair in trace.slices.windows(2).filter(|pair| pair[0].node == pair[1].node) {
            assert!(pair[0].begin <= pair[0].end && pair[0].end <= pair[1].begin, "{pair:?}");
        }
    });
}

#[test]
fn a_parked_value_comes_from_its_sender() {
    on_every(|case| {
        let trace = trace(case.traced(), Ahead::call);
        let list = [("Ahead.start", "Ahead.consume", Signal, 3), ("Ahead.consume", "Ahead.end", Signal, 3)];
        assert_eq!(arrows(&trace), expected(&list));
    });
}

/// A tree of tokens: more tokens wait on a node than it gives to other nodes.
struct Tree {
    out: Reply<u64>,
}

#[threaded]
impl Tree {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if n < 2 {
            eu.put(out, 1);
            return Start::End;
        }
        eu.token(Tree::call(n - 1, eu.reply(Self::add().left)));
        eu.token(Tree::call(n - 2, eu.reply(Self::add().right)));
        Start::Wait(Tree { out })
    }

    #[slot]
    fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left + right);
    }
}

/// Returns the `start` fiber of the call that a fiber of [`Tree`] belongs to. For an `add` this is the fiber
/// that made the calls whose values it got. There must be exactly one such fiber.
fn start_of(fiber: u32, makers: &BTreeMap<u32, u32>, tellers: &BTreeMap<u32, Vec<u32>>) -> u32 {
    let Some(told) = tellers.get(&fiber) else { return fiber };
    let made: Vec<_> = told.iter().map(|&teller| makers[&start_of(teller, makers, tellers)]).collect();
    assert!(made.len() == 2 && made[0] == made[1], "{fiber} was told by calls that {made:?} made");
    made[0]
}

#[test]
fn tokens_have_their_makers_wherever_they_run() {
    on_every(|case| {
        let run = traced(case.traced(), |out| Tree::call(11, out));
        let trace = trace_of(&run);
        // There are 144 leaves, and so 143 joins.
        assert_eq!((run.value, trace.slices.len()), (144, 144 + 2 * 143));
        let (mut makers, mut tellers) = (BTreeMap::new(), BTreeMap::<_, Vec<_>>::new());
        for arrow in &trace.arrows {
            match arrow.kind {
                ArrowKind::Start => {
                    assert!(makers.insert(arrow.to, arrow.from).is_none(), "a start has one maker");
                }
                Signal => tellers.entry(arrow.to).or_default().push(arrow.from),
                Spawn => panic!("nobody spawns"),
            }
        }
        assert_eq!((makers.len(), tellers.len()), (2 * 143, 143));
        let mut starts: Vec<_> = tellers.keys().map(|&add| start_of(add, &makers, &tellers)).collect();
        starts.sort_unstable();
        starts.dedup();
        assert_eq!(starts.len(), 143, "each call that was divided was joined once");
    });
}

#[test]
fn tracing_changes_no_virtual_time() {
    for config in [Config::Spn, Config::Dual] {
        for bytes in [false, true] {
            let machine = || Machine::simulated(&manna50()).nodes(3).config(config).through_bytes(bytes);
            let (with, without) = (traced(machine(), Fork::call), gives(&mut machine(), Fork::call));
            assert_eq!((with.cycles, with.counters), (without.cycles, without.counters));
            assert!(without.records.is_none());
            assert_eq!(Some(trace_of(&with).end()), without.cycles);
        }
    }
}

/// Computed by hand, in cycles of `manna50`, SPN:
///
/// * each fiber: 6 for a poll and 20 for a dispatch;
/// * the first fiber: 45 for a frame, 5 for a slot and 10 for a signal;
/// * a link: 100 for its work and 10 for a signal;
/// * the last link: 12 for putting the value.
#[test]
fn the_span_of_a_chain_is_all_of_it() {
    let machine = Machine::simulated(&manna50()).nodes(1);
    let path = trace(machine, |out| Chain::call(7, out)).critical_path();
    let first = 26 + 45 + 5 + 10;
    let span = first + 6 * (26 + 100 + 10) + (26 + 100 + 12);
    assert_eq!((path.work, path.span, path.slices.len()), (span, span, 8));
    assert!((path.parallelism() - 1.0).abs() < 1e-12);
    assert_eq!(path.to_string(), "work 20.80 µs, span 20.80 µs, parallelism 1.00");
    let parts: Vec<_> =
        path.parts.iter().map(|part| (part.name.fiber.as_str(), part.fibers, part.time)).collect();
    assert_eq!(parts, [("link", 7, span - first), ("start", 1, first)]);
}

/// Forks `width` fibers of 10,000 cycles, one on each node, and joins them.
struct Wide {
    width: usize,
    out: Reply<u64>,
}

#[threaded]
impl Wide {
    fn start(width: usize, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for i in 0..width {
            eu.invoke(NodeId::new(i), Piece::call(eu.slot_ref(Self::end())));
        }
        Wide { width, out }
    }

    #[slot(syncs = width)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.width as u64);
    }
}

struct Piece;

#[threaded]
impl Piece {
    fn start(done: SlotRef, eu: &mut Eu<Self>) {
        eu.work(Work::Cycles(10_000));
        eu.rsync(done);
    }
}

#[test]
fn the_span_of_a_fork_and_join_is_one_way_through_it() {
    let run = traced(Machine::simulated(&manna50()).nodes(8), |out| Wide::call(8, out));
    let cycles = run.cycles.expect("a simulated machine counts cycles");
    let trace = trace_of(&run);
    let path = trace.critical_path();
    let time = |name: &str| {
        let named = trace.slices.iter().filter(|slice| trace.name(slice).to_string() == name);
        named.map(earth_trace::Slice::time).sum::<u64>()
    };
    let (start, end) = (time("Wide.start"), time("Wide.end"));
    assert_eq!(path.work, start + end + time("Piece.start"));
    assert_eq!(path.slices.len(), 3);
    // Pieces begin while their starter still runs, so the starter counts only until then.
    assert!(path.span > 10_000 + end && path.span <= cycles, "{} of {cycles}", path.span);
    let first_starts = 26 + 45 + 5;
    assert!(path.span >= first_starts + 10_000 + end);
    assert!(path.parallelism() > 6.0 && path.parallelism() < 8.0, "{}", path.parallelism());
}

/// Starts one piece of 10,000 cycles on the other node, and works as long itself.
struct Early {
    out: Reply<u64>,
}

#[threaded]
impl Early {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(1), Piece::call(eu.slot_ref(Self::end())));
        eu.work(Work::Cycles(10_000));
        Early { out }
    }

    #[slot(sync)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 1);
    }
}

#[test]
fn a_sender_counts_until_its_receiver_began() {
    let run = traced(Machine::simulated(&manna50()), Early::call);
    let cycles = run.cycles.expect("a simulated machine counts cycles");
    let path = trace_of(&run).critical_path();
    assert!((20_000..20_500).contains(&path.work), "{}", path.work);
    assert!((10_000..=cycles).contains(&path.span), "{} of {cycles}", path.span);
}

#[test]
fn records_beyond_the_limit_are_counted() {
    for machine in [Machine::threads(1), Machine::simulated(&manna50()).nodes(1)] {
        let run = gives(&mut machine.trace_limit(10), |out| Chain::call(100, out));
        let trace = trace_of(&run);
        assert_eq!(trace.slices.len(), 10);
        // Kept are the signals of the first fiber and of nine links. They enabled the ten fibers before the
        // eleventh.
        assert_eq!(trace.arrows.len(), 9);
        // 101 fibers, and 100 signals, 40 of them kept.
        assert_eq!(trace.dropped, 91 + 60);
        let path = trace.critical_path();
        assert_eq!(path.dropped, trace.dropped);
        // The ten fibers that were kept form one chain.
        let line = path.to_string();
        assert!(line.ends_with("parallelism 1.00 (without 151 dropped records)"), "{line}");
    }
}

#[test]
fn queues_are_as_long_as_they_were() {
    let trace = trace(Machine::simulated(&manna50()).nodes(1), Fork::call);
    let longest =
        |queue| trace.depths.iter().filter(|depth| depth.queue == queue).map(|depth| depth.length).max();
    assert_eq!(longest(Queue::Tokens), Some(3), "three tokens wait when their maker ends");
    let last = trace.depths.iter().rev().find(|depth| depth.queue == Queue::Tokens);
    assert_eq!(last.map(|depth| depth.length), Some(0));
}

#[test]
fn a_machine_traces_each_run_separately() {
    let mut machine = Machine::threads(2).trace(true);
    for links in [50, 3] {
        let run = gives(&mut machine, |out| Chain::call(links, out));
        let trace = trace_of(&run);
        assert_eq!((trace.slices.len() as u64, trace.arrows.len() as u64), (links + 1, links));
        assert!(u128::from(trace.end()) <= run.elapsed.as_nanos() + 1_000_000, "it begins with the run");
    }
}
