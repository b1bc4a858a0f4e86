//! What a trace holds: every fiber, every signal, exactly linked, whatever the machine; and what is made of it.

mod common;

use std::collections::BTreeMap;

use common::{Kind, good, on_every};
use earth::{
    ArrowKind, Config, Machine, NodeId, Profile, Queue, Reply, SlotRef, Then, Trace, Work, threaded_old,
};

threaded_old! {
    /// A little of everything a fiber can be made to run by, on as many nodes as there are.
    fn Fork(out: Reply<u64>)
    state  { sum: u64 = 0 }
    calls  { Leaf, Keeper }
    inlets { part: u64, read: u64, keeper: SlotRef }
    cells  { c: u64 }
    slots  { one: 1, reset 1 => add, all: 6 => ask, told: 2 => end }
    fiber start(_this, eu) {
        let keeper = eu.reply_to(Self::keeper, Self::told);
        eu.invoke_old::<Keeper>(NodeId::new(eu.nodes() - 1), (keeper,));
        for i in 0..3 {
            let reply = eu.reply_to(Self::part, Self::one);
            eu.invoke_old::<Leaf>(NodeId::new(i % eu.nodes()), (i as u64, reply));
            eu.token_old::<Leaf>((10, eu.reply_to(Self::part, Self::one)));
        }
        Then::Wait
    }
    fiber add(this, eu) {
        this.sum += eu.take(Self::part);
        eu.sync(Self::all);
        Then::Wait
    }
    fiber ask(this, eu) {
        eu.get(eu.cell_ref(Self::c), eu.reply_to(Self::read, Self::told));
        eu.spawn(Self::tell);
        Then::Wait
    }
    fiber tell(this, eu) {
        eu.write(eu.cell_ref(Self::c), 100);
        Then::Wait
    }
    fiber end(this, eu) {
        let sum = this.sum + eu.take(Self::read);
        let keeper = eu.take(Self::keeper);
        eu.rsync(keeper);
        eu.put(this.out, sum);
        Then::End
    }
}

threaded_old! {
    fn Leaf(n: u64, out: Reply<u64>)
    fiber start(this, eu) {
        eu.work(Work::Cycles(100 * this.n));
        eu.put(this.out, this.n);
        Then::End
    }
}

threaded_old! {
    fn Keeper(hello: Reply<SlotRef>)
    slots { dismissed: 1 => end }
    fiber start(this, eu) {
        let own = eu.slot_ref(Self::dismissed);
        eu.put(this.hello, own);
        Then::Wait
    }
    fiber end(_this, _eu) { Then::End }
}

threaded_old! {
    /// `links` fibers, one after another, of 100 cycles each.
    fn Chain(links: u64, out: Reply<u64>)
    state { done: u64 = 0 }
    slots { next: 1, reset 1 => link }
    fiber start(_this, eu) {
        eu.sync(Self::next);
        Then::Wait
    }
    fiber link(this, eu) {
        eu.work(Work::Cycles(100));
        this.done += 1;
        if this.done < this.links {
            eu.sync(Self::next);
            return Then::Wait;
        }
        eu.put(this.out, this.done);
        Then::End
    }
}

threaded_old! {
    /// Sends three values ahead of their taking, so that two are parked.
    fn Ahead(out: Reply<u64>)
    state  { sum: u64 = 0 }
    inlets { x: u64 }
    slots  { came: 1, reset 1 => consume, done: 3 => end }
    fiber start(_this, eu) {
        let to = eu.reply_to(Self::x, Self::came);
        (0..3).for_each(|i| eu.put(to, i));
        Then::Wait
    }
    fiber consume(this, eu) {
        this.sum += eu.take(Self::x);
        eu.sync(Self::done);
        Then::Wait
    }
    fiber end(this, eu) {
        eu.put(this.out, this.sum);
        Then::End
    }
}

