//! Times of groups of nodes for rows: the measurements behind speed functions.
//!
//! Each of p groups of t nodes is given x rows of y points. All groups transform them at once, so that each
//! is measured with the others at work beside it (Khokhriakov, Manumachu and Lastovetsky 2018, section III
//! and Appendix A).
//!
//! 1. [`RowSpeed`] hands each group its rows: it invokes [`GroupRows`] on the first node of each group, which
//!    sends the address of the slot that starts it.
//! 2. When all addresses are known, each group is signalled to start. It reads the clock and deals its rows
//!    to its nodes as row blocks, exactly as the programs on matrices do. It invokes each row block as
//!    [`TransformRows`], and reads the clock again when all are back.
//! 3. `RowSpeed` collects rows and times.
//!
//! *Rows with another leading dimension.* Their row blocks copy them to padded rows. The time includes this
//! copy, as in the programs. The copy back is not timed: a program on a matrix copies back once in its two
//! passes, so each pass is charged for one copy.
//!
//! *Counts*, for K row blocks in all and p groups with rows: K + 3 p + 3 fibers, K + p invokes, K + 3 p + 1
//! signals. They do not depend on the schedule.
//!
//! *When it misleads.* Groups start as soon as they are signalled, one after the other. Not all other groups
//! disturb what a group does before the last one starts and after the first one has ended. Transposes are not
//! measured.

use std::marker::PhantomData;
use std::time::Duration;

use earth::{Arrived, Eu, Machine, NodeId, Reply, Run, Shared, SharedValues, SlotRef, Then, Wire, threaded};
use earth_fft::dataflow::Spent;
use earth_fft::dataflow::points::{Points, whole_matrix};
use earth_fft::{Precision, TransformError};
use earth_kernels::Real;

use crate::error::Error;
use crate::groups::pass::{PaddedRows, Pass};

/// Input of [`RowSpeed`].
#[derive(Debug, Wire)]
pub struct RowSpeedJob<T: Real> {
    /// Rows of all groups, one group below the other.
    rows: Points<T>,
    /// Their distribution and kernels.
    plan: Shared<Pass<T>>,
    /// Number of nodes of a group.
    threads: usize,
}

/// Rows that groups have transformed at once, and the time of each group.
#[derive(Debug, Wire)]
pub struct RowTimes<T: Real> {
    /// Rows, in their original memory unless they came through bytes.
    pub rows: Points<T>,
    /// Time of each group; zero for a group without rows.
    pub times: Vec<Duration>,
}

/// Function that has all groups transform their rows at once.
pub struct RowSpeed<T: Real> {
    out: Reply<RowTimes<T>>,
}

#[threaded(groups = job.plan.cut.distribution().len())]
impl<T: Real> RowSpeed<T> {
    /// Has all groups transform their rows at once.
    pub fn deal(job: RowSpeedJob<T>, out: Reply<RowTimes<T>>, eu: &mut Eu<Self>) -> Self {
        let ready = eu.replies(Self::go().ready);
        let done = eu.replies(Self::collect().groups);
        let RowSpeedJob { rows: mut rest, plan, threads } = job;
        for (group, &count) in plan.cut.distribution().iter().enumerate() {
            let (rows, below) = rest.split_rows(count);
            rest = below;
            let call = GroupRows::call(group, rows, plan.clone(), ready.at(group), done.at(group));
            eu.invoke(NodeId::new(group * threads), call);
        }
        RowSpeed { out }
    }

    #[slot]
    fn go(&mut self, #[inlets(groups)] ready: Arrived<'_, SlotRef>, eu: &mut Eu<Self>) {
        for group in ready {
            eu.rsync(group);
        }
    }

    #[slot]
    fn collect(self, #[inlets(groups)] groups: Arrived<'_, GroupDone<T>>, eu: &mut Eu<Self>) {
        let times = groups.iter().map(|group| group.time).collect();
        let rows = whole_matrix(groups.map(|group| group.rows).collect());
        eu.put(self.out, RowTimes { rows, times });
    }
}

/// Rows of one group, on its first node.
pub struct GroupRows<T: Real> {
    group: usize,
    rows: Option<Points<T>>,
    plan: Shared<Pass<T>>,
    start: Duration,
    done: Reply<GroupDone<T>>,
}

/// Result of a group: its rows, and their time.
#[derive(Debug, Wire)]
pub struct GroupDone<T: Real> {
    rows: Points<T>,
    time: Duration,
}

