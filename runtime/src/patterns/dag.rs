//! Tasks that need each other's values, as data: a directed acyclic graph.
//!
//! 1. The graph is in one frame. The frame counts for each task how many of its input values are missing.
//! 2. A task with all its inputs becomes a token that carries them. Its value returns to that frame, which
//!    distributes it.
//! 3. Among tasks that are ready together, the node first runs the one with the longest path below it.
//! 4. A task that returns a graph starts it on the node that ran the task, in a frame of its own. The result
//!    of that graph returns as the task's value. The token of a condition carries its branches.
//! 5. If one task of such a graph is left and makes its result, the task gets the address for the result, and
//!    the frame ends.
//!
//! # Cost
//!
//! A token and a put per task, one fiber for it and one in the frame of the graph. A stolen task costs two
//! messages; its inputs cost no further messages. A value that several tasks need is cloned for all except
//! the last of them. A large value should be [`Published`](crate::Published) or [`Shared`](crate::Shared),
//! whose clones are handles. A graph that a task returns costs an invoke, two fibers and a frame more.
//!
//! # When it loses
//!
//! One node handles every task, in some tens of nanoseconds each. If tasks take less than a microsecond on
//! many nodes, write the graph as functions that send each other their values.

mod dot;
mod graph;
mod task;

use std::cmp::Reverse;
use std::marker::PhantomData;

pub use graph::Graph;
pub use task::{DynamicTask, Outcome, Task};

use crate::{Eu, Reply, Start, Then, threaded};

/// Runs the tasks of a graph, and returns its [results](Graph): the values of the tasks that are
/// [kept](Graph::keep), or else of those that no other task needs.
///
/// ```
/// use earth::patterns::{Graph, RunGraph, Task};
/// use earth::{Machine, Wire};
///
/// #[derive(Clone, Wire)]
/// enum Term {
///     Number(i64),
///     Sum,
///     Product,
/// }
///
/// impl Task for Term {
///     type Value = i64;
///     fn run(self, needs: Vec<i64>) -> i64 {
///         match self {
///             Term::Number(number) => number,
///             Term::Sum => needs.iter().sum(),
///             Term::Product => needs.iter().product(),
///         }
///     }
/// }
///
/// let mut graph = Graph::new();
/// let (two, three) = (graph.add(Term::Number(2), []), graph.add(Term::Number(3), []));
/// let sum = graph.add(Term::Sum, [two, three]);
/// let product = graph.add(Term::Product, [sum, sum, two]);
/// assert_eq!(Machine::threads(2).run(|out| RunGraph::call(graph.clone(), out))?.value, [50]);
///
/// // The value of an inner task, too.
/// let [sum, product] = [sum, product].map(|task| graph.keep(task));
/// let values = Machine::threads(2).run(|out| RunGraph::call(graph, out))?.value;
/// assert_eq!((values[sum], values[product]), (5, 50));
/// # Ok::<(), earth::Error>(())
/// ```
pub struct RunGraph<T: DynamicTask> {
    tasks: Tasks<T>,
    out: Reply<Vec<T::Value>>,
}

impl<T: DynamicTask> std::fmt::Debug for RunGraph<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunGraph").field("left", &self.tasks.left).finish_non_exhaustive()
    }
}

#[threaded]
impl<T: DynamicTask> RunGraph<T> {
    /// Runs the tasks of `graph`.
    ///
    /// # Panics
    ///
    /// If the graph has inputs.
    pub fn start(graph: Graph<T>, out: Reply<Vec<T::Value>>, eu: &mut Eu<Self>) -> Start<Self> {
        let (mut tasks, ready) = Tasks::new(graph, Vec::new());
        if tasks.left == 0 {
            eu.put(out, tasks.results());
            return Start::End;
        }
        tasks.run(ready, eu.reply(Self::done().made), eu);
        Start::Wait(RunGraph { tasks, out })
    }

    #[slot(again)]
    fn done(&mut self, made: (usize, T::Value), eu: &mut Eu<Self>) -> Then {
        let (task, value) = made;
        let ready = self.tasks.done(task, value);
        self.tasks.run(ready, eu.reply(Self::done().made), eu);
        if self.tasks.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.tasks.results());
        Then::End
    }
}

