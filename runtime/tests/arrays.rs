//! Arrays of slots, inlets and cells, sized when the frame starts: fibers get the index, and addresses of
//! elements are computed elsewhere.

mod common;

use common::{good, on_every, on_every_of};
use earth::{CellRefs, NodeId, Replies, Reply, SlotRefs, Then, threaded_old};

threaded_old! {
    /// Has `n` elements of everything; a `Poker` on each node pokes every element whose
    /// number is its node's, modulo.
    fn Many(n: usize, out: Reply<Vec<u64>>)
    state  { seen: Vec<u64> = Vec::new() }
    calls  { Poker }
    inlets { first: u64, values[this.n]: u64, second: u64, others[2 * this.n]: u64, read[this.n + 1]: u64 }
    cells  { lone: u64, cells[this.n + 1]: u64 }
    slots  { single: 1 => one, each[this.n]: 2 => pair, twice[2 * this.n]: 1 => other, all: (4 * this.n + 2) => done }
    fiber start(this, eu) {
        this.seen = vec![0; 3 * this.n];
        let values = eu.replies_to(Self::values, Self::each);
        let others = eu.replies_to(Self::others, Self::twice);
        let (signals, cells) = (eu.slot_refs(Self::each), eu.cell_refs(Self::cells));
        assert_eq!((values.len(), others.len(), signals.len(), cells.len()), (this.n, 2 * this.n, this.n, this.n + 1));
        for node in 0..eu.nodes() {
            let addresses = (values, others, (signals, cells));
            eu.invoke_old::<Poker>(NodeId::new(node), (Box::new(addresses),));
        }
        eu.put(eu.reply_to(Self::first, Self::single), 77);
        eu.write(cells.at(this.n), 5);
        eu.write(eu.cell_ref(Self::lone), 6);
        for i in 0..=this.n {
            eu.get(cells.at(i), eu.replies_to_one(Self::read, Self::all).at(i));
        }
        Then::Wait
    }
    fiber one(_this, eu) {
        assert_eq!(eu.take(Self::first), 77);
        eu.sync(Self::all);
        Then::Wait
    }
    fiber pair(this, eu, i) {
        this.seen[i] = eu.take(Self::values.at(i));
        eu.sync(Self::all);
        Then::Wait
    }
    fiber other(this, eu, i) {
        this.seen[this.n + i] = eu.take(Self::others.at(i));
        eu.sync(Self::all);
        Then::Wait
    }
    fiber done(this, eu) {
        for i in 0..=this.n {
            let expected = if i == this.n { 5 } else { 500 + i as u64 };
            assert_eq!(eu.take(Self::read.at(i)), expected);
        }
        eu.put(this.out, std::mem::take(&mut this.seen));
        Then::End
    }
}

/// The addresses of the arrays of a `Many`.
type Addresses = (Replies<u64>, Replies<u64>, (SlotRefs, CellRefs<u64>));

threaded_old! {
    fn Poker(addresses: Box<Addresses>)
    fiber start(this, eu) {
        let (values, others, (signals, cells)) = *this.addresses;
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
        Then::End
    }
}

#[test]
fn elements_are_addressed_from_everywhere_and_fibers_get_their_index() {
    on_every(|case| {
        let mut machine = case.machine();
        for n in [0, 1, 2, 17] {
            let expected: Vec<u64> = (0..n).map(|i| 100 + i).chain((0..2 * n).map(|i| 1_000 + i)).collect();
            let run = good::<Many>(&mut machine, n as usize);
            assert_eq!(run.value, expected);
            let fibers = 1 + case.nodes as u64 + 1 + 3 * n + 1;
            assert_eq!(
                (run.counters.fibers, run.counters.signals),
                (fibers, 1 + 2 * n + 2 * n + (4 * n + 2) + 1)
            );
        }
    });
}

threaded_old! {
    /// Every element of an array of inlets signals one slot.
    fn Gather(n: usize, out: Reply<Vec<u64>>)
    calls  { Give }
    inlets { parts[this.n]: (u64, u64) }
    slots  { all: (this.n) => done }
    fiber start(this, eu) {
        let parts = eu.replies_to_one(Self::parts, Self::all);
        for i in 0..this.n {
            eu.invoke_old::<Give>(NodeId::new(i % eu.nodes()), (i, parts));
        }
        Then::Wait
    }
    fiber done(this, eu, index) {
        assert_eq!(index, 0, "a slot that is no array");
        // In an order that is not that of the inlets.
        let mut parts = vec![0; this.n];
        for i in (0..this.n).step_by(2).chain((1..this.n).step_by(2)) {
            let (number, square) = eu.take(Self::parts.at(i));
            assert_eq!(number, i as u64);
            parts[i] = square;
        }
        eu.put(this.out, parts);
        Then::End
    }
}

threaded_old! {
    fn Give(i: usize, to: Replies<(u64, u64)>)
    fiber start(this, eu) {
        let i = this.i as u64;
        eu.put(this.to.at(this.i), (i, i * i));
        Then::End
    }
}

#[test]
fn many_inlets_signal_one_slot_and_are_taken_in_any_order() {
    on_every(|case| {
        for n in [1, 2, 9, 200] {
            let run = good::<Gather>(&mut case.machine(), n);
            assert_eq!(run.value, (0..n as u64).map(|i| i * i).collect::<Vec<_>>());
        }
    });
}

threaded_old! {
    /// Sizes of two frames of one function differ; both live at the same time and forward to each other,
    /// from the largest to none.
    fn Chain(n: usize, out: Reply<u64>)
    inlets { parts[this.n]: u64 }
    slots  { all: (this.n as u64 + 1), reset (this.n + 1) => done }
    fiber start(this, eu) {
        for i in 0..this.n {
            eu.put(eu.replies_to_one(Self::parts, Self::all).at(i), i as u64);
        }
        eu.sync(Self::all);
        Then::Wait
    }
    fiber done(this, eu) {
        let sum: u64 = (0..this.n).map(|i| eu.take(Self::parts.at(i))).sum();
        if sum > 1_000_000 || this.n == 0 {
            eu.put(this.out, this.n as u64);
            return Then::End;
        }
        let next = NodeId::new((eu.node().index() + 1) % eu.nodes());
        eu.invoke_old::<Chain>(next, (this.n - 1, this.out));
        Then::End
    }
}

#[test]
fn frames_of_one_number_have_the_sizes_of_their_arguments() {
    on_every_of(1, |case| {
        let run = good::<Chain>(&mut case.machine(), 30);
        assert_eq!((run.value, run.counters.fibers), (0, 62));
        assert_eq!(run.counters.signals, (0..=30).map(|n| n + 1).sum::<u64>() + 1);
    });
}
