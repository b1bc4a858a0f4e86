//! The groups that share a matrix under `transform`, by the options and by speed functions.

use std::path::PathBuf;

use earth_console::Failure;
use earth_console::speeds::{load, saved};
use earth_papers::Groups;
use earth_papers::groups::{Pad, Partition, Speeds};

use crate::args::Transform;

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
