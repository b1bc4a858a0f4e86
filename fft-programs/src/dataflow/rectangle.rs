//! The 2-D FFT of R x C points of any sizes: through a second matrix, which holds the transpose.
//!
//! The R rows are cut into I row blocks, the C rows of the transpose into J, on P nodes, as
//! [dealings](super::matrix::dealing) have it. The tile (i, j) holds the points that rows of block i have in
//! common with columns that are rows of block j; its place in the second matrix is (j, i).
//!
//! 1. *Setup.* [`RectangleFft`] deals the rows of the matrix: each row block is invoked on its node, as
//!    [`Along`]. Each row block of the second matrix is invoked on its node, as [`Across`], and makes its
//!    rows there. All send the [`Addresses`] of their inlets; each `Along` then transforms its rows without
//!    waiting for anything. When all addresses are known, each row block is sent its [`Targets`]: where its
//!    tiles go.
//! 2. *Transpose.* An `Along` whose rows are transformed splits them into J tiles and sends tile
//!    `j` to the `j`-th `Across`. The fiber `transpose` writes each tile that arrives to its place in the
//!    second matrix, and keeps it.
//! 3. *Second pass.* The fiber `join`, enabled when all I tiles have been transposed, joins their places to
//!    whole rows and transforms these: they are columns of the matrix.
//! 4. *Transpose* back: it splits the rows again, writes each part to the tile that it came from, and sends
//!    that back. The fiber `gather` of `Along`, enabled when all J tiles are back, joins them and sends the
//!    rows home, where `RectangleFft` joins all of them.
//!
//! No step waits for all of the one before. Tiles go back to where they were split, so that within a process
//! the output is in the memory of the input, in natural order `[k1][k2]`, and nothing large is allocated but
//! the second matrix. Its pages are first touched by the node that works on them. With a *barrier*, for
//! comparison, every step does wait: a row block that has reached the end of one signals `RectangleFft`, which
//! releases all that wait at once when the last one has.
//!
//! # Counts
//!
//! None of these depends on P, nor on the schedule. Z is the bytes of a point.
//!
//! | counter | count | made of |
//! |---|---|---|
//! | fibers | I J + 3 I + 2 J + 3 | an `Along`: `start`, `scatter`, `gather`; an `Across`: `start`, I of `transpose`, `join`; three of `RectangleFft` |
//! | invokes | I + J | |
//! | signals | 3 I J + 5 I + 3 J + 1 | each: its addresses, its targets, its time; an `Along`: its rows are ready, home; a tile: there, transposed, back; the value of the run |
//! | block moves | I (2 J + 1) | tiles there and back; home |
//! | bytes moved | 5 R C Z | the matrix dealt, tiles there and back, home, the value of the run |
//! | frames | I + J + 1 | |
//! | tokens, parked values, deferred reads | 0 | |
//!
//! `events_sent` is 5 for each `Along` that is not on node 0 (invoke, addresses, targets, time, home), 4 for
//! each such `Across` (invoke, addresses, targets, time), and 2 for each tile (i, j) of i and j on different nodes.
//!
//! A barrier takes I + 2 J + 3 fibers and 2 I + 4 J signals more, 2 events for each `Along` that is not on node
//! 0 and 4 for each such `Across`. Rows with [another leading dimension](super::matrix::padded_rows) change no count.
//!
//! Each inlet takes one tile in a run, so nothing is ever parked, and no frame ends while a tile is under way
//! to it: an `Across` ends when all I have come, an `Along` when all J are back.
//!
//! # When it loses
//!
//! It takes twice the memory, and moves each point twice more often than a transform in place of a
//! square would. A matrix of a single row, or a single column, is one task in one of the passes: no
//! number of nodes shares it. As in place, small tiles drown in fibers, and a transpose back that nobody
//! needs is done all the same.

use std::time::Duration;

use earth::{Eu, NodeId, Replies, Reply, SlotRefs, Then, Wire, threaded_old};
use earth_kernels::{Real, transpose_into};

use super::matrix::padded_rows::PaddedRows;
use super::matrix::{MatrixDone, MatrixPhases, MatrixPlan, Spent};
use super::points::{Points, whole_matrix};
use crate::plan::PlanHandle;

