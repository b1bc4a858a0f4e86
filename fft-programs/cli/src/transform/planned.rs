//! The plan of a file, and its run: which kind of plan that is, only this file says.
//!
//! *Real numbers* are transformed as such where the program is the planner's choice: that is half the work and half the
//! memory of complex points. Their rows move apart by a number or two, so that each has room for half its spectrum,
//! which comes where they were. They are taken as complex points, with the imaginary part 0, by an inverse, for which
//! they are a spectrum, and where something was asked for that plans of real numbers have not: a program by its name,
//! several nodes, blocks, groups, a trace.

use std::fmt;
use std::time::{Duration, Instant};

use earth::records::Records;
use earth::{Counters, Machine};
use earth_fft::kernel::Kernel;
use earth_fft::{
    Algorithm, Counts, Direction, Kind, Plan, Planner, Precision, Problem, RealToComplexPlan, Shares,
    TransformError, memory,
};

use super::spectrum::{Spectrum, padded};
use crate::args::Transform;
use crate::failure::Failure;
use crate::output::duration;
use crate::saved;
use crate::signal::Values;
use crate::stop::Stop;
use crate::wisdom::WisdomFile;

/// A plan and what it runs on.
pub(super) enum Planned<T: Precision> {
    /// Of complex points.
    Complex(Box<(Plan<T>, Machine)>),
    /// Of real numbers in rows that are padded.
    Real(Box<RealToComplexPlan<T>>),
}

/// What a run left.
pub(super) struct Ran<T: Precision> {
    pub(super) spectrum: Spectrum<T>,
    pub(super) time: Duration,
    /// The part of the time in which points were put into order.
    pub(super) reordering: Duration,
    pub(super) counters: Counters,
    pub(super) records: Option<Records>,
}

/// What a plan knows of itself.
pub(super) struct Facts {
    /// Whether it takes real numbers.
    pub(super) real: bool,
    pub(super) algorithm: Algorithm,
    pub(super) why: String,
    pub(super) kernel: Kernel,
    /// Nothing if it runs in the thread that asks.
    pub(super) nodes: Option<usize>,
    pub(super) block: Option<usize>,
    /// Nothing where the program does not tell.
    pub(super) in_place: Option<bool>,
    pub(super) groups: Option<Shares>,
    pub(super) counts: Counts,
    /// Remarks, each a sentence for people.
    pub(super) notes: Vec<String>,
}

impl Facts {
    fn of<T: Precision, K: Kind>(plan: &Plan<T, K>, real: bool) -> Self {
        Self {
            real,
            algorithm: plan.algorithm(),
            why: plan.why().to_string(),
            kernel: plan.kernel().clone(),
            nodes: plan.nodes(),
            block: plan.block(),
            in_place: plan.is_in_place(),
            groups: plan.shares().cloned(),
            counts: plan.counts(),
            notes: plan.notes().to_vec(),
        }
    }
}

impl<T: Precision> Planned<T> {
    /// The plan for values that have dimensions of these lengths, if there is memory for its run and for so many bytes
    /// `beside`.
    pub(super) fn new(
        args: &Transform,
        stop: &Stop,
        (lengths, values): (&[usize], &Values<T>),
        traced: bool,
        beside: u64,
    ) -> Result<Self, Failure> {
        let file = WisdomFile::open(args, stop)?;
        let speeds = file.as_ref().map(WisdomFile::speeds).unwrap_or_default();
        let groups = saved::groups(args, lengths, T::NAME, &speeds)?;
        let shared = args.nodes.is_some_and(|nodes| nodes.get() > 1) || args.block.is_some() || traced;
        let free = args.algorithm == Algorithm::Auto && groups.is_none() && !shared;
        let planner = Planner::new()
            .algorithm(args.algorithm)
            .config(args.config)
            .policy(args.turns.policy.unwrap_or_default())
            .cancel_token(stop.cancel.clone())
            .nodes(args.nodes)
            .block(args.block)
            .kernel(args.kernel.clone())
            .effort(args.effort)
            .time_limit(args.time_limit.map(duration))
            .wisdom(file.as_ref().map(WisdomFile::wisdom))
            .groups(groups);
        if let (Values::Real(numbers), true, false) = (values, free, args.inverse) {
            // In place, and on the machine of the planner, whose counters nobody asks for.
            let plan = planner.plan_real_to_complex(&Problem::real_to_complex(lengths).padded())?;
            file.map_or(Ok(()), WisdomFile::save)?;
            let cols = lengths.last().map_or(1, |&cols| cols);
            let more = bytes::<T>((padded(cols) - cols) * (numbers.len() / cols));
            memory::is_there(plan.needed().saturating_add(more).saturating_add(beside))?;
            return Ok(Self::Real(Box::new(plan)));
        }
        let direction = if args.inverse { Direction::Inverse } else { Direction::Forward };
        let plan = planner.plan(&Problem::complex(lengths).direction(direction))?;
        file.map_or(Ok(()), WisdomFile::save)?;
        let machine = planner.machine(plan.nodes().unwrap_or(1)).trace(traced);
        let widened = if let Values::Real(numbers) = values { bytes::<T>(2 * numbers.len()) } else { 0 };
        let needed = plan.needed().saturating_add(widened).saturating_add(machine.footprint());
        memory::is_there(needed.saturating_add(beside))?;
        Ok(Self::Complex(Box::new((plan, machine))))
    }

    /// What the plan knows of itself.
    pub(super) fn facts(&self) -> Facts {
        match self {
            Self::Complex(planned) => Facts::of(&planned.0, false),
            Self::Real(plan) => Facts::of(plan, true),
        }
    }

    /// Transforms the values.
    pub(super) fn run(self, lengths: &[usize], values: Values<T>, stop: &Stop) -> Result<Ran<T>, Failure> {
        match (self, values) {
            (Self::Complex(planned), values) => {
                let (plan, mut machine) = *planned;
                let run = plan.run_on(&mut machine, values.into_points())?;
                Ok(Ran {
                    spectrum: Spectrum::whole(lengths, run.output.into_vec()),
                    time: run.phases.total(),
                    reordering: run.phases.reordering(),
                    counters: run.counters,
                    records: run.records,
                })
            }
            (Self::Real(plan), Values::Real(mut numbers)) => {
                let begin = Instant::now();
                make_room(&mut numbers, lengths.last().map_or(1, |&cols| cols));
                let reordering = begin.elapsed();
                plan.process_padded(&mut numbers)?;
                let time = begin.elapsed();
                if stop.cancel.is_cancelled() {
                    return Err(TransformError::Machine(earth::Error::Cancelled).into());
                }
                let spectrum = Spectrum::half(lengths, numbers);
                Ok(Ran { spectrum, time, reordering, counters: Counters::default(), records: None })
            }
            (Self::Real(..), Values::Complex(_)) => unreachable!("the plan was made for real numbers"),
        }
    }
}

/// The bytes of so many numbers.
fn bytes<T>(numbers: usize) -> u64 {
    (numbers as u64).saturating_mul(size_of::<T>() as u64)
}

/// Moves rows of so many numbers apart so that each has [`padded`] ones, from the last one on.
fn make_room<T: Precision>(numbers: &mut Vec<T>, cols: usize) {
    let rows = numbers.len() / cols;
    numbers.resize(rows * padded(cols), T::zero());
    for row in (1..rows).rev() {
        numbers.copy_within(row * cols..(row + 1) * cols, row * padded(cols));
    }
}

/// The plan, as it tells itself.
impl<T: Precision> fmt::Display for Planned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complex(planned) => planned.0.fmt(f),
            Self::Real(plan) => plan.fmt(f),
        }
    }
}
