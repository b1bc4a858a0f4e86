//! The units that one thread steps.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use earth_memory::NoMemory;
use earth_signal::ActivityView;

use super::queues::Unit;
use super::ranks::RankWay;
use super::simulated::units::{EuSide, SuSide};
use crate::node::dual::Executor;
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::function::Event;
use crate::node::merged::Merged;
use crate::node::step::Step;
use crate::node::su::Su;
use crate::node::verdict::RunVerdict;
use crate::probe::records::{Clock, Records};
use crate::ranks::Mailbox;
use crate::vocabulary::counters::Counters;
use crate::vocabulary::error::{Error, FiberName, Stuck};
use crate::vocabulary::inside::{NoEntry, set_inside};
use crate::vocabulary::value::{Decoding, Value};

impl Unit {
    /// Takes up to `turns` steps, as long as there is anything to do and the run is on. Returns the outcome of the last:
    /// of a single step it says exactly whether anything was done.
    #[inline(always)]
    fn steps(&mut self, turns: u32, verdict: &RunVerdict) -> Result<Step, Box<Error>> {
        if let Unit::Merged(node) = self {
            let worked = if node.eu.is_watched() { node.steps_traced(turns)? } else { node.steps(turns)? };
            return Ok(match worked {
                true => Step::Worked,
                false if node.su().is_spilled() => Step::Holding,
                false => Step::Idle,
            });
        }
        // A turn is one fiber, and a step of an executor runs several.
        let steps = if matches!(self, Unit::Executor(_)) { turns.div_ceil(Executor::FIBERS) } else { turns };
        for _ in 0..steps {
            if verdict.is_over() {
                break;
            }
            let step = match self {
                Unit::Executor(unit) if unit.it.eu.is_watched() => unit.step_traced(),
                Unit::Executor(unit) => unit.step::<false>(),
                Unit::Synchronizer(unit) if unit.su.recorder.is_some() => unit.step_traced()?,
                Unit::Synchronizer(unit) => unit.step()?,
                // A simulated machine steps its units itself.
                Unit::Merged(_) | Unit::Eu(_) | Unit::Su(_) => Step::Idle,
            };
            if step != Step::Worked {
                return Ok(step);
            }
            if turns > 1 && self.is_dry() {
                return Ok(Step::Idle);
            }
        }
        if let Unit::Executor(unit) = self {
            unit.show_early();
        }
        Ok(Step::Worked)
    }

    /// Sets how many messages it takes up at a time, at most as many as its policy says, and how many fibers an executor
    /// runs in a step.
    fn limit(&mut self, batch: u32, fibers: u32) {
        match self {
            Unit::Merged(node) => node.limit(batch),
            Unit::Executor(unit) => unit.limit(batch, fibers),
            Unit::Synchronizer(unit) => unit.limit(batch),
            Unit::Eu(_) | Unit::Su(_) => {}
        }
    }

    /// Whether a unit of a DUAL node has done all that there was to do, and would find no more unless others gave it some.
    #[inline(always)]
    fn is_dry(&self) -> bool {
        match self {
            Unit::Executor(unit) => unit.dry,
            Unit::Synchronizer(unit) => unit.dry,
            Unit::Merged(_) | Unit::Eu(_) | Unit::Su(_) => false,
        }
    }

    /// Whether a step would find anything to do.
    pub(super) fn has_work(&mut self) -> bool {
        match self {
            Unit::Merged(node) => node.has_work(),
            Unit::Executor(unit) => unit.has_work(),
            Unit::Synchronizer(unit) => unit.has_work(),
            Unit::Eu(_) | Unit::Su(_) => false,
        }
    }

    /// Whether anything came for this unit, which had nothing to do when it was stepped last: less to look at than
    /// [`has_work`](Self::has_work) has.
    #[inline(always)]
    fn hears(&mut self) -> bool {
        match self {
            Unit::Merged(node) => node.hears(),
            Unit::Executor(unit) => unit.hears(),
            Unit::Synchronizer(unit) => unit.hears(),
            Unit::Eu(_) | Unit::Su(_) => false,
        }
    }

