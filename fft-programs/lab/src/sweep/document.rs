//! Document of a sweep: figures for a page, and a table for each machine.

use earth_report::document::{Document, Part, Table};
use earth_report::numbers::{ratio, seconds};

use super::experiment::Kind;
use super::figures::figures;
use super::report::{Line, Report};

impl Report {
    /// Makes the document: figures on a page, and a table for each machine.
    pub fn document(&self) -> Document {
        let mut parts = Vec::new();
        if !self.title.is_empty() {
            parts.push(Part::heading(1, self.title.clone()));
        }
        parts.push(Part::Figures(figures(self)));
        let mut machines: Vec<&str> = Vec::new();
        for line in &self.lines {
            if !machines.contains(&line.machine.as_str()) {
                machines.push(&line.machine);
            }
        }
        parts.extend(machines.into_iter().map(|machine| Part::Table(self.table(machine))));
        parts.push(Part::Lines(self.legend()));
        Document { title: self.title.clone(), parts }
    }

    fn table(&self, machine: &str) -> Table {
        let names = ["program", "config", "P", "policy", "time", "ratio"];
        let details = ["runs", "fastest", "slowest", "ratio, middle half", "null band"].map(str::to_owned);
        let or_dash = |cell: Option<String>| cell.unwrap_or_else(|| "-".to_owned());
        let row = |line: &Line| {
            let is_noise = line.null.is_some() && line.is_significant() == Some(false);
            let mark = if is_noise { "~" } else { "" };
            vec![
                named(line),
                line.config.to_owned(),
                line.nodes.to_string(),
                line.policy.clone(),
                or_dash(line.seconds.map(|time| seconds(time.median))),
                or_dash(line.ratio.map(|over| format!("{mark}{}", ratio(over.median)))),
                line.runs.to_string(),
                or_dash(line.seconds.map(|time| seconds(time.min))),
                or_dash(line.seconds.map(|time| seconds(time.max))),
                or_dash(line.ratio.map(|over| format!("{} to {}", ratio(over.q1), ratio(over.q3)))),
                or_dash(line.null.map(|null| format!("{} to {}", ratio(null.min), ratio(null.max)))),
            ]
        };
        let own = self.lines.iter().filter(|line| line.machine == machine);
        Table::new(names).with_details(details).titled(machine).with(own.map(row))
    }

    fn legend(&self) -> Vec<String> {
        let has = |of: fn(&Line) -> bool| self.lines.iter().any(of);
        let mut legend = Vec::new();
        if has(|line| line.ratio.is_some()) {
            legend.push(format!("Ratio: time over that of the policy {}.", self.baseline));
        }
        if has(|line| line.null.is_some()) {
            legend.push(
                "Times on threads are medians. ~: the baseline differs as much from itself.".to_owned(),
            );
        }
        if has(|line| line.machine.starts_with(Kind::Simulated.name())) {
            legend.push("Times of simulated machines are virtual and exact.".to_owned());
        }
        if self.left_out > 0 {
            legend.push(format!("{} runs are left out; the same command does them.", self.left_out));
        }
        legend
    }
}

/// Returns the program with its sizes.
fn named(line: &Line) -> String {
    let sizes = line.sizes.iter().map(|(name, value)| format!(", {name} {value}"));
    line.program.to_owned() + &sizes.collect::<String>()
}
