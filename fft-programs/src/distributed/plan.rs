//! Plans of distributed transforms, and their calls.

use std::fmt;

use earth::{Block, Machine, Run, Shared};
use earth_kernels::Real;
use earth_memory::{lend, lend_for_reading};
use earth_serial::{Array, CallError};
use num_complex::Complex;

use super::deal::{Parts, gather, scatter};
use super::distribution::Part;
use super::program::{Arrays, DistributedCall, Second};
use super::rank_arrays::{RankArrays, run_or_serve};
use super::rank_plan::RankPlan;
use super::route::{Cuts, Order, Route};
use crate::dataflow::cut::Cut;
use crate::dataflow::points::Points;
use crate::kernel::RowOptions;
use crate::plan::TransformError;
use crate::planner::PlanError;
use crate::precision::Precision;
use crate::problem::{ComplexToComplex, ComplexToReal, Kind, Problem, RealToComplex, Slices};
use crate::solver::bytes;

/// Plan of a transform whose arrays are distributed over the ranks of a machine. See
/// [`Planner::plan_distributed`](crate::Planner::plan_distributed) and the [module](super).
///
/// A rank is a node of the machine. Every process has a plan of the same problem, ranks and order, and makes
/// the same calls with the arrays of its own ranks, one after the other. On a machine of threads, one process
/// has all ranks.
///
/// `Display` describes the stages.
pub struct DistributedPlan<T: Precision, K: Kind = ComplexToComplex> {
    problem: Problem<K>,
    order: Order,
    plan: Shared<RankPlan<T>>,
}

impl<T: Precision, K: Kind> DistributedPlan<T, K> {
    /// Plans a problem. Without `options` the plan is for phantoms.
    pub(crate) fn new(
        problem: &Problem<K>,
        ranks: usize,
        order: Order,
        cuts: Cuts<'_>,
        options: Option<&RowOptions>,
    ) -> Result<Self, PlanError> {
        if ranks == 0 {
            return Err(PlanError::NoSuchMachine { nodes: 0, most: Machine::MOST_NODES });
        }
        PlanError::check_nodes(ranks)?;
        problem.shape().check()?;
        if !problem.is_dense() {
            return Err(PlanError::Gaps);
        }
        cuts.shares().map_or(Ok(()), |shares| shares.check(problem))?;
        if order == Order::Root && problem.is_real() {
            return Err(PlanError::RootOfReal);
        }
        let route = Route::new(problem, ranks, order, cuts);
        if u32::try_from(route.greatest().saturating_mul(2)).is_err() {
            return Err(PlanError::TooManySamples);
        }
        let plan = Shared::new(RankPlan::new(problem, route, cuts.shares(), options)?);
        Ok(Self { problem: problem.clone(), order, plan })
    }

    /// Returns the problem.
    pub fn problem(&self) -> &Problem<K> {
        &self.problem
    }

    /// Returns the number of ranks: the number of nodes of the machine.
    pub fn ranks(&self) -> usize {
        self.plan.route().ranks()
    }

    /// Returns the order of the spectrum.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns the part of the input that a rank has: of points, or of real numbers.
    ///
    /// # Panics
    ///
    /// If there is no such rank.
    #[track_caller]
    pub fn local_input(&self, rank: usize) -> Part {
        self.end(false, rank)
    }

    /// Returns the part of the output that a rank has: of points, or of real numbers.
    ///
    /// # Panics
    ///
    /// If there is no such rank.
    #[track_caller]
    pub fn local_output(&self, rank: usize) -> Part {
        self.end(true, rank)
    }

    /// Returns the number of points of a rank's array of points. It has room for the rank's points of the
    /// input and of the output, which are at its beginning.
    ///
    /// # Panics
    ///
    /// If there is no such rank.
    #[track_caller]
    pub fn local_len(&self, rank: usize) -> usize {
        let len = |output| if self.has_numbers(output) { 0 } else { self.end(output, rank).len() };
        len(false).max(len(true))
    }

