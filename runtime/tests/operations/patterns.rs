//! Patterns: their results on every machine compared with a loop, and their costs in tokens, fibers, frames
//! and messages.

use std::ops::Range;
use std::sync::Mutex;

use crate::common::{gives, on_every, on_every_of_one_process, scramble};
use earth::collective::{Combine, Concat, Group, Sum, broadcast, everywhere, reduce};
use earth::patterns::{
    BestFirst, Done, Flow, Grain, Graph, Halos, Job, Join, MapReduce, Maps, Neighbours, ParallelFor, Patch,
    Rows, RunGraph, Search, Side, Stage, Streams, Task, Tree, TreeOf, Upstream, items,
};
use earth::simulated::Profile;
use earth::{
    Block, CancelToken, Counters, Error, Eu, Machine, Reply, Shared, SharedValues, Start, Wire, Work, lend,
    threaded,
};

/// Returns the counts that the program determines: tokens, invokes, fibers, signals.
fn fixed(counters: &Counters) -> [u64; 4] {
    [counters.tokens, counters.invokes, counters.fibers, counters.signals]
}

struct Length;

#[threaded]
impl Length {
    fn start(text: String, out: Reply<usize>, eu: &mut Eu<Self>) {
        eu.put(out, text.len());
    }
}

struct Quotient;

#[threaded]
impl Quotient {
    fn start(a: u64, b: u64, out: Reply<(u64, u64)>, eu: &mut Eu<Self>) {
        eu.put(out, (a / b, a % b));
    }
}

#[test]
fn both_results_of_a_join_come_in_their_places() {
    on_every(|case| {
        let call = |out| Join::<Length, Quotient>::call("dataflow".to_owned(), (17, 5), out);
        let run = gives(&mut case.machine(), call);
        assert_eq!(run.value, (8, (3, 2)));
        assert_eq!(fixed(&run.counters), [2, 0, 4, 3]);
        assert_eq!(run.counters.frames, 1);
    });
}

/// Terms of a series whose sum depends on the order of additions.
#[derive(Clone, Wire)]
struct Terms {
    from: usize,
}

impl Maps for Terms {
    type Output = f64;
    fn map(&self, range: Range<usize>) -> f64 {
        range.map(|i| 1.0 / (i * i % 17 + i + self.from) as f64).sum()
    }
}

/// Computes the same sum as a recursion on halves of whole grains.
fn halved(terms: &Terms, range: Range<usize>, grain: usize) -> f64 {
    if range.len() <= grain {
        return terms.map(range);
    }
    let middle = range.start + range.len().div_ceil(grain).div_ceil(2) * grain;
    halved(terms, range.start..middle, grain) + halved(terms, middle..range.end, grain)
}

#[test]
fn a_range_is_mapped_once_and_combined_in_an_order_that_its_grain_fixes() {
    on_every(|case| {
        for (range, grain) in [(0..0, 3), (4..5, 1), (0..10, 10), (7..102, 10), (0..77, 1), (5..1000, 333)] {
            let terms = Terms { from: 1 };
            let expected = halved(&terms, range.clone(), grain);
            let pieces = range.len().div_ceil(grain).max(1) as u64;
            let call = |out| MapReduce::call(range.clone(), Grain::of(grain), terms, Sum, out);
            let run = gives(&mut case.machine(), call);
            assert_eq!(run.value.to_bits(), expected.to_bits(), "{range:?} by {grain}");
            // A piece is a fiber. Each halved range has two fibers, two tokens and a frame.
            let halves = pieces - 1;
            assert_eq!(fixed(&run.counters), [2 * halves, 0, pieces + 2 * halves, pieces + halves]);
            assert_eq!(run.counters.frames, halves);
        }
    });
}

