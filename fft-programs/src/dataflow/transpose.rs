//! The FFT of a series in two passes over memory: the transpose algorithm, with its transposes and factors
//! inside the passes.
//!
//! A series of `n = a b` points is a matrix of `a` rows of `b` points. The algorithm has three steps:
//!
//! 1. The columns are transformed.
//! 2. Point `j` of row `k` is multiplied by `exp(-2 pi i j k / n)`.
//! 3. The rows are transformed, and row `k` becomes column `k` of a matrix of `b` rows of `a` points, which
//!    is the spectrum in natural order.
//!
//! In programs for machines without shared memory (Sabharwal, Garg, Garg, Gunnels and Sahoo) this is the
//! six-step algorithm (Bailey), with three transposes. Here columns are transformed as columns, and rows
//! are written as columns, so there is no separate transpose.
//!
//! The columns are cut into *parts* of J *strips*, the rows into parts of I *row blocks*. Both are dealt to P
//! nodes, [neighbors to the same node](super::cut::node_of_neighbors). The tile (p, q) has the points in
//! part p of the rows and part q of the columns. Besides the series there is a second matrix, `second`, which
//! the caller lends and gets back. If there is separate memory for the result, and the series may be
//! overwritten, the series itself serves as this matrix.
//!
//! 1. *Setup.* [`TransposeFft`] invokes each row block on its node, as [`RowBlock`], which sends the
//!    addresses of its inlets.
//! 2. *Columns.* When all addresses are known, the columns are dealt. Each strip is invoked on its node, as
//!    [`Strip`], with its columns, their memory in the second matrix, and the addresses of its tiles. It
//!    transforms its columns into this memory, and sends tiles to row blocks. So the tiles of one block of
//!    vectors are in transit while the next block is transformed: in DUAL, or over a network, at the same
//!    time.
//! 3. *Turn.* When all strips have returned their part of the series, `TransposeFft` joins them. Their memory
//!    becomes the matrix of the result, and is dealt to the row blocks. If there is other memory for the
//!    result, it is dealt with the columns instead.
//! 4. *Rows.* The last tile and the columns of the result enable the fiber `transform` of a `RowBlock`. The
//!    fiber transforms its rows into these columns and sends them back, while the next row block of its node
//!    is transformed. `TransposeFft` joins all of them.
//!
//! So every point is read and written twice, on any number of nodes. There is no barrier between the steps.
//! But a row block needs a tile of every strip, so all strips have returned by then.
//!
//! *Blocks of vectors.* The number of strips and row blocks of a node is the number of blocks that its
//! vectors are cut into (Algorithm 2 of the paper). More blocks overlap more, in smaller messages.
//!
//! *FFTE.* The variant of this name has few long rows, of `n^(2/3)` points. Each row is transformed as a
//! matrix of its own, within its node. [`Form`] selects the variant of the same program.
//!
//! *Real numbers.* 2 n real numbers are read as n points. One more step leads from their transform to the
//! spectrum of n + 1 points. The points of this step depend on each other in pairs, in columns that are
//! mirror images of each other. So a row block has two parts of the rows, or for the inverse a strip has two
//! parts of the columns, and takes the step while they are in the cache. The last point of the spectrum is
//! sent separately.
//!
//! # Counts
//!
//! None of these counts depends on P or on the schedule. The symbols are:
//!
//! * Z: bytes of a point;
//! * i and j: parts of rows and columns, equal to I and J for complex points;
//! * r: 1 if real numbers become points, else 0; c: 1 if points become real numbers, else 0;
//! * s: 1 if the result is in the memory of the series, else 0;
//! * a: 1 if there is a second matrix, else 0.
//!
//! | counter | count | made of |
//! |---|---|---|
//! | fibers | 2 I + J + 4 | a row block: `start`, `transform`; a strip: `start`; four of `TransposeFft` |
//! | invokes | I + J | |
//! | signals | i j + (2 + a) i + s j + 2 I + J + r + 2 | tiles; a part of rows: its result, home, its memory; a part of columns: back; a row block: its addresses, its time; a strip: its time; the last point; all are connected; the value of the run |
//! | block moves | i j + i + r | tiles; a part of rows: home; the last point |
//! | bytes moved | (4 n + 3 r + c) Z | columns dealt, tiles, home, the value of the run |
//! | frames | I + 1 | |
//! | tokens, parked values, deferred reads | 0 | |
//!
//! `events_sent` is the sum of these terms:
//!
//! * 3 for each row block that is not on node 0 (invoke, addresses, time), and 2 + a for each of its parts
//!   (result, home, its memory);
//! * 2 for each strip that is not on node 0 (invoke, time), and s for each of its parts (back);
//! * 1 for each tile whose row block and strip are on different nodes.
//!
//! The memory of the second matrix and of the result has no contents when it is sent. It counts as no bytes,
//! and through bytes only its shape is sent.
//!
//! Each inlet takes one value in a run, so no value is ever parked, and no frame ends while a tile is in
//! transit to it.
//!
//! # When it loses
//!
//! * A series that fits into the second-level cache of one core: one core transforms it faster than nodes can
//!   share it.
//! * A prime number of points: there is no matrix.
//! * Lengths with a prime factor over 13: strips have no kernels, and take as long as transposes.

