//! Write-once cells (I-structures): an early read waits at the cell, a late one is answered at once, on
//! whichever node either is.

mod common;

use common::{good, on_every, on_every_of};
use earth::{CellRef, CellRefs, NodeId, Reply, SlotRef, Then, threaded_old};

threaded_old! {
    /// Has a cell that `readers` functions on all nodes read; it is written before (`early` is false)
    /// or after all have asked.
    fn Host(readers: u64, early: bool, out: Reply<u64>)
    calls  { Reads }
    inlets { got[this.readers as usize]: u64 }
    cells  { c: u64 }
    slots  { asked: (this.readers) => write, all: (this.readers + 1) => done }
    fiber start(this, eu) {
        if !this.early {
            eu.write(eu.cell_ref(Self::c), 21);
        }
        for i in 0..this.readers as usize {
            let reply = eu.replies_to_one(Self::got, Self::all).at(i);
            let args = (eu.cell_ref(Self::c), reply, eu.slot_ref(Self::asked));
            eu.invoke_old::<Reads>(NodeId::new(i % eu.nodes()), (Box::new(args),));
        }
        Then::Wait
    }
    fiber write(this, eu) {
        if this.early {
            eu.write(eu.cell_ref(Self::c), 21);
        }
        eu.sync(Self::all);
        Then::Wait
    }
    fiber done(this, eu) {
        let sum = (0..this.readers as usize).map(|i| eu.take(Self::got.at(i))).sum();
        eu.put(this.out, sum);
        Then::End
    }
}

threaded_old! {
    /// Reads a cell for somebody else, and says that it has asked; node 0 owns both the cell and the slot,
    /// but they are two events.
    fn Reads(what: Box<(CellRef<u64>, Reply<u64>, SlotRef)>)
    inlets { value: u64 }
    slots  { value_in: 1 => came }
    fiber start(this, eu) {
        let (cell, _, asked) = *this.what;
        assert_eq!(cell.node(), NodeId::new(0));
        eu.get(cell, eu.reply_to(Self::value, Self::value_in));
        eu.rsync(asked);
        Then::Wait
    }
    fiber came(this, eu) {
        let value = eu.take(Self::value);
        eu.put(this.what.1, 2 * value);
        Then::End
    }
}

#[test]
fn readers_before_and_after_the_write_get_the_value() {
    on_every(|case| {
        let mut machine = case.machine();
        for readers in [1, 2, 40] {
            for early in [false, true] {
                let run = good::<Host>(&mut machine, (readers, early));
                assert_eq!(run.value, 42 * readers);
                // Both answers count as signals, the one to the reader and the one it passes on.
                assert_eq!(run.counters.signals, 3 * readers + 1 + 1);
                if !early {
                    assert_eq!(run.counters.deferred_reads, 0);
                } else if !case.is_stepped() || case.nodes == 1 {
                    // Nodes send in order there: whoever said that it asked has asked.
                    assert_eq!(run.counters.deferred_reads, readers);
                }
            }
        }
    });
}

threaded_old! {
    /// Prefix sums by cells alone: cell i + 1 is written by a function that read cell i; all
    /// start in an order of no use.
    fn Prefix(n: usize, out: Reply<Vec<u64>>)
    calls  { Step }
    inlets { sums[this.n + 1]: u64 }
    cells  { sum[this.n + 1]: u64 }
    slots  { all: (this.n + 1) => done }
    fiber start(this, eu) {
        let cells = eu.cell_refs(Self::sum);
        for i in (0..this.n).rev() {
            eu.invoke_old::<Step>(NodeId::new(i % eu.nodes()), (cells, i));
        }
        for i in 0..=this.n {
            eu.get(cells.at(i), eu.replies_to_one(Self::sums, Self::all).at(i));
        }
        eu.write(cells.at(0), 0);
        Then::Wait
    }
    fiber done(this, eu) {
        let sums = (0..=this.n).map(|i| eu.take(Self::sums.at(i))).collect();
        eu.put(this.out, sums);
        Then::End
    }
}

