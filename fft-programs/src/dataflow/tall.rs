//! The FFT of few long columns: an array of 2 or 3 dimensions with too few columns for strips.
//!
//! Rows are transformed in row blocks, as [in two passes](super::two_pass). Then all nodes transform the
//! columns together by the [transpose algorithm](super::transpose). Its series is the array: each row is a
//! *tuple* of points, which takes the role of one point. So a column of `R = a b` points is a matrix of `a`
//! rows of `b` points, and the matrices of all columns are interleaved.
//!
//! 1. *Setup.* [`TallFft`] deals: it invokes each row block on its node, as [`Rows`](super::batch::Rows),
//!    which transforms the block and sends it back.
//! 2. *Columns.* When all row blocks are back, `TallFft` invokes the transpose algorithm, as a function of
//!    its own, on the joined rows. The result replaces the rows.
//!
//! The inverse of real numbers takes both steps in the opposite order. Every point is read and written three
//! times, on any number of nodes. The rows of points have no gaps between them. Real numbers have a separate
//! array, or are padded and share the array of the points.
//!
//! # Counts
//!
//! I is the number of row blocks, n the number of points, Z the bytes of a point. The counts are in addition
//! to the counts of the transpose algorithm:
//!
//! | counter | count | made of |
//! |---|---|---|
//! | fibers | I + 4 | a row block; four of `TallFft` |
//! | invokes | I + 1 | row blocks; the transpose algorithm |
//! | signals | 2 I + 2 | a row block: home, its time; both passes are done; the value of the run |
//! | bytes moved | 5 n Z | rows dealt and home, both matrices to the transpose algorithm, the value of the run |
//! | block moves | I | home |
//! | frames | 1 | |
//!
//! # When it loses
//!
//! A column of a prime number of points is no matrix, and prime factors over 13 have no kernels. For columns
//! of less than a thousand points, one thread is faster than several nodes.

pub(crate) mod solver;

use std::time::Duration;

use earth::{Arrived, Block, Eu, NodeId, Reply, Shared, SharedValues, Wire, threaded};
use earth_kernels::Real;
use num_complex::Complex;

use super::batch::{Homes, deal_rows};
use super::phases::{Done, Phases, Spent};
use super::points::{Points, Room, whole_matrix};
use super::row_pass::RowPass;
use super::transpose::{Arrays, TransposeDone, TransposeFft, TransposeJob, TransposePlan};
use crate::solver::Input;
pub use solver::{TallCut, TallPlan};

/// Input of [`TallFft`].
#[derive(Debug, Wire)]
pub struct TallJob<T: Real> {
    points: Points<T>,
    numbers: Option<Block<T>>,
    /// Input points, if the input is unchanged.
    from: Option<Points<T>>,
    second: Points<T>,
    rows: Shared<RowPass<T>>,
    columns: Shared<TransposePlan<T>>,
}

impl<T: Real> TallJob<T> {
    /// Makes the job that transforms an array in place, out of place with the input in `from`, or between
    /// points and real `numbers` in two arrays. The matrix `second` has memory for as many points; its
    /// contents are lost.
    ///
    /// # Panics
    ///
    /// If the rows and columns of an array differ from the plan's, or if rows of points have gaps between
    /// them.
    pub fn new(points: Points<T>, (numbers, from): Input<T>, second: Points<T>, plan: &TallPlan<T>) -> Self {
        let TallPlan { rows, columns } = plan.clone();
        rows.check(&points, numbers.as_ref(), from.as_ref());
        Self { points, numbers, from, second, rows, columns }
    }

    /// Returns the shared values of the run.
    pub fn shared(&self) -> SharedValues {
        SharedValues::default().with(&self.rows).with(&self.columns)
    }

    /// Returns the number of row blocks that return points, and the number that return real numbers.
    fn home(&self) -> [usize; 2] {
        self.rows.home(self.numbers.is_some())
    }
}

/// Output of a run.
#[derive(Debug, Wire)]
pub struct TallDone<T: Real> {
    /// Result.
    pub done: Done<T>,
    /// Second matrix, for the next run.
    pub second: Option<Room<Complex<T>>>,
}

