//! The programs by name.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Which program computes the transform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// What the planner takes: see [`Planner`](crate::Planner).
    #[default]
    Auto,
    /// Receiver-initiated, as a tree of asks; N and the nodes are powers of two.
    Receiver,
    /// Receiver-initiated, each point of each level computed once.
    ReceiverShared,
    /// Sender-initiated; N is a power of two.
    Sender,
    /// Two dimensions of any sizes, by tiles.
    Grouped,
    /// Two or three dimensions of any sizes, rows and then columns where they are.
    TwoPass,
    /// Two or three dimensions, rows and then few long columns, each of which all nodes share as a matrix.
    Tall,
    /// A series of any number of points that is no prime: columns, then rows that become columns.
    Transpose,
    /// The FFTE variant of it: few long rows, each of which is a matrix of its own.
    Ffte,
    /// By stages of butterflies of 2 points; N is a power of two.
    #[serde(rename = "radix-2")]
    Radix2,
    /// Radix 2, with the factors of its first six stages in the memory of each node.
    #[serde(rename = "radix-2-local")]
    Radix2Local,
    /// By stages of butterflies of 4 points; N is a power of 4.
    #[serde(rename = "radix-4")]
    Radix4,
    /// By stages of butterflies of 8 points; N is a power of 8.
    #[serde(rename = "radix-8")]
    Radix8,
}

impl Algorithm {
    /// The name, as it is asked for.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Receiver => "receiver",
            Self::ReceiverShared => "receiver-shared",
            Self::Sender => "sender",
            Self::Grouped => "grouped",
            Self::TwoPass => "two-pass",
            Self::Tall => "tall",
            Self::Transpose => "transpose",
            Self::Ffte => "ffte",
            Self::Radix2 => "radix-2",
            Self::Radix2Local => "radix-2-local",
            Self::Radix4 => "radix-4",
            Self::Radix8 => "radix-8",
        }
    }

    /// The points of its butterflies, if it is an FFT by stages.
    pub const fn radix(self) -> Option<usize> {
        match self {
            Self::Radix2 | Self::Radix2Local => Some(2),
            Self::Radix4 => Some(4),
            Self::Radix8 => Some(8),
            _ => None,
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