/// How often each fiber ran, by name.
fn fibers(trace: &Trace) -> BTreeMap<String, usize> {
    let mut counted = BTreeMap::new();
    for slice in &trace.slices {
        *counted.entry(trace.name(slice).to_string()).or_default() += 1;
    }
    counted
}

/// How often each fiber made each other one run, by name.
fn arrows(trace: &Trace) -> BTreeMap<(String, String, ArrowKind), usize> {
    let mut counted = BTreeMap::new();
    for arrow in &trace.arrows {
        let [from, to] =
            [arrow.from, arrow.to].map(|slice| trace.name(&trace.slices[slice as usize]).to_string());
        *counted.entry((from, to, arrow.kind)).or_default() += 1;
    }
    counted
}

/// Arrows by hand: who, whom, by what, how often.
fn expected(list: &[(&str, &str, ArrowKind, usize)]) -> BTreeMap<(String, String, ArrowKind), usize> {
    list.iter().map(|&(from, to, kind, count)| ((from.to_owned(), to.to_owned(), kind), count)).collect()
}

fn traced<F: earth::Threaded>(machine: Machine, input: common::Input<F>) -> earth::Run<common::Output<F>>
where
    F::Args: earth::Main,
{
    good::<F>(&mut machine.trace(true), input)
}

fn trace<F: earth::Threaded>(machine: Machine, input: common::Input<F>) -> Trace
where
    F::Args: earth::Main,
{
    traced::<F>(machine, input).trace.expect("the machine was told to trace")
}

fn manna50() -> Profile {
    Profile::named("manna50").expect("it is built in")
}

use ArrowKind::{Signal, Spawn, Start};

/// The arrows of [`Fork`]. Whether the cell is written before or after the question, `tell` comes after `ask`.
const FORK: [(&str, &str, ArrowKind, usize); 8] = [
    ("Fork.start", "Keeper.start", Start, 1),
    ("Fork.start", "Leaf.start", Start, 6),
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
        let run = traced::<Fork>(case.machine(), ());
        assert_eq!(run.value, 3 + 30 + 100);
        let trace = run.trace.expect("the machine was told to trace");
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
        // The run's value is a signal too, and nobody started the main function.
        let signals = trace.arrows.iter().filter(|arrow| arrow.kind == Signal).count() as u64;
        assert_eq!(signals + 1, run.counters.signals);
        assert_eq!((trace.nodes, trace.dropped), (case.nodes, 0));
    });
}

#[test]
fn arrows_go_forward_and_fibers_of_a_node_do_not_overlap() {
    on_every(|case| {
        let trace = trace::<Fork>(case.machine(), ());
        for arrow in &trace.arrows {
            let [from, to] = [arrow.from, arrow.to].map(|slice| trace.slices[slice as usize]);
            if case.is_simulated() {
                assert!(from.begin < to.begin, "{arrow:?}: {from:?} {to:?}");
            }
            // The nodes of a stepper have no time in common.
            assert!(from.node != to.node || from.end <= to.begin);
            assert!(from.begin <= to.begin || matches!(case.kind, Kind::Stepper(_)));
        }
        for pair in trace.slices.windows(2).filter(|pair| pair[0].node == pair[1].node) {
            assert!(pair[0].begin <= pair[0].end && pair[0].end <= pair[1].begin, "{pair:?}");
        }
    });
}

#[test]
fn a_parked_value_comes_from_its_sender() {
    on_every(|case| {
        let trace = trace::<Ahead>(case.machine(), ());
        let list = [("Ahead.start", "Ahead.consume", Signal, 3), ("Ahead.consume", "Ahead.end", Signal, 3)];
        assert_eq!(arrows(&trace), expected(&list));
    });
}

