//! Values that panic when they are dropped. All values behind them in any queue are still dropped, borrowed
//! memory comes back completely, and `run` returns an error without a panic.

use crate::common::counted::{Counted, Tally};
use crate::common::{fails, on_every};
use earth::{
    Arrived, Block, CancelToken, Error, Eu, Machine, NodeId, Packer, Reply, Undecodable, Unpacker, Wire,
    threaded,
};

/// A counted value that contains borrowed memory and may panic when it is dropped.
#[derive(Debug)]
struct Fuse {
    counted: Counted,
    block: Option<Block<u64>>,
    lit: bool,
}

impl Drop for Fuse {
    fn drop(&mut self) {
        if self.lit {
            // Unwinds like a panic, but prints no message.
            std::panic::resume_unwind(Box::new("a fuse"));
        }
    }
}

impl Wire for Fuse {
    fn pack(mut self, out: &mut Packer) {
        let lit = std::mem::take(&mut self.lit);
        (lit, self.block.take()).pack(out);
        self.counted.again().pack(out);
    }

    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let (lit, block) = Wire::unpack(input)?;
        Ok(Fuse { lit, block, counted: Wire::unpack(input)? })
    }
}

/// Places of the value that panics.
const STATE: u64 = 0;
const INLETS: u64 = 1;
const PARKED: u64 = 2;
const CELLS: u64 = 3;
const INVOKED: u64 = 4;
const TOKENS: u64 = 5;
const ENABLED: u64 = 6;
/// All these places.
const ALL: u64 = 7;

/// Makes values. The second value in the chosen place panics.
struct Maker {
    tally: Tally,
    chosen: u64,
    block: Block<u64>,
}

impl Maker {
    fn values(&mut self, place: u64, count: usize) -> Vec<Fuse> {
        let lit = self.chosen == place || self.chosen == ALL;
        (0..count)
            .map(|i| {
                let all = std::mem::replace(&mut self.block, Block::from_vec(1, 1, vec![0]).unwrap());
                let (row, rest) = all.split_rows(1);
                self.block = rest;
                Fuse { counted: self.tally.value(place), block: Some(row), lit: lit && i == 1 }
            })
            .collect()
    }
}

/// Leaves values everywhere, then fails: in its first fiber, in a later one, or by waiting forever.
struct Leaves {
    _own: Vec<Fuse>,
}

#[threaded]
impl Leaves {
    fn start(tally: u32, how: u64, chosen: u64, block: Block<u64>, eu: &mut Eu<Self>) -> Self {
        let mut maker = Maker { tally: Tally::of(tally), chosen, block };
        // When the first fiber unwinds, it drops its variables.
        let own = if how > 0 { maker.values(STATE, 3) } else { Vec::new() };
        for (i, value) in maker.values(INLETS, 3).into_iter().enumerate() {
            eu.put(eu.reply(Self::never().x.at(i)), value);
        }
        for value in maker.values(PARKED, 4) {
            eu.put(eu.reply(Self::never().y), value);
        }
        for (i, value) in maker.values(CELLS, 3).into_iter().enumerate() {
            eu.write(eu.cell_ref(Self::kept(i)), Kept(Some(value)));
        }
        for (i, value) in maker.values(ENABLED, 4).into_iter().enumerate() {
            eu.put(eu.reply(Self::each(i).z), value);
        }
        for (i, value) in maker.values(INVOKED, 20).into_iter().enumerate() {
            eu.invoke(NodeId::new(i % eu.nodes()), Sinks::call(value));
        }
        for value in maker.values(TOKENS, 20) {
            eu.token(Sinks::call(value));
        }
        if how == 0 {
            eu.sync(Self::each(4));
        }
        if how == 1 {
            eu.sync(Self::fails());
        }
        Leaves { _own: own }
    }

    #[cells(len = 3)]
    fn kept(i: usize) -> Kept;

    #[slot(sync)]
    fn never(self, #[inlets(3)] x: Arrived<'_, Fuse>, y: Fuse) {
        unreachable!("{x:?} and {y:?} come without a signal")
    }

