//! Results that decide the statements of the EARTH paper, and the meanings of "linear", "poor" and "never
//! idle", in addition to the meanings that all papers' [statements](earth_report::statements) share.
//!
//! The thresholds are the same for all statements and were not adjusted to the results. The receiver that the
//! paper describes is the tree. The receiver that shares points is ours: its cells are shown and do not
//! count.

use std::collections::BTreeMap;

use earth::Config;
use earth_report::numbers::extent;
use earth_report::statements::{FLAT, Judged};

use super::chart::{CONFIGS, upper};
use super::charts::experiments::{N, P};
use super::charts::figures::{COMPARED_N, PAPER_CLOCK};
use super::measured::{Measured, Point, Runs};
use super::program::Program;

/// "Linear", "near-linear": doubling N multiplies a time, or doubling P divides it, by a factor in this
/// range.
pub(super) const DOUBLING: [f64; 2] = [1.7, 2.3];

/// "Poor": a sequential program would need less than this share of the nodes' time.
pub(super) const POOR: f64 = 0.5;

/// "Never idle": units work at least this share of the time.
pub(super) const NEVER_IDLE: f64 = 0.95;

/// "Small numbers of processors", and below them the large one.
pub(super) const FEW: [usize; 2] = [2, 4];
pub(super) const MANY: usize = 64;
pub(super) const FEW_AND_MANY: [usize; 3] = [FEW[0], FEW[1], MANY];

/// Numbers of nodes above one.
pub(super) const SEVERAL: [usize; 6] = [2, 4, 8, 16, 32, 64];

/// Setups of the other costs that statements need, in addition to the given profile.
#[derive(Clone, Debug, Default)]
pub(super) struct ExperimentSetups {
    /// Factors on the latency, each with its setup.
    pub(super) latencies: Vec<(f64, usize)>,
    /// Setup with free asks.
    pub(super) free_asks: Option<usize>,
    /// Speeds of DUAL's synchronization units, each with its setups at the profile's work and at tuned work.
    pub(super) su_speeds: Vec<(f64, [usize; 2])>,
    /// Setups for each cost of work: DUAL with its hand-over, and with a free one.
    pub(super) hand_overs: Vec<[usize; 2]>,
    /// Setups with free switches of fibers, and with free messages.
    pub(super) free_switches: Option<usize>,
    pub(super) free_messages: Option<usize>,
}

/// Runs that decide the statements.
#[derive(Debug)]
pub(super) struct Results {
    pub(super) clock_mhz: f64,
    pub(super) others: ExperimentSetups,
    runs: BTreeMap<Point, Measured>,
}

impl Results {
    pub(super) fn of(runs: &Runs, others: ExperimentSetups, clock_mhz: f64) -> Self {
        Self { clock_mhz, others, runs: runs.clone() }
    }

    #[cfg(test)]
    pub(super) fn invented(
        others: ExperimentSetups,
        runs: impl IntoIterator<Item = (Point, Measured)>,
    ) -> Self {
        Self { clock_mhz: PAPER_CLOCK, others, runs: runs.into_iter().collect() }
    }

    /// Returns a run at the costs of the given profile.
    pub(super) fn get(&self, program: Program, config: Config, n: usize, p: usize) -> Option<&Measured> {
        self.runs.get(&Point::at(program, config, n, p))
    }

    /// Returns the total time of a run, in seconds.
    pub(super) fn time(&self, point: &Point) -> Option<f64> {
        self.runs.get(point).map(Measured::total)
    }

    /// Returns the total time of a run at the costs of the given profile, in seconds.
    pub(super) fn total(&self, program: Program, config: Config, n: usize, p: usize) -> Option<f64> {
        self.time(&Point::at(program, config, n, p))
    }

    /// Returns a time at the paper's clock, in milliseconds.
    pub(super) fn ms(&self, seconds: f64) -> f64 {
        seconds * 1e3 * self.clock_mhz / PAPER_CLOCK
    }

    /// Describes the receiver's results with free asks, if they were run. `figure` makes a figure for each
    /// variant and configuration from its total times for 16K points by the number of nodes.
    pub(super) fn if_asks_are_free(
        &self,
        figure: impl Fn(Config, &dyn Fn(usize) -> Option<f64>) -> Option<String>,
    ) -> Option<String> {
        let setup = self.others.free_asks?;
        let finding = receivers().filter_map(|(program, config, name)| {
            let time = |p| self.time(&Point { setup, ..Point::at(program, config, COMPARED_N, p) });
            Some(format!("{name} {}", figure(config, &time)?))
        });
        let finding: Vec<_> = finding.collect();
        (!finding.is_empty())
            .then(|| format!("if asks cost nothing: {}; see the experiment `free-asks`", finding.join(", ")))
    }