/// A graph whose one result is the value of task `number` of another graph.
struct Subgraph<T: DynamicTask> {
    tasks: Tasks<T>,
    number: usize,
    out: Reply<(usize, T::Value)>,
}

#[threaded]
impl<T: DynamicTask> Subgraph<T> {
    fn start(
        graph: Graph<T>,
        inputs: Vec<T::Value>,
        number: usize,
        out: Reply<(usize, T::Value)>,
        eu: &mut Eu<Self>,
    ) -> Start<Self> {
        let (tasks, ready) = Tasks::new(graph, inputs);
        let mut subgraph = Subgraph { tasks, number, out };
        if subgraph.go_on(ready, eu) { Start::End } else { Start::Wait(subgraph) }
    }

    #[slot(again)]
    fn done(&mut self, made: (usize, T::Value), eu: &mut Eu<Self>) -> Then {
        let (task, value) = made;
        let ready = self.tasks.done(task, value);
        if self.go_on(ready, eu) { Then::End } else { Then::Wait }
    }
}

impl<T: DynamicTask> Subgraph<T> {
    /// Runs the tasks that are ready. Returns whether the graph needs its frame no more.
    fn go_on(&mut self, ready: Vec<usize>, eu: &mut Eu<Self>) -> bool {
        if self.tasks.left == 0 {
            if let Some(value) = self.tasks.results().pop() {
                eu.put(self.out, (self.number, value));
            }
            return true;
        }
        if self.tasks.left == 1 && ready == self.tasks.results {
            self.tasks.run_one(ready[0], self.number, self.out, eu);
            return true;
        }
        self.tasks.run(ready, eu.reply(Self::done().made), eu);
        false
    }
}

/// The tasks of a graph that runs.
struct Tasks<T: DynamicTask> {
    nodes: Vec<Node<T>>,
    /// Number of tasks that have no value yet.
    left: usize,
    results: Vec<usize>,
}

/// A task in its graph.
struct Node<T: DynamicTask> {
    /// The task, until it becomes a token.
    task: Option<T>,
    /// The branches of a condition.
    branches: Vec<Graph<T>>,
    needs: Vec<usize>,
    /// Number of its input values that are missing.
    missing: usize,
    /// The tasks that need its value, listed once per use.
    users: Vec<usize>,
    /// Number of uses that have not received the value yet.
    unserved: usize,
    value: Option<T::Value>,
    /// Number of tasks on the longest path from here.
    height: usize,
}

impl<T: DynamicTask> Tasks<T> {
    /// Returns the tasks of a graph with these values for its inputs, and the tasks that are ready.
    fn new(graph: Graph<T>, inputs: Vec<T::Value>) -> (Self, Vec<usize>) {
        graph.check_inputs(inputs.len());
        let (results, given) = (graph.results(), graph.inputs.clone());
        let mut tasks = Tasks { left: graph.tasks.len() - given.len(), nodes: nodes(graph), results };
        tasks.results.iter().for_each(|&task| tasks.nodes[task].unserved += 1);
        let mut ready: Vec<_> = (0..tasks.nodes.len())
            .filter(|&task| tasks.nodes[task].missing == 0 && tasks.nodes[task].task.is_some())
            .collect();
        for (input, value) in given.into_iter().zip(inputs) {
            ready.extend(tasks.has(input, value));
        }
        (tasks, ready)
    }

    /// Takes the value of a task, and returns the tasks that are ready now.
    fn done(&mut self, task: usize, value: T::Value) -> Vec<usize> {
        self.left -= 1;
        self.has(task, value)
    }

    fn has(&mut self, number: usize, value: T::Value) -> Vec<usize> {
        let node = &mut self.nodes[number];
        if node.unserved > 0 {
            node.value = Some(value);
        }
        let mut ready = Vec::new();
        for at in 0..self.nodes[number].users.len() {
            let user = self.nodes[number].users[at];
            self.nodes[user].missing -= 1;
            if self.nodes[user].missing == 0 {
                ready.push(user);
            }
        }
        ready
    }

    /// Makes tokens of tasks, the one with the longest path last, since a node runs its newest token first.
    fn run(&mut self, mut ready: Vec<usize>, to: Reply<(usize, T::Value)>, eu: &mut Eu) {
        ready.sort_by_key(|&task| (self.nodes[task].height, Reverse(task)));
        for task in ready {
            self.run_one(task, task, to, eu);
        }
    }

