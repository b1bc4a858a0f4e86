//! A whole transform as it is asked of a library.

use std::fmt;
use std::time::Duration;

use earth_kernels::Direction;

use crate::effort::Effort;

/// A transform of one to three dimensions: plain data. What is not said otherwise is as [`new`](Self::new) has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WholeProblem {
    /// The length along each dimension, neighbours in memory along the last one. A dimension that is not there has
    /// length 1, and comes first.
    pub lengths: [usize; 3],
    /// What becomes what.
    pub kind: Kind,
    /// The points from the beginning of a row to that of the next, in the input and in the output. The rows of real
    /// numbers that are transformed in place begin where those of their spectra do; in an array of their own
    /// they follow one another.
    pub distance: usize,
    /// Whether the output lies where the input was. Otherwise it lies in another array, and the input stays.
    pub in_place: bool,
    /// The threads of the library's own that share the transform.
    pub threads: usize,
    /// How hard the planner tries.
    pub effort: Effort,
    /// About how long the planner may try; what it has found by then is the plan. A library that knows no such limit
    /// takes as long as it takes.
    pub limit: Option<Duration>,
}

/// What a transform makes of what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Complex points of complex points.
    Complex(Direction),
    /// Half a spectrum of real numbers: a row of `n` numbers becomes `n / 2 + 1` points.
    RealToComplex,
}

impl WholeProblem {
    /// An array without gaps, in place, by one thread, complex points forward, planned by a guess. Dimensions past the
    /// third one are not looked at.
    pub fn new(lengths: &[usize]) -> Self {
        let mut all = [1; 3];
        all.iter_mut().rev().zip(lengths.iter().take(3).rev()).for_each(|(to, from)| *to = *from);
        let kind = Kind::Complex(Direction::Forward);
        let problem = Self {
            lengths: all,
            kind,
            distance: 0,
            in_place: true,
            threads: 1,
            effort: Effort::Estimate,
            limit: None,
        };
        problem.of(kind)
    }

    /// An array of these lengths without gaps, to be transformed otherwise.
    #[must_use]
    pub fn of(self, kind: Kind) -> Self {
        let of = Self { kind, ..self };
        Self { distance: of.width(), ..of }
    }

    /// The rows: all dimensions but the last one.
    pub fn rows(&self) -> usize {
        self.lengths[0].saturating_mul(self.lengths[1])
    }

    /// The points of a row of the output.
    pub fn width(&self) -> usize {
        match self.kind {
            Kind::Complex(_) => self.lengths[2],
            Kind::RealToComplex => self.lengths[2] / 2 + 1,
        }
    }

    /// The dimensions that come before the first one that is longer than 1.
    pub(crate) fn skipped(&self) -> usize {
        self.lengths[..2].iter().take_while(|&&length| length == 1).count()
    }
}

/// `4096`, `1000 x 1024`, or `64 x 64 x 64 real`.
impl fmt::Display for WholeProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lengths: Vec<_> = self.lengths[self.skipped()..].iter().map(usize::to_string).collect();
        f.write_str(&lengths.join(" x "))?;
        match self.kind {
            Kind::Complex(_) => Ok(()),
            Kind::RealToComplex => f.write_str(" real"),
        }
    }
}
