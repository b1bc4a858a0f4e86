//! The 2-D FFT of N x N points in place: row blocks that exchange tiles across the diagonal.
//!
//! N rows in K row blocks on P nodes, as a [dealing](super::matrix::dealing) has it. The tile (i, j) holds the
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
//! 0. Rows with [another leading dimension](super::matrix::padded_rows) change no count.
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

use earth::{Eu, NodeId, Replies, Reply, SlotRefs, Then, Wire, threaded_old};
use earth_kernels::{Real, exchange_transposed, transpose};

use super::matrix::padded_rows::PaddedRows;
use super::matrix::{MatrixDone, MatrixPhases, MatrixPlan, Spent};
use super::points::{Points, whole_matrix};
use crate::plan::PlanHandle;

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
    matrix: Option<Points<T>>,
    plan: PlanHandle<MatrixPlan<T>>,
}

impl<T: Real> SquareJob<T> {
    /// The job to transform a matrix, in its own memory.
    ///
    /// # Panics
    ///
    /// If the matrix has other rows and columns than the plan's, or the plan cuts
    /// columns otherwise than rows or pads them otherwise.
    pub fn new(matrix: Points<T>, plan: PlanHandle<MatrixPlan<T>>) -> Self {
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
        Self { matrix: Some(matrix), plan }
    }

    fn blocks(&self) -> usize {
        self.plan.cut(0).count()
    }
}

/// The arguments of a row block.
#[derive(Debug, Wire)]
pub struct BlockArgs<T: Real> {
    index: usize,
    rows: Option<Points<T>>,
    plan: PlanHandle<MatrixPlan<T>>,
    addresses: Reply<Box<Addresses<T>>>,
}

impl<T: Real> BlockArgs<T> {
    fn circle(&self) -> Circle {
        Circle(self.plan.cut(0).count())
    }
}

/// The addresses of a row block's inlets, and of its slots for barriers.
#[derive(Debug, Wire)]
pub struct Addresses<T: Real> {
    /// Its inlet for the targets.
    targets: Reply<Box<Targets<T>>>,
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

threaded_old! {
    /// The 2-D FFT of a square matrix: it deals the rows, connects the row blocks, and joins what comes back.
    pub fn SquareFft<T: Real>(job: Box<SquareJob<T>>, out: Reply<Box<MatrixDone<T>>>)
    state { clock: [Duration; 2] = [Duration::ZERO; 2], released: Vec<SlotRefs> = Vec::new() }
    calls { RowBlock<T> }
    inlets {
        addresses[this.job.blocks()]: Box<Addresses<T>>,
        work[this.job.blocks()]: Spent,
        home[this.job.blocks()]: Points<T>,
    }
    slots {
        announced: (this.job.blocks()) => connect,
        done: (2 * this.job.blocks()) => collect,
        barrier[this.job.plan.barriers(BARRIERS)]: (this.job.blocks()) => release,
    }

    fiber deal(this, eu) {
        this.clock[0] = eu.now();
        let SquareJob { matrix, plan } = &mut *this.job;
        let Some(matrix) = matrix.take() else { panic!("a run without a matrix") };
        let addresses = eu.replies_to_one(Self::addresses, Self::announced);
        let cut = plan.cut(0);
        for (index, rows) in cut.split_rows(matrix).enumerate() {
            let args = BlockArgs { index, rows: Some(rows), plan: plan.clone(), addresses: addresses.at(index) };
            eu.invoke_old::<RowBlock<T>>(NodeId::new(cut.node_of(index, eu.nodes())), (Box::new(args),));
        }
        Then::Wait
    }

    fiber connect(this, eu) {
        let circle = Circle(this.job.blocks());
        let work = eu.replies_to_one(Self::work, Self::done);
        let home = eu.replies_to_one(Self::home, Self::done);
        let barrier = this.job.plan.has_barrier().then(|| eu.slot_refs(Self::barrier));
        let blocks: Vec<_> = (0..circle.0).map(|block| eu.take(Self::addresses.at(block))).collect();
        this.released.extend(blocks.iter().filter_map(|block| block.released));
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
            eu.put(addresses.targets, Box::new(targets));
        }
        this.clock[1] = eu.now();
        Then::Wait
    }

    fiber release(this, eu, step) {
        for block in &this.released {
            eu.rsync(block.at(step));
        }
        Then::Wait
    }

    fiber collect(this, eu) {
        let home = eu.now();
        let blocks = this.job.blocks();
        let work = (0..blocks).map(|block| eu.take(Self::work.at(block))).fold(Spent::default(), Spent::plus);
        let spectrum = whole_matrix((0..blocks).map(|block| eu.take(Self::home.at(block))).collect());
        let [started, connected] = this.clock;
        let phases = MatrixPhases::between([started, connected, home, eu.now()], work);
        eu.put(this.out, Box::new(MatrixDone { spectrum, phases }));
        Then::End
    }
}

