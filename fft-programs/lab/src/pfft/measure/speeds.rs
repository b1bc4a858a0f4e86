//! Measures points of speed functions: how long groups of nodes take for so many rows of so many points.
//!
//! A repetition is one run of [`row_speed()`]: all groups transform as many rows each, at once. It is repeated until
//! the means are reliable ([`repeat`]), after one run that does not count, in which memory is touched and
//! threads are woken. The rows are zeros, which stay what they are however often they are transformed; a row
//! kernel takes as long for them as for any other numbers that are not denormal.
//!
//! *Planning*, if it is to be included as the paper has it, is done anew for each repetition and added to the time
//! of every group: in our programs it is done once for all of them, before they start.

use std::time::{Duration, Instant};

use earth::{Block, Machine, ShapeError, Shared};
use earth_fft::kernel::{Kernel, RowOptions};
use earth_fft::{PlanError, Precision, TransformError};
use earth_fftw::Effort;
use earth_kernels::{Direction, Real};
use earth_papers::groups::dealing::{Dealing, chirp_lengths, odd_lines};
use earth_papers::groups::pass::Pass;
use earth_papers::groups::{MeasuredRows, Pad};
use earth_papers::partition::{Grouping, Size};
use earth_papers::row_speed;
use num_complex::Complex;

use super::statistics::{MeasureError, Measured, Reliability, repeat};

/// The groups whose rows are measured, and how these are transformed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    /// The groups, and the nodes of each.
    pub grouping: Grouping,
    /// The row kernel.
    pub kernel: Kernel,
    /// How hard its planner tries.
    pub effort: Effort,
    /// The padding of rows: none, a larger leading dimension, or a chirp. Other values of [`Pad`] are measured as
    /// none.
    pub pad: Pad,
    /// Whether planning is part of the time.
    pub planning: bool,
}

impl Subject {
    /// The description that a model keeps, for points of this precision.
    pub fn described<T: Real>(&self) -> MeasuredRows {
        MeasuredRows {
            kernel: self.kernel.clone(),
            precision: T::NAME.to_owned(),
            effort: Some(self.effort),
            planning_included: self.planning,
            pad: self.pad,
        }
    }

    /// The bytes that one point of a speed function takes to measure, the tables of the kernel not counted.
    pub fn bytes<T: Real>(&self, size: Size) -> usize {
        let rows = size.rows.saturating_mul(self.grouping.groups);
        let width = size.length.saturating_add(self.stride::<T>(size.length).unwrap_or(0));
        width.saturating_mul(rows).saturating_mul(size_of::<Complex<T>>())
    }

    /// The leading dimension of padded rows, if rows are padded.
    fn stride<T: Real>(&self, length: usize) -> Option<usize> {
        (self.pad == Pad::Stride).then(|| odd_lines(length, size_of::<Complex<T>>()))
    }

    /// How the rows are dealt: as the programs deal them.
    fn dealt<T: Real>(&self, size: Size) -> Dealing {
        let Grouping { groups, threads } = self.grouping;
        let dealt = Dealing::grouped(&vec![size.rows; groups], threads, size.length, None)
            .strides(&vec![self.stride::<T>(size.length).unwrap_or(0); groups]);
        if self.pad == Pad::Chirp {
            let through = chirp_lengths(size.length).first().copied().unwrap_or(0);
            dealt.chirps(&vec![through; groups])
        } else {
            dealt
        }
    }
}

/// Measures the time of each group for `size.rows` rows of `size.length` points, all groups at once, on a machine
/// whose nodes are theirs.
///
/// # Errors
///
/// Groups that are not the machine, rows that do not fit a block, a kernel that makes no plan, the machine's, or a
/// reliability that allows no measurement.
pub fn measure<T: Precision>(
    machine: &mut Machine,
    subject: &Subject,
    size: Size,
    reliability: Reliability,
) -> Result<Measured, MeasureError<TransformError>> {
    let Grouping { groups, threads } = subject.grouping;
    let (kernel, direction) = (subject.kernel.clone(), Direction::Forward);
    let (dealt, options) = (subject.dealt::<T>(size), RowOptions::new(kernel, subject.effort, direction));
    let rows = zeroed::<T>(size.rows.saturating_mul(groups), size.length);
    let mut rows = Some(rows.map_err(|error| MeasureError::Failed(error.into()))?);
    let plan =
        || Pass::<T>::new(&dealt, &options).map(Shared::new).map_err(|error| PlanError::from(error).into());
    let kept = if subject.planning { None } else { Some(plan().map_err(MeasureError::Failed)?) };
    let mut run = |times: &mut [f64]| {
        let start = Instant::now();
        let plan = match &kept {
            Some(plan) => plan.clone(),
            None => plan()?,
        };
        let planning = if kept.is_none() { start.elapsed() } else { Duration::ZERO };
        let Some(block) = rows.take() else { unreachable!("each repetition puts the rows back") };
        let done = row_speed(machine, block, plan, threads)?.value;
        rows = Some(done.rows);
        for (time, took) in times.iter_mut().zip(&done.times) {
            *time = (*took + planning).as_secs_f64();
        }
        Ok(())
    };
    run(&mut vec![0.0; groups]).map_err(MeasureError::Failed)?;
    repeat(reliability, groups, run)
}

/// A matrix of zeros, unless it is more than a block holds.
fn zeroed<T: Precision>(rows: usize, cols: usize) -> Result<Block<Complex<T>>, ShapeError> {
    // A phantom takes no memory to find out.
    Block::<Complex<T>>::phantom(rows, cols).map(|_| Block::zeroed(rows, cols))
}