/// The barrier before the second pass, for row blocks of the second matrix.
const TO_ROWS: usize = 0;
/// The barrier before the second transpose, for the same. Row blocks of the matrix have a single barrier, before
/// the first transpose.
const TO_TILES_AGAIN: usize = 1;

/// The input of [`RectangleFft`].
#[derive(Debug, Wire)]
pub struct RectangleJob<T: Real> {
    matrix: Option<Points<T>>,
    plan: PlanHandle<MatrixPlan<T>>,
}

impl<T: Real> RectangleJob<T> {
    /// The job to transform a matrix, whose memory takes the result.
    ///
    /// # Panics
    ///
    /// If the matrix has other rows and columns than the plan's.
    pub fn new(matrix: Points<T>, plan: PlanHandle<MatrixPlan<T>>) -> Self {
        plan.check(&matrix);
        Self { matrix: Some(matrix), plan }
    }

    /// The row blocks of the matrix.
    fn along(&self) -> usize {
        self.plan.cut(0).count()
    }

    /// The row blocks of its transpose.
    fn across(&self) -> usize {
        self.plan.cut(1).count()
    }
}

/// The arguments of a row block of either matrix.
#[derive(Debug, Wire)]
pub struct BlockArgs<T: Real> {
    index: usize,
    /// The rows of a row block of the matrix. Those of the second matrix are made on their own nodes.
    rows: Option<Points<T>>,
    plan: PlanHandle<MatrixPlan<T>>,
    addresses: Reply<Box<Addresses<T>>>,
}

/// The addresses of a row block's inlets, and of its slots for barriers.
#[derive(Debug, Wire)]
pub struct Addresses<T: Real> {
    /// Its inlet for the targets.
    targets: Reply<Box<Targets<T>>>,
    /// Its inlets for tiles, by the row block of the other matrix that they come from.
    tiles: Replies<Points<T>>,
    /// Its slots that release it, one a barrier, if there are barriers.
    released: Option<SlotRefs>,
}

/// The addresses that a row block sends to, made when those of all row blocks are known.
#[derive(Debug, Wire)]
pub struct Targets<T: Real> {
    /// Where its tiles go, by the row block of the other matrix.
    tiles: Vec<Reply<Points<T>>>,
    /// Where the time that it worked goes.
    work: Reply<Spent>,
    /// Where its rows go in the end, if they hold the result.
    home: Option<Reply<Points<T>>>,
    /// The slots that count the row blocks at each barrier, if there are barriers.
    barrier: Option<SlotRefs>,
}

