//! Arrays of slots, inlets and cells, sized when the frame starts. Fibers get the index, and other functions
//! compute the addresses of elements.

use crate::common::{gives, on_every, on_every_of};
use earth::{Arrived, CellRefs, Eu, NodeId, Replies, Reply, SlotRefs, threaded};

/// Has `n` elements of each kind. A `Poker` on each node pokes every element whose number is its node's,
/// modulo the number of nodes.
struct Many {
    n: usize,
    seen: Vec<u64>,
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Many {
    fn start(n: usize, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        let values = eu.replies(Self::pair(..).value);
        let others = eu.replies(Self::other(..).value);
        let (signals, cells) = (eu.slot_refs(Self::pair(..)), eu.cell_refs(Self::cells(..)));
        assert_eq!((values.len(), others.len(), signals.len(), cells.len()), (n, 2 * n, n, n + 1));
        for node in 0..eu.nodes() {
            eu.invoke(NodeId::new(node), Poker::call(values, others, signals, cells));
        }
        eu.put(eu.reply(Self::one().value), 77);
        eu.write(cells.at(n), 5);
        eu.write(eu.cell_ref(Self::lone()), 6);
        for i in 0..=n {
            eu.get(cells.at(i), eu.reply(Self::done().read.at(i)));
        }
        Many { n, seen: vec![0; 3 * n], out }
    }

    #[cell]
    fn lone() -> u64;

    #[cells(len = n + 1)]
    fn cells(i: usize) -> u64;

    #[slots(len = n, sync)]
    fn pair(&mut self, i: usize, value: u64, eu: &mut Eu<Self>) {
        self.seen[i] = value;
        eu.sync(Self::done());
    }

    /// Its slot and its inlet are between arrays.
    #[slot]
    fn one(&mut self, value: u64, eu: &mut Eu<Self>) {
        assert_eq!(value, 77);
        eu.sync(Self::done());
    }

    #[slots(len = 2 * n)]
    fn other(&mut self, i: usize, value: u64, eu: &mut Eu<Self>) {
        self.seen[self.n + i] = value;
        eu.sync(Self::done());
    }

    #[slot(syncs = 3 * n + 1)]
    fn done(self, #[inlets(n + 1)] read: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        assert!(read.eq((0..self.n as u64).map(|i| 500 + i).chain([5])));
        eu.put(self.out, self.seen);
    }
}

struct Poker;

#[threaded]
impl Poker {
    fn start(
        values: Replies<u64>,
        others: Replies<u64>,
        signals: SlotRefs,
        cells: CellRefs<u64>,
        eu: &mut Eu<Self>,
    ) {
        let n = values.len();
        assert_eq!((others.len(), signals.len(), cells.len()), (2 * n, n, n + 1));
        let mine = |count| (eu.node().index()..count).step_by(eu.nodes());
        let (singles, doubles) = (mine(values.len()), mine(others.len()));
        for i in singles {
            eu.rsync(signals.at(i));
            eu.put(values.at(i), 100 + i as u64);
            eu.write(cells.at(i), 500 + i as u64);
        }
        for i in doubles {
            eu.put(others.at(i), 1_000 + i as u64);
        }
    }
}

#[test]
fn elements_are_addressed_from_everywhere_and_fibers_get_their_index() {
    on_every(|case| {
        let mut machine = case.machine();
        for n in [0, 1, 2, 17] {
            let expected: Vec<u64> = (0..n).map(|i| 100 + i).chain((0..2 * n).map(|i| 1_000 + i)).collect();
            let run = gives(&mut machine, |out| Many::call(n as usize, out));
            assert_eq!(run.value, expected);
            let fibers = 1 + case.nodes as u64 + 1 + 3 * n + 1;
            assert_eq!(
                (run.counters.fibers, run.counters.signals),
                (fibers, 1 + 2 * n + 2 * n + (4 * n + 2) + 1)
            );
        }
    });
}

/// Every element of an array of inlets signals one slot.
struct Gather {
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Gather {
    fn start(n: usize, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        let parts = eu.replies(Self::done().parts);
        for i in 0..n {
            eu.invoke(NodeId::new(i % eu.nodes()), Give::call(i, parts));
        }
        Gather { out }
    }

    #[slot]
    fn done(self, #[inlets(n)] parts: Arrived<'_, (u64, u64)>, eu: &mut Eu<Self>) {
        let in_order = (0..).zip(parts).map(|(i, (number, square))| {
            assert_eq!(number, i);
            square
        });
        eu.put(self.out, in_order.collect());
    }
}

struct Give;

#[threaded]
impl Give {
    fn start(i: usize, to: Replies<(u64, u64)>, eu: &mut Eu<Self>) {
        let number = i as u64;
        eu.put(to.at(i), (number, number * number));
    }
}

#[test]
fn many_inlets_signal_one_slot_and_arrive_in_their_order() {
    on_every(|case| {
        for n in [1, 2, 9, 200] {
            let run = gives(&mut case.machine(), |out| Gather::call(n, out));
            assert_eq!(run.value, (0..n as u64).map(|i| i * i).collect::<Vec<_>>());
        }
    });
}

/// Two frames of one function have different sizes. Both exist at the same time and forward to each other,
/// from the largest size down to 0.
struct Chain {
    n: usize,
    out: Reply<u64>,
}

#[threaded]
impl Chain {
    fn start(n: usize, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for i in 0..n {
            eu.put(eu.reply(Self::done().parts.at(i)), i as u64);
        }
        eu.sync(Self::done());
        Chain { n, out }
    }

    #[slot(sync, again)]
    fn done(self, #[inlets(n)] parts: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        if parts.sum::<u64>() > 1_000_000 || self.n == 0 {
            eu.put(self.out, self.n as u64);
            return;
        }
        let next = NodeId::new((eu.node().index() + 1) % eu.nodes());
        eu.invoke(next, Chain::call(self.n - 1, self.out));
    }
}

#[test]
fn frames_of_one_number_have_the_sizes_of_their_arguments() {
    on_every_of(1, |case| {
        let run = gives(&mut case.machine(), |out| Chain::call(30, out));
        assert_eq!((run.value, run.counters.fibers), (0, 62));
        assert_eq!(run.counters.signals, (0..=30).map(|n| n + 1).sum::<u64>() + 1);
    });
}