threaded_old! {
    /// A row block of the matrix, which transforms its rows in both passes.
    pub fn RowBlock<T: Real>(args: Box<BlockArgs<T>>)
    state {
        targets: Option<Box<Targets<T>>> = None,
        tiles: Vec<Option<Points<T>>> = Vec::new(),
        padded: PaddedRows<T> = PaddedRows::default(),
        second: bool = false,
        work: Spent = Spent::default(),
    }
    inlets {
        targets: Box<Targets<T>>,
        lent[this.args.circle().owned(this.args.index)]: Points<T>,
        returned[this.args.circle().lent(this.args.index)]: Points<T>,
    }
    slots {
        ready: 2 => scatter,
        pair[this.args.circle().owned(this.args.index)]: 2, reset 2 => exchange,
        gathered: (this.args.circle().0), reset (this.args.circle().0) => gather,
        released[this.args.plan.barriers(BARRIERS)]: 1 => go_on,
    }

    fiber start(this, eu) {
        let addresses = Addresses {
            targets: eu.reply_to(Self::targets, Self::ready),
            lent: eu.replies_to(Self::lent, Self::pair),
            returned: eu.replies_to_one(Self::returned, Self::gathered),
            released: this.args.plan.has_barrier().then(|| eu.slot_refs(Self::released)),
        };
        eu.put(this.args.addresses, Box::new(addresses));
        let BlockArgs { index, rows, plan, .. } = &mut *this.args;
        let Some(given) = rows.take() else { panic!("a row block without rows") };
        let pass = plan.pass(0);
        let rows = rows.insert(this.padded.enter(pass, *index, given));
        let operands = (this.padded.home(), rows);
        this.work.on_rows(eu, operands, pass.transformed(), |from, rows| plan.transform(0, *index, from, rows));
        eu.sync(Self::ready);
        Then::Wait
    }

    fiber scatter(this, eu) {
        this.targets = Some(eu.take(Self::targets));
        let Some(rows) = this.args.rows.take() else { panic!("a row block without rows") };
        this.reached(eu, TO_TILES, rows);
        Then::Wait
    }

    fiber go_on(this, eu, step) {
        let Some(rows) = this.args.rows.take() else { unreachable!("`reached` kept the rows") };
        this.proceed(eu, step, rows);
        Then::Wait
    }

    fiber exchange(this, eu, owned) {
        let mut theirs = eu.take(Self::lent.at(owned));
        let lender = this.args.circle().after(this.args.index, owned + 1);
        let (Some(mine), Some(targets)) = (&mut this.tiles[lender], &this.targets) else {
            unreachable!("`split` keeps the tiles of the pairs whose slots it signals")
        };
        let points = 2 * theirs.len();
        this.work.on_tiles(eu, points, (mine, &mut theirs), |(mine, theirs)| exchange_transposed(mine, theirs));
        eu.put_block(targets.give_back[owned], theirs);
        eu.sync(Self::gathered);
        Then::Wait
    }

    fiber gather(this, eu) {
        let (circle, index) = (this.args.circle(), this.args.index);
        for d in 1..=circle.lent(index) {
            this.tiles[circle.before(index, d)] = Some(eu.take(Self::returned.at(d - 1)));
        }
        if !this.second {
            this.second = true;
            let rows = this.padded.whole(this.tiles.drain(..).flatten());
            this.reached(eu, TO_ROWS, rows);
            return Then::Wait;
        }
        let (rows, home) = this.padded.leave(this.tiles.drain(..).flatten());
        let rows = this.work.on_return(eu, rows, home);
        if let Some(targets) = &this.targets {
            eu.put(targets.work, this.work);
            eu.put_block(targets.home, rows);
        }
        Then::End
    }
}

impl<T: Real> RowBlock<T> {
    /// Goes on to the next step, or waits at the barrier until all row blocks have reached the end of `step`.
    fn reached(&mut self, eu: &mut Eu, step: usize, rows: Points<T>) {
        match self.targets.as_ref().and_then(|targets| targets.barrier) {
            None => self.proceed(eu, step, rows),
            Some(barrier) => {
                self.args.rows = Some(rows);
                eu.rsync(barrier.at(step));
            }
        }
    }

    fn proceed(&mut self, eu: &mut Eu, step: usize, mut rows: Points<T>) {
        if step != TO_ROWS {
            return self.split(eu, rows);
        }
        let BlockArgs { index, plan, .. } = &*self.args;
        let transform = |from: Option<&_>, rows: &mut _| plan.transform(1, *index, from, rows);
        self.work.on_rows(eu, (None, &mut rows), plan.pass(1).transformed(), transform);
        self.reached(eu, TO_TILES_AGAIN, rows);
    }

    /// Splits transformed rows into tiles. Lends those of pairs that others own, keeps the rest, and
    /// transposes the one on the diagonal last, while others may already work on what was lent.
    fn split(&mut self, eu: &mut Eu, rows: Points<T>) {
        let (circle, index) = (self.args.circle(), self.args.index);
        let Some(targets) = &self.targets else { unreachable!("`scatter` took the targets") };
        let plan = &self.args.plan;
        let points = self.padded.points(plan.pass(0), rows);
        self.tiles.extend(plan.cut(1).split_cols(points).map(Some));
        for d in 1..=circle.lent(index) {
            if let Some(tile) = self.tiles[circle.before(index, d)].take() {
                eu.put_block(targets.lend[d - 1], tile);
            }
        }
        for owned in 0..circle.owned(index) {
            eu.sync(Self::pair.at(owned));
        }
        if let Some(tile) = &mut self.tiles[index] {
            self.work.on_tiles(eu, tile.len(), tile, transpose);
        }
        eu.sync(Self::gathered);
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
