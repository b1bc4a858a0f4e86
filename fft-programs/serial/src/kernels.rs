//! Where kernels come from: what a plan asks for by length.

use std::sync::Arc;

use earth_kernels::{ColumnKernel, Real, RealKernel, RowKernel, TurnedKernel};

/// Plans kernels by length. Rows of every length are needed, the others, of which there are none unless an implementation
/// has them, where they are a faster way than rows.
pub trait Kernels<T: Real> {
    /// Why there are no rows of a length.
    type Error;

    /// Rows of `len` points, which is not 0.
    ///
    /// # Errors
    ///
    /// The reason that there are none.
    fn rows(&self, len: usize) -> Result<Arc<dyn RowKernel<T>>, Self::Error>;

    /// Rows of `len` points, each of which is transformed as a matrix, or none: then they are transformed as any rows.
    fn nested(&self, len: usize) -> Option<Arc<dyn RowKernel<T>>> {
        let _ = len;
        None
    }

    /// Columns of `len` points, or none: then columns are gathered and transformed as rows.
    fn columns(&self, len: usize) -> Option<Arc<dyn ColumnKernel<T>>> {
        let _ = len;
        None
    }

    /// The step between `len` real numbers and half as many points, or none, as of an odd length: then real numbers are
    /// transformed as points without imaginary parts.
    fn real(&self, len: usize) -> Option<Arc<dyn RealKernel<T>>> {
        let _ = len;
        None
    }

    /// Rows of `len` points that become columns, of a matrix of `rows`, or none: then they are transformed as rows and
    /// put where they belong point by point.
    fn turned(&self, len: usize, rows: usize) -> Option<Arc<dyn TurnedKernel<T>>> {
        let _ = (len, rows);
        None
    }
}

/// Columns of a length, or that there are none.
type Columns<T> = Option<Arc<dyn ColumnKernel<T>>>;

/// Kernels that have been planned, so that a plan has each length once.
pub(crate) struct Shelf<'a, T: Real, K> {
    kernels: &'a K,
    rows: Vec<Arc<dyn RowKernel<T>>>,
    columns: Vec<(usize, Columns<T>)>,
}

impl<'a, T: Real, K: Kernels<T>> Shelf<'a, T, K> {
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

    /// A plan has one length of real numbers.
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
