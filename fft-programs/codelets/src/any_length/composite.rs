//! A row kernel of a length with two factors: columns by this crate's kernel, rows by any other one.
//!
//! A row of `n = a b` points is a matrix of `a` rows of `b` points.
//!
//! 1. Transform its columns into a second matrix.
//! 2. Multiply point `j` of row `k` by `exp(-2 pi i j k / n)` (tabulated).
//! 3. Transform the rows.
//! 4. Transpose them into the result.
//!
//! *Cost.* Next to the transforms of columns and rows two passes over the points; a second matrix and a table, each as large as
//! the row. *When it loses.* Against rows that [become columns](crate::turned()), which take no passes of their own: it is for
//! lengths `b` that these are not for.

use std::sync::Arc;

use earth_kernels::{ColumnKernel, Direction, Matrix, MatrixMut, Real, RowKernel};
use num_complex::Complex;

use crate::any_length::product::Products;
use crate::compiled::{circle, compiled};
use crate::isa::Isa;
use crate::scratch::check_call;

/// The points of a row of the result that are written at a time: one or two cache lines.
const TOGETHER: usize = 8;

/// Rows of one length through columns and rows of its factors.
pub struct Composite<T: Real> {
    columns: Arc<dyn ColumnKernel<T>>,
    rows: Arc<dyn RowKernel<T>>,
    /// The roots of all rows of the matrix but the first, which are 1 there.
    factors: Vec<Complex<T>>,
    products: Products<T>,
}

impl<T: Real> Composite<T> {
    /// Plans rows. Their length is the product of the lengths of columns and rows.
    ///
    /// # Panics
    ///
    /// If that is past 2^53.
    pub fn new(columns: Arc<dyn ColumnKernel<T>>, rows: Arc<dyn RowKernel<T>>) -> Self {
        let (a, b) = (columns.len(), rows.len());
        let isa = Isa::best();
        let circle = circle(isa, a * b);
        let factors = (1..a).flat_map(|k| (0..b).map(move |j| j * k)).map(|k| circle.get(k)).collect();
        Self { columns, rows, factors, products: (compiled::<T>().products)(isa) }
    }
}

/// Writes the transpose of a matrix whose rows have `b` points.
fn transpose<T: Copy>(from: &[T], b: usize, to: &mut [T]) {
    let a = from.len() / b;
    for (block, rows) in from.chunks(TOGETHER * b).enumerate() {
        let first = block * TOGETHER;
        for (j, line) in to.chunks_exact_mut(a).enumerate() {
            // Of known length, the copies are no loop.
            if let Some(whole) = line[first..].first_chunk_mut::<TOGETHER>() {
                *whole = std::array::from_fn(|k| rows[k * b + j]);
            } else {
                line[first..].iter_mut().enumerate().for_each(|(k, to)| *to = rows[k * b + j]);
            }
        }
    }
}

impl<T: Real> RowKernel<T> for Composite<T> {
    fn name(&self) -> &'static str {
        "composite"
    }

    fn len(&self) -> usize {
        self.columns.len() * self.rows.len()
    }

    fn scratch_len(&self) -> usize {
        self.len() + self.columns.scratch_len().max(self.rows.scratch_len())
    }

    fn prepare(&self, direction: Direction) {
        self.columns.prepare(direction);
        self.rows.prepare(direction);
    }

    fn transform(&self, direction: Direction, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        check_call(self, rows, scratch);
        let (b, n) = (self.rows.len(), self.len());
        let (aside, scratch) = scratch.split_at_mut(n);
        for row in rows.chunks_exact_mut(n) {
            let from = Matrix::Spaced { points: row, distance: b };
            let to = MatrixMut::Spaced { points: aside, distance: b };
            self.columns.transform(direction, Some(from), to, b, scratch);
            self.products.within(&mut aside[b..], &self.factors, direction);
            self.rows.transform(direction, aside, scratch);
            transpose(aside, b, row);
        }
    }
}