    /// Returns the bytes that a rank takes at most during a call besides its arrays: the tiles that it sends,
    /// the tiles that arrive, and memory for the transform of a chunk. In a process with several ranks, the
    /// tiles between them count only once. The plan keeps the memory for its next call.
    ///
    /// # Panics
    ///
    /// If there is no such rank.
    #[track_caller]
    pub fn tile_bytes(&self, rank: usize) -> u64 {
        self.check(rank);
        let route = self.plan.route();
        let sent = (0..route.exchanges()).map(|stage| route.sent(stage, rank)).max().unwrap_or(0);
        let arrived = (1..=route.exchanges()).map(|stage| route.arrived(stage, rank)).max().unwrap_or(0);
        let temporary =
            (0..=route.exchanges()).map(|stage| self.plan.temporary(stage, rank)).max().unwrap_or(0);
        bytes::<T>((sent + arrived + temporary) as u64)
    }

    /// Returns the bytes of tiles that the plan keeps for its next call.
    pub fn kept_bytes(&self) -> usize {
        self.plan.kept_bytes()
    }

    #[track_caller]
    fn check(&self, rank: usize) {
        let ranks = self.ranks();
        assert!(rank < ranks, "the plan is for {ranks} ranks, so there is no rank {rank}");
    }

    /// Returns whether the input or the output has real numbers.
    fn has_numbers(&self, output: bool) -> bool {
        self.problem.numbers() == Some(usize::from(output))
    }

    #[track_caller]
    fn end(&self, output: bool, rank: usize) -> Part {
        self.check(rank);
        let part = self.plan.route().end(output, rank);
        if !self.has_numbers(output) {
            return part;
        }
        // No rank boundary cuts the last dimension of real numbers.
        let last = match (self.plan.route().real_series(), self.problem.lengths().last()) {
            (None, Some(&last)) => last,
            (Some(series), _) if !series.is_widened() => 2 * part.length(2),
            _ => return part,
        };
        part.with_last(0..last)
    }

    /// Scatters the whole input of rank 0. Returns the input of the ranks of this process, one after the
    /// other, as the calls of the plan take it: points with [`local_len`](Self::local_len) points for each
    /// rank, or real numbers. Every process makes this call. Only rank 0 has the `whole` input, in row-major
    /// order.
    ///
    /// # Errors
    ///
    /// No input on rank 0 or one of another length, a machine with [another number of
    /// nodes](TransformError::OtherMachine), too little memory, or an error of the machine.
    pub fn scatter(
        &self,
        machine: &mut Machine,
        whole: Option<&[K::Input<T>]>,
    ) -> Result<Vec<K::Input<T>>, TransformError> {
        scatter(machine, self.parts(machine, false)?, whole)
    }

    /// Gathers the output of all ranks on rank 0, which gets the whole output in row-major order. `output`
    /// has the output of the ranks of this process, as the calls of the plan leave it. Every process makes
    /// this call. Returns `None` in other processes than rank 0's.
    ///
    /// # Errors
    ///
    /// The errors of [`scatter`](Self::scatter).
    pub fn gather(
        &self,
        machine: &mut Machine,
        output: &[K::Output<T>],
    ) -> Result<Option<Vec<K::Output<T>>>, TransformError> {
        gather(machine, self.parts(machine, true)?, output)
    }

    /// Returns the parts of the input or of the output, and the lengths of the arrays that have them.
    fn parts(&self, machine: &Machine, output: bool) -> Result<Parts, TransformError> {
        self.check_machine(machine)?;
        let parts: Vec<_> = (0..self.ranks()).map(|rank| self.end(output, rank)).collect();
        let len =
            |rank: usize| if self.has_numbers(output) { parts[rank].len() } else { self.local_len(rank) };
        let lens = (0..self.ranks()).map(len).collect();
        Ok(Parts { whole: Part::hull(&parts), by_rank: parts, lens })
    }

    /// Predicts the time and counters of a call on a simulated machine, without points.
    ///
    /// # Errors
    ///
    /// A plan that is not [for phantoms](crate::Planner::phantom), a machine that is not simulated or has
    /// another number of nodes, or an error of the machine.
    pub fn run_phantom_on(&self, machine: &mut Machine) -> Result<Run<()>, TransformError> {
        if !machine.is_simulated() {
            return Err(TransformError::NotSimulated);
        }
        if !self.plan.is_phantom() {
            return Err(TransformError::Phantom);
        }
        self.check_machine(machine)?;
        let arrays = (0..self.ranks()).map(|rank| {
            let points = Block::phantom(1, self.local_len(rank))?;
            let second = match self.problem.numbers() {
                None => Second::None,
                Some(array) => Second::Numbers(Block::phantom(1, self.end(array == 1, rank).len())?),
            };
            Ok(Arrays { points, second })
        });
        let arrays = arrays.collect::<Result<Vec<_>, TransformError>>()?;
        self.run(machine, Ok(arrays))
    }

