//! The 2-D FFT of N x N points in place: row blocks that exchange tiles across the diagonal.
//!
//! N rows in K row blocks on P nodes, as a [dealing](super::matrix::dealing) has it. The tile
//! (i, j) is those rows of block i and columns of block j; its mirror image is (j, i).
//!
//! 1. *Setup.* [`SquareFft`] deals the rows: each row block is invoked on its node. Each
//!    [`RowBlock`] says hello by sending the addresses of its inlets, and then transforms its rows
//!    without waiting for anything. When all have said hello, each is sent its [`Orders`]: where its
//!    tiles go, and its rows in the end.
//! 2. *Transpose.* A row block whose rows are transformed splits them into K tiles. Of each pair of
//!    tiles (i, j) and (j, i) one row block is the *owner* and the other one the *lender*, which sends
//!    its tile to the owner. The fiber `exchange`, enabled by the owner's own rows and by the lender's
//!    tile, turns each into the other's place and sends the lender's back. The tile on the diagonal is
//!    turned by its row block alone.
//! 3. *Second pass.* The fiber `gather`, enabled when all K tiles of the row block are turned and at home,
//!    joins them to whole rows and transforms these: they were columns.
//! 4. *Transpose* again, likewise, so that output `[k1][k2]` is in natural order. `gather`, a second time,
//!    joins the tiles and sends the rows home, where `SquareFft` joins all of them.
//!
//! No step waits for all of the one before: tiles of blocks that are ready are exchanged while other rows are
//! still being transformed. With a *barrier*, for comparison, every step does wait: row blocks that have reached
//! the end of one tell `SquareFft`, which lets all go on at once when the last one has. Within a process no point is moved but by the transforms and the exchanges
//! themselves, and all that is allocated is a scratch for the row kernel in each row block at work, and lists
//! of handles and addresses.
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
//! | signals | 4 K^2 + 3 K + 1 | a row block: hello, orders, its rows are ready, two tiles on the diagonal, its time, home; each pair in each transpose: the owner's rows, the tile lent, the owner's tile turned, the lender's back; the value of the run |
//! | block moves | K (2 K - 1) | each pair in each transpose two; home |
//! | bytes moved | (5 N^2 - 2 Q) Z | dealt; in each transpose one tile of each pair there and back; home; the value of the run |
//! | frames | K + 1 | |
//! | tokens, parked values, deferred reads | 0 | |
//!
//! `events_sent` is 5 for each row block that is not on node 0 (invoke, hello, orders, time, home; dealt round
//! all nodes, these are K - ceil(K/P)), and 4 for each pair of row blocks on different nodes.
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
//! transfers. The addresses that node 0 tells are K (K - 1), alone. Through bytes it is not in place: each
//! tile that comes back is in new memory, and the rows are copied together.

use std::time::Duration;

use earth::{Eu, NodeId, Replies, Reply, SlotRefs, Then, Wire, threaded};
use earth_kernels::{Real, exchange_transposed, transpose};

use super::matrix::padded_rows::PaddedRows;
use super::matrix::{MatrixDone, MatrixPhases, MatrixPlan, Spent};
use super::points::{Points, whole_matrix};
use crate::plan::PlanHandle;

/// Between four steps.
const BARRIERS: usize = 3;

/// Before the first transpose.
const TO_TILES: usize = 0;
/// Before the second pass.
const TO_ROWS: usize = 1;
/// Before the second transpose.
const TO_TILES_AGAIN: usize = 2;

/// That many row blocks in a circle: who owns which pair.
#[derive(Clone, Copy, Debug)]
struct Circle(usize);

impl Circle {
    /// How many pairs a block owns: those with the blocks after it, at distances of 1 to this.
    fn owned(self, block: usize) -> usize {
        let opposite = self.0.is_multiple_of(2) && block < self.0 / 2;
        (self.0 - 1) / 2 + usize::from(opposite)
    }

    /// To how many owners a block lends a tile: to the blocks before it, at distances of 1 to this.
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

/// What [`SquareFft`] is given.
#[derive(Debug, Wire)]
pub struct SquareJob<T: Real> {
    matrix: Option<Points<T>>,
    plan: PlanHandle<MatrixPlan<T>>,
}

impl<T: Real> SquareJob<T> {
    /// The transform of a matrix, in whose memory the program works.
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