#[test]
fn a_chosen_grain_makes_32_pieces_a_node_and_closures_are_mapped_in_their_process() {
    on_every_of_one_process(|case| {
        let squares = Shared::new(|range: Range<usize>| range.map(|i| i * i).collect::<Vec<_>>());
        let shared = SharedValues::default().with(&squares);
        let call = |out| MapReduce::call(0..1000, Grain::CHOSEN, squares, Concat, out);
        let run = case.machine().run_with(shared, call).expect("it runs");
        assert_eq!(run.value, (0..1000).map(|i| i * i).collect::<Vec<_>>());
        let pieces = 1000usize.div_ceil(1000usize.div_ceil(32 * case.nodes)) as u64;
        assert_eq!(run.counters.tokens, 2 * (pieces - 1));
    });
    // If there are fewer indices than pieces, each index is a piece. An empty range gives an empty result.
    let seen = Shared::new(Mutex::new(0u64));
    let notes = seen.clone();
    let note = Shared::new(move |range: Range<usize>| {
        *notes.lock().expect("the lock is not poisoned") += 1 << range.start;
    });
    let run = gives(&mut Machine::threads(2), |out| MapReduce::call(3..9, Grain::CHOSEN, note, Done, out));
    assert_eq!((run.counters.tokens, *seen.lock().expect("the lock is not poisoned")), (10, 0b1_1111_1000));
}

#[test]
#[should_panic(expected = "a grain has at least one index")]
fn a_grain_of_zero_is_refused() {
    let _ = Grain::of(0);
}

/// Writes the number of each element to the element.
#[derive(Clone, Wire)]
struct Numbers;

impl Rows<u64> for Numbers {
    fn rows(&self, first: usize, rows: &mut Block<u64>) {
        let columns = rows.cols();
        for (i, row) in rows.iter_rows_mut().enumerate() {
            row.iter_mut().enumerate().for_each(|(j, x)| *x = 7 * *x + ((first + i) * columns + j) as u64);
        }
    }
}

#[test]
fn each_row_of_a_block_is_done_once_and_the_block_comes_back() {
    on_every(|case| {
        for (rows, columns, grain) in [(0, 3, 2), (1, 1, 1), (9, 4, 9), (25, 3, 4)] {
            let before = Block::from_fn(rows, columns, |i, j| (i + 100 * j) as u64);
            let call = |out| ParallelFor::call(0, before, Grain::of(grain), Numbers, out);
            let run = gives(&mut case.machine(), call);
            let expected = |i, j| 7 * (i + 100 * j) as u64 + (i * columns + j) as u64;
            let expected = Block::from_fn(rows, columns, expected);
            assert_eq!(run.value.into_vec(), expected.into_vec());
            let pieces = rows.div_ceil(grain).max(1) as u64;
            assert_eq!(run.counters.tokens, 2 * (pieces - 1));
            assert_eq!(run.counters.block_moves, 2 * pieces - 1);
        }
    });
    // A borrowed block is written in place, in one process.
    let mut lent = vec![0; 1000];
    lend(&mut lent, 100, 10, |block| {
        gives(&mut Machine::threads(3), |out| ParallelFor::call(0, block, Grain::CHOSEN, Numbers, out));
    })
    .expect("the shape is right");
    assert!(lent.into_iter().eq(0..1000));
}

#[test]
fn each_row_of_a_slice_is_done_once_in_place_or_through_bytes() {
    on_every_of_one_process(|case| {
        for (rows, cols) in [(0, 3), (1, 1), (100, 7), (33, 1)] {
            let mut machine = case.machine();
            let mut elements: Vec<u64> = (0..rows * cols).collect();
            let call = move |i: usize, row: &mut [u64]| {
                assert_eq!((row.len() as u64, row[0]), (cols, i as u64 * cols));
                for x in row {
                    *x += 5;
                }
            };
            let run = machine.for_rows(&mut elements, cols as usize, call).expect("the run ends well");
            let grain = rows.div_ceil(32 * case.nodes as u64).max(1);
            assert_eq!(run.counters.tokens, 2 * (rows.div_ceil(grain).max(1) - 1));
            assert!(elements.into_iter().eq((0..rows * cols).map(|x| x + 5)), "{rows} x {cols} on {case}");
        }
    });
}