threaded_old! {
    /// A tree of tokens: more wait on a node than it hands to others.
    fn Tree(n: u64, out: Reply<u64>)
    inlets { left: u64, right: u64 }
    slots  { both: 2 => add }
    fiber start(this, eu) {
        if this.n < 2 { eu.put(this.out, 1); return Then::End; }
        eu.token_old::<Tree>((this.n - 1, eu.reply_to(Self::left, Self::both)));
        eu.token_old::<Tree>((this.n - 2, eu.reply_to(Self::right, Self::both)));
        Then::Wait
    }
    fiber add(this, eu) {
        let sum = eu.take(Self::left) + eu.take(Self::right);
        eu.put(this.out, sum);
        Then::End
    }
}

/// The start of the call that a fiber of [`Tree`] belongs to. That of an `add` is whoever made the calls that told
/// it their values, which must be one and the same.
fn start_of(fiber: u32, makers: &BTreeMap<u32, u32>, tellers: &BTreeMap<u32, Vec<u32>>) -> u32 {
    let Some(told) = tellers.get(&fiber) else { return fiber };
    let made: Vec<_> = told.iter().map(|&teller| makers[&start_of(teller, makers, tellers)]).collect();
    assert!(made.len() == 2 && made[0] == made[1], "{fiber} was told by calls that {made:?} made");
    made[0]
}

