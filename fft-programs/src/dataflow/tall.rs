//! The FFT of few long columns: an array of 2 or 3 dimensions that has too few columns to be cut into strips.
//!
//! Rows are transformed in row blocks, as [in two passes](super::two_pass). Then all nodes transform the columns together
//! by the [transpose algorithm](super::transpose). Its series is the array: each row is a *tuple* of points, which takes the
//! place of one point. So a column of `R = a b` points is a matrix of `a` rows of `b` points, and the matrices of all
//! columns are interleaved.
//!
//! 1. *Setup.* [`TallFft`] deals: each row block is invoked on its node, as [`Rows`], which transforms it and sends it home.
//! 2. *Columns.* When all are home, `TallFft` invokes the transpose algorithm, as a function of its own, on the joined
//!    rows. The result comes where they were.
//!
//! The inverse of real numbers takes both steps in the opposite order. Every point is read and written three times, on any
//! number of nodes. The rows of points have no gaps between them. Real numbers have an array of their own, or are filled up
//! and share the array of the points.
//!
//! # Counts
//!
//! I is the number of row blocks, n the number of points, Z the bytes of a point. The counts add to the counts of the
//! transpose algorithm:
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
//! A column of a prime number of points is no matrix, and prime factors over 13 have no kernels. Columns of less than a
//! thousand points take one thread less time than the nodes need to share them.

pub(crate) mod solver;

use std::marker::PhantomData;
use std::time::Duration;

use earth::{Arrived, Block, Eu, NodeId, Reply, Shared, SharedValues, Wire, threaded};
use earth_kernels::Real;
use num_complex::Complex;

use super::cut::node_of_neighbours;
use super::phases::{Done, Phases, Spent};
use super::points::{Points, Room, whole_matrix};
use super::row_pass::RowPass;
use super::transpose::{Arrays, TransposeDone, TransposeFft, TransposeJob, TransposePlan};
use super::two_pass::{Home, transform_rows};
use crate::solver::Input;
pub use solver::{TallCut, TallPlan};

/// The input of [`TallFft`].
#[derive(Debug, Wire)]
pub struct TallJob<T: Real> {
    points: Points<T>,
    numbers: Option<Block<T>>,
    /// The points that are transformed, if they are not to be replaced.
    from: Option<Points<T>>,
    aside: Points<T>,
    rows: Shared<RowPass<T>>,
    columns: Shared<TransposePlan<T>>,
}

impl<T: Real> TallJob<T> {
    /// The job to transform an array in its own memory, or `from` another array, which is kept; or between points and real
    /// `numbers` in two arrays. The matrix `aside` has room for the points; its contents are lost.
    ///
    /// # Panics
    ///
    /// If the arrays have other rows and columns than the plan's, or gaps between rows of points.
    pub fn new(points: Points<T>, (numbers, from): Input<T>, aside: Points<T>, plan: &TallPlan<T>) -> Self {
        let TallPlan { rows, columns } = plan.clone();
        rows.check(&points, numbers.as_ref(), from.as_ref());
        Self { points, numbers, from, aside, rows, columns }
    }

    /// The values that its run begins with.
    pub fn shared(&self) -> SharedValues {
        SharedValues::default().with(&self.rows).with(&self.columns)
    }

    /// The row blocks that send points home, and those that send real numbers.
    fn home(&self) -> [usize; 2] {
        let blocks = self.rows.cut.count();
        if self.numbers.is_some() && self.rows.columns_first { [0, blocks] } else { [blocks, 0] }
    }
}

/// The output of a run.
#[derive(Debug, Wire)]
pub struct TallDone<T: Real> {
    /// The result.
    pub done: Done<T>,
    /// The second matrix, for the next run.
    pub aside: Option<Room<Complex<T>>>,
}

impl<T: Real> From<TallDone<T>> for Done<T> {
    fn from(left: TallDone<T>) -> Self {
        left.done
    }
}

/// The FFT of few long columns: it deals rows, and has columns transformed.
pub struct TallFft<T: Real> {
    rows: Shared<RowPass<T>>,
    columns: Shared<TransposePlan<T>>,
    numbers: Option<Block<T>>,
    from: Option<Points<T>>,
    points: Option<Points<T>>,
    aside: Option<Points<T>>,
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
    /// The FFT of an array of 2 or 3 dimensions.
    pub fn deal(job: TallJob<T>, out: Reply<TallDone<T>>, eu: &mut Eu<Self>) -> Self {
        let started = eu.now();
        let TallJob { points, numbers, from, aside, rows, columns } = job;
        let (spent, aside) = (Spent::default(), Some(aside));
        let mut this = TallFft { rows, columns, numbers, from, points: None, aside, spent, started, out };
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
        let TransposeDone { done, aside, .. } = left;
        self.spent = self.spent.plus(done.phases.spent());
        self.aside = aside.map(Room::into_block);
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
        eu.put(self.out, TallDone { done, aside: self.aside.map(Room::of) });
    }
}

impl<T: Real> TallFft<T> {
    /// Invokes the row blocks on their nodes.
    fn deal_rows(&mut self, points: Points<T>, eu: &mut Eu<Self>) {
        let own = Self::rows_home();
        let (of_points, of_numbers, times) =
            (eu.replies(own.points), eu.replies(own.numbers), eu.replies(own.times));
        let cut = &self.rows.cut;
        let mut numbers = self.numbers.take().map(|numbers| cut.split_rows(numbers));
        let mut from = self.from.take().map(|from| cut.split_rows(from));
        let numbers_home = numbers.is_some() && self.rows.columns_first;
        for (block, part) in cut.split_rows(points).enumerate() {
            let node = NodeId::new(node_of_neighbours(block, cut.count(), eu.nodes()));
            let home = if numbers_home {
                Home::Numbers(of_numbers.at(block))
            } else {
                Home::Points(of_points.at(block))
            };
            let numbers = numbers.as_mut().and_then(Iterator::next);
            let from = from.as_mut().and_then(Iterator::next);
            eu.invoke(node, Rows::call(part, (numbers, from), self.rows.clone(), home, times.at(block)));
        }
    }

    /// Invokes the transform of columns.
    fn transform_columns(&mut self, series: Points<T>, eu: &mut Eu<Self>) {
        let arrays = Arrays { series, result: None, last: None, aside: self.aside.take() };
        let job = TransposeJob::new(arrays, self.columns.clone());
        let home = eu.reply(Self::columns_home().left);
        eu.invoke(NodeId::new(0), TransposeFft::call(job, home));
    }
}

/// A row block, which transforms its rows and sends them home.
pub struct Rows<T>(PhantomData<fn(T)>);

#[threaded]
impl<T: Real> Rows<T> {
    /// The transform of rows, or of the real numbers or points that are their input.
    fn start(
        mut part: Points<T>,
        input: Input<T>,
        pass: Shared<RowPass<T>>,
        home: Home<T>,
        time: Reply<Spent>,
        eu: &mut Eu<Self>,
    ) {
        let mut spent = Spent::default();
        let numbers = transform_rows(&pass, &mut part, input, &mut spent, eu);
        match (home, numbers) {
            (Home::Numbers(home), Some(numbers)) => eu.put_block(home, numbers),
            (Home::Points(home), _) => eu.put_block(home, part),
            (Home::Numbers(_), None) => unreachable!("row blocks of real numbers that come home have some"),
        }
        eu.put(time, spent);
    }
}
