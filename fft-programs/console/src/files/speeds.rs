//! Speed functions in files: those that are named, and those that `profile` saved for programs to find.
//!
//! Unless named, they are in the user's data (`$XDG_DATA_HOME`, or `~/.local/share`), in `earth-fft/`, a file for each
//! precision and padding of rows.

use std::env;
use std::path::{Path, PathBuf};

use earth_fft::computer;
use earth_papers::file::{self, LoadError};
use earth_papers::groups::{Pad, PerformanceModel};

use crate::failure::Failure;
use crate::io::aside::{Output, Unfinished, WriteError};
use crate::terminal::stderr::say;

/// The paddings for which speed functions are measured.
pub const PADS: [Pad; 3] = [Pad::None, Pad::Stride, Pad::Chirp];

/// The file in which the speed functions for a precision and a padding are saved, if the user has a place for data.
pub fn place(precision: &str, pad: Pad) -> Option<PathBuf> {
    let given = env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let data = given.or_else(|| Some(env::home_dir()?.join(".local/share")))?;
    Some(data.join("earth-fft").join(format!("speed-{precision}-{pad}.json")))
}

/// The speed functions in a file; those of another computer only by force.
pub fn load(path: &Path, force: bool) -> Result<PerformanceModel, Failure> {
    let model = file::load(path)?;
    if let Err(other) = model.computer().check(&computer::here()) {
        let name = path.display().to_string();
        if !force {
            return Err(Failure::OtherComputer { name, other });
        }
        say(format_args!("warning: '{name}': {other}"));
    }
    Ok(model)
}

/// Writes speed functions to a file, whole or not at all, or to standard output if that is `-`.
///
/// # Errors
///
/// The error of the operating system; then a file of that name is as it was.
pub fn save(model: &PerformanceModel, path: &Path, unfinished: &Unfinished) -> Result<(), WriteError> {
    Output::open(path, unfinished)?.commit(|sink| file::write(model, sink))
}

/// All speed functions that are saved for a precision. It is no error if there are none, and one if some cannot be
/// used.
pub fn saved(precision: &str, force: bool) -> Result<Vec<PerformanceModel>, Failure> {
    let mut models = Vec::new();
    for path in PADS.into_iter().filter_map(|pad| place(precision, pad)) {
        match load(&path, force) {
            Err(Failure::Speeds(LoadError::Unreadable { source, .. }))
                if source.kind() == std::io::ErrorKind::NotFound => {}
            model => models.push(model?),
        }
    }
    Ok(models)
}

/// The speed functions by which a planner that measures finds distributions to try: those in the `known` files, else those
/// saved. Files that cannot be used are no reason not to measure.
pub fn speeds(precision: &str, known: &[PathBuf]) -> Vec<PerformanceModel> {
    if known.is_empty() {
        return saved(precision, false).unwrap_or_default();
    }
    known.iter().filter_map(|path| load(path, false).ok()).collect()
}
