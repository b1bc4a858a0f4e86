//! Tuning: a search for the integers at which an expensive function is least.
//!
//! 1. A [`Space`] has the parameters, and the values of each that are tried: all integers, or powers of two
//!    and the ends.
//! 2. An [`Objective`] says which points are feasible, and runs one.
//!    [`overlap`] has an objective: the time of the overlapping transform of three dimensions.
//! 3. A [`Tuning`] searches: it proposes points, and runs each feasible point once.
//!
//! | search | proposes | ends |
//! |---|---|---|
//! | `nelder-mead` | the corners of a simplex that moves and shrinks | when the simplex is one point |
//! | `random` | points of the grid, all with the same probability | at the limit |
//! | `tpe` | points drawn from densities of the best points so far | at the limit |
//!
//! Song and Hollingsworth (`PPoPP` 2014) search by Nelder and Mead with all [`Techniques`]. They do not print
//! how the simplex begins. [Here](Techniques::start) each corner has one parameter moved by a quarter of its grid. `tpe` is here as a search of today: the usual method of Hyperopt and Optuna takes
//! integers and points that are not feasible, and a proposal costs microseconds.
//!
//! ```
//! use earth_lab::tune::{Axis, Ended, Objective, Search, Space, Tuning};
//!
//! struct Bowl;
//!
//! impl Objective for Bowl {
//!     type Error = std::convert::Infallible;
//!
//!     fn feasible(&self, point: &[usize]) -> Vec<usize> {
//!         vec![point[0], point[1].min(point[0])]
//!     }
//!
//!     fn cost(&mut self, point: &[usize]) -> Result<f64, Self::Error> {
//!         Ok((point[0] as f64 - 16.0).powi(2) + (point[1] as f64 - 3.0).powi(2))
//!     }
//! }
//!
//! let space = Space::new([Axis::powers("a", [1, 64]), Axis::every("b", [1, 9])]);
//! let tuned = Tuning::new(&space, &[2, 2], Search::NelderMead).run(&mut Bowl, &());
//! assert_eq!(tuned.best().map(|trial| &*trial.point), Some(&[16, 3][..]));
//! assert_eq!(tuned.ended, Ended::Converged);
//! ```

mod nelder_mead;
pub mod overlap;
mod sampled;
mod space;
mod trials;
#[cfg(test)]
mod tune_tests;

use earth_console::work::Progress;
use rand::SeedableRng as _;
use rand::rngs::Xoshiro256PlusPlus;
use serde::Serialize;

pub use space::{Axis, Space};
use trials::Trials;
pub use trials::{Ended, Objective, Trial, Tuned};

/// How points are proposed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// By a simplex, after Nelder and Mead.
    #[default]
    NelderMead,
    /// At random.
    Random,
    /// By tree-structured Parzen estimators.
    Tpe,
}

impl Search {
    /// All searches.
    pub const ALL: [Self; 3] = [Self::NelderMead, Self::Random, Self::Tpe];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::NelderMead => "nelder-mead",
            Self::Random => "random",
            Self::Tpe => "tpe",
        }
    }
}

/// Techniques of the paper that save runs, section 4.4. Each may be switched off. Two more are made outside:
/// a [grid](Axis::powers) instead of [all integers](Axis::every), and an objective that runs only what depends
/// on the parameters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Techniques {
    /// A point that is not feasible costs infinity, without a run. Otherwise the feasible point near it runs.
    pub penalty: bool,
    /// A point that has run does not run again.
    pub history: bool,
    /// The simplex begins around the given point. Otherwise its corners are drawn at random.
    pub start: bool,
}

impl Default for Techniques {
    fn default() -> Self {
        Self { penalty: true, history: true, start: true }
    }
}

impl Techniques {
    /// Returns all techniques of a search but these.
    pub fn without(without: &[Technique]) -> Self {
        let has = |technique| !without.contains(&technique);
        Self {
            penalty: has(Technique::Penalty),
            history: has(Technique::History),
            start: has(Technique::Start),
        }
    }
}

/// Technique that saves runs, with those that are made outside of a search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Technique {
    /// A point that is not feasible costs infinity, without a run.
    Penalty,
    /// A point does not run twice.
    History,
    /// Phases that no parameter changes do not run.
    Skip,
    /// Powers of two and the ends instead of all integers.
    Grid,
    /// The simplex begins around the given point, not at random.
    Start,
}

impl Technique {
    /// All techniques.
    pub const ALL: [Self; 5] = [Self::Penalty, Self::History, Self::Skip, Self::Grid, Self::Start];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Penalty => "penalty",
            Self::History => "history",
            Self::Skip => "skip",
            Self::Grid => "grid",
            Self::Start => "start",
        }
    }
}

/// A search for the point of least cost.
#[derive(Clone, Debug)]
pub struct Tuning<'a> {
    space: &'a Space,
    start: &'a [usize],
    search: Search,
    techniques: Techniques,
    seed: u64,
    limit: usize,
}

impl<'a> Tuning<'a> {
    /// Makes a search of 1,000 runs at most, which begins with `start`.
    ///
    /// # Panics
    ///
    /// If the number of values in `start` is not the number of parameters.
    pub fn new(space: &'a Space, start: &'a [usize], search: Search) -> Self {
        assert_eq!(start.len(), space.axes().len(), "the start has a value for each parameter");
        Self { space, start, search, techniques: Techniques::default(), seed: 0, limit: 1000 }
    }

    /// Sets the techniques.
    #[must_use]
    pub fn techniques(self, techniques: Techniques) -> Self {
        Self { techniques, ..self }
    }

    /// Sets the seed of the searches that draw points. Equal seeds propose equal points.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Sets the greatest number of runs.
    #[must_use]
    pub fn limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// Searches until the search ends, a run fails, or the limit or the listener's time is reached.
    pub fn run<O: Objective>(&self, objective: &mut O, progress: &impl Progress) -> Tuned<O::Error> {
        let mut trials = Trials::new(objective, self.techniques, self.limit, progress);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let ended = match self.search {
            Search::NelderMead => {
                let simplex = if self.techniques.start {
                    nelder_mead::around(self.space, self.start)
                } else {
                    (0..=self.space.axes().len()).map(|_| sampled::places(self.space, &mut rng)).collect()
                };
                nelder_mead::search(self.space, simplex, &mut trials)
            }
            Search::Random => sampled::random(self.space, rng, &mut trials),
            Search::Tpe => sampled::by_densities(self.space, self.start, rng, &mut trials),
        };
        trials.end(ended)
    }
}
