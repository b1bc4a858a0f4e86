//! Plans of the program, and their calls.

use std::fmt;
use std::sync::Arc;

use earth::{Block, Machine, Run, Shared, SharedValues};
use earth_fft::dataflow::Done;
use earth_fft::dataflow::cut::Cut;
use earth_fft::dataflow::points::Points;
use earth_fft::distributed::{RankArrays, run_or_serve};
use earth_fft::kernel::RowOptions;
use earth_fft::{Array, CallError, Complex, PlanError, Precision, Problem, TransformError, UntypedProblem};
use earth_kernels::{RowKernel, RowShape};
use earth_memory::{Pool, lend};
use serde::{Deserialize, Serialize};

use super::layout::Layout;
use super::parameters::{NAMES, Parameters, Polls, Size};
use super::program::{DealtFft, OverlapFft, Times};
use super::rank_plan::{OverlapCall, OverlapRanks, Rounds};
use super::schedule::Variant;
use crate::error::Error;

/// Settings of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OverlapSettings {
    /// Variant.
    pub variant: Variant,
    /// Parameters. Default: [the paper's](Parameters::usual).
    pub parameters: Option<Parameters>,
    /// How a tile is exchanged.
    pub rounds: Rounds,
    /// Order of the points. Default: [the paper's](Layout::of_paper).
    pub layout: Option<Layout>,
    /// Whether the output goes back to the ranks and to the order of the input, by one more exchange.
    pub returns: bool,
}

/// Returns the parameters as a variant uses them: one without overlap does not poll, and TH has no parts of
/// tiles and no polls after an exchange.
fn used(variant: Variant, size: &Size, parameters: Parameters) -> Parameters {
    let Parameters { tile, polls, .. } = parameters;
    let [rows_x, rows_y] = [0, 1].map(|dimension| size.largest(dimension).max(1));
    let whole = Parameters { pack: [rows_x, tile], unpack: [rows_y, tile], ..parameters };
    match variant {
        Variant::New | Variant::Dataflow => parameters,
        Variant::New0 => Parameters { polls: Polls::default(), ..parameters },
        Variant::Th => Parameters { polls: Polls { unpack: 0, along_x: 0, ..polls }, ..whole },
        Variant::Th0 => Parameters { polls: Polls::default(), ..whole },
    }
}

/// Plans rows of `len` points.
fn rows_by<T: Precision>(options: &RowOptions, len: usize) -> Result<Arc<dyn RowKernel<T>>, PlanError> {
    let rows: Arc<dyn RowKernel<T>> = options.kernel.plan(RowShape::contiguous(len, 1), options.effort)?;
    rows.prepare(options.direction);
    Ok(rows)
}

/// Plan of a transform of three dimensions whose exchange overlaps with its work. See the
/// [module](super).
///
/// A rank is a node of the machine. Each process has a plan of the same problem, ranks and settings, and
/// makes the same calls with the arrays of its own ranks, one after the other.
#[derive(Debug)]
pub struct OverlapPlan<T: Precision> {
    plan: Shared<OverlapRanks<T>>,
}

impl<T: Precision> OverlapPlan<T> {
    /// Plans a problem of complex points. Without `options` the plan is for phantoms.
    ///
    /// # Errors
    ///
    /// [`Error::NotThreeDimensions`] and [`Error::Infeasible`] as [`PlanError`], no ranks or too many, or
    /// rows that a kernel does not plan.
    pub fn new(
        problem: &Problem,
        ranks: usize,
        settings: &OverlapSettings,
        options: Option<&RowOptions>,
    ) -> Result<Self, PlanError> {
        Self::of(problem, ranks, settings, options, false)
    }

