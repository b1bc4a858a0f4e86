//! The report of an exploration: its verdict, and two schedules with different outcomes.

use std::fmt;

use super::conductor::Choices;
use super::execution::Execution;
use super::order::Order;
use crate::machine::schedule::Recording;
use crate::vocabulary::counters::Counters;
use crate::vocabulary::error::Error;

/// The outcome of a program under a schedule.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The value, as `Debug` prints it.
    pub value: String,
    /// The counters of all nodes.
    pub counters: Counters,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counters { fibers, signals, tokens, invokes, frames, .. } = self.counters;
        write!(
            f,
            "{} ({fibers} fibers, {signals} signals, {tokens} tokens, {invokes} invocations, {frames} frames)",
            self.value
        )
    }
}

/// One schedule of a program: its steps and its outcome.
#[derive(Clone, Debug)]
pub struct ScheduleTrace {
    /// Its choices. [`replay`](super::Exploration::replay) repeats the schedule.
    pub choices: Choices,
    /// The steps in their order.
    pub steps: Vec<TracedStep>,
    /// The outcome, or the error that ended the run.
    pub outcome: Result<Outcome, Error>,
}

/// A step of a schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TracedStep {
    /// The node.
    pub node: usize,
    /// The unit that took the step: `EU` or `SU`.
    pub unit: &'static str,
    /// The action, such as ``runs `Fib::add` ``.
    pub action: String,
    /// The slots, inlets and cells that the step used.
    pub used: Vec<String>,
    /// The steps, by their indexes, that sent its message, enabled its fiber or started its function.
    pub causes: Vec<usize>,
    /// Index of the step among the steps that were possible, the usual one first, and their number.
    pub choice: (usize, usize),
    /// Whether the step is one of two that the schedules take in different orders. If there are no such
    /// steps, because a token starts on different nodes, it is the first step that differs.
    pub races: bool,
}

impl fmt::Display for TracedStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {} {}  {}", self.node, self.unit, self.action)?;
        for (at, used) in self.used.iter().enumerate() {
            f.write_str(if at == 0 { ": " } else { ", " })?;
            f.write_str(used)?;
        }
        match self.choice {
            (0, _) => Ok(()),
            (choice, possible) => write!(f, " (choice {choice} of 0 to {})", possible - 1),
        }
    }
}

impl ScheduleTrace {
    pub(super) fn without_steps(outcome: Result<Outcome, Error>) -> Self {
        ScheduleTrace { choices: Choices::default(), steps: Vec::new(), outcome }
    }

    pub(super) fn new(
        choices: Choices,
        execution: &Execution,
        racing: &[u32],
        outcome: Result<Outcome, Error>,
    ) -> Self {
        let steps = (0..).zip(&execution.steps).map(|(number, step)| {
            let text = step.text.as_deref().cloned().unwrap_or_default();
            let mut causes: Vec<_> = step.causes.iter().map(|cause| *cause as usize).collect();
            causes.sort_unstable();
            causes.dedup();
            TracedStep {
                node: step.node as usize,
                unit: text.unit,
                action: text.action,
                used: text.used,
                causes,
                choice: (step.choice as usize, step.possible as usize),
                races: racing.contains(&number),
            }
        });
        ScheduleTrace { choices, steps: steps.collect(), outcome }
    }
}

/// Two schedules of a program with different outcomes.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The usual schedule.
    pub first: ScheduleTrace,
    /// A schedule with another outcome. It deviates from the usual one in as few choices as were found.
    pub second: ScheduleTrace,
    /// The seed and the recording of the second schedule, if it is a random one of the
    /// [stepper](crate::Machine::stepper). Then the steps of both schedules are not listed.
    pub random: Option<(u64, Recording)>,
}

impl Difference {
    /// Returns the number of steps that both schedules begin with.
    pub fn common(&self) -> usize {
        let steps = self.first.steps.iter().zip(&self.second.steps);
        steps
            .take_while(|(a, b)| {
                (a.node, a.choice, &a.action, &a.used) == (b.node, b.choice, &b.action, &b.used)
            })
            .count()
    }
}

/// Returns a race of one run whose steps the other run takes in the other order, as the steps of each run.
pub(super) fn opposed(first: &Execution, second: &Execution) -> Option<(Vec<u32>, Vec<u32>)> {
    let (of_first, of_second) = (Order::of(first), Order::of(second));
    let find = |label| second.steps.iter().position(|step| step.label == label).map(|step| step as u32);
    of_first.races.iter().find_map(|&(a, b)| {
        let label = |step: u32| first.steps[step as usize].label;
        let (later, earlier) = (find(label(a))?, find(label(b))?);
        let is_opposed = of_second.before[later as usize].has(earlier);
        is_opposed.then(|| (vec![a, b], vec![earlier, later]))
    })
}

impl fmt::Display for ScheduleTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_from(0, f)
    }
}

impl ScheduleTrace {
    /// Writes the steps from index `from` on, and the outcome.
    fn write_from(&self, from: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in (1..).zip(&self.steps).skip(from) {
            writeln!(f, "{} {number:4}  {step}", if step.races { "*" } else { " " })?;
        }
        match &self.outcome {
            Ok(outcome) => write!(f, "        gives {outcome}"),
            Err(error) => write!(f, "        fails: {error}"),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((seed, recording)) = &self.random {
            writeln!(f, "The outcome depends on the schedule. The usual one:\n{}", self.first)?;
            writeln!(f, "The stepper's schedule of seed {seed}:\n{}", self.second)?;
            return write!(f, "Replay it by `{recording}`.");
        }
        let common = self.common();
        writeln!(f, "The outcome depends on the schedule. Both schedules begin with these {common} steps:")?;
        for (number, step) in (1..).zip(&self.first.steps[..common]) {
            writeln!(f, "  {number:4}  {step}")?;
        }
        writeln!(f, "The usual schedule goes on; * marks where the orders differ:")?;
        self.first.write_from(common, f)?;
        writeln!(f, "\nThe schedule `{}` goes on:", self.second.choices)?;
        self.second.write_from(common, f)
    }
}
