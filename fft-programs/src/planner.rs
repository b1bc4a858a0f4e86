//! Makes plans: which program a problem gets, on how many nodes, and why.
//!
//! *What `auto` becomes.* One array of 2 or 3 dimensions, of points or of real numbers, with gaps between its rows
//! or without, goes in [two passes](crate::dataflow::two_pass) over all nodes, if it has [enough points](PAYS) and each node
//! has rows and columns. If it has too few columns for that, nodes share [each column](crate::dataflow::tall), unless a column
//! has prime factors without kernels. Dimensions of one element do not count. A [series](crate::dataflow::transpose) of
//! [enough points](SERIES_PAYS) is shared, too, all of whose
//! prime factors have kernels, or of twice as many real numbers. Anything else is transformed by the thread that asks: small
//! problems, batches, strides. The planner takes a program of another crate if the crate registers it
//! ([`Planner::with`], [`Planner::register`]).
//!
//! *One machine* serves all plans of a planner that have as many nodes. It is made by the first of them, its threads
//! start with the first call, and they are joined when the last of its plans is dropped.
//!
//! *One kernel* of each length serves all plans of the process, which share its tables. The tables are freed with the last of
//! these plans, but for a few small kernels that were used last: planning such a length again makes no tables.

mod asked;
pub(crate) mod candidates;
mod contest;
mod defaults;
pub(crate) mod effort;
mod error;
pub(crate) mod measured;
mod why;

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use earth::{CancelToken, Config, Machine, Policy};
use earth_fftw::Effort;
use earth_signal::{Process, ProcessLock};
use parking_lot::Mutex;

use asked::Asked;
pub use contest::Clock;
pub use defaults::{PAYS, SERIES_PAYS, default_nodes};
pub use error::{PlanError, Refusal};
pub use measured::Timed;
pub use why::Why;

use crate::advisor::Rates;
use crate::kernel::Kernel;
use crate::kernel::RowOptions;
use crate::measurements::wisdom::Wisdom;
use crate::plan::alone::AlonePlan;
use crate::plan::{ComplexToRealPlan, OnNodes, Plan, RealToComplexPlan};
use crate::precision::Precision;
use crate::problem::{ComplexToReal, Kind, Problem, ProblemError, RealToComplex, UntypedProblem};
use crate::solver::{Draft, Request, Solver};

/// How problems are to be solved; what is not said, or `None`, is chosen. Clones make plans that share machines.
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
    asked: Asked,
    phantom: bool,
    cancel: Option<CancelToken>,
    time_limit: Option<Duration>,
    wisdom: Option<Wisdom>,
    rates: Option<Arc<Rates>>,
    clock: Option<Arc<dyn Clock>>,
    machines: Arc<Machines>,
}

impl Planner {
    /// A planner that chooses everything itself.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets which kernel transforms rows. By default it is the one for which a solver has settings, such as speed functions,
    /// or else the project's own.
    #[must_use]
    pub fn kernel(self, kernel: impl Into<Option<Kernel>>) -> Self {
        Self { kernel: kernel.into(), ..self }
    }

    /// Sets how hard plans are looked for; without a word by an estimate.
    ///
    /// * [`Effort::Estimate`]: by rules, and nothing is run.
    /// * [`Effort::Measure`]: the planner runs what was not asked for on this computer, and keeps the fastest plan: solvers,
    ///   numbers of nodes, blocks, the project's own kernels, and what [a solver adds](Solver::more_ways). The plan
    ///   [tells](Plan::measured) what it was measured against. That takes some forty calls, and the memory of an input and
    ///   an output.
    /// * [`Effort::Patient`]: the planner also runs more blocks, solvers that are worth it for the patient alone, and FFTW
    ///   and MKL where they are found.
    ///
    /// A library with FFTW's interface looks for its rows as hard, and what it found is in the wisdom as well; without
    /// a word it does so as hard as the settings of a solver say, such as speed functions. Nothing is measured if the settings
    /// of the solver that was asked for [leave nothing open](Solver::is_fixed).
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

    /// Sets how long a plan is looked for by measuring; without a word until all is measured. What runs then comes to its
    /// end, and the estimate is there in any case.
    #[must_use]
    pub fn time_limit(self, limit: impl Into<Option<Duration>>) -> Self {
        Self { time_limit: limit.into(), ..self }
    }

