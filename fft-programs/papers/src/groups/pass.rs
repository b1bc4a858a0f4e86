//! One pass over rows that are dealt to groups: their leading dimensions, and the kernels that transform
//! them.
//!
//! *Padded rows.* The *leading dimension* is the distance from one row to the next in memory. A group may
//! want a larger one than its rows came with ([`Dealing`]). Each of its row blocks then allocates rows of its
//! own. It copies the points there with the first transform, and back at the end. Each node copies its own
//! rows, in parallel with the others. Only the rows of that group take memory beside the matrix.
//!
//! *Cost:* two copies of the points in both passes together, and first touches of the new pages.
//!
//! The padding is split off before the rows are cut into tiles. It is joined again for a transform, which
//! needs rows at one stride in one piece of memory.

use std::sync::Arc;

use earth::Work;
use earth_codelets::Chirp;
use earth_fft::dataflow::cut::Cut;
use earth_fft::dataflow::points::{Points, or_unwind, scratch, whole_rows};
use earth_fft::dataflow::tables::Tables;
use earth_fft::dataflow::{MatrixError, work};
use earth_fft::kernel::RowOptions;
use earth_kernels::{Direction, Real, RowKernel, RowShape};
use num_complex::Complex;

use super::dealing::{Dealing, GroupRows};
use crate::error::Error;

/// One pass over the rows of a matrix: their distribution, and the kernels that transform them.
#[derive(Debug)]
pub struct Pass<T: Real> {
    pub(crate) direction: Direction,
    pub(crate) dealing: Dealing,
    /// How the rows are cut.
    pub(crate) cut: Cut,
    /// Kernels, by group.
    pub(crate) kernels: Tables<Vec<Arc<dyn RowKernel<T>>>>,
}

/// Kernels planned so far, each with its rows' shape and the length of its chirp, 0 for none.
pub(crate) type Made<T> = Vec<(RowShape, usize, Arc<dyn RowKernel<T>>)>;

impl<T: Real> Pass<T> {
    /// Plans a pass over the rows of `dealing`.
    ///
    /// # Errors
    ///
    /// An empty matrix, a leading dimension or a chirp that is too short, or a kernel that makes no plan.
    pub fn new(dealing: &Dealing, options: &RowOptions) -> Result<Self, Error> {
        Self::of(dealing, Some(options), &mut Vec::new())
    }

    /// Plans a pass with the kernels `made` for another pass, and adds new ones to them. Without options the
    /// pass is over phantom rows, which are cut and not computed.
    pub(crate) fn of(
        dealing: &Dealing,
        options: Option<&RowOptions>,
        made: &mut Made<T>,
    ) -> Result<Self, Error> {
        let (rows, len) = (dealing.rows(), dealing.len);
        if len == 0 || rows == 0 {
            return Err(MatrixError::NoPoints { rows, cols: len }.into());
        }
        if let Some(&GroupRows { leading, .. }) = dealing.groups.iter().find(|group| group.leading < len) {
            return Err(Error::Leading { len, leading });
        }
        let (dealing, cut) = (dealing.clone(), dealing.cut()?);
        let Some(options) = options else {
            return Ok(Self { direction: Direction::Forward, dealing, cut, kernels: Tables::none() });
        };
        let of_group = |&GroupRows { block, leading: distance, through, .. }: &GroupRows| {
            let shape = RowShape { len: dealing.transformed, rows: block.clamp(1, rows), distance };
            let kernel = kernel(made, options, shape, through)?;
            kernel.prepare(options.direction);
            Ok::<_, Error>(kernel)
        };
        let kernels = Tables::of(dealing.groups.iter().map(of_group).collect::<Result<_, _>>()?);
        Ok(Self { direction: options.direction, dealing, cut, kernels })
    }

    /// Returns the number of scratch points that a row block needs.
    pub(crate) fn scratch_len(&self) -> usize {
        let of_groups = self.kernels.found().into_iter().flatten().map(|kernel| kernel.scratch_len());
        of_groups.max().unwrap_or(0)
    }

    /// Returns the number of rows of a row block; the largest, if groups differ.
    pub(crate) fn block(&self) -> usize {
        self.dealing.groups.iter().map(|group| group.block).max().unwrap_or(0)
    }

    fn group(&self, block: usize) -> &GroupRows {
        &self.dealing.groups[self.cut.group_of(block)]
    }

    /// Returns the leading dimension of a row block while it is transformed.
    pub(crate) fn leading(&self, block: usize) -> usize {
        self.group(block).leading
    }

    /// Returns the work to transform a row block.
    pub(crate) fn work(&self, block: usize) -> Work {
        let work = work::row_fft(self.cut.rows_of(block), self.dealing.transformed);
        work::at_pace(work, self.group(block).pace)
    }

