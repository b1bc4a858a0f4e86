//! What a statement of the EARTH paper is judged by: times and counts, whoever made them, and what "linear", "poor"
//! and "never idle" mean, beside what all [statements](crate::statements) are judged by.
//!
//! The thresholds are the same for all statements and were not adjusted to what came out. A statement is a number
//! of checks, one for each program, configuration or size that it speaks of.

use std::collections::BTreeMap;

use super::chart::{CONFIGS, upper};
use super::measured::{Measured, Point, Runs};
use super::program::Program;
use crate::numbers::extent;
use earth::Config;

/// "Linear", "near-linear": what doubling does to a time, or a time to halving, is within this.
pub(super) const DOUBLING: [f64; 2] = [1.7, 2.3];

/// "Poor": less than this share of the nodes' time is what a sequential program needs.
pub(super) const POOR: f64 = 0.5;

/// "Never idle": units work at least this share of the time.
pub(super) const NEVER_IDLE: f64 = 0.95;

/// A "small number of processors", and the large one.
pub(super) const FEW: [usize; 2] = [2, 4];
pub(super) const MANY: usize = 64;

/// The clock that the paper assumes, in megahertz.
pub(super) const PAPER_CLOCK: f64 = 140.0;

/// What is judged: runs at the costs that were asked for.
#[derive(Debug)]
pub(super) struct Results {
    pub(super) clock_mhz: f64,
    runs: BTreeMap<(Program, Config, usize, usize), Measured>,
}

impl Results {
    /// Those of the profile that was asked for.
    pub(super) fn of(runs: &Runs, clock_mhz: f64) -> Self {
        let own = runs.iter().filter(|(point, _)| point.setup == 0);
        let key = |&Point { program, config, n, p, .. }: &Point| (program, config, n, p);
        Self { clock_mhz, runs: own.map(|(point, run)| (key(point), *run)).collect() }
    }

    #[cfg(test)]
    pub(super) fn invented(
        runs: impl IntoIterator<Item = ((Program, Config, usize, usize), Measured)>,
    ) -> Self {
        Self { clock_mhz: PAPER_CLOCK, runs: runs.into_iter().collect() }
    }

    pub(super) fn get(&self, program: Program, config: Config, n: usize, p: usize) -> Option<&Measured> {
        self.runs.get(&(program, config, n, p))
    }

    /// The paper's total time.
    pub(super) fn total(&self, program: Program, config: Config, n: usize, p: usize) -> Option<f64> {
        self.get(program, config, n, p).map(Measured::total)
    }

    /// The share of `p` nodes' time that a sequential program would need.
    pub(super) fn efficiency(&self, program: Program, config: Config, n: usize, p: usize) -> Option<f64> {
        let base = self.total(Program::Row, Config::Spn, n, 1)?;
        Some(base / self.total(program, config, n, p)? / p as f64)
    }

    /// Total times over nodes, as far as there are all.
    pub(super) fn over_nodes(
        &self,
        program: Program,
        config: Config,
        n: usize,
        nodes: &[usize],
    ) -> Option<Vec<f64>> {
        nodes.iter().map(|&p| self.total(program, config, n, p)).collect()
    }
}

/// Both variants of the receiver in both configurations, with a name.
pub(super) fn receivers() -> impl Iterator<Item = (Program, Config, String)> {
    let both = [(Program::Tree, "tree"), (Program::Shared, "shared")];
    both.into_iter().flat_map(|(program, name)| {
        CONFIGS.into_iter().map(move |config| (program, config, format!("{name} {}", upper(config))))
    })
}

/// Each value over the one before it.
pub(super) fn steps(values: &[f64]) -> Vec<f64> {
    values.windows(2).map(|pair| pair[1] / pair[0]).collect()
}

/// Whether all lie within both bounds.
pub(super) fn within(values: &[f64], [low, high]: [f64; 2]) -> bool {
    values.iter().all(|value| (low..=high).contains(value))
}

/// From the least to the greatest, for people.
pub(super) fn span(values: &[f64]) -> String {
    let [low, high] = extent(values.iter().copied()).map(|value| format!("{value:.2}"));
    if low == high { low } else { format!("{low} to {high}") }
}
