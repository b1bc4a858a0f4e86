//! Answers requests: chooses the program, the machine and the block size, and keeps the last
//! machine for the next request.

use std::cell::RefCell;
use std::num::NonZeroUsize;

use earth::records::Records;
use earth::{CancelToken, Machine, Policy};
use earth_kernels::Direction;
use num_complex::Complex;

use super::choice::{Choice, choose};
use super::error::TransformError;
use super::line::{Transformed, receiver, row, sender};
use super::matrix::{Sharing, TransformedMatrix, grouped, matrix};
use super::memory;
use super::nodes::MOST_NODES;
use crate::dataflow::Phases;
use crate::dataflow::receiver::Asking;
use crate::precision::Precision;
use crate::request::groups::Shared;
use crate::request::{Config, Counters, Outcome, Parts, ProgramError, Programs, Refusal, Request, Use};

/// The programs of this crate, on machines of real cores.
#[derive(Debug)]
pub struct Library {
    cancel: CancelToken,
    /// Gives the bytes of memory that can be had.
    available: fn() -> u64,
    /// The machine of the last request. Two are never kept, because the threads of each spin for a while after a
    /// run, on cores that the other one may need.
    machine: RefCell<Option<(Kept, Machine)>>,
}

/// The settings of a kept machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Kept {
    config: Config,
    policy: Policy,
    nodes: usize,
    trace: bool,
}

impl Default for Library {
    fn default() -> Self {
        Self::new(CancelToken::new())
    }
}

impl Library {
    /// Programs that end when `cancel` is cancelled.
    pub fn new(cancel: CancelToken) -> Self {
        Self { cancel, available: memory::available, machine: RefCell::default() }
    }

    /// Does `work` on a machine with these settings, which is kept.
    fn with_machine<R>(&self, like: Kept, work: impl FnOnce(&mut Machine) -> R) -> R {
        let mut kept = self.machine.borrow_mut();
        if kept.as_ref().is_some_and(|(kept, _)| *kept != like) {
            *kept = None;
        }
        let (_, machine) = kept.get_or_insert_with(|| (like, self.build(like)));
        work(machine)
    }

    fn build(&self, Kept { config, policy, nodes, trace }: Kept) -> Machine {
        let machine = Machine::threads(nodes).config(config.into()).policy(policy);
        machine.cancel_token(self.cancel.clone()).trace(trace)
    }

    fn run<T: Precision>(
        &self,
        request: &Request,
        samples: Vec<Complex<T>>,
        trace: bool,
    ) -> Result<(Outcome<T>, Option<Records>), ProgramError> {
        self.admit(request, size_of::<Complex<T>>(), 0)?;
        let direction = if request.inverse { Direction::Inverse } else { Direction::Forward };
        let kept = |nodes| Kept { config: request.config, policy: request.policy, nodes, trace };
        let (algorithm_used, nodes, block, done) =
            match choose(request, samples.len(), size_of::<Complex<T>>())? {
                Choice::Sender { nodes, block } => {
                    let run = |machine: &mut Machine| sender(machine, samples, block, direction);
                    ("sender", nodes, Some(block), self.with_machine(kept(nodes), run))
                }
                Choice::Receiver { nodes, asking } => {
                    let name = if asking == Asking::Tree { "receiver" } else { "receiver-shared" };
                    let run = |machine: &mut Machine| receiver(machine, samples, asking, direction);
                    (name, nodes, None, self.with_machine(kept(nodes), run))
                }
                Choice::Matrix { rows, cols, nodes, block } => {
                    let run = |machine: &mut Machine| matrix(machine, rows, cols, samples, block, direction);
                    let mut done = self.with_machine(kept(nodes), run).map_err(because)?;
                    let records = done.records.take();
                    return Ok((of_matrix(done, nodes), records));
                }
                Choice::Shared { rows, cols, sharing, notes } => {
                    let nodes = sharing.groups() * sharing.threads;
                    let run =
                        |machine: &mut Machine| grouped(machine, rows, cols, samples, &sharing, direction);
                    let mut done = self.with_machine(kept(nodes), run).map_err(because)?;
                    let records = done.records.take();
                    return Ok((
                        Outcome { notes, groups: Some(shared(*sharing)), ..of_matrix(done, nodes) },
                        records,
                    ));
                }
                Choice::Row => {
                    let run = |machine: &mut Machine| row(machine, samples, direction);
                    ("row kernel", 1, None, self.with_machine(kept(1), run))
                }
            };
        let done = done.map_err(because)?;
        let Transformed { spectrum, phases, counters, paper_tokens, half_butterflies, records, .. } = done;
        let outcome = Outcome {
            spectrum,
            algorithm_used: algorithm_used.to_owned(),
            nodes,
            block,
            seconds: phases.total().as_secs_f64(),
            parts: parts(&phases),
            units: units(&counters),
            paper_tokens,
            half_butterflies,
            in_place: None,
            groups: None,
            notes: Vec::new(),
            counters: counted(&counters),
        };
        Ok((outcome, records))
    }
}

