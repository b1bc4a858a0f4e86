//! Planning effort.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Effort of the planner in the search for the fastest plan. rustfft and MKL plan in one way only and ignore
/// it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Estimate from a cost model: microseconds to milliseconds.
    #[default]
    Estimate,
    /// Time some plans: milliseconds to seconds.
    Measure,
    /// Time many more plans: seconds to minutes, hours for long rows.
    Patient,
}

/// Unknown name of an [`Effort`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown effort {0}: expected estimate, measure or patient")]
pub struct EffortError(pub String);

impl Effort {
    /// All efforts, in ascending order.
    pub const ALL: [Self; 3] = [Self::Estimate, Self::Measure, Self::Patient];

    /// Returns the name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Estimate => "estimate",
            Self::Measure => "measure",
            Self::Patient => "patient",
        }
    }

    /// Returns `FFTW_ESTIMATE`, `FFTW_MEASURE` or `FFTW_PATIENT`.
    pub(crate) fn flags(self) -> std::ffi::c_uint {
        match self {
            Self::Estimate => 1 << 6,
            Self::Measure => 0,
            Self::Patient => 1 << 5,
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Effort {
    type Err = EffortError;

    fn from_str(name: &str) -> Result<Self, EffortError> {
        let known = Self::ALL.into_iter().find(|effort| effort.name() == name);
        known.ok_or_else(|| EffortError(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn efforts_are_read_as_they_are_written() {
        for effort in Effort::ALL {
            assert_eq!(effort.to_string().parse(), Ok(effort));
        }
        let unknown = "Patient".parse::<Effort>().unwrap_err();
        assert_eq!(unknown.to_string(), "unknown effort Patient: expected estimate, measure or patient");
    }
}
