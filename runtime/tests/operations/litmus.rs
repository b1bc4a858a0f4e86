//! One small program for each guarantee of `docs/guide/src/semantics.md` on slots, values, cells, blocks and
//! addresses. The page shows these programs, and the tests check the guarantees on every machine.
//! `litmus_runs` has the guarantees on functions, time, order and ends.

use crate::common::{fails, gives, on_every};
use earth::{Arrived, Block, CellRef, Error, Eu, NodeId, Published, Reply, SlotRef, Then, threaded};

// ANCHOR: sync
/// `start` signals its slot three times while it is still running. Then `go` runs, once.
struct Syncs {
    ended: bool,
    out: Reply<bool>,
}

#[threaded]
impl Syncs {
    fn start(out: Reply<bool>, eu: &mut Eu<Self>) -> Self {
        (0..3).for_each(|_| eu.sync(Self::go()));
        Syncs { ended: true, out }
    }

    #[slot(syncs = 3)]
    fn go(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.ended);
    }
}
// ANCHOR_END: sync

#[test]
fn sync() {
    on_every(|case| {
        let run = gives(&mut case.machine(), Syncs::call);
        assert_eq!((run.value, run.counters.fibers), (true, 2));
    });
}

// ANCHOR: rsync
/// A function on each node signals one slot. The slot's fiber runs only after all signals have arrived.
struct Gathers {
    out: Reply<usize>,
}

#[threaded]
impl Gathers {
    fn start(nodes: usize, out: Reply<usize>, eu: &mut Eu<Self>) -> Self {
        let all = eu.slot_ref(Self::all());
        (0..nodes).for_each(|node| eu.invoke(NodeId::new(node), Signals::call(all)));
        Gathers { out }
    }

    #[slot(syncs = 2 * nodes)]
    fn all(self, eu: &mut Eu<Self>) {
        eu.put(self.out, eu.nodes());
    }
}

struct Signals;

#[threaded]
impl Signals {
    fn start(to: SlotRef, eu: &mut Eu<Self>) {
        eu.rsync(to);
        eu.rsync(to);
    }
}
// ANCHOR_END: rsync

#[test]
fn rsync() {
    on_every(|case| {
        let run = gives(&mut case.machine(), |out| Gathers::call(case.nodes, out));
        assert_eq!((run.value, run.counters.signals), (case.nodes, 2 * case.nodes as u64 + 1));
    });
}

// ANCHOR: incr
/// Each raise takes effect before any later effect of the fiber can signal the slot.
struct Raises {
    out: Reply<u64>,
}

#[threaded]
impl Raises {
    fn start(tokens: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for _ in 0..tokens {
            eu.incr(Self::all(), 2);
            eu.token(Signals::call(eu.slot_ref(Self::all())));
        }
        eu.sync(Self::all());
        Raises { out }
    }

    #[slot(sync)]
    fn all(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 1);
    }
}
// ANCHOR_END: incr

#[test]
fn incr() {
    on_every(|case| {
        let run = gives(&mut case.machine(), |out| Raises::call(20, out));
        assert_eq!((run.counters.fibers, run.counters.signals), (22, 42));
    });
}

// ANCHOR: spawn
/// A spawned fiber runs once per spawn, with its index. The order is unspecified.
struct Spawns {
    seen: u64,
    left: u64,
    out: Reply<u64>,
}

#[threaded]
impl Spawns {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        (0..10).for_each(|i| eu.spawn(Self::see(i)));
        Spawns { seen: 0, left: 10, out }
    }

    #[spawned]
    fn see(&mut self, index: usize, eu: &mut Eu<Self>) -> Then {
        self.seen |= 1 << index;
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.seen);
        Then::End
    }
}
// ANCHOR_END: spawn

#[test]
fn spawn() {
    on_every(|case| assert_eq!(gives(&mut case.machine(), Spawns::call).value, 0x3ff));
}

// ANCHOR: put
/// Two producers run ten rounds ahead. Each round of `pair` gets the values of one round, in each producer's
/// order. Early values are parked.
struct Pairs {
    seen: Vec<(u64, u64)>,
    out: Reply<Vec<(u64, u64)>>,
}

#[threaded]
impl Pairs {
    fn start(out: Reply<Vec<(u64, u64)>>, eu: &mut Eu<Self>) -> Self {
        let pair = Self::pair();
        eu.token(Counts::call(100, eu.reply(pair.left)));
        eu.token(Counts::call(200, eu.reply(pair.right)));
        Pairs { seen: Vec::new(), out }
    }

    #[slot(again)]
    fn pair(&mut self, left: u64, right: u64, eu: &mut Eu<Self>) -> Then {
        self.seen.push((left, right));
        if self.seen.len() < 10 {
            return Then::Wait;
        }
        eu.put(self.out, std::mem::take(&mut self.seen));
        Then::End
    }
}

struct Counts;

#[threaded]
impl Counts {
    fn start(from: u64, to: Reply<u64>, eu: &mut Eu<Self>) {
        (from..from + 10).for_each(|number| eu.put(to, number));
    }
}
// ANCHOR_END: put

#[test]
fn put() {
    on_every(|case| {
        let expected: Vec<_> = (0..10).map(|i| (100 + i, 200 + i)).collect();
        assert_eq!(gives(&mut case.machine(), Pairs::call).value, expected);
    });
}

// ANCHOR: get
/// Readers on all nodes read a cell, some before it is written. Each reader gets the value.
struct Asks {
    out: Reply<Vec<String>>,
}