threaded_old! {
    /// The 2-D FFT of any matrix: it deals the rows of both matrices, connects the row blocks, and joins what comes
    /// back.
    pub fn RectangleFft<T: Real>(job: Box<RectangleJob<T>>, out: Reply<Box<MatrixDone<T>>>)
    state { clock: [Duration; 2] = [Duration::ZERO; 2], released: [Vec<SlotRefs>; 2] = [Vec::new(), Vec::new()] }
    calls { Along<T>, Across<T> }
    inlets {
        along[this.job.along()]: Box<Addresses<T>>,
        across[this.job.across()]: Box<Addresses<T>>,
        work[this.job.along() + this.job.across()]: Spent,
        home[this.job.along()]: Points<T>,
    }
    slots {
        announced: (this.job.along() + this.job.across()) => connect,
        done: (2 * this.job.along() + this.job.across()) => collect,
        along_barrier[this.job.plan.barriers(1)]: (this.job.along()) => release_along,
        across_barrier[this.job.plan.barriers(2)]: (this.job.across()) => release_across,
    }

    fiber deal(this, eu) {
        this.clock[0] = eu.now();
        let RectangleJob { matrix, plan } = &mut *this.job;
        let Some(matrix) = matrix.take() else { panic!("a run without a matrix") };
        let [along, across] = [plan.cut(0), plan.cut(1)];
        let addresses = eu.replies_to_one(Self::along, Self::announced);
        for (index, rows) in along.split_rows(matrix).enumerate() {
            let args = BlockArgs { index, rows: Some(rows), plan: plan.clone(), addresses: addresses.at(index) };
            eu.invoke_old::<Along<T>>(NodeId::new(along.node_of(index, eu.nodes())), (Box::new(args),));
        }
        let addresses = eu.replies_to_one(Self::across, Self::announced);
        for index in 0..across.count() {
            let args = BlockArgs { index, rows: None, plan: plan.clone(), addresses: addresses.at(index) };
            eu.invoke_old::<Across<T>>(NodeId::new(across.node_of(index, eu.nodes())), (Box::new(args),));
        }
        Then::Wait
    }

    fiber connect(this, eu) {
        let work = eu.replies_to_one(Self::work, Self::done);
        let home = eu.replies_to_one(Self::home, Self::done);
        let along: Vec<_> = (0..this.job.along()).map(|index| eu.take(Self::along.at(index))).collect();
        let across: Vec<_> = (0..this.job.across()).map(|index| eu.take(Self::across.at(index))).collect();
        let has_barrier = this.job.plan.has_barrier();
        let barrier = has_barrier.then(|| eu.slot_refs(Self::along_barrier));
        for (index, block) in along.iter().enumerate() {
            let tiles = across.iter().map(|across| across.tiles.at(index)).collect();
            let (work, home) = (work.at(index), Some(home.at(index)));
            eu.put(block.targets, Box::new(Targets { tiles, work, home, barrier }));
        }
        let barrier = has_barrier.then(|| eu.slot_refs(Self::across_barrier));
        for (index, block) in across.iter().enumerate() {
            let tiles = along.iter().map(|along| along.tiles.at(index)).collect();
            let work = work.at(along.len() + index);
            eu.put(block.targets, Box::new(Targets { tiles, work, home: None, barrier }));
        }
        this.released = [along, across].map(|blocks| blocks.iter().filter_map(|block| block.released).collect());
        this.clock[1] = eu.now();
        Then::Wait
    }

    fiber release_along(this, eu, step) {
        for block in &this.released[0] {
            eu.rsync(block.at(step));
        }
        Then::Wait
    }

    fiber release_across(this, eu, step) {
        for block in &this.released[1] {
            eu.rsync(block.at(step));
        }
        Then::Wait
    }

    fiber collect(this, eu) {
        let home = eu.now();
        let (along, across) = (this.job.along(), this.job.across());
        let work = (0..along + across).map(|block| eu.take(Self::work.at(block)));
        let work = work.fold(Spent::default(), Spent::plus);
        let spectrum = whole_matrix((0..along).map(|block| eu.take(Self::home.at(block))).collect());
        let [started, connected] = this.clock;
        let phases = MatrixPhases::between([started, connected, home, eu.now()], work);
        eu.put(this.out, Box::new(MatrixDone { spectrum, phases }));
        Then::End
    }
}

threaded_old! {
    /// A row block of the matrix: it transforms its rows in the first pass, and they hold the result in the end.
    pub fn Along<T: Real>(args: Box<BlockArgs<T>>)
    state {
        targets: Option<Box<Targets<T>>> = None,
        padded: PaddedRows<T> = PaddedRows::default(),
        work: Spent = Spent::default(),
    }
    inlets { targets: Box<Targets<T>>, tiles[this.args.plan.cut(1).count()]: Points<T> }
    slots {
        ready: 2 => scatter,
        released[this.args.plan.barriers(1)]: 1 => go_on,
        back: (this.args.plan.cut(1).count()) => gather,
    }

    fiber start(this, eu) {
        let targets = eu.reply_to(Self::targets, Self::ready);
        let tiles = eu.replies_to_one(Self::tiles, Self::back);
        let released = this.args.plan.has_barrier().then(|| eu.slot_refs(Self::released));
        eu.put(this.args.addresses, Box::new(Addresses { targets, tiles, released }));
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
        let targets = this.targets.insert(eu.take(Self::targets));
        match targets.barrier {
            Some(barrier) => eu.rsync(barrier.at(0)),
            None => this.send_tiles(eu),
        }
        Then::Wait
    }

    fiber go_on(this, eu) {
        this.send_tiles(eu);
        Then::Wait
    }

    fiber gather(this, eu) {
        let tiles = (0..this.args.plan.cut(1).count()).map(|index| eu.take(Self::tiles.at(index)));
        let (rows, home) = this.padded.leave(tiles);
        let rows = this.work.on_return(eu, rows, home);
        if let Some(targets) = &this.targets {
            eu.put(targets.work, this.work);
            if let Some(home) = targets.home {
                eu.put_block(home, rows);
            }
        }
        Then::End
    }
}

