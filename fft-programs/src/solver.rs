//! Algorithms as values: a planner asks each [`Solver`] that it knows for a plan of a problem.
//!
//! 1. A solver has a name, by which it is asked for, and settings of its own, which it turns into text and back.
//! 2. Asked by name it plans any problem that it can solve, and refuses others with one sentence ([`PlanError`]).
//! 3. Unasked, a planner takes the first solver whose algorithm [pays](Solver::pays) for the problem.
//! 4. A planner that [measures](crate::Planner::effort) tries solvers in several blocks, on several numbers of nodes and
//!    with several kernels.
//!
//! A plan of a solver is a [`Program`]: it says what it does and needs, and runs on the nodes of a machine. A solver of
//! another crate is registered by [`Planner::with`](crate::Planner::with), and is a solver like those of this crate.

mod array;
mod program;
mod request;
mod runs;
mod signal;

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use earth_fftw::Effort;
use earth_kernels::Real;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use array::in_two_passes;
pub use array::{ArrayProgram, Input};
pub use program::{Counts, Memory, Program, bytes};
pub use request::{Request, check_block};
pub use runs::{Runs, RunsItself};
pub use signal::SignalProgram;

pub use crate::problem::{Data, Slices};

use crate::kernel::Kernel;
use crate::planner::{PlanError, Why};
use crate::problem::UntypedProblem;

/// An algorithm with its settings.
///
/// It is implemented for both precisions by two methods that name them, so that its programs are compiled once, with the
/// crate that has it.
pub trait Solver: fmt::Debug + Send + Sync {
    /// The name by which it is asked for. A wisdom keeps it.
    fn name(&self) -> &'static str;

    /// What it is, in some eight words for a help text.
    fn about(&self) -> &'static str {
        ""
    }

    /// The settings as text, empty if none differs from the usual ones. A wisdom keeps them.
    fn settings(&self) -> String {
        String::new()
    }

    /// The same algorithm with the settings of a text that [`settings`](Self::settings) made. `None` if it has no such
    /// settings. A planner does not ask a solver for the settings it already has.
    fn with_settings(&self, _text: &str) -> Option<Arc<dyn Solver>> {
        None
    }

    /// Whether a planner takes it for a problem for which no algorithm is named.
    fn pays(&self, _: &Request<'_>) -> Pays {
        Pays::NotItsProblem
    }

    /// Plans a problem in single precision.
    ///
    /// # Errors
    ///
    /// [`PlanError`] says in a sentence what it does not solve.
    fn plan_f32(&self, request: &Request<'_>) -> Result<Draft<f32>, PlanError>;

    /// Plans a problem in double precision.
    ///
    /// # Errors
    ///
    /// [`PlanError`] says in a sentence what it does not solve.
    fn plan_f64(&self, request: &Request<'_>) -> Result<Draft<f64>, PlanError>;

    /// The same algorithm in blocks of so many points or rows. `None` if it has no blocks.
    fn in_blocks(&self, _: NonZeroUsize) -> Option<Arc<dyn Solver>> {
        None
    }

    /// The block that cuts the longest side of a problem into so many parts. `None` if the algorithm has no blocks, or if
    /// its block is set.
    fn block_of(&self, _: &UntypedProblem, _parts: usize) -> Option<NonZeroUsize> {
        None
    }

    /// Whether it is measured for a problem for which no algorithm is named.
    fn is_worth_measuring(&self, _: &UntypedProblem, _: Effort) -> bool {
        false
    }

    /// Whether its settings leave nothing to be measured.
    fn is_fixed(&self) -> bool {
        false
    }

    /// The kernel of its rows, and how hard a library plans them, if its settings are for one.
    fn rows(&self) -> Option<(&Kernel, Option<Effort>)> {
        None
    }

    /// Other ways of its own to measure, after those in blocks of its choice.
    fn more_ways(&self, _: &Request<'_>, _: &Measuring<'_>) -> Vec<Way> {
        Vec::new()
    }

    /// Writes the settings for people, each after a space or a comma.
    ///
    /// # Errors
    ///
    /// The formatter's.
    fn describe(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

/// Whether an algorithm is taken for a problem for which none is named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pays {
    /// It is, and why.
    Yes(Why),
    /// It is not, and why.
    No(Why),
    /// Other solvers decide.
    NotItsProblem,
}

/// A plan of a solver: a program, and the nodes that it runs on.
#[derive(Debug)]
pub struct Draft<T: Real> {
    /// The program.
    pub program: Box<dyn Program<T>>,
    /// The nodes of its machine.
    pub nodes: usize,
}

/// What a planner that measures varies.
#[derive(Clone, Copy, Debug)]
pub struct Measuring<'a> {
    /// How hard plans are looked for.
    pub effort: Effort,
    /// The numbers of nodes, the largest first.
    pub nodes: &'a [NonZeroUsize],
    /// The kernel that was asked for.
    pub kernel: Option<&'a Kernel>,
    /// The kernels that are tried.
    pub kernels: &'a [Kernel],
    /// The precision and the bytes of a point.
    pub precision: (&'static str, usize),
}

/// A way to transform a problem: a solver, the nodes that it gets, and the kernel of its rows.
#[derive(Clone, Debug)]
pub struct Way {
    /// The solver; `None` is the thread that asks.
    pub solver: Option<Arc<dyn Solver>>,
    /// The nodes.
    pub nodes: NonZeroUsize,
    /// The kernel.
    pub kernel: Kernel,
}

impl PartialEq for Way {
    fn eq(&self, other: &Self) -> bool {
        let of = |way: &Self| way.solver.as_ref().map(|solver| (solver.name(), solver.settings()));
        of(self) == of(other) && self.nodes == other.nodes && self.kernel == other.kernel
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Settings<'a>(&'a dyn Solver);
        impl fmt::Display for Settings<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.describe(f)
            }
        }
        let Self { solver, nodes, kernel } = self;
        match solver {
            None => f.write_str("the thread that asks")?,
            Some(solver) => {
                let ending = if nodes.get() == 1 { "" } else { "s" };
                write!(f, "{} on {nodes} node{ending}{}", solver.name(), Settings(&**solver))?;
            }
        }
        write!(f, ", rows by {kernel}")
    }
}