    /// Transforms the arrays of the ranks of this process.
    fn call(&self, machine: &mut Machine, slices: Slices<'_, T>) -> Result<Run<()>, TransformError> {
        if self.plan.is_phantom() {
            return Err(TransformError::Phantom);
        }
        self.check_machine(machine)?;
        let own = machine.own_nodes();
        let cut = |len: &dyn Fn(usize) -> usize| Cut::of(&own.clone().map(len).collect::<Vec<_>>());
        let points = cut(&|rank| self.local_len(rank));
        let second = match self.problem.numbers() {
            None => cut(&|rank| self.local_input(rank).len()),
            Some(array) => cut(&|rank| self.end(array == 1, rank).len()),
        };
        if let Err(wrong) = check(&slices, [&points, &second]) {
            // The other ranks make this call, too, and must learn that it fails.
            let _ = self.run(machine, Err(wrong.to_string()));
            return Err(wrong.into());
        }
        let mut run = |all: Points<T>, seconds: Vec<Second<T>>| {
            let arrays =
                points.split_cols(all).zip(seconds).map(|(points, second)| Arrays { points, second });
            self.run(machine, Ok(arrays.collect()))
        };
        match slices {
            Slices::InPlace(all) => {
                let none = points.rows().map(|_| Second::None).collect();
                lend(all, 1, all.len(), |all| run(all, none))?
            }
            Slices::OutOfPlace(input, all) => lend_for_reading(input, 1, input.len(), |input| {
                let input = second.split_cols(input).map(Second::Input).collect();
                lend(all, 1, all.len(), |all| run(all, input))
            })??,
            Slices::RealToComplex(numbers, all) => lend_for_reading(numbers, 1, numbers.len(), |numbers| {
                let numbers = second.split_cols(numbers).map(Second::Numbers).collect();
                lend(all, 1, all.len(), |all| run(all, numbers))
            })??,
            Slices::ComplexToReal(all, numbers) => lend(numbers, 1, numbers.len(), |numbers| {
                let numbers = second.split_cols(numbers).map(Second::Numbers).collect();
                lend(all, 1, all.len(), |all| run(all, numbers))
            })??,
            Slices::Padded(_) => unreachable!("a distributed plan has no calls on padded rows"),
        }
    }

    /// Runs the program, or takes part in the run that rank 0 begins. Returns this process's run.
    fn run(
        &self,
        machine: &mut Machine,
        arrays: Result<Vec<Arrays<T>>, String>,
    ) -> Result<Run<()>, TransformError> {
        let first = machine.own_nodes().start;
        let arrays = RankArrays::new(first, arrays);
        let call = Shared::new(DistributedCall { plan: self.plan.clone(), arrays });
        run_or_serve(machine, call, T::run_distributed)
    }

    /// Checks that the machine has a node for each rank.
    fn check_machine(&self, machine: &Machine) -> Result<(), TransformError> {
        let (planned, nodes) = (self.ranks(), machine.node_count());
        if nodes == planned { Ok(()) } else { Err(TransformError::OtherMachine { planned, nodes }) }
    }
}

impl<T: Precision> DistributedPlan<T> {
    /// Transforms the array of each rank of this process in place. Every process makes this call.
    ///
    /// `points` has [`local_len`](Self::local_len) points for each rank of the process, one rank after the
    /// other. The rank's [part of the input](Self::local_input) is at the beginning of its points, and its
    /// [part of the output](Self::local_output) replaces it. The points behind it are unspecified afterwards.
    ///
    /// # Errors
    ///
    /// A slice of another length on any rank, a machine with [another number of
    /// nodes](TransformError::OtherMachine), too little memory, or an error of the machine. All ranks get an
    /// error, and the contents of the points are unspecified. With a wrong length they are unchanged.
    pub fn process_slab(
        &self,
        machine: &mut Machine,
        points: &mut [Complex<T>],
    ) -> Result<Run<()>, TransformError> {
        self.call(machine, Slices::InPlace(points))
    }

