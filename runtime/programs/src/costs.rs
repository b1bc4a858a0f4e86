//! Costs of all operations: a table of small programs, each of which repeats one operation.
//!
//! Two runs count frames, fibers and messages between nodes; the second one repeats the operation more often.
//! The difference is the exact cost of one more operation, identical on every computer. Times are measured on
//! this computer, as the least of five runs; they include the counted fibers. The guide shows the table; a
//! test checks its counts against these programs.
//!
//! `cargo run --release -p earth-programs -- costs`

use std::error::Error;
use std::ops::Range;
use std::time::Duration;

use earth::collective::Sum;
use earth::patterns::{
    Ascending, BestFirst, Done, DynamicTask, Flow, Grain, Graph, Halos, Job, Join, MapReduce, Maps,
    Neighbours, Outcome, ParallelFor, Patch, Rows, RunGraph, Scan, Search, Side, Sort, Stage, Streams, Task,
    Tree, Upstream, items,
};
use earth::{
    Block, CellRef, Config, Counters, Eu, Machine, NodeId, Reply, Run, SlotRef, Start, Then, Wire, threaded,
};

/// The operation to repeat.
#[derive(Clone, Copy, Wire)]
enum Does {
    Signal,
    Spawn,
    Put,
    Echo,
    Get,
    Block,
    Token,
    Invoke,
    Wait,
    When,
}

/// Repeats the operation `left` times. Its effect enables the fiber that repeats it.
struct Again {
    does: Does,
    left: u64,
    peer: Option<Peer>,
    out: Reply<()>,
}

#[threaded]
impl Again {
    fn start(does: Does, times: u64, out: Reply<()>, eu: &mut Eu<Self>) -> Self {
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke(last, Echo::call(eu.reply(Self::meet().peer)));
        Again { does, left: times, peer: None, out }
    }

    #[slot]
    fn meet(&mut self, peer: Peer, eu: &mut Eu<Self>) -> Then {
        self.peer = Some(peer);
        self.once_more(eu)
    }

    #[slot(sync, again)]
    fn signalled(&mut self, eu: &mut Eu<Self>) -> Then {
        self.once_more(eu)
    }

    #[spawned]
    fn spawned(&mut self, eu: &mut Eu<Self>) -> Then {
        self.once_more(eu)
    }

    #[slot(again)]
    fn count(&mut self, value: u64, eu: &mut Eu<Self>) -> Then {
        assert_eq!(value, 1);
        self.once_more(eu)
    }

    #[slot(again)]
    fn given(&mut self, block: Block<u64>, eu: &mut Eu<Self>) -> Then {
        assert_eq!(block.len(), 1);
        self.once_more(eu)
    }
}

impl Again {
    fn once_more(&mut self, eu: &mut Eu<Self>) -> Then {
        let Some(peer) = self.peer else { return Then::Wait };
        if self.left == 0 {
            eu.rsync(peer.end);
            eu.put(self.out, ());
            return Then::End;
        }
        self.left -= 1;
        let (count, given) = (eu.reply(Self::count().value), eu.reply(Self::given().block));
        match self.does {
            Does::Signal => eu.sync(Self::signalled()),
            Does::Spawn => eu.spawn(Self::spawned()),
            Does::Put => eu.put(count, 1),
            Does::Echo => eu.put(peer.echo, count),
            Does::Get => eu.get(peer.word, count),
            Does::Block => eu.put(peer.echo_block, (Block::from_fn(1, 1, |_, _| 1), given)),
            Does::Token => eu.token(PutsTime::call(count)),
            Does::Invoke => eu.invoke(peer.end.node(), PutsTime::call(count)),
            Does::Wait => eu.token(Waits::call(count)),
            Does::When => eu.token_when(peer.word, move |_| PutsTime::call(count)),
        }
        Then::Wait
    }
}

/// Addresses of an echo.
#[derive(Clone, Copy, Wire)]
struct Peer {
    echo: Reply<Reply<u64>>,
    echo_block: Reply<(Block<u64>, Reply<Block<u64>>)>,
    word: CellRef<u64>,
    end: SlotRef,
}

