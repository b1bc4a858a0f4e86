//! Whole transform for a library.

use std::fmt;
use std::time::Duration;

use earth_kernels::Direction;

use crate::effort::Effort;

/// Transform in one to three dimensions: plain data. [`new`](Self::new) has the defaults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WholeProblem {
    /// Length of each dimension; the last dimension is contiguous in memory. Missing dimensions come first
    /// and have length 1.
    pub lengths: [usize; 3],
    /// Type of the input and the output.
    pub kind: Kind,
    /// Distance between the starts of consecutive rows of points, in the input and in the output. In place,
    /// rows of real numbers begin where the rows of their spectra begin. In a separate array they are
    /// contiguous.
    pub distance: usize,
    /// Whether each row is a transform of its own.
    pub separate_rows: bool,
    /// Whether the output replaces the input. Otherwise the output goes to another array, and the input stays
    /// unchanged. Only a spectrum that becomes real numbers is overwritten.
    pub in_place: bool,
    /// Number of the library's threads that share the transform.
    pub threads: usize,
    /// Planning effort.
    pub effort: Effort,
    /// Approximate time limit of planning. At the limit, the planner uses the best plan so far. A library
    /// without this function plans without a limit.
    pub limit: Option<Duration>,
}

/// Type of the input and the output of a transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// From complex points to complex points.
    Complex(Direction),
    /// From real numbers to half of their spectrum: a row of `n` numbers becomes `n / 2 + 1` points.
    RealToComplex,
    /// From half of a spectrum to real numbers, unscaled: `n / 2 + 1` points become a row of `n` numbers.
    ComplexToReal,
}

impl WholeProblem {
    /// Creates the problem with the defaults: no gaps, in place, one thread, complex points forward, planned
    /// by [`Effort::Estimate`]. Dimensions past the third one are ignored.
    pub fn new(lengths: &[usize]) -> Self {
        let mut all = [1; 3];
        all.iter_mut().rev().zip(lengths.iter().take(3).rev()).for_each(|(to, from)| *to = *from);
        let kind = Kind::Complex(Direction::Forward);
        let problem = Self {
            lengths: all,
            kind,
            distance: 0,
            separate_rows: false,
            in_place: true,
            threads: 1,
            effort: Effort::Estimate,
            limit: None,
        };
        problem.of(kind)
    }

    /// Returns the problem with another kind, and without gaps.
    #[must_use]
    pub fn of(self, kind: Kind) -> Self {
        let of = Self { kind, ..self };
        Self { distance: of.width(), ..of }
    }

    /// Returns the number of rows: the product of all dimensions except the last.
    pub fn rows(&self) -> usize {
        self.lengths[0].saturating_mul(self.lengths[1])
    }

    /// Returns the number of points in a row of points.
    pub fn width(&self) -> usize {
        match self.kind {
            Kind::Complex(_) => self.lengths[2],
            Kind::RealToComplex | Kind::ComplexToReal => self.lengths[2] / 2 + 1,
        }
    }

    /// Returns the number of leading dimensions that are no part of a transform: dimensions of length 1, and
    /// both of separate rows.
    pub(crate) fn skipped(&self) -> usize {
        if self.separate_rows {
            return 2;
        }
        self.lengths[..2].iter().take_while(|&&length| length == 1).count()
    }
}

/// Formats the problem as `4096`, `1000 x 1024`, `1000 rows of 64`, `64 x 64 real`, or `64 x 64 to real`.
impl fmt::Display for WholeProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.separate_rows {
            write!(f, "{} rows of ", self.rows())?;
        }
        let lengths: Vec<_> = self.lengths[self.skipped()..].iter().map(usize::to_string).collect();
        f.write_str(&lengths.join(" x "))?;
        match self.kind {
            Kind::Complex(_) => Ok(()),
            Kind::RealToComplex => f.write_str(" real"),
            Kind::ComplexToReal => f.write_str(" to real"),
        }
    }
}
