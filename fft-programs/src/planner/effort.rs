//! The choice by measuring: [candidates](super::candidates) run in a [contest](super::contest), and the
//! fastest is kept.
//!
//! *Pruning.* A planner [with rates](Planner::rates) does not run a candidate whose predicted time is over
//! [`PRUNE_RATIO`] times the best prediction so far.
//!
//! *Cost.* One plan and two calls for each candidate, then ten to twenty calls for each of the fastest, and
//! the memory of an input and an output. Measuring does not pay on a computer that does other work meanwhile,
//! or if the plan has too few calls to save the time of measuring.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use earth::CancelToken;
use earth_fftw::Effort;
use earth_kernels::{Direction, Real};
use earth_memory::try_filled;
use num_complex::Complex;

use super::candidates::{Recorded, candidates};
use super::contest::{Entrant, Rules, SystemClock, contest};
use super::measured::{Measured, PRUNE_RATIO, Timed};
use super::{PlanError, Planner, Why};
use crate::advisor::Forecast;
use crate::memory;
use crate::plan::Plan;
use crate::precision::Precision;
use crate::problem::{Kind, Problem, Slices, UntypedProblem};
use crate::solver::{Candidate, Request, Solver};

/// Arrays of a call, all zero. Transforms of zeros are zeros, so no number grows from call to call.
struct Arrays<T: Real> {
    points: Vec<Complex<T>>,
    output: Vec<Complex<T>>,
    numbers: Vec<T>,
}

impl<T: Precision> Arrays<T> {
    /// Allocates the arrays of a problem, if there is memory for them.
    fn of(problem: &UntypedProblem) -> Result<Self, PlanError> {
        let (is_real, forward) = (problem.is_real(), problem.to() == Direction::Forward);
        let layouts = problem.layouts();
        let (extents, _) = problem.extents()?;
        let span = |at: usize| extents[at].span();
        let padded = problem.is_padded();
        let (points, output, numbers) = match (is_real, forward) {
            // Padded rows are for transforms in place.
            _ if padded => (0, 0, problem.counts()[0].saturating_mul(2)),
            (true, true) => (span(1), 0, span(0)),
            (true, false) => (span(0), 0, span(1)),
            (false, _) if layouts[0] == layouts[1] => (span(0), 0, 0),
            (false, _) => (span(0), span(1), 0),
        };
        let parts = points.saturating_add(output).saturating_mul(2).saturating_add(numbers);
        memory::is_there(parts.saturating_mul(size_of::<T>()) as u64)?;
        let zero = Complex::new(T::zero(), T::zero());
        let what = "the arrays to measure with";
        Ok(Self {
            points: try_filled(zero, points, what)?,
            output: try_filled(zero, output, what)?,
            numbers: try_filled(T::zero(), numbers, what)?,
        })
    }

    /// Returns the slices for a call of a plan of the problem.
    fn slices(&mut self, problem: &UntypedProblem) -> Slices<'_, T> {
        match (!problem.is_real(), problem.to()) {
            (true, _) if self.output.is_empty() => Slices::InPlace(&mut self.points),
            (true, _) => Slices::OutOfPlace(&self.points, &mut self.output),
            (false, _) if self.points.is_empty() => Slices::Padded(&mut self.numbers),
            (false, Direction::Forward) => Slices::RealToComplex(&self.numbers, &mut self.points),
            (false, Direction::Inverse) => Slices::ComplexToReal(&mut self.points, &mut self.numbers),
        }
    }
}

impl Planner {
    /// Returns the plan that the planner's wisdom has for a problem. Otherwise measures, if `effort` is to
    /// measure, and records the result in the wisdom, else returns the estimate.
    pub(super) fn fastest<T: Precision, K: Kind>(
        &self,
        problem: &Problem<K>,
        effort: Effort,
    ) -> Result<Plan<T, K>, PlanError> {
        let key = self.key::<T, K>(problem);
        if let (Some(wisdom), Some(kernel)) = (&self.wisdom, &self.kernel) {
            wisdom.teach::<T>(kernel);
        }
        let found = self.wisdom.as_ref().and_then(|wisdom| wisdom.find(&key, effort));
        if let Some((recorded, effort, why, measured)) = found
            && let Some(mut candidate) = recorded.candidate(&self.solvers)
        {
            candidate.kernel = candidate.kernel.confirmed_by(self.kernel.as_ref());
            self.wisdom.iter().for_each(|wisdom| wisdom.teach::<T>(&candidate.kernel));
            // A missing library, or a library that only the wisdom names, is no reason to fail.
            if let Ok(plan) = self.of(&candidate, effort).estimated(problem) {
                return Ok(plan.chosen(why, measured));
            }
        }
        if effort == Effort::Estimate {
            return self.estimated(problem);
        }
        let (plan, candidate) = self.by_measuring(problem, effort)?;
        // Measurements that were cancelled are incomplete.
        let cancelled = self.cancel.as_ref().is_some_and(CancelToken::is_cancelled);
        if let (Some(wisdom), false) = (&self.wisdom, cancelled) {
            wisdom.import_from::<T>(&candidate.kernel);
            if let Some(measured) = plan.measurement() {
                wisdom.note(key, Recorded::of(&candidate), effort, plan.why(), measured);
            }
        }
        Ok(plan)
    }

