//! How long groups of nodes take for rows, as one function: it runs [`RowSpeed`](crate::dataflow::row_speed::RowSpeed).

use std::time::Duration;

use earth::{Block, Machine, Shared};
use earth_kernels::Real;
use num_complex::Complex;

use crate::dataflow::matrix::MatrixError;
use crate::dataflow::matrix::pass::Pass;
use crate::dataflow::row_speed::RowSpeedJob;
use crate::plan::TransformError;
use crate::precision::Precision;

/// Rows that have been transformed by groups at once, and how long each group took.
#[derive(Debug)]
pub struct RowTimes<T: Real> {
    /// The rows, in the memory in which they were, unless they came through bytes.
    pub rows: Block<Complex<T>>,
    /// The time of each group; zero for one without rows.
    pub times: Vec<Duration>,
    /// The machine's counters.
    pub counters: earth::Counters,
}

/// Transforms `rows` by groups of nodes of `machine` at once: `plan` says who gets which and how.
///
/// # Errors
///
/// Rows that are dealt and are not there or have another length, groups that are not the machine, or the machine's.
pub fn row_speed<T: Precision>(
    machine: &mut Machine,
    rows: Block<Complex<T>>,
    plan: Shared<Pass<T>>,
    threads: usize,
) -> Result<RowTimes<T>, TransformError> {
    let distribution = plan.cut().distribution();
    let dealt: usize = distribution.iter().sum();
    if dealt != rows.rows() {
        return Err(MatrixError::Dealt { dealt, rows: rows.rows() }.into());
    }
    if rows.cols() != plan.len() {
        return Err(MatrixError::Length { len: plan.len(), found: rows.cols() }.into());
    }
    let (groups, nodes) = (distribution.len(), machine.node_count());
    if groups.checked_mul(threads) != Some(nodes) {
        return Err(MatrixError::Nodes { groups, threads, nodes }.into());
    }
    let job = RowSpeedJob { rows, plan, threads };
    let earth::Run { value, counters, .. } = T::run_row_speed(machine, job)?;
    let times = value.times.into_iter().map(Duration::from_nanos).collect();
    Ok(RowTimes { rows: value.rows, times, counters })
}
