//! How long groups of nodes take for rows: what a speed function is measured by.
//!
//! Each of p groups of t nodes is given x rows of y points, and all transform these at once, so that each is
//! measured with the others at work beside it (Khokhriakov, Manumachu and Lastovetsky 2018, section
//! III and Appendix A).
//!
//! 1. [`RowSpeed`] hands each group its rows: [`GroupRows`] is invoked on the first node of each, and sends
//!    the address of the slot that starts it.
//! 2. When all addresses are known, each group is signalled to start. It takes the time, deals its rows to its nodes as row blocks, each of
//!    which is invoked as [`TransformRows`], exactly as the programs on matrices deal theirs, and takes the
//!    time again when all are back.
//! 3. `RowSpeed` collects rows and times.
//!
//! *Rows with another leading dimension.* Their row blocks copy them to padded rows, and the copy is timed, as it
//! is in the programs. They are copied back after the time was taken: a program on a matrix copies back once in
//! its two passes, so that each pass is charged for one copy.
//!
//! *Counts*, of K row blocks in all and p groups with rows: K + 3 p + 3 fibers, K + p invokes, K + 3 p + 1
//! signals; none depends on the schedule. *When it misleads.* Groups start as soon as they are signalled, one after
//! the other: what they do before the last one starts and after the first one has ended is not disturbed by all
//! others. Transposes are not measured.

use std::ops::Range;
use std::time::Duration;

use earth::{Eu, NodeId, Reply, SlotRef, Then, Wire, threaded_old};
use earth_kernels::Real;

use super::matrix::Spent;
use super::matrix::padded_rows::PaddedRows;
use super::matrix::pass::Pass;
use super::phases::nanoseconds;
use super::points::{Points, whole_matrix};
use crate::plan::PlanHandle;

/// The input of [`RowSpeed`].
#[derive(Debug, Wire)]
pub struct RowSpeedJob<T: Real> {
    /// The rows of all groups, one below the other.
    pub rows: Option<Points<T>>,
    /// How they are dealt and transformed.
    pub plan: PlanHandle<Pass<T>>,
    /// The nodes of a group.
    pub threads: usize,
}

impl<T: Real> RowSpeedJob<T> {
    fn groups(&self) -> usize {
        self.plan.cut().distribution().len()
    }
}

/// The result of [`RowSpeed`].
#[derive(Debug, Wire)]
pub struct RowSpeedDone<T: Real> {
    /// The rows, transformed.
    pub rows: Points<T>,
    /// How long each group took, in nanoseconds.
    pub times: Vec<u64>,
}

/// The arguments of a group.
#[derive(Debug, Wire)]
pub struct GroupArgs<T: Real> {
    group: usize,
    rows: Option<Points<T>>,
    plan: PlanHandle<Pass<T>>,
    /// Where the address of the slot that starts it goes.
    ready: Reply<SlotRef>,
    done: Reply<Box<GroupDone<T>>>,
}

/// The result of a group: its rows, and the nanoseconds that they took.
#[derive(Debug, Wire)]
pub struct GroupDone<T: Real> {
    rows: Points<T>,
    time: u64,
}

threaded_old! {
    /// Has all groups transform their rows at once.
    pub fn RowSpeed<T: Real>(job: Box<RowSpeedJob<T>>, out: Reply<Box<RowSpeedDone<T>>>)
    calls { GroupRows<T> }
    inlets {
        ready[this.job.groups()]: SlotRef,
        group[this.job.groups()]: Box<GroupDone<T>>,
    }
    slots {
        all_ready: (this.job.groups()) => go,
        all_done: (this.job.groups()) => collect,
    }

    fiber deal(this, eu) {
        let ready = eu.replies_to_one(Self::ready, Self::all_ready);
        let done = eu.replies_to_one(Self::group, Self::all_done);
        let RowSpeedJob { rows, plan, threads } = &mut *this.job;
        let Some(mut rest) = rows.take() else { panic!("a run without rows") };
        for (group, &count) in plan.cut().distribution().iter().enumerate() {
            let (rows, below) = rest.split_rows(count);
            rest = below;
            let (ready, done) = (ready.at(group), done.at(group));
            let args = GroupArgs { group, rows: Some(rows), plan: plan.clone(), ready, done };
            eu.invoke_old::<GroupRows<T>>(NodeId::new(group * *threads), (Box::new(args),));
        }
        Then::Wait
    }

    fiber go(this, eu) {
        let groups: Vec<_> =
            (0..this.job.groups()).map(|group| eu.take(Self::ready.at(group))).collect();
        for group in groups {
            eu.rsync(group);
        }
        Then::Wait
    }

    fiber collect(this, eu) {
        let groups: Vec<_> =
            (0..this.job.groups()).map(|group| eu.take(Self::group.at(group))).collect();
        let times = groups.iter().map(|group| group.time).collect();
        let rows = whole_matrix(groups.into_iter().map(|group| group.rows).collect());
        eu.put(this.out, Box::new(RowSpeedDone { rows, times }));
        Then::End
    }
}

