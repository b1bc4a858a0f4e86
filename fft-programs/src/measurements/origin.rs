//! What texts of measurements ([wisdom](crate::Wisdom) and [rates](crate::advisor::Rates)) begin with: the format, its
//! version, and where the measurements come from. A text is read in two steps, so that one of another version is told from
//! a damaged one: first the format alone, then all fields.
//!
//! Measurements hold for the version of this crate, the build, the vector instructions and the computer that they were made
//! with, since other plans are the fastest elsewhere; a text with any other origin is refused.

use std::cmp::Ordering;
use std::fmt::Display;

use serde::{Deserialize, Serialize};

use super::computer;
use super::computer::{Computer, OtherComputer};
use crate::kernel::own_simd;

/// The version of this crate.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Why a text gives no measurements.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MeasurementsError {
    /// It is something else.
    #[error("it has no {0} of earth-fft")]
    Foreign(&'static str),
    /// It was written by a later version.
    #[error(
        "it was written by a newer earth-fft: its format is {found}, and the latest known here is {known}"
    )]
    Newer {
        /// The version of its format.
        found: u64,
        /// The version of the format here.
        known: u64,
    },
    /// It was written by an earlier version.
    #[error("it was written by an older earth-fft: its format is {found}, and that of this one is {known}")]
    Older {
        /// The version of its format.
        found: u64,
        /// The version of the format here.
        known: u64,
    },
    /// It is damaged.
    #[error("the {kind} in it cannot be read: {why}")]
    Broken {
        /// What was expected in it.
        kind: &'static str,
        /// What is wrong, in one line.
        why: String,
    },
    /// It was measured by another version, whose programs are faster or slower.
    #[error("it was measured by version {found} of earth-fft, and this is {VERSION}")]
    OtherVersion {
        /// That version.
        found: String,
    },
    /// It was measured by a build with debug assertions and is read by one without, or the other way round.
    #[error(
        "it was measured by a build {} debug assertions, and this is one {}",
        with(!cfg!(debug_assertions)),
        with(cfg!(debug_assertions))
    )]
    OtherBuild,
    /// It was measured with other vector instructions.
    #[error("it was measured with {found}, and {} are used here", own_simd())]
    OtherInstructions {
        /// Those vector instructions.
        found: String,
    },
    /// It was measured on another computer.
    #[error(transparent)]
    OtherComputer(#[from] OtherComputer),
}

fn with(assertions: bool) -> &'static str {
    if assertions { "with" } else { "without" }
}

/// A format of texts.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    /// The value of the field `format`.
    pub(crate) name: &'static str,
    /// What such a text has.
    pub(crate) kind: &'static str,
    /// The value of the field `schema`, which is raised whenever an older program could misread a text.
    pub(crate) schema: u64,
}

/// The fields that say whether a text is of a format, and of which version; the first ones of each text.
#[derive(Deserialize)]
pub(crate) struct Version {
    format: String,
    schema: u64,
}

impl Format {
    /// Whether `text`, in which these fields were found, is of this format and version.
    pub(crate) fn check<E: Display>(
        self,
        found: Result<Version, E>,
        text: &str,
    ) -> Result<(), MeasurementsError> {
        match found {
            Ok(Version { format, schema: found }) if format == self.name => {
                let known = self.schema;
                match found.cmp(&known) {
                    Ordering::Equal => Ok(()),
                    Ordering::Greater => Err(MeasurementsError::Newer { found, known }),
                    Ordering::Less => Err(MeasurementsError::Older { found, known }),
                }
            }
            Err(why) if text.contains(self.name) => Err(self.broken(why)),
            _ => Err(MeasurementsError::Foreign(self.kind)),
        }
    }

    /// That a text of this format is damaged.
    pub(crate) fn broken(self, why: impl Display) -> MeasurementsError {
        MeasurementsError::Broken { kind: self.kind, why: why.to_string().trim().replace('\n', " ") }
    }
}

/// What measurements hold for.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Origin {
    version: String,
    debug_assertions: bool,
    instructions: String,
    computer: Computer,
}

impl Origin {
    /// This build on this computer.
    pub(crate) fn here() -> Self {
        Origin {
            version: VERSION.to_owned(),
            debug_assertions: cfg!(debug_assertions),
            instructions: own_simd().to_owned(),
            computer: computer::here(),
        }
    }

    /// Whether what was measured there holds here.
    pub(crate) fn check(self) -> Result<(), MeasurementsError> {
        if self.version != VERSION {
            return Err(MeasurementsError::OtherVersion { found: self.version });
        }
        if self.debug_assertions != cfg!(debug_assertions) {
            return Err(MeasurementsError::OtherBuild);
        }
        if self.instructions != own_simd() {
            return Err(MeasurementsError::OtherInstructions { found: self.instructions });
        }
        Ok(self.computer.check(&computer::here())?)
    }
}
