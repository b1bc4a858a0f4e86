//! Document of a comparison. On the terminal the verdict comes last, where it is visible, and tables have 80
//! columns. A page begins with the verdict, describes the method, and has figures and tables of all numbers.

use earth::Policy;
use earth_report::document::{Content, Document, Part, Table};
use earth_report::numbers::{ratio, seconds};
use earth_report::spread::Spread;

use super::figures::{ratios, sides, spectrum, speeds, units};
use super::report::{CounterSet, Equal, Report, Row};

impl Report {
    /// Makes the document: the rows, and the programs' counters.
    pub fn document(&self) -> Document {
        let Self { pairs, machine, subjects, .. } = self;
        let named = machine.named().into_iter().chain([("policy of SPN and DUAL", self.policy())]);
        let facts = |facts| [Part::Table(facts)];
        let rows = [Equal::Nodes, Equal::Cores].into_iter().flat_map(|equal| self.compared(equal));
        let counted = if self.rows.is_empty() { Vec::new() } else { self.counted() };
        let crowded = format!(
            "Where units outnumber the {} usable cores, each thread runs several units in turn; the tables mark \
             such rows with *. The results of both sides of each row are verified before its pairs: values of the spectrum \
             against the definition of the DFT, and the energy.",
            machine.usable_cores
        );
        Content::default()
            .text("verdict", self.verdict())
            .parts(
                "verified",
                [Part::Lines(self.verification().into_iter().chain(self.left_out()).collect())],
            )
            .parts(
                "subjects",
                facts(Table::facts(subjects.iter().map(|about| (about.name.clone(), about.size())))),
            )
            .parts("machine", facts(Table::facts(named)))
            .text("pairs", pairs)
            .parts("crowded", [Part::line(crowded)])
            .parts("figures", self.figures())
            .parts("described", self.described())
            .parts("rows", rows.chain(counted))
            .parts("legend", [Part::Lines(self.legend())])
            .page(include_str!("page.md"))
    }

    /// Describes the machine and the subjects above the tables on the terminal.
    fn described(&self) -> Vec<Part> {
        let mut parts = vec![Part::Lines(vec![
            format!("SPN against DUAL, usable cores: {}", self.machine.usable_cores),
            format!("Policy of both: {}", self.policy()),
        ])];
        for about in &self.subjects {
            let mut lines = vec![format!("{}: {}", about.name, about.size())];
            if about.picture.is_none() && about.rows.is_none() {
                lines.push("no line except at zero frequency".to_owned());
            }
            parts.push(Part::Lines(lines));
            let picture = about.picture.as_ref().map(|picture| picture.draw(about.unit));
            parts.extend(picture.map(Part::line));
        }
        parts
    }

    /// Returns the figures under their headings.
    fn figures(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        if !self.rows.is_empty() {
            let sections = [
                ("The ratio DUAL / SPN", ratios(self)),
                ("Speed", speeds(self)),
                ("Where the time goes", units(self)),
            ];
            parts.extend(
                sections.into_iter().flat_map(|(title, of)| [Part::heading(2, title), Part::Figures(of)]),
            );
        }
        for about in self.subjects.iter().filter(|about| !about.amplitudes.is_empty()) {
            parts.extend([Part::heading(2, "The spectrum"), Part::figure(spectrum(about))]);
        }
        parts
    }

    /// Tabulates the rows of one kind of comparison; empty if there are none.
    fn compared(&self, equal: Equal) -> Vec<Part> {
        let rows = self.rows_at(equal);
        if rows.is_empty() {
            return Vec::new();
        }
        let threads = match equal {
            Equal::Nodes => "a node of SPN is one thread, a node of DUAL is two",
            Equal::Cores => "two nodes of SPN for each node of DUAL, so equal threads",
        };
        Content::default()
            .text("equal", equal)
            .text("threads", threads)
            .text("sides", sides(equal))
            .text("pairs", self.pairs)
            .rows("rows", rows.into_iter().map(|row| self.cells(row)))
            .fill(include_str!("equal.md"))
    }

