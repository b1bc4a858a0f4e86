//! Makes plans: which program a problem gets, on how many nodes, and why.
//!
//! *What `auto` becomes.* One array of 2 or 3 dimensions without gaps goes in [two passes](crate::dataflow::two_pass)
//! over all nodes, if it has [enough points](PAYS) and each node has rows and columns. Anything else is transformed by
//! the thread that asks: small problems, series, which no number of nodes has beaten yet on few cores, batches,
//! strides. The matrix by tiles of the papers ([`square`](crate::dataflow::square),
//! [`rectangle`](crate::dataflow::rectangle)) is there by its name.
//!
//! *One machine* serves all plans of a planner that have as many nodes. It is made by the first of them, its threads
//! start with the first call, and they are joined when the last of its plans is dropped.

mod choice;
mod error;
mod real;

use std::num::NonZeroUsize;
use std::sync::{Arc, Weak};

use earth::{Config, Machine, Policy, Shared};
use earth_fftw::Effort;
use parking_lot::Mutex;

pub use choice::Why;
pub(crate) use choice::{Choice, Wishes};
pub use error::PlanError;

use crate::dataflow::alone::AlonePlan;
use crate::kernel::Kernel;
use crate::plan::program::Program;
use crate::plan::{OnNodes, Plan};
use crate::precision::Precision;
use crate::problem::{Kind, Problem};
use crate::programs::{MOST_NODES, memory};
use crate::request::{Algorithm, Refusal};

/// The least points of an array that a machine transforms unless it was asked to. A transform of so many takes one thread
/// about a millisecond, and to wake another one tens of microseconds.
pub const PAYS: usize = 1 << 16;

/// The bytes of tables of a row that are looked for in memory before they are made.
const LARGE: usize = 1 << 26;

/// How problems are to be solved. Clones make plans that share machines.
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
    kernel: Kernel,
    effort: Effort,
    config: Config,
    policy: Policy,
    wishes: Wishes,
    machines: Arc<Machines>,
}

impl Planner {
    /// A planner that chooses everything itself.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets which kernel transforms rows.
    #[must_use]
    pub fn kernel(self, kernel: Kernel) -> Self {
        Self { kernel, ..self }
    }

    /// Sets how hard a library with FFTW's interface tries to find a plan for rows.
    #[must_use]
    pub fn effort(self, effort: Effort) -> Self {
        Self { effort, ..self }
    }

    /// Sets the program. By name it runs on a machine whatever the size.
    #[must_use]
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.wishes.algorithm = algorithm;
        self
    }

    /// Sets the number of nodes; without a word as many as there are usable cores for.
    #[must_use]
    pub fn nodes(mut self, nodes: NonZeroUsize) -> Self {
        self.wishes.nodes = Some(nodes);
        self
    }

    /// Sets the points of a thread, or of a matrix the rows of a row block; without a word the program's choice.
    #[must_use]
    pub fn block(mut self, block: NonZeroUsize) -> Self {
        self.wishes.block = Some(block);
        self
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

    /// Plans a problem in the precision `T`. Nothing is run.
    ///
    /// *Cost.* Tables of the lengths: microseconds for short ones, about as long as a transform for long ones.
    ///
    /// # Errors
    ///
    /// [`PlanError`] tells what is wrong with the problem, or what the program cannot do.
    pub fn plan<T: Precision>(&self, problem: &Problem) -> Result<Plan<T>, PlanError> {
        let nodes = self.wishes.nodes.map(NonZeroUsize::get).filter(|&nodes| nodes > MOST_NODES);
        if let Some(nodes) = nodes {
            return Err(Refusal::NoSuchMachine { nodes, most: MOST_NODES }.into());
        }
        fits::<T>(problem)?;
        let alone = Shared::new(AlonePlan::new(problem, &self.kernel, self.effort)?);
        let (choice, why) = choice::choose(problem, self.wishes, self.config)?;
        let on_nodes = match Program::plan(problem, choice, (&self.kernel, self.effort))? {
            None => None,
            Some((program, nodes)) => Some(OnNodes {
                program,
                machine: self.machines.of(nodes, || self.machine(nodes)),
                nodes,
                config: self.config,
            }),
        };
        Ok(Plan::new(problem.clone(), alone, on_nodes, why))
    }

    fn machine(&self, nodes: usize) -> Machine {
        Machine::threads(nodes).config(self.config).policy(self.policy).pin_caller(false)
    }
}

/// Whether there is memory for the tables of the rows of a problem, so that none is asked for in vain. The problem's
/// arrays are the caller's.
fn fits<T: Precision>(problem: &Problem<impl Kind>) -> Result<(), PlanError> {
    let points = problem.lengths().iter().fold(0_usize, |points, length| points.saturating_add(*length));
    let needed = points.saturating_mul(2 * 2 * size_of::<T>());
    if needed < LARGE {
        return Ok(());
    }
    let (needed, available) = (needed as u64, memory::available());
    if needed > available { Err(Refusal::TooLittleMemory { needed, available }.into()) } else { Ok(()) }
}

/// The machines of a planner that plans of it have, by their nodes.
#[derive(Default, Debug)]
struct Machines(Mutex<Vec<(usize, Weak<Mutex<Machine>>)>>);

impl Machines {
    /// The machine of so many nodes, made by `make` if no plan has it.
    fn of(&self, nodes: usize, make: impl FnOnce() -> Machine) -> Arc<Mutex<Machine>> {
        let mut machines = self.0.lock();
        machines.retain(|(_, machine)| machine.strong_count() > 0);
        let kept = machines.iter().find(|(of, _)| *of == nodes).and_then(|(_, machine)| machine.upgrade());
        kept.unwrap_or_else(|| {
            let machine = Arc::new(Mutex::new(make()));
            machines.push((nodes, Arc::downgrade(&machine)));
            machine
        })
    }
}