/// Returns the values it receives.
struct Echo;

#[threaded]
impl Echo {
    fn start(peer: Reply<Peer>, eu: &mut Eu<Self>) -> Self {
        let word = eu.cell_ref(Self::word());
        eu.write(word, 1);
        let (echo, echo_block) = (eu.reply(Self::echo().to), eu.reply(Self::echo_block().block));
        eu.put(peer, Peer { echo, echo_block, word, end: eu.slot_ref(Self::end()) });
        Echo
    }

    #[cell]
    fn word() -> u64;

    #[slot(again)]
    fn echo(&mut self, to: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(to, 1);
    }

    #[slot(again)]
    fn echo_block(&mut self, block: (Block<u64>, Reply<Block<u64>>), eu: &mut Eu<Self>) {
        eu.put_block(block.1, block.0);
    }

    #[slot(sync)]
    fn end(self) {}
}

/// Ends in its first fiber.
struct PutsTime;

#[threaded]
impl PutsTime {
    fn start(to: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(to, 1);
    }
}

/// Waits for a signal that it sends itself.
struct Waits {
    to: Reply<u64>,
}

#[threaded]
impl Waits {
    fn start(to: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::go());
        Waits { to }
    }

    #[slot(sync)]
    fn go(self, eu: &mut Eu<Self>) {
        eu.put(self.to, 1);
    }
}

/// Runs a number of joins, one after another.
struct Joins {
    left: u64,
    out: Reply<()>,
}

#[threaded]
impl Joins {
    fn start(times: u64, out: Reply<()>, eu: &mut Eu<Self>) -> Start<Self> {
        eu.put(eu.reply(Self::again().both), (1, 1));
        Start::Wait(Joins { left: times, out })
    }

    #[slot(again)]
    fn again(&mut self, both: (u64, u64), eu: &mut Eu<Self>) -> Then {
        assert_eq!(both, (1, 1));
        if self.left == 0 {
            eu.put(self.out, ());
            return Then::End;
        }
        self.left -= 1;
        eu.token(Join::<PutsTime, PutsTime>::call((), (), eu.reply(Self::again().both)));
        Then::Wait
    }
}

/// An empty operation for each pattern.
#[derive(Clone, Wire)]
struct Nothing;

impl Maps for Nothing {
    type Output = ();
    fn map(&self, _: Range<usize>) {}
}

impl Stage<u64> for Nothing {
    type Out = u64;
    fn work(&mut self, item: u64, out: &mut Vec<u64>) {
        out.push(item);
    }
}

/// A list of zeros.
#[derive(Clone, Wire)]
struct Zeros;

impl Maps for Zeros {
    type Output = Vec<u64>;
    fn map(&self, range: Range<usize>) -> Vec<u64> {
        vec![0; range.len()]
    }
}

impl Rows<u64> for Nothing {
    fn rows(&self, _: usize, _: &mut Block<u64>) {}
}

impl Patch for Nothing {
    type Halo = ();
    type Output = ();
    fn border(&self, _: Side) {}
    fn round(&mut self, _: Halos<()>) {}
    fn finish(self) {}
}

impl Task for Nothing {
    type Value = ();
    fn run(self, _: Vec<()>) {}
}

/// Rounds of a loop.
#[derive(Wire)]
struct Loop(u64);

impl DynamicTask for Loop {
    type Value = ();
    fn decide(self, _: Vec<()>) -> Outcome<Self> {
        let Some(left) = self.0.checked_sub(1) else { return Outcome::Value(()) };
        let mut round = Graph::new();
        round.add(Loop(left), []);
        round.into()
    }
}

impl Job for Nothing {
    type Found = ();
    fn priority(&self) -> i64 {
        0
    }
    fn run(self, (): (), _: &mut Vec<Self>) {}
}

/// A tree: a list of pairs of nodes, the second of which continues the list.
#[derive(Wire)]
struct Pairs(u64);

