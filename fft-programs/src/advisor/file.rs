//! Rates as text: TOML, for people too. What they hold for comes first, as in [wisdom](crate::Wisdom); rates of another
//! computer, version or build are refused.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use earth_partition::Computer;
use serde::{Deserialize, Serialize};

use super::rates::Rates;
use crate::computer;
use crate::kernel::own_simd;
use crate::wisdom::{VERSION, WisdomError, check_origin};

/// The version of the text, which is raised whenever an older program could misread it.
const SCHEMA: u64 = 1;

/// The value of the field `format`.
const FORMAT: &str = "earth-fft rates";

/// What the head of the text says of its figures.
const EXPLAINED: &str = "\
# What this computer does in a second, as earth-fft calibrate --rates measured it, for earth-fft transform --rates.
#
# levels: the caches. memory: 10^9 bytes read and written a second over the bytes that are gone through again and again,
# along rows (stream) and down columns, by one thread and by all, each of which reads what another one has written.
# nodes: nanoseconds of a run, of a part of a pass, of a tile between two parts. steps: nanoseconds of a step.
# kernels: nanoseconds of a line, and of a point for each prime factor of the length, by kernel, lines and bytes of a point,
# for lengths that are multiples of a number; overlap is the part of the shorter of computation and memory that the longer
# one does not hide; length is by what this is multiplied, over the length.

";

/// Why a text gives no rates.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RatesError {
    /// It is something else.
    #[error("it has no rates of earth-fft")]
    Foreign,
    /// It was written by a later version.
    #[error(
        "it was written by a newer earth-fft: its format is {found}, and the latest known here is {SCHEMA}"
    )]
    Newer {
        /// The version of its format.
        found: u64,
    },
    /// It was written by an earlier version.
    #[error("it was written by an older earth-fft: its format is {found}, and that of this one is {SCHEMA}")]
    Older {
        /// The version of its format.
        found: u64,
    },
    /// It had rates once, and is damaged.
    #[error("its rates are damaged: {0}")]
    Broken(String),
    /// It was measured elsewhere: by another version or build, with other vector instructions, or on another computer.
    #[error(transparent)]
    Elsewhere(#[from] WisdomError),
}

/// The whole text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    format: String,
    schema: u64,
    version: String,
    debug_assertions: bool,
    instructions: String,
    computer: Computer,
    rates: Rates,
}

/// The fields that say whether a text has rates, and of which version.
#[derive(Deserialize)]
struct Version {
    format: String,
    schema: u64,
}

/// Writes it as text, which is parsed.
impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let content = Content {
            format: FORMAT.to_owned(),
            schema: SCHEMA,
            version: VERSION.to_owned(),
            debug_assertions: cfg!(debug_assertions),
            instructions: own_simd().to_owned(),
            computer: computer::here(),
            rates: self.clone(),
        };
        let text = toml::to_string(&content).map_err(|_| fmt::Error)?;
        write!(f, "{EXPLAINED}{text}")
    }
}

impl FromStr for Rates {
    type Err = RatesError;

    fn from_str(text: &str) -> Result<Self, RatesError> {
        let broken = |why: toml::de::Error| RatesError::Broken(why.message().replace('\n', " "));
        match toml::from_str(text) {
            Ok(Version { format, schema }) if format == FORMAT => match schema.cmp(&SCHEMA) {
                Ordering::Equal => {}
                Ordering::Greater => return Err(RatesError::Newer { found: schema }),
                Ordering::Less => return Err(RatesError::Older { found: schema }),
            },
            Err(why) if text.contains(FORMAT) => return Err(broken(why)),
            _ => return Err(RatesError::Foreign),
        }
        let Content { version, debug_assertions, instructions, computer, rates, .. } =
            toml::from_str(text).map_err(broken)?;
        check_origin(version, debug_assertions, instructions, &computer)?;
        rates.check().map_err(RatesError::Broken)?;
        Ok(rates)
    }
}
