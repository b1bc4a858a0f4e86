//! The FFT of a series in two passes over memory: the transpose algorithm, its transposes and factors inside the passes.
//!
//! A series of `n = a b` points is a matrix of `a` rows of `b` points. Its columns are transformed; point `j` of row `k`
//! is multiplied by `exp(-2 pi i j k / n)`; the rows are transformed, and row `k` becomes column `k` of a matrix of `b`
//! rows of `a` points, which is the spectrum in natural order. As programs for machines without shared memory have it
//! (Sabharwal, Garg, Garg, Gunnels and Sahoo), that takes six steps, three of them transposes. Here
//! columns are transformed where they are, and rows are written as columns, so nothing is transposed by itself.
//!
//! The columns are cut into *parts*, which J *strips* have, the rows into parts that I *row blocks* have, dealt to P nodes,
//! [neighbours to the same](super::cut::node_of_neighbours). The tile (p, q) holds the points that part p of the rows has in common with part q of the columns. Beside the
//! series there is a matrix *aside*, which the caller lends and gets back; if there is memory for the result, and the series
//! need not be kept, it may be the series itself.
//!
//! 1. *Setup.* [`TransposeFft`] invokes each row block on its node, as [`RowBlock`], which sends the addresses of its inlets.
//! 2. *Columns.* When all are known, the columns are dealt: each strip is invoked on its node, as [`Strip`], with its
//!    columns, their memory in the matrix aside, and the addresses of its tiles. It transforms its columns into that, and
//!    sends tiles to row blocks. So the tiles of one block of vectors travel while the next one is transformed: in DUAL,
//!    or where a network carries them, at the same time.
//! 3. *Turn.* When all strips have given their part of the series back, `TransposeFft` joins them, takes their memory as
//!    the matrix of the result, and deals it to the row blocks. If there is other memory for the result, it is dealt with
//!    the columns.
//! 4. *Rows.* The fiber `transform` of a `RowBlock`, enabled by the last of its tiles and by its columns of the result,
//!    transforms its rows into these columns and sends them home, where `TransposeFft` joins all of them, while the next
//!    row block of its node is transformed.
//!
//! So every point is read and written twice, whatever the number of nodes. No step waits for all of the one before by a
//! barrier, though a row block needs a tile of every strip, and with it all strips are back.
//!
//! *Blocks of vectors.* How many strips and row blocks a node has is the number of blocks that its vectors are cut into
//! (Algorithm 2 of the paper): more of them overlap more, in smaller messages.
//!
//! *FFTE.* The variant of that name has few long rows, of `n^(2/3)` points, each of which is transformed as a matrix of its
//! own, within its node: [`Form`] tells which. It is the same program.
//!
//! *Real numbers.* 2 n real numbers are n points, whose transform is one step away from the spectrum, of n + 1 points.
//! The points of that step depend on each other in pairs, which lie in columns that are mirror images of each other. So
//! a row block has two parts of the rows, or for the inverse a strip two parts of the columns, and takes the step while
//! they are in the cache. The last point of the spectrum goes by itself.
//!
//! # Counts
//!
//! None of these depends on P, nor on the schedule. Z is the bytes of a point; i and j are the parts of rows and columns,
//! I and J for complex points; r is 1 if real numbers become points, c if points become real numbers, s if the result is
//! in the memory of the series, a if there is a matrix aside.
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
//! `events_sent` is 3 for each row block that is not on node 0 (invoke, addresses, time) and 2 + a for each of its parts
//! (result, home, its memory), 2 for each such strip (invoke, time) and s for each of its parts (back), and 1 for each tile
//! whose row block and strip are on different nodes. Memory that has nothing in it, of the matrix aside and of the
//! result, is no data: it counts as no bytes, and through bytes its shape goes alone.
//!
//! Each inlet takes one value in a run, so nothing is ever parked, and no frame ends while a tile is under way to it.
//!
//! # When it loses
//!
//! A series that fits into the second cache of one core: nodes cannot share it in the time that it takes. A prime number
//! of points has no matrix. Lengths with a prime factor over 13 have no kernels for strips, and take as long as
//! transposes.

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

/// Memory for points.
type RoomOf<T> = Room<Complex<T>>;

/// The arrays of a run. Each is of any rows and columns without gaps.
#[derive(Debug, Wire)]
pub struct Arrays<T: Real> {
    /// The points of the matrix: all of a series, two real numbers a point, or all points of a spectrum but the last.
    pub series: Points<T>,
    /// Where the result goes, if not to the memory of the series, which is only read then.
    pub result: Option<Points<T>>,
    /// The last point of a spectrum of real numbers, the one that is made or the one that is used.
    pub last: Option<Points<T>>,
    /// As many points as there are in the matrix; what is in them is lost. Without them the series is.
    pub aside: Option<Points<T>>,
}

/// The input of [`TransposeFft`].
#[derive(Debug, Wire)]
pub struct TransposeJob<T: Real> {
    arrays: Arrays<T>,
    plan: Shared<TransposePlan<T>>,
}

