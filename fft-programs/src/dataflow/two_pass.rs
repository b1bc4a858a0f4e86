//! The FFT of 2 and 3 dimensions in two passes over memory, in place: row blocks, then strips of columns.
//!
//! An array has `R` rows of `C` points, where a row is a line of a matrix or a plane of three dimensions. Its
//! rows are cut into *row blocks*, and its C columns into *strips*. Both are dealt to P nodes, [neighbors to
//! the same node](super::cut::node_of_neighbors). The tile (i, j) has the points in row block i and strip j.
//!
//! 1. *Setup.* [`TwoPassFft`] deals. It invokes each strip on its node, as [`Second`], which sends the
//!    addresses of its inlets for tiles. It invokes each row block on its node, as [`First`], which sends the
//!    address of its inlet for targets.
//! 2. *Rows.* Each `First` transforms its rows without waiting: lines by a row kernel, planes in both
//!    dimensions while they are in the cache. When all addresses are known, each `First` receives the
//!    addresses of its tiles. These addresses and its own rows enable the fiber `scatter`, which splits the
//!    rows by columns and sends tile `j` to the `j`-th strip.
//! 3. *Columns.* The last tile enables the fiber `transform` of a `Second`. The fiber joins the tiles, which
//!    are still adjacent within a process, and transforms the columns in place. It sends the strip back to
//!    `TwoPassFft`, which joins all strips.
//!
//! So every point is read and written twice, on any number of nodes. The result replaces the input, in
//! natural order, without a transpose or a large allocation. There is no barrier between the passes, though a
//! strip needs a tile of every row block.
//!
//! *Gaps.* The distance between rows may exceed their length, and so may the distance between the lines of
//! planes. Elements between rows belong to no part. Elements between the lines of a plane are sent with them,
//! unchanged; C counts them, and strips are whole lines.
//!
//! *Real numbers.* The spectrum of R rows of W real numbers has R rows of C points, the first half. In the
//! forward transform, a row block gets its real numbers and the memory of its points, and transforms rows
//! from one to the other. The inverse takes the passes in the opposite order: a `First` is a strip of
//! columns, a `Second` a row block. The `Second` has the memory of its real numbers from the start, and sends
//! it back. Rows of real numbers that are padded to 2 C may share the memory of the points: then there is one
//! array, as in complex transforms.
//!
//! # Counts
//!
//! None of these counts depends on P or on the schedule. I and J are the numbers of parts of the first and
//! the second pass. Z and z are the bytes of a point and of a real number.
//!
//! | counter | count | made of |
//! |---|---|---|
//! | fibers | 2 I + 2 J + 3 | each part: `start`, and `scatter` or `transform`; three of `TwoPassFft` |
//! | invokes | I + J | |
//! | signals | I J + 4 I + 3 J + 1 | tiles; a first: its address, its targets, it is ready, its time; a second: its addresses, its time, home; the value of the run |
//! | block moves | (I + 1) J | tiles; home |
//! | bytes moved | 4 R C Z | dealt, tiles, home, the value of the run |
//! | of real numbers to points | 4 R C Z + R W z | numbers dealt |
//! | of points that are kept | 5 R C Z | these dealt |
//! | of points to real numbers | 2 R C Z + 3 R W z | points dealt, tiles; numbers dealt, home, the value of the run |
//! | frames | I + J + 1 | |
//! | tokens, parked values, deferred reads | 0 | |
//!
//! `events_sent` is the sum of these terms:
//!
//! * 4 for each first that is not on node 0 (invoke, address, targets, time);
//! * 4 for each second that is not on node 0 (invoke, addresses, time, home);
//! * 1 for each tile of a first and a second on different nodes.
//!
//! Each inlet takes one tile in a run, so no value is ever parked, and no frame ends while a tile is in
//! transit to it.
//!
//! # When it loses
//!
//! * A single row, or a single column, is one task in one of the passes: nodes cannot share it.
//! * Lengths with a prime factor over 13 have no column kernel: their columns are gathered and transposed,
//!   which takes as long as a transpose.
//! * Rows that are dealt unevenly, or that get another leading dimension meanwhile, need the programs by
//!   tiles of the crate `earth-papers`.
//! * Through bytes it is not in place: the tiles of a part are copied, and so are the parts that return.

