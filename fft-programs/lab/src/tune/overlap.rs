//! Tuning of the overlapping transform of three dimensions, `overlap3d`.
//!
//! A run has the tiles alone: the transforms along z and the transposition take the same time with all
//! parameters. Its cost is the time of the slowest rank in seconds.
//!
//! *Grid.* Powers of two and the ends of each range, and every window up to [`MOST_WINDOWS`]. The greatest
//! number of polls depends on the tile, so the grid of polls has the greatest number for each tile of the
//! grid, too.

use earth::simulated::Profile;
use earth::{CancelToken, Config, Machine};
use earth_fft::kernel::RowOptions;
use earth_fft::{Complex, Direction, Problem, TransformError};
use earth_papers::overlap::{NAMES, OverlapPlan, OverlapSettings, Parameters, Size, Times, Variant};
use earth_report::spread::Spread;
use serde::Serialize;

use super::space::{Axis, Space};
use super::trials::Objective;
use crate::run_cache::{Clock, RunFile, RunFileError, SimulateError};

/// Greatest window on the grid. The paper says that few values are possible, and its best are 2 to 4.
pub const MOST_WINDOWS: usize = 8;

/// Calls of a point on threads, whose median is its cost.
const CALLS: usize = 5;

/// Places in [`NAMES`] that a tuned parameter sets.
type Tuned = &'static [usize];

/// A program whose parameters are tuned: an array, a number of ranks, and settings. The parameters of the
/// settings hold where they are not tuned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct OverlapCase {
    lengths: [usize; 3],
    ranks: usize,
    settings: OverlapSettings,
}

impl OverlapCase {
    /// Makes a case.
    pub fn new(lengths: [usize; 3], ranks: usize, settings: OverlapSettings) -> Self {
        Self { lengths, ranks, settings }
    }

    fn size(&self) -> Size {
        Size { lengths: self.lengths, ranks: self.ranks }
    }

    /// Returns the parameters that a variant tunes. TH has one number of polls.
    fn tuned(&self) -> &'static [Tuned] {
        match self.settings.variant {
            Variant::New => &[&[0], &[1], &[2], &[3], &[4], &[5], &[6], &[7], &[8], &[9]],
            Variant::New0 => &[&[0], &[2], &[3], &[4], &[5]],
            Variant::Th => &[&[0], &[1], &[6, 7]],
            Variant::Th0 => &[&[0]],
            Variant::Dataflow => &[&[0], &[2], &[3], &[4], &[5], &[6], &[7], &[8], &[9]],
        }
    }

    /// Returns the parameters where the search begins: the given ones, or the paper's.
    pub fn usual(&self) -> Parameters {
        self.settings.parameters.unwrap_or_else(|| Parameters::usual(&self.size()))
    }

    /// Returns the space of the tuned parameters: on the grid, or with all integers.
    pub fn space(&self, every: bool) -> Space {
        let size = self.size();
        let [_, _, planes] = self.lengths;
        let rows = [size.largest(0).max(1), size.largest(1).max(1)];
        let tiles: Vec<_> = Axis::powers("T", [1, planes]).values().collect();
        Space::new(self.tuned().iter().map(|places| {
            let at = places[0];
            let name = if places.len() == 1 { NAMES[at] } else { "F" };
            // Rows of the parts that the parameter is about: of x before the exchange, of y after it.
            let rows = rows[usize::from(matches!(at, 4 | 5 | 8 | 9))];
            let range = match at {
                1 => [1, planes.min(MOST_WINDOWS)],
                2 | 4 => [1, rows],
                0 | 3 | 5 => [1, planes],
                _ => [0, planes * rows],
            };
            let ends = tiles.iter().map(|tile| tile * rows);
            match at {
                _ if every || at == 1 => Axis::every(name, range),
                0..=5 => Axis::powers(name, range),
                _ => Axis::of(name, Axis::powers(name, range).values().chain(ends)),
            }
        }))
    }

    /// Returns the values of the tuned parameters.
    pub fn point(&self, parameters: &Parameters) -> Vec<usize> {
        let values = parameters.values();
        self.tuned().iter().map(|places| values[places[0]]).collect()
    }

    /// Returns the parameters of a point, each within its range.
    pub fn parameters(&self, point: &[usize]) -> Parameters {
        let mut values = self.usual().values();
        for (places, &value) in self.tuned().iter().zip(point) {
            for &at in *places {
                values[at] = value;
            }
        }
        Parameters::of(values).within(&self.size())
    }
}

