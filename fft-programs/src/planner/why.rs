//! Why nodes share a problem, or do not.

use std::fmt;

use super::{PAYS, SERIES_PAYS};

/// Why a program was chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Why {
    /// It was named.
    Named,
    /// The nodes were.
    NodesAsked,
    /// There is one node, or one usable core.
    OneNode,
    /// It has fewer points than [`PAYS`]; two real numbers count as one.
    Small,
    /// It has enough of them.
    Large,
    /// It is a series of fewer points than [`SERIES_PAYS`], or than twice as many real numbers.
    ShortSeries,
    /// It is a series of enough of them.
    LongSeries,
    /// It is a series whose points have a prime factor over 13, or whose kernel is not the project's own.
    Series,
    /// It is a series of real numbers that are odd.
    Odd,
    /// It is no single array of rows one behind another.
    NoMatrix,
    /// A matrix with fewer rows or columns than nodes.
    Narrow,
    /// It has too few columns for a strip of whole cache lines for each node. A column has a prime factor over 13, or the
    /// kernel is not the project's own, or there are gaps between rows.
    FewColumns,
    /// It was the fastest of those that were [measured](crate::Plan::measured).
    Measured,
    /// It was estimated to be the fastest, and nothing that was measured is faster.
    Unbeaten,
}

/// The half sentence after "because".
impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named => f.write_str("the algorithm was named"),
            Self::NodesAsked => f.write_str("several nodes were asked for"),
            Self::OneNode => f.write_str("there is one node"),
            Self::Small => write!(f, "it has fewer than {PAYS} points, two real numbers counted as one"),
            Self::Large => write!(f, "it has at least {PAYS} points, two real numbers counted as one"),
            Self::ShortSeries => {
                write!(f, "it is a series of fewer than {SERIES_PAYS} points, or twice as many real numbers")
            }
            Self::LongSeries => {
                write!(f, "it is a series of at least {SERIES_PAYS} points, or twice as many real numbers")
            }
            Self::Series => {
                f.write_str("nodes share series by kernels of the project for prime factors up to 13")
            }
            Self::Odd => f.write_str("nodes share series of real numbers in pairs, and they are odd"),
            Self::NoMatrix => f.write_str("nodes share single arrays of rows one behind another"),
            Self::Measured => f.write_str("it is the fastest of what was measured"),
            Self::Unbeaten => f.write_str("nothing that was measured is faster"),
            Self::Narrow => f.write_str("it has fewer rows or columns than there are nodes"),
            Self::FewColumns => f.write_str(
                "it has too few columns to be cut for the nodes, which share columns by kernels of the project for prime factors up to 13",
            ),
        }
    }
}