pub(crate) mod solver;

use std::time::Duration;

use earth::{Arrived, Block, Eu, NodeId, Replies, Reply, Shared, SharedValues, Wire, threaded};
use earth_kernels::Real;

use super::cut::{Cut, node_of_neighbors};
use super::phases::{Done, Phases, Spent};
use super::points::{Points, whole_matrix, whole_rows};
use super::row_pass::RowPass;
use super::work;
use crate::solver::Input;
pub use solver::TwoPassPlan;

/// Input of [`TwoPassFft`].
#[derive(Debug, Wire)]
pub struct TwoPassJob<T: Real> {
    points: Points<T>,
    numbers: Option<Block<T>>,
    /// Input points, if the input is unchanged.
    from: Option<Points<T>>,
    plan: Shared<TwoPassPlan<T>>,
}

impl<T: Real> TwoPassJob<T> {
    /// Makes the job that transforms an array in place, out of place with the input in `from`, or between
    /// points and real `numbers` in two arrays. Padded rows of real numbers may share the array of points.
    /// The contents of points that are no input do not matter. The inverse real transform between two arrays
    /// overwrites its input points.
    ///
    /// # Panics
    ///
    /// If the rows and columns of an array differ from the plan's, or if the plan needs other arrays.
    pub fn new(points: Points<T>, (numbers, from): Input<T>, plan: Shared<TwoPassPlan<T>>) -> Self {
        plan.rows.check(&points, numbers.as_ref(), from.as_ref());
        Self { points, numbers, from, plan }
    }

    /// Returns the shared values of the run.
    pub fn shared(&self) -> SharedValues {
        SharedValues::default().with(&self.plan)
    }

    /// Returns the number of parts of the second pass that return points, and the number that return real
    /// numbers.
    fn home(&self) -> [usize; 2] {
        let [_, seconds] = self.plan.order().map(Cut::count);
        if self.numbers.is_some() && self.plan.rows.columns_first { [0, seconds] } else { [seconds, 0] }
    }
}

/// Addresses for the tiles of a part of the first pass.
#[derive(Debug, Wire)]
pub struct Targets<T: Real>(Vec<Reply<Points<T>>>);

/// Address for the result of a part of the second pass.
#[derive(Debug, Wire)]
pub enum ResultAddress<T: Real> {
    /// Address for points.
    Points(Reply<Points<T>>),
    /// Address for real numbers.
    Numbers(Reply<Block<T>>),
}

/// FFT in two passes: deals rows and columns, connects the parts of both passes, and joins the results.
pub struct TwoPassFft<T: Real> {
    columns_first: bool,
    started: Duration,
    connected: Duration,
    out: Reply<Done<T>>,
}

