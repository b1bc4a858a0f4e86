//! The 2-D FFT of R x C points of any sizes: through a second matrix, which holds the transpose.
//!
//! The R rows are cut into I row blocks, the C rows of the transpose into J, on P nodes, as
//! [dealings](super::matrix::dealing) have it. The tile (i, j) is
//! those rows of block i and columns that are rows of block j; its place in the second matrix is (j, i).
//!
//! 1. *Setup.* [`RectangleFft`] deals the rows of the matrix: each row block is invoked on its node, as
//!    [`Along`]. Each row block of the second matrix is invoked on its node, as [`Across`], and makes its
//!    rows there. All say hello by sending the addresses of their inlets for tiles; each
//!    `Along` then transforms its rows without waiting for anything. When all have said hello, each is sent
//!    its [`Orders`]: where its tiles go.
//! 2. *Transpose.* An `Along` whose rows are transformed splits them into J tiles and sends tile
//!    `j` to the `j`-th `Across`. The fiber `turn` writes each that comes to its place in the
//!    second matrix, and keeps it.
//! 3. *Second pass.* The fiber `transform`, enabled when all I tiles have been turned, joins their places to
//!    whole rows and transforms these: they are columns of the matrix.
//! 4. *Transpose* back: it splits the rows again, writes each part to the tile that it came from, and sends
//!    that back. The fiber `gather` of `Along`, enabled when all J tiles are back, joins them and sends the
//!    rows home, where `RectangleFft` joins all of them.
//!
//! No step waits for all of the one before. Tiles go back to where they were split, so that within a process
//! the output is in the memory of the input, in natural order `[k1][k2]`, and nothing large is allocated but
//! the second matrix. Its pages are first touched by the node that works on them. With a *barrier*, for
//! comparison, every step does wait: row blocks that have reached the end of one tell `RectangleFft`, which lets
//! all that wait go on at once when the last one has.
//!
//! # Counts
//!
//! None of these depends on P, nor on the schedule. Z is the bytes of a point.
//!
//! | counter | count | made of |
//! |---|---|---|
//! | fibers | I J + 3 I + 2 J + 3 | an `Along`: `start`, `scatter`, `gather`; an `Across`: `start`, I of `turn`, `transform`; three of `RectangleFft` |
//! | invokes | I + J | |
//! | signals | 3 I J + 5 I + 3 J + 1 | each: hello, orders, its time; an `Along`: its rows are ready, home; a tile: there, turned, back; the value of the run |
//! | block moves | I (2 J + 1) | tiles there and back; home |
//! | bytes moved | 5 R C Z | the matrix dealt, tiles there and back, home, the value of the run |
//! | frames | I + J + 1 | |
//! | tokens, parked values, deferred reads | 0 | |
//!
//! `events_sent` is 5 for each `Along` that is not on node 0 (invoke, hello, orders, time, home), 4 for each
//! such `Across` (invoke, hello, orders, time), and 2 for each tile (i, j) of i and j on different nodes.
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

use earth::{Eu, NodeId, Replies, Reply, SlotRefs, Then, Wire, threaded};
use earth_kernels::{Real, transpose_into};

use super::matrix::padded_rows::PaddedRows;
use super::matrix::{MatrixDone, MatrixPhases, MatrixPlan, Spent};
use super::points::{Points, whole_matrix};
use crate::plan::PlanHandle;

/// Where row blocks of the second matrix wait for each other: before the second pass.
const TO_ROWS: usize = 0;
/// And before the second transpose. Those of the matrix wait once, before the first.
const TO_TILES_AGAIN: usize = 1;

/// What [`RectangleFft`] is given.
#[derive(Debug, Wire)]
pub struct RectangleJob<T: Real> {
    matrix: Option<Points<T>>,
    plan: PlanHandle<MatrixPlan<T>>,
}

