//! The 2-D FFT of R x C points of any sizes: through a second matrix, which holds the transpose.
//!
//! The R rows are cut into I row blocks, the C rows of the transpose into J, on P nodes. The tile (i, j) is
//! those rows of block i and columns that are rows of block j; its place in the second matrix is (j, i).
//!
//! 1. *Setup.* [`RectangleFft`] deals the rows of the matrix: row block `i` is invoked on node `i mod P`, as
//!    [`Along`]. It makes the second matrix, untouched, and deals that: its row block `j` is invoked on node
//!    `j mod P`, as [`Across`]. All say hello by sending the addresses of their inlets for tiles; each
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
//! the second matrix. Its pages are first touched by the node that works on them.
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
//! | bytes moved | 6 R C Z | both matrices dealt, tiles there and back, home, the value of the run |
//! | frames | I + J + 1 | |
//! | tokens, parked values, deferred reads | 0 | |
//!
//! `events_sent` is 5 for each `Along` that is not on node 0 (invoke, hello, orders, time, home), 4 for each
//! such `Across` (invoke, hello, orders, time), and 2 for each tile (i, j) with i and j different modulo P.
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

use earth::{NodeId, Replies, Reply, Then, threaded, wire};
use earth_kernels::{Real, transpose_into};

use super::{MatrixDone, MatrixPhases, MatrixPlan, Points, Work, whole_matrix, whole_rows};
use crate::oned::planned::Planned;

wire! {
    /// What [`RectangleFft`] is given.
    #[derive(Debug)]
    pub struct RectangleJob<T: Real> {
        matrix: Option<Points<T>>,
        plan: Planned<MatrixPlan<T>>,
    }
}

impl<T: Real> RectangleJob<T> {
    /// The transform of a matrix, whose memory takes the result.
    ///
    /// # Panics
    ///
    /// If the matrix has other rows and columns than the plan's.
    pub fn new(matrix: Points<T>, plan: Planned<MatrixPlan<T>>) -> Self {
        plan.check(&matrix);
        Self { matrix: Some(matrix), plan }
    }

    /// The row blocks of the matrix.
    fn along(&self) -> usize {
        self.plan.cut()[0].count()
    }

    /// The row blocks of its transpose.
    fn across(&self) -> usize {
        self.plan.cut()[1].count()
    }
}

wire! {
    /// What a row block of either matrix is invoked with.
    #[derive(Debug)]
    pub struct Share<T: Real> {
        rows: Option<Points<T>>,
        plan: Planned<MatrixPlan<T>>,
        hello: Reply<Box<Hello<T>>>,
    }
}

wire! {
    /// What a row block says of itself.
    #[derive(Debug)]
    pub struct Hello<T: Real> {
        /// Where it takes its orders.
        told: Reply<Box<Orders<T>>>,
        /// Where it takes tiles, by the row block of the other matrix that they come from.
        tiles: Replies<Points<T>>,
    }
}

wire! {
    /// What a row block is told when all have said hello.
    #[derive(Debug)]
    pub struct Orders<T: Real> {
        /// Where its tiles go, by the row block of the other matrix.
        tiles: Vec<Reply<Points<T>>>,
        /// Where it tells how long it worked.
        work: Reply<Work>,
        /// Where its rows go in the end, if they hold the result.
        home: Option<Reply<Points<T>>>,
    }
}

