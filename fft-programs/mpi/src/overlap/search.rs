//! The search for the parameters of a variant, in which all ranks take part.
//!
//! A point runs the tiles alone, since no parameter changes the time of the transforms along z and of the
//! transposition. Its cost is the median of a few calls, each the time of the slowest rank. So it is the same
//! number on all ranks, and all ranks propose the same next point.

use std::time::Instant;

use earth::Machine;
use earth_console::Failure;
use earth_console::progress::Progress;
use earth_fft::kernel::RowOptions;
use earth_fft::{Complex, Direction, Problem};
use earth_lab::overlap::measured::Search;
use earth_lab::tune::overlap::OverlapCase;
use earth_lab::tune::{Ended, Objective, Search as By, Techniques, Tuning};
use earth_papers::overlap::{OverlapPlan, OverlapSettings};
use earth_report::spread::Spread;

use crate::args::Overlap;
use crate::bench::memory;
use crate::ranks::{Ranks, Refused};

/// Calls of a point whose median is its cost, an odd number. One more call before them warms up.
const CALLS: usize = 3;

/// Time of the tiles of a case on the ranks of the job.
struct Tiles<'a> {
    ranks: &'a Ranks,
    machine: &'a mut Machine,
    lengths: [usize; 3],
    settings: OverlapSettings,
    case: OverlapCase,
    points: Vec<Complex<f64>>,
}

impl Objective for Tiles<'_> {
    type Error = Refused;

    fn feasible(&self, point: &[usize]) -> Vec<usize> {
        self.case.point(&self.case.parameters(point))
    }

    fn cost(&mut self, point: &[usize]) -> Result<f64, Refused> {
        let Self { ranks, machine, lengths, settings, case, points } = self;
        let settings = OverlapSettings { parameters: Some(case.parameters(point)), ..*settings };
        let (problem, options) = (Problem::complex(&*lengths), RowOptions::from(Direction::Forward));
        let plan = OverlapPlan::<f64>::of_tiles(&problem, ranks.count(), &settings, Some(&options));
        let plan = ranks.agree(plan.map_err(Failure::from))?;
        let own = plan.local_len(ranks.rank());
        if points.is_empty() {
            *points = ranks.agree(memory(own))?;
        }
        let mut called = || {
            let run = || plan.process_slab(machine, &mut points[..own]).map(drop).map_err(Failure::from);
            ranks.timed(run)
        };
        called()?;
        let times = (0..CALLS).map(|_| called()).collect::<Result<_, _>>()?;
        Ok(Spread::of(times).median)
    }
}

/// Searches for the best parameters. All ranks make this call, and all have the same result.
pub(super) fn search(
    ranks: &Ranks,
    args: &Overlap,
    lengths: [usize; 3],
    settings: OverlapSettings,
    machine: &mut Machine,
) -> Result<Search, Refused> {
    let case = OverlapCase::new(lengths, ranks.count(), settings);
    let (space, start) = (case.space(false), case.point(&case.usual()));
    let mut tuning = Tuning::new(&space, &start, By::NelderMead).limit(args.trials);
    if let Some(seed) = args.seed {
        tuning = tuning.seed(seed).techniques(Techniques { start: false, ..Techniques::default() });
    }
    let shown = ranks.is_first().then(|| Progress::endless("tuning"));
    let begin = Instant::now();
    let mut tiles = Tiles { ranks, machine, lengths, settings, case, points: Vec::new() };
    let tuned = tuning.run(&mut tiles, &());
    let time = ranks.greatest(begin.elapsed().as_secs_f64());
    drop(shown);
    // A search that begins at random may find no point that is feasible.
    let parameters = tuned.best().map_or_else(|| case.usual(), |trial| case.parameters(&trial.point));
    match tuned.ended {
        Ended::Failed(refused) => Err(refused),
        Ended::Converged | Ended::Limit => {
            Ok(Search { variant: settings.variant, parameters, runs: tuned.trials.len(), time })
        }
    }
}
