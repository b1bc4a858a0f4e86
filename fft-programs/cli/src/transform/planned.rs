//! The plan of a file, and its run: which kind of plan that is, only this file says.
//!
//! *Real numbers* are transformed as such where the planner takes them: that is half the work and half the memory of
//! complex points. Their rows move apart by a number or two, so that each has room for half its spectrum, which comes
//! where they were. They are taken as complex points, with the imaginary part 0, by an inverse, for which they are a
//! spectrum; for what plans of real numbers have not, which are groups of nodes and the programs of the papers; and
//! where several nodes were asked for and the numbers of a series are odd, as nodes share those in pairs.

use std::fmt;
use std::time::{Duration, Instant};

use earth::records::Records;
use earth::{Counters, Machine};
use earth_fft::kernel::Kernel;
use earth_fft::{
    Algorithm, Counts, Direction, Kind, Plan, PlanRun, Planner, Precision, Problem, RealToComplexPlan,
    Shares, memory,
};
use num_complex::Complex;

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
    Real(Box<(RealToComplexPlan<T>, Machine)>),
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
        let mut wisdom = file.as_ref().map(WisdomFile::wisdom);
        if args.measures() {
            wisdom.get_or_insert_default().know_speeds(saved::speeds(T::NAME, &speeds));
        }
        let planner = Planner::new()
            .algorithm(args.algorithm)
            .config(args.config)
            .policy(args.turns.policy.unwrap_or_default())
            .cancel_token(stop.cancel.clone())
            .nodes(args.nodes)
            .block(args.block)
            .barriers(args.barriers())
            .kernel(args.kernel.clone())
            .effort(args.effort)
            .time_limit(args.time_limit.map(duration))
            .wisdom(wisdom)
            .groups(groups);
        let machine = |nodes: Option<usize>| planner.machine(nodes.unwrap_or(1)).trace(traced);
        let several = args.nodes.is_some_and(|nodes| nodes.get() > 1);
        let as_points = args.inverse || several && matches!(lengths, [n] if !n.is_multiple_of(2));
        let real = match values {
            // What this refuses is refused for complex points, too, or is for them alone.
            Values::Real(_) if !as_points => {
                planner.plan_real_to_complex(&Problem::real_to_complex(lengths).padded()).ok()
            }
            _ => None,
        };
        let (planned, needed, footprint) = if let Some(plan) = real {
            let machine = machine(plan.nodes());
            let (needed, footprint) = (plan.needed(), machine.footprint());
            (Self::Real(Box::new((plan, machine))), needed, footprint)
        } else {
            let direction = if args.inverse { Direction::Inverse } else { Direction::Forward };
            let plan = planner.plan(&Problem::complex(lengths).direction(direction))?;
            let machine = machine(plan.nodes());
            let (needed, footprint) = (plan.needed(), machine.footprint());
            (Self::Complex(Box::new((plan, machine))), needed, footprint)
        };
        file.map_or(Ok(()), WisdomFile::save)?;
        let cols = lengths.last().map_or(1, |&cols| cols);
        let widened = match (&planned, values) {
            (Self::Real(_), _) => bytes::<T>((padded(cols) - cols) * (values.len() / cols)),
            (Self::Complex(_), Values::Real(numbers)) => bytes::<T>(2 * numbers.len()),
            (Self::Complex(_), Values::Complex(_)) => 0,
        };
        let all = [needed, footprint, widened, beside];
        memory::is_there(all.into_iter().fold(0, u64::saturating_add))?;
        Ok(planned)
    }

    /// What the plan knows of itself.
    pub(super) fn facts(&self) -> Facts {
        match self {
            Self::Complex(planned) => Facts::of(&planned.0, false),
            Self::Real(planned) => Facts::of(&planned.0, true),
        }
    }

    /// Transforms the values.
    pub(super) fn run(self, lengths: &[usize], values: Values<T>) -> Result<Ran<T>, Failure> {
        match (self, values) {
            (Self::Complex(planned), values) => {
                let (plan, mut machine) = *planned;
                let run = plan.run_on(&mut machine, values.into_points())?;
                Ok(Ran::of(run, Duration::ZERO, |points| Spectrum::whole(lengths, points)))
            }
            (Self::Real(planned), Values::Real(mut numbers)) => {
                let (plan, mut machine) = *planned;
                let begin = Instant::now();
                make_room(&mut numbers, lengths.last().map_or(1, |&cols| cols));
                let moving = begin.elapsed();
                let run = plan.run_on(&mut machine, numbers)?;
                Ok(Ran::of(run, moving, |points| Spectrum::half(lengths, points)))
            }
            (Self::Real(..), Values::Complex(_)) => unreachable!("the plan was made for real numbers"),
        }
    }
}

impl<T: Precision> Ran<T> {
    /// What a run left, before which the numbers were moved for so long.
    fn of<K: Kind<Output<T> = Complex<T>>>(
        run: PlanRun<T, K>,
        moving: Duration,
        spectrum: impl FnOnce(Vec<Complex<T>>) -> Spectrum<T>,
    ) -> Self {
        let PlanRun { output, phases, counters, records, .. } = run;
        Self {
            spectrum: spectrum(output.into_vec()),
            time: moving + phases.total(),
            reordering: moving + phases.reordering(),
            counters,
            records,
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
    // Room for just these, as they are points afterwards.
    numbers.reserve_exact(rows * (padded(cols) - cols));
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
            Self::Real(planned) => planned.0.fmt(f),
        }
    }
}
