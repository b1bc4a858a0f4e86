//! The 2-D FFT of N x N points in place: row blocks that exchange tiles across the diagonal.
//!
//! N rows in K row blocks on P nodes, as a [dealing](super::dealing) has it. The tile (i, j) holds the
//! points that rows of block i have in common with columns of block j; its mirror image is (j, i).
//!
//! 1. *Setup.* [`SquareFft`] deals the rows: each row block is invoked on its node. Each
//!    [`RowBlock`] sends the [`Addresses`] of its inlets, and then transforms its rows without waiting for
//!    anything. When all addresses are known, each row block is sent its [`Targets`]: where its tiles go, and
//!    its rows in the end.
//! 2. *Transpose.* A row block whose rows are transformed splits them into K tiles. Of each pair of
//!    tiles (i, j) and (j, i) one row block is the *owner* and the other one the *lender*, which sends
//!    its tile to the owner. The fiber `exchange`, enabled by the owner's own rows and by the lender's
//!    tile, transposes each into the other's place and sends the lender's back. The tile on the diagonal is
//!    transposed by its row block alone.
//! 3. *Second pass.* The fiber `gather`, enabled when all K tiles of the row block are transposed and at
//!    home, joins them to whole rows and transforms these: they were columns.
//! 4. *Transpose* again, likewise, so that output `[k1][k2]` is in natural order. `gather`, a second time,
//!    joins the tiles and sends the rows home, where `SquareFft` joins all of them.
//!
//! No step waits for all of the one before: tiles of blocks that are ready are exchanged while other rows are
//! still being transformed. With a *barrier*, for comparison, every step does wait: a row block that has reached
//! the end of one signals `SquareFft`, which releases all at once when the last one has. Within a process no
//! point is moved but by the transforms and the exchanges themselves, and all that is allocated is a scratch
//! for the row kernel in each row block at work, and lists of handles and addresses.
//!
//! # Who owns a pair
//!
//! If the lower block owned all its pairs, block 0 would do K - 1 exchanges and block K - 1 none. So the
//! blocks stand in a circle, and each owns its pairs with the next ones, half the circle round: at distances
//! of 1 to (K - 1)/2, and for an even K the first K/2 blocks at K/2 too. Each owns as many pairs as it lends
//! to, or one more or less. A function of its own for each pair would take K (K - 1)/2 more invokes and
//! frames, and twice the block moves.
//!
//! # Counts
//!
//! None of these depends on P, nor on the schedule. Z is the bytes of a point; Q the sum of (rows of a
//! block)^2, so that N^2 - Q points are off the tiles on the diagonal.
//!
//! | counter | count | made of |
//! |---|---|---|
//! | fibers | K (K + 3) + 3 | a row block: `start`, `scatter`, two of `gather`; `exchange`, for each pair in each transpose; three of `SquareFft` |
//! | invokes | K | |
//! | signals | 4 K^2 + 3 K + 1 | a row block: its addresses, its targets, its rows are ready, two tiles on the diagonal, its time, home; each pair in each transpose: the owner's rows, the tile lent, the owner's tile transposed, the lender's back; the value of the run |
//! | block moves | K (2 K - 1) | each pair in each transpose two; home |
//! | bytes moved | (5 N^2 - 2 Q) Z | dealt; in each transpose one tile of each pair there and back; home; the value of the run |
//! | frames | K + 1 | |
//! | tokens, parked values, deferred reads | 0 | |
//!
//! `events_sent` is 5 for each row block that is not on node 0 (invoke, addresses, targets, time, home; dealt
//! round all nodes, these are K - ceil(K/P)), and 4 for each pair of row blocks on different nodes.
//!
//! A barrier takes 3 (K + 1) fibers and 6 K signals more, and 6 events for each row block that is not on node
//! 0. Rows with [another leading dimension](super::padded_rows) change no count.
//!
//! # Why one inlet and one slot serve both transposes
//!
//! A tile of the second transpose must not meet one of the first. The lender lends it after its second pass,
//! so after it has had all its tiles back from the first transpose, this one among them: hence the owner's
//! `exchange` of this pair has run, its inlet is empty, and its slot counts anew. The owner's own signal
//! comes after its own second pass, likewise after that `exchange`. So a slot of 2 gets just its own rows and
//! its own lender's tile, round by round. The signals of a second `gather` come from exchanges of the second
//! transpose, which need this row block's second pass, which is the first `gather`. Nothing is ever parked,
//! in any schedule, and no frame ends while a tile is under way to it.
//!
//! # When it loses
//!
//! The transposes move all points twice and compute nothing; a kernel that takes columns as they lie, as
//! vendors have, may save one. The transpose back serves the natural order alone: a convolution could do
//! without it. Small tiles drown in fibers: an exchange has to outweigh the dispatch of a fiber and two
//! transfers. Node 0 alone sends K (K - 1) addresses. Through bytes it is not in place: each
//! tile that comes back is in new memory, and the rows are copied together.

