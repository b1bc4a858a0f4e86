//! The FFT of a series in two passes over memory: the transpose algorithm, its transposes and factors inside the passes.
//!
//! A series of `n = a b` points is a matrix of `a` rows of `b` points. Its columns are transformed; point `j` of row `k`
//! is multiplied by `exp(-2 pi i j k / n)`; the rows are transformed, and row `k` becomes column `k` of a matrix of `b`
//! rows of `a` points, which is the spectrum in natural order. As programs for machines without shared memory have it
//! (Sabharwal, Garg, Garg, Gunnels and Sahoo), that takes six steps, three of them transposes. Here
//! columns are transformed where they are, and rows are written as columns, so nothing is transposed by itself.
//!
//! The b columns are cut into J *strips*, the a rows into I *row blocks*, dealt to P nodes in turn, as
//! [dealings](super::matrix::dealing) have it. The tile (i, j) holds the points that row block i has in common with
//! strip j. Beside the series there is a matrix *aside*, which the caller lends and gets back.
//!
//! 1. *Setup.* [`TransposeFft`] deals: each row block is invoked on its node, as [`RowBlock`], and sends the addresses of
//!    its inlets; each strip, of the series and of the matrix aside, is invoked on its node, as [`Strip`], and sends
//!    that of its inlet for targets.
//! 2. *Columns.* Each `Strip` transforms its columns into the matrix aside without waiting for anything, and gives its part
//!    of the series back. When all addresses are known, it is sent the addresses of its tiles, splits its part of the
//!    matrix aside by rows and sends tile `i` to the `i`-th row block.
//! 3. *Turn.* When all strips of the series are back, `TransposeFft` joins them, takes their memory as the matrix of the
//!    result, and sends each row block the columns that are its own.
//! 4. *Rows.* The fiber `transform` of a `RowBlock`, enabled by the last of its J tiles and by its columns of the result,
//!    transforms its rows into these columns and sends both home, where `TransposeFft` joins all of them.
//!
//! So every point is read and written twice, whatever the number of nodes, and the spectrum is in the memory of the
//! series. No step waits for all of the one before by a barrier, though a row block needs a tile of every strip, and
//! with it all strips are back.
//!
//! # Counts
//!
//! None of these depends on P, nor on the schedule. Z is the bytes of a point.
//!
//! | counter | count | made of |
//! |---|---|---|
//! | fibers | 2 I + 2 J + 4 | a row block: `start`, `transform`; a strip: `start`, `scatter`; four of `TransposeFft` |
//! | invokes | I + J | |
//! | signals | I J + 5 I + 5 J + 2 | tiles; a row block: its addresses, its result, its time, home twice; a strip: its address, its targets, its columns are ready, back, its time; all addresses are known; the value of the run |
//! | block moves | I J + 3 I + J | tiles; a row block: its result, home twice; a strip: back |
//! | bytes moved | 9 n Z | both matrices dealt, the series back, the result dealt, tiles, both home, both as the value of the run |
//! | frames | I + J + 1 | |
//! | tokens, parked values, deferred reads | 0 | |
//!
//! `events_sent` is 6 for each row block that is not on node 0 (invoke, addresses, result, time, home twice), 5 for each
//! such strip (invoke, address, targets, back, time), and 1 for each tile (i, j) of i and j on different nodes.
//!
//! Each inlet takes one tile in a run, so nothing is ever parked, and no frame ends while a tile is under way to it.
//!
//! # When it loses
//!
//! A series that fits into the second cache of one core: nodes cannot share it in the time that it takes. A prime number
//! of points has no matrix. Lengths with a prime factor over 7 have no kernels for strips, and take as long as
//! transposes. Through bytes the memory of the matrix aside and of the result travels, too, though nothing is in it.

mod plan;

use std::time::Duration;

use earth::{Arrived, Eu, NodeId, Replies, Reply, Shared, SharedValues, Wire, threaded};
use earth_kernels::Real;

use super::matrix::Spent;
use super::phases::{Done, Phases};
use super::points::{Points, whole_matrix, whole_rows};
use super::work;
pub use plan::{TransposePlan, sides};

/// The input of [`TransposeFft`].
#[derive(Debug, Wire)]
pub struct TransposeJob<T: Real> {
    series: Points<T>,
    aside: Points<T>,
    plan: Shared<TransposePlan<T>>,
}