mod plan;
pub(crate) mod solver;

use std::marker::PhantomData;
use std::time::Duration;

use earth::{Arrived, Eu, NodeId, Replies, Reply, Shared, SharedValues, Wire, threaded};
use earth_kernels::Real;
use num_complex::Complex;

pub use super::cut::Side;
use super::phases::Spent;
use super::phases::{Done, Phases};
pub use super::points::Room;
use super::points::{Points, whole_rows};
pub use plan::{Form, TransposePlan};

type PointRoom<T> = Room<Complex<T>>;

/// Arrays of a run. Each has any rows and columns, without gaps.
#[derive(Debug, Wire)]
pub struct Arrays<T: Real> {
    /// Points of the matrix: the whole series, two real numbers a point, or all points of a spectrum except
    /// the last.
    pub series: Points<T>,
    /// Memory of the result, if it is not the memory of the series. The series is then only read.
    pub result: Option<Points<T>>,
    /// Last point of a spectrum of real numbers, as output or input.
    pub last: Option<Points<T>>,
    /// Memory for as many points as the matrix has; its contents are lost. Without it, the contents of the
    /// series are lost.
    pub second: Option<Points<T>>,
}

/// Input of [`TransposeFft`].
#[derive(Debug, Wire)]
pub struct TransposeJob<T: Real> {
    arrays: Arrays<T>,
    plan: Shared<TransposePlan<T>>,
}

impl<T: Real> TransposeJob<T> {
    /// Makes the job that transforms a series.
    ///
    /// # Panics
    ///
    /// If an array has another number of points than the plan, or gaps between rows, or if the series is the
    /// only array.
    pub fn new(arrays: Arrays<T>, plan: Shared<TransposePlan<T>>) -> Self {
        let [matrix, turned] = plan.arrays();
        let Arrays { series, result, last, second } = arrays;
        assert!(result.is_some() || second.is_some(), "a run needs memory for the result or a second matrix");
        let series = shaped(series, matrix);
        let second = second.map(|second| shaped(second, matrix));
        let result = result.map(|result| shaped(result, turned));
        let last = last.map(|last| shaped(last, [1, 1]));
        assert_eq!(
            last.is_some(),
            plan.numbers().is_some(),
            "a real transform needs the last point of its spectrum, and a complex one has none"
        );
        [&series]
            .into_iter()
            .chain(&second)
            .chain(&result)
            .chain(&last)
            .for_each(|points| plan.check(points));
        Self { arrays: Arrays { series, result, last, second }, plan }
    }

    /// Returns the shared values of the run.
    pub fn shared(&self) -> SharedValues {
        SharedValues::default().with(&self.plan)
    }

