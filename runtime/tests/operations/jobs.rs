//! The patterns of jobs with priorities, and of blocks that are mapped where they are stored: their results
//! on every machine, and their costs in tokens, fibers and messages.

use std::collections::BinaryHeap;

use crate::common::{gives, on_every};
use earth::collective::{Concat, Group, Kept, keep};
use earth::patterns::{BestFirst, Job, MapPlaced, MapsBlock};
use earth::{Block, Eu, Machine, Published, Reply, Wire, threaded};

/// Makes the jobs below it, depth first, and records when it runs.
#[derive(Clone, Debug, Wire)]
struct Counts {
    depth: i64,
    number: u64,
    /// Order in which the jobs ran.
    ran: Vec<u64>,
}

impl Job for Counts {
    type Found = Vec<u64>;
    fn priority(&self) -> i64 {
        self.depth
    }
    fn run(self, known: Vec<u64>, more: &mut Vec<Self>) -> Vec<u64> {
        assert!(known.len() >= self.ran.len(), "what is known grows");
        if self.depth < 3 {
            more.extend((1..4).map(|i| Counts {
                depth: self.depth + 1,
                number: 4 * self.number + i,
                ran: known.clone(),
            }));
        }
        vec![self.number]
    }
}

/// Returns the numbers of the same jobs in the order of a heap.
fn counts(first: &[u64]) -> Vec<u64> {
    let mut waiting: BinaryHeap<(i64, usize, u64)> = BinaryHeap::new();
    let mut made = 0;
    let mut push = |waiting: &mut BinaryHeap<_>, depth: i64, number: u64| {
        waiting.push((depth, made, number));
        made += 1;
    };
    for &number in first {
        push(&mut waiting, 0, number);
    }
    let mut ran = Vec::new();
    while let Some((depth, _, number)) = waiting.pop() {
        ran.push(number);
        if depth < 3 {
            (1..4).for_each(|i| push(&mut waiting, depth + 1, 4 * number + i));
        }
    }
    ran
}

#[test]
fn jobs_are_done_once_and_on_one_node_in_the_order_of_their_priorities() {
    on_every(|case| {
        for first in [&[][..], &[1], &[2, 3, 1]] {
            let jobs = first.iter().map(|&number| Counts { depth: 0, number, ran: Vec::new() }).collect();
            let call = |out| BestFirst::call(jobs, Vec::new(), Concat, out);
            let run = gives(&mut case.machine(), call);
            let expected = counts(first);
            let jobs = expected.len() as u64;
            let counters = run.counters;
            assert_eq!([counters.tokens, counters.fibers, counters.signals], [jobs, 1 + 2 * jobs, 1 + jobs]);
            assert!(counters.tokens_high as usize <= 2 * case.nodes * case.nodes);
            if case.nodes == 1 {
                assert_eq!(run.value, expected);
            } else {
                let sorted = |mut numbers: Vec<u64>| {
                    numbers.sort_unstable();
                    numbers
                };
                assert_eq!(sorted(run.value), sorted(expected));
            }
        }
    });
}

/// Blocks that are written to cells of its nodes, and mapped there.
struct Keeps {
    kept: Vec<Kept<Published<u64>>>,
    out: Reply<Vec<(u64, u64)>>,
}

#[threaded]
impl Keeps {
    fn start(blocks: usize, out: Reply<Vec<(u64, u64)>>, eu: &mut Eu<Self>) -> Self {
        let block = |of| Block::from_fn(2, 300, move |i, j| (of + i * j) as u64).publish();
        keep(eu, Group::all(eu), (0..blocks).map(block), eu.reply(Self::ask().kept));
        Keeps { kept: Vec::new(), out }
    }

    #[slot]
    fn ask(&mut self, kept: Vec<Kept<Published<u64>>>, eu: &mut Eu<Self>) {
        let blocks = kept.iter().map(|block| block.value).collect();
        eu.invoke(eu.node(), MapPlaced::<_, _, _>::call(blocks, Sums, Concat, eu.reply(Self::end().sums)));
        self.kept = kept;
    }

    #[slot]
    fn end(self, sums: Vec<(u64, u64)>, eu: &mut Eu<Self>) {
        self.kept.iter().for_each(|block| eu.rsync(block.done));
        eu.put(self.out, sums);
    }
}

/// Returns the number of a block, and its sum.
#[derive(Clone, Wire)]
struct Sums;

impl MapsBlock<u64> for Sums {
    type Output = Vec<(u64, u64)>;
    fn map(&self, number: usize, block: &Published<u64>) -> Vec<(u64, u64)> {
        vec![(number as u64, block.iter_rows().flatten().sum())]
    }
}

#[test]
fn blocks_are_mapped_on_their_own_nodes_and_none_travels() {
    on_every(|case| {
        for blocks in [1, 2, 7] {
            let run = gives(&mut case.machine(), |out| Keeps::call(blocks, out));
            let sum = |of: u64| 600 * of + (0..300).sum::<u64>();
            assert!(run.value.into_iter().eq((0..blocks as u64).map(|of| (of, sum(of)))));
            // A block moves to its node once, as an argument; later reads are local.
            let away = (0..blocks).filter(|block| block % case.nodes > 0).count() as u64;
            assert_eq!(run.counters.block_moves, blocks as u64);
            assert_eq!(run.counters.invokes, 2 * blocks as u64 + 2);
            // To keep a block: the block, its address, its end. To map it: the function and its result.
            assert_eq!(run.counters.events_sent, 5 * away);
        }
    });
}

#[test]
fn no_block_has_no_value() {
    let call = |out| MapPlaced::<u64, _, _>::call(Vec::new(), Sums, Concat, out);
    let error = Machine::threads(1).run(call).expect_err("it is refused").to_string();
    assert!(error.contains("MapPlaced needs at least one block"), "{error}");
}
