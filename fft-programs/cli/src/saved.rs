//! Speed functions in files: those that are named, and those that `profile` saved for programs to find.
//!
//! Unless named, they are in the user's data (`$XDG_DATA_HOME`, or `~/.local/share`), in `earth-fft/`, a file for each
//! precision and padding of rows.

use std::env;
use std::path::{Path, PathBuf};

use earth_fft::Groups;
use earth_fft::groups::{Pad, Partition, PerformanceModel, Speeds};
use earth_lab::computer;
use earth_lab::measure::file::{self, LoadError};

use crate::args::Transform;
use crate::failure::Failure;
use crate::io::aside::{Output, Unfinished, WriteError};
use crate::output::say;

/// The paddings for which speed functions are measured.
pub(super) const PADS: [Pad; 3] = [Pad::None, Pad::Stride, Pad::Chirp];

/// The file in which the speed functions for a precision and a padding are saved, if the user has a place for data.
pub(super) fn place(precision: &str, pad: Pad) -> Option<PathBuf> {
    let given = env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let data = given.or_else(|| Some(env::home_dir()?.join(".local/share")))?;
    Some(data.join("earth-fft").join(format!("speed-{precision}-{pad}.json")))
}

/// The speed functions in a file; those of another computer only by force.
pub(super) fn load(path: &Path, force: bool) -> Result<PerformanceModel, Failure> {
    let model = file::load(path)?;
    if let Err(other) = model.check_computer(&computer::here()) {
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
pub(super) fn save(model: &PerformanceModel, path: &Path, unfinished: &Unfinished) -> Result<(), WriteError> {
    Output::open(path, unfinished)?.commit(|sink| file::write(model, sink))
}

/// All speed functions that are saved for a precision. It is no error if there are none, and one if some cannot be
/// used.
fn saved(precision: &str, force: bool) -> Result<Vec<PerformanceModel>, Failure> {
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
pub(super) fn speeds(precision: &str, known: &[PathBuf]) -> Vec<PerformanceModel> {
    if known.is_empty() {
        return saved(precision, false).unwrap_or_default();
    }
    known.iter().filter_map(|path| load(path, false).ok()).collect()
}

/// The groups that share a matrix, if any do, with the speed functions that they need: those in the named files, else
/// those saved. A matrix for which nothing was said but `auto` is dealt by saved ones, if there are any for rows of its
/// lengths and nothing is to be measured. If no file is named, those of the `known` ones are for the groups that were
/// asked for.
pub(super) fn groups(
    args: &Transform,
    lengths: &[usize],
    precision: &str,
    known: &[PathBuf],
) -> Result<Option<Groups>, Failure> {
    let force = args.force;
    let named = match &args.profiles[..] {
        [] if args.groups().is_some() => known,
        named => named,
    };
    let models = || -> Result<Speeds, Failure> {
        let models: Result<Vec<_>, _> = named.iter().map(|path| load(path, force)).collect();
        Ok(if named.is_empty() { saved(precision, force)? } else { models? }.into())
    };
    let by_speed = |speeds| Groups { partition: Partition::Fpm, pad: Pad::Auto, speeds, ..Groups::default() };
    if let Some(mut groups) = args.groups() {
        let chosen = matches!(groups.pad, Pad::Auto | Pad::Spectrum) || groups.partition == Partition::Fpm;
        if chosen || !named.is_empty() {
            groups.speeds = models()?;
        }
        return Ok(Some(groups));
    }
    if !named.is_empty() {
        return Ok(Some(by_speed(models()?)));
    }
    let free = args.algorithm == "auto"
        && args.nodes.is_none()
        && args.block.is_none()
        && args.kernel.is_none()
        && !args.measures();
    let (&[rows, cols], true) = (lengths, free) else { return Ok(None) };
    // Saved files that cannot be used are no reason not to transform.
    let models = saved(precision, false).unwrap_or_default();
    let tells = |length| models.iter().any(|model| model.sections_or_between(length).is_ok());
    let usable = !models.is_empty() && tells(rows) && tells(cols);
    Ok(usable.then(|| by_speed(models.into())))
}
