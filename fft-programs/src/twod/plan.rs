//! What all row blocks of one transform of a matrix share: how it is cut, how long its rows lie apart, and the
//! row kernels.
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
//!   different, the second pass would mix rows of different grids. It is **not** the transform of the matrix.

use std::sync::Arc;

use earth::wire;
use earth_kernels::{Chirp, Direction, Real, RowKernel, RustFft, scale};

use super::Points;
use super::dealing::{Cut, Dealing};
use crate::oned::planned::Plan;

wire! {
    /// What a plan of a transform of a matrix is made of.
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    pub struct MatrixRecipe {
        /// The rows of the matrix, and those of its transpose.
        dealt: [Dealing; 2],
        /// How far apart rows lie, of the matrix and of its transpose.
        widths: [usize; 2],
        /// By group, the length that it goes through; 0, or no such group, is its own.
        chirps: [Vec<usize>; 2],
        spectrum: bool,
        barrier: bool,
        inverse: bool,
    }
}

impl MatrixRecipe {
    /// Transforms of `rows` x `cols` points, dealt to all nodes in turn. `blocks` are the rows of a block: of
    /// the matrix, and of its transpose.
    pub fn new(rows: usize, cols: usize, blocks: [usize; 2], direction: Direction) -> Self {
        Self::dealt([Dealing::round(rows, blocks[0]), Dealing::round(cols, blocks[1])], direction)
    }

    /// Transforms of a matrix that is dealt like this: its rows, and its columns.
    pub fn dealt(dealt: [Dealing; 2], direction: Direction) -> Self {
        let widths = [dealt[1].rows(), dealt[0].rows()];
        let inverse = direction == Direction::Inverse;
        Self { dealt, widths, chirps: [Vec::new(), Vec::new()], spectrum: false, barrier: false, inverse }
    }

    /// Rows lie so many points apart: those of the matrix, and those of its transpose.
    #[must_use]
    pub fn stride(mut self, widths: [usize; 2]) -> Self {
        self.widths = widths;
        self
    }

    /// Group `i` transforms its rows through the length `chirps[_][i]`, 0 being their own: those of the matrix,
    /// and those of its transpose.
    #[must_use]
    pub fn chirp(mut self, chirps: [Vec<usize>; 2]) -> Self {
        self.chirps = chirps;
        self
    }

    /// Rows are filled up with zeros to such lengths: those of the matrix, and those of its transpose.
    #[must_use]
    pub fn spectrum(mut self, lengths: [usize; 2]) -> Self {
        (self.widths, self.spectrum) = (lengths, true);
        self
    }

    /// Whether each of the four steps begins when the one before has ended everywhere, as in the
    /// paper's algorithms, and not as soon as its own data are there.
    #[must_use]
    pub fn barrier(mut self, barrier: bool) -> Self {
        self.barrier = barrier;
        self
    }

    /// How far apart the rows of the matrix are to lie.
    pub fn width(&self) -> usize {
        self.widths[0]
    }

    /// The rows of a row block: of the matrix, and of its transpose.
    pub fn blocks(&self) -> [usize; 2] {
        [self.dealt[0].block(), self.dealt[1].block()]
    }

    /// Whether the transpose is cut as the matrix is, so that tiles can change places in its own memory.
    pub fn is_in_place(&self) -> bool {
        self.dealt[0] == self.dealt[1] && self.widths[0] == self.widths[1]
    }
}

/// Why a matrix cannot be dealt.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MatrixError {
    /// It has no points.
    #[error("a matrix of {rows} x {cols} has no points to transform")]
    NoPoints {
        /// Its rows.
        rows: usize,
        /// Its columns.
        cols: usize,
    },
    /// Row blocks of 0 rows were asked for.
    #[error("a row block has at least one row")]
    NoRows,
    /// Other rows are dealt than the matrix has.
    #[error("{dealt} rows are dealt of a matrix that has {rows}")]
    Dealt {
        /// The rows that are dealt.
        dealt: usize,
        /// Those of the matrix, or of its transpose.
        rows: usize,
    },
    /// The groups have other nodes than the machine.
    #[error("{groups} groups of {threads} nodes are no machine of {nodes} nodes")]
    Nodes {
        /// The groups.
        groups: usize,
        /// The nodes of each.
        threads: usize,
        /// Those of the machine.
        nodes: usize,
    },
    /// Rows that would lie on each other.
    #[error("rows of {len} points cannot lie {width} points apart")]
    Width {
        /// The points of a row.
        len: usize,
        /// How far apart they were to lie.
        width: usize,
    },
    /// A length through which a chirp does not go.
    #[error("rows of {len} points do not go through a length of {through}, which is less than {least}")]
    Chirp {
        /// The points of a row.
        len: usize,
        /// The length that was asked for.
        through: usize,
        /// The least that there is.
        least: usize,
    },
}

