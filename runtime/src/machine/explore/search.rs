//! The search for a schedule with another outcome.
//!
//! 1. Run the program by the usual schedule, twice: a program with random numbers or clocks of its own is not
//!    searched further.
//! 2. Find the [races](super::order) of the run. For each race, note a schedule with its other order; for
//!    each token, note a schedule in which another node starts it.
//! 3. Take a noted schedule that is not of a class noted before. Run it, and let the usual steps follow. If
//!    its class is new, go on with step 2.
//! 4. End when no schedule is left, when an outcome differs from the first one, or at the bound.
//!
//! This is dynamic partial-order reduction (Flanagan and Godefroid, POPL 2005) with a set of the classes that
//! were seen. Every class is reached: of a class that was not seen and a class that was, take the
//! longest common past. The next step of the former is in a race with a step of the latter, or is another
//! start of a token.
//!
//! Cost: a run of the program for each noted schedule. A class is noted about as often as its runs have
//! races. Memory: 16 bytes for each class and each noted schedule.

use std::collections::HashSet;

use super::conductor::{Beginning, Choices, SharedConductor};
use super::difference::{Difference, Outcome, ScheduleTrace, opposed};
use super::execution::{Execution, Label};
use super::order::Order;
use super::reversal::{replaced, reversed};
use super::{Bound, Sample};
use crate::vocabulary::error::Error;

/// The most schedules that are searched for a success after the usual schedule has failed.
const AFTER_ERROR: u64 = 1_000;

/// How a search has ended.
pub(super) enum Found {
    /// All schedules have the outcome of the first one.
    Same,
    /// Schedules are left at the bound.
    Bounded,
    /// These choices have another outcome than the first schedule.
    Differs(Choices),
    /// The program itself differs from run to run.
    Unsteady,
}

