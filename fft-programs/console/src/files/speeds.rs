//! Speed functions in files: named files, and files that `profile` saved for programs to find.
//!
//! Saved files are in `earth-fft/` of the user's data folder (`$XDG_DATA_HOME`, or `~/.local/share`), one for
//! each precision and padding of rows.

use std::env;
use std::path::{Path, PathBuf};

use earth_fft::computer;
use earth_papers::file::{self, LoadError};
use earth_papers::groups::{Pad, PerformanceModel};

use crate::failure::Failure;
use crate::io::atomic_output::{Output, Unfinished, WriteError};
use crate::terminal::stderr::print_message;

/// Paddings with measured speed functions.
pub const PADS: [Pad; 3] = [Pad::None, Pad::Stride, Pad::Chirp];

/// Returns the file for saved speed functions of a precision and a padding, if the user has a data folder.
pub fn place(precision: &str, pad: Pad) -> Option<PathBuf> {
    let given = env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let data = given.or_else(|| Some(env::home_dir()?.join(".local/share")))?;
    Some(data.join("earth-fft").join(format!("speed-{precision}-{pad}.json")))
}

/// Loads speed functions from a file. Functions of another computer need `force`.
pub fn load(path: &Path, force: bool) -> Result<PerformanceModel, Failure> {
    let model = file::load(path)?;
    if let Err(other) = model.computer().check(&computer::here()) {
        let name = path.display().to_string();
        if !force {
            return Err(Failure::OtherComputer { name, other });
        }
        print_message(format_args!("warning: '{name}': {other}"));
    }
    Ok(model)
}

/// Writes speed functions to a file, whole or not at all, or to standard output if `path` is `-`.
///
/// # Errors
///
/// The error of the operating system. A file of that name is then unchanged.
pub fn save(model: &PerformanceModel, path: &Path, unfinished: &Unfinished) -> Result<(), WriteError> {
    Output::open(path, unfinished)?.commit(|sink| file::write(model, sink))
}

/// Returns all saved speed functions of a precision; none is no error. A file that cannot be used is an
/// error.
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

/// Returns the speed functions for a planner that measures, which tries distributions by them. They are from
/// the `known` files or, if there are none, from the saved files. Unusable files are ignored.
pub fn speeds(precision: &str, known: &[PathBuf]) -> Vec<PerformanceModel> {
    if known.is_empty() {
        return saved(precision, false).unwrap_or_default();
    }
    known.iter().filter_map(|path| load(path, false).ok()).collect()
}