    /// Returns the number of parts of the series that return as memory of the result.
    fn back(&self) -> usize {
        if self.arrays.result.is_some() { 0 } else { self.plan.cut(1).parts() }
    }
}

/// Reshapes points without gaps to a matrix of these sides.
#[track_caller]
fn shaped<T: Real>(points: Points<T>, [rows, cols]: [usize; 2]) -> Points<T> {
    points.reshape(rows, cols).unwrap_or_else(|(_, error)| panic!("{error}"))
}

/// Output of a run.
#[derive(Debug, Wire)]
pub struct TransposeDone<T: Real> {
    /// Result: the spectrum, in a real transform without its last point, or real numbers, two a point.
    pub done: Done<T>,
    /// Last point of a spectrum of real numbers.
    pub last: Option<Points<T>>,
    /// Second matrix, for the next run.
    pub second: Option<PointRoom<T>>,
}

impl<T: Real> From<TransposeDone<T>> for Done<T> {
    fn from(left: TransposeDone<T>) -> Self {
        left.done
    }
}

/// Input of a strip.
#[derive(Debug, Wire)]
pub struct Columns<T: Real> {
    strip: usize,
    series: Vec<Points<T>>,
    /// Its parts of the second matrix, or empty.
    second: Vec<PointRoom<T>>,
    /// Last point of a spectrum, if this strip needs it.
    last: Option<Points<T>>,
}

/// Addresses for the output of a strip.
#[derive(Debug, Wire)]
pub struct Targets<T: Real> {
    /// Inlets for the tiles of its parts, part by part, each in the order of the parts of rows.
    tiles: Vec<Reply<Points<T>>>,
    /// Inlets for its parts of the series, by parts of columns, unless the series is only read.
    back: Option<Replies<PointRoom<T>>>,
    time: Reply<Spent>,
}

/// Addresses of a row block's inlets.
#[derive(Clone, Copy, Debug, Wire)]
pub struct Inlets<T: Real> {
    /// Inlets for tiles of its parts, part by part, each in the order of the parts of columns.
    tiles: Replies<Points<T>>,
    /// Inlets for columns of the result, by its parts.
    results: Replies<PointRoom<T>>,
}

/// Addresses for the output of a row block.
#[derive(Clone, Copy, Debug, Wire)]
pub struct OutputAddresses<T: Real> {
    /// By parts of rows.
    results: Replies<Points<T>>,
    /// By parts of rows, if there is a second matrix.
    seconds: Option<Replies<PointRoom<T>>>,
    time: Reply<Spent>,
}

/// FFT in two passes: deals columns and rows, connects strips with row blocks, and joins the results.
pub struct TransposeFft<T: Real> {
    plan: Shared<TransposePlan<T>>,
    /// Arrays to deal when all row blocks are known, without a last point of the output.
    dealt: Option<Arrays<T>>,
    /// Inlets for the columns of the result, by parts of rows.
    results: Vec<Reply<PointRoom<T>>>,
    started: Duration,
    connected: Duration,
    out: Reply<TransposeDone<T>>,
}

#[threaded(
    blocks = job.plan.cut(0).workers(),
    rows = job.plan.cut(0).parts(),
    strips = job.plan.cut(1).workers(),
    back = job.back(),
    seconds = if job.arrays.second.is_some() { job.plan.cut(0).parts() } else { 0 },
    lasts = usize::from(job.plan.numbers() == Some(0))
)]
impl<T: Real> TransposeFft<T> {
    /// Starts the FFT of a series.
    pub fn deal(job: TransposeJob<T>, out: Reply<TransposeDone<T>>, eu: &mut Eu<Self>) -> Self {
        let started = eu.now();
        let TransposeJob { mut arrays, plan } = job;
        let mut made = if plan.numbers() == Some(0) { arrays.last.take() } else { None };
        let home = Self::collect();
        let results = eu.replies(home.results);
        let seconds = arrays.second.is_some().then(|| eu.replies(home.seconds));
        let (times, lasts) = (eu.replies(home.times), eu.replies(home.lasts));
        let inlets = eu.replies(Self::connect().inlets);
        let blocks = plan.cut(0);
        for block in 0..blocks.workers() {
            let node = NodeId::new(blocks.node_of(block, eu.nodes()));
            let last = made.take().map(|last| (last, lasts.at(0)));
            let home = OutputAddresses { results, seconds, time: times.at(block) };
            eu.invoke(node, RowBlock::call(block, last, plan.clone(), inlets.at(block), home));
        }
        TransposeFft { plan, dealt: Some(arrays), results: Vec::new(), started, connected: started, out }
    }