/// Error of a run.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// The plan cannot be made, or its run failed.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// The runs cannot be kept.
    #[error(transparent)]
    Runs(#[from] RunFileError),
}

impl From<TuneError> for SimulateError {
    fn from(error: TuneError) -> Self {
        match error {
            TuneError::Transform(error) => error.into(),
            TuneError::Runs(error) => error.into(),
        }
    }
}

/// Machine that runs the points.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Site {
    /// This computer's threads, with points.
    Threads(Config),
    /// A simulated machine, without points.
    Simulated(Box<Profile>, Config),
}

/// The time of the tiles of a case on a machine.
pub struct OverlapTiles<'a> {
    case: OverlapCase,
    site: Site,
    /// Whether a run has the fixed phases, too.
    whole: bool,
    machine: Machine,
    points: Vec<Complex<f64>>,
    kept: &'a RunFile,
}

/// Run of a file of runs.
#[derive(Serialize)]
struct Run<'a> {
    case: OverlapCase,
    site: &'a Site,
    whole: bool,
    parameters: Parameters,
}

impl<'a> OverlapTiles<'a> {
    /// Makes the function of a case. `whole` adds the phases that no parameter changes. Runs that `kept` has
    /// are not done again.
    pub fn new(case: OverlapCase, site: Site, whole: bool, cancel: &CancelToken, kept: &'a RunFile) -> Self {
        let machine = match &site {
            Site::Threads(config) => Machine::threads(case.ranks).config(*config),
            Site::Simulated(profile, config) => Machine::simulated(profile).nodes(case.ranks).config(*config),
        };
        let machine = machine.cancel_token(cancel.clone());
        Self { case, site, whole, machine, points: Vec::new(), kept }
    }

    /// Returns the time of the slowest rank with these parameters in seconds.
    ///
    /// # Errors
    ///
    /// A plan that cannot be made, an error of the machine, and an error of the file of runs.
    pub fn seconds(&mut self, parameters: Parameters) -> Result<f64, TuneError> {
        let Self { case, site, whole, machine, points, kept } = self;
        let run = Run { case: *case, site, whole: *whole, parameters };
        if let Some(seconds) = kept.result(&run) {
            return Ok(seconds);
        }
        let clock = Clock::start();
        let problem = Problem::complex(&case.lengths);
        let settings = OverlapSettings { parameters: Some(parameters), ..case.settings };
        let options = RowOptions::from(Direction::Forward);
        let options = matches!(site, Site::Threads(_)).then_some(&options);
        let plan = if *whole { OverlapPlan::<f64>::new } else { OverlapPlan::of_tiles };
        let plan = plan(&problem, case.ranks, &settings, options).map_err(TransformError::from)?;
        let seconds = match site {
            Site::Simulated(..) => slowest(&plan.run_phantom_on(machine)?.value),
            Site::Threads(_) => {
                let len = (0..case.ranks).map(|rank| plan.local_len(rank)).sum();
                points.resize(len, Complex::default());
                let mut called = || Ok(slowest(&plan.process_slab(machine, points)?.value));
                let times: Result<Vec<_>, TransformError> = (0..CALLS).map(|_| called()).collect();
                Spread::of(times?).median
            }
        };
        kept.add(&run, &seconds, clock.seconds())?;
        Ok(seconds)
    }
}

/// Returns the time of the slowest rank in seconds.
fn slowest(times: &[Times]) -> f64 {
    times.iter().map(|times| times.total).max().unwrap_or(0) as f64 * 1e-9
}