use std::time::Duration;

use earth::{Arrived, Eu, NodeId, Replies, Reply, Shared, SharedValues, SlotRefs, Then, Wire, threaded};
use earth_fft::dataflow::Spent;
use earth_fft::dataflow::phases::{Done, Phases};
use earth_fft::dataflow::points::{Points, whole_matrix};
use earth_kernels::{Real, exchange_transposed, transpose};

use super::MatrixPlan;
use super::padded_rows::PaddedRows;

/// The barriers between the four steps.
const BARRIERS: usize = 3;

/// The barrier before the first transpose.
const TO_TILES: usize = 0;
/// The barrier before the second pass.
const TO_ROWS: usize = 1;
/// The barrier before the second transpose.
const TO_TILES_AGAIN: usize = 2;

/// The row blocks in a circle, so many of them, which decides who owns which pair.
#[derive(Clone, Copy, Debug)]
struct Circle(usize);

impl Circle {
    /// How many pairs a block owns: those with the blocks after it, at distances of 1 to this.
    fn owned(self, block: usize) -> usize {
        let opposite = self.0.is_multiple_of(2) && block < self.0 / 2;
        (self.0 - 1) / 2 + usize::from(opposite)
    }

    /// How many pairs others own: those with the blocks before it, to which it lends, at distances of 1 to this.
    fn lent(self, block: usize) -> usize {
        self.0 - 1 - self.owned(block)
    }

    fn after(self, block: usize, distance: usize) -> usize {
        (block + distance) % self.0
    }

    fn before(self, block: usize, distance: usize) -> usize {
        (block + self.0 - distance) % self.0
    }
}

/// The input of [`SquareFft`].
#[derive(Debug, Wire)]
pub struct SquareJob<T: Real> {
    matrix: Points<T>,
    plan: Shared<MatrixPlan<T>>,
}

impl<T: Real> SquareJob<T> {
    /// The job to transform a matrix, in its own memory.
    ///
    /// # Panics
    ///
    /// If the matrix has other rows and columns than the plan's, or the plan cuts
    /// columns otherwise than rows or pads them otherwise.
    pub fn new(matrix: Points<T>, plan: Shared<MatrixPlan<T>>) -> Self {
        plan.check(&matrix);
        let [along, across] = [plan.pass(0), plan.pass(1)];
        assert_eq!(
            along.cut(),
            across.cut(),
            "tiles have no mirror images unless rows and columns are cut alike"
        );
        assert_eq!(
            along.leading_dimensions(),
            across.leading_dimensions(),
            "the transpose lies where the matrix was"
        );
        Self { matrix, plan }
    }

    /// The values that its run begins with.
    pub fn shared(&self) -> SharedValues {
        SharedValues::default().with(&self.plan)
    }
}

/// The addresses of a row block's inlets, and of its slots for barriers.
#[derive(Debug, Wire)]
pub struct Addresses<T: Real> {
    /// Its inlet for the targets.
    targets: Reply<Targets<T>>,
    /// Its inlets for the tiles that others lend it, by the lender's distance less one.
    lent: Replies<Points<T>>,
    /// Its inlets for its own tiles that owners return, by the owner's distance less one.
    returned: Replies<Points<T>>,
    /// Its slots that release it, one a barrier, if there are barriers.
    released: Option<SlotRefs>,
}

/// The addresses that a row block sends to, made when those of all row blocks are known.
#[derive(Debug, Wire)]
pub struct Targets<T: Real> {
    /// Where the tiles go that it lends, by the owner's distance less one.
    lend: Vec<Reply<Points<T>>>,
    /// Where the tiles go that it returns, by the lender's distance less one.
    give_back: Vec<Reply<Points<T>>>,
    /// Where the time that it worked goes.
    work: Reply<Spent>,
    /// Where its rows go in the end.
    home: Reply<Points<T>>,
    /// The slots that count the row blocks at each barrier, if there are barriers.
    barrier: Option<SlotRefs>,
}

/// The 2-D FFT of a square matrix: it deals the rows, connects the row blocks, and joins what comes back.
pub struct SquareFft<T: Real> {
    plan: Shared<MatrixPlan<T>>,
    started: Duration,
    connected: Duration,
    released: Vec<SlotRefs>,
    out: Reply<Done<T>>,
}

