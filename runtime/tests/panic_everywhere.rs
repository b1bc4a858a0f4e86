//! A panic in every fiber of a program in turn: always the named error, never a hang, and the
//! machine works afterwards.
//!
//! The program invokes, makes tokens, reads cells, moves blocks and has arrays. A fuse counts the fibers that
//! start, and those that have done all but return; the one that finds it burnt down panics. A hang would be
//! the harness waiting for ever.

mod common;

use std::panic;
use std::sync::{Mutex, Once};

use common::{bad, good, on_every};
use earth::{Block, CellRef, Error, Eu, FiberName, NodeId, Published, Replies, Reply, Then, threaded_old};

/// What is left of the fuse, and where it blew.
static FUSE: Mutex<(u64, Option<FiberName>)> = Mutex::new((u64::MAX, None));

const BLOWN: &str = "the fuse blew";

/// Called where a fiber may panic.
fn fuse(eu: &Eu, function: &str, fiber: &str) {
    let mut fuse = FUSE.lock().unwrap();
    if fuse.0 == 0 && fuse.1.is_none() {
        fuse.1 = Some(FiberName {
            function: function.to_owned(),
            fiber: fiber.to_owned(),
            node: eu.node().index(),
        });
        drop(fuse);
        panic!("{BLOWN}");
    }
    fuse.0 = fuse.0.saturating_sub(1);
}

threaded_old! {
    /// Sums a matrix by rows on all nodes: a block of rows each, and the factor for them from a cell.
    fn Sum(rows: usize, out: Reply<u64>)
    state  { left: usize = 0, total: u64 = 0 }
    calls  { Rows }
    inlets { sums[this.rows]: u64, backs[this.rows]: Block<u64> }
    cells  { factor: u64, table: Published<u64> }
    slots  { row[this.rows]: 2 => add, all: (this.rows) => done }
    fiber start(this, eu) {
        fuse(eu, "Sum", "start");
        this.left = this.rows;
        let matrix = Block::from_fn(this.rows, 4, |i, j| (4 * i + j) as u64);
        for (i, row) in matrix.split_rows_into(1).enumerate() {
            let sums = eu.replies_to(Self::sums, Self::row);
            let back = eu.replies_to(Self::backs, Self::row).at(i);
            let cells = (eu.cell_ref(Self::factor), eu.cell_ref(Self::table));
            let node = NodeId::new(i % eu.nodes());
            eu.invoke_old::<Rows>(node, (Box::new((row, sums.at(i), back, cells)),));
        }
        eu.spawn(Self::write);
        fuse(eu, "Sum", "start");
        Then::Wait
    }
    fiber write(_this, eu) {
        fuse(eu, "Sum", "write");
        eu.write(eu.cell_ref(Self::factor), 3);
        eu.write(eu.cell_ref(Self::table), Block::from_fn(1, 4, |_, j| j as u64).publish());
        fuse(eu, "Sum", "write");
        Then::Wait
    }
    fiber add(this, eu, i) {
        fuse(eu, "Sum", "add");
        let back = eu.take(Self::backs.at(i));
        this.total += eu.take(Self::sums.at(i)) + back.row(0)[0];
        this.left -= 1;
        eu.sync(Self::all);
        fuse(eu, "Sum", "add");
        Then::Wait
    }
    fiber done(this, eu) {
        fuse(eu, "Sum", "done");
        assert_eq!(this.left, 0);
        eu.put(this.out, this.total);
        fuse(eu, "Sum", "done");
        Then::End
    }
}

/// What one `Rows` is started with.
type Task = (Block<u64>, Reply<u64>, Reply<Block<u64>>, (CellRef<u64>, CellRef<Published<u64>>));

threaded_old! {
    /// The sum of a row's elements times the factor, each by a token, and each plus an element of the table.
    fn Rows(task: Box<Task>)
    state  { block: Option<Block<u64>> = None, sum: u64 = 0 }
    calls  { Times }
    inlets { factor: u64, table: Published<u64>, parts[4]: u64 }
    slots  { known: 2 => multiply, each: 4 => finish }
    fiber start(this, eu) {
        fuse(eu, "Rows", "start");
        let (factor, table) = this.task.3;
        eu.get(factor, eu.reply_to(Self::factor, Self::known));
        eu.get_block(table, eu.reply_to(Self::table, Self::known));
        fuse(eu, "Rows", "start");
        Then::Wait
    }
    fiber multiply(this, eu) {
        fuse(eu, "Rows", "multiply");
        let (factor, table) = (eu.take(Self::factor), eu.take(Self::table));
        let replies: Replies<u64> = eu.replies_to_one(Self::parts, Self::each);
        for (j, &value) in this.task.0.row(0).iter().enumerate() {
            this.sum += table.row(0)[j];
            eu.token_old::<Times>((value, factor, replies.at(j)));
        }
        fuse(eu, "Rows", "multiply");
        Then::Wait
    }
    fiber finish(this, eu) {
        fuse(eu, "Rows", "finish");
        this.sum += (0..4).map(|j| eu.take(Self::parts.at(j))).sum::<u64>();
        let (sum, back) = (this.task.1, this.task.2);
        let mut block = std::mem::replace(&mut this.task.0, Block::zeroed(0, 0));
        block.row_mut(0)[0] = 1_000;
        eu.put_block(back, block);
        eu.put(sum, this.sum);
        fuse(eu, "Rows", "finish");
        Then::End
    }
}

