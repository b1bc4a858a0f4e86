//! Units of real cores that one thread steps.

use std::time::{Duration, Instant};

use super::panics::inside;
use super::units::{Unit, Units, explain};
use crate::node::dual::{Executor, Synchronizer};
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::merged::Merged;
use crate::node::step::Step;
use crate::node::su::{Su, SuResult};
use crate::node::verdict::RunVerdict;
use crate::ranks::Arrival;
use crate::vocabulary::counters::Counters;
use crate::vocabulary::decoding::Decoding;
use crate::vocabulary::error::Error;

/// Unit of real cores: both units of an SPN node, or one of the two units of a DUAL node.
pub(super) enum CoreUnit {
    Merged(Box<Merged>),
    Executor(Box<Executor>),
    Synchronizer(Box<Synchronizer>),
}

impl Unit for Merged {
    fn begin(&mut self, decoding: &Decoding, began: Instant) {
        Merged::begin(self, decoding, began);
    }

    fn messages(&self) -> (u64, u64) {
        (self.eu.su.sent, self.eu.su.received)
    }

    fn eu(&mut self) -> Option<&mut ExecutionUnit> {
        Some(&mut self.eu)
    }

    fn su(&mut self) -> Option<&mut Su> {
        Some(&mut self.eu.su)
    }
}

impl Unit for Executor {
    fn begin(&mut self, decoding: &Decoding, began: Instant) {
        Executor::begin(self, decoding, began);
    }

    fn messages(&self) -> (u64, u64) {
        (self.eu.su.sent, self.received + self.eu.su.received)
    }

    fn eu(&mut self) -> Option<&mut ExecutionUnit> {
        Some(&mut self.eu)
    }

    fn su(&mut self) -> Option<&mut Su> {
        None
    }
}

impl Unit for Synchronizer {
    fn begin(&mut self, decoding: &Decoding, _began: Instant) {
        Synchronizer::begin(self, decoding);
    }

    fn messages(&self) -> (u64, u64) {
        (self.su.sent, self.su.received)
    }

    fn eu(&mut self) -> Option<&mut ExecutionUnit> {
        None
    }

    fn su(&mut self) -> Option<&mut Su> {
        Some(&mut self.su)
    }
}

/// Calls a function of a unit of any kind.
macro_rules! of_unit {
    ($self:expr, $call:ident($($argument:expr),*)) => {
        match $self {
            CoreUnit::Merged(unit) => Unit::$call(&mut **unit, $($argument),*),
            CoreUnit::Executor(unit) => Unit::$call(&mut **unit, $($argument),*),
            CoreUnit::Synchronizer(unit) => Unit::$call(&mut **unit, $($argument),*),
        }
    };
}

impl Unit for CoreUnit {
    fn begin(&mut self, decoding: &Decoding, began: Instant) {
        of_unit!(self, begin(decoding, began));
    }

    fn messages(&self) -> (u64, u64) {
        match self {
            CoreUnit::Merged(unit) => unit.messages(),
            CoreUnit::Executor(unit) => unit.messages(),
            CoreUnit::Synchronizer(unit) => unit.messages(),
        }
    }

    fn eu(&mut self) -> Option<&mut ExecutionUnit> {
        of_unit!(self, eu())
    }

    fn su(&mut self) -> Option<&mut Su> {
        of_unit!(self, su())
    }
}

impl CoreUnit {
    /// Takes up to `turns` steps, as long as there is work and the run is not over. Returns the outcome of
    /// the last step. For a single step the outcome is exact: it says whether the unit did anything.
    #[inline(always)]
    fn steps(&mut self, turns: u32, verdict: &RunVerdict) -> Result<Step, Box<Error>> {
        match self {
            CoreUnit::Merged(node) => {
                let worked =
                    if node.eu.is_watched() { node.steps_traced(turns)? } else { node.steps(turns)? };
                Ok(match worked {
                    true => Step::Worked,
                    false if node.su().holds_back => Step::Holding,
                    false => Step::Idle,
                })
            }
            CoreUnit::Executor(unit) => {
                // A turn is one fiber, and one step of an executor runs several.
                for _ in 0..turns.div_ceil(Executor::FIBERS) {
                    if verdict.is_over() {
                        break;
                    }
                    let watched = unit.eu.is_watched();
                    let step = if watched { unit.step_traced() } else { unit.step::<false>() };
                    if let Some(outcome) = last_step(step, turns > 1 && unit.awaits_messages) {
                        return Ok(outcome);
                    }
                }
                unit.show_early();
                Ok(Step::Worked)
            }
            CoreUnit::Synchronizer(unit) => {
                for _ in 0..turns {
                    if verdict.is_over() {
                        break;
                    }
                    let step = if unit.su.recorder.is_some() { unit.step_traced()? } else { unit.step()? };
                    if let Some(outcome) = last_step(step, turns > 1 && unit.awaits_messages) {
                        return Ok(outcome);
                    }
                }
                Ok(Step::Worked)
            }
        }
    }

