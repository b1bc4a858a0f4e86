//! Task graphs: values of inner tasks, tasks that make graphs, conditions and loops, compared with plain
//! functions. Counts show which tasks ran, and in how much memory.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{gives, on_every, scramble};
use earth::patterns::{DynamicTask, Graph, Outcome, RunGraph, Task};
use earth::{Config, Counters, Error, Machine, Wire, Work};

/// Returns the counts that the program determines: tokens, invokes, fibers, frames.
fn fixed(counters: &Counters) -> [u64; 4] {
    [counters.tokens, counters.invokes, counters.fibers, counters.frames]
}

/// Makes a number from its own and the needed ones, in their order.
#[derive(Clone, Wire)]
struct Mixes(u64);

impl Task for Mixes {
    type Value = u64;
    fn run(self, needs: Vec<u64>) -> u64 {
        needs.into_iter().fold(self.0, |mixed, value| scramble(mixed.rotate_left(9) ^ value, 1))
    }
}

#[test]
fn kept_values_come_in_the_order_in_which_they_were_kept_and_no_others() {
    on_every(|case| {
        let (mut graph, mut values) = (Graph::new(), Vec::new());
        for task in 0..40 {
            let drawn = scramble(task as u64 + 7, 3);
            let needs =
                (0..drawn % 4).filter_map(|i| (drawn.rotate_left(17 * i as u32) as usize).checked_rem(task));
            let needs: Vec<_> = needs.collect();
            values.push(Task::run(Mixes(task as u64), needs.iter().map(|&task| values[task]).collect()));
            graph.add(Mixes(task as u64), needs);
        }
        // The last task, an inner one, the same one again, and the first one.
        let kept = [39, 12, 12, 0];
        let at = kept.map(|task| graph.keep(task));
        assert_eq!(at, [0, 1, 2, 3]);
        let run = gives(&mut case.machine(), |out| RunGraph::call(graph, out));
        assert_eq!(run.value, kept.map(|task| values[task]));
        assert_eq!(fixed(&run.counters), [40, 0, 1 + 2 * 40, 1]);
    });
}

#[test]
#[should_panic(expected = "task 1, which is to be kept, has not been added")]
fn a_task_that_has_not_been_added_cannot_be_kept() {
    let mut graph = Graph::new();
    graph.add(Mixes(0), []);
    graph.keep(1);
}

/// Tasks that make graphs.
#[derive(Clone, Debug, Wire)]
enum Makes {
    Number(u64),
    Sum,
    /// A Fibonacci number, by a graph for each call.
    Fib(u64),
    /// Its depth, by a graph in a graph.
    Deep(u64),
    /// As many rounds as this, each of which mixes the number. The first task of a round is its last one.
    Rounds(u64),
    /// The same. Each round has a task that makes the number of the next one.
    LongRounds(u64),
    Mix,
    /// Returns what it needs by a graph that has this input as its result.
    Passes(usize),
    /// A graph with this many results and inputs.
    Wrong {
        results: usize,
        inputs: usize,
    },
    Branch(usize),
}

use Makes::{Branch, Deep, Fib, LongRounds, Mix, Number, Passes, Rounds, Sum, Wrong};

impl DynamicTask for Makes {
    type Value = u64;