impl<T: Real> RectangleJob<T> {
    /// The transform of a matrix, whose memory takes the result.
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

/// `count` barriers, if there are any.
fn barriers<T: Real>(plan: &MatrixPlan<T>, count: usize) -> usize {
    if plan.has_barrier() { count } else { 0 }
}

/// What a row block of either matrix is invoked with.
#[derive(Debug, Wire)]
pub struct Share<T: Real> {
    index: usize,
    /// Those of the matrix; the second one's are made where they are worked on.
    rows: Option<Points<T>>,
    plan: PlanHandle<MatrixPlan<T>>,
    hello: Reply<Box<Hello<T>>>,
}

/// What a row block says of itself.
#[derive(Debug, Wire)]
pub struct Hello<T: Real> {
    /// Where it takes its orders.
    told: Reply<Box<Orders<T>>>,
    /// Where it takes tiles, by the row block of the other matrix that they come from.
    tiles: Replies<Points<T>>,
    /// Where it waits for others, if it does.
    go: Option<SlotRefs>,
}

/// What a row block is told when all have said hello.
#[derive(Debug, Wire)]
pub struct Orders<T: Real> {
    /// Where its tiles go, by the row block of the other matrix.
    tiles: Vec<Reply<Points<T>>>,
    /// Where it tells how long it worked.
    work: Reply<Spent>,
    /// Where its rows go in the end, if they hold the result.
    home: Option<Reply<Points<T>>>,
    /// Where it says that it has reached the end of a step, if others wait for that.
    arrived: Option<SlotRefs>,
}

threaded! {
    /// The 2-D FFT of any matrix: it deals the rows of both matrices, introduces them,
    /// and joins what comes back.
    pub fn RectangleFft<T: Real>(job: Box<RectangleJob<T>>, out: Reply<Box<MatrixDone<T>>>)
    state { clock: [Duration; 2] = [Duration::ZERO; 2], go: [Vec<SlotRefs>; 2] = [Vec::new(), Vec::new()] }
    calls { Along<T>, Across<T> }
    inlets {
        along[this.job.along()]: Box<Hello<T>>,
        across[this.job.across()]: Box<Hello<T>>,
        work[this.job.along() + this.job.across()]: Spent,
        home[this.job.along()]: Points<T>,
    }
    slots {
        introduced: (this.job.along() + this.job.across()) => introduce,
        done: (2 * this.job.along() + this.job.across()) => collect,
        along_arrived[barriers(&this.job.plan, 1)]: (this.job.along()) => release_along,
        across_arrived[barriers(&this.job.plan, 2)]: (this.job.across()) => release_across,
    }

    fiber deal(this, eu) {
        this.clock[0] = eu.now();
        let RectangleJob { matrix, plan } = &mut *this.job;
        let Some(matrix) = matrix.take() else { panic!("a run without a matrix") };
        let [along, across] = [plan.cut(0), plan.cut(1)];
        let hello = eu.replies_to_one(Self::along, Self::introduced);
        for (index, rows) in along.split_rows(matrix).enumerate() {
            let share = Share { index, rows: Some(rows), plan: plan.clone(), hello: hello.at(index) };
            eu.invoke::<Along<T>>(NodeId::new(along.node_of(index, eu.nodes())), (Box::new(share),));
        }
        let hello = eu.replies_to_one(Self::across, Self::introduced);
        for index in 0..across.count() {
            let share = Share { index, rows: None, plan: plan.clone(), hello: hello.at(index) };
            eu.invoke::<Across<T>>(NodeId::new(across.node_of(index, eu.nodes())), (Box::new(share),));
        }
        Then::Wait
    }

    fiber introduce(this, eu) {
        let work = eu.replies_to_one(Self::work, Self::done);
        let home = eu.replies_to_one(Self::home, Self::done);
        let along: Vec<_> = (0..this.job.along()).map(|index| eu.take(Self::along.at(index))).collect();
        let across: Vec<_> = (0..this.job.across()).map(|index| eu.take(Self::across.at(index))).collect();
        let barrier = this.job.plan.has_barrier();
        let arrived = barrier.then(|| eu.slot_refs(Self::along_arrived));
        for (index, hello) in along.iter().enumerate() {
            let tiles = across.iter().map(|across| across.tiles.at(index)).collect();
            let (work, home) = (work.at(index), Some(home.at(index)));
            eu.put(hello.told, Box::new(Orders { tiles, work, home, arrived }));
        }
        let arrived = barrier.then(|| eu.slot_refs(Self::across_arrived));
        for (index, hello) in across.iter().enumerate() {
            let tiles = along.iter().map(|along| along.tiles.at(index)).collect();
            let work = work.at(along.len() + index);
            eu.put(hello.told, Box::new(Orders { tiles, work, home: None, arrived }));
        }
        this.go = [along, across].map(|blocks| blocks.iter().filter_map(|hello| hello.go).collect());
        this.clock[1] = eu.now();
        Then::Wait
    }

    fiber release_along(this, eu, step) {
        for go in &this.go[0] {
            eu.rsync(go.at(step));
        }
        Then::Wait
    }

    fiber release_across(this, eu, step) {
        for go in &this.go[1] {
            eu.rsync(go.at(step));
        }
        Then::Wait
    }

    fiber collect(this, eu) {
        let home = eu.now();
        let (along, across) = (this.job.along(), this.job.across());
        let work = (0..along + across).map(|block| eu.take(Self::work.at(block)));
        let work = work.fold(Spent::default(), Spent::plus);
        let spectrum = whole_matrix((0..along).map(|block| eu.take(Self::home.at(block))).collect());
        let [started, introduced] = this.clock;
        let phases = MatrixPhases::between([started, introduced, home, eu.now()], work);
        eu.put(this.out, Box::new(MatrixDone { spectrum, phases }));
        Then::End
    }
}

threaded! {
    /// Some rows of the matrix: transformed in the first pass, and the result in the end.
    pub fn Along<T: Real>(share: Box<Share<T>>)
    state {
        orders: Option<Box<Orders<T>>> = None,
        padded: PaddedRows<T> = PaddedRows::default(),
        work: Spent = Spent::default(),
    }
    inlets { told: Box<Orders<T>>, tiles[this.share.plan.cut(1).count()]: Points<T> }
    slots {
        ready: 2 => meet,
        go[barriers(&this.share.plan, 1)]: 1 => scatter,
        back: (this.share.plan.cut(1).count()) => gather,
    }

    fiber start(this, eu) {
        let told = eu.reply_to(Self::told, Self::ready);
        let tiles = eu.replies_to_one(Self::tiles, Self::back);
        let go = this.share.plan.has_barrier().then(|| eu.slot_refs(Self::go));
        eu.put(this.share.hello, Box::new(Hello { told, tiles, go }));
        let Share { index, rows, plan, .. } = &mut *this.share;
        let Some(came) = rows.take() else { panic!("a row block without rows") };
        let pass = plan.pass(0);
        let rows = rows.insert(this.padded.enter(pass, *index, came));
        let operands = (this.padded.home(), rows);
        this.work.on_rows(eu, operands, pass.transformed(), |from, rows| plan.transform(0, *index, from, rows));
        eu.sync(Self::ready);
        Then::Wait
    }

    fiber meet(this, eu) {
        let orders = this.orders.insert(eu.take(Self::told));
        match orders.arrived {
            Some(arrived) => eu.rsync(arrived.at(0)),
            None => this.send_tiles(eu),
        }
        Then::Wait
    }

    fiber scatter(this, eu) {
        this.send_tiles(eu);
        Then::Wait
    }

    fiber gather(this, eu) {
        let tiles = (0..this.share.plan.cut(1).count()).map(|index| eu.take(Self::tiles.at(index)));
        let (rows, home) = this.padded.leave(tiles);
        let rows = this.work.on_return(eu, rows, home);
        if let Some(orders) = &this.orders {
            eu.put(orders.work, this.work);
            if let Some(home) = orders.home {
                eu.put_block(home, rows);
            }
        }
        Then::End
    }
}

impl<T: Real> Along<T> {
    /// Splits transformed rows into tiles and sends them.
    fn send_tiles(&mut self, eu: &mut Eu) {
        let Share { rows, plan, .. } = &mut *self.share;
        let (Some(rows), Some(orders)) = (rows.take(), &self.orders) else {
            panic!("a row block without rows or orders")
        };
        let points = self.padded.points(plan.pass(0), rows);
        for (tile, &to) in plan.cut(1).split_cols(points).zip(&orders.tiles) {
            eu.put_block(to, tile);
        }
    }
}

threaded! {
    /// Some rows of the transpose: some columns of the matrix, which are transformed in the second pass.
    pub fn Across<T: Real>(share: Box<Share<T>>)
    state {
        came: Vec<Option<Points<T>>> = Vec::new(),
        places: Vec<Points<T>> = Vec::new(),
        padded: PaddedRows<T> = PaddedRows::default(),
        orders: Option<Box<Orders<T>>> = None,
        work: Spent = Spent::default(),
    }
    inlets { told: Box<Orders<T>>, tiles[this.share.plan.cut(0).count()]: Points<T> }
    slots {
        come[this.share.plan.cut(0).count()]: 1 => turn,
        turned: (this.share.plan.cut(0).count() + 1) => join,
        go[barriers(&this.share.plan, 2)]: 1 => go_on,
    }

    fiber start(this, eu) {
        let Share { index, plan, .. } = &*this.share;
        let pass = plan.pass(1);
        let points = this.padded.points(pass, pass.zeroed(*index));
        this.places.extend(plan.cut(0).split_cols(points));
        this.came.resize_with(this.places.len(), || None);
        let told = eu.reply_to(Self::told, Self::turned);
        let tiles = eu.replies_to(Self::tiles, Self::come);
        let go = plan.has_barrier().then(|| eu.slot_refs(Self::go));
        eu.put(this.share.hello, Box::new(Hello { told, tiles, go }));
        Then::Wait
    }

    fiber turn(this, eu, index) {
        let tile = eu.take(Self::tiles.at(index));
        let operands = (&tile, &mut this.places[index]);
        this.work.on_tiles(eu, tile.len(), operands, |(tile, place)| transpose_into(tile, place));
        this.came[index] = Some(tile);
        eu.sync(Self::turned);
        Then::Wait
    }

    fiber join(this, eu) {
        this.orders = Some(eu.take(Self::told));
        let rows = this.padded.whole(this.places.drain(..));
        this.reached(eu, TO_ROWS, rows)
    }

    fiber go_on(this, eu, step) {
        let Some(rows) = this.share.rows.take() else { unreachable!("`reached` kept the rows") };
        this.proceed(eu, step, rows)
    }
}

impl<T: Real> Across<T> {
    /// Goes on to the next step, or waits until all have come as far.
    fn reached(&mut self, eu: &mut Eu, step: usize, rows: Points<T>) -> Then {
        match self.orders.as_ref().and_then(|orders| orders.arrived) {
            None => self.proceed(eu, step, rows),
            Some(arrived) => {
                self.share.rows = Some(rows);
                eu.rsync(arrived.at(step));
                Then::Wait
            }
        }
    }

    fn proceed(&mut self, eu: &mut Eu, step: usize, mut rows: Points<T>) -> Then {
        let Share { index, plan, .. } = &*self.share;
        if step == TO_ROWS {
            let transform = |from: Option<&_>, rows: &mut _| plan.transform(1, *index, from, rows);
            self.work.on_rows(eu, (None, &mut rows), plan.pass(1).transformed(), transform);
            return self.reached(eu, TO_TILES_AGAIN, rows);
        }
        let Some(orders) = &self.orders else { unreachable!("`join` took the orders") };
        let points = self.padded.points(plan.pass(1), rows);
        let places = plan.cut(0).split_cols(points);
        for ((place, tile), &back) in places.zip(self.came.drain(..)).zip(&orders.tiles) {
            let Some(mut tile) = tile else { unreachable!("all tiles have come and been turned") };
            let operands = (&place, &mut tile);
            self.work.on_tiles(eu, place.len(), operands, |(place, tile)| transpose_into(place, tile));
            eu.put_block(back, tile);
        }
        eu.put(orders.work, self.work);
        Then::End
    }
}