#[threaded(blocks = job.plan.cut(0).count())]
impl<T: Real> SquareFft<T> {
    /// The 2-D FFT of a square matrix.
    pub fn deal(job: SquareJob<T>, out: Reply<Done<T>>, eu: &mut Eu<Self>) -> Self {
        let started = eu.now();
        let SquareJob { matrix, plan } = job;
        let addresses = eu.replies(Self::connect().blocks);
        let cut = plan.cut(0);
        for (index, rows) in cut.split_rows(matrix).enumerate() {
            let node = NodeId::new(cut.node_of(index, eu.nodes()));
            eu.invoke(node, RowBlock::call(index, rows, plan.clone(), addresses.at(index)));
        }
        SquareFft { plan, started, connected: started, released: Vec::new(), out }
    }

    #[slot]
    fn connect(&mut self, #[inlets(blocks)] blocks: Arrived<'_, Addresses<T>>, eu: &mut Eu<Self>) {
        let circle = Circle(blocks.len());
        let work = eu.replies(Self::collect().work);
        let home = eu.replies(Self::collect().home);
        let barrier = self.plan.has_barrier().then(|| eu.slot_refs(Self::release(..)));
        self.released = blocks.iter().filter_map(|block| block.released).collect();
        for (block, addresses) in blocks.iter().enumerate() {
            let owners = (1..=circle.lent(block)).map(|d| (&blocks[circle.before(block, d)], d - 1));
            let lenders = (1..=circle.owned(block)).map(|d| (&blocks[circle.after(block, d)], d - 1));
            let targets = Targets {
                lend: owners.map(|(owner, at)| owner.lent.at(at)).collect(),
                give_back: lenders.map(|(lender, at)| lender.returned.at(at)).collect(),
                work: work.at(block),
                home: home.at(block),
                barrier,
            };
            eu.put(addresses.targets, targets);
        }
        self.connected = eu.now();
    }

    #[slots(len = job.plan.barriers(BARRIERS), syncs = blocks)]
    fn release(&mut self, step: usize, eu: &mut Eu<Self>) {
        for block in &self.released {
            eu.rsync(block.at(step));
        }
    }

    #[slot]
    fn collect(
        self,
        #[inlets(blocks)] work: Arrived<'_, Spent>,
        #[inlets(blocks)] home: Arrived<'_, Points<T>>,
        eu: &mut Eu<Self>,
    ) {
        let all_home = eu.now();
        let work = work.fold(Spent::default(), Spent::plus);
        let spectrum = whole_matrix(home.collect());
        let phases = Phases::between([self.started, self.connected, all_home, eu.now()]).with_spent(work);
        eu.put(self.out, Done::new(spectrum, phases));
    }
}

/// A row block of the matrix, which transforms its rows in both passes.
pub struct RowBlock<T: Real> {
    index: usize,
    plan: Shared<MatrixPlan<T>>,
    /// The rows, while they are whole.
    rows: Option<Points<T>>,
    /// The tiles that it has while the rows are split: the one on the diagonal, then those of the pairs that it
    /// owns, by the lender's distance.
    tiles: Vec<Points<T>>,
    padded: PaddedRows<T>,
    targets: Option<Targets<T>>,
    second: bool,
    work: Spent,
}

#[threaded(
    blocks = plan.cut(0).count(),
    owned = Circle(blocks).owned(index),
    lent = Circle(blocks).lent(index),
)]
impl<T: Real> RowBlock<T> {
    /// The `index`-th row block. Its addresses go to `addresses`.
    fn start(
        index: usize,
        rows: Points<T>,
        plan: Shared<MatrixPlan<T>>,
        addresses: Reply<Addresses<T>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let own = Addresses {
            targets: eu.reply(Self::scatter().targets),
            lent: eu.replies(Self::exchange(..).theirs),
            returned: eu.replies(Self::gather().returned),
            released: plan.has_barrier().then(|| eu.slot_refs(Self::go_on(..))),
        };
        eu.put(addresses, own);
        let (mut padded, mut work) = (PaddedRows::default(), Spent::default());
        let pass = plan.pass(0);
        let mut rows = padded.enter(pass, index, rows);
        let transform = |from: Option<&_>, rows: &mut _| plan.transform(0, index, from, rows);
        work.on_rows(eu, (padded.home(), &mut rows), pass.work(index), transform);
        eu.sync(Self::scatter());
        let rows = Some(rows);
        RowBlock { index, plan, rows, tiles: Vec::new(), padded, targets: None, second: false, work }
    }