    fn decide(self, needs: Vec<u64>) -> Outcome<Self> {
        let mut graph = Graph::new();
        match self {
            Number(number) => return Outcome::Value(number),
            Sum => return Outcome::Value(needs.into_iter().sum()),
            Mix => return Outcome::Value(scramble(needs[0], 1)),
            Branch(branch) => return Outcome::Branch(branch),
            Fib(n @ 0..2) => return Outcome::Value(n),
            Fib(n) => {
                let both = [n - 1, n - 2].map(|n| graph.add(Fib(n), []));
                graph.add(Sum, both);
            }
            Deep(0) => return Outcome::Value(0),
            Deep(n) => {
                let (one, below) = (graph.add(Number(1), []), graph.add(Deep(n - 1), []));
                graph.add(Sum, [one, below]);
            }
            Rounds(0) | LongRounds(0) => return Outcome::Value(needs[0]),
            Rounds(left) => {
                let number = graph.input();
                graph.add(Rounds(left - 1), [number]);
                return Outcome::Graph(graph, vec![scramble(needs[0], 1)]);
            }
            LongRounds(left) => {
                let number = graph.input();
                let mixed = graph.add(Mix, [number]);
                graph.add(LongRounds(left - 1), [mixed]);
                return Outcome::Graph(graph, needs);
            }
            Passes(input) => {
                let inputs = [(); 3].map(|()| graph.input());
                graph.keep(inputs[input]);
                // This task runs, but nothing uses its value.
                graph.add(Sum, [inputs[0]]);
                return Outcome::Graph(graph, needs);
            }
            Wrong { results, inputs } => {
                (0..results).for_each(|_| _ = graph.add(Number(1), []));
                (0..inputs).for_each(|_| _ = graph.input());
            }
        }
        graph.into()
    }

    fn cost(&self) -> Work {
        Work::Cycles(10)
    }
}

/// Returns a graph of one task that needs these numbers.
fn one(task: Makes, numbers: &[u64]) -> Graph<Makes> {
    let mut graph = Graph::new();
    let needs: Vec<_> = numbers.iter().map(|&number| graph.add(Number(number), [])).collect();
    graph.add(task, needs);
    graph
}

#[test]
fn a_task_that_returns_a_graph_has_the_value_of_its_result() {
    on_every(|case| {
        let run = gives(&mut case.machine(), |out| RunGraph::call(one(Fib(9), &[]), out));
        assert_eq!(run.value, [34]);
        // fib(9) has 109 calls. 54 of them make a graph of three tasks. It waits for two, and the last task
        // puts the value.
        assert_eq!(fixed(&run.counters), [1 + 3 * 54, 54, 1 + 1 + 163 + 54 + 2 * 54, 1 + 54]);
        for input in 0..3 {
            let graph = one(Passes(input), &[7, 8, 9]);
            let run = gives(&mut case.machine(), |out| RunGraph::call(graph, out));
            assert_eq!(run.value, [7 + input as u64]);
        }
        // Another task needs the value, and it is kept, too.
        let mut graph = one(Fib(6), &[]);
        let two = graph.add(Number(2), []);
        let sum = graph.add(Sum, [0, two, 0]);
        let [fib, sum] = [0, sum].map(|task| graph.keep(task));
        let run = gives(&mut case.machine(), |out| RunGraph::call(graph, out));
        assert_eq!((run.value[fib], run.value[sum]), (8, 18));
    });
}

#[test]
fn graphs_in_graphs_use_no_stack() {
    const DEPTH: u64 = 50_000;
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::threads(2).config(config).stack_size(256 << 10);
        let run = gives(&mut machine, |out| RunGraph::call(one(Deep(DEPTH), &[]), out));
        assert_eq!((run.value, run.counters.frames), (vec![DEPTH], DEPTH + 1));
    }
}

#[test]
fn a_loop_runs_in_the_memory_of_one_round() {
    on_every(|case| {
        const ROUNDS: u64 = 60;
        let expected = (0..ROUNDS).fold(3, |number, _| scramble(number, 1));
        let run = gives(&mut case.machine(), |out| RunGraph::call(one(Rounds(ROUNDS), &[3]), out));
        assert_eq!(run.value, [expected]);
        // A task and the start of a graph a round. The graph needs no frame.
        assert_eq!(fixed(&run.counters), [2 + ROUNDS, ROUNDS, 1 + 4 + 2 * ROUNDS, 1]);

        let run = gives(&mut case.machine(), |out| RunGraph::call(one(LongRounds(ROUNDS), &[3]), out));
        assert_eq!(run.value, [expected]);
        // Two tasks, the start of a graph and the value of its first task a round.
        assert_eq!(fixed(&run.counters), [2 + 2 * ROUNDS, ROUNDS, 1 + 4 + 4 * ROUNDS, 1 + ROUNDS]);
        if case.nodes == 1 && !case.is_of_ranks() {
            assert!(run.counters.frames_high <= 3, "{} frames at a time", run.counters.frames_high);
        }
    });
}

