//! The programs that take turns: their plans, their memory, their calls and their times.
//!
//! All but FFTW-MPI transform the same memory. FFTW-MPI has memory of its own for each plan.

use std::time::Instant;

use earth::Machine;
use earth_console::Failure;
use earth_console::progress::Progress;
use earth_fft::distributed::{DistributedPlan, Order};
use earth_fft::kernel::RowOptions;
use earth_fft::{Complex, Direction, Planner, Problem};
use earth_fftw_mpi::{Effort, FftwMpi, Planned};
use earth_lab::overlap::measured::{Parts, Program};
use earth_papers::overlap::{Layout, OverlapPlan, OverlapSettings, Parameters, Rounds, Size, Times, Variant};
use earth_report::spread::Spread;

use super::isend::Isend;
use super::spectrum::Spectrum;
use crate::args::Overlap;
use crate::ranks::{Ranks, Refused};
use crate::refusal::Refusal;

/// Transforms of FFTW-MPI: with this effort, in transposed order or not.
const OF_FFTW: [(Program, Effort, bool); 5] = [
    (Program::FftwMeasure, Effort::Measure, true),
    (Program::FftwMeasureNatural, Effort::Measure, false),
    (Program::FftwPatient, Effort::Patient, true),
    (Program::FftwPatientNatural, Effort::Patient, false),
    (Program::FftwExhaustive, Effort::Exhaustive, true),
];

/// A transform by one contestant.
pub(super) struct Turn {
    /// Time of the slowest rank.
    pub(super) seconds: f64,
    /// Parts of the time in seconds that this rank knows, if the program counts them.
    pub(super) times: Option<[f64; Parts::COUNT]>,
}

/// Planned transform.
enum Plan<'a> {
    Overlap(OverlapPlan<f64>),
    Slab(DistributedPlan<f64>, Order),
    Fftw(Planned<'a>, bool),
    Isend(Isend),
}

struct Contestant<'a> {
    program: Program,
    plan: Plan<'a>,
    /// Time of planning on this rank in seconds.
    planning: f64,
}

/// All programs. The first one is NEW.
pub(super) struct Contestants<'a> {
    rank: usize,
    layout: Layout,
    all: Vec<Contestant<'a>>,
}

impl<'a> Contestants<'a> {
    /// Plans all programs, with the parameters of NEW and of TH. All ranks make this call.
    ///
    /// Rank 0 says so if FFTW-MPI divides the array in another way than the other programs.
    pub(super) fn plan(
        ranks: &Ranks,
        args: &Overlap,
        lengths: [usize; 3],
        [new, th]: [Parameters; 2],
        fftw: Option<&'a FftwMpi>,
    ) -> Result<Self, Refused> {
        let shown = ranks.is_first().then(|| Progress::endless("planning"));
        let size = Size { lengths, ranks: ranks.count() };
        let layout = Layout::of_paper(lengths);
        let mut contestants = Self { rank: ranks.rank(), layout, all: Vec::new() };
        let rounds = if args.pairwise { Rounds::Pairwise } else { Rounds::AllAtOnce };
        for (program, settings) in settings(&size, layout, rounds, [new, th]) {
            contestants.add(ranks, program, || Ok(Plan::Overlap(overlap(&size, &settings)?)))?;
        }
        for (program, order) in [(Program::Slab, Order::Transposed), (Program::SlabNatural, Order::Natural)] {
            let (planner, problem) = (Planner::new(), Problem::complex(&lengths));
            let plan = || Ok(Plan::Slab(planner.plan_distributed(&problem, ranks.count(), order)?, order));
            contestants.add(ranks, program, plan)?;
        }
        if let Some(fftw) = fftw.filter(|fftw| shares_are_equal(ranks, fftw, &size)) {
            for (program, effort, is_transposed) in OF_FFTW {
                if effort == Effort::Exhaustive && !args.exhaustive {
                    continue;
                }
                let planned = || fftw.plan(&lengths, is_transposed, effort).map_err(Failure::work);
                contestants.add(ranks, program, || Ok(Plan::Fftw(planned()?, is_transposed)))?;
            }
        }
        for (program, variant) in [(Program::Isend, Variant::New), (Program::Isend0, Variant::New0)] {
            let settings = OverlapSettings {
                variant,
                parameters: Some(new),
                layout: Some(layout),
                ..OverlapSettings::default()
            };
            let plan = || Ok(Plan::Isend(Isend::new(ranks, overlap(&size, &settings)?, variant)?));
            contestants.add(ranks, program, plan)?;
        }
        drop(shown);
        Ok(contestants)
    }

    /// Adds a program by its plan. All ranks make this call.
    fn add(
        &mut self,
        ranks: &Ranks,
        program: Program,
        plan: impl FnOnce() -> Result<Plan<'a>, Failure>,
    ) -> Result<(), Refused> {
        let begin = Instant::now();
        let plan = plan();
        let planning = begin.elapsed().as_secs_f64();
        self.all.push(Contestant { program, plan: ranks.agree(plan)?, planning });
        Ok(())
    }

    /// Returns the number of programs.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Returns a program.
    pub(super) fn program(&self, contestant: usize) -> Program {
        self.all[contestant].program
    }

    /// Returns the time of planning on this rank in seconds.
    pub(super) fn planning(&self, contestant: usize) -> f64 {
        self.all[contestant].planning
    }

    /// Returns the order of NEW's spectrum.
    pub(super) fn layout(&self) -> Layout {
        self.layout
    }

    /// Returns the number of points of this rank, of the program that needs the most.
    pub(super) fn points(&self) -> usize {
        self.all.iter().filter_map(|contestant| contestant.plan.local_len(self.rank)).max().unwrap_or(0)
    }