    /// Plans the tiles alone, without the transforms along z and the transposition. Its result is not a
    /// transform. The parameters do not change the time of these two parts, so tuning need not run them.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn of_tiles(
        problem: &Problem,
        ranks: usize,
        settings: &OverlapSettings,
        options: Option<&RowOptions>,
    ) -> Result<Self, PlanError> {
        Self::of(problem, ranks, settings, options, true)
    }

    pub(super) fn of(
        problem: &UntypedProblem,
        ranks: usize,
        settings: &OverlapSettings,
        options: Option<&RowOptions>,
        tiles_alone: bool,
    ) -> Result<Self, PlanError> {
        PlanError::check_nodes(ranks)?;
        let lengths: Result<[usize; 3], _> = problem.lengths().to_vec().try_into();
        let (Ok(lengths), true) = (lengths, problem.is_dense() && problem.is_one_array()) else {
            return Err(Error::NotThreeDimensions.into());
        };
        let size = Size { lengths, ranks };
        let OverlapSettings { variant, parameters, rounds, layout, returns } = *settings;
        let parameters = parameters.unwrap_or_else(|| Parameters::usual(&size));
        let parameters = used(variant, &size, parameters);
        parameters.check(&size).map_err(Error::from)?;
        let kernels = match options {
            None => None,
            Some(options) => {
                let [x, y, z] = lengths.map(|len| rows_by(options, len));
                Some([x?, y?, z?])
            }
        };
        let plan = OverlapRanks {
            size,
            variant,
            parameters,
            rounds,
            layout: layout.unwrap_or_else(|| Layout::of_paper(lengths)),
            returns,
            tiles_alone,
            direction: problem.to(),
            factor: T::of(problem.factor()),
            kernels,
            memory: Pool::new(),
        };
        Ok(Self { plan: Shared::new(plan) })
    }

    /// Returns the parameters as the variant uses them.
    pub fn parameters(&self) -> Parameters {
        self.plan.parameters
    }

    /// Returns the order of the points.
    pub fn layout(&self) -> Layout {
        self.plan.layout
    }

    /// Returns the array's lengths and the number of ranks.
    pub fn size(&self) -> Size {
        self.plan.size
    }

    /// Returns the kernels of rows along x, y and z, or `None` if the plan is for phantoms.
    pub fn kernels(&self) -> Option<&[Arc<dyn RowKernel<T>>; 3]> {
        self.plan.kernels.as_ref()
    }

    /// Returns the number of points of a rank's array, which has room for its input and its output. The input
    /// is the rank's part of x in row-major order. The output is its part of y, in the order of the
    /// [layout](Layout::output), or its part of x again.
    pub fn local_len(&self, rank: usize) -> usize {
        let Size { lengths: [_, ny, nz], .. } = self.plan.size;
        let input = self.plan.size.part(0, rank) * ny * nz;
        if self.plan.returns { input } else { input.max(self.plan.output_len(rank)) }
    }

    /// Transforms the array of each rank of this process in place. Every process makes this call.
    ///
    /// `points` has [`local_len`](Self::local_len) points for each rank of the process, one rank after the
    /// other. Input and output are at the beginning of a rank's points. Rank 0 gets the times of all ranks.
    ///
    /// # Errors
    ///
    /// A slice of another length on any rank, a machine with another number of nodes, too little memory, or
    /// an error of the machine.
    pub fn process_slab(
        &self,
        machine: &mut Machine,
        points: &mut [Complex<T>],
    ) -> Result<Run<Vec<Times>>, TransformError> {
        if self.plan.kernels.is_none() {
            return Err(TransformError::Phantom);
        }
        self.check_machine(machine)?;
        let own: Vec<_> = machine.own_nodes().map(|rank| self.local_len(rank)).collect();
        let (given, needed) = (points.len(), own.iter().sum::<usize>());
        if given != needed {
            let wrong = CallError::Length { array: Array::InPlace, given, needed };
            // The other ranks make this call, too, and must learn that it fails.
            let _ = self.run(machine, Err(wrong.to_string()));
            return Err(wrong.into());
        }
        let cut = Cut::of(&own);
        lend(points, 1, given, |all| self.run(machine, Ok(cut.split_cols(all).collect())))?
    }

    /// Predicts the times of a call on a simulated machine, without points.
    ///
    /// # Errors
    ///
    /// A plan that is not for phantoms, a machine that is not simulated or has another number of nodes, or an
    /// error of the machine.
    pub fn run_phantom_on(&self, machine: &mut Machine) -> Result<Run<Vec<Times>>, TransformError> {
        if !machine.is_simulated() {
            return Err(TransformError::NotSimulated);
        }
        if self.plan.kernels.is_some() {
            return Err(TransformError::Phantom);
        }
        self.check_machine(machine)?;
        let arrays = (0..self.plan.size.ranks).map(|rank| Block::phantom(1, self.local_len(rank)));
        let arrays = arrays.collect::<Result<_, _>>()?;
        self.run(machine, Ok(arrays))
    }

    fn run(
        &self,
        machine: &mut Machine,
        arrays: Result<Vec<Points<T>>, String>,
    ) -> Result<Run<Vec<Times>>, TransformError> {
        let arrays = RankArrays::new(machine.own_nodes().start, arrays);
        let call = Shared::new(OverlapCall { plan: self.plan.clone(), arrays });
        run_or_serve(machine, call, |machine, shared, call| {
            machine.run_with(shared, |out| OverlapFft::<T>::call(call, out))
        })
    }

    pub(super) fn dealt_on(
        &self,
        machine: &mut Machine,
        whole: Points<T>,
    ) -> Result<Run<Done<T>>, earth::Error> {
        let arrays = RankArrays::new(0, Ok(Vec::new()));
        let call = Shared::new(OverlapCall { plan: self.plan.clone(), arrays });
        let shared = SharedValues::default().with(&call);
        machine.run_with(shared, |out| DealtFft::<T>::call(whole, call, out))
    }

    fn check_machine(&self, machine: &Machine) -> Result<(), TransformError> {
        let (planned, nodes) = (self.plan.size.ranks, machine.node_count());
        if nodes == planned { Ok(()) } else { Err(TransformError::OtherMachine { planned, nodes }) }
    }
}

/// Writes the parameters by the paper's names.
impl<T: Precision> fmt::Display for OverlapPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OverlapRanks { size, variant, parameters, .. } = &*self.plan;
        let values = NAMES.iter().zip(parameters.values());
        let values: Vec<_> = values.map(|(name, value)| format!("{name} {value}")).collect();
        write!(
            f,
            "{} tiles on {} ranks by {}: {}",
            self.plan.tiles(),
            size.ranks,
            variant.name(),
            values.join(", ")
        )
    }
}
