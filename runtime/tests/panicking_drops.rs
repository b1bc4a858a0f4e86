//! Values whose drop panics: what lies behind them in any queue ends all the same, lent memory comes back whole, and
//! `run` gives an error and no panic.

mod common;

use common::counted::{Counted, Tally};
use common::{bad, on_every};
use earth::{
    Block, CancelToken, Error, Machine, NodeId, Packer, Reply, Then, Undecodable, Unpacker, Wire,
    threaded_old,
};

/// A counted value that holds lent memory and may panic when it is dropped.
#[derive(Debug)]
struct Fuse {
    counted: Counted,
    block: Option<Block<u64>>,
    lit: bool,
}

impl Drop for Fuse {
    fn drop(&mut self) {
        if self.lit {
            // As a panic, without its message.
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

/// A fuse in one word.
type Value = Box<Fuse>;

/// Where a value waits that panics.
const STATE: u64 = 0;
const INLETS: u64 = 1;
const PARKED: u64 = 2;
const CELLS: u64 = 3;
const INVOKED: u64 = 4;
const TOKENS: u64 = 5;
const ENABLED: u64 = 6;
/// In all of these places.
const ALL: u64 = 7;

/// Makes values; the second one of the place that was chosen panics.
struct Maker {
    tally: Tally,
    chosen: u64,
    block: Block<u64>,
}

impl Maker {
    fn values(&mut self, place: u64, count: usize) -> Vec<Value> {
        let lit = self.chosen == place || self.chosen == ALL;
        (0..count)
            .map(|i| {
                let all = std::mem::replace(&mut self.block, Block::from_vec(1, 1, vec![0]).unwrap());
                let (row, rest) = all.split_rows(1);
                self.block = rest;
                Box::new(Fuse { counted: self.tally.value(place), block: Some(row), lit: lit && i == 1 })
            })
            .collect()
    }
}

threaded_old! {
    /// Leaves values everywhere, then fails: in its first fiber, in a later one, or by waiting for ever.
    fn Leaves(given: Box<(u32, u64, u64, Block<u64>)>, out: Reply<u64>)
    state  { own: Vec<Value> = Vec::new() }
    calls  { Sinks }
    inlets { x[3]: Value, y: Value, z[4]: Value, nothing: u64 }
    cells  { c[3]: u64, kept[3]: Kept }
    slots  { never: 100 => takes, each[4]: 1 => takes, go: 1 => fails }
    fiber start(this, eu) {
        let (tally, how, chosen, block) = {
            let (tally, how, chosen, block) = &mut *this.given;
            (*tally, *how, *chosen, std::mem::replace(block, Block::from_vec(1, 1, vec![0]).unwrap()))
        };
        let mut maker = Maker { tally: Tally::of(tally), chosen, block };
        // What unwinds out of the first fiber drops its state on the way.
        if how > 0 {
            this.own = maker.values(STATE, 3);
        }
        for (i, value) in maker.values(INLETS, 3).into_iter().enumerate() {
            eu.put(eu.replies_to_one(Self::x, Self::never).at(i), value);
        }
        for value in maker.values(PARKED, 4) {
            eu.put(eu.reply_to(Self::y, Self::never), value);
        }
        for (i, value) in maker.values(CELLS, 3).into_iter().enumerate() {
            eu.write(eu.cell_ref(Self::kept.at(i)), Kept(Some(value)));
        }
        for (i, value) in maker.values(ENABLED, 4).into_iter().enumerate() {
            eu.put(eu.replies_to(Self::z, Self::each).at(i), value);
        }
        for (i, value) in maker.values(INVOKED, 20).into_iter().enumerate() {
            eu.invoke_old::<Sinks>(NodeId::new(i % eu.nodes()), (value,));
        }
        for value in maker.values(TOKENS, 20) {
            eu.token_old::<Sinks>((value,));
        }
        if how == 0 {
            eu.take(Self::nothing);
        }
        if how == 1 {
            eu.sync(Self::go);
        }
        Then::Wait
    }
    fiber fails(_this, eu) {
        eu.take(Self::nothing);
        Then::Wait
    }
    fiber takes(_this, eu, index) {
        eu.take(Self::z.at(index));
        Then::Wait
    }
}

/// A value for a cell. Nobody asks for it, so no copy is made.
#[derive(Debug)]
struct Kept(Option<Value>);

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

threaded_old! {
    fn Sinks(value: Value)
    fiber start(this, _eu) {
        assert!(this.value.counted.carries <= ALL);
        Then::End
    }
}

/// Runs `work` with a lent block of 64 rows.
fn with_lent<R>(work: impl FnOnce(Block<u64>) -> R) -> R {
    let mut memory = vec![0; 64];
    earth::lend(&mut memory, 64, 1, work).expect("the shape is right")
}

#[test]
fn a_drop_that_panics_leaves_nothing_behind_it() {
    on_every(|case| {
        let (tally, mut machine) = (Tally::new(), case.machine().queue_capacity(2));
        for how in 0..3 {
            for chosen in 0..=ALL {
                let error = with_lent(|block| {
                    bad::<Leaves>(&mut machine, Box::new((tally.number(), how, chosen, block)))
                });
                // A fiber that drops a value while the run is on panics.
                let expected =
                    matches!(error, Error::NotDelivered { .. } | Error::Stuck(_) | Error::Panicked { .. });
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
                machine.run_old::<Takes>(Box::new(value)).map(|run| run.value)
            })
        };
        let token = CancelToken::new();
        token.cancel();
        assert_eq!(refused(&mut case.machine().cancel_token(token)), Err(Error::Cancelled));
        let unbuilt = refused(&mut case.machine().queue_capacity(3));
        assert!(matches!(unbuilt, Err(Error::CannotBuild(_))), "{unbuilt:?}");
        let mut inside = case.machine();
        let run = inside.run_old::<RunsInside>(tally.number()).map(|run| run.value);
        assert_eq!(run, Ok(true));
        assert_eq!((tally.made(), tally.left()), (3, 0));
    });
    // More threads than can be bound to a core.
    let tally = Tally::new();
    let value = Box::new(Fuse { counted: tally.value(1), block: None, lit: true });
    let unbound = Machine::threads(64).config(earth::Config::Dual).pin(true).run_old::<Takes>(value);
    if std::thread::available_parallelism().map_or(1, usize::from) < 128 {
        assert!(matches!(unbound.map(|run| run.value), Err(Error::CannotBuild(_))));
    }
    assert_eq!(tally.left(), 0);
}

threaded_old! {
    fn Takes(value: Value, out: Reply<u64>)
    fiber start(this, eu) {
        eu.put(this.out, this.value.counted.carries);
        Then::End
    }
}

threaded_old! {
    fn RunsInside(tally: u32, out: Reply<bool>)
    fiber start(this, eu) {
        let value = Fuse { counted: Tally::of(this.tally).value(1), block: None, lit: true };
        let inside = Machine::threads(1).run_old::<Takes>(Box::new(value)).map(|run| run.value);
        eu.put(this.out, inside == Err(Error::InsideFiber));
        Then::End
    }
}
