//! The 2-D FFT of R x C points of any sizes: through a second matrix, which holds the transpose.
//!
//! The R rows are cut into I row blocks, the C rows of the transpose into J, on P nodes, as
//! [dealings](super::dealing) have it. The tile (i, j) holds the points that rows of block i have in
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
//! 0 and 4 for each such `Across`. Rows with [another leading dimension](super::padded_rows) change no count.
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

use earth::{Arrived, Eu, NodeId, Replies, Reply, Shared, SharedValues, SlotRefs, Then, Wire, threaded};
use earth_fft::dataflow::Spent;
use earth_fft::dataflow::phases::{Done, Phases};
use earth_fft::dataflow::points::{Points, whole_matrix};
use earth_kernels::{Real, transpose_into};

use super::MatrixPlan;
use super::padded_rows::PaddedRows;

/// The barrier before the second pass, for row blocks of the second matrix.
const TO_ROWS: usize = 0;
/// The barrier before the second transpose, for the same. Row blocks of the matrix have a single barrier, before
/// the first transpose.
const TO_TILES_AGAIN: usize = 1;

/// The input of [`RectangleFft`].
#[derive(Debug, Wire)]
pub struct RectangleJob<T: Real> {
    matrix: Points<T>,
    plan: Shared<MatrixPlan<T>>,
}

impl<T: Real> RectangleJob<T> {
    /// The job to transform a matrix, whose memory takes the result.
    ///
    /// # Panics
    ///
    /// If the matrix has other rows and columns than the plan's.
    pub fn new(matrix: Points<T>, plan: Shared<MatrixPlan<T>>) -> Self {
        plan.check(&matrix);
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

/// The 2-D FFT of any matrix: it deals the rows of both matrices, connects the row blocks, and joins what comes
/// back.
pub struct RectangleFft<T: Real> {
    plan: Shared<MatrixPlan<T>>,
    started: Duration,
    connected: Duration,
    /// The slots that release the row blocks of the matrix, and those of its transpose.
    released: [Vec<SlotRefs>; 2],
    out: Reply<Done<T>>,
}

#[threaded(along = job.plan.cut(0).count(), across = job.plan.cut(1).count())]
impl<T: Real> RectangleFft<T> {
    /// The 2-D FFT of any matrix.
    pub fn deal(job: RectangleJob<T>, out: Reply<Done<T>>, eu: &mut Eu<Self>) -> Self {
        let started = eu.now();
        let RectangleJob { matrix, plan } = job;
        let [along, across] = [plan.cut(0), plan.cut(1)];
        let addresses = eu.replies(Self::connect().along);
        for (index, rows) in along.split_rows(matrix).enumerate() {
            let node = NodeId::new(along.node_of(index, eu.nodes()));
            eu.invoke(node, Along::call(index, rows, plan.clone(), addresses.at(index)));
        }
        let addresses = eu.replies(Self::connect().across);
        for index in 0..across.count() {
            let node = NodeId::new(across.node_of(index, eu.nodes()));
            eu.invoke(node, Across::call(index, plan.clone(), addresses.at(index)));
        }
        RectangleFft { plan, started, connected: started, released: [const { Vec::new() }; 2], out }
    }

    #[slot]
    fn connect(
        &mut self,
        #[inlets(along)] along: Arrived<'_, Addresses<T>>,
        #[inlets(across)] across: Arrived<'_, Addresses<T>>,
        eu: &mut Eu<Self>,
    ) {
        let work = eu.replies(Self::collect().work);
        let home = eu.replies(Self::collect().home);
        let has_barrier = self.plan.has_barrier();
        let barrier = has_barrier.then(|| eu.slot_refs(Self::release_along(..)));
        for (index, block) in along.iter().enumerate() {
            let tiles = across.iter().map(|across| across.tiles.at(index)).collect();
            let (work, home) = (work.at(index), Some(home.at(index)));
            eu.put(block.targets, Targets { tiles, work, home, barrier });
        }
        let barrier = has_barrier.then(|| eu.slot_refs(Self::release_across(..)));
        for (index, block) in across.iter().enumerate() {
            let tiles = along.iter().map(|along| along.tiles.at(index)).collect();
            let work = work.at(along.len() + index);
            eu.put(block.targets, Targets { tiles, work, home: None, barrier });
        }
        self.released =
            [along, across].map(|blocks| blocks.iter().filter_map(|block| block.released).collect());
        self.connected = eu.now();
    }

    #[slots(len = job.plan.barriers(1), syncs = along)]
    fn release_along(&mut self, step: usize, eu: &mut Eu<Self>) {
        for block in &self.released[0] {
            eu.rsync(block.at(step));
        }
    }

    #[slots(len = job.plan.barriers(2), syncs = across)]
    fn release_across(&mut self, step: usize, eu: &mut Eu<Self>) {
        for block in &self.released[1] {
            eu.rsync(block.at(step));
        }
    }

    #[slot]
    fn collect(
        self,
        #[inlets(along + across)] work: Arrived<'_, Spent>,
        #[inlets(along)] home: Arrived<'_, Points<T>>,
        eu: &mut Eu<Self>,
    ) {
        let all_home = eu.now();
        let work = work.fold(Spent::default(), Spent::plus);
        let spectrum = whole_matrix(home.collect());
        let phases = Phases::between([self.started, self.connected, all_home, eu.now()]).with_spent(work);
        eu.put(self.out, Done::new(spectrum, phases));
    }
}

/// A row block of the matrix: it transforms its rows in the first pass, and they hold the result in the end.
pub struct Along<T: Real> {
    plan: Shared<MatrixPlan<T>>,
    /// The rows, until they are split.
    rows: Option<Points<T>>,
    padded: PaddedRows<T>,
    targets: Option<Targets<T>>,
    work: Spent,
}

#[threaded]
impl<T: Real> Along<T> {
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
            tiles: eu.replies(Self::gather().tiles),
            released: plan.has_barrier().then(|| eu.slot_refs(Self::go_on(..))),
        };
        eu.put(addresses, own);
        let (mut padded, mut work) = (PaddedRows::default(), Spent::default());
        let pass = plan.pass(0);
        let mut rows = padded.enter(pass, index, rows);
        let transform = |from: Option<&_>, rows: &mut _| plan.transform(0, index, from, rows);
        work.on_rows(eu, (padded.home(), &mut rows), pass.work(index), transform);
        eu.sync(Self::scatter());
        Along { plan, rows: Some(rows), padded, targets: None, work }
    }