impl<T: Real> TransposeJob<T> {
    /// The job to transform a series, of any rows and columns without gaps, in its own memory; what is in the matrix
    /// `aside`, which has as many points, is lost.
    ///
    /// # Panics
    ///
    /// If there are other points than the plan's, or gaps between rows.
    pub fn new(series: Points<T>, aside: Points<T>, plan: Shared<TransposePlan<T>>) -> Self {
        let [series, aside] = [series, aside].map(|points| shaped(points, plan.sides()));
        plan.check(&series);
        plan.check(&aside);
        Self { series, aside, plan }
    }

    /// The values that its run begins with.
    pub fn shared(&self) -> SharedValues {
        SharedValues::default().with(&self.plan)
    }
}

/// Points without gaps as a matrix of these sides.
#[track_caller]
fn shaped<T: Real>(points: Points<T>, [rows, cols]: [usize; 2]) -> Points<T> {
    points.reshape(rows, cols).unwrap_or_else(|(_, error)| panic!("{error}"))
}

/// What a run leaves: the spectrum, and the matrix aside for the next run.
#[derive(Debug, Wire)]
pub struct TransposeDone<T: Real> {
    /// The spectrum.
    pub done: Done<T>,
    /// The matrix aside.
    pub aside: Points<T>,
}

impl<T: Real> From<TransposeDone<T>> for Done<T> {
    fn from(left: TransposeDone<T>) -> Self {
        left.done
    }
}

/// Where the tiles of a strip go, by row block.
#[derive(Debug, Wire)]
pub struct Targets<T: Real>(Vec<Reply<Points<T>>>);

/// The addresses of a row block's inlets.
#[derive(Clone, Copy, Debug, Wire)]
pub struct Inlets<T: Real> {
    /// For tiles, by strip.
    tiles: Replies<Points<T>>,
    /// For its columns of the result.
    result: Reply<Points<T>>,
}

/// Where a row block sends what it leaves.
#[derive(Clone, Copy, Debug, Wire)]
pub struct Home<T: Real> {
    result: Reply<Points<T>>,
    aside: Reply<Points<T>>,
    time: Reply<Spent>,
}

/// The FFT in two passes: it deals columns and rows, connects strips with row blocks, and joins what comes back.
pub struct TransposeFft<T: Real> {
    plan: Shared<TransposePlan<T>>,
    /// Where the columns of the result go, by row block.
    results: Vec<Reply<Points<T>>>,
    started: Duration,
    connected: Duration,
    out: Reply<TransposeDone<T>>,
}

#[threaded(blocks = job.plan.cut(0).count(), strips = job.plan.cut(1).count())]
impl<T: Real> TransposeFft<T> {
    /// The FFT of a series.
    pub fn deal(job: TransposeJob<T>, out: Reply<TransposeDone<T>>, eu: &mut Eu<Self>) -> Self {
        let started = eu.now();
        let TransposeJob { series, aside, plan } = job;
        let [along, across] = [plan.cut(0), plan.cut(1)];
        let blocks = along.count();
        let home = Self::collect();
        let (results, asides, times) =
            (eu.replies(home.results), eu.replies(home.asides), eu.replies(home.times));
        let inlets = eu.replies(Self::connect().inlets);
        let mut first = 0;
        for (index, rows) in along.rows().enumerate() {
            let node = NodeId::new(along.node_of(index, eu.nodes()));
            let home = Home { result: results.at(index), aside: asides.at(index), time: times.at(index) };
            eu.invoke(node, RowBlock::call(first, plan.clone(), inlets.at(index), home));
            first += rows;
        }
        let (targets, back) = (eu.replies(Self::connect().targets), eu.replies(Self::turn().strips));
        let strips = across.split_cols(series).zip(across.split_cols(aside));
        for (index, (columns, aside)) in strips.enumerate() {
            let node = NodeId::new(across.node_of(index, eu.nodes()));
            let (target, back, time) = (targets.at(index), back.at(index), times.at(blocks + index));
            eu.invoke(node, Strip::call(columns, aside, plan.clone(), target, back, time));
        }
        TransposeFft { plan, results: Vec::new(), started, connected: started, out }
    }