    #[slot]
    fn connect(&mut self, #[inlets(blocks)] inlets: Arrived<'_, Inlets<T>>, eu: &mut Eu<Self>) {
        let Some(Arrays { series, result, mut last, second }) = self.dealt.take() else { return };
        let inlets: Vec<_> = inlets.collect();
        let (blocks, strips) = (self.plan.cut(0), self.plan.cut(1));
        let owners = blocks.owners();
        self.results = owners.iter().map(|&[block, part]| inlets[block].results.at(part)).collect();
        let back = result.is_none().then(|| eu.replies(Self::turn().strips));
        let times = eu.replies(Self::collect().times);
        let mut series: Vec<_> = strips.points().split_cols(series).map(Some).collect();
        let second = second.into_iter().flat_map(|second| strips.points().split_cols(second));
        let mut second: Vec<_> = second.map(Room::of).map(Some).collect();
        for strip in 0..strips.workers() {
            let parts: Vec<_> = strips.parts_of(strip).collect();
            let tile = |column: usize, [block, part]: [usize; 2]| {
                inlets[block].tiles.at(part * strips.parts() + column)
            };
            let tiles = parts.iter().flat_map(|&column| owners.iter().map(move |&owner| tile(column, owner)));
            let targets = Targets { tiles: tiles.collect(), back, time: times.at(blocks.workers() + strip) };
            let columns = Columns {
                strip,
                series: parts.iter().filter_map(|&part| series[part].take()).collect(),
                second: parts.iter().filter_map(|&part| second.get_mut(part)?.take()).collect(),
                last: last.take(),
            };
            let node = NodeId::new(strips.node_of(strip, eu.nodes()));
            eu.invoke(node, Strip::call(columns, self.plan.clone(), targets));
        }
        self.connected = eu.now();
        if let Some(result) = result {
            self.deal_result(result, eu);
        }
        eu.sync(Self::turn());
    }

    #[slot(sync)]
    fn turn(&mut self, #[inlets(back)] strips: Arrived<'_, PointRoom<T>>, eu: &mut Eu<Self>) {
        if strips.len() > 0 {
            let [_, turned] = self.plan.arrays();
            self.deal_result(shaped(Room::joined_rows(strips).into_block(), turned), eu);
        }
    }

    #[slot]
    fn collect(
        self,
        #[inlets(rows)] results: Arrived<'_, Points<T>>,
        #[inlets(seconds)] seconds: Arrived<'_, PointRoom<T>>,
        #[inlets(lasts)] lasts: Arrived<'_, Points<T>>,
        #[inlets(blocks + strips)] times: Arrived<'_, Spent>,
        eu: &mut Eu<Self>,
    ) {
        let all_home = eu.now();
        let spent = times.fold(Spent::default(), Spent::plus);
        let spectrum = whole_rows(results.collect());
        let second = (seconds.len() > 0).then(|| Room::joined_matrix(seconds));
        let last = lasts.last();
        let phases = Phases::between([self.started, self.connected, all_home, eu.now()]).with_spent(spent);
        eu.put(self.out, TransposeDone { done: Done::new(spectrum, phases), last, second });
    }
}

impl<T: Real> TransposeFft<T> {
    /// Sends each row block its columns of the result.
    fn deal_result(&self, result: Points<T>, eu: &mut Eu<Self>) {
        for (columns, &to) in self.plan.cut(0).points().split_cols(result).zip(&self.results) {
            eu.put(to, Room::of(columns));
        }
    }
}