    #[slot(sync)]
    fn scatter(&mut self, targets: Targets<T>, eu: &mut Eu<Self>) {
        match self.targets.insert(targets).barrier {
            Some(barrier) => eu.rsync(barrier.at(0)),
            None => self.send_tiles(eu),
        }
    }

    #[slots(len = plan.barriers(1), sync)]
    fn go_on(&mut self, _step: usize, eu: &mut Eu<Self>) {
        self.send_tiles(eu);
    }

    #[slot]
    fn gather(mut self, #[inlets(plan.cut(1).count())] tiles: Arrived<'_, Points<T>>, eu: &mut Eu<Self>) {
        let (rows, home) = self.padded.leave(tiles);
        let rows = self.work.on_return(eu, rows, home);
        if let Some(Targets { work, home: Some(home), .. }) = self.targets {
            eu.put(work, self.work);
            eu.put_block(home, rows);
        }
    }
}

impl<T: Real> Along<T> {
    /// Splits transformed rows into tiles and sends them.
    fn send_tiles(&mut self, eu: &mut Eu) {
        let Self { plan, padded, .. } = self;
        let (Some(rows), Some(targets)) = (self.rows.take(), &self.targets) else {
            unreachable!("rows are split once, after the targets are known")
        };
        let points = padded.points(plan.pass(0), rows);
        for (tile, &to) in plan.cut(1).split_cols(points).zip(&targets.tiles) {
            eu.put_block(to, tile);
        }
    }
}

