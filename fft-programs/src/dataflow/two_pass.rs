//! The FFT of 2 and 3 dimensions in two passes over memory: row blocks, then strips of columns, in place.
//!
//! An array of `R` rows of `C` points, where a row is a line of a matrix or a plane of three dimensions, is cut into I
//! *row blocks*, and its C columns into J *strips*, on P nodes, as [dealings](super::matrix::dealing) have it. The tile
//! (i, j) holds the points that row block i has in common with strip j.
//!
//! 1. *Setup.* [`TwoPassFft`] deals: each strip is invoked on its node, as [`Strip`], and sends the addresses of its
//!    inlets for tiles; each row block is invoked on its node, as [`RowBlock`], and sends that of its inlet for
//!    targets.
//! 2. *Rows.* Each `RowBlock` transforms its rows without waiting for anything: lines by a row kernel, planes in both
//!    dimensions while they are in the cache. When all addresses are known, each is sent the addresses of its tiles.
//!    The fiber `scatter`, enabled by these and by its own rows, splits the rows by columns and sends tile `j` to the
//!    `j`-th strip.
//! 3. *Columns.* The fiber `transform` of a `Strip`, enabled by the last of its I tiles, joins them, which they do
//!    within a process as they are where they were dealt, and transforms the columns where they are. It sends the strip
//!    home, where `TwoPassFft` joins all of them.
//!
//! So every point is read and written twice, whatever the number of nodes, and the result is in the memory of the input
//! in natural order: nothing is transposed, and nothing large allocated. No step waits for all of the one before by a
//! barrier, though a strip needs a tile of every row block.
//!
//! # Counts
//!
//! None of these depends on P, nor on the schedule. Z is the bytes of a point.
//!
//! | counter | count | made of |
//! |---|---|---|
//! | fibers | 2 I + 2 J + 3 | a row block: `start`, `scatter`; a strip: `start`, `transform`; three of `TwoPassFft` |
//! | invokes | I + J | |
//! | signals | I J + 4 I + 3 J + 1 | tiles; a row block: its address, its targets, its rows are ready, its time; a strip: its addresses, its time, home; the value of the run |
//! | block moves | (I + 1) J | tiles; home |
//! | bytes moved | 4 R C Z | dealt, tiles, home, the value of the run |
//! | frames | I + J + 1 | |
//! | tokens, parked values, deferred reads | 0 | |
//!
//! `events_sent` is 4 for each row block that is not on node 0 (invoke, address, targets, time), 4 for each such strip
//! (invoke, addresses, time, home), and 1 for each tile (i, j) of i and j on different nodes.
//!
//! Each inlet takes one tile in a run, so nothing is ever parked, and no frame ends while a tile is under way to it.
//!
//! # When it loses
//!
//! A single row, or a single column, is one task in one of the passes: no number of nodes shares it. Lengths with a
//! prime factor over 7 have no column kernel: their columns are gathered and turned, which takes as long as a
//! transpose. Rows that are dealt unevenly, or have another leading dimension, are for [`square`](super::square) and
//! [`rectangle`](super::rectangle). Through bytes it is not in place: the tiles of a strip are copied together, and the
//! strips.

mod plan;

use std::time::Duration;

use earth::{Arrived, Eu, NodeId, Replies, Reply, Shared, SharedValues, Wire, threaded};
use earth_kernels::Real;

use super::matrix::Spent;
use super::phases::{Done, Phases};
use super::points::{Points, whole_matrix, whole_rows};
use super::work;
pub use plan::TwoPassPlan;

/// The input of [`TwoPassFft`].
#[derive(Debug, Wire)]
pub struct TwoPassJob<T: Real> {
    array: Points<T>,
    plan: Shared<TwoPassPlan<T>>,
}

impl<T: Real> TwoPassJob<T> {
    /// The job to transform an array, in its own memory.
    ///
    /// # Panics
    ///
    /// If the array has other rows and columns than the plan's.
    pub fn new(array: Points<T>, plan: Shared<TwoPassPlan<T>>) -> Self {
        plan.check(&array);
        Self { array, plan }
    }

    /// The values that its run begins with.
    pub fn shared(&self) -> SharedValues {
        SharedValues::default().with(&self.plan)
    }
}

/// Where the tiles of a row block go, by strip.
#[derive(Debug, Wire)]
pub struct Targets<T: Real>(Vec<Reply<Points<T>>>);

/// The FFT in two passes: it deals rows and columns, connects row blocks with strips, and joins what comes back.
pub struct TwoPassFft<T: Real> {
    started: Duration,
    connected: Duration,
    out: Reply<Done<T>>,
}

