//! The choice of the program, the number of nodes, and the kernels of a problem.
//!
//! *Choice of `auto`.*
//!
//! * One array of 2 or 3 dimensions goes in [two passes](crate::dataflow::two_pass) over all nodes, if it has
//!   [enough points](MIN_SHARED_POINTS) and each node has rows and columns. Its elements are points or real
//!   numbers, with or without gaps between rows.
//! * If such an array has too few columns, nodes share [each column](crate::dataflow::tall), unless a column
//!   has prime factors without kernels. Dimensions of length one do not count.
//! * Nodes share a [series](crate::dataflow::transpose) of [enough points](MIN_SHARED_SERIES_POINTS), or of
//!   twice as many real numbers, if all its prime factors have kernels.
//! * Each node transforms a part of the arrays of a [batch](crate::dataflow::batch), if these have
//!   [enough points](MIN_SHARED_BATCH_POINTS) together and there is an array for each node.
//! * The calling thread transforms everything else: small problems, and points with strides.
//!
//! The planner takes a program of another crate if the crate registers it ([`Planner::with`],
//! [`Planner::register`]).
//!
//! *One machine* serves all plans of a planner with the same number of nodes. The first plan makes it, the
//! first call starts its threads, and dropping the last plan joins them.
//!
//! *One kernel* of each length serves all plans of the process, which share its tables. The tables are freed
//! with the last of these plans. A few small kernels are kept after that, the last used ones: planning such a
//! length again makes no tables.

pub(crate) mod candidates;
mod contest;
mod defaults;
pub(crate) mod effort;
mod error;
pub(crate) mod measured;
mod registry;
mod why;

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use earth::{CancelToken, Config, Machine, Policy};
use earth_fftw::Effort;
use earth_signal::{Process, ProcessLock};
use parking_lot::Mutex;

pub use contest::Clock;
pub use defaults::{MIN_SHARED_BATCH_POINTS, MIN_SHARED_POINTS, MIN_SHARED_SERIES_POINTS, default_nodes};
pub use error::{PlanError, Refusal};
pub use measured::Timed;
use registry::Solvers;
pub use why::Why;

use crate::advisor::Rates;
use crate::distributed::{Cuts, DistributedPlan, Order, Shares};
use crate::kernel::{Kernel, RowOptions, check_simd};
use crate::measurements::wisdom::Wisdom;
use crate::plan::alone::AlonePlan;
use crate::plan::{ComplexToRealPlan, OnNodes, Plan, RealToComplexPlan};
use crate::precision::Precision;
use crate::problem::{ComplexToReal, Kind, Problem, ProblemError, RealToComplex, UntypedProblem};
use crate::solver::{Draft, Request, Solver};

/// Settings for planning. The planner chooses each setting that is unset or `None`. Plans of clones share
/// machines.
///
/// ```
/// use earth_fft::{Complex, Planner, Problem};
///
/// let plan = Planner::new().plan::<f64>(&Problem::complex(&[4]))?;
/// let mut points = [1.0, 2.0, 3.0, 4.0].map(Complex::from);
/// plan.process(&mut points)?;
/// assert_eq!(points[0], Complex::from(10.0));
/// # Ok::<(), earth_fft::TransformError>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct Planner {
    kernel: Option<Kernel>,
    effort: Option<Effort>,
    config: Config,
    policy: Policy,
    nodes: Option<NonZeroUsize>,
    solvers: Solvers,
    phantom: bool,
    cancel: Option<CancelToken>,
    time_limit: Option<Duration>,
    wisdom: Option<Wisdom>,
    rates: Option<Arc<Rates>>,
    clock: Option<Arc<dyn Clock>>,
    machines: Arc<Machines>,
}

impl Planner {
    /// Returns a planner that chooses every setting itself.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the kernel that transforms rows. Default: the kernel that the named solver's settings require, as
    /// speed functions do, else the project's own.
    #[must_use]
    pub fn kernel(self, kernel: impl Into<Option<Kernel>>) -> Self {
        Self { kernel: kernel.into(), ..self }
    }