    /// Describes the results of the receiver's variants by the speed of DUAL's synchronization units and the
    /// cost of work, if they were run. `figure` makes a figure for each speed from the runs in SPN and in
    /// DUAL.
    pub(super) fn by_su_speed(&self, figure: impl Fn([&Measured; 2]) -> String) -> Option<String> {
        let finding = |(program, name): (Program, &str), work: usize| {
            let at = |&(_, places): &(f64, [usize; 2])| {
                let run = |config| {
                    self.runs.get(&Point { setup: places[work], ..Point::at(program, config, N, P) })
                };
                Some(figure([run(Config::Spn)?, run(Config::Dual)?]))
            };
            let figures = self.others.su_speeds.iter().map(at).collect::<Option<Vec<_>>>()?;
            let work = ["the profile's work", "tuned work"][work];
            (!figures.is_empty()).then(|| format!("{name}, {work}, {}", figures.join(", ")))
        };
        let variants = [(Program::Tree, "tree"), (Program::Shared, "shared")];
        let all: Vec<_> =
            variants.into_iter().flat_map(|of| [0, 1].map(|work| finding(of, work))).flatten().collect();
        let speeds: Vec<_> = self.others.su_speeds.iter().map(|(speed, _)| speed.to_string()).collect();
        (!all.is_empty()).then(|| {
            format!(
                "with synchronization units of {} times the speed: {}; see `earth-lab map`",
                speeds.join(", "),
                all.join("; ")
            )
        })
    }

    /// Returns this description for the time of DUAL over the time of SPN.
    pub(super) fn dual_by_su_speed(&self) -> Option<String> {
        self.by_su_speed(|[spn, dual]| format!("{:.2}", dual.total() / spn.total()))
    }

    /// Returns the time of DUAL over the time of SPN.
    pub(super) fn dual_over_spn(&self, program: Program, n: usize, p: usize) -> Option<f64> {
        Some(self.total(program, Config::Dual, n, p)? / self.total(program, Config::Spn, n, p)?)
    }

    /// Returns the share of `p` nodes' time that a sequential program would need.
    pub(super) fn efficiency(&self, program: Program, config: Config, n: usize, p: usize) -> Option<f64> {
        self.efficiency_of(self.total(program, config, n, p)?, n, p)
    }

    /// Returns the share of `p` nodes' time that a sequential program would need, for a total time.
    pub(super) fn efficiency_of(&self, total: f64, n: usize, p: usize) -> Option<f64> {
        Some(self.total(Program::Row, Config::Spn, n, 1)? / total / p as f64)
    }

    /// Returns the total times over nodes; `None` if one is missing.
    pub(super) fn over_nodes(
        &self,
        program: Program,
        config: Config,
        n: usize,
        nodes: &[usize],
    ) -> Option<Vec<f64>> {
        all_of(nodes.iter().map(|&p| self.total(program, config, n, p)))
    }
}

/// Variants of the receiver, with their names.
pub(super) const VARIANTS: [(Program, &str); 2] = [(Program::Tree, "tree"), (Program::Shared, "shared")];

/// Returns both variants of the receiver in both configurations, with a name.
pub(super) fn receivers() -> impl Iterator<Item = (Program, Config, String)> {
    VARIANTS.into_iter().flat_map(|(program, name)| {
        CONFIGS.into_iter().map(move |config| (program, config, format!("{name} {}", upper(config))))
    })
}

/// Begins a program of this name: the paper's, or ours if points are shared.
pub(super) fn begin<'a>(judged: &'a mut Judged, program: Program, name: &str) -> &'a mut Judged {
    if program == Program::Shared { judged.our_program(name) } else { judged.program(name) }
}

/// Begins the sender in a configuration.
pub(super) fn begin_sender(judged: &mut Judged, config: Config) -> &mut Judged {
    judged.program(format!("sender {}", upper(config)))
}

/// Counts how often SPN is faster, from ratios of DUAL's time to SPN's. Returns the number of ratios above 1
/// and the number of all ratios, without the ratios that are "flat".
pub(super) fn spn_faster(ratios: &[f64]) -> [usize; 2] {
    let above = ratios.iter().filter(|&&ratio| ratio > 1.0 + FLAT).count();
    let below = ratios.iter().filter(|&&ratio| ratio < 1.0 - FLAT).count();
    [above, above + below]
}

/// Returns all values; `None` if one is missing.
pub(super) fn all_of(values: impl IntoIterator<Item = Option<f64>>) -> Option<Vec<f64>> {
    values.into_iter().collect()
}

/// Returns each value over the previous one.
pub(super) fn steps(values: &[f64]) -> Vec<f64> {
    values.windows(2).map(|pair| pair[1] / pair[0]).collect()
}

pub(super) fn within(values: &[f64], [low, high]: [f64; 2]) -> bool {
    values.iter().all(|value| (low..=high).contains(value))
}

pub(super) fn span(values: &[f64]) -> String {
    let [low, high] = extent(values.iter().copied()).map(|value| format!("{value:.2}"));
    if low == high { low } else { format!("{low} to {high}") }
}
