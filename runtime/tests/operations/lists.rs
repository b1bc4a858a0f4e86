//! Prefixes and sorts on every machine, compared with a loop and with the standard library, and their costs;
//! and combination by closures.

use std::ops::Range;

use crate::common::{gives, on_every, on_every_of_one_process, scramble};
use earth::collective::{Combine, Group, Kept, Sum, keep, reduce};
use earth::patterns::{
    Ascending, BestFirst, Grain, Job, MapPlaced, MapReduce, Maps, MapsBlock, Order, Scan, Search, Sort, Tree,
};
use earth::simulated::Profile;
use earth::{
    Block, Counters, Eu, Machine, Published, Reply, Run, Shared, SharedValues, Wire, Work, threaded,
};

/// Returns the counts that the program determines: tokens, invokes, frames, fibers.
fn fixed(counters: &Counters) -> [u64; 4] {
    [counters.tokens, counters.invokes, counters.frames, counters.fibers]
}

/// A linear function x -> a x + b, modulo 2^64. The composition of two depends on their order.
#[derive(Clone, Copy, Debug, PartialEq, Wire)]
struct Linear {
    a: u64,
    b: u64,
}

#[derive(Clone, Copy, Wire)]
struct Composed;

impl Combine<Linear> for Composed {
    fn combine(&self, first: Linear, second: Linear) -> Linear {
        let a = second.a.wrapping_mul(first.a);
        Linear { a, b: second.a.wrapping_mul(first.b).wrapping_add(second.b) }
    }
}

fn linear(i: usize) -> Linear {
    Linear { a: scramble(i as u64 + 1, 2), b: scramble(i as u64 + 77, 2) }
}

/// Makes a linear function of each index.
#[derive(Clone, Wire)]
struct Linears;

impl Maps for Linears {
    type Output = Vec<Linear>;
    fn map(&self, range: Range<usize>) -> Vec<Linear> {
        range.map(linear).collect()
    }
}

#[test]
fn a_scan_combines_all_values_up_to_each_in_their_order() {
    on_every(|case| {
        for (range, grain) in [(0..0, 3), (4..5, 1), (0..10, 10), (7..102, 10), (0..77, 1), (5..1000, 333)] {
            let call = |out| Scan::call(range.clone(), Grain::of(grain), Linears, Composed, out);
            let run = gives(&mut case.machine(), call);
            let mut all = Linear { a: 1, b: 0 };
            let mut expected = Vec::new();
            for i in range.clone() {
                all = Composed.combine(all, linear(i));
                expected.push(all);
            }
            assert_eq!(run.value, expected, "{range:?} by {grain}");
            let pieces = range.len().div_ceil(grain).max(1) as u64;
            let counts = if pieces == 1 { [0, 0, 0, 1] } else { [pieces, 1, 1 + pieces, 4 + 2 * pieces] };
            assert_eq!(fixed(&run.counters), counts);
        }
    });
}

/// Makes the values 1 / 1, 1 / 2, .., whose sums round differently in another order.
#[derive(Clone, Wire)]
struct Harmonic;

impl Maps for Harmonic {
    type Output = Vec<f64>;
    fn map(&self, range: Range<usize>) -> Vec<f64> {
        // A piece without values is passed over.
        range.filter(|i| i / 10 != 3).map(|i| 1.0 / (i + 1) as f64).collect()
    }
}

#[test]
fn the_grain_alone_fixes_how_a_scan_rounds() {
    on_every(|case| {
        let run = gives(&mut case.machine(), |out| Scan::call(0..95, Grain::of(10), Harmonic, Sum, out));
        let mut expected = Vec::new();
        let mut before = None;
        for first in (0..95).step_by(10) {
            let mut sum = None;
            for value in Harmonic.map(first..95.min(first + 10)) {
                let all = sum.map_or(value, |sum: f64| sum + value);
                expected.push(before.map_or(all, |before: f64| before + all).to_bits());
                sum = Some(all);
            }
            before = match (before, sum) {
                (Some(before), Some(sum)) => Some(before + sum),
                (before, sum) => before.or(sum),
            };
        }
        assert_eq!(run.value.into_iter().map(f64::to_bits).collect::<Vec<_>>(), expected);
    });
}

/// A key, and the position in the unsorted list. Keys alone are compared.
#[derive(Clone, Debug, Wire)]
struct Card {
    key: u64,
    position: usize,
}

