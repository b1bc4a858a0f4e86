//! Measurement of points of speed functions: the time of groups of nodes for a number of rows of a length.
//!
//! A repetition is one run of [`row_speed()`]: all groups transform the same number of rows at once. The
//! first run touches memory and wakes threads, and does not count. Runs are then repeated until the means are
//! reliable ([`repeat`]). The rows are zeros, which every transform leaves unchanged. A row kernel takes as
//! long for zeros as for any numbers that are not denormal.
//!
//! *Planning*, if it is included as in the paper, is repeated for each repetition and added to the time of
//! every group. In our programs it is done once for all groups, before they start.

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

/// Groups whose rows are measured, and the transform of these rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    /// Number of groups, and of nodes per group.
    pub grouping: Grouping,
    /// Row kernel.
    pub kernel: Kernel,
    /// Planning effort of the kernel.
    pub effort: Effort,
    /// Padding of rows: none, a larger leading dimension, or a chirp. Other values of [`Pad`] are measured as
    /// none.
    pub pad: Pad,
    /// Whether planning is part of the time.
    pub planning: bool,
}

impl Subject {
    /// Returns the description that a model keeps, for points of this precision.
    pub fn described<T: Real>(&self) -> MeasuredRows {
        MeasuredRows {
            kernel: self.kernel.clone(),
            precision: T::NAME.to_owned(),
            effort: Some(self.effort),
            planning_included: self.planning,
            pad: self.pad,
        }
    }

    /// Returns the bytes needed to measure one point of a speed function, without the kernel's tables.
    pub fn bytes<T: Real>(&self, size: Size) -> usize {
        let rows = size.rows.saturating_mul(self.grouping.groups);
        let width = size.length.saturating_add(self.stride::<T>(size.length).unwrap_or(0));
        width.saturating_mul(rows).saturating_mul(size_of::<Complex<T>>())
    }

    /// Returns the leading dimension of padded rows, if rows are padded.
    fn stride<T: Real>(&self, length: usize) -> Option<usize> {
        (self.pad == Pad::Stride).then(|| odd_lines(length, size_of::<Complex<T>>()))
    }

    /// Distributes the rows as the programs do.
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

/// Measures the time of each group for `size.rows` rows of `size.length` points, all groups at once, on a
/// machine with the groups' nodes.
///
/// # Errors
///
/// Returns an error for groups that do not match the machine, rows that exceed a block, a kernel that makes
/// no plan, and a reliability that allows no measurement; and the machine's errors.
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

/// Returns a matrix of zeros, or an error if it exceeds a block.
fn zeroed<T: Precision>(rows: usize, cols: usize) -> Result<Block<Complex<T>>, ShapeError> {
    // A phantom checks the shape without allocating memory.
    Block::<Complex<T>>::phantom(rows, cols).map(|_| Block::zeroed(rows, cols))
}
