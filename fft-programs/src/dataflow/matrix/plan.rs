//! What all row blocks of one transform of a matrix share: its two passes.

use earth_kernels::{Direction, Real, scale};

use super::dealing::{Cut, Dealing};
use super::error::MatrixError;
use super::pass::{Pass, PassRecipe, RowKernels};
use crate::dataflow::points::Points;
use crate::problem::Norm;

/// The recipe of a [`MatrixPlan`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatrixRecipe {
    /// The pass over the rows of the matrix, and the one over those of its transpose.
    passes: [PassRecipe; 2],
    norm: Norm,
    barrier: bool,
}

impl MatrixRecipe {
    /// Transforms of `rows` x `cols` points, dealt to all nodes in turn. `blocks` are the rows of a block: of
    /// the matrix, and of its transpose.
    pub fn new(rows: usize, cols: usize, blocks: [usize; 2], direction: Direction) -> Self {
        Self::dealt([Dealing::round(rows, blocks[0]), Dealing::round(cols, blocks[1])], direction)
    }

    /// Transforms of a matrix that is dealt like this: its rows, and its columns.
    pub fn dealt([along, across]: [Dealing; 2], direction: Direction) -> Self {
        let [rows, cols] = [along.rows(), across.rows()];
        let passes = [PassRecipe::new(along, cols, direction), PassRecipe::new(across, rows, direction)];
        Self { passes, norm: Norm::default(), barrier: false }
    }

    /// Makes it a recipe for phantom matrices: its plan knows how they are cut and computes nothing.
    #[must_use]
    pub fn phantom(self) -> Self {
        self.passes(|_, pass| pass.phantom())
    }

    /// Replaces each pass by what `change` makes of it, given its number, 0 or 1.
    #[must_use]
    pub fn passes(self, change: impl Fn(usize, PassRecipe) -> PassRecipe) -> Self {
        let [along, across] = self.passes;
        Self { passes: [change(0, along), change(1, across)], ..self }
    }

    /// Sets whether each of the four steps begins when the one before has ended everywhere, as in the
    /// paper's algorithms, and not as soon as its own data are there.
    #[must_use]
    pub fn barrier(self, barrier: bool) -> Self {
        Self { barrier, ..self }
    }

    /// Sets by what the result is divided; without a word the inverse is by the number of points.
    #[must_use]
    pub fn norm(self, norm: Norm) -> Self {
        Self { norm, ..self }
    }

    /// The rows of a row block: of the matrix, and of its transpose.
    pub fn blocks(&self) -> [usize; 2] {
        [self.passes[0].dealt().block(), self.passes[1].dealt().block()]
    }

    /// Whether the transpose is cut as the matrix is, so that tiles can change places in its own memory.
    pub fn is_in_place(&self) -> bool {
        let [along, across] = &self.passes;
        along.dealt() == across.dealt() && along.leading_dimensions() == across.leading_dimensions()
    }
}

/// The plan of a transform of a matrix, which all row blocks share.
#[derive(Debug)]
pub struct MatrixPlan<T: Real> {
    passes: [Pass<T>; 2],
    /// By what the result is multiplied.
    factor: T,
    barrier: bool,
}

impl<T: Real> MatrixPlan<T> {
    /// Plans both passes, with each kernel planned once.
    ///
    /// # Errors
    ///
    /// The errors of [`Pass::new`].
    pub fn new(MatrixRecipe { passes, norm, barrier }: MatrixRecipe) -> Result<Self, MatrixError> {
        let (mut kernels, [along, across]) = (RowKernels::default(), passes);
        let passes = [Pass::planned(along, &mut kernels)?, Pass::planned(across, &mut kernels)?];
        let points = passes[0].transformed() as f64 * passes[1].transformed() as f64;
        let factor = T::of(norm.factor(passes[1].direction(), points));
        Ok(Self { passes, factor, barrier })
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
    pub(in crate::dataflow) fn cut(&self, pass: usize) -> &Cut {
        self.passes[pass].cut()
    }

    /// Whether each step begins when the one before has ended everywhere.
    pub(in crate::dataflow) fn has_barrier(&self) -> bool {
        self.barrier
    }

    /// The number of barriers of a function that has `count` of them if steps wait for each other.
    pub(in crate::dataflow) fn barriers(&self, count: usize) -> usize {
        if self.barrier { count } else { 0 }
    }

    /// Transforms the rows of a row block in the first pass or in the second, after they were copied `from`
    /// elsewhere if they are there. The result is divided in the second.
    pub(in crate::dataflow) fn transform(
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
    pub(in crate::dataflow) fn check(&self, matrix: &Points<T>) {
        let [along, across] = &self.passes;
        let (found, planned) = ((matrix.rows(), matrix.cols()), (across.len(), along.len()));
        assert_eq!(found, planned, "a matrix of other rows and columns than the plan's");
        along.check(matrix);
    }
}
