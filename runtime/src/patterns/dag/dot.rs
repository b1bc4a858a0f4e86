//! A graph of tasks as a picture.

use std::fmt::{self, Write};

use super::graph::Graph;

impl<T> Graph<T> {
    /// Returns the graph in Graphviz's language DOT, with the label that `label` makes of each task. An arrow
    /// leads from each task to those that need its value.
    ///
    /// * A result that was [kept](Self::keep) has a double border.
    /// * A [condition](Self::choose) is a diamond. A dashed arrow leads to each of its branches, which is a
    ///   dashed box. The results of the branches meet in a circle, the value of the condition.
    /// * An input is a text without a border.
    ///
    /// ```
    /// use earth::patterns::Graph;
    ///
    /// let mut graph = Graph::new();
    /// let [milk, eggs] = ["milk", "eggs"].map(|name| graph.add(name, []));
    /// let dough = graph.add("dough", [milk, eggs]);
    /// graph.keep(dough);
    /// let dot = "digraph {
    ///     compound=true
    ///     n0 [label=\"milk\"]
    ///     n1 [label=\"eggs\"]
    ///     n2 [label=\"dough\" peripheries=2]
    ///     n0 -> n2
    ///     n1 -> n2
    /// }
    /// ";
    /// assert_eq!(graph.dot(|name| *name), dot);
    /// ```
    #[doc(alias = "dump")]
    pub fn dot<L: fmt::Display>(&self, label: impl Fn(&T) -> L) -> String {
        let mut dot = Dot { text: "digraph {\n    compound=true\n".to_owned(), depth: 1 };
        dot.graph(self, "n", &|task| label(task).to_string());
        dot.text.push_str("}\n");
        dot.text
    }
}

/// A picture that is being written.
struct Dot {
    text: String,
    depth: usize,
}

impl Dot {
    /// Writes a graph whose tasks have names that begin with `prefix`.
    fn graph<T>(&mut self, graph: &Graph<T>, prefix: &str, label: &dyn Fn(&T) -> String) {
        let name = |task: usize| format!("{prefix}{task}");
        let branches = |task: usize| {
            let at = graph.branches.binary_search_by_key(&task, |&(condition, _)| condition);
            at.map_or(&[][..], |at| &graph.branches[at].1)
        };
        // The value of a condition comes out of its circle.
        let value = |task: usize| name(task) + if branches(task).is_empty() { "" } else { "v" };
        let border = |task| if graph.kept.contains(&task) { " peripheries=2" } else { "" };
        for (task, does) in graph.tasks.iter().enumerate() {
            let (name, border) = (name(task), border(task));
            match does {
                None => {
                    let input = graph.inputs.iter().position(|&input| input == task).unwrap_or_default();
                    let shape = if border.is_empty() { "plaintext" } else { "ellipse" };
                    self.line(format_args!("{name} [label=\"input {input}\" shape={shape}{border}]"));
                }
                Some(does) => {
                    let label = Quoted(&label(does));
                    if branches(task).is_empty() {
                        self.line(format_args!("{name} [label={label}{border}]"));
                    } else {
                        self.line(format_args!("{name} [label={label} shape=diamond]"));
                        self.line(format_args!("{name}v [label=\"\" shape=circle width=0.2{border}]"));
                    }
                }
            }
        }
        for (task, needs) in graph.needs.iter().enumerate() {
            for &needed in needs {
                self.line(format_args!("{} -> {}", value(needed), name(task)));
            }
            for (number, branch) in branches(task).iter().enumerate() {
                self.branch(branch, number, &name(task), label);
                for (input, needed) in (0..branch.inputs.len()).zip(needs) {
                    let input = branch.inputs[input];
                    self.line(format_args!("{} -> {}b{number}_{input}", value(*needed), name(task)));
                }
            }
        }
    }

    /// Writes a branch of the condition `of`.
    fn branch<T>(&mut self, branch: &Graph<T>, number: usize, of: &str, label: &dyn Fn(&T) -> String) {
        let prefix = format!("{of}b{number}_");
        self.line(format_args!("subgraph cluster_{of}b{number} {{"));
        self.depth += 1;
        self.line(format_args!("label=\"branch {number}\" style=dashed"));
        self.graph(branch, &prefix, label);
        self.depth -= 1;
        self.line(format_args!("}}"));
        // An arrow to a box is one to a task in it that is cut at the border.
        let first = branch.tasks.iter().position(Option::is_some).unwrap_or_default();
        self.line(format_args!("{of} -> {prefix}{first} [style=dashed lhead=cluster_{of}b{number}]"));
        for result in branch.results() {
            let is_condition = branch.branches.iter().any(|&(condition, _)| condition == result);
            let value = if is_condition { "v" } else { "" };
            self.line(format_args!("{prefix}{result}{value} -> {of}v"));
        }
    }

    fn line(&mut self, line: fmt::Arguments<'_>) {
        let indent = 4 * self.depth;
        // Writing to a text cannot fail.
        _ = writeln!(self.text, "{:indent$}{line}", "");
    }
}

/// A text as a label that shows it as it is.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                // Graphviz reads names of characters, such as `&lt;`.
                '&' => f.write_str("&amp;")?,
                // A NUL would end the text.
                '\0' => {}
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}
