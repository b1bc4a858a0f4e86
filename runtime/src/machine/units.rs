//! The units of a machine's nodes, as the beginning and the end of a run see them, whoever steps them in between.

use std::any::Any;
use std::time::Instant;

use earth_memory::NoMemory;
use earth_signal::ActivityView;

use super::gate::{Gate, ToNode};
use super::panics::{inside, quietly};
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::su::Su;
use crate::probe::records::{Clock, Records};
use crate::vocabulary::counters::Counters;
use crate::vocabulary::error::{Error, Stuck};
use crate::vocabulary::inside::NoEntry;
use crate::vocabulary::layout::BETWEEN_FIBERS;
use crate::vocabulary::origin::Origin;
use crate::vocabulary::value::{Decoding, Value};

/// The input of a run on a machine of any kind.
pub(super) struct Program<'a> {
    /// The call of the main function, then those that begin with it.
    pub(super) first: Vec<ToNode>,
    /// The gate for functions that other threads start.
    pub(super) input: Option<&'a Gate>,
    pub(super) decoding: Decoding,
    pub(super) began: Instant,
}

/// The result of a run on a machine of any kind.
pub(super) struct Outcome {
    /// The value, in the process that has node 0.
    pub(super) value: Option<Value>,
    /// The counters of each node.
    pub(super) by_node: Vec<Counters>,
    /// The virtual time of the run, on a machine that has such a time.
    pub(super) cycles: Option<u64>,
}

/// Both units of a node, or one of the two of a DUAL node.
pub(super) trait Unit {
    /// Prepares for a run, as new.
    fn begin(&mut self, decoding: &Decoding, began: Instant);

    /// The numbers of messages that it has sent and received since the run began.
    fn messages(&self) -> (u64, u64);

    /// The execution unit, if this unit runs fibers.
    fn eu(&mut self) -> Option<&mut ExecutionUnit>;

    /// The synchronization unit, if this unit owns the slots of its node.
    fn su(&mut self) -> Option<&mut Su>;
}

/// The units of some or all nodes.
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

    /// The views of the execution units' activities, by node, if the units publish their fibers.
    fn activities(&mut self) -> Vec<(usize, ActivityView)> {
        let mut activities = Vec::new();
        self.each(&mut |node, unit| {
            activities.extend(unit.eu().and_then(|eu| Some((node, eu.activity()?))));
        });
        activities
    }

    /// The sums of messages that were sent and received since the run began, wrapping.
    fn messages(&mut self) -> (u64, u64) {
        let mut sums = (0_u64, 0_u64);
        self.each(&mut |_, unit| {
            let (sent, received) = unit.messages();
            sums = (sums.0.wrapping_add(sent), sums.1.wrapping_add(received));
        });
        sums
    }

    /// The records of the last run, on a machine that traces.
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

    /// Adds the frames that wait to a report.
    fn report(&mut self, stuck: &mut Stuck) {
        self.each(&mut |node, unit| unit.su().into_iter().for_each(|su| su.frames.report(node, stuck)));
    }

    /// Adds to a report the addresses that frames hold.
    fn look_into(&mut self, stuck: &mut Stuck) {
        self.each(&mut |node, unit| {
            unit.eu().into_iter().for_each(|eu| eu.su.frames.look_into(node, stuck));
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
                    // An execution unit alone keeps tokens of its own.
                    counters.tokens_high += eu.su.tokens.private.high() as u64;
                }
            }
        });
    }

    /// The result of a run whose units are quiet, or a report of what still waits.
    fn settle(&mut self, nodes: usize) -> Result<Outcome, Error> {
        let mut stuck = Stuck::default();
        self.report(&mut stuck);
        if !seeded!(EarlyEnd) && !stuck.is_empty() {
            self.look_into(&mut stuck);
            return Err(Error::Stuck(Box::new(stuck)));
        }
        let mut by_node = vec![Counters::default(); nodes];
        self.count(&mut by_node);
        Ok(Outcome { value: self.end(), by_node, cycles: None })
    }

    /// Lets go of the values that the run began with. Returns the value of the run, if one of these units has it.
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

/// The error that a panic of the program's stands for, in a unit of `node` that has this execution unit. (A fiber that
/// used an operation wrongly unwinds with an error that was declared before, so this one comes too late.)
#[expect(clippy::unnecessary_box_returns, reason = "the error of an outcome is boxed")]
pub(super) fn explain(
    payload: Box<dyn Any + Send>,
    node: usize,
    eu: Option<&mut ExecutionUnit>,
) -> Box<Error> {
    let at = match eu {
        Some(eu) => {
            // The fiber that unwound runs no more.
            eu.publish_rest();
            eu.fiber_name()
        }
        None => Origin { layout: &BETWEEN_FIBERS, fiber: 0, node: node as u32 }.name(),
    };
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