    /// Returns the memory that a program transforms, of the shared points or its own.
    pub(super) fn memory<'p>(
        &'p mut self,
        contestant: usize,
        points: &'p mut [Complex<f64>],
    ) -> &'p mut [Complex<f64>] {
        let plan = &mut self.all[contestant].plan;
        match (plan.local_len(self.rank), plan) {
            (_, Plan::Fftw(planned, _)) => planned.points(),
            (own, _) => &mut points[..own.unwrap_or(0)],
        }
    }

    /// Transforms. Returns the parts of the time. All ranks make this call.
    pub(super) fn execute(
        &mut self,
        contestant: usize,
        machine: &mut Machine,
        points: &mut [Complex<f64>],
    ) -> Result<Option<[f64; Parts::COUNT]>, Failure> {
        let plan = &mut self.all[contestant].plan;
        let points = &mut points[..plan.local_len(self.rank).unwrap_or(0)];
        match plan {
            Plan::Overlap(plan) => Ok(Some(greatest(&plan.process_slab(machine, points)?.value))),
            Plan::Slab(plan, _) => {
                plan.process_slab(machine, points)?;
                Ok(None)
            }
            Plan::Fftw(planned, _) => {
                planned.execute();
                Ok(None)
            }
            Plan::Isend(isend) => Ok(Some(greatest(&[isend.execute(points)?]))),
        }
    }

    /// Returns where the points of a program's spectrum are.
    pub(super) fn spectrum(&self, contestant: usize) -> Spectrum {
        match &self.all[contestant].plan {
            Plan::Overlap(plan) => Spectrum::AlongY(plan.layout().output()),
            Plan::Isend(isend) => Spectrum::AlongY(isend.layout().output()),
            Plan::Slab(_, Order::Transposed) => Spectrum::AlongY([0, 1, 2]),
            Plan::Fftw(_, true) => Spectrum::AlongY([1, 0, 2]),
            Plan::Slab(..) | Plan::Fftw(_, false) => Spectrum::AlongX,
        }
    }
}

impl Plan<'_> {
    /// Returns the number of points of a rank, or `None` for a plan with memory of its own.
    fn local_len(&self, rank: usize) -> Option<usize> {
        match self {
            Plan::Overlap(plan) => Some(plan.local_len(rank)),
            Plan::Slab(plan, _) => Some(plan.local_len(rank)),
            Plan::Isend(isend) => Some(isend.local_len()),
            Plan::Fftw(..) => None,
        }
    }
}

/// Returns the programs of the runtime with their settings.
fn settings(
    size: &Size,
    layout: Layout,
    rounds: Rounds,
    [new, th]: [Parameters; 2],
) -> [(Program, OverlapSettings); 7] {
    let of = |variant, parameters| OverlapSettings {
        variant,
        parameters: Some(parameters),
        rounds,
        layout: Some(layout),
        returns: false,
    };
    let whole = Parameters { pack: [size.largest(0), new.tile], unpack: [size.largest(1), new.tile], ..new };
    let other = match layout {
        Layout::PlanesFirst => Layout::RowsFirst,
        Layout::RowsFirst => Layout::PlanesFirst,
    };
    [
        (Program::New, of(Variant::New, new)),
        (Program::New0, of(Variant::New0, new)),
        (Program::NewUntiled, of(Variant::New, whole)),
        (Program::NewOtherLayout, OverlapSettings { layout: Some(other), ..of(Variant::New, new) }),
        (Program::Th, of(Variant::Th, th)),
        (Program::Th0, of(Variant::Th0, th)),
        (Program::Dataflow, of(Variant::Dataflow, new)),
    ]
}

fn overlap(size: &Size, settings: &OverlapSettings) -> Result<OverlapPlan<f64>, Failure> {
    let (problem, options) = (Problem::complex(&size.lengths), RowOptions::from(Direction::Forward));
    OverlapPlan::new(&problem, size.ranks, settings, Some(&options)).map_err(Failure::from)
}

/// Returns whether FFTW-MPI divides x and y among the ranks as the other programs do. If not, rank 0 says so.
fn shares_are_equal(ranks: &Ranks, fftw: &FftwMpi, size: &Size) -> bool {
    let share = |planned: Planned<'_>| {
        let own = [0, 1].map(|dimension| size.part(dimension, ranks.rank()));
        let is_equal = own == [planned.rows(), planned.spectrum_rows()];
        if is_equal { Ok(()) } else { Err(Refusal::UnevenShares(size.lengths.to_vec()).into()) }
    };
    let planned = fftw.plan(&size.lengths, true, Effort::Estimate).map_err(Failure::work);
    let agreed = ranks.agree(planned.and_then(share));
    if let Err(refused) = &agreed {
        refused.tell(ranks);
    }
    agreed.is_ok()
}

/// Returns the greatest of each part of these times in seconds.
fn greatest(times: &[Times]) -> [f64; Parts::COUNT] {
    let mut all = [0.0_f64; Parts::COUNT];
    for times in times {
        for (all, own) in all.iter_mut().zip(Parts::values_of(times)) {
            *all = all.max(own);
        }
    }
    all
}

/// Returns the medians of the parts of the time, of the slowest rank in each. All ranks make this call.
pub(super) fn parts(ranks: &Ranks, turns: &[Turn]) -> Option<Parts> {
    let times = turns.iter().map(|turn| turn.times).collect::<Option<Vec<_>>>()?;
    let median =
        |part: usize| Spread::of(times.iter().map(|times| ranks.greatest(times[part])).collect()).median;
    Some(Parts::of(std::array::from_fn(median)))
}