impl<T: Real> GroupArgs<T> {
    /// The group's row blocks, by their numbers among all.
    fn blocks(&self) -> Range<usize> {
        self.plan.cut().blocks_of(self.group)
    }
}

threaded_old! {
    /// The rows of one group, from its first node.
    pub fn GroupRows<T: Real>(args: Box<GroupArgs<T>>)
    state { start: Duration = Duration::ZERO }
    calls { TransformRows<T> }
    inlets { home[this.args.blocks().len()]: Box<BlockDone<T>> }
    // A group without rows ends when it begins, and its count of row blocks does not matter.
    slots { go: 1 => begin, back: (this.args.blocks().len().max(1)) => finish }

    fiber start(this, eu) {
        let go = eu.slot_ref(Self::go);
        eu.put(this.args.ready, go);
        Then::Wait
    }

    fiber begin(this, eu) {
        this.start = eu.now();
        let home = eu.replies_to_one(Self::home, Self::back);
        let blocks = this.args.blocks();
        let Some(mut rest) = this.args.rows.take() else { panic!("a group without rows") };
        if blocks.is_empty() {
            eu.put(this.args.done, Box::new(GroupDone { rows: rest, time: 0 }));
            return Then::End;
        }
        let cut = this.args.plan.cut();
        for (at, block) in blocks.enumerate() {
            let (rows, below) = rest.split_rows(cut.rows_of(block));
            rest = below;
            let node = NodeId::new(cut.node_of(block, eu.nodes()));
            let plan = this.args.plan.clone();
            let args = BlockArgs { block, rows: Some(rows), plan, home: home.at(at) };
            eu.invoke_old::<TransformRows<T>>(node, (Box::new(args),));
        }
        Then::Wait
    }

    fiber finish(this, eu) {
        let blocks = this.args.blocks().len();
        let done: Vec<_> = (0..blocks).map(|at| eu.take(Self::home.at(at))).collect();
        let time = nanoseconds(this.start, eu.now());
        let rows = whole_matrix(done.into_iter().map(|done| done.rows_at_home(eu)).collect());
        eu.put(this.args.done, Box::new(GroupDone { rows, time }));
        Then::End
    }
}

/// The arguments of a row block.
#[derive(Debug, Wire)]
pub struct BlockArgs<T: Real> {
    block: usize,
    rows: Option<Points<T>>,
    plan: PlanHandle<Pass<T>>,
    home: Reply<Box<BlockDone<T>>>,
}

/// The result of a row block.
#[derive(Debug, Wire)]
pub struct BlockDone<T: Real> {
    rows: Points<T>,
    /// The rows that it was given, if these are padded copies.
    home: Option<Points<T>>,
}

impl<T: Real> BlockDone<T> {
    fn rows_at_home(self, eu: &mut Eu) -> Points<T> {
        Spent::default().on_return(eu, self.rows, self.home)
    }
}

threaded_old! {
    /// Transforms a row block, on its node.
    pub fn TransformRows<T: Real>(args: Box<BlockArgs<T>>)
    fiber start(this, eu) {
        let BlockArgs { block, rows, plan, home } = &mut *this.args;
        let Some(given) = rows.take() else { panic!("a row block without rows") };
        let mut padded = PaddedRows::default();
        let mut rows = padded.enter(plan, *block, given);
        let transform = |from: Option<&_>, rows: &mut _| plan.transform(*block, from, rows, |_| ());
        Spent::default().on_rows(eu, (padded.home(), &mut rows), plan.transformed(), transform);
        let points = padded.points(plan, rows);
        let (rows, home_of_rows) = padded.leave(std::iter::once(points));
        eu.put(*home, Box::new(BlockDone { rows, home: home_of_rows }));
        Then::End
    }
}
