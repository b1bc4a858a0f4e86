//! Units of a machine's nodes, as the beginning and the end of a run use them on every kind of machine.

use std::any::Any;
use std::time::Instant;

use earth_signal::ActivityView;

use super::gate::{InputGate, ToNode};
use super::panics::inside;
use super::schedule::Orders;
use super::settings::Config;
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::su::Su;
use crate::probe::order::OrderLog;
use crate::probe::records::{Clock, Records};
use crate::vocabulary::counters::Counters;
use crate::vocabulary::decoding::Decoding;
use crate::vocabulary::error::{Error, Stuck};
use crate::vocabulary::layout::BETWEEN_FIBERS;
use crate::vocabulary::origin::Origin;
use crate::vocabulary::unwinding::error_of;
use crate::vocabulary::value::Value;

/// Input of a run on a machine of any kind.
pub(super) struct Program<'a> {
    /// Call of the main function, then the other calls of the beginning.
    pub(super) first: Vec<ToNode>,
    /// Gate for functions that other threads start.
    pub(super) input: Option<&'a InputGate>,
    pub(super) decoding: Decoding,
    pub(super) began: Instant,
}

/// Result of a run on a machine of any kind.
pub(super) struct RunResult {
    /// Value of the run, in the process that has node 0.
    pub(super) value: Option<Value>,
    /// Counters of each node.
    pub(super) by_node: Vec<Counters>,
    /// Virtual time of the run in cycles, on a machine that has virtual time.
    pub(super) cycles: Option<u64>,
}

/// Both units of an SPN node, or one of the two units of a DUAL node.
pub(super) trait Unit {
    /// Resets the unit for a run.
    fn begin(&mut self, decoding: &Decoding, began: Instant);

    /// Returns the numbers of messages sent and received since the run began.
    fn messages(&self) -> (u64, u64);

    /// Returns the execution unit, if this unit runs fibers.
    fn eu(&mut self) -> Option<&mut ExecutionUnit>;

    /// Returns the synchronization unit, if this unit owns the slots of its node.
    fn su(&mut self) -> Option<&mut Su>;
}

/// Units of some or all nodes.
pub(super) trait Units {
    /// Visits each unit, with the number of its node.
    fn each(&mut self, visit: &mut dyn FnMut(usize, &mut dyn Unit));

    fn begin(&mut self, decoding: &Decoding, began: Instant) {
        self.each(&mut |_, unit| unit.begin(decoding, began));
    }

    fn start(&mut self, (node, call): ToNode) -> Result<(), Box<Error>> {
        let (mut call, mut outcome) = (Some(call), Ok(()));
        self.each(&mut |at, unit| {
            if at == node as usize
                && let Some(su) = unit.su()
                && let Some(call) = call.take()
            {
                let started = inside(|| su.start(call));
                outcome = started.unwrap_or_else(|payload| Err(explain(payload, at, unit.eu())));
            }
        });
        debug_assert!(call.is_none(), "each node has a unit that owns its slots");
        outcome
    }

    /// Returns the activity views of the execution units, with their nodes, if the units publish their
    /// fibers.
    fn activities(&mut self) -> Vec<(usize, ActivityView)> {
        let mut activities = Vec::new();
        self.each(&mut |node, unit| {
            activities.extend(unit.eu().and_then(|eu| Some((node, eu.activity()?))));
        });
        activities
    }

    /// Returns the wrapping sums of messages sent and received since the run began.
    fn messages(&mut self) -> (u64, u64) {
        let mut sums = (0_u64, 0_u64);
        self.each(&mut |_, unit| {
            let (sent, received) = unit.messages();
            sums = (sums.0.wrapping_add(sent), sums.1.wrapping_add(received));
        });
        sums
    }

    /// Returns the records of the last run, on a machine that traces.
    fn records(&mut self, clock: Clock) -> Records {
        let (mut fibers, mut signals) = (Vec::new(), Vec::new());
        self.each(&mut |_, unit| {
            let recorder = unit.eu().and_then(|eu| eu.recorder.as_mut());
            fibers.extend(recorder.map(|recorder| recorder.give()));
            let recorder = unit.su().and_then(|su| su.recorder.as_mut());
            signals.extend(recorder.map(|recorder| recorder.give()));
        });
        Records::new(clock, fibers, signals)
    }

