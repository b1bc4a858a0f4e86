//! From the options of `transform` to the solvers of a planner.

use std::num::NonZeroUsize;

use earth_fft::groups::Speeds;
use earth_fft::solvers::{self, Grouped, Stages, in_blocks};
use earth_fft::{Groups, PlanError, Planner};

use crate::args::Transform;

/// A planner that was asked for the algorithm of the command line, with its settings. `known` are speed functions by which
/// a planner that measures distributes rows.
///
/// # Errors
///
/// Settings that the algorithm has not, or a block of more points than there are.
pub(super) fn asked(
    args: &Transform,
    lengths: &[usize],
    groups: Option<Groups>,
    known: Speeds,
) -> Result<Planner, PlanError> {
    let (algorithm, block, planner) = (args.algorithm, args.block, Planner::new());
    let grouped = Grouped::new().block(block).known_speeds(known);
    match (algorithm, groups) {
        ("auto" | Grouped::NAME, Some(groups)) => Ok(planner.with(grouped.groups(groups))),
        (_, Some(_)) => Err(PlanError::NoGroups { algorithm }),
        (Grouped::NAME, None) => Ok(planner.with(grouped)),
        ("auto", None) => {
            let planner = planner.with(grouped);
            let Some(block) = block else { return Ok(planner.algorithm("auto")) };
            check(lengths, block)?;
            let cut = solvers::all().iter().filter(|solver| solver.name() != Grouped::NAME);
            let cut = cut.filter_map(|solver| solver.in_blocks(block));
            Ok(cut.fold(planner, Planner::with_shared).algorithm("auto"))
        }
        (_, None) if args.barriers() => {
            let stages = match algorithm {
                "radix-2" => Stages::radix_2(),
                "radix-2-local" => Stages::radix_2_local(),
                "radix-4" => Stages::radix_4(),
                _ => Stages::radix_8(),
            };
            Ok(planner.with(stages.block(block).barriers(true)))
        }
        (_, None) => Ok(planner.with_shared(in_blocks(algorithm, block)?)),
    }
}

/// Checks that a block has no more points than a series, or no more rows than a side of an array.
fn check(lengths: &[usize], block: NonZeroUsize) -> Result<(), PlanError> {
    let block = block.get();
    match *lengths {
        [n] if block > n => Err(PlanError::BlockTooLarge { n, block }),
        [rows, ref inner @ ..] if !inner.is_empty() => {
            let cols = inner.iter().fold(1_usize, |cols, length| cols.saturating_mul(*length));
            if block > rows.max(cols) {
                Err(PlanError::RowBlockTooLarge { rows, cols, block })
            } else {
                Ok(())
            }
        }
        _ => Ok(()),
    }
}