/// A search through the schedules of a program.
pub(super) struct Search<'a> {
    conductor: &'a SharedConductor,
    /// Runs the program by the schedule of the conductor.
    run: &'a mut dyn FnMut() -> Result<Sample, Error>,
    pub(super) first: Option<Sample>,
    /// Schedules to run.
    noted: Vec<Vec<Label>>,
    /// Classes of the first steps of the schedules that were noted.
    begun: HashSet<u128>,
    /// Classes of the runs.
    seen: HashSet<u128>,
    pub(super) schedules: u64,
    pub(super) steps: u64,
    /// Schedules whose first steps were not possible when they ran.
    pub(super) diverged: u64,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        conductor: &'a SharedConductor,
        run: &'a mut dyn FnMut() -> Result<Sample, Error>,
    ) -> Self {
        Search {
            conductor,
            run,
            first: None,
            noted: Vec::new(),
            begun: HashSet::new(),
            seen: HashSet::new(),
            schedules: 0,
            steps: 0,
            diverged: 0,
        }
    }

    /// Runs the program by a schedule that begins so.
    pub(super) fn run_by(&mut self, beginning: Beginning, describes: bool) -> Result<Sample, Error> {
        self.conductor.lock().begin_with(beginning, describes);
        let sample = (self.run)()?;
        let conductor = self.conductor.lock();
        self.schedules += 1;
        self.steps += conductor.execution.steps.len() as u64;
        self.diverged += u64::from(conductor.diverged);
        Ok(sample)
    }

    /// Searches for a schedule whose outcome differs from the first, up to the bound.
    ///
    /// # Errors
    ///
    /// An error that is no outcome of a schedule, such as a cancelled run.
    pub(super) fn search(&mut self, bound: &Bound) -> Result<Found, Error> {
        let first = self.run_by(Beginning::Choices(Choices::default()), false)?;
        let labels: Vec<_> = self.conductor.lock().execution.steps.iter().map(|step| step.label).collect();
        let again = self.run_by(Beginning::Labels(labels), false)?;
        self.first = Some(first.clone());
        if self.diverged > 0 || again != first {
            return Ok(Found::Unsteady);
        }
        // After an error the steps of a run are not complete, so a search would not be either.
        let most = if first.outcome.is_ok() { bound.schedules } else { bound.schedules.min(AFTER_ERROR) };
        self.search_on(most, |sample| *sample != first)
    }

    /// Continues the search until a schedule has the outcome `wanted`, or `most` schedules have run.
    fn search_on(&mut self, most: u64, mut wanted: impl FnMut(&Sample) -> bool) -> Result<Found, Error> {
        self.note_further();
        while let Some(labels) = self.noted.pop() {
            if self.schedules >= most {
                return Ok(Found::Bounded);
            }
            let sample = self.run_by(Beginning::Labels(labels), false)?;
            if wanted(&sample) {
                return Ok(Found::Differs(self.choices()));
            }
            self.note_further();
        }
        Ok(Found::Same)
    }

    /// Runs the program by these choices, and returns its described steps and its outcome.
    pub(super) fn describe(
        &mut self,
        choices: Choices,
    ) -> Result<(Execution, Result<Outcome, Error>), Error> {
        let sample = self.run_by(Beginning::Choices(choices), true)?;
        Ok((std::mem::take(&mut self.conductor.lock().execution), sample.outcome))
    }

    /// Runs the usual schedule and the schedule with these choices again, and describes their steps.
    pub(super) fn difference(&mut self, choices: Choices) -> Result<Difference, Error> {
        let (usual, first) = self.describe(Choices::default())?;
        let (other, second) = self.describe(choices.clone())?;
        let (of_usual, of_other) = opposed(&usual, &other).unwrap_or_default();
        let mut found = Difference {
            first: ScheduleTrace::new(Choices::default(), &usual, &of_usual, first),
            second: ScheduleTrace::new(choices, &other, &of_other, second),
            random: None,
        };
        if of_usual.is_empty() {
            let common = found.common();
            for trace in [&mut found.first, &mut found.second] {
                trace.steps.iter_mut().skip(common).take(1).for_each(|step| step.races = true);
            }
        }
        Ok(found)
    }

    /// Returns the number of classes of the runs.
    pub(super) fn classes(&self) -> u64 {
        self.seen.len() as u64
    }

    /// Returns the choices of the last run.
    pub(super) fn choices(&self) -> Choices {
        Choices::of(self.conductor.lock().execution.steps.iter().map(|step| step.choice))
    }

    /// Notes the schedules that follow from the last run, if its class is new.
    fn note_further(&mut self) {
        let conductor = self.conductor.lock();
        let execution = &conductor.execution;
        let order = Order::of(execution);
        if !self.seen.insert(order.class(execution)) {
            return;
        }
        let races = order.races.iter().filter_map(|race| reversed(execution, &order, *race));
        let tokens = (0..).zip(&execution.steps).flat_map(|(step, token)| {
            let others = token.alternatives.iter();
            others.map(move |other| (step, *other))
        });
        let tokens = tokens.filter_map(|(step, other)| replaced(execution, &order, step, other));
        for further in races.chain(tokens) {
            if self.begun.insert(further.class) {
                self.noted.push(further.labels);
            }
        }
    }

    /// Removes choices that are not needed for an outcome other than the first one.
    pub(super) fn shrink(&mut self, mut choices: Choices) -> Result<Choices, Error> {
        const TRIES: u64 = 2_000;
        let before = self.schedules;
        let mut part = choices.deviations();
        while part > 0 {
            let mut from = 0;
            while from < choices.deviations() && self.schedules - before < TRIES {
                let simpler = without(&choices, from, part);
                let sample = self.run_by(Beginning::Choices(simpler), false)?;
                let taken = self.choices();
                if Some(&sample) != self.first.as_ref() && taken.deviations() < choices.deviations() {
                    choices = taken;
                } else {
                    from += part;
                }
            }
            part /= 2;
        }
        Ok(choices)
    }
}

/// Returns the choices with usual ones instead of `count` others, from the `from`th on.
fn without(choices: &Choices, from: usize, count: usize) -> Choices {
    let mut deviation = 0;
    Choices::of(choices.0.iter().map(|&choice| {
        let removed = choice > 0 && (from..from + count).contains(&deviation);
        deviation += usize::from(choice > 0);
        if removed { 0 } else { choice }
    }))
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