impl Tree for Pairs {
    type Found = u64;
    fn children(&self) -> impl ExactSizeIterator<Item = Self> {
        [Pairs(0), Pairs(self.0.saturating_sub(1))].into_iter().take(if self.0 == 0 { 0 } else { 2 })
    }
    fn found(&self) -> u64 {
        1
    }
}

type Took = Result<(Duration, Counters), earth::Error>;

/// An operation whose cost is measured, with its number of nodes.
struct Cost {
    what: &'static str,
    nodes: usize,
    /// Runs the operation the given number of times.
    run: fn(&mut Machine, u64) -> Took,
}

fn took<R>(run: Result<Run<R>, earth::Error>) -> Took {
    run.map(|run| (run.elapsed, run.counters))
}

macro_rules! costs {
    ($($what:literal, $nodes:literal, |$times:ident, $out:ident| $call:expr;)+) => {
        &[$(Cost { what: $what, nodes: $nodes, run: |machine, $times| took(machine.run(|$out| $call)) }),+]
    };
}

/// One item per batch.
const ONE_BY_ONE: Flow = Flow { batch: 1, window: 4 };

/// One item per batch, and a credit for each batch.
const SMALL_WINDOWS: Flow = Flow { batch: 1, window: 2 };

const COSTS: &[Cost] = costs! {
    "a signal of the own frame, `eu.sync`", 1, |times, out| Again::call(Does::Signal, times, out);
    "a fiber enabled directly, `eu.spawn`", 1, |times, out| Again::call(Does::Spawn, times, out);
    "a value for the own frame, `eu.put`", 1, |times, out| Again::call(Does::Put, times, out);
    "a value to another frame and one back", 1, |times, out| Again::call(Does::Echo, times, out);
    "the same, the frame on another node", 2, |times, out| Again::call(Does::Echo, times, out);
    "a cell asked for, `eu.get`", 1, |times, out| Again::call(Does::Get, times, out);
    "the same on another node", 2, |times, out| Again::call(Does::Get, times, out);
    "a block made, moved to another frame and back", 1, |times, out| Again::call(Does::Block, times, out);
    "the same, the frame on another node", 2, |times, out| Again::call(Does::Block, times, out);
    "a token that ends in its first fiber", 1, |times, out| Again::call(Does::Token, times, out);
    "a function invoked that does so", 1, |times, out| Again::call(Does::Invoke, times, out);
    "the same on another node", 2, |times, out| Again::call(Does::Invoke, times, out);
    "a token that waits for a signal", 1, |times, out| Again::call(Does::Wait, times, out);
    "a token when the value of a cell is there, `eu.token_when`", 1, |times, out| {
        Again::call(Does::When, times, out)
    };
    "`Join` of two such tokens that end at once", 1, |times, out| Joins::call(times, out);
    "`MapReduce`, a piece", 1, |times, out| {
        MapReduce::call(0..times as usize, Grain::of(1), Nothing, Done, out)
    };
    "`ParallelFor`, a piece", 1, |times, out| {
        ParallelFor::call(0, Block::<u64>::zeroed(times as usize, 1), Grain::of(1), Nothing, out)
    };
    "`Search`, a node with two children and a leaf", 1, |times, out| Search::call(Pairs(times), Sum, out);
    "`Neighbours`, a round of two patches", 1, |times, out| {
        Neighbours::call(2, vec![Nothing; 2], times as usize, out)
    };
    "the same on two nodes", 2, |times, out| Neighbours::call(2, vec![Nothing; 2], times as usize, out);
    "`Streams`, four batches through one link", 1, |times, out| {
        Streams::call(items(0..4 * times), Vec::new(), ONE_BY_ONE, out)
    };
    "the same to another node", 2, |times, out| {
        Streams::call(items(0..4 * times), Vec::new(), ONE_BY_ONE, out)
    };
    "`farm`, a batch through two copies, windows of two", 1, |times, out| {
        Streams::call(items(0..times).farm(2, Nothing), Vec::new(), SMALL_WINDOWS, out)
    };
    "the same on two nodes", 2, |times, out| {
        Streams::call(items(0..times).farm(2, Nothing), Vec::new(), SMALL_WINDOWS, out)
    };
    "`Scan`, a piece", 1, |times, out| Scan::call(0..times as usize, Grain::of(1), Zeros, Sum, out);
    "`Sort`, a piece of one element", 1, |times, out| {
        Sort::call((0..times).rev().collect(), Grain::of(1), Ascending, out)
    };
    "`RunGraph`, a task that needs one other", 1, |times, out| {
        let mut graph = Graph::new();
        let first = graph.add(Nothing, []);
        (0..times).fold(first, |before, _| graph.add(Nothing, [before]));
        RunGraph::call(graph, out)
    };
    "`RunGraph`, a round of a loop by a task that returns a graph", 1, |times, out| {
        let mut graph = Graph::new();
        graph.add(Loop(times), []);
        RunGraph::call(graph, out)
    };
    "`BestFirst`, a job", 1, |times, out| {
        BestFirst::call(vec![Nothing; times as usize], (), Done, out)
    };
};