/// What all row blocks of one transform share.
#[derive(Debug)]
pub struct MatrixPlan<T: Real> {
    direction: Direction,
    /// Of the matrix, and of its transpose.
    cut: [Cut; 2],
    /// The points of a row.
    lens: [usize; 2],
    widths: [usize; 2],
    spectrum: bool,
    barrier: bool,
    /// By group.
    kernels: [Vec<Arc<dyn RowKernel<T>>>; 2],
}

impl<T: Real> MatrixPlan<T> {
    /// How the rows of the matrix are cut, and those of its transpose.
    pub fn cut(&self) -> &[Cut; 2] {
        &self.cut
    }

    /// The points of a row of the matrix, and of one of its transpose, padding not counted.
    pub(super) fn lens(&self) -> [usize; 2] {
        self.lens
    }

    /// How far apart the rows of the matrix lie, and those of its transpose.
    pub(super) fn widths(&self) -> [usize; 2] {
        self.widths
    }

    /// Whether each step begins when the one before has ended everywhere.
    pub(super) fn has_barrier(&self) -> bool {
        self.barrier
    }

    /// How long the rows are that are transformed in a pass.
    pub(super) fn transformed(&self, pass: usize) -> usize {
        if self.spectrum { self.widths[pass] } else { self.lens[pass] }
    }

    /// Transforms the rows of a row block that has them whole, with their padding, in the first pass or in the
    /// second. The inverse is divided by the number of points here, in the second pass, while a row
    /// is in the cache.
    pub(super) fn transform(&self, pass: usize, block: usize, rows: &mut Points<T>) {
        let kernel = &*self.kernels[pass][self.cut[pass].group_of(block)];
        let len = self.transformed(pass);
        let factor = T::of(1.0 / (self.transformed(0) as f64 * self.transformed(1) as f64));
        let mut scratch = kernel.scratch();
        for row in rows.iter_rows_mut() {
            // A transform before has left something there.
            row[self.lens[pass]..len].fill(T::zero().into());
            kernel.transform(self.direction, &mut row[..len], &mut scratch);
            if pass == 1 && self.direction == Direction::Inverse {
                scale(&mut row[..len], factor);
            }
        }
    }

    /// Whether this is the plan of a matrix of that many rows, which lie so far apart.
    #[track_caller]
    pub(super) fn check(&self, matrix: &Points<T>) {
        let (found, planned) = ((matrix.rows(), matrix.cols()), (self.lens[1], self.widths[0]));
        assert_eq!(found, planned, "a matrix of other rows and columns than the plan's");
    }
}

impl<T: Real> Plan for MatrixPlan<T> {
    type Recipe = MatrixRecipe;
    type Error = MatrixError;

    fn make(recipe: MatrixRecipe) -> Result<Self, MatrixError> {
        let MatrixRecipe { dealt, widths, chirps, spectrum, barrier, inverse } = recipe;
        let [rows, cols] = [dealt[0].rows(), dealt[1].rows()];
        if rows == 0 || cols == 0 {
            return Err(MatrixError::NoPoints { rows, cols });
        }
        let cut = [dealt[0].cut()?, dealt[1].cut()?];
        let lens = [cols, rows];
        for (len, width) in lens.into_iter().zip(widths) {
            if width < len {
                return Err(MatrixError::Width { len, width });
            }
        }
        let mut planner = Planner { made: Vec::new() };
        let mut kernels = [Vec::new(), Vec::new()];
        for pass in 0..2 {
            let len = if spectrum { widths[pass] } else { lens[pass] };
            for group in 0..dealt[pass].groups() {
                let through = chirps[pass].get(group).copied().unwrap_or(0);
                kernels[pass].push(planner.kernel(len, through)?);
            }
        }
        let direction = if inverse { Direction::Inverse } else { Direction::Forward };
        Ok(Self { direction, cut, lens, widths, spectrum, barrier, kernels })
    }
}

/// Plans each kernel once, whatever number of groups and passes use it.
struct Planner<T: Real> {
    /// By its length and the one it goes through.
    made: Vec<([usize; 2], Arc<dyn RowKernel<T>>)>,
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
