//! Write-once cells (I-structures): an early read waits at the cell, and a late read is answered at once.
//! Both work on every node.

use crate::common::{gives, on_every, on_every_of};
use earth::{Arrived, CellRef, CellRefs, Eu, NodeId, Reply, SlotRef, Then, threaded};

/// Has a cell that `readers` functions on all nodes read. The cell is written before the reads or, if
/// `early`, after all requests.
struct Host {
    early: bool,
    out: Reply<u64>,
}

#[threaded]
impl Host {
    fn start(readers: usize, early: bool, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let (cell, got) = (eu.cell_ref(Self::c()), eu.replies(Self::done().got));
        if !early {
            eu.write(cell, 21);
        }
        for i in 0..readers {
            let reads = Reads::call(cell, got.at(i), eu.slot_ref(Self::write()));
            eu.invoke(NodeId::new(i % eu.nodes()), reads);
        }
        Host { early, out }
    }

    #[cell]
    fn c() -> u64;

    #[slot(syncs = readers)]
    fn write(&mut self, eu: &mut Eu<Self>) {
        if self.early {
            eu.write(eu.cell_ref(Self::c()), 21);
        }
        eu.sync(Self::done());
    }

    #[slot(sync)]
    fn done(self, #[inlets(readers)] got: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, got.sum());
    }
}

/// Reads a cell on behalf of another function, and signals that it has sent the request. Node 0 owns both the
/// cell and the slot, but the request and the signal are two events.
struct Reads {
    to: Reply<u64>,
}

#[threaded]
impl Reads {
    fn start(cell: CellRef<u64>, to: Reply<u64>, asked: SlotRef, eu: &mut Eu<Self>) -> Self {
        assert_eq!(cell.node(), NodeId::new(0));
        eu.get(cell, eu.reply(Self::came().value));
        eu.rsync(asked);
        Reads { to }
    }

    #[slot]
    fn came(self, value: u64, eu: &mut Eu<Self>) {
        eu.put(self.to, 2 * value);
    }
}

#[test]
fn readers_before_and_after_the_write_get_the_value() {
    on_every(|case| {
        let mut machine = case.machine();
        for readers in [1, 2, 40] {
            for early in [false, true] {
                let run = gives(&mut machine, |out| Host::call(readers as usize, early, out));
                assert_eq!(run.value, 42 * readers);
                // Both answers count as signals: the answer to the reader and the one that it passes on.
                assert_eq!(run.counters.signals, 3 * readers + 1 + 1);
                if !early {
                    assert_eq!(run.counters.deferred_reads, 0);
                } else if !case.is_stepped() || case.nodes == 1 {
                    // Nodes send in order on these machines, so a signaled request has arrived.
                    assert_eq!(run.counters.deferred_reads, readers);
                }
            }
        }
    });
}

/// Computes prefix sums by cells alone. A function that has read cell i writes cell i + 1, and the functions
/// start in an unfavorable order.
struct Prefix {
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Prefix {
    fn start(n: usize, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        let (cells, sums) = (eu.cell_refs(Self::sum(..)), eu.replies(Self::done().sums));
        for i in (0..n).rev() {
            eu.invoke(NodeId::new(i % eu.nodes()), Step::call(cells, i));
        }
        for i in 0..=n {
            eu.get(cells.at(i), sums.at(i));
        }
        eu.write(cells.at(0), 0);
        Prefix { out }
    }

    #[cells(len = n + 1)]
    fn sum(i: usize) -> u64;

    #[slot]
    fn done(self, #[inlets(n + 1)] sums: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, sums.collect());
    }
}

struct Step {
    cells: CellRefs<u64>,
    i: usize,
}

#[threaded]
impl Step {
    fn start(cells: CellRefs<u64>, i: usize, eu: &mut Eu<Self>) -> Self {
        eu.get(cells.at(i), eu.reply(Self::add().sum));
        Step { cells, i }
    }

    #[slot]
    fn add(self, sum: u64, eu: &mut Eu<Self>) {
        eu.write(self.cells.at(self.i + 1), sum + self.i as u64);
    }
}

#[test]
fn a_chain_of_cells_orders_functions_that_start_in_any_order() {
    on_every(|case| {
        for n in [1, 5, 300] {
            let expected: Vec<u64> = (0..=n).map(|i| (0..i).sum()).collect();
            assert_eq!(gives(&mut case.machine(), |out| Prefix::call(n as usize, out)).value, expected);
        }
    });
}

/// Cells of a type that owns memory: every reader gets its own copy.
struct Words {
    read: Vec<String>,
    out: Reply<Vec<String>>,
}

#[threaded]
impl Words {
    fn start(out: Reply<Vec<String>>, eu: &mut Eu<Self>) -> Self {
        let (cell, word) = (eu.cell_ref(Self::c()), eu.reply(Self::collect().word));
        eu.invoke(NodeId::new(eu.nodes() - 1), Shouts::call(cell));
        (0..3).for_each(|_| eu.get(cell, word));
        eu.write(eu.cell_ref(Self::d()), (1, vec![2; 300]));
        Words { read: Vec::new(), out }
    }

    #[cell]
    fn c() -> String;

    #[cell]
    fn d() -> (u64, Vec<u8>);

    #[slot(again)]
    fn collect(&mut self, word: String, eu: &mut Eu<Self>) -> Then {
        self.read.push(word);
        if self.read.len() < 3 {
            return Then::Wait;
        }
        eu.put(self.out, std::mem::take(&mut self.read));
        Then::End
    }
}

struct Shouts;

#[threaded]
impl Shouts {
    fn start(to: CellRef<String>, eu: &mut Eu<Self>) {
        eu.write(to, "split phase ".repeat(20));
    }
}

#[test]
fn readers_get_copies_of_values_that_own_memory() {
    on_every(|case| {
        let words = gives(&mut case.machine(), Words::call).value;
        assert_eq!(words, vec!["split phase ".repeat(20); 3]);
    });
}

/// The answer goes to the address in the request, not to its sender: the cell is on node 0, the request comes
/// from node 1, and the answer goes to node 2.
struct ThirdParty;

#[threaded]
impl ThirdParty {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let (cell, over) = (eu.cell_ref(Self::c()), eu.slot_ref(Self::end()));
        eu.invoke(NodeId::new(2), Receives::call(cell, over, out));
        eu.write(cell, 33);
        ThirdParty
    }

    #[cell]
    fn c() -> u64;

    #[slot(sync)]
    fn end(self) {}
}

struct Receives {
    over: SlotRef,
    out: Reply<u64>,
}

#[threaded]
impl Receives {
    fn start(cell: CellRef<u64>, over: SlotRef, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(1), AsksFor::call(cell, eu.reply(Self::came().x)));
        Receives { over, out }
    }

    #[slot]
    fn came(self, x: u64, eu: &mut Eu<Self>) {
        assert_eq!(eu.node(), NodeId::new(2));
        eu.put(self.out, x);
        eu.rsync(self.over);
    }
}

struct AsksFor;

#[threaded]
impl AsksFor {
    fn start(cell: CellRef<u64>, reply: Reply<u64>, eu: &mut Eu<Self>) {
        assert_eq!((eu.node(), reply.node()), (NodeId::new(1), NodeId::new(2)));
        eu.get(cell, reply);
    }
}

#[test]
fn the_answer_goes_to_the_requested_output() {
    on_every_of(3, |case| assert_eq!(gives(&mut case.machine(), ThirdParty::call).value, 33));
}
