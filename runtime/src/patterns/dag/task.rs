//! Tasks, and what they may return.

use super::graph::Graph;
use crate::{Wire, Work};

/// A piece of work that needs the values of other tasks.
pub trait Task: Wire {
    /// The result of a task.
    type Value: Wire + Clone;

    /// Computes the task's value from the values it needs, in the order in which they were named.
    fn run(self, needs: Vec<Self::Value>) -> Self::Value;

    /// Returns the cost of `run` on a simulated machine; real machines ignore it.
    fn cost(&self) -> Work {
        Work::Cycles(0)
    }
}

/// A task that may return a graph instead of its value, or choose a branch. Every [`Task`] is one.
///
/// A graph may contain tasks that return graphs, to any depth: each graph that waits has a frame, and none
/// uses the stack. If the last task of a graph makes its result, that task takes the place of the graph. So a
/// loop, a task that returns a graph which ends with the task of the next round, runs in constant memory.
///
/// ```
/// use earth::patterns::{DynamicTask, Graph, Outcome, RunGraph};
/// use earth::{Machine, Wire};
///
/// /// Collatz's sequence, a round a step.
/// #[derive(Clone, Wire)]
/// enum Step {
///     Number(u64),
///     /// Chooses what to do with a number.
///     Parity,
///     Half,
///     Triple,
///     /// Counts the steps down to 1.
///     Count { steps: u64 },
/// }
///
/// impl DynamicTask for Step {
///     type Value = u64;
///
///     fn decide(self, needs: Vec<u64>) -> Outcome<Self> {
///         Outcome::Value(match self {
///             Step::Number(number) => number,
///             Step::Parity => return Outcome::Branch((needs[0] % 2) as usize),
///             Step::Half => needs[0] / 2,
///             Step::Triple => 3 * needs[0] + 1,
///             Step::Count { steps } if needs[0] == 1 => steps,
///             Step::Count { steps } => {
///                 let mut round = Graph::new();
///                 let number = round.input();
///                 let branches = [Step::Half, Step::Triple].map(|step| {
///                     let mut branch = Graph::new();
///                     let number = branch.input();
///                     branch.add(step, [number]);
///                     branch
///                 });
///                 let next = round.choose(Step::Parity, [number], branches);
///                 round.add(Step::Count { steps: steps + 1 }, [next]);
///                 return Outcome::Graph(round, needs);
///             }
///         })
///     }
/// }
///
/// let mut graph = Graph::new();
/// let number = graph.add(Step::Number(27), []);
/// graph.add(Step::Count { steps: 0 }, [number]);
/// assert_eq!(Machine::threads(2).run(|out| RunGraph::call(graph, out))?.value, [111]);
/// # Ok::<(), earth::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a task of a graph",
    label = "neither `Task` nor `DynamicTask` is implemented",
    note = "implement `Task`, or `DynamicTask` if it makes graphs or chooses branches"
)]
pub trait DynamicTask: Wire {
    /// The result of a task.
    type Value: Wire + Clone;

    /// Computes the task's outcome from the values it needs, in the order in which they were named.
    fn decide(self, needs: Vec<Self::Value>) -> Outcome<Self>;

    /// Returns the cost of `decide` on a simulated machine; real machines ignore it.
    fn cost(&self) -> Work {
        Work::Cycles(0)
    }
}

impl<T: Task> DynamicTask for T {
    type Value = T::Value;

    #[inline]
    fn decide(self, needs: Vec<T::Value>) -> Outcome<T> {
        Outcome::Value(self.run(needs))
    }

    fn cost(&self) -> Work {
        Task::cost(self)
    }
}

/// The outcome of a [`DynamicTask`].
#[derive(Debug)]
pub enum Outcome<T: DynamicTask> {
    /// The task's value.
    Value(T::Value),
    /// A graph, and the values of its inputs. Its one result becomes the task's value. The run ends with
    /// [`Error::Panicked`](crate::Error::Panicked) if the graph has no result or several, or more inputs than
    /// values.
    Graph(Graph<T>, Vec<T::Value>),
    /// The branch that a [condition](Graph::choose) chooses, counted from 0. Its one result becomes the
    /// condition's value. The run ends with [`Error::Panicked`](crate::Error::Panicked) if the task has no
    /// such branch.
    Branch(usize),
}

impl<T: DynamicTask> From<Graph<T>> for Outcome<T> {
    fn from(graph: Graph<T>) -> Self {
        Outcome::Graph(graph, Vec::new())
    }
}