threaded_old! {
    fn Step(cells: CellRefs<u64>, i: usize)
    inlets { sum: u64 }
    slots  { came: 1 => add }
    fiber start(this, eu) {
        eu.get(this.cells.at(this.i), eu.reply_to(Self::sum, Self::came));
        Then::Wait
    }
    fiber add(this, eu) {
        let sum = eu.take(Self::sum);
        eu.write(this.cells.at(this.i + 1), sum + this.i as u64);
        Then::End
    }
}

#[test]
fn a_chain_of_cells_orders_functions_that_start_in_any_order() {
    on_every(|case| {
        for n in [1, 5, 300] {
            let expected: Vec<u64> = (0..=n).map(|i| (0..i).sum()).collect();
            assert_eq!(good::<Prefix>(&mut case.machine(), n as usize).value, expected);
        }
    });
}

threaded_old! {
    /// Cells of a type that owns memory: every reader gets a value of its own.
    fn Words(out: Reply<Vec<String>>)
    state  { read: Vec<String> = Vec::new() }
    calls  { Shouts }
    inlets { word: String }
    cells  { c: String, d: (u64, Vec<u8>) }
    slots  { came: 1, reset 1 => collect }
    fiber start(_this, eu) {
        let replies = eu.reply_to(Self::word, Self::came);
        eu.invoke_old::<Shouts>(NodeId::new(eu.nodes() - 1), (eu.cell_ref(Self::c),));
        (0..3).for_each(|_| eu.get(eu.cell_ref(Self::c), replies));
        eu.write(eu.cell_ref(Self::d), (1, vec![2; 300]));
        Then::Wait
    }
    fiber collect(this, eu) {
        let word = eu.take(Self::word);
        this.read.push(word);
        if this.read.len() < 3 {
            return Then::Wait;
        }
        eu.put(this.out, std::mem::take(&mut this.read));
        Then::End
    }
}

threaded_old! {
    fn Shouts(to: CellRef<String>)
    fiber start(this, eu) {
        eu.write(this.to, "split phase ".repeat(20));
        Then::End
    }
}

#[test]
fn readers_get_copies_of_values_that_own_memory() {
    on_every(|case| {
        let words = good::<Words>(&mut case.machine(), ()).value;
        assert_eq!(words, vec!["split phase ".repeat(20); 3]);
    });
}

threaded_old! {
    /// An answer goes to whom the question names, not to whom asked: cell on node 0, asked on
    /// node 1, answered on node 2.
    fn ThirdParty(out: Reply<u64>)
    calls  { Receives }
    cells  { c: u64 }
    slots  { over: 1 => end }
    fiber start(this, eu) {
        let args = (eu.cell_ref(Self::c), eu.slot_ref(Self::over), this.out);
        eu.invoke_old::<Receives>(NodeId::new(2), (Box::new(args),));
        eu.write(eu.cell_ref(Self::c), 33);
        Then::Wait
    }
    fiber end(_this, _eu) { Then::End }
}

threaded_old! {
    fn Receives(what: Box<(CellRef<u64>, SlotRef, Reply<u64>)>)
    calls  { AsksFor }
    inlets { x: u64 }
    slots  { value_in: 1 => came }
    fiber start(this, eu) {
        let reply = eu.reply_to(Self::x, Self::value_in);
        eu.invoke_old::<AsksFor>(NodeId::new(1), (this.what.0, reply));
        Then::Wait
    }
    fiber came(this, eu) {
        assert_eq!(eu.node(), NodeId::new(2));
        let x = eu.take(Self::x);
        let (_, over, out) = *this.what;
        eu.put(out, x);
        eu.rsync(over);
        Then::End
    }
}

threaded_old! {
    fn AsksFor(cell: CellRef<u64>, reply: Reply<u64>)
    fiber start(this, eu) {
        assert_eq!((eu.node(), this.reply.node()), (NodeId::new(1), NodeId::new(2)));
        eu.get(this.cell, this.reply);
        Then::End
    }
}

#[test]
fn the_answer_goes_where_the_question_says() {
    on_every_of(3, |case| assert_eq!(good::<ThirdParty>(&mut case.machine(), ()).value, 33));
}