impl<T: Real> TransposeJob<T> {
    /// The job to transform a series.
    ///
    /// # Panics
    ///
    /// If there are other points than the plan's, or gaps between rows; or if the only array is the series.
    pub fn new(arrays: Arrays<T>, plan: Shared<TransposePlan<T>>) -> Self {
        let [matrix, turned] = plan.arrays();
        let Arrays { series, result, last, aside } = arrays;
        assert!(result.is_some() || aside.is_some(), "a result needs another memory than what is between");
        let series = shaped(series, matrix);
        let aside = aside.map(|aside| shaped(aside, matrix));
        let result = result.map(|result| shaped(result, turned));
        let last = last.map(|last| shaped(last, [1, 1]));
        assert_eq!(
            last.is_some(),
            plan.numbers().is_some(),
            "real numbers have one point more, and points none"
        );
        [&series].into_iter().chain(&aside).chain(&result).chain(&last).for_each(|points| plan.check(points));
        Self { arrays: Arrays { series, result, last, aside }, plan }
    }

    /// The values that its run begins with.
    pub fn shared(&self) -> SharedValues {
        SharedValues::default().with(&self.plan)
    }

    /// The parts of the series that come back as memory of the result.
    fn back(&self) -> usize {
        if self.arrays.result.is_some() { 0 } else { self.plan.cut(1).parts() }
    }
}

/// Points without gaps as a matrix of these sides.
#[track_caller]
fn shaped<T: Real>(points: Points<T>, [rows, cols]: [usize; 2]) -> Points<T> {
    points.reshape(rows, cols).unwrap_or_else(|(_, error)| panic!("{error}"))
}

/// What a run leaves.
#[derive(Debug, Wire)]
pub struct TransposeDone<T: Real> {
    /// The result: the spectrum, without its last point if it is one of real numbers; or real numbers, two a point.
    pub done: Done<T>,
    /// The last point of a spectrum of real numbers.
    pub last: Option<Points<T>>,
    /// The matrix aside, for the next run.
    pub aside: Option<RoomOf<T>>,
}

impl<T: Real> From<TransposeDone<T>> for Done<T> {
    fn from(left: TransposeDone<T>) -> Self {
        left.done
    }
}

/// What a strip has.
#[derive(Debug, Wire)]
pub struct Columns<T: Real> {
    strip: usize,
    /// Its parts of the series.
    series: Vec<Points<T>>,
    /// Its parts of the matrix aside, or nothing.
    aside: Vec<RoomOf<T>>,
    /// The last point of a spectrum, if this strip needs it.
    last: Option<Points<T>>,
}

/// Where a strip sends what it makes.
#[derive(Debug, Wire)]
pub struct Targets<T: Real> {
    /// For the tiles of its parts, one after another, of each by parts of rows.
    tiles: Vec<Reply<Points<T>>>,
    /// For its parts of the series, by parts of columns, unless they are kept.
    back: Option<Replies<RoomOf<T>>>,
    time: Reply<Spent>,
}

/// The addresses of a row block's inlets.
#[derive(Clone, Copy, Debug, Wire)]
pub struct Inlets<T: Real> {
    /// For tiles of its parts, one after another, of each by parts of columns.
    tiles: Replies<Points<T>>,
    /// For columns of the result, by its parts.
    results: Replies<RoomOf<T>>,
}

/// Where a row block sends what it leaves.
#[derive(Clone, Copy, Debug, Wire)]
pub struct Home<T: Real> {
    /// By parts of rows.
    results: Replies<Points<T>>,
    /// By parts of rows, if there is a matrix aside.
    asides: Option<Replies<RoomOf<T>>>,
    time: Reply<Spent>,
}

/// The FFT in two passes: it deals columns and rows, connects strips with row blocks, and joins what comes back.
pub struct TransposeFft<T: Real> {
    plan: Shared<TransposePlan<T>>,
    /// What is dealt when all row blocks are known: all but a last point that is made.
    dealt: Option<Arrays<T>>,
    /// Where the columns of the result go, by parts of rows.
    results: Vec<Reply<RoomOf<T>>>,
    started: Duration,
    connected: Duration,
    out: Reply<TransposeDone<T>>,
}

