//! Many independent transforms: each node transforms a part of the arrays.
//!
//! The arrays of a batch have 1 to 3 dimensions. They are cut into *blocks* of consecutive arrays, which are
//! dealt to P nodes, [neighbors to the same node](super::cut::node_of_neighbors).
//!
//! 1. [`BatchFft`] invokes each block on its node, as [`Rows`], which transforms the arrays of the block one
//!    after another, or several short ones together, and sends the block back.
//! 2. When all blocks are back, `BatchFft` joins them.
//!
//! Every point is read and written once, and no node waits for another. The result replaces the input. There
//! may be gaps between arrays and in arrays. Real numbers have a separate array, or are padded and share the
//! array of the points. The transform of few long columns ([`tall`](super::tall)) has the same blocks.
//!
//! # Counts
//!
//! I is the number of blocks, n the number of points, m the number of real numbers in a separate array. Z and
//! z are the bytes of a point and of a real number.
//!
//! | counter | count | made of |
//! |---|---|---|
//! | fibers | I + 2 | a block; two of `BatchFft` |
//! | invokes | I | |
//! | signals | 2 I + 1 | a block: home, its time; the value of the run |
//! | block moves | I | home |
//! | bytes moved | 3 n Z | dealt, home, the value of the run |
//! | of real numbers to points | 3 n Z + m z | numbers dealt |
//! | of points that are kept | 4 n Z | these dealt |
//! | of points to real numbers | n Z + 3 m z | points dealt; numbers dealt, home, the value of the run |
//! | frames | 1 | |
//! | tokens, parked values, deferred reads | 0 | |
//!
//! # When it loses
//!
//! A batch with fewer arrays than nodes leaves nodes without work. A small batch takes less time than the
//! wake-up of a node.

pub(crate) mod solver;

use std::marker::PhantomData;
use std::time::Duration;

use earth::{Arrived, Block, Eu, NodeId, Replies, Reply, Shared, SharedValues, Wire, threaded};
use earth_kernels::Real;

use super::cut::node_of_neighbors;
use super::phases::{Done, Phases, Spent};
use super::points::{Points, whole_matrix};
use super::row_pass::RowPass;
use super::two_pass::{ResultAddress, transform_rows};
use crate::solver::Input;
pub use solver::BatchPlan;

/// Input of [`BatchFft`].
#[derive(Debug, Wire)]
pub struct BatchJob<T: Real> {
    points: Points<T>,
    numbers: Option<Block<T>>,
    /// Input points, if the input is unchanged.
    from: Option<Points<T>>,
    rows: Shared<RowPass<T>>,
}

impl<T: Real> BatchJob<T> {
    /// Makes the job that transforms arrays, each a row of `points`, in place, out of place with the input in
    /// `from`, or between points and real `numbers` in two arrays.
    ///
    /// # Panics
    ///
    /// If the rows and columns of an array differ from the plan's, or if the plan needs other arrays.
    pub fn new(points: Points<T>, (numbers, from): Input<T>, plan: &BatchPlan<T>) -> Self {
        plan.rows.check(&points, numbers.as_ref(), from.as_ref());
        Self { points, numbers, from, rows: plan.rows.clone() }
    }

    /// Returns the shared values of the run.
    pub fn shared(&self) -> SharedValues {
        SharedValues::default().with(&self.rows)
    }

    /// Returns the number of blocks that return points, and the number that return real numbers.
    fn home(&self) -> [usize; 2] {
        self.rows.home(self.numbers.is_some())
    }
}

/// Transform of a batch: deals blocks of arrays, and joins the results.
pub struct BatchFft<T: Real> {
    started: Duration,
    dealt: Duration,
    out: Reply<Done<T>>,
}

#[threaded(
    blocks = job.rows.cut.count(),
    points_home = job.home()[0],
    numbers_home = job.home()[1]
)]
impl<T: Real> BatchFft<T> {
    /// Starts the transform.
    pub fn deal(job: BatchJob<T>, out: Reply<Done<T>>, eu: &mut Eu<Self>) -> Self {
        let started = eu.now();
        let BatchJob { points, numbers, from, rows } = job;
        let own = Self::collect();
        let homes = Homes {
            points: eu.replies(own.points),
            numbers: eu.replies(own.numbers),
            times: eu.replies(own.times),
        };
        deal_rows(&rows, points, (numbers, from), homes, eu);
        BatchFft { started, dealt: eu.now(), out }
    }

    #[slot]
    fn collect(
        self,
        #[inlets(points_home)] points: Arrived<'_, Points<T>>,
        #[inlets(numbers_home)] numbers: Arrived<'_, Block<T>>,
        #[inlets(blocks)] times: Arrived<'_, Spent>,
        eu: &mut Eu<Self>,
    ) {
        let all_home = eu.now();
        let spent = times.fold(Spent::default(), Spent::plus);
        let phases = |end| Phases::between([self.started, self.dealt, all_home, end]).with_spent(spent);
        let done = if numbers.len() > 0 {
            let numbers = whole_matrix(numbers.collect());
            Done::of_numbers(numbers, phases(eu.now()))
        } else {
            let points = whole_matrix(points.collect());
            Done::new(points, phases(eu.now()))
        };
        eu.put(self.out, done);
    }
}

/// Addresses for the results of blocks, by blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Homes<T: Real> {
    /// Addresses of points, if the blocks return points.
    pub(super) points: Replies<Points<T>>,
    /// Addresses of real numbers, if the blocks return these.
    pub(super) numbers: Replies<Block<T>>,
    pub(super) times: Replies<Spent>,
}

/// Deals the row blocks of a pass, with the rows of the input if it has arrays of its own.
pub(super) fn deal_rows<T: Real, F>(
    pass: &Shared<RowPass<T>>,
    points: Points<T>,
    (numbers, from): Input<T>,
    homes: Homes<T>,
    eu: &mut Eu<F>,
) {
    let cut = &pass.cut;
    let [_, numbers_home] = pass.home(numbers.is_some());
    let mut numbers = numbers.map(|numbers| cut.split_rows(numbers));
    let mut from = from.map(|from| cut.split_rows(from));
    for (block, part) in cut.split_rows(points).enumerate() {
        let node = NodeId::new(node_of_neighbors(block, cut.count(), eu.nodes()));
        let home = if numbers_home > 0 {
            ResultAddress::Numbers(homes.numbers.at(block))
        } else {
            ResultAddress::Points(homes.points.at(block))
        };
        let numbers = numbers.as_mut().and_then(Iterator::next);
        let from = from.as_mut().and_then(Iterator::next);
        eu.invoke(node, Rows::call(part, (numbers, from), pass.clone(), home, homes.times.at(block)));
    }
}

/// A row block, which transforms its rows and sends them back.
pub struct Rows<T>(PhantomData<fn(T)>);

#[threaded]
impl<T: Real> Rows<T> {
    /// Transforms rows, in place or from the real numbers or points of the input.
    fn start(
        mut part: Points<T>,
        input: Input<T>,
        pass: Shared<RowPass<T>>,
        home: ResultAddress<T>,
        time: Reply<Spent>,
        eu: &mut Eu<Self>,
    ) {
        let mut spent = Spent::default();
        let numbers = transform_rows(&pass, &mut part, input, &mut spent, eu);
        match (home, numbers) {
            (ResultAddress::Numbers(home), Some(numbers)) => eu.put_block(home, numbers),
            (ResultAddress::Points(home), _) => eu.put_block(home, part),
            (ResultAddress::Numbers(_), None) => {
                unreachable!("row blocks that return real numbers have an array")
            }
        }
        eu.put(time, spent);
    }
}