#[threaded(blocks = plan.cut.blocks_of(group).len())]
impl<T: Real> GroupRows<T> {
    /// Takes the rows of one group, and sends the address of the slot that starts it to `ready`.
    fn start(
        group: usize,
        rows: Points<T>,
        plan: Shared<Pass<T>>,
        ready: Reply<SlotRef>,
        done: Reply<GroupDone<T>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        eu.put(ready, eu.slot_ref(Self::begin()));
        GroupRows { group, rows: Some(rows), plan, start: Duration::ZERO, done }
    }

    #[slot(sync)]
    fn begin(&mut self, eu: &mut Eu<Self>) -> Then {
        self.start = eu.now();
        let home = eu.replies(Self::finish().home);
        let cut = &self.plan.cut;
        let blocks = cut.blocks_of(self.group);
        let Some(mut rest) = self.rows.take() else { unreachable!("a group begins once") };
        if blocks.is_empty() {
            eu.put(self.done, GroupDone { rows: rest, time: Duration::ZERO });
            return Then::End;
        }
        for (at, block) in blocks.enumerate() {
            let (rows, below) = rest.split_rows(cut.rows_of(block));
            rest = below;
            let node = NodeId::new(cut.node_of(block, eu.nodes()));
            eu.invoke(node, TransformRows::call(block, rows, self.plan.clone(), home.at(at)));
        }
        Then::Wait
    }

    // A group without rows ends when it begins. Its slot counts a signal that never comes, since a count of 0
    // is an error.
    #[slot(syncs = usize::from(blocks == 0))]
    fn finish(self, #[inlets(blocks)] home: Arrived<'_, BlockDone<T>>, eu: &mut Eu<Self>) {
        let time = eu.now().saturating_sub(self.start);
        let rows = whole_matrix(home.map(|done| done.rows_at_home(eu)).collect());
        eu.put(self.done, GroupDone { rows, time });
    }
}

/// Function that transforms a row block on its node.
pub struct TransformRows<T>(PhantomData<fn(T)>);

/// Result of a row block.
#[derive(Debug, Wire)]
pub struct BlockDone<T: Real> {
    rows: Points<T>,
    /// Original rows, if `rows` are padded copies.
    home: Option<Points<T>>,
}

impl<T: Real> BlockDone<T> {
    fn rows_at_home(self, eu: &mut Eu) -> Points<T> {
        Spent::default().on_return(eu, self.rows, self.home)
    }
}

#[threaded]
impl<T: Real> TransformRows<T> {
    /// Transforms the rows of the `block`-th row block.
    fn start(
        block: usize,
        rows: Points<T>,
        plan: Shared<Pass<T>>,
        done: Reply<BlockDone<T>>,
        eu: &mut Eu<Self>,
    ) {
        let mut padded = PaddedRows::default();
        let mut rows = padded.enter(&plan, block, rows);
        let transform = |from: Option<&_>, rows: &mut _| plan.transform(block, from, rows, |_| ());
        Spent::default().on_rows(eu, (padded.home(), &mut rows), plan.work(block), transform);
        let points = padded.points(&plan, rows);
        let (rows, home) = padded.leave(std::iter::once(points));
        eu.put(done, BlockDone { rows, home });
    }
}

/// Has the groups of nodes of `machine` transform `rows` at once, as distributed by `plan`.
///
/// # Errors
///
/// Rows whose number or length is not the plan's, groups that do not match the machine, or the machine's
/// errors.
pub fn row_speed<T: Precision>(
    machine: &mut Machine,
    rows: Points<T>,
    plan: Shared<Pass<T>>,
    threads: usize,
) -> Result<Run<RowTimes<T>>, TransformError> {
    let distribution = plan.cut.distribution();
    let dealt: usize = distribution.iter().sum();
    if dealt != rows.rows() {
        return Err(Error::Dealt { dealt, rows: rows.rows() }.into());
    }
    if rows.cols() != plan.dealing.len {
        return Err(Error::Length { len: plan.dealing.len, found: rows.cols() }.into());
    }
    let (groups, nodes) = (distribution.len(), machine.node_count());
    if groups.checked_mul(threads) != Some(nodes) {
        return Err(Error::Nodes { groups, threads, nodes }.into());
    }
    let shared = SharedValues::default().with(&plan);
    let job = RowSpeedJob { rows, plan, threads };
    Ok(machine.run_with(shared, |out| RowSpeed::<T>::call(job, out))?)
}