threaded! {
    /// The 2-D FFT of any matrix: it deals the rows of both matrices, introduces them,
    /// and joins what comes back.
    pub fn RectangleFft<T: Real>(job: Box<RectangleJob<T>>, out: Reply<Box<MatrixDone<T>>>)
    state { clock: [Duration; 2] = [Duration::ZERO; 2] }
    calls { Along<T>, Across<T> }
    inlets {
        along[this.job.along()]: Box<Hello<T>>,
        across[this.job.across()]: Box<Hello<T>>,
        work[this.job.along() + this.job.across()]: Work,
        home[this.job.along()]: Points<T>,
    }
    slots {
        introduced: (this.job.along() + this.job.across()) => introduce,
        done: (2 * this.job.along() + this.job.across()) => collect,
    }

    fiber deal(this, eu) {
        this.clock[0] = eu.now();
        let RectangleJob { matrix, plan } = &mut *this.job;
        let Some(matrix) = matrix.take() else { panic!("a run without a matrix") };
        let turned = matrix.zeroed_like(matrix.cols(), matrix.rows());
        let [along, across] = plan.cut();
        let hello = eu.replies_to_one(Self::along, Self::introduced);
        for (index, rows) in matrix.split_rows_into(along.block()).enumerate() {
            let share = Share { rows: Some(rows), plan: plan.clone(), hello: hello.at(index) };
            eu.invoke::<Along<T>>(NodeId::new(index % eu.nodes()), (Box::new(share),));
        }
        let hello = eu.replies_to_one(Self::across, Self::introduced);
        for (index, rows) in turned.split_rows_into(across.block()).enumerate() {
            let share = Share { rows: Some(rows), plan: plan.clone(), hello: hello.at(index) };
            eu.invoke::<Across<T>>(NodeId::new(index % eu.nodes()), (Box::new(share),));
        }
        Then::Wait
    }

    fiber introduce(this, eu) {
        let work = eu.replies_to_one(Self::work, Self::done);
        let home = eu.replies_to_one(Self::home, Self::done);
        let along: Vec<_> = (0..this.job.along()).map(|index| eu.take(Self::along.at(index))).collect();
        let across: Vec<_> = (0..this.job.across()).map(|index| eu.take(Self::across.at(index))).collect();
        for (index, hello) in along.iter().enumerate() {
            let tiles = across.iter().map(|across| across.tiles.at(index)).collect();
            let (work, home) = (work.at(index), Some(home.at(index)));
            eu.put(hello.told, Box::new(Orders { tiles, work, home }));
        }
        for (index, hello) in across.iter().enumerate() {
            let tiles = along.iter().map(|along| along.tiles.at(index)).collect();
            let work = work.at(along.len() + index);
            eu.put(hello.told, Box::new(Orders { tiles, work, home: None }));
        }
        this.clock[1] = eu.now();
        Then::Wait
    }

    fiber collect(this, eu) {
        let home = eu.now();
        let (along, across) = (this.job.along(), this.job.across());
        let work = (0..along + across).map(|block| eu.take(Self::work.at(block)));
        let work = work.fold(Work::default(), Work::plus);
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
    state { orders: Option<Box<Orders<T>>> = None, work: Work = Work::default() }
    inlets { told: Box<Orders<T>>, tiles[this.share.plan.cut()[1].count()]: Points<T> }
    slots { ready: 2 => scatter, back: (this.share.plan.cut()[1].count()) => gather }

    fiber start(this, eu) {
        let told = eu.reply_to(Self::told, Self::ready);
        let tiles = eu.replies_to_one(Self::tiles, Self::back);
        eu.put(this.share.hello, Box::new(Hello { told, tiles }));
        let Share { rows, plan, .. } = &mut *this.share;
        if let Some(rows) = rows {
            this.work.on_rows(eu, rows, |rows| plan.transform(0, rows));
        }
        eu.sync(Self::ready);
        Then::Wait
    }

    fiber scatter(this, eu) {
        let orders = eu.take(Self::told);
        let Share { rows, plan, .. } = &mut *this.share;
        let Some(rows) = rows.take() else { panic!("a row block without rows") };
        for (tile, &to) in rows.split_cols_into(plan.cut()[1].block()).zip(&orders.tiles) {
            eu.put_block(to, tile);
        }
        this.orders = Some(orders);
        Then::Wait
    }

    fiber gather(this, eu) {
        let tiles = (0..this.share.plan.cut()[1].count()).map(|index| eu.take(Self::tiles.at(index)));
        let rows = whole_rows(tiles.collect());
        if let Some(orders) = &this.orders {
            eu.put(orders.work, this.work);
            if let Some(home) = orders.home {
                eu.put_block(home, rows);
            }
        }
        Then::End
    }
}

threaded! {
    /// Some rows of the transpose: some columns of the matrix, which are transformed in the second pass.
    pub fn Across<T: Real>(share: Box<Share<T>>)
    state {
        came: Vec<Option<Points<T>>> = Vec::new(),
        places: Vec<Points<T>> = Vec::new(),
        work: Work = Work::default(),
    }
    inlets { told: Box<Orders<T>>, tiles[this.share.plan.cut()[0].count()]: Points<T> }
    slots {
        come[this.share.plan.cut()[0].count()]: 1 => turn,
        turned: (this.share.plan.cut()[0].count() + 1) => transform,
    }

    fiber start(this, eu) {
        let Some(rows) = this.share.rows.take() else { panic!("a row block without rows") };
        this.places.extend(rows.split_cols_into(this.share.plan.cut()[0].block()));
        this.came.resize_with(this.places.len(), || None);
        let told = eu.reply_to(Self::told, Self::turned);
        let tiles = eu.replies_to(Self::tiles, Self::come);
        eu.put(this.share.hello, Box::new(Hello { told, tiles }));
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

    fiber transform(this, eu) {
        let orders = eu.take(Self::told);
        let mut rows = whole_rows(this.places.drain(..).collect());
        this.work.on_rows(eu, &mut rows, |rows| this.share.plan.transform(1, rows));
        let places = rows.split_cols_into(this.share.plan.cut()[0].block());
        for ((place, tile), &back) in places.zip(this.came.drain(..)).zip(&orders.tiles) {
            let Some(mut tile) = tile else { unreachable!("all tiles have come and been turned") };
            let operands = (&place, &mut tile);
            this.work.on_tiles(eu, place.len(), operands, |(place, tile)| transpose_into(place, tile));
            eu.put_block(back, tile);
        }
        eu.put(orders.work, this.work);
        Then::End
    }
}
