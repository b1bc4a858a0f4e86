//! How rows are dealt to groups of nodes, and how they are padded, by name.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How the rows of a matrix are dealt to groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Partition {
    /// Load-balanced: the same number of rows for each group (PFFT-LB).
    #[default]
    Lb,
    /// By the measured speed functions of the groups (PFFT-FPM).
    Fpm,
}

/// How the rows of a matrix are padded, or computed through another length, so that they are transformed faster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
