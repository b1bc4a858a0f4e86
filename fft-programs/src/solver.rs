//! Algorithms as values: a planner requests a plan of a problem from the [`Solver`]s that it knows.
//!
//! 1. A solver has a name and settings. It writes its settings as text and reads them back.
//! 2. If the caller names a solver, this solver plans the problem, or refuses it with one sentence
//!    ([`PlanError`]).
//! 3. Otherwise the planner takes the first solver that [pays](Solver::pays) for the problem.
//! 4. A planner that [measures](crate::Planner::effort) runs solvers with several blocks, numbers of nodes
//!    and kernels.
//!
//! A solver plans a [`Program`]. The program reports its memory, passes and counts, and runs on the nodes of
//! a machine. Another crate registers a solver by [`Planner::with`](crate::Planner::with) or
//! [`Planner::register`](crate::Planner::register). The planner treats it like a solver of this crate.

mod program;
mod request;
mod runs;

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use earth_fftw::Effort;
use earth_kernels::Real;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use program::{Counts, Memory, Program, bytes};
pub use request::{Request, check_block, check_row_block};
pub(crate) use runs::CustomRuns;
pub use runs::{Input, Ran, Runs};

pub use crate::problem::{Data, Slices};

use crate::kernel::Kernel;
use crate::planner::{PlanError, Why};
use crate::problem::UntypedProblem;

/// Algorithm with its settings.
///
/// Two methods plan, one for each precision, and neither is generic. So the crate of a solver compiles its
/// programs once, and crates that use the solver do not compile them again.
/// [`solver_methods!`](crate::solver_methods) implements both methods by one generic method.
pub trait Solver: fmt::Debug + Send + Sync {
    /// Returns the name, by which callers request the solver and [`Wisdom`](crate::Wisdom) stores it.
    fn name(&self) -> &'static str;

    /// Returns a description for help texts, of at most some eight words.
    fn about(&self) -> &'static str {
        ""
    }

    /// Returns the settings as text, which [`Wisdom`](crate::Wisdom) stores. The text is empty if all
    /// settings are the defaults.
    fn settings(&self) -> String {
        String::new()
    }

    /// Returns the solver with the settings in a text of [`settings`](Self::settings), or `None` if another
    /// solver wrote the text. A planner calls this only for settings that differ from the solver's.
    fn with_settings(&self, _text: &str) -> Option<Arc<dyn Solver>> {
        None
    }

    /// Returns whether a planner chooses this solver when the caller names no algorithm.
    fn pays(&self, _: &Request<'_>) -> Pays {
        Pays::NotItsProblem
    }

    /// Plans a problem in single precision.
    ///
    /// # Errors
    ///
    /// Why the solver does not take the problem.
    fn plan_f32(&self, request: &Request<'_>) -> Result<Draft<f32>, PlanError>;

    /// Plans a problem in double precision.
    ///
    /// # Errors
    ///
    /// Why the solver does not take the problem.
    fn plan_f64(&self, request: &Request<'_>) -> Result<Draft<f64>, PlanError>;

    /// Returns the solver with another block size, in points or rows, by a change of the setting `block`.
    /// `None` if the algorithm has no blocks.
    fn in_blocks(&self, block: NonZeroUsize) -> Option<Arc<dyn Solver>> {
        let mut settings = fields(&self.settings());
        settings.insert("block".to_owned(), block.get().into());
        self.with_settings(&serde_json::to_string(&settings).ok()?)
    }

    /// Returns the block size that cuts the longest side of a problem into `parts` parts. `None` if the
    /// algorithm has no blocks, or if the caller has set the block size. The default implementation is for
    /// arrays of 2 or 3 dimensions.
    fn block_of(&self, problem: &UntypedProblem, parts: usize) -> Option<NonZeroUsize> {
        let is_free = block_in(&self.settings()).is_none() && self.in_blocks(NonZeroUsize::MIN).is_some();
        NonZeroUsize::new(problem.longest_side()?.div_ceil(parts)).filter(|_| is_free)
    }

    /// Returns whether a planner that measures runs this solver when the caller names no algorithm.
    fn is_worth_measuring(&self, _: &UntypedProblem, _: Effort) -> bool {
        false
    }

    /// Returns whether the settings fix the whole plan. A planner then measures no alternatives.
    fn is_fixed(&self) -> bool {
        false
    }

    /// Returns the row kernel that the settings require, and the effort of a library that plans it.
    fn rows(&self) -> Option<(&Kernel, Option<Effort>)> {
        None
    }

    /// Returns more candidates to measure, which only this solver knows.
    fn more_candidates(&self, _: &Request<'_>, _: &Measuring<'_>) -> Vec<Candidate> {
        Vec::new()
    }

    /// Writes the settings for people. The text follows the name, so it begins with a space or a comma. The
    /// default implementation writes the block size.
    ///
    /// # Errors
    ///
    /// An error of the formatter.
    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        describe_block(block_in(&self.settings()), f)
    }
}

