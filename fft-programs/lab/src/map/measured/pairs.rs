//! Pairs of runs of the family, SPN and DUAL in turn: on threads, and on ranks that are threads of this
//! process.
//!
//! As in [`compare`](crate::compare), each timed run has a machine of its own and follows a shorter run on
//! it.

use earth::{CancelToken, Config, Machine};
use earth_programs::ProgramError;
use earth_programs::chains::Chains;
use earth_report::spread::Spread;
use serde::{Deserialize, Serialize};

use crate::compare::Equal;
use crate::map::crossing::Place;
use crate::map::grid::Shape;
use crate::ranks::on_ranks;
use crate::run_cache::SimulateError;

/// Machines of the pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Kind {
    Threads,
    Ranks,
}

/// Ratio of DUAL's time to SPN's, by pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pair {
    /// Nanoseconds of a step.
    pub(crate) spn: Spread,
    pub(crate) dual: Spread,
    pub(crate) ratio: Spread,
    /// Pairs in which DUAL was faster, and all pairs.
    pub(crate) faster: usize,
    pub(crate) pairs: usize,
}

/// About the nanoseconds of a fiber beside its work.
const OVERHEAD: f64 = 300.0;

/// Least and greatest number of steps of a run.
const STEPS: [f64; 2] = [8.0, 16_384.0];

impl Pair {
    /// Makes the ratio of two lists of times, pair by pair.
    pub(crate) fn of(spn: &[f64], dual: &[f64]) -> Self {
        let faster = spn.iter().zip(dual).filter(|(spn, dual)| dual < spn).count();
        let [spn_times, dual_times] = [spn, dual].map(|times| Spread::of(times.to_vec()));
        let ratio = Spread::of_ratios(dual, spn);
        Self { spn: spn_times, dual: dual_times, ratio, faster, pairs: spn.len() }
    }

    /// Whether more than one in ten pairs disagrees with the others about the faster configuration.
    pub(crate) fn is_null(&self) -> bool {
        self.faster.min(self.pairs - self.faster) > self.pairs / 10
    }

    pub(crate) fn place(&self, grain: u32) -> Place {
        Place { grain: f64::from(grain), ratio: self.ratio.median, is_null: self.is_null() }
    }
}

/// Circumstances of measurements.
pub(crate) struct Bench<'a> {
    /// Nanoseconds of a round of work.
    pub(crate) round: f64,
    /// Time of a run, in nanoseconds.
    pub(crate) run: f64,
    pub(crate) pairs: usize,
    pub(crate) cancel: &'a CancelToken,
}

impl Bench<'_> {
    /// Returns the program whose run takes about the time of a run.
    pub(crate) fn program(&self, shape: Shape, grain: u32) -> Chains {
        let step = f64::from(shape.chains) * (f64::from(grain) + OVERHEAD);
        let steps = (self.run / step).clamp(STEPS[0], STEPS[1]);
        let rounds = (f64::from(grain) / self.round).round().max(1.0);
        Chains { rounds: rounds as u64, ..shape.program(steps as u32) }
    }

    /// Measures a case at a grain.
    pub(crate) fn pair(
        &self,
        kind: Kind,
        shape: Shape,
        equal: Equal,
        grain: u32,
    ) -> Result<Pair, SimulateError> {
        let of = self.program(shape, grain);
        let expected = of.expected();
        let [mut spn, mut dual] = [Vec::new(), Vec::new()];
        for _ in 0..self.pairs {
            for (config, times) in [(Config::Spn, &mut spn), (Config::Dual, &mut dual)] {
                let nodes = shape.nodes(equal, config) as usize;
                times.push(match kind {
                    Kind::Threads => self.timed(of, expected, Machine::threads(nodes).config(config))?,
                    Kind::Ranks => self.timed_on_ranks(of, expected, nodes, config)?,
                });
            }
        }
        Ok(Pair::of(&spn, &dual))
    }

    /// Returns the nanoseconds of a step of the second run.
    pub(crate) fn timed(&self, of: Chains, expected: u64, machine: Machine) -> Result<f64, SimulateError> {
        let mut machine = machine.cancel_token(self.cancel.clone());
        Chains { steps: of.steps / 4 + 1, ..of }.run(&mut machine)?;
        let run = of.run(&mut machine)?;
        if run.value.sum != expected {
            return Err(SimulateError::Program(ProgramError::Wrong(format!("the sum of {of:?}"))));
        }
        Ok(run.value.longest.as_secs_f64() * 1e9 / f64::from(of.steps))
    }

    /// As [`timed`](Self::timed), on ranks that are threads of this process.
    fn timed_on_ranks(
        &self,
        of: Chains,
        expected: u64,
        ranks: usize,
        config: Config,
    ) -> Result<f64, SimulateError> {
        on_ranks(ranks, |machine| machine.config(config), |machine| self.timed(of, expected, machine))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::grid::SMALL;

    fn bench(cancel: &CancelToken) -> Bench<'_> {
        Bench { round: 2.0, run: 1e4, pairs: 1, cancel }
    }

    #[test]
    fn a_ratio_is_null_if_pairs_disagree() {
        let pair = |dual: [f64; 11]| Pair::of(&[1.0; 11], &dual);
        let [mut all, mut one, mut two] = [[2.0; 11]; 3];
        (one[3], two[3], two[7]) = (0.5, 0.5, 0.9);
        assert_eq!([all, one, two].map(|dual| pair(dual).is_null()), [false, false, true]);
        all[0] = 2.0;
        let place = pair(all).place(46);
        assert!((place.ratio - 2.0).abs() < 1e-12 && (place.grain - 46.0).abs() < 1e-12);
        assert!(!Pair::of(&[1.0; 3], &[2.0; 3]).is_null() && Pair::of(&[1.0; 3], &[2.0, 0.5, 2.0]).is_null());
    }

    #[test]
    fn runs_on_threads_and_ranks_have_the_expected_sum() {
        let cancel = CancelToken::new();
        for kind in [Kind::Threads, Kind::Ranks] {
            for bytes in [0, 64] {
                let shape = Shape { nodes: 1, bytes, ..SMALL.usual };
                let pair = bench(&cancel).pair(kind, shape, Equal::Cores, 10).unwrap();
                assert!(pair.pairs == 1 && pair.ratio.median > 0.0, "{kind:?}: {pair:?}");
            }
        }
    }

    #[test]
    fn a_wrong_sum_and_a_cancelled_run_are_errors() {
        let cancel = CancelToken::new();
        let of = bench(&cancel).program(SMALL.usual, 10);
        let run = || bench(&cancel).timed(of, of.expected() ^ 1, Machine::threads(1));
        assert!(run().unwrap_err().to_string().contains("the result is wrong"));
        cancel.cancel();
        assert!(run().is_err());
    }

    #[test]
    fn a_run_takes_about_its_time() {
        let cancel = CancelToken::new();
        let of = bench(&cancel).program(SMALL.usual, 200);
        assert_eq!((of.rounds, of.steps), (100, 8));
        let long = Bench { run: 2e6, ..bench(&cancel) };
        assert_eq!(long.program(SMALL.usual, 200).steps, 1000);
    }
}
