//! Programs give the same results on ranks as on other machines, even with little room between the ranks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use earth::{
    Arrived, Block, CellRef, Config, Error, Eu, Machine, NodeId, Reply, Shared, SharedValues, Stall, Then,
    threaded,
};

use super::common::channels::{Channels, channels};
use super::common::{gives, still_works};
use super::{Case, Served, cases, on_ranks, on_ranks_of};
use earth::ranks::Link as _;
use earth_programs::fib::Fib;

#[test]
fn a_tree_of_tokens_is_counted_on_all_ranks() {
    for case in cases() {
        let ((), served) = on_ranks(case, |mut machine| {
            let run = gives(&mut machine, |out| Fib::call(18, out));
            assert_eq!(run.value, 2584);
            assert_eq!(run.by_node.iter().map(|node| node.fibers).sum::<u64>(), run.counters.fibers);
            // Each call except the first is a token. Each starts, and adds unless it is a leaf.
            assert_eq!((run.counters.tokens, run.counters.fibers), (8360, 8361 + 4180));
        });
        assert_eq!(served.iter().map(|served| served.runs).collect::<Vec<_>>(), vec![1; case.ranks - 1]);
    }
}

/// A token that makes itself again while it runs on node 0. Puts the node where it ended.
struct Seeks;

#[threaded]
impl Seeks {
    fn start(within: (usize, usize), out: Reply<usize>, eu: &mut Eu<Self>) {
        if eu.node().index() > 0 {
            eu.put(out, eu.node().index());
            return;
        }
        let (first, end) = within;
        eu.token_within(NodeId::new(first)..NodeId::new(end), Seeks::call(within, out));
        eu.token(Idles::call());
    }
}

struct Idles;

#[threaded]
impl Idles {
    fn start() {}
}

#[test]
fn an_idle_rank_is_given_a_token() {
    for case in cases().filter(|case| case.all_nodes() > 1) {
        on_ranks(case, |mut machine| {
            // A rank that may not run the token requests one, too.
            for end in 2..=case.all_nodes() {
                let run = gives(&mut machine, |out| Seeks::call((0, end), out));
                assert!((1..end).contains(&run.value), "{case:?}");
                assert!(run.counters.tokens_stolen > 0);
            }
            let all = case.all_nodes();
            assert_eq!(gives(&mut machine, |out| Seeks::call((all - 1, all), out)).value, all - 1);
        });
    }
}

#[test]
fn one_machine_of_ranks_runs_many_programs() {
    for case in cases() {
        let ((), served) = on_ranks(case, |mut machine| (0..5).for_each(|_| still_works(&mut machine)));
        let all = || Served { runs: 5, errors: Vec::new() };
        assert_eq!(served, (1..case.ranks).map(|_| all()).collect::<Vec<_>>(), "{case:?}");
    }
}

/// Sends every node a column part of a block, which comes back doubled, and writes a cell that the last node
/// reads.
struct Doubles {
    out: Reply<(Block<u32>, u64)>,
    left: Block<u32>,
    right: Option<Block<u32>>,
    seen: Option<u64>,
}

#[threaded]
impl Doubles {
    fn start(out: Reply<(Block<u32>, u64)>, eu: &mut Eu<Self>) -> Self {
        let block = Block::from_fn(3, 5, |row, col| (10 * row + col) as u32);
        let (left, right) = block.split_cols(2);
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke(last, Doubled::call(right, eu.reply(Self::came().part)));
        eu.invoke(last, Reads::call(eu.cell_ref(Self::number()), eu.reply(Self::read().value)));
        eu.write(eu.cell_ref(Self::number()), 41);
        Doubles { out, left, right: None, seen: None }
    }

    #[cell]
    fn number() -> u64;

    #[slot]
    fn came(&mut self, part: Block<u32>, eu: &mut Eu<Self>) -> Then {
        self.right = Some(part);
        self.end(eu)
    }

    #[slot]
    fn read(&mut self, value: u64, eu: &mut Eu<Self>) -> Then {
        self.seen = Some(value);
        self.end(eu)
    }
}

impl Doubles {
    fn end(&mut self, eu: &mut Eu<Self>) -> Then {
        let (Some(right), Some(seen)) = (&self.right, self.seen) else { return Then::Wait };
        let sums = Block::from_fn(3, 1, |row, _| self.left.row(row).iter().chain(right.row(row)).sum());
        eu.put(self.out, (sums, seen));
        Then::End
    }
}

struct Doubled;

#[threaded]
impl Doubled {
    fn start(mut block: Block<u32>, back: Reply<Block<u32>>, eu: &mut Eu<Self>) {
        block.iter_rows_mut().flatten().for_each(|element| *element *= 2);
        eu.put(back, block);
    }
}

struct Reads {
    out: Reply<u64>,
}

#[threaded]
impl Reads {
    fn start(cell: CellRef<u64>, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.get(cell, eu.reply(Self::got().value));
        Reads { out }
    }

    #[slot]
    fn got(self, value: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, value + 1);
    }
}

#[test]
fn blocks_and_cells_are_read_on_other_ranks() {
    for case in cases() {
        on_ranks(case, |mut machine| {
            let (sums, seen) = gives(&mut machine, Doubles::call).value;
            let expected = [0, 1, 2].map(|row| 2 * 10 * row + 1 + 2 * (3 * 10 * row + 2 + 3 + 4));
            assert_eq!(([0, 1, 2].map(|row| sums.row(row)[0]), seen), (expected, 42), "{case:?}");
        });
    }
}