/// Whether a planner chooses a solver when the caller names no algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pays {
    /// The planner chooses it, for this reason.
    Yes(Why),
    /// The planner does not choose it, for this reason.
    No(Why),
    /// The solver does not take such problems, and gives no reason.
    NotItsProblem,
}

/// Plan of a solver: a program, and the number of nodes that it runs on.
#[derive(Debug)]
pub struct Draft<T: Real> {
    /// Planned program.
    pub program: Box<dyn Program<T>>,
    /// Number of nodes of its machine.
    pub nodes: usize,
}

/// Choices that a measuring planner varies.
#[derive(Clone, Copy, Debug)]
pub struct Measuring<'a> {
    /// Planning effort.
    pub effort: Effort,
    /// Numbers of nodes, the largest first.
    pub nodes: &'a [NonZeroUsize],
    /// Requested kernel.
    pub kernel: Option<&'a Kernel>,
    /// Kernels to try.
    pub kernels: &'a [Kernel],
    /// Precision, and bytes of a point.
    pub precision: (&'static str, usize),
}

/// Candidate for a problem: a solver, the number of its nodes, and the kernel of its rows.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Solver; `None` is the calling thread.
    pub solver: Option<Arc<dyn Solver>>,
    /// Number of nodes.
    pub nodes: NonZeroUsize,
    /// Row kernel.
    pub kernel: Kernel,
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        let of =
            |candidate: &Self| candidate.solver.as_ref().map(|solver| (solver.name(), solver.settings()));
        of(self) == of(other) && self.nodes == other.nodes && self.kernel == other.kernel
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { solver, nodes, kernel } = self;
        match solver {
            None => f.write_str("the calling thread")?,
            Some(solver) => {
                let ending = if nodes.get() == 1 { "" } else { "s" };
                write!(f, "{} on {nodes} node{ending}", solver.name())?;
                solver.describe(f)?;
            }
        }
        write!(f, ", rows by {kernel}")
    }
}

/// Writes the block size of a solver for people.
pub fn describe_block(block: Option<NonZeroUsize>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    block.map_or(Ok(()), |block| write!(f, " in blocks of {block}"))
}

/// Returns settings as text, which is empty for default settings.
pub fn text_of<S: Serialize + Default + PartialEq>(settings: &S) -> String {
    if *settings == S::default() {
        String::new()
    } else {
        serde_json::to_string(settings)
            .unwrap_or_else(|error| unreachable!("settings are plain data: {error}"))
    }
}

/// Parses settings that [`text_of`] wrote. `None` if the text has no settings of this type.
pub fn from_text<S: DeserializeOwned + Default>(text: &str) -> Option<S> {
    if text.is_empty() { Some(S::default()) } else { serde_json::from_str(text).ok() }
}

fn fields(settings: &str) -> serde_json::Map<String, serde_json::Value> {
    from_text(settings).unwrap_or_default()
}

/// Returns the block size in settings in text form.
fn block_in(settings: &str) -> Option<NonZeroUsize> {
    NonZeroUsize::new(fields(settings).get("block")?.as_u64()?.try_into().ok()?)
}

/// Implements the methods of [`Solver`] that are equal for all solvers: planning in both precisions by the
/// solver's generic method `plan`, and the text of its settings. The settings are the solver itself or the
/// named field.
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
