//! The header of texts of measurements ([wisdom](crate::Wisdom) and [rates](crate::advisor::Rates)): the
//! format, its version, and the origin of the measurements. A text is read in two steps, first the format
//! alone, then all fields. So a text of another version is not mistaken for a damaged text.
//!
//! Measurements hold for their version of this crate, build, vector instructions and computer, because other
//! plans are the fastest elsewhere. A text with any other origin is refused.

use std::cmp::Ordering;
use std::fmt::Display;

use serde::{Deserialize, Serialize};

use super::computer;
use super::computer::{Computer, OtherComputer};
use crate::kernel::own_simd;

/// Version of this crate.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Why a text gives no measurements.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MeasurementsError {
    /// The text is no text of measurements.
    #[error("it has no {0} of earth-fft")]
    Foreign(&'static str),
    /// A later version wrote the text.
    #[error(
        "it was written by a newer earth-fft: its format is {found}, and the latest known here is {known}"
    )]
    Newer {
        /// Version of its format.
        found: u64,
        /// Version of the format here.
        known: u64,
    },
    /// An earlier version wrote the text.
    #[error("it was written by an older earth-fft: its format is {found}, and the format here is {known}")]
    Older {
        /// Version of its format.
        found: u64,
        /// Version of the format here.
        known: u64,
    },
    /// The text is damaged.
    #[error("the {kind} in it cannot be read: {why}")]
    Broken {
        /// The expected kind of measurements.
        kind: &'static str,
        /// What is wrong, in one line.
        why: String,
    },
    /// Another version measured it, whose programs are faster or slower.
    #[error("it was measured by version {found} of earth-fft, and this is {VERSION}")]
    OtherVersion {
        /// That version.
        found: String,
    },
    /// A build with debug assertions measured it and a build without them reads it, or the reverse.
    #[error(
        "it was measured by a build {} debug assertions, and this build is {} them",
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

/// Format of texts.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    /// Value of the field `format`.
    pub(crate) name: &'static str,
    /// Kind of measurements in the text.
    pub(crate) kind: &'static str,
    /// Value of the field `schema`, which is raised whenever an older program could misread a text.
    pub(crate) schema: u64,
}

/// Format and version of a text; its first fields.
#[derive(Deserialize)]
pub(crate) struct Version {
    format: String,
    schema: u64,
}

impl Format {
    /// Checks that `text`, in which these fields were found, has this format and version.
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

    /// Returns the error for a damaged text of this format.
    pub(crate) fn broken(self, why: impl Display) -> MeasurementsError {
        MeasurementsError::Broken { kind: self.kind, why: why.to_string().trim().replace('\n', " ") }
    }
}

/// Version, build, instructions and computer that measurements hold for.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Origin {
    version: String,
    debug_assertions: bool,
    instructions: String,
    computer: Computer,
}

impl Origin {
    /// Returns this build on this computer.
    pub(crate) fn here() -> Self {
        Origin {
            version: VERSION.to_owned(),
            debug_assertions: cfg!(debug_assertions),
            instructions: own_simd().to_owned(),
            computer: computer::here(),
        }
    }

    /// Checks that measurements of this origin hold for this build on this computer.
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
