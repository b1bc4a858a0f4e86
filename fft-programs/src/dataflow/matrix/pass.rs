//! One pass over the rows of a matrix: how they are dealt, their length and leading dimension, and
//! the kernels that transform them.
//!
//! *Lengths.* A row of n points may lie in more memory than it has points, and be transformed through another
//! length, by group:
//!
//! * by itself: rows of n points, as they came;
//! * *stride*: while the rows of a group are at work they have a [leading dimension](super::padded_rows) of
//!   w > n points, so that columns do not fall into the same sets of a cache. Exact: no row is transformed
//!   otherwise, and the padding is never read;
//! * *chirp*: a group transforms its rows through a length of at least 2 n - 1 that is faster
//!   ([`Chirp`]). Exact too, and together with a stride;
//! * *spectrum*: rows have a leading dimension of m > n points, are filled up with zeros and transformed as rows
//!   of m points, of which the first n are kept: the spectrum on a finer grid, cropped. This is PFFT-FPM-PAD as published
//!   (Khokhriakov, Manumachu and Lastovetsky 2018, section II.D), with one m for all groups: were they
//!   different, the second pass would mix rows of different grids. It is **not** the transform of the row.

use std::sync::Arc;

use earth_fftw::Effort;
use earth_kernels::{Chirp, Direction, Real, RowKernel, RowShape};
use num_complex::Complex;

use super::dealing::{Cut, Dealing};
use super::error::MatrixError;
use crate::dataflow::points::Points;
use crate::dataflow::tables::Tables;
use crate::kernel::Kernel;

/// The recipe of a [`Pass`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PassRecipe {
    dealt: Dealing,
    len: usize,
    /// By group, the leading dimension of rows at work; 0, or no such group, is their length.
    strides: Vec<usize>,
    /// The length to which the rows of all groups are filled up with zeros, if that is not 0.
    spectrum: usize,
    /// By group, the length that its chirp goes through; 0, or no such group, is no chirp.
    chirps: Vec<usize>,
    kernel: Kernel,
    effort: Effort,
    direction: Direction,
    phantom: bool,
}

impl PassRecipe {
    /// A pass over rows of `len` points that are dealt like this.
    pub fn new(dealt: Dealing, len: usize, direction: Direction) -> Self {
        let (kernel, effort) = (Kernel::default(), Effort::default());
        Self {
            dealt,
            len,
            strides: Vec::new(),
            spectrum: 0,
            chirps: Vec::new(),
            kernel,
            effort,
            direction,
            phantom: false,
        }
    }

    /// Gives rows of group `i` the leading dimension `strides[i]` while they are at work; 0 is their length.
    #[must_use]
    pub fn strides(self, strides: Vec<usize>) -> Self {
        Self { strides, ..self }
    }

    /// Has group `i` transform its rows by a chirp through the length `chirps[i]`; 0 is no chirp.
    #[must_use]
    pub fn chirp(self, chirps: Vec<usize>) -> Self {
        Self { chirps, ..self }
    }

    /// Fills rows up with zeros to `length` points, which is their leading dimension too.
    #[must_use]
    pub fn spectrum(self, length: usize) -> Self {
        Self { spectrum: length, ..self }
    }

    /// Has rows transformed by this kernel, planned with this effort.
    #[must_use]
    pub fn kernel(self, kernel: &Kernel, effort: Effort) -> Self {
        Self { kernel: kernel.clone(), effort, ..self }
    }

    /// Makes it a recipe for phantom rows: its plan knows how they are cut and computes nothing.
    #[must_use]
    pub fn phantom(self) -> Self {
        Self { phantom: true, ..self }
    }

    /// How the rows are dealt.
    pub fn dealt(&self) -> &Dealing {
        &self.dealt
    }

    /// The leading dimension of rows at work, by group.
    pub fn leading_dimensions(&self) -> Vec<usize> {
        let of_group = |group| match (self.spectrum, self.strides.get(group)) {
            (0, None | Some(0)) => self.len,
            (0, Some(&stride)) => stride,
            (length, _) => length,
        };
        (0..self.dealt.groups()).map(of_group).collect()
    }
}

