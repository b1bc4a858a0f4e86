//! From the options of `transform` to the solvers of a planner.

use std::num::NonZeroUsize;

use earth_fft::solver::{check_block, check_row_block};
use earth_fft::{PlanError, Planner};
use earth_papers::groups::Speeds;
use earth_papers::{Error, Grouped, Groups, Stages};

use crate::args::Transform;

/// A planner that was asked for the algorithm of the command line, with its settings. `known` are speed functions by which
/// a planner that measures distributes rows.
///
/// # Errors
///
/// Settings that the algorithm has not, or a block of more points than there are.
pub(super) fn asked(
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