#[threaded(blocks = job.plan.cut(0).count(), strips = job.plan.cut(1).count())]
impl<T: Real> TwoPassFft<T> {
    /// The FFT of an array of 2 or 3 dimensions.
    pub fn deal(job: TwoPassJob<T>, out: Reply<Done<T>>, eu: &mut Eu<Self>) -> Self {
        let started = eu.now();
        let TwoPassJob { array, plan } = job;
        let [along, across] = [plan.cut(0), plan.cut(1)];
        let (blocks, work) = (along.count(), eu.replies(Self::collect().work));
        let (tiles, home) = (eu.replies(Self::connect().tiles), eu.replies(Self::collect().home));
        for index in 0..across.count() {
            let node = NodeId::new(across.node_of(index, eu.nodes()));
            let (home, work) = (home.at(index), work.at(blocks + index));
            eu.invoke(node, Strip::call(plan.clone(), tiles.at(index), home, work));
        }
        let targets = eu.replies(Self::connect().targets);
        for (index, rows) in along.split_rows(array).enumerate() {
            let node = NodeId::new(along.node_of(index, eu.nodes()));
            eu.invoke(node, RowBlock::call(rows, plan.clone(), targets.at(index), work.at(index)));
        }
        TwoPassFft { started, connected: started, out }
    }

    #[slot]
    fn connect(
        &mut self,
        #[inlets(blocks)] targets: Arrived<'_, Reply<Targets<T>>>,
        #[inlets(strips)] tiles: Arrived<'_, Replies<Points<T>>>,
        eu: &mut Eu<Self>,
    ) {
        for (block, &to) in targets.iter().enumerate() {
            eu.put(to, Targets(tiles.iter().map(|strip| strip.at(block)).collect()));
        }
        self.connected = eu.now();
    }

    #[slot]
    fn collect(
        self,
        #[inlets(blocks + strips)] work: Arrived<'_, Spent>,
        #[inlets(strips)] home: Arrived<'_, Points<T>>,
        eu: &mut Eu<Self>,
    ) {
        let all_home = eu.now();
        let work = work.fold(Spent::default(), Spent::plus);
        let spectrum = whole_rows(home.collect());
        let phases = Phases::between([self.started, self.connected, all_home, eu.now()]).with_spent(work);
        eu.put(self.out, Done { spectrum, phases });
    }
}

/// A row block, which transforms its rows and gives them away as tiles.
pub struct RowBlock<T: Real> {
    rows: Points<T>,
    plan: Shared<TwoPassPlan<T>>,
}

#[threaded]
impl<T: Real> RowBlock<T> {
    /// The transform of rows. The address of the inlet for targets goes to `address`, the time that it took to `time`.
    fn start(
        mut rows: Points<T>,
        plan: Shared<TwoPassPlan<T>>,
        address: Reply<Reply<Targets<T>>>,
        time: Reply<Spent>,
        eu: &mut Eu<Self>,
    ) -> Self {
        eu.put(address, eu.reply(Self::scatter().targets));
        let mut spent = Spent::default();
        let work = work::row_fft(rows.rows(), rows.cols());
        spent.on_points(eu, &mut rows, work, |rows| plan.transform_rows(rows));
        eu.put(time, spent);
        eu.sync(Self::scatter());
        RowBlock { rows, plan }
    }

    #[slot(sync)]
    fn scatter(self, targets: Targets<T>, eu: &mut Eu<Self>) {
        for (tile, &to) in self.plan.cut(1).split_cols(self.rows).zip(&targets.0) {
            eu.put_block(to, tile);
        }
    }
}

/// A strip, which transforms its columns.
pub struct Strip<T: Real> {
    plan: Shared<TwoPassPlan<T>>,
    home: Reply<Points<T>>,
    time: Reply<Spent>,
}

#[threaded]
impl<T: Real> Strip<T> {
    /// The transform of columns. The addresses of the inlets for tiles go to `addresses`, the columns `home`, the time
    /// that they took to `time`.
    fn start(
        plan: Shared<TwoPassPlan<T>>,
        addresses: Reply<Replies<Points<T>>>,
        home: Reply<Points<T>>,
        time: Reply<Spent>,
        eu: &mut Eu<Self>,
    ) -> Self {
        eu.put(addresses, eu.replies(Self::transform().tiles));
        Strip { plan, home, time }
    }

    #[slot]
    fn transform(self, #[inlets(plan.cut(0).count())] tiles: Arrived<'_, Points<T>>, eu: &mut Eu<Self>) {
        let mut strip = whole_matrix(tiles.collect());
        let mut spent = Spent::default();
        let work = work::row_fft(strip.cols(), strip.rows());
        spent.on_points(eu, &mut strip, work, |strip| self.plan.transform_columns(strip));
        eu.put(self.time, spent);
        eu.put_block(self.home, strip);
    }
}
