//! Tasks that need each other's values, as data: a directed acyclic graph.
//!
//! 1. The graph is in one frame. The frame counts for each task how many of its input values are missing.
//! 2. A task with all its inputs becomes a token that carries them. Its value returns to that frame, which
//!    distributes it.
//! 3. Among tasks that are ready together, the node first runs the one with the longest path below it.
//!
//! # Cost
//!
//! A token and a put per task, one fiber for it and one in the frame of the graph. A stolen task costs two
//! messages; its inputs cost no further messages. A value that several tasks need is cloned for all except
//! the last of them. A large value should be [`Published`](crate::Published) or [`Shared`](crate::Shared),
//! whose clones are handles.
//!
//! # When it loses
//!
//! One node handles every task, in some tens of nanoseconds each. If tasks take less than a microsecond on
//! many nodes, write the graph as functions that send each other their values.

use std::cmp::Reverse;
use std::marker::PhantomData;

use crate::{Eu, Reply, Start, Then, Wire, Work, threaded};

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

/// Tasks, and for each task the tasks whose values it needs.
#[derive(Clone, Debug, Default, Wire)]
pub struct Graph<T> {
    tasks: Vec<T>,
    needs: Vec<Vec<usize>>,
}

impl<T> Graph<T> {
    /// Returns a graph without tasks.
    pub fn new() -> Self {
        Graph { tasks: Vec::new(), needs: Vec::new() }
    }

    /// Adds a task that needs the values of the tasks `needs`, and returns its number. A task can need only
    /// tasks that were added before it, so the graph is acyclic.
    ///
    /// # Panics
    ///
    /// If a task that it needs has not been added.
    #[doc(alias = "emplace")]
    #[doc(alias = "precede")]
    #[doc(alias = "succeed")]
    pub fn add(&mut self, task: T, needs: impl Into<Vec<usize>>) -> usize {
        let (number, needs) = (self.tasks.len(), needs.into());
        if let Some(missing) = needs.iter().find(|&&needed| needed >= number) {
            panic!("task {number} needs task {missing}, which has not been added");
        }
        self.tasks.push(task);
        self.needs.push(needs);
        number
    }
}

/// Runs the tasks of a graph, and returns the values of the tasks that no other task needs, in the order of
/// addition.
///
/// ```
/// use earth::patterns::{Graph, RunGraph, Task};
/// use earth::{Machine, Wire};
///
/// #[derive(Wire)]
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
/// graph.add(Term::Product, [sum, sum, two]);
/// assert_eq!(Machine::threads(2).run(|out| RunGraph::call(graph, out))?.value, [50]);
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(Debug)]
pub struct RunGraph<T: Task> {
    nodes: Vec<Node<T>>,
    left: usize,
    out: Reply<Vec<T::Value>>,
}

/// A task in its graph.
#[derive(Debug)]
struct Node<T: Task> {
    /// The task, until it becomes a token.
    task: Option<T>,
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

#[threaded]
impl<T: Task> RunGraph<T> {
    /// Runs the tasks of `graph`.
    pub fn start(graph: Graph<T>, out: Reply<Vec<T::Value>>, eu: &mut Eu<Self>) -> Start<Self> {
        if graph.tasks.is_empty() {
            eu.put(out, Vec::new());
            return Start::End;
        }
        let mut graph = RunGraph { left: graph.tasks.len(), nodes: nodes(graph), out };
        let ready = (0..graph.nodes.len()).filter(|&task| graph.nodes[task].missing == 0).collect();
        graph.run(ready, eu);
        Start::Wait(graph)
    }

    #[slot(again)]
    fn done(&mut self, made: (usize, T::Value), eu: &mut Eu<Self>) -> Then {
        let (task, value) = made;
        self.nodes[task].value = Some(value);
        let mut ready = Vec::new();
        for at in 0..self.nodes[task].users.len() {
            let user = self.nodes[task].users[at];
            self.nodes[user].missing -= 1;
            if self.nodes[user].missing == 0 {
                ready.push(user);
            }
        }
        self.run(ready, eu);
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.nodes.iter_mut().filter_map(|node| node.value.take()).collect());
        Then::End
    }
}

impl<T: Task> RunGraph<T> {
    /// Makes tokens of tasks, the one with the longest path last, since a node runs its newest token first.
    fn run(&mut self, mut ready: Vec<usize>, eu: &mut Eu<Self>) {
        ready.sort_by_key(|&task| (self.nodes[task].height, Reverse(task)));
        for task in ready {
            let needs = std::mem::take(&mut self.nodes[task].needs);
            let values = needs.into_iter().filter_map(|needed| self.serve(needed)).collect();
            if let Some(does) = self.nodes[task].task.take() {
                eu.token(RunTask::call(does, task, values, eu.reply(Self::done().made)));
            }
        }
    }

    /// Returns the value of a task for one of its users.
    fn serve(&mut self, task: usize) -> Option<T::Value> {
        let node = &mut self.nodes[task];
        node.unserved -= 1;
        if node.unserved == 0 { node.value.take() } else { node.value.clone() }
    }
}

/// Returns the tasks of a graph with their dependencies in both directions.
fn nodes<T: Task>(graph: Graph<T>) -> Vec<Node<T>> {
    let node = |(task, needs): (T, Vec<usize>)| {
        let missing = needs.len();
        Node { task: Some(task), needs, missing, users: Vec::new(), unserved: 0, value: None, height: 1 }
    };
    let mut nodes: Vec<_> = graph.tasks.into_iter().zip(graph.needs).map(node).collect();
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
impl<T: Task> RunTask<T> {
    fn start(
        task: T,
        number: usize,
        needs: Vec<T::Value>,
        done: Reply<(usize, T::Value)>,
        eu: &mut Eu<Self>,
    ) {
        eu.work(task.cost());
        eu.put(done, (number, task.run(needs)));
    }
}