impl PartialEq for Card {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Card {}

impl PartialOrd for Card {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Card {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

#[test]
fn a_sort_is_stable_and_keeps_every_element() {
    on_every(|case| {
        for (count, keys, grain) in
            [(0, 1, 1), (1, 1, 1), (9, 3, 1), (100, 1, 7), (100, 3, 10), (500, 1 << 60, 30), (64, 9, 1000)]
        {
            let card = |position| Card { key: scramble(position as u64 + 3, 3) % keys, position };
            let cards: Vec<_> = (0..count).map(card).collect();
            let run =
                gives(&mut case.machine(), |out| Sort::call(cards.clone(), Grain::of(grain), Ascending, out));
            let pair = |card: Card| (card.key, card.position);
            let mut expected: Vec<_> = cards.into_iter().map(pair).collect();
            expected.sort_unstable();
            assert_eq!(run.value.into_iter().map(pair).collect::<Vec<_>>(), expected, "{count} of {keys}");
            let pieces = count.div_ceil(grain).max(1) as u64;
            let tokens = pieces + pieces.min(4 * case.nodes as u64);
            let counts = if pieces == 1 { [0, 0, 0, 1] } else { [tokens, 1, 1, 4 + tokens] };
            assert_eq!(fixed(&run.counters), counts);
        }
    });
}

#[test]
fn the_default_grain_of_a_sort_makes_four_pieces_a_node() {
    on_every(|case| {
        for count in [1024_usize, 1025, 20_000] {
            let numbers: Vec<_> = (0..count as u64).map(|i| scramble(i, 2)).collect();
            let mut expected = numbers.clone();
            let run = gives(&mut case.machine(), |out| Sort::call(numbers, Grain::CHOSEN, Ascending, out));
            expected.sort_unstable();
            assert_eq!(run.value, expected);
            let pieces = count.div_ceil(1024.max(count.div_ceil(4 * case.nodes))) as u64;
            assert_eq!(run.counters.tokens, if pieces == 1 { 0 } else { 2 * pieces });
        }
    });
}

/// The largest number first. A comparison takes cycles.
#[derive(Clone, Wire)]
struct Descending {
    cycles: u64,
}

impl Order<u64> for Descending {
    fn compare(&self, left: &u64, right: &u64) -> std::cmp::Ordering {
        right.cmp(left)
    }
    fn cost(&self) -> Work {
        Work::Cycles(self.cycles)
    }
}

#[test]
fn a_sort_in_an_order_takes_the_time_of_its_comparisons() {
    let profile = Profile::named("manna50").expect("it is built in");
    // One piece of 3 bits. Four pieces of 1 bit each, merged into buckets of four lists. Nothing to compare.
    for (count, grain, comparisons) in [(8, 8, 24), (7, 9, 21), (8, 2, 8 + 8 * 2), (1, 1, 0), (0, 1, 0)] {
        let take = |cycles| {
            let numbers: Vec<_> = (0..count).map(|i| scramble(i, 2)).collect();
            let mut expected = numbers.clone();
            expected.sort_unstable_by_key(|&number| std::cmp::Reverse(number));
            let mut machine = Machine::simulated(&profile).nodes(1);
            let order = Descending { cycles };
            let run = gives(&mut machine, |out| Sort::call(numbers, Grain::of(grain), order, out));
            assert_eq!(run.value, expected);
            run.cycles.expect("it is simulated")
        };
        assert_eq!((take(1000) - take(0)) / 1000, comparisons, "{count} in pieces of {grain}");
    }
}

/// A tree and jobs of numbers: each number down to 1 has its half and its third.
#[derive(Clone, Copy, Wire)]
struct Parts(u64);

impl Tree for Parts {
    type Found = u64;
    fn children(&self) -> impl ExactSizeIterator<Item = Self> {
        let number = self.0;
        let parts: Vec<_> =
            [2, 3].into_iter().map(|by| Parts(number / by)).filter(|part| part.0 > 0).collect();
        parts.into_iter()
    }
    fn found(&self) -> u64 {
        self.0
    }
    fn grain(&self) -> usize {
        1 + (self.0 % 3) as usize
    }
}

impl Job for Parts {
    type Found = u64;
    fn priority(&self) -> i64 {
        self.0.cast_signed()
    }
    fn run(self, _: u64, more: &mut Vec<Self>) -> u64 {
        more.extend(Tree::children(&self));
        self.0
    }
}

fn parts(number: u64) -> Vec<u64> {
    Tree::children(&Parts(number)).fold(vec![number], |all, part| [all, parts(part.0)].concat())
}

/// An exclusive or, as a closure.
type Xor = Shared<fn(u64, u64) -> u64>;

/// Reduces members and kept blocks by a closure.
struct Reduces {
    xor: Xor,
    kept: Vec<Kept<Published<u64>>>,
    members: u64,
    out: Reply<(u64, u64)>,
}

#[threaded]
impl Reduces {
    fn start(xor: Xor, out: Reply<(u64, u64)>, eu: &mut Eu<Self>) -> Self {
        let all = Group::all(eu);
        reduce::<Member, _>(eu, all, 1..20, xor.clone(), eu.reply(Self::members().value));
        Reduces { xor, kept: Vec::new(), members: 0, out }
    }

