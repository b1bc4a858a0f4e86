//! What all row blocks of one transform of a matrix share: its two passes.

use earth_fft::Norm;
use earth_fft::dataflow::cut::Cut;
use earth_fft::dataflow::points::Points;
use earth_fft::kernel::RowOptions;
use earth_kernels::{Real, scale};

use super::dealing::Dealing;
use super::pass::{Pass, RowKernels};
use crate::error::Error;

/// The plan of a transform of a matrix, which all row blocks share.
#[derive(Debug)]
pub struct MatrixPlan<T: Real> {
    passes: [Pass<T>; 2],
    /// By what the result is multiplied.
    factor: T,
    barrier: bool,
}

impl<T: Real> MatrixPlan<T> {
    /// Plans both passes over a matrix whose rows, and those of its transpose, are dealt like this, each kernel once. The
    /// inverse is divided by the number of points.
    ///
    /// # Errors
    ///
    /// The errors of [`Pass::new`].
    pub fn new(dealt: &[Dealing; 2], options: &RowOptions) -> Result<Self, Error> {
        let ([along, across], mut kernels) = (dealt, RowKernels::default());
        let passes =
            [Pass::planned(along, options, &mut kernels)?, Pass::planned(across, options, &mut kernels)?];
        Ok(Self { passes, factor: T::one(), barrier: false }.norm(Norm::default()))
    }

    /// Plans transforms of phantom matrices: the plan knows how they are cut and computes nothing.
    ///
    /// # Errors
    ///
    /// The errors of [`Pass::phantom`].
    pub fn phantom([along, across]: &[Dealing; 2]) -> Result<Self, Error> {
        let passes = [Pass::phantom(along)?, Pass::phantom(across)?];
        Ok(Self { passes, factor: T::one(), barrier: false })
    }

    /// Sets by what the result is divided.
    #[must_use]
    pub fn norm(self, norm: Norm) -> Self {
        let [along, across] = &self.passes;
        let points = along.transformed() as f64 * across.transformed() as f64;
        let factor = T::of(norm.factor(across.direction(), points));
        Self { factor, ..self }
    }

    /// Sets whether each of the four steps begins when the one before has ended everywhere, as in the
    /// paper's algorithms, and not as soon as its own data are there.
    #[must_use]
    pub fn barrier(self, barrier: bool) -> Self {
        Self { barrier, ..self }
    }

    /// Whether the transpose is cut and lies as the matrix does, so that tiles can change places in its own memory.
    pub fn is_in_place(&self) -> bool {
        let [along, across] = &self.passes;
        along.cut() == across.cut() && along.leading_dimensions() == across.leading_dimensions()
    }

    /// The pass over the rows of the matrix, 0, or over those of its transpose, 1.
    ///
    /// # Panics
    ///
    /// If there is no such pass.
    pub fn pass(&self, pass: usize) -> &Pass<T> {
        &self.passes[pass]
    }

    /// How the rows of the matrix are cut, and those of its transpose.
    pub(crate) fn cut(&self, pass: usize) -> &Cut {
        self.passes[pass].cut()
    }

    /// Whether each step begins when the one before has ended everywhere.
    pub(crate) fn has_barrier(&self) -> bool {
        self.barrier
    }

    /// The number of barriers of a function that has `count` of them if steps wait for each other.
    pub(crate) fn barriers(&self, count: usize) -> usize {
        if self.barrier { count } else { 0 }
    }

    /// Transforms the rows of a row block in the first pass or in the second, after they were copied `from`
    /// elsewhere if they are there. The result is divided in the second.
    pub(crate) fn transform(
        &self,
        pass: usize,
        block: usize,
        from: Option<&Points<T>>,
        rows: &mut Points<T>,
    ) {
        self.passes[pass].transform(block, from, rows, |row| {
            if pass == 1 && self.factor != T::one() {
                scale(row, self.factor);
            }
        });
    }

    /// Checks that this is the plan of a matrix of that many rows and columns.
    ///
    /// # Panics
    ///
    /// If it is not.
    #[track_caller]
    pub(crate) fn check(&self, matrix: &Points<T>) {
        let [along, across] = &self.passes;
        let (found, planned) = ((matrix.rows(), matrix.cols()), (across.len(), along.len()));
        assert_eq!(found, planned, "a matrix of other rows and columns than the plan's");
        along.check(matrix);
    }
}