/// Patterns that are runs of their own.
const RUNS: &[Cost] =
    &[Cost { what: "`for_rows_with`, a run of 64 rows of two slices", nodes: 1, run: rows_with }];

/// Runs an empty operation on the rows of two slices a number of times.
fn rows_with(machine: &mut Machine, times: u64) -> Took {
    let (mut rows, others) = ([0_u64; 64], [0_u64; 64]);
    let (mut elapsed, mut counters) = (Duration::ZERO, Counters::default());
    for _ in 0..times {
        let run = machine.for_rows_with(&mut rows, 1, &others[..], |_, _, _| ())?;
        elapsed += run.elapsed;
        counters = [&counters, &run.counters].into_iter().sum();
    }
    Ok((elapsed, counters))
}

impl Cost {
    /// Returns the cost of one more operation: frames, fibers, messages.
    fn counts(&self) -> Result<[u64; 3], earth::Error> {
        const TIMES: u64 = 16;
        let counts = |times| {
            let mut machine = Machine::threads(self.nodes);
            let (_, counters) = (self.run)(&mut machine, times)?;
            Ok([counters.frames, counters.fibers, counters.events_sent])
        };
        let (once, twice) = (counts(TIMES)?, counts(2 * TIMES)?);
        Ok([0, 1, 2].map(|count| (twice[count] - once[count]) / TIMES))
    }

    /// Returns the time of each of `times` operations, in nanoseconds.
    fn time(&self, config: Config, times: u64) -> Result<f64, earth::Error> {
        let mut machine = Machine::threads(self.nodes).config(config);
        let runs = (0..5).map(|_| Ok((self.run)(&mut machine, times)?.0));
        let runs = runs.collect::<Result<Vec<Duration>, _>>()?;
        let least = runs.into_iter().min().unwrap_or_default();
        Ok(least.as_secs_f64() * 1e9 / times as f64)
    }
}

/// Returns the rows of the table without times, as the guide must show them.
///
/// # Errors
///
/// The error of the first run that fails.
pub fn counted() -> Result<Vec<String>, earth::Error> {
    let row = |cost: &Cost| {
        let [frames, fibers, messages] = cost.counts()?;
        Ok(format!("| {} | {frames} | {fibers} | {messages} |", cost.what))
    };
    COSTS.iter().chain(RUNS).map(row).collect()
}

/// Prints the table, given the number of repetitions.
///
/// # Errors
///
/// A wrong number, and errors of runs.
pub fn main(mut args: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let times = args.next().map_or(Ok(20_000), |times| times.parse())?;
    if times == 0 {
        return Err("the number of repetitions is 0, but it must be at least 1".into());
    }
    println!("| what | frames | fibers | messages | SPN, ns | DUAL, ns |");
    println!("|---|---|---|---|---|---|");
    for (cost, counted) in COSTS.iter().chain(RUNS).zip(counted()?) {
        let [spn, dual] = [Config::Spn, Config::Dual].map(|config| cost.time(config, times));
        println!("{counted} {:.0} | {:.0} |", spn?, dual?);
    }
    Ok(())
}