    /// Allocates zeroed rows for a row block, or a phantom if the plan is for phantoms.
    pub(crate) fn zeroed(&self, block: usize) -> Points<T> {
        or_unwind(self.kernels.zeroed(self.cut.rows_of(block), self.leading(block)))
    }

    /// Transforms the whole rows of a row block, with their padding, and passes each to `finish`.
    ///
    /// With `from`, the points are first copied from there. A kernel that takes rows one by one does all this
    /// while the row is in the cache.
    pub(crate) fn transform(
        &self,
        block: usize,
        from: Option<&Points<T>>,
        rows: &mut Points<T>,
        finish: impl Fn(&mut [Complex<T>]),
    ) {
        let (len, transformed) = (self.dealing.len, self.dealing.transformed);
        let kernel = &*self.kernels.get()[self.cut.group_of(block)];
        let mut scratch = scratch(kernel.scratch_len());
        let prepare = |(index, row): (usize, &mut [Complex<T>])| {
            if let Some(from) = from {
                row[..len].copy_from_slice(from.row(index));
            }
            // An earlier transform has left its values there.
            row[len..transformed].fill(T::zero().into());
        };
        if kernel.wants_many() && rows.as_mut_slice().is_some() {
            rows.iter_rows_mut().enumerate().for_each(prepare);
            let width = rows.cols();
            let whole = rows.as_mut_slice().unwrap_or_default();
            kernel.transform_spaced(self.direction, whole, width, &mut scratch);
            rows.iter_rows_mut().for_each(|row| finish(&mut row[..transformed]));
            return;
        }
        for (index, row) in rows.iter_rows_mut().enumerate() {
            prepare((index, row));
            let row = &mut row[..transformed];
            kernel.transform(self.direction, row, &mut scratch);
            finish(row);
        }
    }
}

/// Returns the kernel for rows of `shape`, by a chirp of length `through` unless that is 0. Each kernel is
/// planned once.
fn kernel<T: Real>(
    made: &mut Made<T>,
    options: &RowOptions,
    shape: RowShape,
    through: usize,
) -> Result<Arc<dyn RowKernel<T>>, Error> {
    let shape = if options.kernel.is_own() { RowShape::contiguous(shape.len, 1) } else { shape };
    if let Some((.., kernel)) = made.iter().find(|(of, by, _)| (*of, *by) == (shape, through)) {
        return Ok(Arc::clone(kernel));
    }
    let found: Arc<dyn RowKernel<T>> = if through == 0 {
        options.kernel.plan(shape, options.effort)?
    } else {
        let (len, least) = (shape.len, Chirp::<T>::least(shape.len));
        if through < least {
            return Err(Error::Chirp { len, through, least });
        }
        Arc::new(Chirp::new(len, kernel(made, options, RowShape::contiguous(through, 1), 0)?))
    };
    made.push((shape, through, Arc::clone(&found)));
    Ok(found)
}

/// Rows of a row block, and their padded copies if there are any.
#[derive(Debug)]
pub(crate) struct PaddedRows<T: Real> {
    /// Original memory of the rows, if they are transformed in a padded copy.
    home: Option<Points<T>>,
    /// Padding, while it is split off.
    padding: Option<Points<T>>,
}

impl<T: Real> Default for PaddedRows<T> {
    fn default() -> Self {
        Self { home: None, padding: None }
    }
}

impl<T: Real> PaddedRows<T> {
    /// Returns the rows to transform. Rows that need no padding are returned unchanged. Padded rows are new,
    /// and their points must still be copied from [home](Self::home).
    pub(crate) fn enter(&mut self, pass: &Pass<T>, block: usize, rows: Points<T>) -> Points<T> {
        if pass.leading(block) == pass.dealing.len {
            return rows;
        }
        self.home = Some(rows);
        pass.zeroed(block)
    }

    /// Returns the rows whose points must still be copied.
    pub(crate) fn home(&self) -> Option<&Points<T>> {
        self.home.as_ref()
    }

    /// Splits off the padding and returns the points.
    pub(crate) fn points(&mut self, pass: &Pass<T>, rows: Points<T>) -> Points<T> {
        let (points, padding) = rows.split_cols(pass.dealing.len);
        self.padding = Some(padding).filter(|padding| !padding.is_empty());
        points
    }

    /// Joins tiles and padding to whole rows.
    pub(crate) fn whole(&mut self, tiles: impl Iterator<Item = Points<T>>) -> Points<T> {
        whole_rows(tiles.chain(self.padding.take()).collect())
    }

    /// Joins the points of the tiles. Also returns the rows that they must be copied back to, if any.
    pub(crate) fn leave(&mut self, tiles: impl Iterator<Item = Points<T>>) -> (Points<T>, Option<Points<T>>) {
        self.padding = None;
        (whole_rows(tiles.collect()), self.home.take())
    }
}
