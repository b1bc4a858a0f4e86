//! One pass over the rows of a matrix: how they are dealt, their length and leading dimension, and
//! the kernels that transform them.
//!
//! Its lengths are those of its [dealing](super::dealing).

use std::sync::Arc;

use earth::Work;
use earth_codelets::Chirp;
use earth_fft::dataflow::cut::Cut;
use earth_fft::dataflow::points::{Points, had, scratch};
use earth_fft::dataflow::tables::Tables;
use earth_fft::dataflow::{MatrixError, work};
use earth_fft::kernel::{Kernel, RowOptions};
use earth_fftw::Effort;
use earth_kernels::{Direction, Real, RowKernel, RowShape};
use num_complex::Complex;

use super::dealing::Dealing;
use crate::error::Error;

/// One pass over the rows of a matrix, planned.
#[derive(Debug)]
pub struct Pass<T: Real> {
    direction: Direction,
    cut: Cut,
    /// The rows of a row block; of the largest, if groups have others.
    block: usize,
    len: usize,
    /// The leading dimension of rows at work, by group.
    leading_dimensions: Vec<usize>,
    /// The length of the rows that are transformed.
    transformed: usize,
    /// What the rows of a group take on a machine of virtual time, in thousandths of what is usual.
    paces: Vec<u32>,
    /// The kernels, by group.
    kernels: Tables<Vec<Arc<dyn RowKernel<T>>>>,
}

impl<T: Real> Pass<T> {
    /// Plans a pass over rows that are dealt like this.
    ///
    /// # Errors
    ///
    /// Rows that are not there, lengths that are too short, or a kernel that makes no plan.
    pub fn new(dealt: &Dealing, options: &RowOptions) -> Result<Self, Error> {
        Self::planned(dealt, options, &mut RowKernels::default())
    }

    /// Plans a pass over phantom rows: it knows how they are cut and computes nothing.
    ///
    /// # Errors
    ///
    /// Rows that are not there, or lengths that are too short.
    pub fn phantom(dealt: &Dealing) -> Result<Self, Error> {
        let (rows, len) = (dealt.rows(), dealt.len());
        if dealt.is_empty() {
            return Err(MatrixError::NoPoints { rows, cols: len }.into());
        }
        let leading_dimensions: Vec<_> = dealt.shapes().map(|[_, leading, _]| leading).collect();
        if let Some(&leading) = leading_dimensions.iter().find(|&&leading| leading < len) {
            return Err(Error::Leading { len, leading });
        }
        let (cut, transformed) = (dealt.cut()?, dealt.transformed());
        let (direction, block, kernels) = (Direction::Forward, dealt.block(), Tables::none());
        let paces = dealt.paces_of_groups().collect();
        Ok(Self { direction, cut, block, len, leading_dimensions, transformed, paces, kernels })
    }

    /// Plans a pass with kernels of `shelf`, which keeps them for another pass.
    pub(super) fn planned(
        dealt: &Dealing,
        options: &RowOptions,
        shelf: &mut RowKernels<T>,
    ) -> Result<Self, Error> {
        let (pass, rows) = (Self::phantom(dealt)?, dealt.rows());
        let of_group = |[block, distance, through]: [usize; 3]| {
            let shape = RowShape { len: pass.transformed, rows: block.clamp(1, rows), distance };
            let kernel = shelf.kernel(&options.kernel, options.effort, shape, through)?;
            kernel.prepare(options.direction);
            Ok::<_, Error>(kernel)
        };
        let kernels = Tables::of(dealt.shapes().map(of_group).collect::<Result<_, _>>()?);
        Ok(Self { direction: options.direction, kernels, ..pass })
    }