#[test]
fn tokens_have_their_makers_wherever_they_run() {
    on_every(|case| {
        let run = traced::<Tree>(case.machine(), 11);
        let trace = run.trace.expect("the machine was told to trace");
        // 144 leaves, so 143 joins.
        assert_eq!((run.value, trace.slices.len()), (144, 144 + 2 * 143));
        let (mut makers, mut tellers) = (BTreeMap::new(), BTreeMap::<_, Vec<_>>::new());
        for arrow in &trace.arrows {
            match arrow.kind {
                Start => assert!(makers.insert(arrow.to, arrow.from).is_none(), "a start has one maker"),
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
            let (with, without) = (traced::<Fork>(machine(), ()), good::<Fork>(&mut machine(), ()));
            assert_eq!((with.cycles, with.counters), (without.cycles, without.counters));
            assert!(without.trace.is_none());
            assert_eq!(with.trace.map(|trace| trace.end()), without.cycles);
        }
    }
}

/// By hand, in cycles of `manna50`, SPN: a poll of 6 and a dispatch of 20 before each fiber; the first one makes a
/// frame for 45, a slot for 5 and signals for 10; a link works for 100 and signals for 10; the last one puts for 12.
#[test]
fn the_span_of_a_chain_is_all_of_it() {
    let path = trace::<Chain>(Machine::simulated(&manna50()).nodes(1), 7).critical_path();
    let first = 26 + 45 + 5 + 10;
    let span = first + 6 * (26 + 100 + 10) + (26 + 100 + 12);
    assert_eq!((path.work, path.span, path.slices.len()), (span, span, 8));
    assert!((path.parallelism() - 1.0).abs() < 1e-12);
    assert_eq!(path.to_string(), "work 20.80 µs, span 20.80 µs, parallelism 1.00");
    let parts: Vec<_> =
        path.parts.iter().map(|part| (part.name.fiber.as_str(), part.fibers, part.time)).collect();
    assert_eq!(parts, [("link", 7, span - first), ("start", 1, first)]);
}

threaded_old! {
    /// Forks `width` fibers of 10,000 cycles, one a node, and joins them.
    fn Wide(width: usize, out: Reply<u64>)
    calls  { Piece }
    slots  { all: (this.width) => end }
    fiber start(this, eu) {
        for i in 0..this.width {
            let all = eu.slot_ref(Self::all);
            eu.invoke_old::<Piece>(NodeId::new(i), (all,));
        }
        Then::Wait
    }
    fiber end(this, eu) {
        eu.put(this.out, this.width as u64);
        Then::End
    }
}

threaded_old! {
    fn Piece(done: SlotRef)
    fiber start(this, eu) {
        eu.work(Work::Cycles(10_000));
        eu.rsync(this.done);
        Then::End
    }
}

#[test]
fn the_span_of_a_fork_and_join_is_one_way_through_it() {
    let run = traced::<Wide>(Machine::simulated(&manna50()).nodes(8), 8);
    let cycles = run.cycles.expect("a simulated machine counts cycles");
    let trace = run.trace.expect("the machine was told to trace");
    let path = trace.critical_path();
    let time = |name: &str| {
        let named = trace.slices.iter().filter(|slice| trace.name(slice).to_string() == name);
        named.map(earth::Slice::time).sum::<u64>()
    };
    let (start, end) = (time("Wide.start"), time("Wide.end"));
    assert_eq!(path.work, start + end + time("Piece.start"));
    assert_eq!(path.slices.len(), 3);
    // Pieces begin while their starter still runs, which counts up to then only.
    assert!(path.span > 10_000 + end && path.span <= cycles, "{} of {cycles}", path.span);
    let first_starts = 26 + 45 + 5;
    assert!(path.span >= first_starts + 10_000 + end);
    assert!(path.parallelism() > 6.0 && path.parallelism() < 8.0, "{}", path.parallelism());
}

threaded_old! {
    /// Starts one piece of 10,000 cycles on the other node, and works as long itself.
    fn Early(out: Reply<u64>)
    calls  { Piece }
    slots  { done: 1 => end }
    fiber start(_this, eu) {
        let done = eu.slot_ref(Self::done);
        eu.invoke_old::<Piece>(NodeId::new(1), (done,));
        eu.work(Work::Cycles(10_000));
        Then::Wait
    }
    fiber end(this, eu) {
        eu.put(this.out, 1);
        Then::End
    }
}

#[test]
fn a_sender_counts_until_its_receiver_began() {
    let run = traced::<Early>(Machine::simulated(&manna50()), ());
    let cycles = run.cycles.expect("a simulated machine counts cycles");
    let path = run.trace.expect("the machine was told to trace").critical_path();
    assert!((20_000..20_500).contains(&path.work), "{}", path.work);
    assert!((10_000..=cycles).contains(&path.span), "{} of {cycles}", path.span);
}

#[test]
fn what_is_beyond_the_limit_is_counted() {
    for machine in [Machine::threads(1), Machine::simulated(&manna50()).nodes(1)] {
        let run = good::<Chain>(&mut machine.trace_limit(10), 100);
        let trace = run.trace.expect("the machine was told to trace");
        assert_eq!(trace.slices.len(), 10);
        // The first one's signal and those of the nine links kept reached the ten fibers before the eleventh.
        assert_eq!(trace.arrows.len(), 9);
        // 101 fibers, and 100 signals of which 40 are kept.
        assert_eq!(trace.dropped, 91 + 60);
        let path = trace.critical_path();
        assert_eq!(path.dropped, trace.dropped);
        // The ten fibers kept are one chain.
        let line = path.to_string();
        assert!(line.ends_with("parallelism 1.00 of the records kept; 151 were dropped"), "{line}");
    }
}

#[test]
fn queues_are_as_long_as_they_were() {
    let trace = trace::<Fork>(Machine::simulated(&manna50()).nodes(1), ());
    let longest =
        |queue| trace.depths.iter().filter(|depth| depth.queue == queue).map(|depth| depth.length).max();
    assert_eq!(longest(Queue::Tokens), Some(3), "three tokens wait when their maker ends");
    let last = trace.depths.iter().rev().find(|depth| depth.queue == Queue::Tokens);
    assert_eq!(last.map(|depth| depth.length), Some(0));
}

#[test]
fn a_machine_traces_each_run_anew() {
    let mut machine = Machine::threads(2).trace(true);
    for links in [50, 3] {
        let run = good::<Chain>(&mut machine, links);
        let trace = run.trace.expect("the machine was told to trace");
        assert_eq!((trace.slices.len() as u64, trace.arrows.len() as u64), (links + 1, links));
        assert!(u128::from(trace.end()) <= run.elapsed.as_nanos() + 1_000_000, "it begins with the run");
    }
}