#[threaded(
    blocks = job.plan.cut(0).workers(),
    rows = job.plan.cut(0).parts(),
    strips = job.plan.cut(1).workers(),
    back = job.back(),
    asides = if job.arrays.aside.is_some() { job.plan.cut(0).parts() } else { 0 },
    lasts = usize::from(job.plan.numbers() == Some(0))
)]
impl<T: Real> TransposeFft<T> {
    /// The FFT of a series.
    pub fn deal(job: TransposeJob<T>, out: Reply<TransposeDone<T>>, eu: &mut Eu<Self>) -> Self {
        let started = eu.now();
        let TransposeJob { mut arrays, plan } = job;
        let mut made = if plan.numbers() == Some(0) { arrays.last.take() } else { None };
        let home = Self::collect();
        let results = eu.replies(home.results);
        let asides = arrays.aside.is_some().then(|| eu.replies(home.asides));
        let (times, lasts) = (eu.replies(home.times), eu.replies(home.lasts));
        let inlets = eu.replies(Self::connect().inlets);
        let blocks = plan.cut(0);
        for block in 0..blocks.workers() {
            let node = NodeId::new(blocks.node_of(block, eu.nodes()));
            let last = made.take().map(|last| (last, lasts.at(0)));
            let home = Home { results, asides, time: times.at(block) };
            eu.invoke(node, RowBlock::call(block, last, plan.clone(), inlets.at(block), home));
        }
        TransposeFft { plan, dealt: Some(arrays), results: Vec::new(), started, connected: started, out }
    }

    #[slot]
    fn connect(&mut self, #[inlets(blocks)] inlets: Arrived<'_, Inlets<T>>, eu: &mut Eu<Self>) {
        let Some(Arrays { series, result, mut last, aside }) = self.dealt.take() else { return };
        let inlets: Vec<_> = inlets.collect();
        let (blocks, strips) = (self.plan.cut(0), self.plan.cut(1));
        let owners = blocks.owners();
        self.results = owners.iter().map(|&[block, part]| inlets[block].results.at(part)).collect();
        let back = result.is_none().then(|| eu.replies(Self::turn().strips));
        let times = eu.replies(Self::collect().times);
        let mut series: Vec<_> = strips.points().split_cols(series).map(Some).collect();
        let aside = aside.into_iter().flat_map(|aside| strips.points().split_cols(aside));
        let mut aside: Vec<_> = aside.map(Room::of).map(Some).collect();
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
                aside: parts.iter().filter_map(|&part| aside.get_mut(part)?.take()).collect(),
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
    fn turn(&mut self, #[inlets(back)] strips: Arrived<'_, RoomOf<T>>, eu: &mut Eu<Self>) {
        if strips.len() > 0 {
            let [_, turned] = self.plan.arrays();
            self.deal_result(shaped(Room::joined_rows(strips).into_block(), turned), eu);
        }
    }

    #[slot]
    fn collect(
        self,
        #[inlets(rows)] results: Arrived<'_, Points<T>>,
        #[inlets(asides)] asides: Arrived<'_, RoomOf<T>>,
        #[inlets(lasts)] lasts: Arrived<'_, Points<T>>,
        #[inlets(blocks + strips)] times: Arrived<'_, Spent>,
        eu: &mut Eu<Self>,
    ) {
        let all_home = eu.now();
        let spent = times.fold(Spent::default(), Spent::plus);
        let spectrum = whole_rows(results.collect());
        let aside = (asides.len() > 0).then(|| Room::joined_matrix(asides));
        let last = lasts.last();
        let phases = Phases::between([self.started, self.connected, all_home, eu.now()]).with_spent(spent);
        eu.put(self.out, TransposeDone { done: Done::new(spectrum, phases), last, aside });
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

/// A strip, which transforms its columns into the matrix aside and gives them away as tiles.
pub struct Strip<T>(PhantomData<fn(T)>);

#[threaded]
impl<T: Real> Strip<T> {
    /// The transform of columns.
    fn start(columns: Columns<T>, plan: Shared<TransposePlan<T>>, targets: Targets<T>, eu: &mut Eu<Self>) {
        let Columns { strip, mut series, aside, last } = columns;
        let mut aside: Vec<_> = aside.into_iter().map(Room::into_block).collect();
        let last = last.filter(|last| !last.is_phantom()).map(|last| last.row(0)[0]);
        let mut spent = Spent::default();
        let (first, mates) = series.split_at_mut(1);
        spent.on_blocks(eu, &mut first[0], plan.work(1, strip), |first| {
            let parts = [first].into_iter().chain(mates).collect();
            plan.transform_columns(strip, parts, &mut aside, last);
        });
        if aside.is_empty() {
            std::mem::swap(&mut aside, &mut series);
        }
        let tiles = aside.into_iter().flat_map(|part| plan.cut(0).cut().split_rows(part));
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
    /// The last point of a spectrum of real numbers and where it goes, if this row block makes it.
    last: Option<(Points<T>, Reply<Points<T>>)>,
    plan: Shared<TransposePlan<T>>,
    home: Home<T>,
}

#[threaded]
impl<T: Real> RowBlock<T> {
    /// The transform of rows. The addresses of its inlets go to `inlets`, what it leaves `home`.
    fn start(
        block: usize,
        last: Option<(Points<T>, Reply<Points<T>>)>,
        plan: Shared<TransposePlan<T>>,
        inlets: Reply<Inlets<T>>,
        home: Home<T>,
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
        #[inlets(plan.cut(0).parts_of(block).count())] results: Arrived<'_, RoomOf<T>>,
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
            if let Some(asides) = home.asides {
                eu.put(asides.at(part), Room::of(rows));
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
