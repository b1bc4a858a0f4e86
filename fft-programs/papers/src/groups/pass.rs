//! One pass over rows that are dealt to groups: how long they are, and the kernels that transform them.
//!
//! *Padded rows.* The *leading dimension* of rows is the distance from one to the next in memory. A group may want a larger
//! one than its rows came with ([`Dealing`]). Then each of its row blocks makes rows of its own, copies the
//! points there as it transforms them for the first time, and back when all is done: the node that works on rows copies
//! them, while others do so with theirs, and memory beside the matrix is taken for the rows of that group alone.
//! *Cost:* two copies of the points in both passes together, and pages that are touched for the first time.
//! The padding between the rows is split off before they are cut into tiles, and joined again for a transform,
//! which wants rows at one distance in one piece of memory.

use std::sync::Arc;

use earth::Work;
use earth_codelets::Chirp;
use earth_fft::dataflow::cut::Cut;
use earth_fft::dataflow::points::{Points, had, scratch, whole_rows};
use earth_fft::dataflow::tables::Tables;
use earth_fft::dataflow::{MatrixError, work};
use earth_fft::kernel::RowOptions;
use earth_kernels::{Direction, Real, RowKernel, RowShape};
use num_complex::Complex;

use super::dealing::{Dealing, GroupRows};
use crate::error::Error;

/// One pass over the rows of a matrix: how they are dealt, and the kernels that transform them.
#[derive(Debug)]
pub struct Pass<T: Real> {
    pub(crate) direction: Direction,
    pub(crate) dealing: Dealing,
    /// How the rows are cut.
    pub(crate) cut: Cut,
    /// The kernels, by group.
    pub(crate) kernels: Tables<Vec<Arc<dyn RowKernel<T>>>>,
}

/// The kernels that were planned, each for rows of a shape, by a chirp through the length that follows if that is not 0.
pub(crate) type Made<T> = Vec<(RowShape, usize, Arc<dyn RowKernel<T>>)>;

impl<T: Real> Pass<T> {
    /// Plans a pass over rows that are dealt like this.
    ///
    /// # Errors
    ///
    /// Rows that are not there, lengths that are too short, or a kernel that makes no plan.
    pub fn new(dealing: &Dealing, options: &RowOptions) -> Result<Self, Error> {
        Self::of(dealing, Some(options), &mut Vec::new())
    }

    /// Plans a pass with the kernels that were `made` for another pass, and more of them. Without options it is a pass over
    /// phantom rows, which are cut and not computed.
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

    /// The points of scratch that the rows of a row block need.
    pub(crate) fn scratch_len(&self) -> usize {
        let of_groups = self.kernels.found().into_iter().flatten().map(|kernel| kernel.scratch_len());
        of_groups.max().unwrap_or(0)
    }

    /// The rows of a row block; of the largest, if groups have others.
    pub(crate) fn block(&self) -> usize {
        self.dealing.groups.iter().map(|group| group.block).max().unwrap_or(0)
    }

    fn group(&self, block: usize) -> &GroupRows {
        &self.dealing.groups[self.cut.group_of(block)]
    }

    /// The leading dimension of the rows of a row block at work.
    pub(crate) fn leading(&self, block: usize) -> usize {
        self.group(block).leading
    }

    /// The work to transform the rows of a row block.
    pub(crate) fn work(&self, block: usize) -> Work {
        let work = work::row_fft(self.cut.rows_of(block), self.dealing.transformed);
        work::paced(work, self.group(block).pace)
    }

    /// Makes rows of zeros for a row block, or a phantom if the plan is for phantoms.
    pub(crate) fn zeroed(&self, block: usize) -> Points<T> {
        had(self.kernels.zeroed(self.cut.rows_of(block), self.leading(block)))
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

/// The kernel of rows of `shape`, by a chirp through a length if that is not 0. Each is planned once.
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

/// The rows of a row block, and their copies with padding, if they have any.
#[derive(Debug)]
pub(crate) struct PaddedRows<T: Real> {
    /// The memory that they came in and have to go back to, if they are at work elsewhere.
    home: Option<Points<T>>,
    /// The padding, while it is split off.
    padding: Option<Points<T>>,
}

impl<T: Real> Default for PaddedRows<T> {
    fn default() -> Self {
        Self { home: None, padding: None }
    }
}

impl<T: Real> PaddedRows<T> {
    /// Rows to work on in place of those that came: padded ones, if points have yet to be copied to them from
    /// [home](Self::home), or the same rows if they need no padding.
    pub(crate) fn enter(&mut self, pass: &Pass<T>, block: usize, rows: Points<T>) -> Points<T> {
        if pass.leading(block) == pass.dealing.len {
            return rows;
        }
        self.home = Some(rows);
        pass.zeroed(block)
    }

    /// The rows whose points have yet to be copied.
    pub(crate) fn home(&self) -> Option<&Points<T>> {
        self.home.as_ref()
    }

    /// The points of rows, without their padding.
    pub(crate) fn points(&mut self, pass: &Pass<T>, rows: Points<T>) -> Points<T> {
        let (points, padding) = rows.split_cols(pass.dealing.len);
        self.padding = Some(padding).filter(|padding| !padding.is_empty());
        points
    }

    /// Rows of these tiles, with their padding.
    pub(crate) fn whole(&mut self, tiles: impl Iterator<Item = Points<T>>) -> Points<T> {
        whole_rows(tiles.chain(self.padding.take()).collect())
    }

    /// The points of these tiles, and the rows that they have to be copied back to, if there are any.
    pub(crate) fn leave(&mut self, tiles: impl Iterator<Item = Points<T>>) -> (Points<T>, Option<Points<T>>) {
        self.padding = None;
        (whole_rows(tiles.collect()), self.home.take())
    }
}