    #[slot]
    fn connect(
        &mut self,
        #[inlets(blocks)] inlets: Arrived<'_, Inlets<T>>,
        #[inlets(strips)] targets: Arrived<'_, Reply<Targets<T>>>,
        eu: &mut Eu<Self>,
    ) {
        for (strip, &to) in targets.iter().enumerate() {
            eu.put(to, Targets(inlets.iter().map(|block| block.tiles.at(strip)).collect()));
        }
        self.results = inlets.iter().map(|block| block.result).collect();
        self.connected = eu.now();
        eu.sync(Self::turn());
    }

    #[slot(sync)]
    fn turn(&mut self, #[inlets(strips)] strips: Arrived<'_, Points<T>>, eu: &mut Eu<Self>) {
        let [rows, cols] = self.plan.sides();
        let result = shaped(whole_rows(strips.collect()), [cols, rows]);
        for (columns, &to) in self.plan.cut(0).split_cols(result).zip(&self.results) {
            eu.put_block(to, columns);
        }
    }

    #[slot]
    fn collect(
        self,
        #[inlets(blocks)] results: Arrived<'_, Points<T>>,
        #[inlets(blocks)] asides: Arrived<'_, Points<T>>,
        #[inlets(blocks + strips)] times: Arrived<'_, Spent>,
        eu: &mut Eu<Self>,
    ) {
        let all_home = eu.now();
        let spent = times.fold(Spent::default(), Spent::plus);
        let spectrum = whole_rows(results.collect());
        let aside = whole_matrix(asides.collect());
        let phases = Phases::between([self.started, self.connected, all_home, eu.now()]).with_spent(spent);
        eu.put(self.out, TransposeDone { done: Done::new(spectrum, phases), aside });
    }
}

/// A strip, which transforms its columns into the matrix aside and gives them away as tiles.
pub struct Strip<T: Real> {
    aside: Points<T>,
    plan: Shared<TransposePlan<T>>,
}

#[threaded]
impl<T: Real> Strip<T> {
    /// The transform of columns. The address of the inlet for targets goes to `address`, the part of the series `back`,
    /// the time that it took to `time`.
    fn start(
        columns: Points<T>,
        mut aside: Points<T>,
        plan: Shared<TransposePlan<T>>,
        address: Reply<Reply<Targets<T>>>,
        back: Reply<Points<T>>,
        time: Reply<Spent>,
        eu: &mut Eu<Self>,
    ) -> Self {
        eu.put(address, eu.reply(Self::scatter().targets));
        let mut spent = Spent::default();
        let work = work::row_fft(aside.cols(), aside.rows());
        spent.on_blocks(eu, &mut aside, work, |aside| plan.transform_columns(&columns, aside));
        eu.put_block(back, columns);
        eu.put(time, spent);
        eu.sync(Self::scatter());
        Strip { aside, plan }
    }

    #[slot(sync)]
    fn scatter(self, targets: Targets<T>, eu: &mut Eu<Self>) {
        for (tile, &to) in self.plan.cut(0).split_rows(self.aside).zip(&targets.0) {
            eu.put_block(to, tile);
        }
    }
}

/// A row block, which transforms its rows into columns of the result.
pub struct RowBlock<T: Real> {
    /// The number of its first row.
    first: usize,
    plan: Shared<TransposePlan<T>>,
    home: Home<T>,
}

#[threaded]
impl<T: Real> RowBlock<T> {
    /// The transform of rows from number `first` on. The addresses of its inlets go to `inlets`, what it leaves `home`.
    fn start(
        first: usize,
        plan: Shared<TransposePlan<T>>,
        inlets: Reply<Inlets<T>>,
        home: Home<T>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let (tiles, result) = (eu.replies(Self::transform().tiles), eu.reply(Self::transform().result));
        eu.put(inlets, Inlets { tiles, result });
        RowBlock { first, plan, home }
    }

    #[slot]
    fn transform(
        self,
        #[inlets(plan.cut(1).count())] tiles: Arrived<'_, Points<T>>,
        mut result: Points<T>,
        eu: &mut Eu<Self>,
    ) {
        let rows = whole_rows(tiles.collect());
        let mut spent = Spent::default();
        let work = work::row_fft(rows.rows(), rows.cols());
        spent.on_blocks(eu, &mut result, work, |result| self.plan.transform_rows(self.first, &rows, result));
        eu.put(self.home.time, spent);
        eu.put_block(self.home.result, result);
        eu.put_block(self.home.aside, rows);
    }
}
