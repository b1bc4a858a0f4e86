//! The file of `transform --rates`, which `earth-lab calibrate --rates` writes.

use std::fs;
use std::path::Path;

use earth_console::Failure;
use earth_fft::{MeasurementsError, Rates};

use crate::failure::Refused;

/// The rates in a file.
///
/// # Errors
///
/// A file that cannot be read, or without rates of this computer.
pub(super) fn load(path: &Path) -> Result<Rates, Failure> {
    let unusable = |why: String| Failure::from(Refused::Rates { name: path.display().to_string(), why });
    let text = fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
    text.parse().map_err(|error: MeasurementsError| unusable(error.to_string()))
}