    #[slots(len = 4)]
    fn each(&mut self, _i: usize, z: Fuse) {
        drop(z);
    }

    #[slot(sync)]
    fn fails(&mut self, eu: &mut Eu<Self>) {
        eu.sync(Self::each(4));
    }
}

/// A value for a cell. It is never read, so no copy is made.
#[derive(Debug)]
struct Kept(Option<Fuse>);

impl Clone for Kept {
    fn clone(&self) -> Self {
        Kept(None)
    }
}

impl Wire for Kept {
    fn pack(self, out: &mut Packer) {
        self.0.pack(out);
    }

    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        Wire::unpack(input).map(Kept)
    }
}

struct Sinks;

#[threaded]
impl Sinks {
    fn start(value: Fuse) {
        assert!(value.counted.carries <= ALL);
    }
}

/// Runs `work` with a borrowed block of 64 rows.
fn with_lent<R>(work: impl FnOnce(Block<u64>) -> R) -> R {
    let mut memory = vec![0; 64];
    earth::lend(&mut memory, 64, 1, work).expect("the shape is right")
}

#[test]
fn a_drop_that_panics_leaves_nothing_behind_it() {
    on_every(|case| {
        if case.nodes > 3 {
            return;
        }
        let (tally, mut machine) = (Tally::new(), case.machine().queue_capacity(2));
        for how in 0..3 {
            for chosen in 0..=ALL {
                let error = with_lent(|block| {
                    fails(&mut machine, |_: Reply<u64>| Leaves::call(tally.number(), how, chosen, block))
                });
                // If a fiber drops a value during the run, it panics.
                let expected =
                    matches!(error, Error::NoSuchEntry { .. } | Error::Stuck(_) | Error::Panicked { .. });
                assert!(expected, "way {how}, place {chosen}: {error}");
                assert_eq!(tally.left(), 0, "way {how}, place {chosen}");
            }
        }
        assert!(tally.made() > 24 * 50);
    });
}

#[test]
fn a_run_that_does_not_begin_drops_its_input_and_does_not_panic() {
    on_every(|case| {
        let tally = Tally::new();
        let refused = |machine: &mut Machine| {
            with_lent(|block| {
                let value = Fuse { counted: tally.value(1), block: Some(block), lit: true };
                machine.run(|out| Takes::call(value, out)).map(|run| run.value)
            })
        };
        let token = CancelToken::new();
        token.cancel();
        assert_eq!(refused(&mut case.machine().cancel_token(token)), Err(Error::Cancelled));
        let unbuilt = refused(&mut case.machine().queue_capacity(3));
        assert!(matches!(unbuilt, Err(Error::CannotBuild(_))), "{unbuilt:?}");
        let mut inside = case.machine();
        let run = inside.run(|out| RunsInside::call(tally.number(), out)).map(|run| run.value);
        assert_eq!(run, Ok(true));
        assert_eq!((tally.made(), tally.left()), (3, 0));
    });
    // More threads than cores to pin them to.
    let tally = Tally::new();
    let value = Fuse { counted: tally.value(1), block: None, lit: true };
    let unbound =
        Machine::threads(64).config(earth::Config::Dual).pin(true).run(|out| Takes::call(value, out));
    if std::thread::available_parallelism().map_or(1, usize::from) < 128 {
        assert!(matches!(unbound.map(|run| run.value), Err(Error::CannotBuild(_))));
    }
    assert_eq!(tally.left(), 0);
}

struct Takes;

#[threaded]
impl Takes {
    fn start(value: Fuse, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, value.counted.carries);
    }
}

struct RunsInside;

#[threaded]
impl RunsInside {
    fn start(tally: u32, out: Reply<bool>, eu: &mut Eu<Self>) {
        let value = Fuse { counted: Tally::of(tally).value(1), block: None, lit: true };
        let inside = Machine::threads(1).run(|out| Takes::call(value, out)).map(|run| run.value);
        eu.put(out, inside == Err(Error::InsideFiber));
    }
}