#[threaded(
    firsts = job.plan.order()[0].count(),
    seconds = job.plan.order()[1].count(),
    points_home = job.home()[0],
    numbers_home = job.home()[1]
)]
impl<T: Real> TwoPassFft<T> {
    /// Starts the FFT of an array of 2 or 3 dimensions.
    pub fn deal(job: TwoPassJob<T>, out: Reply<Done<T>>, eu: &mut Eu<Self>) -> Self {
        let started = eu.now();
        let [_, numbers_home] = job.home();
        let TwoPassJob { points, numbers, from, plan } = job;
        let columns_first = plan.rows.columns_first;
        let [first, second] = plan.order();
        let (firsts, work) = (first.count(), eu.replies(Self::collect().work));
        let tiles = eu.replies(Self::connect().tiles);
        let (home, home_of_numbers) =
            (eu.replies(Self::collect().points), eu.replies(Self::collect().numbers));
        // Each row block has its real numbers, in either pass.
        let mut numbers = numbers.map(|numbers| plan.cut(0).split_rows(numbers));
        let mut numbers_of = |of_rows: bool| numbers.as_mut().filter(|_| of_rows).and_then(Iterator::next);
        // Input points that are unchanged are dealt like the output points.
        let mut from = from.map(|from| plan.cut(0).split_rows(from));
        for index in 0..second.count() {
            let node = NodeId::new(node_of_neighbors(index, second.count(), eu.nodes()));
            let home = if numbers_home > 0 {
                ResultAddress::Numbers(home_of_numbers.at(index))
            } else {
                ResultAddress::Points(home.at(index))
            };
            let (numbers, work) = (numbers_of(columns_first), work.at(firsts + index));
            eu.invoke(node, Second::call(numbers, plan.clone(), tiles.at(index), home, work));
        }
        let targets = eu.replies(Self::connect().targets);
        let mut deal = |(index, part): (usize, Points<T>)| {
            let node = NodeId::new(node_of_neighbors(index, first.count(), eu.nodes()));
            let (numbers, work) = (numbers_of(!columns_first), work.at(index));
            let from = from.as_mut().and_then(Iterator::next);
            eu.invoke(node, First::call(part, (numbers, from), plan.clone(), targets.at(index), work));
        };
        if columns_first {
            first.split_cols(points).enumerate().for_each(&mut deal);
        } else {
            first.split_rows(points).enumerate().for_each(&mut deal);
        }
        TwoPassFft { columns_first, started, connected: started, out }
    }

    #[slot]
    fn connect(
        &mut self,
        #[inlets(firsts)] targets: Arrived<'_, Reply<Targets<T>>>,
        #[inlets(seconds)] tiles: Arrived<'_, Replies<Points<T>>>,
        eu: &mut Eu<Self>,
    ) {
        for (first, &to) in targets.iter().enumerate() {
            eu.put(to, Targets(tiles.iter().map(|second| second.at(first)).collect()));
        }
        self.connected = eu.now();
    }

    #[slot]
    fn collect(
        self,
        #[inlets(firsts + seconds)] work: Arrived<'_, Spent>,
        #[inlets(points_home)] points: Arrived<'_, Points<T>>,
        #[inlets(numbers_home)] numbers: Arrived<'_, Block<T>>,
        eu: &mut Eu<Self>,
    ) {
        let all_home = eu.now();
        let work = work.fold(Spent::default(), Spent::plus);
        let numbers: Vec<_> = numbers.collect();
        let phases = |end| Phases::between([self.started, self.connected, all_home, end]).with_spent(work);
        let done = if numbers.is_empty() {
            let points = points.collect();
            let points = if self.columns_first { whole_matrix(points) } else { whole_rows(points) };
            Done::new(points, phases(eu.now()))
        } else {
            let numbers = whole_matrix(numbers);
            Done::of_numbers(numbers, phases(eu.now()))
        };
        eu.put(self.out, done);
    }
}

/// Part of the first pass: a row block, or a strip in the inverse real transform. It transforms its points
/// and sends them as tiles.
pub struct First<T: Real> {
    part: Points<T>,
    plan: Shared<TwoPassPlan<T>>,
}

#[threaded]
impl<T: Real> First<T> {
    /// Transforms a part, in place or from the real numbers or points of the input. Sends the address of the
    /// inlet for targets to `address`, and the time to `time`.
    fn start(
        mut part: Points<T>,
        input: Input<T>,
        plan: Shared<TwoPassPlan<T>>,
        address: Reply<Reply<Targets<T>>>,
        time: Reply<Spent>,
        eu: &mut Eu<Self>,
    ) -> Self {
        eu.put(address, eu.reply(Self::scatter().targets));
        let mut spent = Spent::default();
        if plan.rows.columns_first {
            transform_columns(&plan, &mut part, &mut spent, eu);
        } else {
            transform_rows(&plan.rows, &mut part, input, &mut spent, eu);
        }
        eu.put(time, spent);
        eu.sync(Self::scatter());
        First { part, plan }
    }