    /// Takes plans from what was measured before, and notes there what it measures.
    #[must_use]
    pub fn wisdom(self, wisdom: impl Into<Option<Wisdom>>) -> Self {
        Self { wisdom: wisdom.into(), ..self }
    }

    /// Predicts by the rates of this computer what plans take ([`Plan::forecast`]). A planner that
    /// [measures](Self::effort) then does not run candidates that are predicted to be far slower than the best
    /// prediction; the plan tells how many. A choice by rules is the same with rates and without.
    #[must_use]
    pub fn rates(self, rates: impl Into<Option<Rates>>) -> Self {
        Self { rates: rates.into().map(Arc::new), ..self }
    }

    /// Measures by another clock than the computer's.
    #[must_use]
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock: Some(clock), ..self }
    }

    /// Registers a solver and plans by it, whatever the size of a problem. It replaces a registered solver of the same name.
    #[must_use]
    pub fn with(mut self, solver: impl Solver + 'static) -> Self {
        self.asked.ask(Arc::new(solver));
        self
    }

    /// Registers solvers. Each replaces a registered solver of the same name. A planner that chooses or measures considers
    /// them, too.
    #[must_use]
    pub fn register(mut self, solvers: impl IntoIterator<Item = Arc<dyn Solver>>) -> Self {
        for solver in solvers {
            self.asked.register(solver);
        }
        self
    }

    /// The registered solvers. The solvers of this crate come first.
    pub fn solvers(&self) -> impl Iterator<Item = &Arc<dyn Solver>> {
        self.asked.known()
    }

    /// Plans by the solver of this name, whatever the size of a problem. The name `auto` leaves the choice to the planner.
    #[must_use]
    pub fn algorithm(mut self, name: impl Into<String>) -> Self {
        self.asked.name(name.into());
        self
    }

    /// Sets the block size, in points or rows, of the named solver. If no solver is named, it sets the block size of every
    /// solver that has blocks.
    ///
    /// # Errors
    ///
    /// [`PlanError::NoBlocks`] if the named solver has no blocks, [`PlanError::NoSuchAlgorithm`] if no solver has the name.
    pub fn block(mut self, block: NonZeroUsize) -> Result<Self, PlanError> {
        self.asked.cut(block)?;
        Ok(self)
    }

    /// Sets the number of nodes; without a word as many as there are usable cores for.
    #[must_use]
    pub fn nodes(mut self, nodes: impl Into<Option<NonZeroUsize>>) -> Self {
        self.nodes = nodes.into();
        self
    }

    /// Makes plans for [phantoms](earth::Block::phantom), that is without tables and for any size up to 2^48 bytes, by
    /// which simulated machines tell what a transform [would take](Plan::run_phantom_on).
    #[must_use]
    pub fn phantom(self) -> Self {
        Self { phantom: true, ..self }
    }

    /// Ends runs on its machines, which are its own, when the token is cancelled.
    #[must_use]
    pub fn cancel_token(self, token: CancelToken) -> Self {
        Self { cancel: Some(token), machines: Arc::default(), ..self }
    }

    /// Sets how the units of a node are placed, on machines of its own.
    #[must_use]
    pub fn config(self, config: Config) -> Self {
        Self { config, machines: Arc::default(), ..self }
    }

    /// Sets in which order nodes take up what waits for them, on machines of its own.
    #[must_use]
    pub fn policy(self, policy: Policy) -> Self {
        Self { policy, machines: Arc::default(), ..self }
    }

    /// Plans a problem in the precision `T`. Nothing is run, unless an [effort](Self::effort) was asked for.
    ///
    /// *Cost.* Tables of the lengths, which all plans of the process share. The process keeps the tables of the 16 kernels
    /// that were used last, of at most 2^17 points together, so another plan of such a length takes 2 to 4 us. With AVX2
    /// the first plan of a length takes as long as this number of its transforms by one thread:
    ///
    /// | length | transforms |
    /// |---|---|
    /// | matrices, series that nodes share | less than 1 |
    /// | by stages of small radices, 4,096 points or more | 1 to 3 |
    /// | by stages of small radices, fewer points | 2 to 5 in `f64`, 3 to 7 in `f32` (6 us at 1,024 points) |
    /// | primes and products of large primes, 1,024 points or more | 1 to 3, at most 4 |
    /// | by rustfft: other lengths below 1,024 points, and small prime factors whose product 4 does not divide | 2 to 7 in `f64`, 4 to 11 in `f32` |
    ///
    /// # Errors
    ///
    /// [`PlanError`] tells what is wrong with the problem, or what the program cannot do.
    pub fn plan<T: Precision>(&self, problem: &Problem) -> Result<Plan<T>, PlanError> {
        self.planned(problem)
    }

    /// Plans a transform of real numbers into their spectrum, as [`plan`](Self::plan) does.
    ///
    /// # Errors
    ///
    /// [`PlanError`] tells what is wrong with the problem. Of the named [algorithms](Self::algorithm) only
    /// `two-pass`, `tall`, `transpose` and `ffte` take real numbers.
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
    /// [`PlanError`] tells what is wrong with the problem. Of the named [algorithms](Self::algorithm) only
    /// `two-pass`, `tall`, `transpose` and `ffte` take real numbers.
    pub fn plan_complex_to_real<T: Precision>(
        &self,
        problem: &Problem<ComplexToReal>,
    ) -> Result<ComplexToRealPlan<T>, PlanError> {
        self.planned(problem)
    }

    /// Plans a problem of any kind: by what was measured or is, if that was asked for and there is a choice, else by rules.
    fn planned<T: Precision, K: Kind>(&self, problem: &Problem<K>) -> Result<Plan<T, K>, PlanError> {
        let effort = self.effort.unwrap_or_default();
        let fixed = self.phantom || self.asked.named()?.is_some_and(|solver| solver.is_fixed());
        if fixed || effort == Effort::Estimate && self.wisdom.is_none() {
            return self.estimated(problem);
        }
        self.fastest(problem, effort)
    }

    /// Plans a problem of any kind by rules alone: nothing is run.
    pub(crate) fn estimated<T: Precision, K: Kind>(
        &self,
        problem: &Problem<K>,
    ) -> Result<Plan<T, K>, PlanError> {
        PlanError::check_nodes(self.nodes.map_or(0, NonZeroUsize::get))?;
        let named = self.asked.named()?;
        let options = self.rows(problem, named.map(|solver| &**solver));
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
            let (solver, why) = self.asked.that_pays(&request);
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

    /// A machine of so many nodes like those of its plans, for [`Plan::run_on`].
    pub fn machine(&self, nodes: usize) -> Machine {
        let machine = Machine::threads(nodes).config(self.config).policy(self.policy).pin_caller(false);
        match &self.cancel {
            Some(token) => machine.cancel_token(token.clone()),
            None => machine,
        }
    }

    /// How the rows of a problem are transformed.
    fn rows(&self, problem: &UntypedProblem, named: Option<&dyn Solver>) -> RowOptions {
        let (kernel, effort) = named.and_then(Solver::rows).unzip();
        RowOptions {
            kernel: self.kernel.as_ref().or(kernel).cloned().unwrap_or_default(),
            effort: self.effort.or(effort.flatten()).unwrap_or_default(),
            direction: problem.to(),
        }
    }
}

/// Whether the points of a problem for phantoms can be counted.
fn counted(problem: &UntypedProblem) -> Result<(), PlanError> {
    if let Some(dimension) = problem.lengths().iter().position(|&length| length == 0) {
        return Err(ProblemError::NoPoints(dimension).into());
    }
    let points = problem.points().and_then(|points| points.checked_mul(problem.shape().batch));
    points.map(drop).ok_or(PlanError::TooManySamples)
}

/// The machines of a planner that plans of it have, by their nodes.
#[derive(Default, Debug)]
struct Machines(ProcessLock<Vec<Kept>>);

/// A machine of so many nodes, and the process that made it, whose threads may hold it.
#[derive(Debug)]
struct Kept {
    process: Process,
    nodes: usize,
    machine: Weak<Mutex<Machine>>,
}

impl Machines {
    /// The machine of so many nodes, made by `make` if no plan has it.
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