impl Programs for Library {
    fn admit(&self, request: &Request, sample: usize, beside: u64) -> Result<(), Refusal> {
        request.check()?;
        if let Some(nodes) = request.nodes.map(NonZeroUsize::get).filter(|&nodes| nodes > MOST_NODES) {
            return Err(Refusal::NoSuchMachine { nodes, most: MOST_NODES });
        }
        let points = request.samples()?;
        let in_hand = (points as u64).saturating_mul(sample as u64);
        let choice = choose(request, points, sample)?;
        let need = memory::need(&choice, request.config, points, sample);
        let (needed, available) = ((need - in_hand.min(need)).saturating_add(beside), (self.available)());
        if needed > available { Err(Refusal::TooLittleMemory { needed, available }) } else { Ok(()) }
    }

    fn transform<T: Precision>(
        &self,
        request: &Request,
        samples: Vec<Complex<T>>,
    ) -> Result<Outcome<T>, ProgramError> {
        self.run(request, samples, false).map(|(outcome, _)| outcome)
    }

    fn traced<T: Precision>(
        &self,
        request: &Request,
        samples: Vec<Complex<T>>,
    ) -> Result<(Outcome<T>, Records), ProgramError> {
        let (outcome, records) = self.run(request, samples, true)?;
        Ok((outcome, records.unwrap_or_default()))
    }
}

fn because(error: TransformError) -> ProgramError {
    match error {
        TransformError::Machine(earth::Error::Cancelled) => ProgramError::Interrupted,
        error => ProgramError::Machine(Box::new(error)),
    }
}

fn of_matrix<T>(done: TransformedMatrix<T>, nodes: usize) -> Outcome<T> {
    let TransformedMatrix { spectrum, phases, counters, blocks, in_place, .. } = done;
    Outcome {
        spectrum,
        algorithm_used: "grouped".to_owned(),
        nodes,
        block: Some(blocks[0]),
        seconds: phases.total().as_secs_f64(),
        parts: parts(&phases),
        units: units(&counters),
        paper_tokens: 0,
        half_butterflies: 0,
        in_place: Some(in_place),
        groups: None,
        notes: Vec::new(),
        counters: counted(&counters),
    }
}

fn shared(sharing: Sharing) -> Shared {
    let Sharing { threads, distribution, strides, chirps, spectrum, kernel, barrier, .. } = sharing;
    Shared { threads, distribution, strides, chirps, spectrum, kernel, barrier }
}

fn counted(counters: &earth::Counters) -> Counters {
    Counters {
        fibers: counters.fibers,
        tokens: counters.tokens,
        invokes: counters.invokes,
        signals: counters.signals,
        bytes_moved: counters.bytes_moved,
    }
}

fn parts(phases: &Phases) -> Parts {
    Parts {
        setup: phases.setup().as_secs_f64(),
        local: phases.local().as_secs_f64(),
        multithreaded: phases.multithreaded().as_secs_f64(),
        reordering: phases.reordering().as_secs_f64(),
    }
}

fn units(counters: &earth::Counters) -> Use {
    Use {
        eu_busy: counters.eu_busy.as_secs_f64(),
        eu_idle: counters.eu_idle.as_secs_f64(),
        su_busy: counters.su_busy.as_secs_f64(),
        su_idle: counters.su_idle.as_secs_f64(),
    }
}

#[cfg(test)]
#[path = "library_tests.rs"]
mod tests;