    /// Sets the planning effort. Default: `Estimate`.
    ///
    /// * [`Effort::Estimate`]: the planner decides by rules and runs no transform.
    /// * [`Effort::Measure`]: the planner runs candidates on this computer and keeps the fastest plan. It
    ///   varies each setting that the caller left open: solvers, numbers of nodes, blocks, the project's own
    ///   kernels, and [candidates of a solver](Solver::more_candidates). [`Plan::measured`] lists the
    ///   measurements. This takes some forty calls, and the memory of an input and an output.
    /// * [`Effort::Patient`]: the planner also runs more blocks, solvers that are worth measuring at this
    ///   effort alone, and FFTW and MKL if they are installed.
    ///
    /// A library with FFTW's interface plans its rows with the same effort. By default, its effort comes from
    /// the settings of the named solver, such as speed functions. The wisdom also stores the library's
    /// results. The planner does not measure if the settings of the named solver [fix the whole
    /// plan](Solver::is_fixed).
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use earth_fft::{Effort, Planner, Problem, Wisdom};
    ///
    /// let wisdom = Wisdom::new();
    /// let planner = Planner::new().effort(Effort::Measure).wisdom(wisdom.clone());
    /// let plan = planner.time_limit(Duration::from_secs(1)).plan::<f64>(&Problem::complex(&[12, 10]))?;
    /// assert!(plan.measured().len() > 1);
    /// // The same plan, and nothing is measured.
    /// let again = Planner::new().wisdom(wisdom).plan::<f64>(&Problem::complex(&[12, 10]))?;
    /// assert_eq!(again.measured(), plan.measured());
    /// # Ok::<(), earth_fft::PlanError>(())
    /// ```
    #[must_use]
    pub fn effort(self, effort: impl Into<Option<Effort>>) -> Self {
        Self { effort: effort.into(), ..self }
    }

    /// Sets the time limit of measuring. Default: no limit. A candidate that is running at the limit
    /// finishes, and the estimate is always measured.
    #[must_use]
    pub fn time_limit(self, limit: impl Into<Option<Duration>>) -> Self {
        Self { time_limit: limit.into(), ..self }
    }

    /// Takes plans from earlier measurements in the wisdom, and records new measurements there.
    #[must_use]
    pub fn wisdom(self, wisdom: impl Into<Option<Wisdom>>) -> Self {
        Self { wisdom: wisdom.into(), ..self }
    }

    /// Predicts the times of plans by the rates of this computer ([`Plan::forecast`]). A planner that
    /// [measures](Self::effort) then skips candidates that are predicted to be far slower than the best
    /// prediction; [`Plan::pruned`] counts them. Rates do not change a choice by rules.
    #[must_use]
    pub fn rates(self, rates: impl Into<Option<Rates>>) -> Self {
        Self { rates: rates.into().map(Arc::new), ..self }
    }