/// Returns a graph of one input, to which these numbers are added.
fn plus(numbers: &[u64]) -> Graph<Makes> {
    let mut graph = Graph::new();
    let input = graph.input();
    numbers.iter().fold(input, |sum, &number| {
        let number = graph.add(Number(number), []);
        graph.add(Sum, [sum, number])
    });
    graph
}

/// Returns a graph with a condition that chooses `branch`. Branch 1 has a condition that chooses its only
/// branch. Branch 2 is its second input.
fn chooses(branch: usize) -> Graph<Makes> {
    let mut graph = Graph::new();
    let [ten, twenty] = [10, 20].map(|number| graph.add(Number(number), []));
    let mut nested = Graph::new();
    let inputs = [(); 2].map(|()| nested.input());
    nested.choose(Branch(0), inputs, [plus(&[100, 200])]);
    let mut passes = Graph::new();
    let [_, second] = [(); 2].map(|()| passes.input());
    passes.keep(second);
    let chosen = graph.choose(Branch(branch), [ten, twenty], [plus(&[1]), nested, passes, one(Fib(5), &[])]);
    let twice = graph.add(Sum, [chosen, chosen, ten]);
    for task in [chosen, twice] {
        graph.keep(task);
    }
    graph
}

#[test]
fn a_condition_has_the_value_of_its_branch_and_only_that_branch_runs() {
    on_every(|case| {
        // The tokens of the tasks of the branch, and the graphs that it starts.
        for (branch, value, tokens, graphs) in
            [(0, 11, 2, 1), (1, 310, 1 + 4, 2), (2, 20, 0, 1), (3, 5, 1 + 3 * 7, 1 + 7)]
        {
            let run = gives(&mut case.machine(), |out| RunGraph::call(chooses(branch), out));
            assert_eq!(run.value, [value, 2 * value + 10], "branch {branch}");
            assert_eq!((run.counters.tokens, run.counters.invokes), (4 + tokens, graphs), "branch {branch}");
        }
        // A condition may have a value of its own.
        let mut graph = Graph::new();
        graph.choose(Number(6), [], [one(Fib(3), &[])]);
        let run = gives(&mut case.machine(), |out| RunGraph::call(graph, out));
        assert_eq!((run.value, run.counters.tokens), (vec![6], 1));
    });
}

/// Returns the message of the panic with which a graph of one task ends its run.
fn panics(graph: Graph<Makes>) -> String {
    match Machine::threads(2).run(|out| RunGraph::call(graph, out)) {
        Err(Error::Panicked { message, .. }) => message,
        other => panic!("{:?}", other.map(|run| run.value)),
    }
}

#[test]
fn graphs_that_make_no_value_are_refused() {
    let wrong = |results, inputs| panics(one(Wrong { results, inputs }, &[]));
    assert_eq!(wrong(2, 0), "a graph that makes a value has one result, but this one has 2");
    assert_eq!(wrong(0, 0), "a graph that makes a value has one result, but this one has 0");
    assert_eq!(wrong(1, 2), "a graph of 2 inputs is given 0 values");
    assert_eq!(panics(one(Branch(3), &[])), "task 0 chooses branch 3, but it has no branches");
    assert_eq!(panics(chooses(4)), "condition 2 chooses branch 4, but it has 4");
    assert_eq!(panics(plus(&[1])), "a graph of 1 inputs is given 0 values");
}