    /// Makes a token of a task, whose value goes to `to` under a number.
    fn run_one(&mut self, task: usize, number: usize, to: Reply<(usize, T::Value)>, eu: &mut Eu) {
        let needs = std::mem::take(&mut self.nodes[task].needs);
        let values = needs.into_iter().filter_map(|needed| self.serve(needed)).collect();
        let Node { task, branches, .. } = &mut self.nodes[task];
        let Some(does) = task.take() else { return };
        if branches.is_empty() {
            eu.token(RunTask::call(does, number, values, to));
        } else {
            eu.token(RunCondition::call(does, std::mem::take(branches), number, values, to));
        }
    }

    /// Returns the value of a task for one of its users.
    fn serve(&mut self, task: usize) -> Option<T::Value> {
        let node = &mut self.nodes[task];
        node.unserved -= 1;
        if node.unserved == 0 { node.value.take() } else { node.value.clone() }
    }

    /// Returns the results, after the last task.
    fn results(&mut self) -> Vec<T::Value> {
        let results = std::mem::take(&mut self.results);
        results.into_iter().filter_map(|task| self.serve(task)).collect()
    }
}

/// Returns the tasks of a graph with their dependencies in both directions.
fn nodes<T: DynamicTask>(graph: Graph<T>) -> Vec<Node<T>> {
    let node = |(task, needs): (Option<T>, Vec<usize>)| {
        let missing = needs.len();
        let (branches, users) = (Vec::new(), Vec::new());
        Node { task, branches, needs, missing, users, unserved: 0, value: None, height: 1 }
    };
    let mut nodes: Vec<_> = graph.tasks.into_iter().zip(graph.needs).map(node).collect();
    for (condition, branches) in graph.branches {
        nodes[condition].branches = branches;
    }
    for task in (0..nodes.len()).rev() {
        for at in 0..nodes[task].needs.len() {
            let (needed, height) = (nodes[task].needs[at], nodes[task].height);
            let needed = &mut nodes[needed];
            needed.users.push(task);
            needed.unserved += 1;
            needed.height = needed.height.max(height + 1);
        }
    }
    nodes
}

/// One task.
struct RunTask<T>(PhantomData<fn(T)>);

#[threaded]
impl<T: DynamicTask> RunTask<T> {
    fn start(
        task: T,
        number: usize,
        needs: Vec<T::Value>,
        done: Reply<(usize, T::Value)>,
        eu: &mut Eu<Self>,
    ) {
        eu.work(task.cost());
        match task.decide(needs) {
            Outcome::Value(value) => eu.put(done, (number, value)),
            Outcome::Graph(graph, inputs) => start(graph, inputs, number, done, eu),
            Outcome::Branch(branch) => {
                panic!("task {number} chooses branch {branch}, but it has no branches")
            }
        }
    }
}

/// One condition.
struct RunCondition<T>(PhantomData<fn(T)>);

#[threaded]
impl<T: DynamicTask> RunCondition<T> {
    fn start(
        task: T,
        mut branches: Vec<Graph<T>>,
        number: usize,
        needs: Vec<T::Value>,
        done: Reply<(usize, T::Value)>,
        eu: &mut Eu<Self>,
    ) {
        eu.work(task.cost());
        match task.decide(needs.clone()) {
            Outcome::Value(value) => eu.put(done, (number, value)),
            Outcome::Graph(graph, inputs) => start(graph, inputs, number, done, eu),
            Outcome::Branch(branch) => {
                let count = branches.len();
                assert!(branch < count, "condition {number} chooses branch {branch}, but it has {count}");
                start(branches.swap_remove(branch), needs, number, done, eu);
            }
        }
    }
}

/// Starts a graph whose result is the value of task `number`, on this node. Its tasks are tokens.
fn start<T: DynamicTask>(
    graph: Graph<T>,
    inputs: Vec<T::Value>,
    number: usize,
    done: Reply<(usize, T::Value)>,
    eu: &mut Eu,
) {
    graph.check_as_value(inputs.len());
    eu.invoke(eu.node(), Subgraph::call(graph, inputs, number, done));
}