threaded_old! {
    fn Times(a: u64, b: u64, out: Reply<u64>)
    fiber start(this, eu) {
        fuse(eu, "Times", "start");
        eu.put(this.out, this.a * this.b);
        fuse(eu, "Times", "start");
        Then::End
    }
}

/// Keeps the expected panics of other threads off the terminal.
fn quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if info.payload_as_str() != Some(BLOWN) {
                usual(info);
            }
        }));
    });
}

#[test]
fn a_panic_in_any_fiber_is_the_error_of_the_run() {
    const ROWS: usize = 5;
    const FIBERS: u64 = 1 + 1 + ROWS as u64 * (3 + 4 + 1) + 1;
    quiet();
    let expected = (0..4 * ROWS as u64).map(|value| 3 * value).sum::<u64>() + ROWS as u64 * (1_000 + 6);
    on_every(|case| {
        let mut machine = case.machine();
        for burns in 0.. {
            *FUSE.lock().unwrap() = (burns, None);
            let result = machine.run_old::<Sum>(ROWS);
            let blown = std::mem::replace(&mut *FUSE.lock().unwrap(), (u64::MAX, None));
            let Some(at) = blown.1 else {
                let run = result.unwrap();
                assert_eq!((run.value, run.counters.fibers), (expected, FIBERS));
                assert_eq!(burns, 2 * FIBERS, "each fiber blew twice");
                break;
            };
            let message = BLOWN.to_owned();
            assert_eq!(result.map(|run| run.value), Err(Error::Panicked { at, message }), "after {burns}");
            if burns % 16 == 0 {
                assert_eq!(good::<Sum>(&mut machine, ROWS).value, expected);
            }
        }
    });
}

threaded_old! {
    /// Sends a value that cannot be read from its bytes without a panic.
    fn SendsUnreadable(out: Reply<u64>)
    calls { Gets }
    fiber start(this, eu) {
        eu.invoke_old::<Gets>(NodeId::new(eu.nodes() - 1), (Unreadable, this.out));
        Then::End
    }
}

threaded_old! {
    fn Gets(value: Unreadable, out: Reply<u64>)
    fiber start(this, eu) {
        let Unreadable = this.value;
        eu.put(this.out, 3);
        Then::End
    }
}

struct Unreadable;

impl earth::Wire for Unreadable {
    fn pack(self, _: &mut earth::Packer) {}
    fn unpack(_: &mut earth::Unpacker<'_>) -> Result<Self, earth::Undecodable> {
        panic!("{BLOWN}");
    }
}

#[test]
fn a_panic_between_fibers_is_no_fibers() {
    quiet();
    on_every(|case| {
        let mut machine = case.machine();
        if case.through_bytes && case.nodes > 1 {
            let Error::Panicked { at, message } = bad::<SendsUnreadable>(&mut machine, ()) else {
                panic!("it panics")
            };
            assert_eq!((at.function.as_str(), at.node), ("the synchronization unit", case.last().index()));
            assert_eq!(message, BLOWN);
        } else {
            assert_eq!(good::<SendsUnreadable>(&mut machine, ()).value, 3);
        }
    });
}

threaded_old! {
    /// Values of `Bomb` that are left when the run fails.
    fn LeavesBomb(out: Reply<u64>)
    inlets { x: Bomb }
    slots  { never: 2 => end }
    fiber start(_this, eu) {
        eu.put(eu.reply_to(Self::x, Self::never), Bomb);
        Then::Wait
    }
    fiber end(this, eu) {
        eu.put(this.out, 1);
        Then::End
    }
}

/// A value that panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic::panic_any(BLOWN);
    }
}

impl earth::Wire for Bomb {
    fn pack(self, _: &mut earth::Packer) {
        std::mem::forget(self);
    }
    fn unpack(_: &mut earth::Unpacker<'_>) -> Result<Self, earth::Undecodable> {
        Ok(Bomb)
    }
}

#[test]
fn a_value_that_panics_when_a_failed_run_is_dropped_does_not_take_the_machine_with_it() {
    quiet();
    on_every(|case| {
        let error = bad::<LeavesBomb>(&mut case.machine(), ());
        assert!(matches!(error, Error::Stuck(_)), "{error}");
    });
}