    /// Where a step waits for the one before.
    fn barriers(&self) -> usize {
        if self.plan.has_barrier() { BARRIERS } else { 0 }
    }
}

/// What a row block is invoked with.
#[derive(Debug, Wire)]
pub struct Share<T: Real> {
    index: usize,
    rows: Option<Points<T>>,
    plan: PlanHandle<MatrixPlan<T>>,
    hello: Reply<Box<Hello<T>>>,
}

impl<T: Real> Share<T> {
    fn circle(&self) -> Circle {
        Circle(self.plan.cut(0).count())
    }
}

/// What a row block says of itself.
#[derive(Debug, Wire)]
pub struct Hello<T: Real> {
    /// Where it takes its orders.
    told: Reply<Box<Orders<T>>>,
    /// Where it takes the tiles that others lend it, by their distance less one.
    lent: Replies<Points<T>>,
    /// Where its own come back, by the owner's distance less one.
    returned: Replies<Points<T>>,
    /// Where it waits for others, if it does.
    go: Option<SlotRefs>,
}

/// What a row block is told when all have said hello.
#[derive(Debug, Wire)]
pub struct Orders<T: Real> {
    /// Where it lends its tiles, by the owner's distance less one.
    lend: Vec<Reply<Points<T>>>,
    /// Where it returns those of others, by their distance less one.
    give_back: Vec<Reply<Points<T>>>,
    /// Where it tells how long it worked.
    work: Reply<Spent>,
    /// Where its rows go in the end.
    home: Reply<Points<T>>,
    /// Where it says that it has reached the end of a step, if others wait for that.
    arrived: Option<SlotRefs>,
}

threaded! {
    /// The 2-D FFT of a square matrix: it deals the rows, introduces the row blocks,
    /// and joins what comes back.
    pub fn SquareFft<T: Real>(job: Box<SquareJob<T>>, out: Reply<Box<MatrixDone<T>>>)
    state { clock: [Duration; 2] = [Duration::ZERO; 2], go: Vec<SlotRefs> = Vec::new() }
    calls { RowBlock<T> }
    inlets {
        hello[this.job.blocks()]: Box<Hello<T>>,
        work[this.job.blocks()]: Spent,
        home[this.job.blocks()]: Points<T>,
    }
    slots {
        introduced: (this.job.blocks()) => introduce,
        done: (2 * this.job.blocks()) => collect,
        arrived[this.job.barriers()]: (this.job.blocks()) => release,
    }

    fiber deal(this, eu) {
        this.clock[0] = eu.now();
        let SquareJob { matrix, plan } = &mut *this.job;
        let Some(matrix) = matrix.take() else { panic!("a run without a matrix") };
        let hello = eu.replies_to_one(Self::hello, Self::introduced);
        let cut = plan.cut(0);
        for (index, rows) in cut.split_rows(matrix).enumerate() {
            let share = Share { index, rows: Some(rows), plan: plan.clone(), hello: hello.at(index) };
            eu.invoke::<RowBlock<T>>(NodeId::new(cut.node_of(index, eu.nodes())), (Box::new(share),));
        }
        Then::Wait
    }

    fiber introduce(this, eu) {
        let circle = Circle(this.job.blocks());
        let work = eu.replies_to_one(Self::work, Self::done);
        let home = eu.replies_to_one(Self::home, Self::done);
        let arrived = this.job.plan.has_barrier().then(|| eu.slot_refs(Self::arrived));
        let blocks: Vec<_> = (0..circle.0).map(|block| eu.take(Self::hello.at(block))).collect();
        this.go.extend(blocks.iter().filter_map(|hello| hello.go));
        for (block, hello) in blocks.iter().enumerate() {
            let owners = (1..=circle.lent(block)).map(|d| (&blocks[circle.before(block, d)], d - 1));
            let lenders = (1..=circle.owned(block)).map(|d| (&blocks[circle.after(block, d)], d - 1));
            let orders = Orders {
                lend: owners.map(|(owner, at)| owner.lent.at(at)).collect(),
                give_back: lenders.map(|(lender, at)| lender.returned.at(at)).collect(),
                work: work.at(block),
                home: home.at(block),
                arrived,
            };
            eu.put(hello.told, Box::new(orders));
        }
        this.clock[1] = eu.now();
        Then::Wait
    }

    fiber release(this, eu, step) {
        for go in &this.go {
            eu.rsync(go.at(step));
        }
        Then::Wait
    }

    fiber collect(this, eu) {
        let home = eu.now();
        let blocks = this.job.blocks();
        let work = (0..blocks).map(|block| eu.take(Self::work.at(block))).fold(Spent::default(), Spent::plus);
        let spectrum = whole_matrix((0..blocks).map(|block| eu.take(Self::home.at(block))).collect());
        let [started, introduced] = this.clock;
        let phases = MatrixPhases::between([started, introduced, home, eu.now()], work);
        eu.put(this.out, Box::new(MatrixDone { spectrum, phases }));
        Then::End
    }
}

threaded! {
    /// Some rows of the matrix, through both passes.
    pub fn RowBlock<T: Real>(share: Box<Share<T>>)
    state {
        orders: Option<Box<Orders<T>>> = None,
        tiles: Vec<Option<Points<T>>> = Vec::new(),
        padded: PaddedRows<T> = PaddedRows::default(),
        second: bool = false,
        work: Spent = Spent::default(),
    }
    inlets {
        told: Box<Orders<T>>,
        lent[this.share.circle().owned(this.share.index)]: Points<T>,
        returned[this.share.circle().lent(this.share.index)]: Points<T>,
    }
    slots {
        ready: 2 => scatter,
        pair[this.share.circle().owned(this.share.index)]: 2, reset 2 => exchange,
        gathered: (this.share.circle().0), reset (this.share.circle().0) => gather,
        go[if this.share.plan.has_barrier() { BARRIERS } else { 0 }]: 1 => go_on,
    }

    fiber start(this, eu) {
        let hello = Hello {
            told: eu.reply_to(Self::told, Self::ready),
            lent: eu.replies_to(Self::lent, Self::pair),
            returned: eu.replies_to_one(Self::returned, Self::gathered),
            go: this.share.plan.has_barrier().then(|| eu.slot_refs(Self::go)),
        };
        eu.put(this.share.hello, Box::new(hello));
        let Share { index, rows, plan, .. } = &mut *this.share;
        let Some(came) = rows.take() else { panic!("a row block without rows") };
        let pass = plan.pass(0);
        let rows = rows.insert(this.padded.enter(pass, *index, came));
        let operands = (this.padded.home(), rows);
        this.work.on_rows(eu, operands, pass.transformed(), |from, rows| plan.transform(0, *index, from, rows));
        eu.sync(Self::ready);
        Then::Wait
    }

    fiber scatter(this, eu) {
        this.orders = Some(eu.take(Self::told));
        let Some(rows) = this.share.rows.take() else { panic!("a row block without rows") };
        this.reached(eu, TO_TILES, rows);
        Then::Wait
    }

    fiber go_on(this, eu, step) {
        let Some(rows) = this.share.rows.take() else { unreachable!("`reached` kept the rows") };
        this.proceed(eu, step, rows);
        Then::Wait
    }

    fiber exchange(this, eu, owned) {
        let mut theirs = eu.take(Self::lent.at(owned));
        let lender = this.share.circle().after(this.share.index, owned + 1);
        let (Some(mine), Some(orders)) = (&mut this.tiles[lender], &this.orders) else {
            unreachable!("`split` keeps the tiles of the pairs whose slots it signals")
        };
        let points = 2 * theirs.len();
        this.work.on_tiles(eu, points, (mine, &mut theirs), |(mine, theirs)| exchange_transposed(mine, theirs));
        eu.put_block(orders.give_back[owned], theirs);
        eu.sync(Self::gathered);
        Then::Wait
    }

    fiber gather(this, eu) {
        let (circle, index) = (this.share.circle(), this.share.index);
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
        if let Some(orders) = &this.orders {
            eu.put(orders.work, this.work);
            eu.put_block(orders.home, rows);
        }
        Then::End
    }
}

impl<T: Real> RowBlock<T> {
    /// Goes on to the next step, or waits until all have come as far.
    fn reached(&mut self, eu: &mut Eu, step: usize, rows: Points<T>) {
        match self.orders.as_ref().and_then(|orders| orders.arrived) {
            None => self.proceed(eu, step, rows),
            Some(arrived) => {
                self.share.rows = Some(rows);
                eu.rsync(arrived.at(step));
            }
        }
    }

    fn proceed(&mut self, eu: &mut Eu, step: usize, mut rows: Points<T>) {
        if step != TO_ROWS {
            return self.split(eu, rows);
        }
        let Share { index, plan, .. } = &*self.share;
        let transform = |from: Option<&_>, rows: &mut _| plan.transform(1, *index, from, rows);
        self.work.on_rows(eu, (None, &mut rows), plan.pass(1).transformed(), transform);
        self.reached(eu, TO_TILES_AGAIN, rows);
    }

    /// Splits transformed rows into tiles. Lends those of pairs that others own, keeps the rest, and turns
    /// the one on the diagonal last, while others may already work on what was lent.
    fn split(&mut self, eu: &mut Eu, rows: Points<T>) {
        let (circle, index) = (self.share.circle(), self.share.index);
        let Some(orders) = &self.orders else { unreachable!("`scatter` took the orders") };
        let plan = &self.share.plan;
        let points = self.padded.points(plan.pass(0), rows);
        self.tiles.extend(plan.cut(1).split_cols(points).map(Some));
        for d in 1..=circle.lent(index) {
            if let Some(tile) = self.tiles[circle.before(index, d)].take() {
                eu.put_block(orders.lend[d - 1], tile);
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