/// One pass over the rows of a matrix, planned.
#[derive(Debug)]
pub struct Pass<T: Real> {
    direction: Direction,
    cut: Cut,
    len: usize,
    /// The leading dimension of rows at work, by group.
    leading_dimensions: Vec<usize>,
    /// The length of the rows that are transformed.
    transformed: usize,
    /// The kernels, by group.
    kernels: Tables<Vec<Arc<dyn RowKernel<T>>>>,
}

impl<T: Real> Pass<T> {
    /// Plans a pass.
    ///
    /// # Errors
    ///
    /// Rows that are not there, lengths that are too short, or a kernel that makes no plan.
    pub fn new(recipe: PassRecipe) -> Result<Self, MatrixError> {
        Self::planned(recipe, &mut RowKernels::default())
    }

    /// Plans a pass with kernels of `shelf`, which keeps them for another pass.
    pub(super) fn planned(recipe: PassRecipe, shelf: &mut RowKernels<T>) -> Result<Self, MatrixError> {
        let leading_dimensions = recipe.leading_dimensions();
        let PassRecipe { dealt, len, spectrum, chirps, kernel, effort, direction, phantom, .. } = recipe;
        let rows = dealt.rows();
        if rows == 0 || len == 0 {
            return Err(MatrixError::NoPoints { rows, cols: len });
        }
        if let Some(&leading) = leading_dimensions.iter().find(|&&leading| leading < len) {
            return Err(MatrixError::Leading { len, leading });
        }
        let cut = dealt.cut()?;
        let transformed = spectrum.max(len);
        let through = |group| chirps.get(group).copied().unwrap_or(0);
        let of_group = |group| {
            let rows = dealt.block_of(group).clamp(1, rows);
            let shape = RowShape { len: transformed, rows, distance: leading_dimensions[group] };
            shelf.kernel(&kernel, effort, shape, through(group))
        };
        let kernels = if phantom {
            Tables::none()
        } else {
            Tables::of((0..dealt.groups()).map(of_group).collect::<Result<_, _>>()?)
        };
        Ok(Self { direction, cut, len, leading_dimensions, transformed, kernels })
    }

    /// The direction of the transform.
    pub(in crate::dataflow) fn direction(&self) -> Direction {
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
    pub(in crate::dataflow) fn leading(&self, block: usize) -> usize {
        self.leading_dimensions[self.cut.group_of(block)]
    }

    /// The length of the rows that are transformed: that of a row, or of one filled up with zeros.
    pub fn transformed(&self) -> usize {
        self.transformed
    }

    /// Makes rows of zeros for a row block, or a phantom if the plan is for phantoms.
    pub(in crate::dataflow) fn zeroed(&self, block: usize) -> Points<T> {
        self.kernels.zeroed(self.cut.rows_of(block), self.leading(block))
    }

    /// Checks that `rows` are a phantom if the plan is for phantoms.
    ///
    /// # Panics
    ///
    /// If they are not.
    #[track_caller]
    pub(in crate::dataflow) fn check(&self, rows: &Points<T>) {
        self.kernels.check(rows);
    }

    /// Transforms the rows of a row block that has them whole, with their padding, after their points were
    /// copied `from` elsewhere if they are there, and hands each to `finish`: all this while it is in the
    /// cache, where rows are transformed one by one.
    pub(in crate::dataflow) fn transform(
        &self,
        block: usize,
        from: Option<&Points<T>>,
        rows: &mut Points<T>,
        finish: impl Fn(&mut [Complex<T>]),
    ) {
        let kernel = &*self.kernels.get()[self.cut.group_of(block)];
        let mut scratch = kernel.scratch();
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
    ) -> Result<Arc<dyn RowKernel<T>>, MatrixError> {
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
                return Err(MatrixError::Chirp { len, through, least });
            }
            Arc::new(Chirp::new(len, self.kernel(kernel, effort, RowShape::contiguous(through, 1), 0)?))
        };
        self.made.push((wanted, Arc::clone(&made)));
        Ok(made)
    }
}
