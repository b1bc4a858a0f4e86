//! The arrangement of the points of a transform.

/// Arrangement of the samples of a signal. A matrix is stored in row-major order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A series with this number of samples.
    Line(usize),
    /// A matrix or an image.
    Matrix {
        /// Number of rows.
        rows: usize,
        /// Number of samples in a row.
        cols: usize,
    },
}

impl Shape {
    /// Returns the rows and columns of a matrix.
    pub fn sides(self) -> Option<(usize, usize)> {
        match self {
            Self::Line(_) => None,
            Self::Matrix { rows, cols } => Some((rows, cols)),
        }
    }

    /// Returns the length of each dimension, the outermost first.
    pub fn lengths(self) -> Vec<usize> {
        match self {
            Self::Line(n) => vec![n],
            Self::Matrix { rows, cols } => vec![rows, cols],
        }
    }

    /// Returns the number of samples, or `None` if it does not fit in a `usize`.
    pub fn samples(self) -> Option<usize> {
        match self {
            Self::Line(n) => Some(n),
            Self::Matrix { rows, cols } => rows.checked_mul(cols),
        }
    }
}