    #[slot]
    fn members(&mut self, value: u64, eu: &mut Eu<Self>) {
        self.members = value;
        let block = |of: u64| Block::from_fn(1, 1, |_, _| of * of).publish();
        keep(eu, Group::all(eu), (1..20).map(block), eu.reply(Self::map().kept));
    }

    #[slot]
    fn map(&mut self, kept: Vec<Kept<Published<u64>>>, eu: &mut Eu<Self>) {
        let blocks = kept.iter().map(|block| block.value).collect();
        let maps = MapPlaced::call(blocks, Reads, self.xor.clone(), eu.reply(Self::end().value));
        eu.invoke(eu.node(), maps);
        self.kept = kept;
    }

    #[slot]
    fn end(self, value: u64, eu: &mut Eu<Self>) {
        self.kept.iter().for_each(|block| eu.rsync(block.done));
        eu.put(self.out, (self.members, value));
    }
}

struct Member;

#[threaded]
impl Member {
    fn start(of: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, of * of);
    }
}

#[derive(Clone, Wire)]
struct Reads;

impl MapsBlock<u64> for Reads {
    type Output = u64;
    fn map(&self, _: usize, block: &Published<u64>) -> u64 {
        block.row(0)[0]
    }
}

#[derive(Clone, Wire)]
struct Squares;

impl Maps for Squares {
    type Output = u64;
    fn map(&self, range: Range<usize>) -> u64 {
        range.fold(0, |all, i| all ^ (i * i) as u64)
    }
}

#[test]
fn every_pattern_that_combines_takes_a_closure() {
    on_every_of_one_process(|case| {
        let xor: Xor = Shared::new(|left, right| left ^ right);
        let mut machine = case.machine();
        let values = || SharedValues::default().with(&xor);
        let value = |run: Result<Run<u64>, earth::Error>| run.expect("it runs").value;
        let squares = |end: u64| (0..end).fold(0, |all, i| all ^ (i * i));

        let run =
            machine.run_with(values(), |out| MapReduce::call(0..90, Grain::of(7), Squares, xor.clone(), out));
        assert_eq!(value(run), squares(90));
        let all = parts(60).into_iter().fold(0, |all, part| all ^ part);
        let run = machine.run_with(values(), |out| Search::call(Parts(60), xor.clone(), out));
        assert_eq!(value(run), all);
        let run =
            machine.run_with(values(), |out| BestFirst::call(vec![Parts(60)], 1 << 40, xor.clone(), out));
        assert_eq!(value(run), all ^ (1 << 40));
        let run = machine.run_with(values(), |out| Reduces::call(xor.clone(), out));
        assert_eq!(run.expect("it runs").value, (squares(20), squares(20)));

        // A closure has a state, and gets the left value first.
        let mark = 1000;
        let joins = Shared::new(move |left: Vec<u64>, right: Vec<u64>| [left, vec![mark], right].concat());
        let scan = Shared::new(move |range: Range<usize>| range.map(|i| vec![i as u64]).collect::<Vec<_>>());
        let values = SharedValues::default().with(&joins).with(&scan);
        let run = machine.run_with(values, |out| Scan::call(0..3, Grain::of(1), scan, joins, out));
        let expected = [vec![0], vec![0, mark, 1], vec![0, mark, 1, mark, 2]];
        assert_eq!(run.expect("it runs").value, expected);
    });
}