    #[slot(sync)]
    fn scatter(self, targets: Targets<T>, eu: &mut Eu<Self>) {
        let send = |(tile, &to): (Points<T>, &Reply<_>)| eu.put_block(to, tile);
        let [_, second] = self.plan.order();
        if self.plan.rows.columns_first {
            second.split_rows(self.part).zip(&targets.0).for_each(send);
        } else {
            second.split_cols(self.part).zip(&targets.0).for_each(send);
        }
    }
}

/// Part of the second pass: a strip, or a row block in the inverse real transform. It transforms the points
/// that it receives as tiles.
pub struct Second<T: Real> {
    numbers: Option<Block<T>>,
    plan: Shared<TwoPassPlan<T>>,
    home: ResultAddress<T>,
    time: Reply<Spent>,
}

#[threaded]
impl<T: Real> Second<T> {
    /// Sends the addresses of the inlets for tiles to `addresses`. The later fiber transforms the part, into
    /// `numbers` if there are any, and sends it to `home` and the time to `time`.
    fn start(
        numbers: Option<Block<T>>,
        plan: Shared<TwoPassPlan<T>>,
        addresses: Reply<Replies<Points<T>>>,
        home: ResultAddress<T>,
        time: Reply<Spent>,
        eu: &mut Eu<Self>,
    ) -> Self {
        eu.put(addresses, eu.replies(Self::transform().tiles));
        Second { numbers, plan, home, time }
    }

    #[slot]
    fn transform(self, #[inlets(plan.order()[0].count())] tiles: Arrived<'_, Points<T>>, eu: &mut Eu<Self>) {
        let (tiles, mut spent) = (tiles.collect(), Spent::default());
        let (points, numbers) = if self.plan.rows.columns_first {
            let mut rows = whole_rows(tiles);
            let numbers = transform_rows(&self.plan.rows, &mut rows, (self.numbers, None), &mut spent, eu);
            (rows, numbers)
        } else {
            let mut strip = whole_matrix(tiles);
            transform_columns(&self.plan, &mut strip, &mut spent, eu);
            (strip, None)
        };
        eu.put(self.time, spent);
        match (self.home, numbers) {
            (ResultAddress::Numbers(home), Some(numbers)) => eu.put_block(home, numbers),
            (ResultAddress::Points(home), _) => eu.put_block(home, points),
            (ResultAddress::Numbers(_), None) => {
                unreachable!("the row blocks that return real numbers have an array of real numbers")
            }
        }
    }
}

/// Transforms the rows of a row block, in place or from the input. Returns the real numbers, if there are
/// any.
pub(super) fn transform_rows<T: Real>(
    pass: &RowPass<T>,
    rows: &mut Points<T>,
    input: Input<T>,
    spent: &mut Spent,
    eu: &mut Eu,
) -> Option<Block<T>> {
    let work = pass.work(rows.rows());
    match input {
        (Some(mut numbers), _) => {
            spent.on_blocks(eu, (rows, &mut numbers), work, |(rows, numbers)| {
                pass.transform(rows, Some(numbers), None);
            });
            return Some(numbers);
        }
        (None, Some(from)) => {
            spent.on_blocks(eu, (rows, &from), work, |(rows, from)| pass.transform(rows, None, Some(from)));
        }
        (None, None) => spent.on_blocks(eu, rows, work, |rows| pass.transform(rows, None, None)),
    }
    None
}

fn transform_columns<T: Real>(plan: &TwoPassPlan<T>, strip: &mut Points<T>, spent: &mut Spent, eu: &mut Eu) {
    let work = work::row_fft(strip.cols(), strip.rows());
    spent.on_blocks(eu, strip, work, |strip| plan.transform_columns(strip));
}