#[test]
fn a_slice_of_no_whole_number_of_rows_is_refused_and_one_that_panics_is_valid() {
    let mut machine = Machine::threads(2);
    let mut elements = [1u8; 10];
    for (cols, rows) in [(3, 3), (0, 0), (11, 0)] {
        let refused = machine.for_rows(&mut elements, cols, |_, row| row.fill(2)).expect_err("no such rows");
        let why = format!("a block of {rows} x {cols} elements cannot be made of 10 elements");
        assert_eq!(refused.to_string(), format!("memory cannot be lent to the run: {why}"));
    }
    assert_eq!(elements, [1; 10]);
    machine.for_rows(&mut [0u8; 0], 0, |_, _| unreachable!("there is no row")).expect("nothing to do");
    let panicked = machine.for_rows(&mut elements, 5, |i, row| {
        row.fill(2);
        assert_ne!(i, 1, "on purpose");
    });
    assert!(matches!(panicked, Err(Error::Panicked { .. })), "{panicked:?}");
    assert!(elements.iter().all(|x| [1, 2].contains(x)));
    machine.for_rows(&mut elements, 5, |i, row| row.fill(i as u8)).expect("the machine is whole");
    assert_eq!(elements, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
}

#[test]
fn rows_of_several_slices_come_together_in_place_or_through_bytes() {
    on_every_of_one_process(|case| {
        for (rows, cols) in [(0, 3), (1, 1), (100, 7), (33, 1)] {
            let mut machine = case.machine();
            let mut sums = vec![1u64; rows];
            let mut elements: Vec<u32> = (0..(rows * cols) as u32).collect();
            let (weights, before) = (vec![0.5f64; 2 * rows], elements.clone());
            let call = |i: usize, row: &mut [u32], (weights, sum): (&[f64], &mut [u64])| {
                assert_eq!((weights, sum.len(), row[0] as usize), (&[0.5; 2][..], 1, i * row.len()));
                for x in row {
                    sum[0] += u64::from(*x);
                    *x += 5;
                }
            };
            let run = machine.for_rows_with(&mut elements, cols, (&weights, &mut sums), call);
            let grain = rows.div_ceil(32 * case.nodes).max(1);
            let tokens = 2 * (rows.div_ceil(grain).max(1) - 1);
            assert_eq!(run.expect("the run ends well").counters.tokens, tokens as u64);
            let expected = before.chunks(cols).map(|row| 1 + row.iter().map(|&x| u64::from(x)).sum::<u64>());
            assert!(sums.into_iter().eq(expected), "{rows} x {cols} on {case}");
            assert!(elements.iter().copied().eq(before.iter().map(|x| x + 5)));

            // Another slice that is read. Then three, the second to be changed.
            let read = machine.for_rows_with(&mut elements, cols, &before, |_, row, before| {
                row.copy_from_slice(before);
            });
            assert!(read.is_ok() && elements == before);
            let mut last = vec![0; rows];
            let three = (&before[..], &mut last[..], &weights);
            let call = |_: usize, row: &mut [u32], (before, last, weight): (&[u32], &mut [u32], &[f64])| {
                last[0] = before[before.len() - 1] + weight.len() as u32;
                row.fill(last[0]);
            };
            machine.for_rows_with(&mut elements, cols, three, call).expect("the run ends well");
            assert!(elements.chunks(cols).zip(&last).all(|(row, last)| row.iter().all(|x| x == last)));
            assert!(last.into_iter().eq(before.chunks(cols).map(|row| row[cols - 1] + 2)));
        }
    });
}

#[test]
fn slices_of_other_numbers_of_rows_are_refused_before_a_row_is_changed() {
    let mut machine = Machine::threads(2);
    let (mut elements, mut twice, odd) = ([1u8; 10], vec![1u8; 4], [1u8; 7]);
    let mut refused = |elements: &mut [u8], cols, why: &str| {
        let others = (&odd[..], &mut twice);
        let error = machine.for_rows_with(elements, cols, others, |_, row, (_, twice)| {
            row.fill(2);
            twice.fill(2);
        });
        assert_eq!(
            error.expect_err("no such rows").to_string(),
            format!("memory cannot be lent to the run: {why}")
        );
    };
    refused(&mut elements, 3, "a block of 3 x 3 elements cannot be made of 10 elements");
    refused(&mut elements, 0, "a block of 0 x 0 elements cannot be made of 10 elements");
    refused(&mut elements, 5, "a block of 2 x 3 elements cannot be made of 7 elements");
    refused(&mut elements[..7], 1, "a block of 7 x 0 elements cannot be made of 4 elements");
    refused(&mut [], 1, "a block of 0 x 0 elements cannot be made of 7 elements");
    assert_eq!((elements, twice), ([1; 10], vec![1; 4]));
    let panicked = machine.for_rows_with(&mut elements, 5, &mut [3u8; 4][..], |i, row, other| {
        row.copy_from_slice(&[other[1]; 5]);
        assert_ne!(i, 1, "on purpose");
    });
    assert!(matches!(panicked, Err(Error::Panicked { .. })), "{panicked:?}");
    assert!(elements.iter().all(|x| [1, 3].contains(x)));
}

/// A number whose divisors form a tree of unequal parts. Each child divides by one prime.
#[derive(Clone, Copy, Wire)]
struct Divided(u64);

impl Tree for Divided {
    type Found = Vec<u64>;
    fn children(&self) -> impl ExactSizeIterator<Item = Self> {
        let primes = [2, 3, 5, 7].into_iter().filter(|&prime| self.0.is_multiple_of(prime));
        primes.map(|prime| Divided(self.0 / prime)).collect::<Vec<_>>().into_iter()
    }
    fn found(&self) -> Vec<u64> {
        vec![self.0]
    }
}

fn divided(number: Divided) -> Vec<u64> {
    let below = number.children().map(divided);
    below.fold(number.found(), |left, right| Concat.combine(left, right))
}

#[test]
fn a_tree_is_searched_once_and_combined_from_the_root_to_the_last_child() {
    on_every(|case| {
        for root in [1, 7, 64, 2 * 3 * 5 * 7, 2 * 2 * 3 * 5] {
            let expected = divided(Divided(root));
            let (nodes, leaves) = (expected.len(), expected.iter().filter(|&&number| number == 1).count());
            let run = gives(&mut case.machine(), |out| Search::call(Divided(root), Concat, out));
            assert_eq!(run.value, expected);
            let (nodes, inner) = (nodes as u64, (nodes - leaves) as u64);
            assert_eq!(fixed(&run.counters), [nodes - 1, 0, nodes + inner, nodes]);
        }
    });
}

/// A tree of divisors in which a fiber searches several nodes.
#[derive(Clone, Copy, Wire)]
struct InGrains(Divided, usize);

impl Tree for InGrains {
    type Found = Vec<u64>;
    fn children(&self) -> impl ExactSizeIterator<Item = Self> {
        self.0.children().map(|child| InGrains(child, self.1))
    }
    fn found(&self) -> Vec<u64> {
        self.0.found()
    }
    fn grain(&self) -> usize {
        self.1
    }
}

/// Computes, from lists of the remaining nodes, the tokens of a search in grains and the fibers that leave
/// some nodes.
fn grains(tree: Divided, grain: usize) -> [u64; 2] {
    let mut left = vec![tree];
    for _ in 0..grain {
        let Some(node) = left.pop() else { return [0, 0] };
        left.extend(node.children().collect::<Vec<_>>().into_iter().rev());
    }
    let start = [left.len() as u64, u64::from(!left.is_empty())];
    left.into_iter().map(|tree| grains(tree, grain)).fold(start, |[a, b], [c, d]| [a + c, b + d])
}

#[test]
fn a_tree_in_grains_is_searched_in_the_same_order_by_fewer_tokens() {
    on_every(|case| {
        for (root, grain) in [(1, 2), (64, 3), (2 * 3 * 5 * 7, 2), (2 * 2 * 3 * 5, 5), (2 * 2 * 3 * 5, 1000)]
        {
            let tree = InGrains(Divided(root), grain);
            let run = gives(&mut case.machine(), |out| Search::call(tree, Concat, out));
            assert_eq!(run.value, divided(Divided(root)), "{root} in grains of {grain}");
            let [tokens, rests] = grains(tree.0, grain);
            assert_eq!(fixed(&run.counters), [tokens, rests, 1 + tokens + 2 * rests, 1 + tokens]);
        }
    });
}

#[test]
fn a_tree_by_closures_is_searched() {
    on_every_of_one_process(|case| {
        if case.through_bytes {
            return;
        }
        let children = |&number: &u64| Divided(number).children().map(|child| child.0).collect();
        let tree = TreeOf::new(2 * 2 * 3 * 5, children, |&number| vec![number]);
        for tree in [tree.clone(), tree.in_grains(3)] {
            let run = gives(&mut case.machine(), |out| Search::call(tree, Concat, out));
            assert_eq!(run.value, divided(Divided(2 * 2 * 3 * 5)));
        }
    });
}

/// A patch that mixes its neighbors' values into its own, differently for each side.
#[derive(Clone, Debug, PartialEq, Wire)]
struct Mixed {
    value: u64,
    rounds: u64,
}

impl Mixed {
    fn mix(&mut self, at: impl Fn(Side) -> Option<u64>) {
        for (i, side) in [Side::Left, Side::Right, Side::Above, Side::Below].into_iter().enumerate() {
            self.value = scramble(self.value ^ at(side).unwrap_or(99) << i, 1);
        }
        self.rounds += 1;
    }

    fn seen_from(&self, side: Side) -> u64 {
        self.value.rotate_left(side as u32)
    }
}

impl Patch for Mixed {
    type Halo = u64;
    type Output = Mixed;
    fn border(&self, side: Side) -> u64 {
        self.seen_from(side)
    }
    fn round(&mut self, mut halos: Halos<u64>) {
        // Reads the border by one function or by the other.
        let [left, right] = [Side::Left, Side::Right].map(|side| halos.take(side));
        self.mix(|side| match side {
            Side::Left => left,
            Side::Right => right,
            side => halos.at(side).copied(),
        });
    }
    fn finish(self) -> Mixed {
        self
    }
}

/// Computes all rounds one after another, over the whole grid.
fn mixed(mut grid: Vec<Mixed>, columns: usize, rounds: usize) -> Vec<Mixed> {
    for _ in 0..rounds {
        let before = grid.clone();
        for (i, patch) in grid.iter_mut().enumerate() {
            patch.mix(|side| match side {
                Side::Left if i % columns > 0 => Some(before[i - 1].seen_from(Side::Right)),
                Side::Right if (i + 1) % columns > 0 => Some(before[i + 1].seen_from(Side::Left)),
                Side::Above => Some(before[i.checked_sub(columns)?].seen_from(Side::Below)),
                Side::Below => Some(before.get(i + columns)?.seen_from(Side::Above)),
                Side::Left | Side::Right => None,
            });
        }
    }
    grid
}

#[test]
fn patches_see_the_borders_of_their_neighbours_of_the_round_before() {
    on_every(|case| {
        for (rows, columns, rounds) in [(0, 0, 3), (1, 1, 3), (1, 2, 0), (1, 9, 6), (5, 1, 4), (4, 3, 5)] {
            let count = rows * columns;
            let grid: Vec<_> = (0..count as u64).map(|i| Mixed { value: i * i + 1, rounds: 0 }).collect();
            let expected = mixed(grid.clone(), columns, rounds);
            let run = gives(&mut case.machine(), |out| Neighbours::call(columns, grid, rounds, out));
            assert_eq!(run.value, expected, "{rows} by {columns}");

            let node = |i: usize| i * case.nodes / count;
            let beside = (0..count).filter(|i| (i + 1) % columns > 0).map(|i| (i, i + 1));
            let below = (columns..count).map(|i| (i - columns, i));
            let pairs: Vec<_> = beside.chain(below).collect();
            let apart = pairs.iter().filter(|&&(a, b)| node(a) != node(b)).count();
            let away = (0..count).filter(|&i| node(i) > 0).count();
            assert_eq!(run.counters.events_sent as usize, 4 * away + 2 * apart * rounds);
            let fibers = (2 + rounds) * count + 2 * usize::from(count > 0);
            assert_eq!(run.counters.fibers as usize, 1 + fibers);
        }
    });
}

/// Makes a number from its own and the needed ones, in their order.
#[derive(Clone, Wire)]
struct Mixes(u64);

impl Task for Mixes {
    type Value = u64;
    fn run(self, needs: Vec<u64>) -> u64 {
        needs.into_iter().fold(self.0, |mixed, value| scramble(mixed.rotate_left(9) ^ value, 1))
    }
}

#[test]
fn tasks_get_the_values_they_need_in_their_order() {
    on_every(|case| {
        for count in [0, 1, 2, 30, 100] {
            let (mut graph, mut values, mut needed) = (Graph::new(), Vec::new(), vec![false; count]);
            for task in 0..count {
                let drawn = scramble(task as u64 + 7, 3);
                let needs: Vec<_> = (0..drawn % 4)
                    .filter_map(|i| (drawn.rotate_left(17 * i as u32) as usize).checked_rem(task))
                    .collect();
                for &task in &needs {
                    needed[task] = true;
                }
                values.push(Mixes(task as u64).run(needs.iter().map(|&task| values[task]).collect()));
                assert_eq!(graph.add(Mixes(task as u64), needs), task);
            }
            let last = values.iter().zip(needed).filter_map(|(value, needed)| (!needed).then_some(*value));
            let run = gives(&mut case.machine(), |out| RunGraph::call(graph, out));
            assert_eq!(run.value, last.collect::<Vec<_>>());
            let count = count as u64;
            assert_eq!(fixed(&run.counters), [count, 0, 1 + 2 * count, 1 + count]);
        }
    });
}

#[test]
#[should_panic(expected = "task 1 needs task 1, which has not been added")]
fn a_task_cannot_need_itself() {
    let mut graph = Graph::new();
    graph.add(Mixes(0), []);
    graph.add(Mixes(1), [1]);
}

/// Records when it ran.
#[derive(Wire)]
struct Notes {
    number: u64,
    ran: Shared<Mutex<Vec<u64>>>,
}

impl Task for Notes {
    type Value = u64;
    fn run(self, needs: Vec<u64>) -> u64 {
        self.ran.lock().expect("the lock is not poisoned").push(self.number);
        needs.into_iter().max().unwrap_or(self.number)
    }
}

#[test]
fn of_tasks_that_are_ready_together_that_with_the_longest_path_runs_first() {
    let ran = Shared::new(Mutex::new(Vec::new()));
    let mut graph = Graph::new();
    let mut add = |number, needs: &[usize]| graph.add(Notes { number, ran: ran.clone() }, needs);
    let [short, middle, long] = [0, 1, 2].map(|number| add(number, &[]));
    let after = add(3, &[long]);
    add(4, &[after, middle, short]);
    assert_eq!(gives(&mut Machine::threads(1), |out| RunGraph::call(graph, out)).value, [2]);
    assert_eq!(*ran.lock().expect("the lock is not poisoned"), [2, 3, 0, 1, 4]);
}

/// Only takes cycles, in each of the patterns.
#[derive(Clone, Wire)]
struct Costs {
    cycles: u64,
    height: u32,
}

impl Maps for Costs {
    type Output = ();
    fn map(&self, _: Range<usize>) {}
    fn cost(&self, range: &Range<usize>) -> Work {
        Work::Cycles(self.cycles * range.len() as u64)
    }
}

impl Rows<u64> for Costs {
    fn rows(&self, _: usize, _: &mut Block<u64>) {}
    fn cost(&self, rows: &Block<u64>) -> Work {
        Work::Cycles(self.cycles * rows.rows() as u64)
    }
}

impl Tree for Costs {
    type Found = ();
    fn children(&self) -> impl ExactSizeIterator<Item = Self> {
        (0..2 * self.height.min(1) as usize).map(|_| Costs { height: self.height - 1, ..self.clone() })
    }
    fn found(&self) {}
    fn cost(&self) -> Work {
        Work::Cycles(self.cycles)
    }
}

impl Patch for Costs {
    type Halo = ();
    type Output = ();
    fn border(&self, _: Side) {}
    fn round(&mut self, _: Halos<()>) {}
    fn finish(self) {}
    fn cost(&self) -> Work {
        Work::Cycles(self.cycles)
    }
}

impl Stage<u64> for Costs {
    type Out = u64;
    fn work(&mut self, item: u64, out: &mut Vec<u64>) {
        out.push(item);
    }
    fn cost(&self, item: &u64) -> Work {
        Work::Cycles(self.cycles * item)
    }
}

impl Task for Costs {
    type Value = ();
    fn run(self, _: Vec<()>) {}
    fn cost(&self) -> Work {
        Work::Cycles(self.cycles)
    }
}

impl Job for Costs {
    type Found = ();
    fn priority(&self) -> i64 {
        0
    }
    fn run(self, (): (), _: &mut Vec<Self>) {}
    fn cost(&self) -> Work {
        Work::Cycles(self.cycles)
    }
}

#[test]
fn the_work_of_a_pattern_takes_virtual_time() {
    let profile = Profile::named("manna50").expect("it is built in");
    let take = |cycles| {
        let costs = || Costs { cycles, height: 3 };
        let mut graph = Graph::new();
        for _ in 0..6 {
            graph.add(costs(), []);
        }
        let stream = items(0..5u64).through(costs());
        let mut machine = Machine::simulated(&profile).nodes(1);
        let grain = Grain::of(2);
        let patches = || vec![costs(); 3];
        let runs = [
            machine.run(|out| MapReduce::call(0..7, grain, costs(), Done, out)).map(|run| run.cycles),
            machine
                .run(|out| ParallelFor::call(0, Block::<u64>::zeroed(9, 1), grain, costs(), out))
                .map(|run| run.cycles),
            machine.run(|out| Search::call(costs(), Done, out)).map(|run| run.cycles),
            machine.run(|out| Neighbours::call(3, patches(), 4, out)).map(|run| run.cycles),
            machine.run(|out| Neighbours::call(1, vec![costs()], 4, out)).map(|run| run.cycles),
            machine.run(|out| Streams::call(stream, Vec::new(), Flow::default(), out)).map(|run| run.cycles),
            machine.run(|out| RunGraph::call(graph, out)).map(|run| run.cycles),
            machine.run(|out| BestFirst::call(vec![costs(), costs()], (), Done, out)).map(|run| run.cycles),
        ];
        runs.map(|cycles| cycles.expect("it runs").expect("it is simulated"))
    };
    let (free, costly) = (take(0), take(1000));
    let units: Vec<_> = free.iter().zip(costly).map(|(free, costly)| (costly - free) / 1000).collect();
    assert_eq!(units, [7, 9, 15, 12, 4, 10, 6, 2]);
}

/// Cancels its run in its hundredth round.
#[derive(Wire)]
struct Rounds {
    left: u32,
    cancel: Shared<CancelToken>,
}

impl Patch for Rounds {
    type Halo = ();
    type Output = ();
    fn border(&self, _: Side) {}
    fn round(&mut self, _: Halos<()>) {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.cancel.cancel();
        }
    }
    fn finish(self) {}
}