    /// Records in the planner's wisdom that `fastest`, with its settings, is the fastest of the measured ways
    /// to transform complex points. It is a solver that this planner has with other settings. Planners with
    /// the wisdom, and with this planner's settings, then plan by it.
    ///
    /// For searches outside the planner. Does nothing without a wisdom or a number of nodes.
    pub fn record<T: Precision>(
        &self,
        problem: &Problem,
        fastest: impl Solver + 'static,
        effort: Effort,
        measured: Vec<Timed>,
    ) {
        if let (Some(wisdom), Some(nodes)) = (&self.wisdom, self.nodes) {
            let kernel = self.kernel.clone().unwrap_or_default();
            let candidate = Candidate { solver: Some(Arc::new(fastest)), nodes, kernel };
            let measured = Measured { timed: measured, limited: false, pruned: 0 };
            let key = self.key::<T, _>(problem);
            wisdom.note(key, Recorded::of(&candidate), effort, Why::Measured, &measured);
        }
    }

    /// Returns the fastest plan, and the candidate that it is planned by.
    fn by_measuring<T: Precision, K: Kind>(
        &self,
        problem: &Problem<K>,
        effort: Effort,
    ) -> Result<(Plan<T, K>, Candidate), PlanError> {
        let estimate: Plan<T, K> = self.estimated(problem)?;
        let usual = Candidate {
            solver: estimate.nodes().and_then(|_| self.solvers.find(estimate.algorithm())).cloned(),
            nodes: estimate.nodes().and_then(NonZeroUsize::new).unwrap_or(NonZeroUsize::MIN),
            kernel: estimate.kernel().clone(),
        };
        let options = self.rows(problem, None)?;
        let Self { nodes, config, .. } = *self;
        let request = Request { problem, options: &options, phantom: false, nodes, config };
        let of = (T::NAME, size_of::<Complex<T>>());
        let mut all = candidates(&request, &self.solvers, effort, self.kernel.as_ref(), of)?;
        all.retain(|candidate| *candidate != usual);
        if all.is_empty() {
            return Ok((estimate, usual));
        }
        let mut arrays = Arrays::<T>::of(problem)?;
        let patient = effort == Effort::Patient;
        let rules = Rules {
            rounds: if patient { 21 } else { 11 },
            finalists: if patient { 8 } else { 4 },
            limit: self.time_limit,
        };
        let watch = SystemClock(Instant::now());
        let clock = self.clock.as_deref().unwrap_or(&watch);
        let cancelled = || self.cancel.as_ref().is_some_and(CancelToken::is_cancelled);
        let (mut best, mut pruned) = (estimate.forecast().map(Forecast::nanoseconds), 0);
        let first = (usual.to_string(), (usual, estimate));
        let others = all.into_iter().take_while(|_| !cancelled()).filter_map(|candidate| {
            let plan: Plan<T, K> = self.of(&candidate, effort).estimated(problem).ok()?;
            memory::is_there(plan.needed()).ok()?;
            let predicted = plan.forecast().map(Forecast::nanoseconds);
            if predicted.zip(best).is_some_and(|(time, best)| time > PRUNE_RATIO * best) {
                pruned += 1;
                return None;
            }
            best = best.into_iter().chain(predicted).reduce(f64::min);
            Some((candidate.to_string(), (candidate, plan)))
        });
        let mut contest = contest(clock, &rules, first, others, |(_, plan)| {
            !cancelled() && plan.runs(arrays.slices(problem))
        });
        let timed = contest.entrants.iter().map(Entrant::timed).collect();
        let measured = Measured { timed, limited: contest.limited, pruned };
        let why = if contest.winner == 0 { Why::Unbeaten } else { Why::Measured };
        let winner = contest.entrants.swap_remove(contest.winner).candidate;
        let (candidate, plan) = winner.unwrap_or_else(|| unreachable!("the winner was in the rounds"));
        Ok((plan.chosen(why, measured), candidate))
    }

    /// Returns a planner for a candidate, with the same machines.
    fn of(&self, candidate: &Candidate, effort: Effort) -> Self {
        let Candidate { solver, nodes, kernel } = candidate.clone();
        let mut planner =
            Self { kernel: Some(kernel), effort: Some(effort), nodes: Some(nodes), ..self.clone() };
        match solver {
            Some(solver) => planner.solvers.request(solver),
            None => planner.solvers.name("auto".to_owned()),
        }
        planner
    }

    /// Returns the key of wisdom: all settings that decide which plan is the fastest on this computer.
    fn key<T: Precision, K: Kind>(&self, problem: &Problem<K>) -> String {
        let Self { config, policy, nodes, kernel, solvers, .. } = self;
        let nodes = nodes.map_or_else(|| "any".to_owned(), |nodes| nodes.to_string());
        let kernel = kernel.as_ref().map_or_else(|| "any".to_owned(), ToString::to_string);
        let (name, precision, solvers) = (config.name(), T::NAME, solvers.key());
        format!(
            "{problem}, of {precision}; {name}, {policy}; algorithm {solvers}, nodes {nodes}, kernel {kernel}"
        )
    }
}
