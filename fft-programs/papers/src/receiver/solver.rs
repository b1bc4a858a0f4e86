//! The receiver-initiated FFT as solvers, and its program.

use std::fmt;
use std::num::NonZeroUsize;

use earth::{Reply, Shared};
use earth_fft::advisor::passes::{lines, steps};
use earth_fft::advisor::{Pass, PassWork};
use earth_fft::solver::{Counts, Draft, Memory, Program, Request, Runs, Solver, solver_methods};
use earth_fft::{PlanError, Precision, UntypedProblem};
use earth_fftw::Effort;
use earth_kernels::Real;
use num_complex::Complex;
use serde::{Deserialize, Serialize};

use super::net::RequestFrame;
use super::{ReceiverFft, ReceiverJob, ReceiverPlan, RequestMode};
use crate::error::Error;

/// Names of the steps of a request with its half butterflies, in trees and with shared points. Their rates
/// are measured for the [advisor](earth_fft::advisor).
const REQUEST_STEPS: [&str; 2] = ["ask", "ask-shared"];

/// The receiver-initiated FFT: `receiver` makes a tree of requests, and `receiver-shared` computes each point
/// once. `receiver-tokens` makes the tree of tokens. It is for experiments, so no planner has it by name.
///
/// It solves series of a power of two of complex points on a power of two of nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Receiver {
    mode: RequestMode,
    settings: ReceiverSettings,
}

#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ReceiverSettings {
    roots: Option<NonZeroUsize>,
}

impl Receiver {
    /// Returns the FFT that makes a tree of requests.
    pub fn tree() -> Self {
        Self { mode: RequestMode::Tree, settings: ReceiverSettings::default() }
    }

    /// Returns the FFT that makes a tree of requests, each a token that any idle node may take.
    pub fn tokens() -> Self {
        Self { mode: RequestMode::Tokens, ..Self::tree() }
    }

    /// Returns the FFT that computes each point of each level once.
    pub fn shared() -> Self {
        Self { mode: RequestMode::Shared, ..Self::tree() }
    }

    /// Sets how many points of its result each node requests at a time. By default it requests all, if there
    /// is memory for that many requests.
    #[must_use]
    pub fn roots(mut self, roots: impl Into<Option<NonZeroUsize>>) -> Self {
        self.settings.roots = roots.into();
        self
    }

    fn plan<T: Precision>(&self, request: &Request<'_>) -> Result<Draft<T>, PlanError> {
        let algorithm = self.name();
        let n = request.series(algorithm, None)?;
        if !n.is_power_of_two() {
            return Err(Error::NotAPowerOfTwo { algorithm, n }.into());
        }
        let nodes = match request.nodes.map(NonZeroUsize::get) {
            Some(nodes) if !nodes.is_power_of_two() || nodes > n => {
                return Err(Error::NodesNotAPowerOfTwo { algorithm, nodes, n }.into());
            }
            Some(nodes) => nodes,
            None => 1 << request.node_count().min(n).ilog2(),
        };
        if request.phantom {
            return Err(Error::NeedsPoints { algorithm }.into());
        }
        request.fits::<T>(&[n])?;
        let mut plan = ReceiverPlan::new(n, nodes, request.problem.to(), self.mode).map_err(Error::from)?;
        if let Some(roots) = self.settings.roots {
            plan = plan.roots(roots.get());
        }
        if let Some(kernel) = request.other_kernel(plan.order.share())? {
            plan = plan.rows_by(kernel);
        }
        let program = Box::new(ReceiverProgram { plan: Shared::new(plan), factor: request.factor() });
        Ok(Draft { program, nodes })
    }
}

impl Solver for Receiver {
    fn name(&self) -> &'static str {
        match self.mode {
            RequestMode::Tree => "receiver",
            RequestMode::Tokens => "receiver-tokens",
            RequestMode::Shared => "receiver-shared",
        }
    }

    fn about(&self) -> &'static str {
        match self.mode {
            RequestMode::Tree => "Receiver-initiated, tree of requests; powers of 2",
            RequestMode::Tokens => "Receiver-initiated, requests are tokens",
            RequestMode::Shared => "Receiver-initiated, each point computed once",
        }
    }

    fn is_worth_measuring(&self, problem: &UntypedProblem, effort: Effort) -> bool {
        problem.lengths().len() == 1 && effort == Effort::Patient
    }

    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.roots.map_or(Ok(()), |roots| write!(f, " by {roots} roots"))
    }

    solver_methods!(settings);
}

/// A receiver-initiated FFT, and the factor of its result.
#[derive(Debug)]
pub(crate) struct ReceiverProgram<T: Real> {
    pub(crate) plan: Shared<ReceiverPlan<T>>,
    pub(crate) factor: T,
}

impl<T: Precision> Program<T> for ReceiverProgram<T> {
    fn counts(&self) -> Counts {
        let order = self.plan.order;
        let each = match self.plan.mode {
            RequestMode::Tree | RequestMode::Tokens => order.nodes() as u64 - 1,
            RequestMode::Shared => u64::from(order.levels()),
        };
        let half_butterflies = order.points() as u64 * each;
        Counts { requests: 2 * half_butterflies, half_butterflies }
    }

    fn memory(&self, _: usize) -> Memory {
        let order = self.plan.order;
        let n = order.points() as u64;
        let levels = u64::from(order.levels());
        let (cells, requests) = match self.plan.mode {
            RequestMode::Tree | RequestMode::Tokens => (n, 2 * (order.nodes() as u64 - 1)),
            RequestMode::Shared => (n * levels.max(1), 2 * levels),
        };
        // A cell has a value, or a list of the requests that wait for it.
        let cell = (size_of::<Complex<T>>() + size_of::<Vec<Reply<Complex<T>>>>()) as u64;
        let roots = (self.plan.window * order.nodes()) as u64;
        let asked = (roots * (1 + requests)).saturating_mul(size_of::<RequestFrame<T>>() as u64);
        // The samples as they are dealt, and the roots as they arrive.
        Memory::of::<T>(2 * n + order.share() as u64, cells.saturating_mul(cell) + asked)
    }

    fn passes(&self, _: &UntypedProblem, nodes: usize) -> Option<Vec<Pass>> {
        let (order, requests) = (self.plan.order, self.counts().requests);
        let name = REQUEST_STEPS[usize::from(self.plan.mode == RequestMode::Shared)];
        let rows = lines::<T>(self.plan.kernel.name(), [order.nodes(), order.share()], nodes);
        let work = PassWork::Steps(name, requests + order.points() as u64);
        Some(vec![rows, Pass { what: format!("{requests} requests"), work, ..steps::<T>(nodes) }])
    }

    fn runs(&self) -> Runs<'_, T> {
        Runs::on_signal([1, self.plan.order.points()], self.factor, |machine, signal| {
            let job = ReceiverJob::new(signal, self.plan.clone());
            machine.run_with(job.shared(), |out| ReceiverFft::<T>::call(job, out))
        })
    }
}

impl<T: Real> fmt::Display for ReceiverProgram<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moved = 4 * self.plan.order.points() * size_of::<Complex<T>>();
        write!(f, "points request their operands, {moved} bytes moved besides the requests")
    }
}