    fn cells(&self, row: &Row) -> [String; 13] {
        let Row { algorithm, block, spn, dual, ratio: found, verified_error, .. } = row;
        let crowded = if row.is_crowded(self.machine.usable_cores) { "*" } else { " " };
        let range = |Spread { min, max, .. }: Spread| format!("{} to {}", seconds(min), seconds(max));
        let error = if verified_error.is_nan() { "-".to_owned() } else { format!("{verified_error:.1e}") };
        [
            algorithm.to_string(),
            format!("{}:{}{crowded}", spn.nodes, dual.nodes),
            points(*block),
            seconds(spn.seconds.median),
            seconds(dual.seconds.median),
            ratio(found.median),
            ratio(found.min),
            ratio(found.max),
            range(spn.seconds),
            range(dual.seconds),
            format!("{:.3}", spn.gflops),
            format!("{:.3}", dual.gflops),
            error,
        ]
    }

    /// Tabulates the counters, which are equal in every run and for both configurations: each set is shown
    /// once.
    fn counted(&self) -> Vec<Part> {
        let row = |work: &CounterSet<'_>| {
            let (Row { algorithm, block, .. }, side) = (work.row, work.side);
            let counts = side.counters.into_iter().chain([side.paper_tokens, side.half_butterflies]);
            let mut cells = vec![algorithm.to_string(), work.nodes(), points(*block)];
            cells.extend(counts.map(|count| count.to_string()));
            cells
        };
        let rows = self.distinct_work();
        Content::default().rows("rows", rows.iter().map(row)).fill(include_str!("counted.md"))
    }

    fn legend(&self) -> Vec<String> {
        let mut lines = vec![
            "Nodes are SPN:DUAL, B is the points a block, times are medians.".to_owned(),
            format!(
                "DUAL/SPN, min and max are of {} pairs of runs, in turn; above 1, SPN is faster.",
                self.pairs
            ),
        ];
        if self.rows.iter().any(|row| row.is_crowded(self.machine.usable_cores)) {
            lines.push(
                "* marks more units than usable cores: each thread runs several units in turn.".to_owned(),
            );
        }
        lines.extend(self.verification());
        lines.extend(self.left_out());
        lines
    }

    /// Returns the verification result; `None` if there are no rows.
    fn verification(&self) -> Option<String> {
        let errors = self.rows.iter().map(|row| row.verified_error);
        if errors.clone().any(f64::is_nan) {
            return Some(
                "The error is undefined, as not all samples are finite: no row is verified.".to_owned(),
            );
        }
        let largest = errors.reduce(f64::max)?;
        Some(format!("The largest relative error is {largest:.1e}: every row is verified."))
    }

    /// Counts the rows that were left out, by reason.
    fn left_out(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.rows_left_out > 0 {
            lines.push(format!("Rows left out because the time was over: {}.", self.rows_left_out));
        }
        if self.rows_too_large > 0 {
            lines
                .push(format!("Rows left out because they send too many requests: {}.", self.rows_too_large));
        }
        lines
    }

    /// Returns how often each configuration is faster.
    fn verdict(&self) -> String {
        let won = |equal| {
            let rows = self.rows_at(equal);
            let won = rows.iter().filter(|row| row.ratio.median > 1.0).count();
            format!("{won} of {} rows at equal {equal}", rows.len())
        };
        format!("SPN is faster in {}, {}.", won(Equal::Nodes), won(Equal::Cores))
    }

    /// Describes the policy, and whether it is the default.
    fn policy(&self) -> String {
        let usual = if self.policy == Policy::default() { " (the default)" } else { "" };
        format!("{}{usual}", self.policy)
    }
}

/// Formats the points of a block; empty if the program chooses them.
fn points(block: Option<usize>) -> String {
    block.map_or(String::new(), |block| block.to_string())
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