/// A strip, which transforms its columns into the second matrix and sends them as tiles.
pub struct Strip<T>(PhantomData<fn(T)>);

#[threaded]
impl<T: Real> Strip<T> {
    fn start(columns: Columns<T>, plan: Shared<TransposePlan<T>>, targets: Targets<T>, eu: &mut Eu<Self>) {
        let Columns { strip, mut series, second, last } = columns;
        let mut second: Vec<_> = second.into_iter().map(Room::into_block).collect();
        let last = last.filter(|last| !last.is_phantom()).map(|last| last.row(0)[0]);
        let mut spent = Spent::default();
        let (first, mates) = series.split_at_mut(1);
        spent.on_blocks(eu, &mut first[0], plan.work(1, strip), |first| {
            let parts = [first].into_iter().chain(mates).collect();
            plan.transform_columns(strip, parts, &mut second, last);
        });
        if second.is_empty() {
            std::mem::swap(&mut second, &mut series);
        }
        let tiles = second.into_iter().flat_map(|part| plan.cut(0).cut().split_rows(part));
        for (tile, &to) in tiles.zip(&targets.tiles) {
            eu.put_block(to, tile);
        }
        if let Some(back) = targets.back {
            for (part, points) in plan.cut(1).parts_of(strip).zip(series) {
                eu.put(back.at(part), Room::of(points));
            }
        }
        eu.put(targets.time, spent);
    }
}

/// A row block, which transforms its rows into columns of the result.
pub struct RowBlock<T: Real> {
    block: usize,
    /// Last point of a spectrum of real numbers and its destination, if this row block computes it.
    last: Option<(Points<T>, Reply<Points<T>>)>,
    plan: Shared<TransposePlan<T>>,
    home: OutputAddresses<T>,
}

#[threaded]
impl<T: Real> RowBlock<T> {
    /// Sends the addresses of its inlets to `inlets`. The later fiber sends its results to `home`.
    fn start(
        block: usize,
        last: Option<(Points<T>, Reply<Points<T>>)>,
        plan: Shared<TransposePlan<T>>,
        inlets: Reply<Inlets<T>>,
        home: OutputAddresses<T>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let own = Self::transform();
        let (tiles, results) = (eu.replies(own.tiles), eu.replies(own.results));
        eu.put(inlets, Inlets { tiles, results });
        RowBlock { block, last, plan, home }
    }

    #[slot]
    fn transform(
        self,
        #[inlets(plan.cut(0).parts_of(block).count() * plan.cut(1).parts())] tiles: Arrived<'_, Points<T>>,
        #[inlets(plan.cut(0).parts_of(block).count())] results: Arrived<'_, PointRoom<T>>,
        eu: &mut Eu<Self>,
    ) {
        let Self { block, last, plan, home } = self;
        let mut tiles = tiles.fuse();
        let parts: Vec<_> = plan.cut(0).parts_of(block).collect();
        let rows: Vec<_> =
            parts.iter().map(|_| whole_rows(tiles.by_ref().take(plan.cut(1).parts()).collect())).collect();
        let mut results: Vec<_> = results.map(Room::into_block).collect();
        let (mut spent, mut made) = (Spent::default(), None);
        spent.on_blocks(eu, &rows[0], plan.work(0, block), |_| {
            made = plan.transform_rows(block, &rows, &mut results);
        });
        for ((part, result), rows) in parts.into_iter().zip(results).zip(rows) {
            eu.put_block(home.results.at(part), result);
            if let Some(seconds) = home.seconds {
                eu.put(seconds.at(part), Room::of(rows));
            }
        }
        if let Some((mut last, to)) = last {
            if let Some(made) = made {
                last.row_mut(0)[0] = made;
            }
            eu.put_block(to, last);
        }
        eu.put(home.time, spent);
    }
}