    pub(super) fn merged(&mut self) -> &mut Merged {
        match self {
            Unit::Merged(merged) => merged,
            _ => unreachable!("a node of one processor has one unit"),
        }
    }

    pub(super) fn su_side(&mut self) -> &mut SuSide {
        match self {
            Unit::Su(side) => side,
            _ => unreachable!("events of a node of two processors come to the second"),
        }
    }

    /// The synchronization unit of this one.
    pub(super) fn su(&mut self) -> &mut Su {
        match self {
            Unit::Merged(merged) => merged.su(),
            Unit::Synchronizer(unit) => &mut unit.su,
            Unit::Su(side) => &mut side.su,
            Unit::Executor(_) | Unit::Eu(_) => {
                unreachable!("an execution unit alone has no synchronization unit")
            }
        }
    }

    /// How many messages the unit has sent and received since the run began.
    fn messages(&mut self) -> (u64, u64) {
        match self {
            Unit::Merged(node) => (node.su().sent, node.su().received),
            Unit::Executor(unit) => (unit.it.eu.su.sent, unit.received + unit.it.eu.su.received),
            Unit::Synchronizer(unit) => (unit.su.sent, unit.su.received),
            Unit::Eu(unit) => (unit.eu.su.sent, unit.received),
            Unit::Su(unit) => (unit.su.sent, unit.su.received),
        }
    }

    fn begin(&mut self, decoding: &Decoding, began: Instant) {
        match self {
            Unit::Merged(node) => node.begin(decoding, began),
            Unit::Executor(unit) => unit.begin(decoding, began),
            Unit::Synchronizer(unit) => unit.begin(decoding),
            Unit::Eu(unit) => unit.begin(decoding, began),
            Unit::Su(unit) => unit.begin(decoding),
        }
    }

    /// Lets go of the values that the run began with.
    fn end(&mut self) {
        let su = match self {
            Unit::Merged(node) => node.su(),
            Unit::Executor(unit) => &mut unit.it.eu.su,
            Unit::Synchronizer(unit) => &mut unit.su,
            Unit::Eu(side) => &mut side.eu.su,
            Unit::Su(side) => &mut side.su,
        };
        su.decoding = Decoding::nothing();
    }

    /// The execution unit of this one, if this unit runs fibers.
    fn eu(&self) -> Option<&ExecutionUnit> {
        match self {
            Unit::Merged(node) => Some(&node.eu),
            Unit::Executor(unit) => Some(&unit.it.eu),
            Unit::Eu(unit) => Some(&unit.eu),
            Unit::Synchronizer(_) | Unit::Su(_) => None,
        }
    }

    fn eu_mut(&mut self) -> Option<&mut ExecutionUnit> {
        match self {
            Unit::Merged(node) => Some(&mut node.eu),
            Unit::Executor(unit) => Some(&mut unit.it.eu),
            Unit::Eu(unit) => Some(&mut unit.eu),
            Unit::Synchronizer(_) | Unit::Su(_) => None,
        }
    }
}

/// What these units wrote down of the last run: all the units of a machine that traces.
pub(super) fn records<'a>(clock: Clock, sets: impl IntoIterator<Item = &'a mut UnitSet>) -> Records {
    let (mut fibers, mut signals) = (Vec::new(), Vec::new());
    for unit in sets.into_iter().flat_map(|set| &mut set.units) {
        let (eu, su) = match unit {
            Unit::Merged(node) => (&mut node.eu.recorder, &mut node.eu.su.recorder),
            Unit::Executor(unit) => (&mut unit.it.eu.recorder, &mut None),
            Unit::Synchronizer(unit) => (&mut None, &mut unit.su.recorder),
            Unit::Eu(side) => (&mut side.eu.recorder, &mut None),
            Unit::Su(side) => (&mut None, &mut side.su.recorder),
        };
        fibers.extend(eu.as_mut().map(|recorder| recorder.give()));
        signals.extend(su.as_mut().map(|recorder| recorder.give()));
    }
    Records::new(clock, fibers, signals)
}

