//! Programs that are not transforms: tokens, a wavefront, and an all-to-all sort.

use earth::collective::{ExchangeInlets, Group, Peers, all_to_all, everywhere};
use earth::{Arrived, Eu, NodeId, Replies, Reply, Then, threaded};
pub(crate) use earth_programs::fib::Fib;

/// A table in which each entry is three times its left neighbor plus its upper neighbor.
pub(crate) struct Front;

#[threaded]
impl Front {
    /// Computes the last entry of the table.
    pub(crate) fn start(rows: usize, cols: usize, out: Reply<u64>, eu: &mut Eu<Self>) {
        let last = rows - 1;
        eu.invoke(NodeId::new(last % eu.nodes()), Line::call(last, cols, None, out));
    }
}

/// A row of the table. Its entries go to the row `below`; the last entry of the last row is the result.
struct Line {
    cols: usize,
    below: Option<Replies<u64>>,
    out: Reply<u64>,
    left: u64,
}

#[threaded]
impl Line {
    fn start(i: usize, cols: usize, below: Option<Replies<u64>>, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let above = eu.replies(Self::compute(..).above);
        if i == 0 {
            (0..cols).for_each(|j| eu.put(above.at(j), 1));
        } else {
            let node = NodeId::new((i - 1) % eu.nodes());
            eu.invoke(node, Line::call(i - 1, cols, Some(above), out));
        }
        eu.sync(Self::compute(0));
        Line { cols, below, out, left: 1 }
    }

    #[slots(len = cols, sync)]
    fn compute(&mut self, j: usize, above: u64, eu: &mut Eu<Self>) -> Then {
        self.left = entry(self.left, above);
        let last = j + 1 == self.cols;
        if let Some(below) = &self.below {
            eu.put(below.at(j), self.left);
        } else if last {
            eu.put(self.out, self.left);
        }
        if last {
            return Then::End;
        }
        eu.sync(Self::compute(j + 1));
        Then::Wait
    }
}

fn entry(left: u64, above: u64) -> u64 {
    left.wrapping_mul(3).wrapping_add(above)
}

/// Computes the last entry of the same table by two loops.
pub(crate) fn front(rows: usize, cols: usize) -> u64 {
    let mut line = vec![1; cols];
    for _ in 0..rows {
        line.iter_mut().fold(1, |left, above| {
            *above = entry(left, *above);
            *above
        });
    }
    line[cols - 1]
}

/// Returns number `i` of the numbers to sort.
fn number(i: usize) -> u64 {
    (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40
}

/// A bound above all numbers.
const END: u64 = 1 << 24;

/// Returns `count` numbers in order, by a sequential sort.
pub(crate) fn sorted(count: usize) -> Vec<u64> {
    let mut numbers: Vec<_> = (0..count).map(number).collect();
    numbers.sort_unstable();
    numbers
}

/// A sort by sorters on all nodes.
pub(crate) struct Sort {
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Sort {
    /// Sorts `count` numbers by sorters on all `nodes` nodes.
    pub(crate) fn start(count: usize, nodes: usize, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        let (parts, meets) = (eu.replies(Self::done().part), eu.reply(Self::connect().meets));
        let (all, given) = (Group::all(eu), (0..nodes).map(|member| (count, parts.at(member))));
        everywhere::<Sorter>(eu, all, given, meets);
        Sort { out }
    }

    #[slot]
    fn connect(&mut self, meets: Vec<ExchangeInlets<Vec<u64>>>, eu: &mut Eu<Self>) {
        all_to_all(eu, 1, meets);
    }

    #[slot]
    fn done(self, #[inlets(nodes)] part: Arrived<'_, Vec<u64>>, eu: &mut Eu<Self>) {
        eu.put(self.out, part.flatten().collect());
    }
}

/// Sends each sorter the numbers of its range, and sorts the numbers that it receives.
struct Sorter {
    count: usize,
    part: Reply<Vec<u64>>,
}

#[threaded]
impl Sorter {
    fn start(
        count: usize,
        part: Reply<Vec<u64>>,
        meet: Reply<ExchangeInlets<Vec<u64>>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        eu.put(
            meet,
            ExchangeInlets { peers: eu.reply(Self::cut().peers), values: eu.reply(Self::gather().pieces) },
        );
        Sorter { count, part }
    }

    #[slot]
    fn cut(&mut self, mut peers: Peers<Vec<u64>>, eu: &mut Eu<Self>) {
        let members = peers.members();
        let mut pieces = vec![Vec::new(); members];
        for number in (eu.node().index()..self.count).step_by(members).map(number) {
            pieces[(number * members as u64 / END) as usize].push(number);
        }
        peers.send(eu, pieces);
    }

    #[slot]
    fn gather(self, pieces: Vec<Vec<u64>>, eu: &mut Eu<Self>) {
        let mut numbers = pieces.concat();
        numbers.sort_unstable();
        eu.put(self.part, numbers);
    }
}