impl<T: Real> From<TallDone<T>> for Done<T> {
    fn from(left: TallDone<T>) -> Self {
        left.done
    }
}

/// FFT of few long columns: deals rows, and invokes the transform of columns.
pub struct TallFft<T: Real> {
    rows: Shared<RowPass<T>>,
    columns: Shared<TransposePlan<T>>,
    numbers: Option<Block<T>>,
    from: Option<Points<T>>,
    points: Option<Points<T>>,
    second: Option<Points<T>>,
    spent: Spent,
    started: Duration,
    out: Reply<TallDone<T>>,
}

#[threaded(
    blocks = job.rows.cut.count(),
    points_home = job.home()[0],
    numbers_home = job.home()[1]
)]
impl<T: Real> TallFft<T> {
    /// Starts the FFT of an array of 2 or 3 dimensions.
    pub fn deal(job: TallJob<T>, out: Reply<TallDone<T>>, eu: &mut Eu<Self>) -> Self {
        let started = eu.now();
        let TallJob { points, numbers, from, second, rows, columns } = job;
        let (spent, second) = (Spent::default(), Some(second));
        let mut this = TallFft { rows, columns, numbers, from, points: None, second, spent, started, out };
        if this.rows.columns_first {
            this.transform_columns(points, eu);
        } else {
            this.deal_rows(points, eu);
        }
        this
    }

    #[slot]
    fn rows_home(
        &mut self,
        #[inlets(points_home)] points: Arrived<'_, Points<T>>,
        #[inlets(numbers_home)] numbers: Arrived<'_, Block<T>>,
        #[inlets(blocks)] times: Arrived<'_, Spent>,
        eu: &mut Eu<Self>,
    ) {
        self.spent = times.fold(self.spent, Spent::plus);
        if numbers.len() > 0 {
            self.numbers = Some(whole_matrix(numbers.collect()));
            eu.sync(Self::finish());
            return;
        }
        let points = whole_matrix(points.collect());
        if self.rows.columns_first {
            self.points = Some(points);
            eu.sync(Self::finish());
        } else {
            self.transform_columns(points, eu);
        }
    }

    #[slot]
    fn columns_home(&mut self, left: TransposeDone<T>, eu: &mut Eu<Self>) {
        let TransposeDone { done, second, .. } = left;
        self.spent = self.spent.plus(done.phases.spent());
        self.second = second.map(Room::into_block);
        let [rows, cols] = self.rows.sides();
        let points = done.spectrum.reshape(rows, cols).unwrap_or_else(|(_, error)| panic!("{error}"));
        if self.rows.columns_first {
            self.deal_rows(points, eu);
        } else {
            self.points = Some(points);
            eu.sync(Self::finish());
        }
    }

    #[slot(sync)]
    fn finish(self, eu: &mut Eu<Self>) {
        let end = eu.now();
        let phases = Phases::between([self.started, self.started, end, end]).with_spent(self.spent);
        let done = match (self.points, self.numbers) {
            (Some(points), _) => Done::new(points, phases),
            (None, Some(numbers)) => Done::of_numbers(numbers, phases),
            (None, None) => unreachable!("one of the passes came last"),
        };
        eu.put(self.out, TallDone { done, second: self.second.map(Room::of) });
    }
}

impl<T: Real> TallFft<T> {
    fn deal_rows(&mut self, points: Points<T>, eu: &mut Eu<Self>) {
        let own = Self::rows_home();
        let homes = Homes {
            points: eu.replies(own.points),
            numbers: eu.replies(own.numbers),
            times: eu.replies(own.times),
        };
        let input = (self.numbers.take(), self.from.take());
        deal_rows(&self.rows, points, input, homes, eu);
    }

    fn transform_columns(&mut self, series: Points<T>, eu: &mut Eu<Self>) {
        let arrays = Arrays { series, result: None, last: None, second: self.second.take() };
        let job = TransposeJob::new(arrays, self.columns.clone());
        let home = eu.reply(Self::columns_home().left);
        eu.invoke(NodeId::new(0), TransposeFft::call(job, home));
    }
}