/// A row block of the transpose, which transforms its rows, columns of the matrix, in the second pass.
pub struct Across<T: Real> {
    index: usize,
    plan: Shared<MatrixPlan<T>>,
    /// The tiles that came, by the row block that each came from.
    tiles: Vec<Option<Points<T>>>,
    /// Their places in the second matrix, until these are joined to whole rows.
    places: Vec<Points<T>>,
    /// The rows, while they are whole.
    rows: Option<Points<T>>,
    padded: PaddedRows<T>,
    targets: Option<Targets<T>>,
    work: Spent,
}

#[threaded(along = plan.cut(0).count())]
impl<T: Real> Across<T> {
    /// The `index`-th row block of the transpose. Its addresses go to `addresses`.
    fn start(
        index: usize,
        plan: Shared<MatrixPlan<T>>,
        addresses: Reply<Addresses<T>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let pass = plan.pass(1);
        let mut padded = PaddedRows::default();
        let points = padded.points(pass, pass.zeroed(index));
        let places: Vec<_> = plan.cut(0).split_cols(points).collect();
        let tiles = places.iter().map(|_| None).collect();
        let own = Addresses {
            targets: eu.reply(Self::join().targets),
            tiles: eu.replies(Self::transpose(..).tile),
            released: plan.has_barrier().then(|| eu.slot_refs(Self::go_on(..))),
        };
        eu.put(addresses, own);
        let work = Spent::default();
        Across { index, plan, tiles, places, rows: None, padded, targets: None, work }
    }

    #[slots(len = along)]
    fn transpose(&mut self, index: usize, tile: Points<T>, eu: &mut Eu<Self>) {
        let operands = (&tile, &mut self.places[index]);
        self.work.on_tiles(eu, tile.len(), operands, |(tile, place)| transpose_into(tile, place));
        self.tiles[index] = Some(tile);
        eu.sync(Self::join());
    }

    #[slot(syncs = along)]
    fn join(&mut self, targets: Targets<T>, eu: &mut Eu<Self>) -> Then {
        self.targets = Some(targets);
        self.rows = Some(self.padded.whole(self.places.drain(..)));
        self.reached(TO_ROWS, eu)
    }

    #[slots(len = plan.barriers(2), sync)]
    fn go_on(&mut self, step: usize, eu: &mut Eu<Self>) -> Then {
        self.proceed(step, eu)
    }
}

impl<T: Real> Across<T> {
    /// Goes on to the next step, or waits at the barrier until all row blocks have reached the end of `step`.
    fn reached(&mut self, step: usize, eu: &mut Eu) -> Then {
        match self.targets.as_ref().and_then(|targets| targets.barrier) {
            None => self.proceed(step, eu),
            Some(barrier) => {
                eu.rsync(barrier.at(step));
                Then::Wait
            }
        }
    }

    fn proceed(&mut self, step: usize, eu: &mut Eu) -> Then {
        let Self { index, plan, padded, work, .. } = self;
        let (Some(mut rows), Some(targets)) = (self.rows.take(), &self.targets) else {
            unreachable!("`join` made the rows and took the targets")
        };
        if step == TO_ROWS {
            let transform = |from: Option<&_>, rows: &mut _| plan.transform(1, *index, from, rows);
            work.on_rows(eu, (None, &mut rows), plan.pass(1).work(*index), transform);
            self.rows = Some(rows);
            return self.reached(TO_TILES_AGAIN, eu);
        }
        let places = plan.cut(0).split_cols(padded.points(plan.pass(1), rows));
        for ((place, tile), &back) in places.zip(self.tiles.drain(..)).zip(&targets.tiles) {
            let Some(mut tile) = tile else { unreachable!("all tiles have been transposed") };
            let operands = (&place, &mut tile);
            work.on_tiles(eu, place.len(), operands, |(place, tile)| transpose_into(place, tile));
            eu.put_block(back, tile);
        }
        eu.put(targets.work, *work);
        Then::End
    }
}