#[threaded]
impl Asks {
    fn start(readers: usize, out: Reply<Vec<String>>, eu: &mut Eu<Self>) -> Self {
        let (word, answers) = (eu.cell_ref(Self::word()), eu.replies(Self::all().answers));
        (0..readers).for_each(|i| eu.get(word, answers.at(i)));
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke(last, Writes::call(word));
        Asks { out }
    }

    #[cell]
    fn word() -> String;

    #[slot]
    fn all(self, #[inlets(readers)] answers: Arrived<'_, String>, eu: &mut Eu<Self>) {
        eu.put(self.out, answers.collect());
    }
}

struct Writes;

#[threaded]
impl Writes {
    fn start(to: CellRef<String>, eu: &mut Eu<Self>) {
        eu.write(to, "written".to_owned());
    }
}
// ANCHOR_END: get

#[test]
fn get() {
    on_every(|case| {
        let run = gives(&mut case.machine(), |out| Asks::call(5, out));
        assert_eq!((run.value, run.counters.deferred_reads), (vec!["written".to_owned(); 5], 5));
    });
}

// ANCHOR: write
/// A second write to a cell, by any function, ends the run with an error.
struct Twice;

#[threaded]
impl Twice {
    fn start(_out: Reply<()>, eu: &mut Eu<Self>) -> Self {
        let word = eu.cell_ref(Self::word());
        eu.get(word, eu.reply(Self::waits().word));
        (0..2).for_each(|_| eu.token(Writes::call(word)));
        Twice
    }

    #[cell]
    fn word() -> String;

    /// Waits for a signal that never comes.
    #[slot(sync)]
    fn waits(self, word: String) {
        assert!(word.is_empty());
    }
}
// ANCHOR_END: write

#[test]
fn write() {
    on_every(|case| {
        let error = fails(&mut case.machine(), Twice::call);
        assert!(matches!(&error, Error::WrittenTwice { cell } if cell.name == "word"), "{error}");
    });
}

// ANCHOR: put_block
/// A block goes around all nodes and comes back with the elements that each node has written. It is moved, so
/// only one node has it at a time.
struct Circles;

#[threaded]
impl Circles {
    fn start(mut block: Block<u64>, out: Reply<Block<u64>>, eu: &mut Eu<Self>) {
        let node = eu.node().index();
        block.row_mut(0)[node] = node as u64 + 1;
        if node + 1 < eu.nodes() {
            eu.invoke(NodeId::new(node + 1), Circles::call(block, out));
        } else {
            eu.put_block(out, block);
        }
    }
}
// ANCHOR_END: put_block

#[test]
fn put_block() {
    on_every(|case| {
        let block = Block::zeroed(1, case.nodes);
        let run = gives(&mut case.machine(), |out| Circles::call(block, out));
        assert!(run.value.into_vec().into_iter().eq(1..=case.nodes as u64));
        assert_eq!(run.counters.block_moves, 1);
    });
}

// ANCHOR: get_block
/// All nodes read a published block at the same time.
struct Publishes {
    out: Reply<u64>,
}

#[threaded]
impl Publishes {
    fn start(nodes: usize, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let (table, sums) = (eu.cell_ref(Self::table()), eu.replies(Self::all().sums));
        (0..nodes).for_each(|node| eu.invoke(NodeId::new(node), Reads::call(table, sums.at(node))));
        eu.write(table, Block::from_fn(1, 100, |_, j| j as u64).publish());
        Publishes { out }
    }

    #[cell]
    fn table() -> Published<u64>;

    #[slot]
    fn all(self, #[inlets(nodes)] sums: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, sums.sum());
    }
}

struct Reads {
    sum: Reply<u64>,
}

#[threaded]
impl Reads {
    fn start(table: CellRef<Published<u64>>, sum: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.get_block(table, eu.reply(Self::add().table));
        Reads { sum }
    }

    #[slot]
    fn add(self, table: Published<u64>, eu: &mut Eu<Self>) {
        eu.put(self.sum, table.row(0).iter().sum());
    }
}
// ANCHOR_END: get_block

#[test]
fn get_block() {
    on_every(|case| {
        let run = gives(&mut case.machine(), |out| Publishes::call(case.nodes, out));
        assert_eq!((run.value, run.counters.block_moves), (4950 * case.nodes as u64, case.nodes as u64));
    });
}

// ANCHOR: address
/// An address is a value. It is passed from node to node before it is used, and means the same on each.
struct Far {
    out: Reply<usize>,
}

#[threaded]
impl Far {
    fn start(out: Reply<usize>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(0), Passes::call(eu.reply(Self::arrived().from)));
        Far { out }
    }

    #[slot]
    fn arrived(self, from: NodeId, eu: &mut Eu<Self>) {
        eu.put(self.out, from.index());
    }
}

struct Passes;

#[threaded]
impl Passes {
    fn start(to: Reply<NodeId>, eu: &mut Eu<Self>) {
        let next = NodeId::new(eu.node().index() + 1);
        if next.index() < eu.nodes() {
            eu.invoke(next, Passes::call(to));
        } else {
            eu.put(to, eu.node());
        }
    }
}
// ANCHOR_END: address

#[test]
fn address() {
    on_every(|case| {
        let run = gives(&mut case.machine(), Far::call);
        assert_eq!((run.value, run.counters.invokes as usize), (case.nodes - 1, case.nodes));
    });
}