/// Writes the block of a solver for people.
pub fn describe_block(block: Option<NonZeroUsize>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    block.map_or(Ok(()), |block| write!(f, " in blocks of {block}"))
}

/// The settings of a solver as text, empty if they are the usual ones.
pub fn text_of<S: Serialize + Default + PartialEq>(settings: &S) -> String {
    if *settings == S::default() {
        String::new()
    } else {
        serde_json::to_string(settings)
            .unwrap_or_else(|error| unreachable!("settings are plain data: {error}"))
    }
}

/// The settings that [`text_of`] wrote. `None` if the text is no settings of this type.
pub fn from_text<S: DeserializeOwned + Default>(text: &str) -> Option<S> {
    if text.is_empty() { Some(S::default()) } else { serde_json::from_str(text).ok() }
}

/// Writes the methods of [`Solver`] that are the same for every solver: plans in both precisions, by its own generic method
/// `plan`, and the text of its settings, which are the solver itself or the named field.
#[macro_export]
macro_rules! solver_methods {
    () => {
        $crate::solver_methods!(plans);

        fn settings(&self) -> String {
            $crate::solver::text_of(self)
        }

        fn with_settings(&self, text: &str) -> Option<::std::sync::Arc<dyn $crate::solver::Solver>> {
            Some(::std::sync::Arc::new($crate::solver::from_text::<Self>(text)?))
        }
    };
    (plans) => {
        fn plan_f32(
            &self,
            request: &$crate::solver::Request<'_>,
        ) -> Result<$crate::solver::Draft<f32>, $crate::PlanError> {
            self.plan(request)
        }

        fn plan_f64(
            &self,
            request: &$crate::solver::Request<'_>,
        ) -> Result<$crate::solver::Draft<f64>, $crate::PlanError> {
            self.plan(request)
        }
    };
    ($settings:ident) => {
        $crate::solver_methods!(plans);

        fn settings(&self) -> String {
            $crate::solver::text_of(&self.$settings)
        }

        fn with_settings(&self, text: &str) -> Option<::std::sync::Arc<dyn $crate::solver::Solver>> {
            Some(::std::sync::Arc::new(Self { $settings: $crate::solver::from_text(text)?, ..self.clone() }))
        }
    };
}
pub use crate::solver_methods;