    /// Transforms the array of each rank of this process, from one slice to another. Every process makes this
    /// call.
    ///
    /// `input` has each rank's [part of the input](Self::local_input) and is only read. `points` is as in
    /// [`process_slab`](Self::process_slab), and receives the output.
    ///
    /// # Errors
    ///
    /// The errors of [`process_slab`](Self::process_slab).
    pub fn process_slab_out_of_place(
        &self,
        machine: &mut Machine,
        input: &[Complex<T>],
        points: &mut [Complex<T>],
    ) -> Result<Run<()>, TransformError> {
        self.call(machine, Slices::OutOfPlace(input, points))
    }
}

impl<T: Precision> DistributedPlan<T, RealToComplex> {
    /// Transforms the real numbers of each rank of this process into its points. Every process makes this
    /// call.
    ///
    /// `numbers` has each rank's [part of the input](Self::local_input) and is only read. `points` has
    /// [`local_len`](Self::local_len) points for each rank, and receives its
    /// [part of the output](Self::local_output) at the beginning of these.
    ///
    /// # Errors
    ///
    /// The errors of [`DistributedPlan::process_slab`].
    pub fn process_slab(
        &self,
        machine: &mut Machine,
        numbers: &[T],
        points: &mut [Complex<T>],
    ) -> Result<Run<()>, TransformError> {
        self.call(machine, Slices::RealToComplex(numbers, points))
    }
}

impl<T: Precision> DistributedPlan<T, ComplexToReal> {
    /// Transforms the points of each rank of this process into its real numbers. Every process makes this
    /// call.
    ///
    /// `points` has [`local_len`](Self::local_len) points for each rank, with its
    /// [part of the input](Self::local_input) at the beginning of these. They are unspecified afterwards.
    /// `numbers` receives each rank's [part of the output](Self::local_output).
    ///
    /// # Errors
    ///
    /// The errors of [`DistributedPlan::process_slab`].
    pub fn process_slab(
        &self,
        machine: &mut Machine,
        points: &mut [Complex<T>],
        numbers: &mut [T],
    ) -> Result<Run<()>, TransformError> {
        self.call(machine, Slices::ComplexToReal(points, numbers))
    }
}

/// Checks the lengths of the slices of a call against the arrays of points and the second arrays of all
/// ranks.
fn check<T: Real>(slices: &Slices<'_, T>, cuts: [&Cut; 2]) -> Result<(), CallError> {
    let [points, second]: [usize; 2] = cuts.map(|cut| cut.rows().sum());
    let checked = match slices {
        Slices::InPlace(all) => vec![(Array::InPlace, all.len(), points)],
        Slices::OutOfPlace(input, all) => {
            vec![(Array::Input, input.len(), second), (Array::Output, all.len(), points)]
        }
        Slices::RealToComplex(numbers, all) => {
            vec![(Array::Input, numbers.len(), second), (Array::Output, all.len(), points)]
        }
        Slices::ComplexToReal(all, numbers) => {
            vec![(Array::Input, all.len(), points), (Array::Output, numbers.len(), second)]
        }
        Slices::Padded(_) => Vec::new(),
    };
    match checked.into_iter().find(|(_, given, needed)| given != needed) {
        Some((array, given, needed)) => Err(CallError::Length { array, given, needed }),
        None => Ok(()),
    }
}

/// Writes the problem, and a line for each stage.
impl<T: Precision, K: Kind> fmt::Display for DistributedPlan<T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ranks, route) = (self.ranks(), self.plan.route());
        let ending = if ranks == 1 { "" } else { "s" };
        write!(f, "{}, of {}\non {ranks} rank{ending}, in {} order", self.problem, T::NAME, self.order)?;
        for (stage, plan) in self.plan.stages().iter().enumerate() {
            if stage > 0 {
                write!(f, "\n  exchange")?;
            }
            let lengths = route.part(stage, 0).lengths();
            let lengths: Vec<_> = lengths.iter().map(ToString::to_string).collect();
            write!(f, "\n  rank 0 has {}{plan}", lengths.join(" x "))?;
        }
        write!(f, "\n{} bytes of memory for tiles on rank 0", self.tile_bytes(0))
    }
}

impl<T: Precision, K: Kind> fmt::Debug for DistributedPlan<T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DistributedPlan")
            .field("real", &T::NAME)
            .field("problem", &self.problem)
            .field("ranks", &self.ranks())
            .field("order", &self.order)
            .finish_non_exhaustive()
    }
}