    /// Returns whether a step would find work.
    fn has_work(&mut self) -> bool {
        match self {
            CoreUnit::Merged(node) => node.has_work(),
            CoreUnit::Executor(unit) => unit.has_work(),
            CoreUnit::Synchronizer(unit) => unit.has_work(),
        }
    }

    /// Returns whether anything arrived for this unit since it ran out of work. This is cheaper than
    /// [`has_work`](Self::has_work).
    #[inline(always)]
    fn has_events(&mut self) -> bool {
        match self {
            CoreUnit::Merged(node) => node.has_events(),
            CoreUnit::Executor(unit) => unit.has_events(),
            CoreUnit::Synchronizer(unit) => unit.has_events(),
        }
    }

    /// Returns a number that changes if the unit may have made room for what another worker holds. An SPN
    /// node makes room by taking events out of its inbox. Any other unit may make room by any action.
    fn freed(&mut self) -> u64 {
        match self {
            CoreUnit::Merged(node) => node.su().events_heard,
            CoreUnit::Executor(_) | CoreUnit::Synchronizer(_) => self.acts(),
        }
    }

    /// Returns the wrapping sum of sent messages, received messages and run fibers.
    fn acts(&mut self) -> u64 {
        let (sent, received) = self.messages();
        let fibers = self.eu().map_or(0, |eu| eu.counters.fibers);
        sent.wrapping_add(received).wrapping_add(fibers)
    }
}

/// Returns the outcome of several steps of a DUAL node's unit if this step is the last one. A *dry* unit has
/// no further work before others send it some.
#[inline(always)]
fn last_step(step: Step, is_dry: bool) -> Option<Step> {
    match step {
        Step::Worked if is_dry => Some(Step::Idle),
        Step::Worked => None,
        outcome => Some(outcome),
    }
}

/// Units that one thread steps.
#[derive(Default)]
pub(super) struct UnitSet {
    units: Vec<CoreUnit>,
    /// Node of each unit.
    nodes: Vec<usize>,
    /// Index of the unit that is being stepped.
    at: usize,
}

impl Units for UnitSet {
    fn each(&mut self, visit: &mut dyn FnMut(usize, &mut dyn Unit)) {
        self.units.iter_mut().zip(&self.nodes).for_each(|(unit, node)| visit(*node, unit));
    }
}

impl UnitSet {
    pub(super) fn push(&mut self, node: usize, unit: CoreUnit) {
        self.units.push(unit);
        self.nodes.push(node);
    }

    /// Appends all units of `other`, which is then empty.
    pub(super) fn append(&mut self, other: &mut UnitSet) {
        self.units.append(&mut other.units);
        self.nodes.append(&mut other.nodes);
    }

    /// Splits off all units from index `at` on.
    pub(super) fn split_off(&mut self, at: usize) -> UnitSet {
        UnitSet { units: self.units.split_off(at), nodes: self.nodes.split_off(at), at: 0 }
    }

    /// Returns the synchronization unit of this process's first node, if these are the calling thread's units
    /// on a machine of ranks.
    pub(super) fn first_su(&mut self) -> &mut Su {
        let first = self.units.iter_mut().find_map(Unit::su);
        first.unwrap_or_else(|| unreachable!("the calling thread has the first node's slots"))
    }

    /// Applies a message of the process whose first node is `from` to this process's first node.
    pub(super) fn attend_message(&mut self, from: u32, message: &mut Arrival) -> SuResult {
        match self.units.iter_mut().find(|unit| !matches!(unit, CoreUnit::Executor(_))) {
            Some(CoreUnit::Synchronizer(unit)) => unit.attend_message(from, message),
            _ => self.first_su().attend_message(from, message),
        }
    }

    /// Steps each unit up to `turns` times, as long as it has work and the run is not over. Returns the best
    /// outcome.
    #[inline(always)]
    pub(super) fn pass(&mut self, turns: u32, verdict: &RunVerdict) -> Result<Step, Box<Error>> {
        let mut best = Step::Idle;
        for at in 0..self.units.len() {
            self.at = at;
            best = best.max(self.units[at].steps(turns, verdict)?);
        }
        Ok(best)
    }

