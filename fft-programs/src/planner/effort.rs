//! The choice by measuring: [candidates](super::candidates) run in turn, and the fastest is kept.
//!
//! *Steps.* 1. The planner's own choice, the estimate, is called twice: once for nothing, so that its memory is there,
//! once by the clock. So is each candidate, as soon as it is planned; one that takes more than [`FAR`] times the estimate
//! goes at once, with its tables. 2. The fastest few and the estimate are called in turn, round by round, the estimate
//! twice a round. A call that is too short for a clock is repeated. 3. A candidate is as fast as the median, over the rounds,
//! of its time over the estimate's. The second time of the estimate over its first is 1 but for noise: the middle half of
//! these ratios is the noise of the rounds. The fastest candidate is kept if it is faster than the estimate by more than
//! that.
//!
//! *Pruning.* A planner [with rates](Planner::rates) does not run a candidate that is predicted to take over [`FAR_SLOWER`]
//! times as long as the best prediction so far.
//!
//! *Limit.* The clock is looked at before each candidate and before each turn. Rounds that are not complete do not count,
//! and with less than [`FEWEST`] the estimate is kept.
//!
//! *Cost.* A plan and two calls for each candidate, then ten to twenty calls for each of the fastest, and the memory of
//! an input and an output. It loses where a computer does other work meanwhile, and where a plan is called so few times
//! that the estimate would have been done before.

use std::fmt;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use earth::CancelToken;
use earth_fftw::Effort;
use earth_kernels::{Direction, Real};
use earth_memory::try_filled;
use num_complex::Complex;

use super::candidates::{Recorded, ways};
use super::measured::{Measured, Timed};
use super::{PlanError, Planner, Why};
use crate::advisor::Forecast;
use crate::memory;
use crate::plan::Plan;
use crate::precision::Precision;
use crate::problem::{Kind, Problem, Slices, UntypedProblem};
use crate::solver::{Request, Way};

/// A candidate whose first time is so many times the estimate's goes at once.
const FAR: u32 = 3;

/// A candidate that is predicted to take so many times as long as the best prediction is not run. The errors of two
/// predictions rarely add up to that.
const FAR_SLOWER: f64 = 2.0;

/// The least complete rounds that decide.
const FEWEST: usize = 3;

/// A shorter call is repeated until it takes about so long.
const SHORT: Duration = Duration::from_micros(100);

/// Tells the time, from whenever on, to a planner that [measures](Planner::effort).
pub trait Clock: fmt::Debug + Send + Sync {
    /// The time that has passed since then.
    fn now(&self) -> Duration;
}

/// The clock of the computer.
#[derive(Debug)]
struct Watch(Instant);