    /// Takes the orders in which the units took up work in the last run, on a machine that records them.
    fn orders(&mut self, config: Config, nodes: usize) -> Orders {
        let mut orders = Orders::new(config, nodes);
        self.each(&mut |node, unit| {
            let has_slots = unit.su().is_some();
            let (eu, own) = (unit.eu().map(|eu| eu.su.order.take()), &mut orders.nodes[node]);
            let order = eu.unwrap_or_else(|| unit.su().and_then(|su| su.order.take()));
            own[usize::from(has_slots && config == Config::Dual)] =
                order.map_or_else(OrderLog::default, |order| *order);
        });
        orders
    }

    /// Adds the waiting frames to a report.
    fn report(&mut self, stuck: &mut Stuck) {
        self.each(&mut |node, unit| unit.su().into_iter().for_each(|su| su.frames.report(node, stuck)));
    }

    /// Adds the addresses that frames hold to a report.
    fn collect_addresses(&mut self, stuck: &mut Stuck) {
        self.each(&mut |node, unit| {
            unit.eu().into_iter().for_each(|eu| eu.su.frames.collect_addresses(node, stuck));
        });
    }

    /// Adds the counters of units to the counters of their nodes.
    fn count(&mut self, by_node: &mut [Counters]) {
        self.each(&mut |node, unit| {
            let counters = &mut by_node[node];
            let tokens = unit.su().map(|su| counters.add(&su.counters())).is_none();
            if let Some(eu) = unit.eu() {
                counters.add(&eu.counters);
                if tokens {
                    // The execution unit of a DUAL node has a token queue of its own.
                    counters.tokens_high += eu.su.tokens.private.high() as u64;
                }
            }
        });
    }

    /// Returns the result of a run whose units are quiet, or a report of what still waits.
    fn settle(&mut self, nodes: usize) -> Result<RunResult, Error> {
        let mut stuck = Stuck::default();
        self.report(&mut stuck);
        if !seeded!(EarlyEnd) && !stuck.is_empty() {
            self.collect_addresses(&mut stuck);
            return Err(Error::Stuck(Box::new(stuck)));
        }
        let mut open = 0;
        self.each(&mut |_, unit| open += unit.su().map_or(0, |su| su.frames.gates.len()));
        debug_assert_eq!(open, 0, "an isolated call whose frames have ended has its answer");
        let mut by_node = vec![Counters::default(); nodes];
        self.count(&mut by_node);
        Ok(RunResult { value: self.end(), by_node, cycles: None })
    }

    /// Releases the values that the run began with. Returns the value of the run, if one of these units has
    /// it.
    fn end(&mut self) -> Option<Value> {
        let mut value = None;
        self.each(&mut |_, unit| {
            if let Some(eu) = unit.eu() {
                eu.su.decoding = Decoding::nothing();
            }
            if let Some(su) = unit.su() {
                su.decoding = Decoding::nothing();
                value = value.take().or_else(|| su.result.take());
            }
        });
        value
    }
}

/// Returns the error for a panic of the program, in a unit of `node` that has this execution unit. (If a
/// fiber misused an operation, an earlier error was declared before it unwound, and this one is ignored.)
#[expect(clippy::unnecessary_box_returns, reason = "the error of an outcome is boxed")]
pub(super) fn explain(
    payload: Box<dyn Any + Send>,
    node: usize,
    eu: Option<&mut ExecutionUnit>,
) -> Box<Error> {
    let at = match eu {
        Some(eu) => {
            // The fiber that unwound is no longer running.
            eu.publish_rest();
            eu.fiber_name()
        }
        None => Origin { layout: &BETWEEN_FIBERS, fiber: 0, node: node as u32 }.name(),
    };
    Box::new(error_of(payload, at))
}