impl Objective for OverlapTiles<'_> {
    type Error = TuneError;

    fn feasible(&self, point: &[usize]) -> Vec<usize> {
        self.case.point(&self.case.parameters(point))
    }

    fn cost(&mut self, point: &[usize]) -> Result<f64, TuneError> {
        self.seconds(self.case.parameters(point))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::{Ended, Search, Tuning};

    fn case(variant: Variant, lengths: [usize; 3], ranks: usize) -> OverlapCase {
        OverlapCase::new(lengths, ranks, OverlapSettings { variant, ..OverlapSettings::default() })
    }

    /// Table 3 of the paper, 256 ranks and 1280^3 points: the polls along y are at the end of their range.
    #[test]
    fn the_grid_has_the_papers_points() {
        let case = case(Variant::New, [1280; 3], 256);
        let point = [256, 4, 5, 4, 2, 8, 1280, 64, 64, 1024];
        let space = case.space(false);
        for (axis, value) in space.axes().iter().zip(point) {
            assert!(axis.values().any(|listed| listed == value), "{} is {value}", axis.name());
        }
        assert_eq!(case.parameters(&point), Parameters::of(point));
    }

    #[test]
    fn a_variant_has_its_parameters() {
        let names = |variant| {
            let space = case(variant, [16; 3], 4).space(false);
            space.axes().iter().map(|axis| axis.name().to_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(Variant::New), NAMES.join(" "));
        assert_eq!(names(Variant::Th), "T W F");
        assert_eq!(names(Variant::Th0), "T");
        let th = case(Variant::Th, [16; 3], 4);
        assert_eq!(th.parameters(&[8, 2, 16]).polls.pack, 16);
    }

    #[test]
    fn points_out_of_range_are_not_feasible() {
        let (case, kept) = (case(Variant::New, [16, 16, 24], 4), RunFile::default());
        let tiles = OverlapTiles::new(case, Site::Threads(Config::Spn), false, &CancelToken::new(), &kept);
        let usual = case.point(&case.usual());
        assert_eq!(tiles.feasible(&usual), usual);
        // Tiles of 24 planes: there is one, so the window is 1.
        assert_eq!(tiles.feasible(&[24, 2, 1, 1, 1, 1, 0, 0, 0, 0])[1], 1);
        assert_eq!(tiles.feasible(&[4, 1, 4, 8, 4, 1, 99, 0, 0, 0]), [4, 1, 4, 4, 4, 1, 16, 0, 0, 0]);
    }

    /// On a network of handshakes, polls let blocks move during work.
    #[test]
    fn tuning_on_a_simulated_machine_is_repeatable_and_finds_polls() {
        let mut profile = Profile::named("manna50").unwrap();
        profile.network.eager = Some(0);
        let (case, kept) = (case(Variant::New, [16; 3], 4), RunFile::default());
        let site = Site::Simulated(Box::new(profile), Config::Spn);
        let tuned = |search| {
            let mut tiles = OverlapTiles::new(case, site.clone(), false, &CancelToken::new(), &kept);
            let (space, start) = (case.space(false), case.point(&case.usual()));
            Tuning::new(&space, &start, search).limit(40).run(&mut tiles, &())
        };
        let (one, again) = (tuned(Search::NelderMead), tuned(Search::NelderMead));
        let points = |tuned: &crate::tune::Tuned<TuneError>| {
            tuned.trials.iter().map(|trial| (trial.point.clone(), trial.cost)).collect::<Vec<_>>()
        };
        assert!(!matches!(one.ended, Ended::Failed(_)), "{:?}", one.ended);
        assert_eq!(points(&one), points(&again));
        let best = one.best().unwrap();
        assert!(best.cost < one.trials[0].cost, "{best:?}");
    }

    #[test]
    fn a_plan_of_tiles_alone_takes_less_simulated_time_than_the_whole() {
        let profile = Profile::named("manna50").unwrap();
        let (case, kept) = (case(Variant::New, [16; 3], 2), RunFile::default());
        let site = Site::Simulated(Box::new(profile), Config::Spn);
        let seconds = |whole| {
            let tiles = OverlapTiles::new(case, site.clone(), whole, &CancelToken::new(), &kept);
            { tiles }.seconds(case.usual()).unwrap()
        };
        assert!(seconds(false) < 0.8 * seconds(true));
    }
}
