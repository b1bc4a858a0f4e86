//! A graph of tasks as data, before it runs.

use crate::Wire;

/// Tasks, and for each task the tasks whose values it needs.
///
/// The *results* of a graph are the values of the tasks that are [kept](Self::keep). If none is kept, they
/// are the values of the tasks that no other task needs, in the order of addition.
#[derive(Clone, Debug, Wire)]
pub struct Graph<T> {
    /// The tasks, and `None` for each input.
    pub(super) tasks: Vec<Option<T>>,
    pub(super) needs: Vec<Vec<usize>>,
    /// The number of each condition with its branches, in ascending order.
    pub(super) branches: Vec<(usize, Vec<Graph<T>>)>,
    pub(super) inputs: Vec<usize>,
    pub(super) kept: Vec<usize>,
}

impl<T> Default for Graph<T> {
    fn default() -> Self {
        Graph {
            tasks: Vec::new(),
            needs: Vec::new(),
            branches: Vec::new(),
            inputs: Vec::new(),
            kept: Vec::new(),
        }
    }
}

impl<T> Graph<T> {
    /// Returns a graph without tasks.
    pub fn new() -> Self {
        Self::default()
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
    #[track_caller]
    pub fn add(&mut self, task: T, needs: impl Into<Vec<usize>>) -> usize {
        self.push(Some(task), needs.into())
    }

    /// Adds an input: a value from outside of the graph, which tasks may need. Returns its number. The first
    /// input gets the first value, and so on.
    ///
    /// The values for a branch of a [condition](Self::choose) are the values that the condition needs. The
    /// values for a graph that a task returns are given with it, in an
    /// [`Outcome`](crate::patterns::Outcome).
    pub fn input(&mut self) -> usize {
        let number = self.push(None, Vec::new());
        self.inputs.push(number);
        number
    }

    /// Adds a condition: a task that chooses one of `branches` by an
    /// [`Outcome::Branch`](crate::patterns::Outcome::Branch). Returns its number.
    ///
    /// The chosen branch gets the values of `needs` as its inputs. Its result is the value of the condition.
    /// The tasks of the other branches do not run.
    ///
    /// # Panics
    ///
    /// * If a task that it needs has not been added.
    /// * If there is no branch.
    /// * If a branch has no result or several, or more inputs than there are `needs`.
    #[doc(alias = "condition")]
    #[track_caller]
    pub fn choose(
        &mut self,
        condition: T,
        needs: impl Into<Vec<usize>>,
        branches: impl Into<Vec<Graph<T>>>,
    ) -> usize {
        let (needs, branches) = (needs.into(), branches.into());
        assert!(!branches.is_empty(), "a condition has at least one branch");
        for branch in &branches {
            branch.check_as_value(needs.len());
        }
        let number = self.push(Some(condition), needs);
        self.branches.push((number, branches));
        number
    }

    /// Makes the value of a task a result of the graph, whether or not other tasks need it. Returns its
    /// position among the results, which are in the order of these calls.
    ///
    /// # Panics
    ///
    /// If the task has not been added.
    #[track_caller]
    pub fn keep(&mut self, task: usize) -> usize {
        assert!(task < self.tasks.len(), "task {task}, which is to be kept, has not been added");
        self.kept.push(task);
        self.kept.len() - 1
    }

    #[track_caller]
    fn push(&mut self, task: Option<T>, needs: Vec<usize>) -> usize {
        let number = self.tasks.len();
        if let Some(missing) = needs.iter().find(|&&needed| needed >= number) {
            panic!("task {number} needs task {missing}, which has not been added");
        }
        self.tasks.push(task);
        self.needs.push(needs);
        number
    }

    /// Returns the numbers of the tasks whose values are the results.
    pub(super) fn results(&self) -> Vec<usize> {
        if !self.kept.is_empty() {
            return self.kept.clone();
        }
        let mut unneeded: Vec<bool> = self.tasks.iter().map(Option::is_some).collect();
        self.needs.iter().flatten().for_each(|&needed| unneeded[needed] = false);
        (0..unneeded.len()).filter(|&task| unneeded[task]).collect()
    }

    /// Checks that the graph can be the value of a task, with this number of values for its inputs.
    #[track_caller]
    pub(super) fn check_as_value(&self, values: usize) {
        let results = self.results().len();
        assert!(results == 1, "a graph that makes a value has one result, but this one has {results}");
        self.check_inputs(values);
    }

    /// Checks that there is a value for each input.
    #[track_caller]
    pub(super) fn check_inputs(&self, values: usize) {
        let inputs = self.inputs.len();
        assert!(inputs <= values, "a graph of {inputs} inputs is given {values} values");
    }
}