/// Sums, over all nodes, the table entry with the node's number.
struct Sums {
    out: Reply<u64>,
}

struct Entry;

#[threaded]
impl Entry {
    fn start(table: Shared<Vec<u64>>, out: Reply<u64>, eu: &mut Eu<Self>) {
        let entry = table[eu.node().index()];
        eu.put(out, entry);
    }
}

#[threaded]
impl Sums {
    fn start(table: Shared<Vec<u64>>, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for node in 0..eu.nodes() {
            eu.invoke(NodeId::new(node), Entry::call(table.clone(), eu.reply(Self::sum().entries.at(node))));
        }
        Sums { out }
    }

    #[slot]
    fn sum(self, #[inlets(4)] entries: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, entries.sum());
    }
}

#[test]
fn a_shared_value_is_that_of_each_rank() {
    let build = |link| Machine::ranks(link);
    let table = |rank: u64| Shared::new((0..4).map(|entry| 100 * rank + entry).collect::<Vec<u64>>());
    // The values are made when a run is served. Here all ranks except rank 0 have the same table, which
    // differs from rank 0's.
    let values = || SharedValues::default().with(&table(1));
    on_ranks_of(channels(4, 1000), build, values, |mut machine| {
        let own = table(0);
        let run = machine.run_with(SharedValues::default().with(&own), |out| Sums::call(own, out));
        assert_eq!(run.map(|run| run.value), Ok(101 + 102 + 103));
    });
}

/// Puts the number of nodes.
struct Counts;

#[threaded]
impl Counts {
    fn start(out: Reply<usize>, eu: &mut Eu<Self>) {
        eu.put(out, eu.nodes());
    }
}

#[test]
fn a_machine_has_the_nodes_of_all_ranks() {
    for case in cases() {
        on_ranks(case, |mut machine| {
            assert_eq!(machine.node_count(), case.all_nodes());
            assert_eq!(gives(&mut machine, Counts::call).value, case.all_nodes());
        });
    }
}

/// Visits all nodes in turn, and puts the number of nodes at which the thread of the first node ran it.
struct Walks;

#[threaded]
impl Walks {
    fn start(first: usize, out: Reply<usize>, eu: &mut Eu<Self>) {
        let here = eu.node().index();
        let first = first + usize::from(std::thread::current().name() != Some("earth-1"));
        if here + 1 == eu.nodes() {
            eu.put(out, first);
        } else {
            eu.invoke(NodeId::new(here + 1), Walks::call(first, out));
        }
    }
}

/// The calling thread steps the first node of its rank, and other workers step the other nodes.
#[test]
fn the_nodes_of_a_rank_have_a_thread_each() {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let case = Case { config: Config::Spn, ranks: 2, nodes: 2, room: 9 };
    on_ranks(case, |mut machine| {
        let first = gives(&mut machine, |out| Walks::call(0, out)).value;
        assert_eq!(first, if cores > 1 { 2 } else { 4 });
    });
}

#[test]
fn ranks_with_different_numbers_of_nodes_do_not_run_together() {
    let build = |link: Channels| {
        let nodes = 1 + link.rank();
        Machine::ranks(link).nodes(nodes)
    };
    on_ranks_of(channels(2, 9), build, SharedValues::default, |mut machine| {
        let error = machine.run(Counts::call).map(|run| run.value).expect_err("they differ");
        let Error::OtherProgram { rank: 1, why } = &error else { panic!("{error}") };
        assert_eq!(why, "its number of nodes is 2, this rank's is 1");
    });
}

/// Puts the name of the thread that runs it.
struct Where;

#[threaded]
impl Where {
    fn start(out: Reply<String>, eu: &mut Eu<Self>) {
        eu.put(out, std::thread::current().name().unwrap_or_default().to_owned());
    }
}

#[test]
fn the_two_units_of_a_dual_node_have_a_thread_each() {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    for case in cases().filter(|case| case.nodes == 1) {
        on_ranks(case, |mut machine| {
            let run = gives(&mut machine, Where::call);
            let is_dual = case.config == Config::Dual;
            assert_eq!(run.value == "earth-1", is_dual && cores > 1, "{case:?}: {}", run.value);
            if case.nodes == 1 && cores > 1 {
                assert_eq!(run.counters.su_idle + run.counters.su_busy > Duration::ZERO, is_dual);
            }
        });
    }
}

/// Whether the fiber of the next test may return.
static GO_ON: AtomicBool = AtomicBool::new(false);

/// Returns when `GO_ON` is set.
struct Hangs;

#[threaded]
impl Hangs {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        while !GO_ON.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        eu.put(out, 42);
    }
}

#[test]
fn a_stall_monitor_watches_the_fibers_of_its_rank() {
    on_ranks(Case { config: Config::Spn, ranks: 2, nodes: 1, room: 9 }, |machine| {
        let mut machine = machine.stall_monitor(Duration::from_millis(1), |stall: &Stall| {
            assert_eq!((&*stall.at.function, stall.at.node), ("Hangs", 0));
            GO_ON.store(true, Ordering::Relaxed);
        });
        assert_eq!(gives(&mut machine, Hangs::call).value, 42);
    });
}