    #[slot(sync)]
    fn scatter(&mut self, targets: Targets<T>, eu: &mut Eu<Self>) {
        self.targets = Some(targets);
        self.reached(TO_TILES, eu);
    }

    #[slots(len = plan.barriers(BARRIERS), sync)]
    fn go_on(&mut self, step: usize, eu: &mut Eu<Self>) {
        self.proceed(step, eu);
    }

    #[slots(len = owned, sync, again)]
    fn exchange(&mut self, owned: usize, mut theirs: Points<T>, eu: &mut Eu<Self>) {
        let Some(targets) = &self.targets else { unreachable!("`scatter` took the targets") };
        let (mine, points) = (&mut self.tiles[1 + owned], 2 * theirs.len());
        self.work.on_tiles(eu, points, (mine, &mut theirs), |(mine, theirs)| {
            exchange_transposed(mine, theirs);
        });
        eu.put_block(targets.give_back[owned], theirs);
        eu.sync(Self::gather());
    }

    // Beside the tiles that come back, those of its own pairs and the one on the diagonal are signalled.
    #[slot(syncs = owned + 1, again)]
    fn gather(&mut self, #[inlets(lent)] returned: Arrived<'_, Points<T>>, eu: &mut Eu<Self>) -> Then {
        // From the diagonal on round the circle, the tiles that were lent come last, the nearest owner's at the end.
        self.tiles.extend(returned.rev());
        self.tiles.rotate_right(self.index);
        let tiles = self.tiles.drain(..);
        if !self.second {
            self.second = true;
            self.rows = Some(self.padded.whole(tiles));
            self.reached(TO_ROWS, eu);
            return Then::Wait;
        }
        let (rows, home) = self.padded.leave(tiles);
        let rows = self.work.on_return(eu, rows, home);
        if let Some(targets) = &self.targets {
            eu.put(targets.work, self.work);
            eu.put_block(targets.home, rows);
        }
        Then::End
    }
}

impl<T: Real> RowBlock<T> {
    /// Goes on to the next step, or waits at the barrier until all row blocks have reached the end of `step`.
    fn reached(&mut self, step: usize, eu: &mut Eu<Self>) {
        match self.targets.as_ref().and_then(|targets| targets.barrier) {
            None => self.proceed(step, eu),
            Some(barrier) => eu.rsync(barrier.at(step)),
        }
    }

    fn proceed(&mut self, step: usize, eu: &mut Eu<Self>) {
        let Some(mut rows) = self.rows.take() else { unreachable!("rows are whole at the end of a step") };
        if step != TO_ROWS {
            return self.split(rows, eu);
        }
        let Self { index, plan, work, .. } = self;
        let transform = |from: Option<&_>, rows: &mut _| plan.transform(1, *index, from, rows);
        work.on_rows(eu, (None, &mut rows), plan.pass(1).work(*index), transform);
        self.rows = Some(rows);
        self.reached(TO_TILES_AGAIN, eu);
    }

    /// Splits transformed rows into tiles. Lends those of pairs that others own, keeps the rest, and
    /// transposes the one on the diagonal last, while others may already work on what was lent.
    fn split(&mut self, rows: Points<T>, eu: &mut Eu<Self>) {
        let Some(targets) = &self.targets else { unreachable!("`scatter` took the targets") };
        let owned = targets.give_back.len();
        let points = self.padded.points(self.plan.pass(0), rows);
        self.tiles.extend(self.plan.cut(1).split_cols(points));
        self.tiles.rotate_left(self.index);
        for (tile, &to) in self.tiles.drain(1 + owned..).rev().zip(&targets.lend) {
            eu.put_block(to, tile);
        }
        for owned in 0..owned {
            eu.sync(Self::exchange(owned));
        }
        let diagonal = &mut self.tiles[0];
        self.work.on_tiles(eu, diagonal.len(), diagonal, transpose);
        eu.sync(Self::gather());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_has_one_owner_and_all_own_alike() {
        for blocks in 1..40 {
            let circle = Circle(blocks);
            let mut pairs = Vec::new();
            for block in 0..blocks {
                let (owned, lent) = (circle.owned(block), circle.lent(block));
                assert!(owned.abs_diff(lent) <= 1 && owned + lent == blocks - 1);
                for d in 1..=owned {
                    let lender = circle.after(block, d);
                    assert!(d <= circle.lent(lender) && circle.before(lender, d) == block);
                    pairs.push([block.min(lender), block.max(lender)]);
                }
            }
            pairs.sort_unstable();
            pairs.dedup();
            assert_eq!(pairs.len(), blocks * (blocks - 1) / 2);
        }
    }
}
