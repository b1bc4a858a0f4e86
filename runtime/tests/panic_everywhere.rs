//! A panic in every fiber of a program in turn. Each gives the named error without a hang, and the machine
//! works afterwards.
//!
//! The program invokes, makes tokens, reads cells, moves blocks and has arrays. A fuse counts each fiber
//! twice: when it starts, and shortly before it returns. The fiber that finds the count at zero panics. In
//! case of a hang the test harness would wait forever.

use std::panic;
use std::sync::{Mutex, Once};

use earth::{Arrived, Block, CellRef, Error, Eu, FiberName, NodeId, Published, Reply, threaded};
use earth_test_support::{fails, gives, on_every, on_every_of_one_process};

/// Remaining count of the fuse, and the fiber that panicked.
static FUSE: Mutex<(u64, Option<FiberName>)> = Mutex::new((u64::MAX, None));

const BLOWN: &str = "the fuse blew";

/// Counts down. Called where a fiber may panic.
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

/// Sums a matrix by rows on all nodes. Each node gets a block of rows, and reads their factor from a cell.
struct Sum {
    left: usize,
    total: u64,
    out: Reply<u64>,
}

#[threaded]
impl Sum {
    fn start(rows: usize, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        fuse(eu, "Sum", "start");
        let matrix = Block::from_fn(rows, 4, |i, j| (4 * i + j) as u64);
        let (factor, table) = (eu.cell_ref(Self::factor()), eu.cell_ref(Self::table()));
        for (i, row) in matrix.split_rows_into(1).enumerate() {
            let (sum, back) = (eu.reply(Self::add(i).sum), eu.reply(Self::add(i).back));
            eu.invoke(NodeId::new(i % eu.nodes()), Rows::call(row, sum, back, factor, table));
        }
        eu.spawn(Self::write());
        fuse(eu, "Sum", "start");
        Sum { left: rows, total: 0, out }
    }

    #[cell]
    fn factor() -> u64;

    #[cell]
    fn table() -> Published<u64>;

    #[spawned]
    fn write(&mut self, eu: &mut Eu<Self>) {
        fuse(eu, "Sum", "write");
        eu.write(eu.cell_ref(Self::factor()), 3);
        eu.write(eu.cell_ref(Self::table()), Block::from_fn(1, 4, |_, j| j as u64).publish());
        fuse(eu, "Sum", "write");
    }

    #[slots(len = rows)]
    fn add(&mut self, _i: usize, sum: u64, back: Block<u64>, eu: &mut Eu<Self>) {
        fuse(eu, "Sum", "add");
        self.total += sum + back.row(0)[0];
        self.left -= 1;
        eu.sync(Self::done());
        fuse(eu, "Sum", "add");
    }

    #[slot(syncs = rows)]
    fn done(self, eu: &mut Eu<Self>) {
        fuse(eu, "Sum", "done");
        assert_eq!(self.left, 0);
        eu.put(self.out, self.total);
        fuse(eu, "Sum", "done");
    }
}

/// Sums a row's elements times the factor, each by a token, and adds an element of the table to each.
struct Rows {
    row: Block<u64>,
    sum: u64,
    out: Reply<u64>,
    back: Reply<Block<u64>>,
}

#[threaded]
impl Rows {
    fn start(
        row: Block<u64>,
        out: Reply<u64>,
        back: Reply<Block<u64>>,
        factor: CellRef<u64>,
        table: CellRef<Published<u64>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        fuse(eu, "Rows", "start");
        eu.get(factor, eu.reply(Self::multiply().factor));
        eu.get_block(table, eu.reply(Self::multiply().table));
        fuse(eu, "Rows", "start");
        Rows { row, sum: 0, out, back }
    }

    #[slot]
    fn multiply(&mut self, factor: u64, table: Published<u64>, eu: &mut Eu<Self>) {
        fuse(eu, "Rows", "multiply");
        let parts = eu.replies(Self::finish().parts);
        for (j, &value) in self.row.row(0).iter().enumerate() {
            self.sum += table.row(0)[j];
            eu.token(Times::call(value, factor, parts.at(j)));
        }
        fuse(eu, "Rows", "multiply");
    }

    #[slot]
    fn finish(mut self, #[inlets(4)] parts: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        fuse(eu, "Rows", "finish");
        self.row.row_mut(0)[0] = 1_000;
        eu.put_block(self.back, self.row);
        eu.put(self.out, self.sum + parts.sum::<u64>());
        fuse(eu, "Rows", "finish");
    }
}

struct Times;

#[threaded]
impl Times {
    fn start(a: u64, b: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        fuse(eu, "Times", "start");
        eu.put(out, a * b);
        fuse(eu, "Times", "start");
    }
}

/// Suppresses the messages of the expected panics of other threads.
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
    // All runs use the same fuse, and other ranks may still run fibers for a moment after rank 0 has returned
    // an error.
    on_every_of_one_process(|case| {
        let mut machine = case.machine();
        for burns in 0.. {
            *FUSE.lock().unwrap() = (burns, None);
            let result = machine.run(|out| Sum::call(ROWS, out));
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
                assert_eq!(gives(&mut machine, |out| Sum::call(ROWS, out)).value, expected);
            }
        }
    });
}

/// Sends a value whose decoding panics.
struct SendsUnreadable;

#[threaded]
impl SendsUnreadable {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.invoke(NodeId::new(eu.nodes() - 1), Gets::call(Unreadable, out));
    }
}

struct Gets;

#[threaded]
impl Gets {
    fn start(value: Unreadable, out: Reply<u64>, eu: &mut Eu<Self>) {
        let Unreadable = value;
        eu.put(out, 3);
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
            let Error::Panicked { at, message } = fails(&mut machine, SendsUnreadable::call) else {
                panic!("it panics")
            };
            assert_eq!((at.function.as_str(), at.node), ("the synchronization unit", case.last().index()));
            assert_eq!(message, BLOWN);
        } else {
            assert_eq!(gives(&mut machine, SendsUnreadable::call).value, 3);
        }
    });
}

/// Values of `Bomb` that remain when the run fails.
struct LeavesBomb {
    out: Reply<u64>,
}

#[threaded]
impl LeavesBomb {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.put(eu.reply(Self::never().x), Bomb);
        LeavesBomb { out }
    }

    #[slot(sync)]
    fn never(self, x: Bomb, eu: &mut Eu<Self>) {
        drop(x);
        eu.put(self.out, 1);
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
        let error = fails(&mut case.machine(), LeavesBomb::call);
        assert!(matches!(error, Error::Stuck(_)), "{error}");
    });
}