#[test]
fn conditions_that_could_make_no_value_are_refused_when_they_are_added() {
    let refused = |needs: &[usize], branches: Vec<Graph<Makes>>| {
        let (needs, mut graph) = (needs.to_vec(), one(Number(1), &[]));
        let added = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            graph.choose(Branch(0), needs, branches);
        }));
        let message = added.expect_err("it is refused");
        let text = message.downcast_ref::<String>().cloned();
        text.or_else(|| message.downcast_ref::<&str>().map(ToString::to_string)).expect("a text")
    };
    assert_eq!(refused(&[], vec![]), "a condition has at least one branch");
    assert_eq!(refused(&[], vec![plus(&[1])]), "a graph of 1 inputs is given 0 values");
    assert_eq!(refused(&[1], vec![one(Sum, &[])]), "task 1 needs task 1, which has not been added");
    let none = "a graph that makes a value has one result, but this one has 0";
    assert_eq!(refused(&[0], vec![plus(&[1]), plus(&[])]), none);
}

/// A picture as a reader of DOT sees it: the attributes of each node and of each arrow, and the box of each
/// node.
#[derive(Default, Debug)]
struct Picture {
    nodes: BTreeMap<String, BTreeMap<String, String>>,
    arrows: Vec<(String, String, BTreeMap<String, String>)>,
    boxes: BTreeMap<String, Vec<String>>,
}

/// Reads the part of DOT that has a statement in each line.
fn read(dot: &str) -> Picture {
    let mut words = words(dot).into_iter().peekable();
    let mut picture = Picture::default();
    assert_eq!((words.next().as_deref(), words.next().as_deref()), (Some("digraph"), Some("{")));
    let mut open = vec![String::new()];
    while let Some(name) = words.next() {
        match name.as_str() {
            "}" => _ = open.pop().expect("a box is open"),
            "subgraph" => {
                open.push(words.next().expect("a name"));
                assert_eq!(words.next().as_deref(), Some("{"));
            }
            _ if words.peek().is_some_and(|next| next == "=") => words.by_ref().take(2).for_each(drop),
            _ => {
                let to = words.next_if(|next| next == "->").map(|_| words.next().expect("a node"));
                let mut attributes = BTreeMap::new();
                if words.next_if(|next| next == "[").is_some() {
                    while let Some(key) = words.next_if(|next| next != "]") {
                        assert_eq!(words.next().as_deref(), Some("="));
                        assert!(attributes.insert(key, words.next().expect("a value")).is_none());
                    }
                    assert_eq!(words.next().as_deref(), Some("]"));
                }
                if let Some(to) = to {
                    picture.arrows.push((name, to, attributes));
                } else {
                    let of = picture.boxes.entry(open[open.len() - 1].clone()).or_default();
                    of.push(name.clone());
                    assert!(picture.nodes.insert(name, attributes).is_none(), "a node is there twice");
                }
            }
        }
    }
    assert!(open.is_empty(), "{open:?} has no end");
    for node in picture.arrows.iter().flat_map(|(from, to, _)| [from, to]) {
        assert!(picture.nodes.contains_key(node), "an arrow has no node `{node}`");
    }
    picture
}

/// Divides DOT into words. A quoted word becomes the text that Graphviz shows.
fn words(dot: &str) -> Vec<String> {
    let (mut words, mut chars) = (Vec::new(), dot.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\n' => {}
            '"' => {
                let mut text = String::new();
                loop {
                    match chars.next().expect("the quote has an end") {
                        '"' => break,
                        '\\' => text.push(match chars.next().expect("a character") {
                            'n' => '\n',
                            c @ ('"' | '\\') => c,
                            c => panic!("the escape {c} has another meaning"),
                        }),
                        '\n' => panic!("a label has a bare end of line"),
                        c => text.push(c),
                    }
                }
                // The only name of a character that a label may have.
                assert_eq!(text.matches('&').count(), text.matches("&amp;").count());
                words.push(text.replace("&amp;", "&"));
            }
            '=' | '[' | ']' | '{' | '}' => words.push(c.to_string()),
            _ => {
                let mut word = c.to_string();
                while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || "_.->".contains(*c)) {
                    word.push(c);
                }
                words.push(word);
            }
        }
    }
    words
}

