//! From the options of `transform` to a planner: its solver, the groups that share a matrix, and earlier
//! measurements.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use earth::CancelToken;
use earth_console::Failure;
use earth_console::output::duration;
use earth_console::speeds::{load, saved, speeds};
use earth_console::text::read_text;
use earth_console::wisdom::WisdomFile;
use earth_fft::solver::{check_block, check_row_block};
use earth_fft::{PlanError, Planner};
use earth_papers::groups::{Pad, Partition, Speeds};
use earth_papers::{Error, Grouped, Groups, Stages};

use crate::args::Transform;

/// Returns the planner of a command line. It knows the solvers of `known`.
///
/// # Errors
///
/// Files that cannot be used, settings of another algorithm, or a block of more points than there are.
pub(super) fn planner(
    known: &Planner,
    args: &Transform,
    lengths: &[usize],
    precision: &str,
    (file, cancel): (Option<&WisdomFile>, &CancelToken),
) -> Result<Planner, Failure> {
    let files = file.map(|file| file.wisdom().speeds()).unwrap_or_default();
    let groups = groups(args, lengths, precision, &files)?;
    let measured = if args.measures() { speeds(precision, &files) } else { Vec::new() };
    let rates = args.rates.as_deref();
    let rates = rates.map(|path| read_text("use the rates", path, None, str::parse)).transpose()?;
    Ok(by_solver(known.clone(), args, lengths, groups, measured.into())?
        .config(args.config)
        .policy(args.turns.policy.unwrap_or_default())
        .cancel_token(cancel.clone())
        .nodes(args.nodes)
        .kernel(args.kernel.clone())
        .effort(args.effort)
        .time_limit(args.time_limit.map(duration))
        .wisdom(file.map(|file| file.wisdom().clone()))
        .rates(rates))
}

/// Returns a planner with the requested algorithm and its settings. If it measures, it distributes rows by
/// the `known` speed functions.
fn by_solver(
    planner: Planner,
    args: &Transform,
    lengths: &[usize],
    groups: Option<Groups>,
    known: Speeds,
) -> Result<Planner, PlanError> {
    let (algorithm, block) = (&*args.algorithm, args.block);
    let grouped = Grouped::new().block(block).known_speeds(known);
    match (algorithm, groups) {
        ("auto" | Grouped::NAME, Some(groups)) => Ok(planner.with(grouped.groups(groups))),
        (_, Some(_)) => Err(Error::NoGroups { algorithm: algorithm.to_owned() }.into()),
        (Grouped::NAME, None) => Ok(planner.with(grouped)),
        (_, None) => {
            let planner = match Stages::of_name(algorithm) {
                Some(stages) => planner.with(stages.barriers(args.barriers())),
                None => planner.with(grouped).algorithm(algorithm),
            };
            let Some(block) = block else { return Ok(planner) };
            if algorithm == "auto" {
                check(lengths, block)?;
            }
            planner.block(block)
        }
    }
}

/// Checks that a block has no more points than a series, or no more rows than a side of an array.
fn check(lengths: &[usize], block: NonZeroUsize) -> Result<(), PlanError> {
    match *lengths {
        [n] => check_block(n, Some(block)),
        [rows, ref inner @ ..] => {
            let cols = inner.iter().fold(1_usize, |cols, length| cols.saturating_mul(*length));
            check_row_block([rows, cols], Some(block))
        }
        [] => Ok(()),
    }
}

/// Returns the groups that share a matrix, if any do, with the speed functions that they need.
///
/// The speed functions are from the named files or, if none is named, from the saved files. Requested groups
/// without named files use the `known` files. With `auto` and no further options, a matrix is distributed by
/// saved files, if they cover rows of its lengths and planning does not measure.
fn groups(
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
    // Unusable saved files do not prevent the transform.
    let models = saved(precision, false).unwrap_or_default();
    let tells = |length| models.iter().any(|model| model.sections_or_between(length).is_ok());
    let usable = !models.is_empty() && tells(rows) && tells(cols);
    Ok(usable.then(|| by_speed(models.into())))
}
