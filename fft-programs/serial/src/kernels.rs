//! Source of the kernels of a plan.

use std::sync::Arc;

use earth_kernels::{ColumnKernel, Real, RealKernel, RowKernel, TransposingKernel};

/// Planner of kernels by length. Rows of every length are required. The other kernels are optional, for
/// implementations where they are faster than rows; the default implementations return `None`.
pub trait Kernels<T: Real> {
    /// Reason why no row kernel exists for a length.
    type Error;

    /// Plans rows of `len` points; `len` is not 0.
    ///
    /// # Errors
    ///
    /// The reason why no row kernel exists.
    fn rows(&self, len: usize) -> Result<Arc<dyn RowKernel<T>>, Self::Error>;

    /// Plans rows of `len` points, each transformed as a matrix. `None` means that they are transformed like
    /// other rows.
    fn nested(&self, len: usize) -> Option<Arc<dyn RowKernel<T>>> {
        let _ = len;
        None
    }

    /// Plans columns of `len` points. `None` means that columns are gathered and transformed as rows.
    fn columns(&self, len: usize) -> Option<Arc<dyn ColumnKernel<T>>> {
        let _ = len;
        None
    }

    /// Plans the step between `len` real numbers and `len/2` points. `None`, for example for an odd length,
    /// means that the numbers are transformed as a matrix, or as points with imaginary parts of 0.
    fn real(&self, len: usize) -> Option<Arc<dyn RealKernel<T>>> {
        let _ = len;
        None
    }

    /// Plans rows of `len` points that become columns, in a matrix of `rows` rows. `None` means that they are
    /// transformed as rows and copied point by point.
    fn turned(&self, len: usize, rows: usize) -> Option<Arc<dyn TransposingKernel<T>>> {
        let _ = (len, rows);
        None
    }
}

/// Column kernel of a length, if one exists.
type Columns<T> = Option<Arc<dyn ColumnKernel<T>>>;

/// Planned kernels, so that a plan makes each length only once.
pub(crate) struct KernelCache<'a, T: Real, K> {
    kernels: &'a K,
    rows: Vec<Arc<dyn RowKernel<T>>>,
    columns: Vec<(usize, Columns<T>)>,
}

impl<'a, T: Real, K: Kernels<T>> KernelCache<'a, T, K> {
    pub(crate) fn new(kernels: &'a K) -> Self {
        Self { kernels, rows: Vec::new(), columns: Vec::new() }
    }

    pub(crate) fn rows(&mut self, len: usize) -> Result<Arc<dyn RowKernel<T>>, K::Error> {
        if let Some(rows) = self.rows.iter().find(|rows| rows.len() == len) {
            return Ok(rows.clone());
        }
        let rows = self.kernels.rows(len)?;
        self.rows.push(rows.clone());
        Ok(rows)
    }

    /// Real kernels are not stored, because a plan has only one length of real numbers.
    pub(crate) fn real(&self, len: usize) -> Option<Arc<dyn RealKernel<T>>> {
        self.kernels.real(len)
    }

    pub(crate) fn columns(&mut self, len: usize) -> Columns<T> {
        if let Some((_, columns)) = self.columns.iter().find(|(of, _)| *of == len) {
            return columns.clone();
        }
        let columns = self.kernels.columns(len);
        self.columns.push((len, columns.clone()));
        columns
    }
}
