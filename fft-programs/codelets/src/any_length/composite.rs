//! Row kernel of a composite length: the four-step FFT (Bailey, 1990), columns by this crate's kernel, rows
//! by any kernel.
//!
//! A row of `n = a b` points is a matrix of `a` rows of `b` points.
//!
//! 1. Transform its columns into a second matrix.
//! 2. Multiply point `j` of row `k` by `exp(-2 pi i j k / n)` (tabulated).
//! 3. Transform the rows.
//! 4. Transpose them into the result.
//!
//! *Cost.* Besides the transforms of columns and rows, two passes over the points. A second matrix and a
//! table, each as large as the row. *When it loses.* Rows that [become columns](crate::turned()) need no
//! separate passes, but support fewer lengths. This kernel is for the other lengths `b`.

use std::sync::Arc;

use earth_kernels::{ColumnKernel, Direction, Matrix, MatrixMut, Real, RowKernel};
use num_complex::Complex;

use crate::any_length::product::Products;
use crate::compiled::{circle, compiled};
use crate::isa::Isa;
use crate::scratch::check_call;

/// Number of points of a result row that are written together: one or two cache lines.
const TOGETHER: usize = 8;

/// Rows of one length by means of columns and rows of its factors.
pub struct Composite<T: Real> {
    columns: Arc<dyn ColumnKernel<T>>,
    rows: Arc<dyn RowKernel<T>>,
    /// Roots for all rows of the matrix except the first, where they are 1.
    factors: Vec<Complex<T>>,
    products: Products<T>,
}

impl<T: Real> Composite<T> {
    /// Plans rows. Their length is the product of the lengths of columns and rows.
    ///
    /// # Panics
    ///
    /// If the product is past 2^53.
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
            // The constant length lets the compiler unroll the copies.
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
        let (intermediate, scratch) = scratch.split_at_mut(n);
        for row in rows.chunks_exact_mut(n) {
            let from = Matrix::Spaced { points: row, distance: b };
            let to = MatrixMut::Spaced { points: intermediate, distance: b };
            self.columns.transform(direction, Some(from), to, b, scratch);
            self.products.within(&mut intermediate[b..], &self.factors, direction);
            self.rows.transform(direction, intermediate, scratch);
            transpose(intermediate, b, row);
        }
    }
}