    /// Sets the clock of measurements. Default: the computer's clock.
    #[must_use]
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock: Some(clock), ..self }
    }

    /// Registers a solver and plans by it, whatever the problem size. It replaces a registered solver of the
    /// same name.
    #[must_use]
    pub fn with(mut self, solver: impl Solver + 'static) -> Self {
        self.solvers.request(Arc::new(solver));
        self
    }

    /// Registers solvers. Each replaces a registered solver of the same name. A planner that chooses or
    /// measures also considers them.
    #[must_use]
    pub fn register(mut self, solvers: impl IntoIterator<Item = Arc<dyn Solver>>) -> Self {
        for solver in solvers {
            self.solvers.register(solver);
        }
        self
    }

    /// Returns the registered solvers, with this crate's solvers first.
    pub fn solvers(&self) -> impl Iterator<Item = &Arc<dyn Solver>> {
        self.solvers.known()
    }

    /// Plans by the solver of this name, whatever the problem size. The name `auto` leaves the choice to the
    /// planner.
    #[must_use]
    pub fn algorithm(mut self, name: impl Into<String>) -> Self {
        self.solvers.name(name.into());
        self
    }

    /// Sets the block size of the named solver, in points or rows. If no solver is named, sets the block size
    /// of every solver with blocks.
    ///
    /// # Errors
    ///
    /// [`PlanError::NoBlocks`] if the named solver has no blocks, [`PlanError::NoSuchAlgorithm`] if no solver
    /// has the name.
    pub fn block(mut self, block: NonZeroUsize) -> Result<Self, PlanError> {
        self.solvers.cut(block)?;
        Ok(self)
    }

    /// Sets the number of nodes. Default: as many nodes as the usable cores serve.
    #[must_use]
    pub fn nodes(mut self, nodes: impl Into<Option<NonZeroUsize>>) -> Self {
        self.nodes = nodes.into();
        self
    }

    /// Makes plans for [phantoms](earth::Block::phantom): without tables, and for sizes up to 2^48 bytes.
    /// With such a plan a simulated machine predicts the [time and counters](Plan::run_phantom_on) of a
    /// transform.
    #[must_use]
    pub fn phantom(self) -> Self {
        Self { phantom: true, ..self }
    }

    /// Ends runs when the token is cancelled. The planner then has machines of its own.
    #[must_use]
    pub fn cancel_token(self, token: CancelToken) -> Self {
        Self { cancel: Some(token), machines: Arc::default(), ..self }
    }

    /// Sets how the units of a node are placed. The planner then has machines of its own.
    #[must_use]
    pub fn config(self, config: Config) -> Self {
        Self { config, machines: Arc::default(), ..self }
    }

    /// Sets the order in which nodes run ready work. The planner then has machines of its own.
    #[must_use]
    pub fn policy(self, policy: Policy) -> Self {
        Self { policy, machines: Arc::default(), ..self }
    }

    /// Plans a problem in the precision `T`. Runs no transform unless the [effort](Self::effort) is to
    /// measure.
    ///
    /// *Cost.* The plans of a process share the tables of each length. The process keeps the tables of the 16
    /// kernels used last, of at most 2^17 points together, so another plan of such a length takes 2 to 4 us.
    /// With AVX2 the first plan of a length takes as long as this number of its transforms by one thread:
    ///
    /// | length | transforms |
    /// |---|---|
    /// | matrices, series that nodes share | less than 1 |
    /// | by stages of small radices, 4,096 points or more | 1 to 3 |
    /// | by stages of small radices, fewer points | 2 to 5 in `f64`, 3 to 7 in `f32` (6 us at 1,024 points) |
    /// | 100 to 511 points with prime factors up to 7 | 3 to 11 (1 to 5 us), a power of two 3 to 6 |
    /// | 16 to 64 points | 6 to 20 (0.4 to 2 us) |
    /// | primes and products of large primes, 1,024 points or more | 1 to 3, at most 4 |
    /// | by rustfft: lengths below 1,024 points with both small and large primes, and long ones with small primes whose product 4 does not divide | 2 to 7 in `f64`, 4 to 11 in `f32` |
    ///
    /// # Errors
    ///
    /// [`PlanError`] says what is wrong with the problem, or what the program cannot do.
    pub fn plan<T: Precision>(&self, problem: &Problem) -> Result<Plan<T>, PlanError> {
        self.planned(problem)
    }

    /// Plans a transform of real numbers into their spectrum, as [`plan`](Self::plan) does.
    ///
    /// # Errors
    ///
    /// [`PlanError`] says what is wrong with the problem. Of the named [algorithms](Self::algorithm) only
    /// `two-pass`, `tall`, `batch`, `transpose` and `ffte` take real numbers.
    pub fn plan_real_to_complex<T: Precision>(
        &self,
        problem: &Problem<RealToComplex>,
    ) -> Result<RealToComplexPlan<T>, PlanError> {
        self.planned(problem)
    }

    /// Plans a transform of spectra into real numbers, as [`plan`](Self::plan) does.
    ///
    /// # Errors
    ///
    /// [`PlanError`] says what is wrong with the problem. Of the named [algorithms](Self::algorithm) only
    /// `two-pass`, `tall`, `batch`, `transpose` and `ffte` take real numbers.
    pub fn plan_complex_to_real<T: Precision>(
        &self,
        problem: &Problem<ComplexToReal>,
    ) -> Result<ComplexToRealPlan<T>, PlanError> {
        self.planned(problem)
    }

    /// Plans a transform whose arrays are [distributed](crate::distributed) over the `ranks` nodes of a
    /// machine. Every process of the machine plans the same problem.
    ///
    /// A planner that measures or has a wisdom takes the kernel of the fastest plan of one thread for a share
    /// of one rank. Ranks that measure may prefer different kernels: [`Wisdom::share`] gives all of them the
    /// results of rank 0. The algorithm and the number of nodes do not matter.
    ///
    /// # Errors
    ///
    /// [`PlanError`] for a problem with gaps, and for more ranks than a machine can have.
    pub fn plan_distributed<T: Precision>(
        &self,
        problem: &Problem,
        ranks: usize,
        order: Order,
    ) -> Result<DistributedPlan<T>, PlanError> {
        self.distributed(problem, ranks, order, Cuts::Usual)
    }

    /// Plans a distributed transform of an array of 2 or 3 dimensions by slabs of unequal lengths.
    ///
    /// # Errors
    ///
    /// [`PlanError::Shares`] for shares that do not add up to the first two lengths, and the errors of
    /// [`plan_distributed`](Self::plan_distributed).
    pub fn plan_distributed_by_shares<T: Precision>(
        &self,
        problem: &Problem,
        shares: &Shares,
        order: Order,
    ) -> Result<DistributedPlan<T>, PlanError> {
        self.distributed(problem, shares.ranks(), order, Cuts::Shares(shares))
    }

    /// Plans a distributed transform of an array of 3 dimensions by pencils, even if there are enough slabs.
    /// An array of 2 dimensions has no pencils, and a series none.
    ///
    /// *When it wins.* With pencils a rank exchanges points with fewer ranks. Slabs have one exchange less.
    ///
    /// # Errors
    ///
    /// The errors of [`plan_distributed`](Self::plan_distributed).
    pub fn plan_distributed_by_pencils<T: Precision>(
        &self,
        problem: &Problem,
        ranks: usize,
        order: Order,
    ) -> Result<DistributedPlan<T>, PlanError> {
        self.distributed(problem, ranks, order, Cuts::Pencils)
    }

    /// Plans a distributed transform of real numbers into their spectrum, as
    /// [`plan_distributed`](Self::plan_distributed) does.
    ///
    /// # Errors
    ///
    /// The errors of [`plan_distributed`](Self::plan_distributed).
    pub fn plan_distributed_real_to_complex<T: Precision>(
        &self,
        problem: &Problem<RealToComplex>,
        ranks: usize,
        order: Order,
    ) -> Result<DistributedPlan<T, RealToComplex>, PlanError> {
        self.distributed(problem, ranks, order, Cuts::Usual)
    }

    /// Plans a distributed transform of spectra into real numbers, as
    /// [`plan_distributed`](Self::plan_distributed) does.
    ///
    /// # Errors
    ///
    /// The errors of [`plan_distributed`](Self::plan_distributed).
    pub fn plan_distributed_complex_to_real<T: Precision>(
        &self,
        problem: &Problem<ComplexToReal>,
        ranks: usize,
        order: Order,
    ) -> Result<DistributedPlan<T, ComplexToReal>, PlanError> {
        self.distributed(problem, ranks, order, Cuts::Usual)
    }

    fn distributed<T: Precision, K: Kind>(
        &self,
        problem: &Problem<K>,
        ranks: usize,
        order: Order,
        cuts: Cuts<'_>,
    ) -> Result<DistributedPlan<T, K>, PlanError> {
        let mut options = self.rows(problem, None)?;
        if self.kernel.is_none() && !self.phantom && !self.plans_by_rules() && problem.extents().is_ok() {
            options.kernel = self.kernel_of_share::<T, K>(problem, ranks)?;
        }
        DistributedPlan::new(problem, ranks, order, cuts, Some(&options).filter(|_| !self.phantom))
    }

    /// Plans a problem of any kind: by wisdom or measuring, if requested and if a choice is open, else by
    /// rules.
    fn planned<T: Precision, K: Kind>(&self, problem: &Problem<K>) -> Result<Plan<T, K>, PlanError> {
        let fixed = self.phantom || self.solvers.named()?.is_some_and(|solver| solver.is_fixed());
        if fixed || self.plans_by_rules() {
            return self.estimated(problem);
        }
        self.fastest(problem, self.effort.unwrap_or_default())
    }

    /// Whether the planner neither measures nor has a wisdom.
    fn plans_by_rules(&self) -> bool {
        self.effort.unwrap_or_default() == Effort::Estimate && self.wisdom.is_none()
    }

    /// Returns the kernel of the fastest plan of one thread for a share of one rank.
    fn kernel_of_share<T: Precision, K: Kind>(
        &self,
        problem: &Problem<K>,
        ranks: usize,
    ) -> Result<Kernel, PlanError> {
        let alone = self.clone().nodes(NonZeroUsize::MIN).algorithm("auto");
        let plan: Plan<T, K> = alone.planned(&problem.share(ranks.max(1)))?;
        Ok(plan.kernel().clone())
    }

    /// Plans a problem of any kind by rules alone, without running a transform.
    pub(crate) fn estimated<T: Precision, K: Kind>(
        &self,
        problem: &Problem<K>,
    ) -> Result<Plan<T, K>, PlanError> {
        PlanError::check_nodes(self.nodes.map_or(0, NonZeroUsize::get))?;
        let named = self.solvers.named()?;
        let options = self.rows(problem, named.map(|solver| &**solver))?;
        let phantom = if self.phantom {
            counted(problem)?;
            Some(AlonePlan::phantom(problem))
        } else {
            problem.shape().check()?;
            None
        };
        let Self { nodes, config, .. } = *self;
        let request = |problem| Request { problem, options: &options, phantom: self.phantom, nodes, config };
        let squeezed;
        let (solver, request, why) = if named.is_some() {
            (named, request(problem), Why::Named)
        } else {
            squeezed = problem.squeezed();
            let request = request(&squeezed);
            let (solver, why) = self.solvers.choose(&request);
            (solver, request, why)
        };
        let draft = match solver {
            Some(solver) => Some((solver.name(), T::plan(&**solver, &request)?)),
            None => None,
        };
        let on_nodes = draft.map(|(algorithm, Draft { program, nodes })| {
            let machine = self.machines.of(nodes, || self.machine(nodes));
            OnNodes { algorithm, program, machine, nodes, config, had_memory: OnceLock::new() }
        });
        let alone = match (phantom, &on_nodes) {
            (None, None) => Some(AlonePlan::new(problem, &options)?),
            (phantom, _) => phantom,
        };
        let plan = Plan::new(problem.clone(), options, alone, on_nodes, why);
        Ok(plan.advised(self.rates.as_deref()))
    }

    /// Returns a new machine with this many nodes and the settings of the planner's machines, for
    /// [`Plan::run_on`].
    pub fn machine(&self, nodes: usize) -> Machine {
        let machine = Machine::threads(nodes).config(self.config).policy(self.policy).pin_caller(false);
        match &self.cancel {
            Some(token) => machine.cancel_token(token.clone()),
            None => machine,
        }
    }

    /// Returns the row options for a problem.
    fn rows(&self, problem: &UntypedProblem, named: Option<&dyn Solver>) -> Result<RowOptions, PlanError> {
        check_simd()?;
        let (kernel, effort) = named.and_then(Solver::rows).unzip();
        Ok(RowOptions {
            kernel: self.kernel.as_ref().or(kernel).cloned().unwrap_or_default(),
            effort: self.effort.or(effort.flatten()).unwrap_or_default(),
            direction: problem.to(),
        })
    }
}

