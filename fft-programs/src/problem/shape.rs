//! How the points of a transform are arranged.

/// How the samples of a signal are arranged. A matrix lies row after row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A series of so many samples.
    Line(usize),
    /// A matrix or an image.
    Matrix {
        /// How many rows.
        rows: usize,
        /// How many samples a row.
        cols: usize,
    },
}

impl Shape {
    /// The rows and columns of a matrix.
    pub fn sides(self) -> Option<(usize, usize)> {
        match self {
            Self::Line(_) => None,
            Self::Matrix { rows, cols } => Some((rows, cols)),
        }
    }

    /// The length of each dimension, the outermost first.
    pub fn lengths(self) -> Vec<usize> {
        match self {
            Self::Line(n) => vec![n],
            Self::Matrix { rows, cols } => vec![rows, cols],
        }
    }

    /// The number of samples; what does not fit is `None`.
    pub fn samples(self) -> Option<usize> {
        match self {
            Self::Line(n) => Some(n),
            Self::Matrix { rows, cols } => rows.checked_mul(cols),
        }
    }
}