/// The units that one thread steps.
pub(super) struct UnitSet {
    units: Vec<Unit>,
    /// The node of each unit.
    nodes: Vec<usize>,
    /// The unit that is stepped now.
    at: usize,
}

/// Runs `work` as the inside of a machine; a panic becomes its payload.
pub(super) fn inside<T>(work: impl FnOnce() -> T) -> Result<T, Box<dyn Any + Send>> {
    set_inside(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    set_inside(false);
    outcome
}

impl UnitSet {
    /// `nodes` gives the node of each unit.
    pub(super) fn new(units: Vec<Unit>, nodes: Vec<usize>) -> Self {
        UnitSet { units, nodes, at: 0 }
    }

    /// Takes all units of another set after its own.
    pub(super) fn append(&mut self, other: &mut UnitSet) {
        self.units.append(&mut other.units);
        self.nodes.append(&mut other.nodes);
    }

    /// Gives away all units from number `at` on.
    pub(super) fn split_off(&mut self, at: usize) -> UnitSet {
        UnitSet::new(self.units.split_off(at), self.nodes.split_off(at))
    }

    /// Prepares for a run.
    pub(super) fn begin(&mut self, decoding: &Decoding, began: Instant) {
        for unit in &mut self.units {
            unit.begin(decoding, began);
        }
    }

    /// Lets go of the values that the run began with.
    pub(super) fn end(&mut self) {
        self.units.iter_mut().for_each(Unit::end);
    }

    /// Gives a node a call before the run, if its synchronization unit is in this set; or gives the call back.
    pub(super) fn start(&mut self, node: u32, call: Event) -> Result<Option<Event>, Box<Error>> {
        let is_su = |unit: &Unit| !matches!(unit, Unit::Executor(_) | Unit::Eu(_));
        self.guarded(|UnitSet { units, nodes, .. }| {
            let mut units = units.iter_mut().zip(nodes);
            match units.find(|(unit, at)| **at == node as usize && is_su(unit)) {
                Some((unit, _)) => unit.su().start(call).map(|()| None),
                None => Ok(Some(call)),
            }
        })
    }

    /// The synchronization unit of the one node that a process of a machine of ranks has.
    pub(super) fn su(&mut self) -> &mut Su {
        let own = self.units.last_mut();
        own.map_or_else(|| unreachable!("a node has a unit"), Unit::su)
    }

    /// What such a process sends and receives by.
    pub(super) fn mailbox(&mut self) -> &mut Option<Box<Mailbox>> {
        &mut self.su().way::<RankWay>().mailbox
    }

    /// Unit `at`, which is going to act.
    #[inline(always)]
    pub(super) fn unit(&mut self, at: usize) -> &mut Unit {
        self.at = at;
        &mut self.units[at]
    }

    /// The two units of a DUAL node, of which the first is unit `at`, and if one acts it is that.
    #[inline(always)]
    pub(super) fn both(&mut self, at: usize) -> (&mut EuSide, &mut SuSide) {
        self.at = at;
        match &mut self.units[at..at + 2] {
            [Unit::Eu(eu), Unit::Su(su)] => (eu, su),
            _ => unreachable!("a node of two processors has two units"),
        }
    }

    /// Steps each unit, up to `turns` times, as long as it has anything to do and the run is on. Returns the best outcome.
    #[inline(always)]
    pub(super) fn pass(&mut self, turns: u32, verdict: &RunVerdict) -> Result<Step, Box<Error>> {
        let mut best = Step::Idle;
        for at in 0..self.units.len() {
            self.at = at;
            best = best.max(self.units[at].steps(turns, verdict)?);
        }
        Ok(best)
    }

    /// Sets how many messages each unit takes up at a time, at most as many as its policy says, and how many fibers an
    /// executor runs in a step, at most [`Executor::FIBERS`].
    pub(super) fn limit(&mut self, batch: u32, fibers: u32) {
        self.units.iter_mut().for_each(|unit| unit.limit(batch, fibers));
    }

    /// The number of its first unit's node, and whether that unit is the second one of the node (DUAL).
    pub(super) fn first(&self) -> Option<(usize, bool)> {
        Some((*self.nodes.first()?, matches!(self.units.first()?, Unit::Synchronizer(_) | Unit::Su(_))))
    }

    /// The virtual time of its execution units, by node, on a machine that charges for work.
    pub(super) fn clocks(&self) -> impl Iterator<Item = (usize, u64)> {
        self.eus().map(|(node, eu)| (node, eu.su.now))
    }

    /// How many units there are.
    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    /// Whether any unit would find anything to do.
    pub(super) fn has_work(&mut self) -> bool {
        self.units.iter_mut().any(Unit::has_work)
    }

    /// Whether anything came for any unit, when none of them had anything to do.
    #[inline(always)]
    pub(super) fn hears(&mut self) -> bool {
        self.units.iter_mut().any(Unit::hears)
    }

    /// How many messages the units have sent and received since the run began, wrapping.
    pub(super) fn messages(&mut self) -> (u64, u64) {
        self.units
            .iter_mut()
            .map(Unit::messages)
            .fold((0, 0), |sum, unit| (sum.0.wrapping_add(unit.0), sum.1.wrapping_add(unit.1)))
    }

    /// How many fibers the units have run since the run began.
    pub(super) fn fibers(&self) -> u64 {
        self.eus().map(|(_, eu)| eu.counters.fibers).sum()
    }

    /// How many messages the units have sent and received and how many fibers they have run, wrapping.
    pub(super) fn acts(&mut self) -> u64 {
        let (sent, received) = self.messages();
        self.fibers().wrapping_add(sent).wrapping_add(received)
    }

    /// What has changed, wrapping, if anything was done since that another worker may hold something for: an SPN unit has
    /// taken events out of its inbox, another one done anything.
    pub(super) fn freed(&mut self) -> u64 {
        let freed = |unit: &mut Unit| match unit {
            Unit::Merged(node) => node.su().heard,
            Unit::Executor(unit) => {
                unit.it.eu.counters.fibers.wrapping_add(unit.it.eu.su.sent).wrapping_add(unit.received)
            }
            Unit::Synchronizer(unit) => unit.su.sent.wrapping_add(unit.su.received),
            Unit::Eu(unit) => {
                unit.eu.counters.fibers.wrapping_add(unit.eu.su.sent).wrapping_add(unit.received)
            }
            Unit::Su(unit) => unit.su.sent.wrapping_add(unit.su.received),
        };
        self.units.iter_mut().map(freed).fold(0, u64::wrapping_add)
    }

    /// Runs `work` as the inside of a machine: a panic becomes the error it stands for.
    pub(super) fn guarded<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Box<Error>>,
    ) -> Result<T, Box<Error>> {
        inside(|| work(self)).unwrap_or_else(|payload| Err(self.explain(payload)))
    }

    /// The error that a panic of the program's stands for. (A fiber that used an operation wrongly unwinds with
    /// an error that was declared before, so that what this makes of it comes too late.)
    #[expect(clippy::unnecessary_box_returns, reason = "the error of an outcome is boxed")]
    pub(super) fn explain(&self, payload: Box<dyn Any + Send>) -> Box<Error> {
        // The fiber that unwound runs no more.
        self.eus().for_each(|(_, eu)| eu.publish_rest());
        let at = self.units.get(self.at).and_then(Unit::eu).map(ExecutionUnit::fiber_name);
        let node = self.nodes.get(self.at).copied().unwrap_or(0);
        let unit = || FiberName {
            function: "the synchronization unit".to_owned(),
            fiber: "between fibers".to_owned(),
            node,
        };
        let at = at.unwrap_or_else(unit);
        let payload = match payload.downcast::<NoEntry>() {
            Ok(entry) => return Box::new(Error::NoSuchEntry { at, what: entry.0 }),
            Err(payload) => payload,
        };
        let no_memory = payload.downcast_ref::<NoMemory>().cloned();
        let message = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
            (Some(text), _) => (*text).to_owned(),
            (_, Some(text)) => text.clone(),
            _ => "something that is no text".to_owned(),
        };
        quietly(payload);
        Box::new(match no_memory {
            Some(NoMemory { bytes, what }) => Error::NoMemory { at, bytes, what: what.to_owned() },
            None => Error::Panicked { at, message },
        })
    }

    fn sus(&self) -> impl Iterator<Item = (usize, &Su)> {
        self.units.iter().zip(&self.nodes).filter_map(|(unit, &node)| match unit {
            Unit::Merged(merged) => Some((node, &merged.eu.su)),
            Unit::Synchronizer(unit) => Some((node, &unit.su)),
            Unit::Su(side) => Some((node, &side.su)),
            Unit::Executor(_) | Unit::Eu(_) => None,
        })
    }

    fn eus(&self) -> impl Iterator<Item = (usize, &ExecutionUnit)> {
        self.units.iter().zip(&self.nodes).filter_map(|(unit, &node)| Some((node, unit.eu()?)))
    }

    /// Adds what is left to a report.
    pub(super) fn report(&self, stuck: &mut Stuck) {
        self.sus().for_each(|(node, su)| su.frames.report(node, stuck));
    }

    /// Adds to a report which addresses the frames hold whose states are here.
    pub(super) fn look_into(&mut self, stuck: &mut Stuck) {
        for (unit, &node) in self.units.iter_mut().zip(&self.nodes) {
            if let Some(eu) = unit.eu_mut() {
                eu.su.frames.look_into(node, stuck);
            }
        }
    }

    /// The views of its execution units' activities, by node, if they publish their fibers.
    pub(super) fn activities(&self) -> impl Iterator<Item = (usize, ActivityView)> {
        self.eus().filter_map(|(node, eu)| eu.activity().map(|activity| (node, activity)))
    }

    /// Adds its units' counters to those of their nodes.
    pub(super) fn count(&self, by_node: &mut [Counters]) {
        self.sus().for_each(|(node, su)| by_node[node].add(&su.counters()));
        self.eus().for_each(|(node, eu)| by_node[node].add(&eu.counters));
        for (unit, &node) in self.units.iter().zip(&self.nodes) {
            if let Unit::Executor(unit) = unit {
                // The tokens of a node are its execution unit's, and those for thieves the other one's.
                by_node[node].tokens_high += unit.it.eu.su.tokens.high() as u64;
            }
        }
    }

    /// Divides the time of a run, of which its thread was idle for a part, among its units' nodes.
    pub(super) fn add_times(&self, elapsed: Duration, idle: Duration, by_node: &mut [Counters]) {
        let idle = idle.min(elapsed);
        let apart = self.units.iter().all(|unit| matches!(unit, Unit::Synchronizer(_) | Unit::Su(_)));
        let units = self.units.len() as u32;
        for (unit, &node) in (0..units).zip(&self.nodes) {
            // These parts lack no nanosecond of the whole.
            let part = |time: Duration| (time * (unit + 1) / units).saturating_sub(time * unit / units);
            let (busy, idle) = (part(elapsed.saturating_sub(idle)), part(idle));
            let Counters { eu_busy, eu_idle, su_busy, su_idle, .. } = &mut by_node[node];
            let (busy_sum, idle_sum) = if apart { (su_busy, su_idle) } else { (eu_busy, eu_idle) };
            *busy_sum += busy;
            *idle_sum += idle;
        }
    }

    /// The value of the run, if one of these units was given it.
    pub(super) fn take_result(&mut self) -> Option<Value> {
        self.units.iter_mut().find_map(|unit| match unit {
            Unit::Merged(node) => node.su().take_result(),
            Unit::Synchronizer(unit) => unit.su.take_result(),
            Unit::Su(side) => side.su.take_result(),
            Unit::Executor(_) | Unit::Eu(_) => None,
        })
    }
}

/// Drops what is left of a run. A value of the program that panics when it is dropped does not take the caller with
/// it.
pub(super) fn quietly<T>(left: T) {
    let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(left))) else { return };
    // The drop of a payload may panic, too; what it panics with is leaked.
    std::mem::forget(catch_unwind(AssertUnwindSafe(|| drop(payload))));
}