#[test]
fn a_picture_shows_tasks_results_conditions_and_branches() {
    let mut graph = chooses(0);
    let weird = ["", "a \"b\" \\ \\n", "two\nlines", "&lt; <b>", "end\\", "{|} [] -> ;", "\u{e9}"];
    let weird_tasks: BTreeSet<_> = (0..weird.len()).map(|_| graph.add(Number(0), [])).collect();
    let next = std::cell::Cell::new(0);
    let dot = graph.dot(|task| match task {
        Number(0) => weird[next.replace(next.get() + 1)].to_owned(),
        task => format!("{task:?}"),
    });
    let picture = read(&dot);
    let labels = weird_tasks.iter().map(|task| picture.nodes[&format!("n{task}")]["label"].as_str());
    assert!(labels.eq(weird));

    let label = |name: &str| picture.nodes[name]["label"].as_str();
    let shape = |name: &str| picture.nodes[name].get("shape").map(String::as_str);
    assert_eq!(
        [label("n0"), label("n1"), label("n2"), label("n3")],
        ["Number(10)", "Number(20)", "Branch(0)", "Sum"]
    );
    assert_eq!([shape("n0"), shape("n2"), shape("n2v")], [None, Some("diamond"), Some("circle")]);
    let kept: Vec<_> = picture.nodes.iter().filter(|(_, node)| node.contains_key("peripheries")).collect();
    assert!(kept.iter().map(|(name, _)| name.as_str()).eq(["n2b2_1", "n2v", "n3"]), "{kept:?}");
    assert_eq!(label("n2b2_1"), "input 1");

    let arrows: BTreeSet<_> =
        picture.arrows.iter().map(|(from, to, _)| (from.as_str(), to.as_str())).collect();
    for arrow in [
        // The condition needs two values, and is needed twice, by its value.
        ("n0", "n2"),
        ("n1", "n2"),
        ("n2v", "n3"),
        ("n0", "n3"),
        // The inputs of branches, and their results.
        ("n0", "n2b0_0"),
        ("n2b0_2", "n2v"),
        ("n0", "n2b1_0"),
        ("n1", "n2b1_1"),
        ("n2b1_2v", "n2v"),
        ("n2b2_1", "n2v"),
        ("n2b3_0", "n2v"),
        // A branch of a branch.
        ("n2b1_0", "n2b1_2b0_0"),
        ("n2b1_2b0_4", "n2b1_2v"),
    ] {
        assert!(arrows.contains(&arrow), "{arrow:?} is missing");
    }
    let leads = |(from, _, attributes): &(String, String, BTreeMap<String, String>)| {
        attributes.get("lhead").map(|to| (from.clone(), to.clone()))
    };
    let leads: Vec<_> = picture.arrows.iter().filter_map(leads).collect();
    let expected = ["n2b0", "n2b1", "n2b2", "n2b3", "n2b1_2b0"]
        .map(|branch| (branch.rsplit_once('b').expect("a branch").0.to_owned(), format!("cluster_{branch}")));
    assert_eq!(leads.iter().collect::<BTreeSet<_>>(), expected.iter().collect());
    for (_, to, attributes) in picture.arrows.iter().filter(|arrow| arrow.2.contains_key("lhead")) {
        assert!(picture.boxes[&attributes["lhead"]].contains(to), "{to} is not in its box");
    }
    assert_eq!(picture.boxes["cluster_n2b0"], ["n2b0_0", "n2b0_1", "n2b0_2"]);
    assert_eq!(graph.dot(|_| "").matches("->").count(), picture.arrows.len());
}
