//! Tasks that need each other's values, as data: a directed graph without circles.
//!
//! 1. The graph lies in one frame, which counts for each task how many of the values it needs are there.
//! 2. A task that has all of them is a token, with its values; what it makes comes back to that frame, which hands it on.
//! 3. Of tasks that are ready together the node runs the one with the longest path below it first.
//!
//! # Cost
//!
//! A token and a put a task, one fiber for it and one in the frame of the graph. A task that is stolen costs two messages; what a
//! task needs costs none of its own. A value that several tasks need is cloned for all but the last of them; a large
//! one is [`Published`](crate::Published) or [`Shared`](crate::Shared), whose clones are handles.
//!
//! # When it loses
//!
//! One node hears of every task, some tens of nanoseconds each. With tasks of less than a microsecond on many nodes write the
//! graph as functions that send each other what they need.

use std::cmp::Reverse;
use std::marker::PhantomData;

use crate::{Eu, Reply, Start, Then, Wire, Work, threaded};

/// A piece of work that needs the values of others.
pub trait Task: Wire {
    /// What it makes.
    type Value: Wire + Clone;

    /// Makes its value of those that it needs, in the order in which they were named.
    fn run(self, needs: Vec<Self::Value>) -> Self::Value;

    /// What that costs on a simulated machine; a real one takes what it takes.
    fn cost(&self) -> Work {
        Work::Cycles(0)
    }
}

/// Tasks, and for each of them those whose values it needs.
#[derive(Clone, Debug, Default, Wire)]
pub struct Graph<T> {
    tasks: Vec<T>,
    needs: Vec<Vec<usize>>,
}

impl<T> Graph<T> {
    /// A graph without tasks.
    pub fn new() -> Self {
        Graph { tasks: Vec::new(), needs: Vec::new() }
    }

    /// Adds a task that needs the values of these others, and gives its number. As it can need only tasks that were added
    /// before it, there are no circles.
    ///
    /// # Panics
    ///
    /// If a task that it needs has not been added.
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

/// Runs the tasks of a graph, and gives the values of those that no other task needs, in the order in which they were added.
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
    /// The task, until it is a token.
    task: Option<T>,
    needs: Vec<usize>,
    /// How many of the values it needs are missing.
    missing: usize,
    /// The tasks that need its value, once for each time.
    users: Vec<usize>,
    /// How many of these have not been given it yet.
    unserved: usize,
    value: Option<T::Value>,
    /// How many tasks the longest path from here has.
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
    /// Makes tokens of tasks, that with the longest path last, since a node runs its newest token first.
    fn run(&mut self, mut ready: Vec<usize>, eu: &mut Eu<Self>) {
        ready.sort_by_key(|&task| (self.nodes[task].height, Reverse(task)));
        for task in ready {
            let needs = std::mem::take(&mut self.nodes[task].needs);
            let values = needs.into_iter().filter_map(|needed| self.serve(needed)).collect();
            if let Some(does) = self.nodes[task].task.take() {
                eu.token(Runs::call(does, task, values, eu.reply(Self::done().made)));
            }
        }
    }

    /// The value of a task, for one that needs it.
    fn serve(&mut self, task: usize) -> Option<T::Value> {
        let node = &mut self.nodes[task];
        node.unserved -= 1;
        if node.unserved == 0 { node.value.take() } else { node.value.clone() }
    }
}

/// The tasks of a graph with who needs whom in both directions.
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
struct Runs<T>(PhantomData<fn(T)>);

#[threaded]
impl<T: Task> Runs<T> {
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