impl<T: Real> Along<T> {
    /// Splits transformed rows into tiles and sends them.
    fn send_tiles(&mut self, eu: &mut Eu) {
        let BlockArgs { rows, plan, .. } = &mut *self.args;
        let (Some(rows), Some(targets)) = (rows.take(), &self.targets) else {
            panic!("a row block without rows or targets")
        };
        let points = self.padded.points(plan.pass(0), rows);
        for (tile, &to) in plan.cut(1).split_cols(points).zip(&targets.tiles) {
            eu.put_block(to, tile);
        }
    }
}

threaded_old! {
    /// A row block of the transpose, which transforms its rows, columns of the matrix, in the second pass.
    pub fn Across<T: Real>(args: Box<BlockArgs<T>>)
    state {
        tiles: Vec<Option<Points<T>>> = Vec::new(),
        places: Vec<Points<T>> = Vec::new(),
        padded: PaddedRows<T> = PaddedRows::default(),
        targets: Option<Box<Targets<T>>> = None,
        work: Spent = Spent::default(),
    }
    inlets { targets: Box<Targets<T>>, tiles[this.args.plan.cut(0).count()]: Points<T> }
    slots {
        arrived[this.args.plan.cut(0).count()]: 1 => transpose,
        transposed: (this.args.plan.cut(0).count() + 1) => join,
        released[this.args.plan.barriers(2)]: 1 => go_on,
    }

    fiber start(this, eu) {
        let BlockArgs { index, plan, .. } = &*this.args;
        let pass = plan.pass(1);
        let points = this.padded.points(pass, pass.zeroed(*index));
        this.places.extend(plan.cut(0).split_cols(points));
        this.tiles.resize_with(this.places.len(), || None);
        let targets = eu.reply_to(Self::targets, Self::transposed);
        let tiles = eu.replies_to(Self::tiles, Self::arrived);
        let released = plan.has_barrier().then(|| eu.slot_refs(Self::released));
        eu.put(this.args.addresses, Box::new(Addresses { targets, tiles, released }));
        Then::Wait
    }

    fiber transpose(this, eu, index) {
        let tile = eu.take(Self::tiles.at(index));
        let operands = (&tile, &mut this.places[index]);
        this.work.on_tiles(eu, tile.len(), operands, |(tile, place)| transpose_into(tile, place));
        this.tiles[index] = Some(tile);
        eu.sync(Self::transposed);
        Then::Wait
    }

    fiber join(this, eu) {
        this.targets = Some(eu.take(Self::targets));
        let rows = this.padded.whole(this.places.drain(..));
        this.reached(eu, TO_ROWS, rows)
    }

    fiber go_on(this, eu, step) {
        let Some(rows) = this.args.rows.take() else { unreachable!("`reached` kept the rows") };
        this.proceed(eu, step, rows)
    }
}

impl<T: Real> Across<T> {
    /// Goes on to the next step, or waits at the barrier until all row blocks have reached the end of `step`.
    fn reached(&mut self, eu: &mut Eu, step: usize, rows: Points<T>) -> Then {
        match self.targets.as_ref().and_then(|targets| targets.barrier) {
            None => self.proceed(eu, step, rows),
            Some(barrier) => {
                self.args.rows = Some(rows);
                eu.rsync(barrier.at(step));
                Then::Wait
            }
        }
    }

    fn proceed(&mut self, eu: &mut Eu, step: usize, mut rows: Points<T>) -> Then {
        let BlockArgs { index, plan, .. } = &*self.args;
        if step == TO_ROWS {
            let transform = |from: Option<&_>, rows: &mut _| plan.transform(1, *index, from, rows);
            self.work.on_rows(eu, (None, &mut rows), plan.pass(1).transformed(), transform);
            return self.reached(eu, TO_TILES_AGAIN, rows);
        }
        let Some(targets) = &self.targets else { unreachable!("`join` took the targets") };
        let points = self.padded.points(plan.pass(1), rows);
        let places = plan.cut(0).split_cols(points);
        for ((place, tile), &back) in places.zip(self.tiles.drain(..)).zip(&targets.tiles) {
            let Some(mut tile) = tile else { unreachable!("all tiles have been transposed") };
            let operands = (&place, &mut tile);
            self.work.on_tiles(eu, place.len(), operands, |(place, tile)| transpose_into(place, tile));
            eu.put_block(back, tile);
        }
        eu.put(targets.work, self.work);
        Then::End
    }
}