    /// The name of the kernel of the first group; nothing in a plan for phantoms.
    pub(crate) fn kernel_name(&self) -> Option<&'static str> {
        self.kernels.found()?.first().map(|kernel| kernel.name())
    }

    /// The points of scratch that the rows of a row block need.
    pub(crate) fn scratch_len(&self) -> usize {
        let of_groups = || self.kernels.get().iter().map(|kernel| kernel.scratch_len());
        if self.kernels.is_none() { 0 } else { of_groups().max().unwrap_or(0) }
    }

    /// The rows of a row block; of the largest, if groups have others.
    pub fn block(&self) -> usize {
        self.block
    }

    /// The direction of the transform.
    pub(crate) fn direction(&self) -> Direction {
        self.direction
    }

    /// How the rows are cut.
    pub fn cut(&self) -> &Cut {
        &self.cut
    }

    /// The points of a row, padding not counted.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Always false: a row has at least one point.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The leading dimension of rows at work, by group.
    pub fn leading_dimensions(&self) -> &[usize] {
        &self.leading_dimensions
    }

    /// The leading dimension of the rows of a row block at work.
    pub(crate) fn leading(&self, block: usize) -> usize {
        self.leading_dimensions[self.cut.group_of(block)]
    }

    /// The length of the rows that are transformed: that of a row, or of one filled up with zeros.
    pub fn transformed(&self) -> usize {
        self.transformed
    }

    /// What it takes to transform the rows of a row block.
    pub(crate) fn work(&self, block: usize) -> Work {
        let pace = self.paces[self.cut.group_of(block)];
        work::paced(work::row_fft(self.cut.rows_of(block), self.transformed), pace)
    }

    /// Makes rows of zeros for a row block, or a phantom if the plan is for phantoms.
    pub(crate) fn zeroed(&self, block: usize) -> Points<T> {
        had(self.kernels.zeroed(self.cut.rows_of(block), self.leading(block)))
    }

    /// Checks that `rows` are a phantom if the plan is for phantoms.
    ///
    /// # Panics
    ///
    /// If they are not.
    #[track_caller]
    pub(crate) fn check(&self, rows: &Points<T>) {
        self.kernels.check(rows);
    }

    /// Transforms the rows of a row block that has them whole, with their padding, after their points were
    /// copied `from` elsewhere if they are there, and hands each to `finish`: all this while it is in the
    /// cache, where rows are transformed one by one.
    pub(crate) fn transform(
        &self,
        block: usize,
        from: Option<&Points<T>>,
        rows: &mut Points<T>,
        finish: impl Fn(&mut [Complex<T>]),
    ) {
        let kernel = &*self.kernels.get()[self.cut.group_of(block)];
        let mut scratch = scratch(kernel.scratch_len());
        let prepare = |(index, row): (usize, &mut [Complex<T>])| {
            if let Some(from) = from {
                row[..self.len].copy_from_slice(from.row(index));
            }
            // An earlier transform has left its values there.
            row[self.len..self.transformed].fill(T::zero().into());
        };
        if kernel.wants_many() && rows.as_mut_slice().is_some() {
            rows.iter_rows_mut().enumerate().for_each(prepare);
            let width = rows.cols();
            let whole = rows.as_mut_slice().unwrap_or_default();
            kernel.transform_spaced(self.direction, whole, width, &mut scratch);
            rows.iter_rows_mut().for_each(|row| finish(&mut row[..self.transformed]));
            return;
        }
        for (index, row) in rows.iter_rows_mut().enumerate() {
            prepare((index, row));
            let row = &mut row[..self.transformed];
            kernel.transform(self.direction, row, &mut scratch);
            finish(row);
        }
    }
}

/// Plans each kernel once, whatever number of groups and passes use it.
#[derive(Debug)]
pub(super) struct RowKernels<T: Real> {
    made: Vec<(Wanted, Arc<dyn RowKernel<T>>)>,
}

/// The key of a planned kernel: rows of `shape`, by a chirp through the length `through` if that is not 0.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Wanted {
    kernel: Kernel,
    effort: Effort,
    shape: RowShape,
    through: usize,
}

impl<T: Real> Default for RowKernels<T> {
    fn default() -> Self {
        Self { made: Vec::new() }
    }
}

impl<T: Real> RowKernels<T> {
    fn kernel(
        &mut self,
        kernel: &Kernel,
        effort: Effort,
        shape: RowShape,
        through: usize,
    ) -> Result<Arc<dyn RowKernel<T>>, Error> {
        let shape = if kernel.is_own() { RowShape::contiguous(shape.len, 1) } else { shape };
        let wanted = Wanted { kernel: kernel.clone(), effort, shape, through };
        if let Some((_, made)) = self.made.iter().find(|(planned, _)| *planned == wanted) {
            return Ok(Arc::clone(made));
        }
        let made: Arc<dyn RowKernel<T>> = if through == 0 {
            kernel.plan(shape, effort)?
        } else {
            let (len, least) = (shape.len, Chirp::<T>::least(shape.len));
            if through < least {
                return Err(Error::Chirp { len, through, least });
            }
            Arc::new(Chirp::new(len, self.kernel(kernel, effort, RowShape::contiguous(through, 1), 0)?))
        };
        self.made.push((wanted, Arc::clone(&made)));
        Ok(made)
    }
}