/// Checks that a problem for phantoms has points, and that their number fits in a `usize`.
fn counted(problem: &UntypedProblem) -> Result<(), PlanError> {
    if let Some(dimension) = problem.lengths().iter().position(|&length| length == 0) {
        return Err(ProblemError::NoPoints(dimension).into());
    }
    let points = problem.points().and_then(|points| points.checked_mul(problem.shape().batch));
    points.map(drop).ok_or(PlanError::TooManySamples)
}

/// Machines that plans of a planner use, found by their number of nodes.
#[derive(Default, Debug)]
struct Machines(ProcessLock<Vec<Kept>>);

/// Machine with this number of nodes, and the process that made it, whose threads may hold it.
#[derive(Debug)]
struct Kept {
    process: Process,
    nodes: usize,
    machine: Weak<Mutex<Machine>>,
}

impl Machines {
    /// Returns the machine with this number of nodes, made by `make` if no plan has it.
    fn of(&self, nodes: usize, make: impl FnOnce() -> Machine) -> Arc<Mutex<Machine>> {
        let make = || Arc::new(Mutex::new(make()));
        let Some(mut machines) = self.0.lock() else { return make() };
        machines.retain(|kept| kept.process.is_current() && kept.machine.strong_count() > 0);
        let kept = machines.iter().find(|kept| kept.nodes == nodes).and_then(|kept| kept.machine.upgrade());
        kept.unwrap_or_else(|| {
            let (process, machine) = (Process::current(), make());
            machines.push(Kept { process, nodes, machine: Arc::downgrade(&machine) });
            machine
        })
    }
}