    /// Sets how many messages each unit takes up at a time, at most its policy's batch. Also sets how many
    /// fibers an executor runs in a step, at most [`Executor::FIBERS`].
    pub(super) fn limit(&mut self, batch: u32, fibers: u32) {
        self.units.iter_mut().for_each(|unit| match unit {
            CoreUnit::Merged(node) => node.policy.batch = batch,
            CoreUnit::Executor(unit) => (unit.policy.batch, unit.fibers) = (batch, fibers),
            CoreUnit::Synchronizer(unit) => unit.policy.batch = batch,
        });
    }

    /// Returns the node of the first unit, and whether that unit is the node's second one (DUAL).
    pub(super) fn first(&self) -> Option<(usize, bool)> {
        Some((*self.nodes.first()?, matches!(self.units.first()?, CoreUnit::Synchronizer(_))))
    }

    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    pub(super) fn has_work(&mut self) -> bool {
        self.units.iter_mut().any(CoreUnit::has_work)
    }

    /// Returns whether anything arrived for any unit, after no unit had work.
    #[inline(always)]
    pub(super) fn has_events(&mut self) -> bool {
        self.units.iter_mut().any(CoreUnit::has_events)
    }

    /// Lets due timers fire, in the time of the host.
    #[inline(always)]
    pub(super) fn fire_due(&mut self) {
        for su in self.units.iter_mut().filter_map(Unit::su).filter(|su| su.has_timers()) {
            su.fire_due();
        }
    }

    /// Returns the moment at which the next timer of these units is due, in the time of the host.
    pub(super) fn deadline(&mut self) -> Option<Instant> {
        self.units.iter_mut().filter_map(Unit::su).filter_map(Su::deadline).min()
    }

    /// Returns the time at which the next timer of these units is due.
    pub(super) fn next_due(&mut self) -> Option<u64> {
        self.units.iter_mut().filter_map(Unit::su).filter_map(Su::next_due).min()
    }

    /// Lets the timers fire that are due by the time `now`.
    pub(super) fn fire(&mut self, now: u64) {
        self.units.iter_mut().filter_map(Unit::su).for_each(|su| su.fire(now));
    }

    /// Returns the wrapping sum of its units' sent messages, received messages and run fibers.
    pub(super) fn acts(&mut self) -> u64 {
        self.units.iter_mut().map(CoreUnit::acts).fold(0, u64::wrapping_add)
    }

    /// Returns a number that changes if a unit may have made room for what another worker holds.
    pub(super) fn freed(&mut self) -> u64 {
        self.units.iter_mut().map(CoreUnit::freed).fold(0, u64::wrapping_add)
    }

    /// Returns the node of the unit that is stepped now or was stepped last, and its execution unit if it
    /// runs fibers.
    pub(super) fn acting(&mut self) -> (usize, Option<&mut ExecutionUnit>) {
        let node = self.nodes.get(self.at).copied().unwrap_or(0);
        (node, self.units.get_mut(self.at).and_then(Unit::eu))
    }

    /// Runs `work` as the inside of a machine, and converts a panic into an error.
    pub(super) fn guarded<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Box<Error>>,
    ) -> Result<T, Box<Error>> {
        inside(|| work(self)).unwrap_or_else(|payload| {
            let (node, eu) = self.acting();
            Err(explain(payload, node, eu))
        })
    }

    /// Divides the time of a run, and the idle part of it, among the nodes of its units.
    pub(super) fn add_times(&self, elapsed: Duration, idle: Duration, by_node: &mut [Counters]) {
        let idle = idle.min(elapsed);
        let apart = self.units.iter().all(|unit| matches!(unit, CoreUnit::Synchronizer(_)));
        let units = self.units.len() as u32;
        for (unit, &node) in (0..units).zip(&self.nodes) {
            // The sum of these parts is exactly the whole.
            let part = |time: Duration| (time * (unit + 1) / units).saturating_sub(time * unit / units);
            let (busy, idle) = (part(elapsed.saturating_sub(idle)), part(idle));
            let Counters { eu_busy, eu_idle, su_busy, su_idle, .. } = &mut by_node[node];
            let (busy_sum, idle_sum) = if apart { (su_busy, su_idle) } else { (eu_busy, eu_idle) };
            *busy_sum += busy;
            *idle_sum += idle;
        }
    }
}
