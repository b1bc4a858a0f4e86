//! Options with names: programs, configurations, ways to deal rows and to pad them.

use std::fmt;

use serde::Serialize;

/// Which program computes the transform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// A parallel program if several nodes or a block size are asked for, else a row kernel.
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
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a node divides its work over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Config {
    /// One thread a node runs fibers and serves their operations.
    #[default]
    Spn,
    /// Two threads a node: one runs fibers, one serves operations.
    Dual,
}

impl Config {
    /// The name, as it is asked for.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Spn => "spn",
            Self::Dual => "dual",
        }
    }
}

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<Config> for earth::Config {
    fn from(config: Config) -> Self {
        match config {
            Config::Spn => Self::Spn,
            Config::Dual => Self::Dual,
        }
    }
}

/// How the rows of a matrix are dealt to groups: a method of Khokhriakov, Manumachu and Lastovetsky (2018).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Partition {
    /// Load-balanced: the same number of rows for each group (PFFT-LB).
    #[default]
    Lb,
    /// By the measured speed functions of the groups (PFFT-FPM).
    Fpm,
}

impl Partition {
    /// The name, as it is asked for.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lb => "lb",
            Self::Fpm => "fpm",
        }
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How the rows of a matrix are padded, or computed through another length, so that they are transformed faster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pad {
    /// Rows stay as they are.
    #[default]
    None,
    /// Rows get a leading dimension of an odd number of cache lines; exact.
    Stride,
    /// The rows of each group go through a fast longer length; exact.
    Chirp,
    /// Rows are filled up with zeros to a faster length, as published; not the transform.
    Spectrum,
    /// The fastest of none, stride and chirp by the speed functions.
    Auto,
}

impl Pad {
    /// The name, as it is asked for.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Stride => "stride",
            Self::Chirp => "chirp",
            Self::Spectrum => "spectrum",
            Self::Auto => "auto",
        }
    }
}

impl fmt::Display for Pad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
