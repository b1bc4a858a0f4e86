//! One pass over the rows of a matrix: how they are dealt, how long they are and lie apart, and the kernels
//! that transform them.
//!
//! *Lengths.* A row of n points may lie in more memory than it has points, and be transformed through another
//! length:
//!
//! * by itself: rows of n points, one after the other;
//! * *stride*: the rows lie w >= n points apart, so that columns do not fall into the same sets of a cache.
//!   Exact: no row is transformed otherwise, and what lies between them is never read;
//! * *chirp*: some groups transform their rows through a length of at least 2 n - 1 that is faster
//!   ([`Chirp`]). Exact too, by group, and together with a stride;
//! * *spectrum*: rows lie m > n points apart, are filled up with zeros and transformed as rows of m points, of
//!   which the first n are kept: the spectrum on a finer grid, cropped. This is PFFT-FPM-PAD as published
//!   (Khokhriakov, Manumachu and Lastovetsky 2018, section II.D), with one m for all groups: were they
//!   different, the second pass would mix rows of different grids. It is **not** the transform of the row.

use std::sync::Arc;

use earth::wire;
use earth_kernels::{Chirp, Direction, Real, RowKernel, RustFft};
use num_complex::Complex;

use super::dealing::{Cut, Dealing};
use super::{MatrixError, Points};
use crate::oned::planned::Plan;

wire! {
    /// What a plan of a pass is made of.
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    pub struct PassRecipe {
        dealt: Dealing,
        len: usize,
        /// How far apart rows lie.
        width: usize,
        /// Whether they are transformed with what lies between them.
        spectrum: bool,
        /// By group, the length that it goes through; 0, or no such group, is its own.
        chirps: Vec<usize>,
        inverse: bool,
    }
}

impl PassRecipe {
    /// A pass over rows of `len` points that are dealt like this.
    pub fn new(dealt: Dealing, len: usize, direction: Direction) -> Self {
        let inverse = direction == Direction::Inverse;
        Self { dealt, len, width: len, spectrum: false, chirps: Vec::new(), inverse }
    }

    /// Rows lie `width` points apart.
    #[must_use]
    pub fn stride(self, width: usize) -> Self {
        Self { width, ..self }
    }

    /// Group `i` transforms its rows through the length `chirps[i]`; 0 is their own.
    #[must_use]
    pub fn chirp(self, chirps: Vec<usize>) -> Self {
        Self { chirps, ..self }
    }

    /// Rows are filled up with zeros to `length` points.
    #[must_use]
    pub fn spectrum(self, length: usize) -> Self {
        Self { width: length, spectrum: true, ..self }
    }

    /// How the rows are dealt.
    pub fn dealt(&self) -> &Dealing {
        &self.dealt
    }

    /// How far apart the rows are to lie.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Which way they are transformed.
    pub fn direction(&self) -> Direction {
        if self.inverse { Direction::Inverse } else { Direction::Forward }
    }
}

/// One pass over the rows of a matrix, planned.
#[derive(Debug)]
pub struct Pass<T: Real> {
    direction: Direction,
    cut: Cut,
    len: usize,
    width: usize,
    /// How long the rows are that are transformed.
    transformed: usize,
    /// By group.
    kernels: Vec<Arc<dyn RowKernel<T>>>,
}

impl<T: Real> Pass<T> {
    /// With kernels of `planner`, which keeps them for another pass.
    pub(super) fn planned(recipe: PassRecipe, planner: &mut Planner<T>) -> Result<Self, MatrixError> {
        let direction = recipe.direction();
        let PassRecipe { dealt, len, width, spectrum, chirps, .. } = recipe;
        let rows = dealt.rows();
        if rows == 0 || len == 0 {
            return Err(MatrixError::NoPoints { rows, cols: len });
        }
        if width < len {
            return Err(MatrixError::Width { len, width });
        }
        let cut = dealt.cut()?;
        let transformed = if spectrum { width } else { len };
        let through = |group| chirps.get(group).copied().unwrap_or(0);
        let kernels = (0..dealt.groups()).map(|group| planner.kernel(transformed, through(group)));
        let kernels = kernels.collect::<Result<_, _>>()?;
        Ok(Self { direction, cut, len, width, transformed, kernels })
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

    /// How far apart rows lie.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The points of the rows that are transformed: without their padding, or with it.
    pub fn transformed(&self) -> usize {
        self.transformed
    }

    /// Transforms the rows of a row block that has them whole, with their padding, one by one, and then hands
    /// each to `finish`, while it is in the cache.
    pub(super) fn transform(&self, block: usize, rows: &mut Points<T>, finish: impl Fn(&mut [Complex<T>])) {
        let kernel = &*self.kernels[self.cut.group_of(block)];
        let mut scratch = kernel.scratch();
        for row in rows.iter_rows_mut() {
            // A transform before has left something there.
            row[self.len..self.transformed].fill(T::zero().into());
            let row = &mut row[..self.transformed];
            kernel.transform(self.direction, row, &mut scratch);
            finish(row);
        }
    }
}

impl<T: Real> Plan for Pass<T> {
    type Recipe = PassRecipe;
    type Error = MatrixError;

    fn make(recipe: PassRecipe) -> Result<Self, MatrixError> {
        Self::planned(recipe, &mut Planner::default())
    }
}

/// Plans each kernel once, whatever number of groups and passes use it.
#[derive(Debug)]
pub(super) struct Planner<T: Real> {
    /// By its length and the one it goes through.
    made: Vec<([usize; 2], Arc<dyn RowKernel<T>>)>,
}

impl<T: Real> Default for Planner<T> {
    fn default() -> Self {
        Self { made: Vec::new() }
    }
}

impl<T: Real> Planner<T> {
    /// For rows of `len` points, through another length if that is not 0.
    fn kernel(&mut self, len: usize, through: usize) -> Result<Arc<dyn RowKernel<T>>, MatrixError> {
        if let Some((_, known)) = self.made.iter().find(|(lengths, _)| *lengths == [len, through]) {
            return Ok(Arc::clone(known));
        }
        let made: Arc<dyn RowKernel<T>> = if through == 0 {
            Arc::new(RustFft::new(len))
        } else {
            let least = Chirp::<T>::least(len);
            if through < least {
                return Err(MatrixError::Chirp { len, through, least });
            }
            Arc::new(Chirp::new(len, self.kernel(through, 0)?))
        };
        self.made.push(([len, through], Arc::clone(&made)));
        Ok(made)
    }
}
