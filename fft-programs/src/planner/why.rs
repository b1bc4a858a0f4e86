//! Why nodes share a problem, or do not.

use std::fmt;

use super::{MIN_SHARED_BATCH_POINTS, MIN_SHARED_POINTS, MIN_SHARED_SERIES_POINTS};

/// Why a program was chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Why {
    /// The algorithm was named.
    Named,
    /// The number of nodes was set.
    NodesSet,
    /// There is one node, or one usable core.
    OneNode,
    /// The problem has fewer points than [`MIN_SHARED_POINTS`]; two real numbers count as one point.
    Small,
    /// The problem has at least [`MIN_SHARED_POINTS`] points; two real numbers count as one point.
    Large,
    /// The problem is a series of fewer points than [`MIN_SHARED_SERIES_POINTS`]; two real numbers count as
    /// one point.
    ShortSeries,
    /// The problem is a series of at least [`MIN_SHARED_SERIES_POINTS`] points; two real numbers count as one
    /// point.
    LongSeries,
    /// The problem is a series whose number of points has a prime factor over 13, or whose kernel is not the
    /// project's own.
    Series,
    /// The problem is a series of an odd number of real numbers.
    Odd,
    /// The problem is a batch of fewer points than [`MIN_SHARED_BATCH_POINTS`] together; two real numbers
    /// count as one point.
    SmallBatch,
    /// The problem is a batch of at least [`MIN_SHARED_BATCH_POINTS`] points together; two real numbers count
    /// as one point.
    LargeBatch,
    /// The problem is a batch of fewer arrays than nodes.
    FewArrays,
    /// The problem is no array of consecutive rows, and no batch of consecutive arrays.
    NoMatrix,
    /// The problem is a matrix with fewer rows or columns than nodes.
    Narrow,
    /// The problem has too few columns for a strip of whole cache lines for each node. Nodes cannot share the
    /// columns as matrices, because a column has a prime factor over 13, the kernel is not the project's own,
    /// or rows have gaps between them.
    FewColumns,
    /// The plan was the fastest [measured](crate::Plan::measured) candidate.
    Measured,
    /// The plan was the estimate, and no measured candidate is faster.
    Unbeaten,
}

/// Writes the reason as a clause that follows "because".
impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named => f.write_str("the algorithm was named"),
            Self::NodesSet => f.write_str("several nodes were asked for"),
            Self::OneNode => f.write_str("there is one node"),
            Self::Small => write!(f, "it has fewer than {MIN_SHARED_POINTS} points, two real numbers counted as one"),
            Self::Large => write!(f, "it has at least {MIN_SHARED_POINTS} points, two real numbers counted as one"),
            Self::ShortSeries => {
                write!(f, "it is a series of fewer than {MIN_SHARED_SERIES_POINTS} points, or twice as many real numbers")
            }
            Self::LongSeries => {
                write!(f, "it is a series of at least {MIN_SHARED_SERIES_POINTS} points, or twice as many real numbers")
            }
            Self::Series => {
                f.write_str("nodes share a series only with the project's own kernels, for prime factors up to 13")
            }
            Self::Odd => f.write_str("nodes share a series of real numbers in pairs, and their number is odd"),
            Self::SmallBatch => {
                write!(f, "its arrays have fewer than {MIN_SHARED_BATCH_POINTS} points together, or twice as many real numbers")
            }
            Self::LargeBatch => {
                write!(f, "its arrays have at least {MIN_SHARED_BATCH_POINTS} points together, or twice as many real numbers")
            }
            Self::FewArrays => f.write_str("it has fewer arrays than there are nodes"),
            Self::NoMatrix => f.write_str("nodes share only consecutive rows, and consecutive arrays"),
            Self::Measured => f.write_str("it is the fastest measured candidate"),
            Self::Unbeaten => f.write_str("no measured candidate is faster"),
            Self::Narrow => f.write_str("it has fewer rows or columns than there are nodes"),
            Self::FewColumns => f.write_str(
                "it has too few columns for strips, and nodes share columns only with the project's own kernels, for prime factors up to 13",
            ),
        }
    }
}