#[test]
fn rounds_without_an_end_are_cancelled() {
    on_every_of_one_process(|case| {
        for patches in [1, 2] {
            let token = CancelToken::new();
            let cancel = Shared::new(token.clone());
            let values = SharedValues::default().with(&cancel);
            let line: Vec<_> = (0..patches).map(|_| Rounds { left: 100, cancel: cancel.clone() }).collect();
            let mut machine = case.machine().cancel_token(token);
            let run = machine.run_with(values, |out| Neighbours::call(patches, line, usize::MAX, out));
            assert_eq!(run.map(drop), Err(Error::Cancelled));
        }
    });
}

#[test]
fn a_grain_without_bound_leaves_some_of_a_large_tree_to_others() {
    let children = |&height: &u32| vec![height.saturating_sub(1); 2 * height.min(1) as usize];
    let tree = TreeOf::new(16, children, |_| 1u64).in_grains(usize::MAX);
    let run = gives(&mut Machine::threads(1), |out| Search::call(tree, Sum, out));
    assert_eq!(run.value, (1 << 17) - 1);
    assert!(run.counters.tokens > 0);
    // Grains that almost fill a range are cut at its end.
    let whole = Shared::new(|range: Range<usize>| range.len() as u64);
    for grain in [usize::MAX, usize::MAX / 2, usize::MAX / 3 + 1] {
        let (grain, whole) = (Grain::of(grain), whole.clone());
        let map = |out| MapReduce::call(0..usize::MAX, grain, whole, Sum, out);
        assert_eq!(gives(&mut Machine::threads(1), map).value, u64::MAX);
    }
}

/// Starts more members than are allowed.
struct Crowds;

#[threaded]
impl Crowds {
    fn start(how: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        let all = Group::all(eu);
        match how {
            0 => everywhere::<Says>(eu, all, 0.., eu.reply(Self::done().results)),
            1 => reduce::<Says, _>(eu, all, 0..1 << 40, Sum, out),
            _ => broadcast(eu, &0, std::iter::repeat(out)),
        }
        Start::Wait(Crowds)
    }

    #[slot]
    fn done(self, results: Vec<u64>) {
        unreachable!("{results:?}")
    }
}

struct Says;

#[threaded]
impl Says {
    fn start(value: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, value);
    }
}

#[test]
fn more_members_than_32_bits_count_are_refused() {
    for how in 0..3 {
        let error = Machine::threads(1).run(|out| Crowds::call(how, out)).map(drop).unwrap_err();
        let is_it =
            matches!(&error, Error::Panicked { message, .. } if message.contains("at most 2^32 - 1 members"));
        assert!(is_it, "{error}");
    }
}