impl Clock for Watch {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// How much is measured.
struct Rules {
    rounds: usize,
    /// So many of the fastest are in the rounds.
    finalists: usize,
    limit: Option<Duration>,
}

/// One way in a contest, and its times.
struct Entrant<W> {
    what: String,
    /// Nothing if it was too slow for the rounds.
    way: Option<W>,
    times: Vec<Duration>,
}

/// The end of a contest: the ways that took part, the estimate first, and which was the fastest.
struct Contest<W> {
    entrants: Vec<Entrant<W>>,
    winner: usize,
    limited: bool,
}

/// Lets `others` compete with the estimate. `run` transforms once, and tells whether it could.
fn contest<W>(
    clock: &dyn Clock,
    rules: &Rules,
    estimate: (String, W),
    mut others: impl Iterator<Item = (String, W)>,
    mut run: impl FnMut(&W) -> bool,
) -> Contest<W> {
    let begin = clock.now();
    let over = || rules.limit.is_some_and(|limit| clock.now().saturating_sub(begin) >= limit);
    let mut time = |way: &W, calls: u32| {
        let begin = clock.now();
        let ran = (0..calls).all(|_| run(way));
        ran.then(|| clock.now().saturating_sub(begin) / calls)
    };
    let entrant = |(what, way), time| Entrant { what, way: Some(way), times: vec![time] };
    let first = time(&estimate.1, 1).and_then(|_| time(&estimate.1, 1));
    let mut entrants = vec![entrant(estimate, first.unwrap_or_default())];
    let Some(first) = first else { return Contest { entrants, winner: 0, limited: false } };

    let mut limited;
    loop {
        limited = over();
        let Some(other) = (if limited { None } else { others.next() }) else { break };
        let Some(second) = time(&other.1, 1).and_then(|_| time(&other.1, 1)) else { continue };
        let mut entrant = entrant(other, second);
        if second > first.saturating_mul(FAR) {
            entrant.way = None;
        }
        entrants.push(entrant);
    }
    entrants[1..].sort_by_key(|entrant| (entrant.way.is_none(), entrant.times[0]));
    let left = entrants.iter().take_while(|entrant| entrant.way.is_some()).count();
    let finalists = left.min(1 + rules.finalists);
    entrants[finalists..].iter_mut().for_each(|entrant| entrant.way = None);

    let calls = SHORT.as_nanos().checked_div(first.as_nanos()).map_or(1, |calls| calls.clamp(1, 1000) as u32);
    let mut rounds: Vec<Vec<Duration>> = Vec::new();
    'rounds: while finalists > 1 && !limited && rounds.len() < rules.rounds {
        let mut round = Vec::new();
        for at in (0..finalists).chain([0]) {
            limited = over();
            let way = entrants[at].way.as_ref().filter(|_| !limited);
            let Some(time) = way.and_then(|way| time(way, calls)) else { break 'rounds };
            round.push(time);
        }
        rounds.push(round);
    }
    let mut winner = 0;
    if rounds.len() >= FEWEST {
        let ratios = |at: usize| {
            let ratio = |round: &Vec<Duration>| {
                let [time, estimate] = [round[at], round[0]].map(|time| time.as_nanos().max(1) as f64);
                time / estimate
            };
            quartiles(rounds.iter().map(ratio).collect())
        };
        let [below, _, above] = ratios(finalists);
        let noise = above.max(1.0 / below);
        let medians = (1..finalists).map(|at| (at, ratios(at)[1]));
        if let Some((at, ratio)) = medians.min_by(|a, b| a.1.total_cmp(&b.1)) {
            winner = if ratio * noise < 1.0 { at } else { 0 };
        }
        // The times before the rounds were for the choice of the finalists.
        for (at, entrant) in entrants[..finalists].iter_mut().enumerate() {
            entrant.times = rounds.iter().map(|round| round[at]).collect();
        }
    }
    Contest { entrants, winner, limited }
}

/// The quartile below, the median and the quartile above of at least one number.
fn quartiles(mut numbers: Vec<f64>) -> [f64; 3] {
    numbers.sort_by(f64::total_cmp);
    let last = numbers.len() - 1;
    [last / 4, last / 2, last - last / 4].map(|at| numbers[at])
}

impl<W> Entrant<W> {
    fn timed(&self) -> Timed {
        let mut times = self.times.clone();
        times.sort_unstable();
        let median = times[(times.len() - 1) / 2];
        Timed { what: self.what.clone(), least: times[0], median, times: times.len() }
    }
}

/// The arrays of a call, all zero: transforms of zeros are zeros, so that no number grows from call to call.
struct Arrays<T: Real> {
    points: Vec<Complex<T>>,
    output: Vec<Complex<T>>,
    numbers: Vec<T>,
}

impl<T: Precision> Arrays<T> {
    /// The arrays of a problem, if there is memory for them.
    fn of(problem: &UntypedProblem) -> Result<Self, PlanError> {
        let (is_real, forward) = (problem.is_real(), problem.to() == Direction::Forward);
        let layouts = problem.layouts();
        let (extents, _) = problem.extents()?;
        let span = |at: usize| extents[at].span();
        let padded = problem.is_padded();
        let (points, output, numbers) = match (is_real, forward) {
            // In place, as such rows are for.
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

    /// The slices of a call of a plan of the problem.
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
    /// The plan of a problem that the planner's wisdom knows, else the fastest if the `effort` is to measure, which is noted
    /// there, else the estimate.
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
            && let Some(mut way) = recorded.way(&self.asked)
        {
            way.kernel = way.kernel.confirmed_by(self.kernel.as_ref());
            self.wisdom.iter().for_each(|wisdom| wisdom.teach::<T>(&way.kernel));
            // A library that is gone, or that only the wisdom names, is no reason to fail.
            if let Ok(plan) = self.of(&way, effort).estimated(problem) {
                return Ok(plan.chosen(why, measured));
            }
        }
        if effort == Effort::Estimate {
            return self.estimated(problem);
        }
        let (plan, way) = self.by_measuring(problem, effort)?;
        // What was measured until it was cancelled is not all.
        let cancelled = self.cancel.as_ref().is_some_and(CancelToken::is_cancelled);
        if let (Some(wisdom), false) = (&self.wisdom, cancelled) {
            wisdom.ask::<T>(&way.kernel);
            if let Some(measured) = plan.measurement() {
                wisdom.note(key, Recorded::of(&way), effort, plan.why(), measured);
            }
        }
        Ok(plan)
    }

    /// The fastest plan, and how it is asked for.
    fn by_measuring<T: Precision, K: Kind>(
        &self,
        problem: &Problem<K>,
        effort: Effort,
    ) -> Result<(Plan<T, K>, Way), PlanError> {
        let estimate: Plan<T, K> = self.estimated(problem)?;
        let usual = Way {
            solver: estimate.nodes().and_then(|_| self.asked.find(estimate.algorithm())).cloned(),
            nodes: estimate.nodes().and_then(NonZeroUsize::new).unwrap_or(NonZeroUsize::MIN),
            kernel: estimate.kernel().clone(),
        };
        let options = self.rows(problem, None);
        let Self { nodes, config, .. } = *self;
        let request = Request { problem, options: &options, phantom: false, nodes, config };
        let of = (T::NAME, size_of::<Complex<T>>());
        let mut all = ways(&request, &self.asked, effort, self.kernel.as_ref(), of)?;
        all.retain(|way| *way != usual);
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
        let watch = Watch(Instant::now());
        let clock = self.clock.as_deref().unwrap_or(&watch);
        let cancelled = || self.cancel.as_ref().is_some_and(CancelToken::is_cancelled);
        let (mut best, mut pruned) = (estimate.forecast().map(Forecast::nanoseconds), 0);
        let first = (usual.to_string(), (usual, estimate));
        let others = all.into_iter().take_while(|_| !cancelled()).filter_map(|way| {
            let plan: Plan<T, K> = self.of(&way, effort).estimated(problem).ok()?;
            memory::is_there(plan.needed()).ok()?;
            let predicted = plan.forecast().map(Forecast::nanoseconds);
            if predicted.zip(best).is_some_and(|(time, best)| time > FAR_SLOWER * best) {
                pruned += 1;
                return None;
            }
            best = best.into_iter().chain(predicted).reduce(f64::min);
            Some((way.to_string(), (way, plan)))
        });
        let mut contest = contest(clock, &rules, first, others, |(_, plan)| {
            !cancelled() && plan.runs(arrays.slices(problem))
        });
        let timed = contest.entrants.iter().map(Entrant::timed).collect();
        let measured = Measured { timed, limited: contest.limited, pruned };
        let why = if contest.winner == 0 { Why::Unbeaten } else { Why::Measured };
        let winner = contest.entrants.swap_remove(contest.winner).way;
        let (way, plan) = winner.unwrap_or_else(|| unreachable!("the winner was in the rounds"));
        Ok((plan.chosen(why, measured), way))
    }

    /// A planner that makes the plan of a way, on the same machines.
    fn of(&self, way: &Way, effort: Effort) -> Self {
        let Way { solver, nodes, kernel } = way.clone();
        let mut planner =
            Self { kernel: Some(kernel), effort: Some(effort), nodes: Some(nodes), ..self.clone() };
        match solver {
            Some(solver) => planner.asked.ask(solver),
            None => planner.asked.name("auto".to_owned()),
        }
        planner
    }

    /// What decides which plan is the fastest here, as text.
    fn key<T: Precision, K: Kind>(&self, problem: &Problem<K>) -> String {
        let Self { config, policy, nodes, kernel, asked, .. } = self;
        let nodes = nodes.map_or_else(|| "any".to_owned(), |nodes| nodes.to_string());
        let kernel = kernel.as_ref().map_or_else(|| "any".to_owned(), ToString::to_string);
        let (name, precision, asked) = (config.name(), T::NAME, asked.key());
        format!(
            "{problem}, of {precision}; {name}, {policy}; algorithm {asked}, nodes {nodes}, kernel {kernel}"
        )
    }
}

/// What was measured, a line for each way.
impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("measured, the least and the median time of a call")?;
        if self.limited {
            f.write_str(" until the limit of time was reached")?;
        }
        if self.pruned > 0 {
            write!(
                f,
                ", without {} ways predicted to be over {FAR_SLOWER} times as slow as the best one",
                self.pruned
            )?;
        }
        for Timed { what, least, median, times } in &self.timed {
            let [least, median] = [least, median].map(|time| time.as_secs_f64() * 1e6);
            let ending = if *times == 1 { "" } else { "s" };
            write!(f, "\n  {least:.1} and {median:.1} us in {times} time{ending}: {what}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "effort_tests.rs"]
mod tests;
