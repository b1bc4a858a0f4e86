//! Rates as text: TOML, for people, too. First the origin, which they hold for alone (`origin.rs`), then the
//! rates.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::rates::Rates;
use crate::measurements::origin::{Format, MeasurementsError, Origin};

const FORMAT: Format = Format { name: "earth-fft rates", kind: "rates", schema: 2 };

/// Explanation of the figures at the head of the text.
const EXPLAINED: &str = "\
# Rates of this computer, measured by earth-lab calibrate --rates, for earth-fft transform --rates.
#
# levels: the caches, in bytes.
# memory: 10^9 bytes read and written a second, as a function of the reuse distance in bytes, along rows (stream) and down
# columns, by one thread and by all threads. Each thread reads data that another thread has written.
# nodes: nanoseconds of a run, of a part of a pass, and of a tile between two parts.
# steps: nanoseconds of a step.
# kernels: nanoseconds of a line, and of a point for each prime factor of the length, by kernel, kind of lines and bytes of
# a point, for lengths that are multiples of a number. overlap is the part of the shorter of computation and memory that the
# longer one does not hide. length is a factor of the whole cost, as a function of the length.

";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    format: String,
    schema: u64,
    origin: Origin,
    rates: Rates,
}

/// Writes the rates as text that can be parsed.
impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let content = Content {
            format: FORMAT.name.to_owned(),
            schema: FORMAT.schema,
            origin: Origin::here(),
            rates: self.clone(),
        };
        let text = toml::to_string(&content).map_err(|_| fmt::Error)?;
        write!(f, "{EXPLAINED}{text}")
    }
}

impl FromStr for Rates {
    type Err = MeasurementsError;

    fn from_str(text: &str) -> Result<Self, MeasurementsError> {
        let found = toml::from_str(text).map_err(|why: toml::de::Error| why.message().to_owned());
        FORMAT.check(found, text)?;
        let Content { origin, rates, .. } =
            toml::from_str(text).map_err(|why| FORMAT.broken(why.message()))?;
        origin.check()?;
        rates.check().map_err(|why| FORMAT.broken(why))?;
        Ok(rates)
    }
}
