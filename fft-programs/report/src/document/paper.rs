//! Form of a page on a paper. Every paper's page has the same sections in the same order:
//!
//! 1. the title, the citation, the numbers of verdicts, five findings, and what would tell the untold;
//! 2. the paper's figures, under their numbers;
//! 3. the statements: one line each, then the rule, the findings and the reasons of each;
//! 4. the errata;
//! 5. the parameters, with the rows that each turns;
//! 6. the rules that changed since the last edition;
//! 7. the method, and further experiments.
//!
//! The page's template has the first, second and last of these, separated by `<!-- findings -->`,
//! `<!-- figures -->` and `<!-- more -->`. All others are made here.

use std::collections::BTreeMap;

use super::cells;
use super::page::{Content, title};
use super::part::{Document, Medium, Part};
use super::table::Table;
use crate::statements::errata::Erratum;
use crate::statements::{Change, Parameter, Row, Status, Verdict, counted};

/// Judged paper.
#[derive(Clone, Debug, Default)]
pub struct Paper {
    /// Statements.
    pub statements: Vec<Row>,
    /// Errata.
    pub errata: Vec<Erratum>,
    /// Parameters of the machine; none if the page is measured.
    pub parameters: Vec<Parameter>,
    /// Markdown table of rules that changed since the last edition. Its columns are the number of the row,
    /// the rule then, the verdict then, and the reason for the change.
    pub changes: &'static str,
}

impl Content {
    /// Returns the page of a paper with this content.
    pub fn paper(mut self, paper: &Paper, template: &str) -> Document {
        let [head, findings, figures, more] = sections(template).map(|section| self.filled_parts(section));
        let begin =
            [head, vec![Part::Words(paper.counts()), Part::heading(2, "Findings")], findings, paper.untold()];
        let middle =
            [vec![Part::heading(2, "The paper's figures")], figures, paper.statements(), paper.errata()];
        let end = [paper.parameters(), paper.changes(), more];
        let parts = begin.into_iter().chain(middle).chain(end).flatten().collect();
        Document { title: title(template), parts }
    }
}

/// Splits a template at its three marks.
fn sections(template: &str) -> [&str; 4] {
    let mut rest = template;
    let marks = ["<!-- findings -->", "<!-- figures -->", "<!-- more -->"];
    let [head, findings, figures] = marks.map(|mark| {
        let (before, after) = rest.split_once(mark).unwrap_or_else(|| unreachable!("the page has {mark}"));
        rest = after;
        before
    });
    [head, findings, figures, rest]
}

impl Paper {
    /// Counts the verdicts and the errata.
    fn counts(&self) -> String {
        let repeated = self.statements.iter().filter(|row| row.repeats.is_some()).count();
        let [holds, in_part, not, untold] = counted(&self.statements);
        let all = self.statements.len();
        let repeats = match repeated {
            0 => String::new(),
            1 => " One more row stands on the figure of another row and is not counted.".to_owned(),
            repeated => {
                format!(" {repeated} more rows stand on the figure of another row and are not counted.")
            }
        };
        let errata =
            if self.errata.is_empty() { String::new() } else { format!(" Errata: {}.", self.errata.len()) };
        format!(
            "The paper's {all} statements: **{holds} hold, {in_part} in part, {not} do not, {untold} cannot be told.**\
             {repeats}{errata}"
        )
    }

    /// Tabulates what would tell the statements that cannot be told.
    fn untold(&self) -> Vec<Part> {
        let mut by_tell: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in self.statements.iter().filter(|row| row.verdict == Verdict::CannotBeTold) {
            let mut turning: Vec<_> = row.turns().map(|turn| turn.change.parameter.as_str()).collect();
            turning.sort_unstable();
            turning.dedup();
            let of_machine = (!turning.is_empty()).then(|| {
                let names: Vec<_> = turning.iter().map(|name| format!("`{name}`")).collect();
                format!("the machine's {}", names.join(", "))
            });
            let tell = row.tell.clone().into_iter().chain(of_machine).collect::<Vec<_>>().join("; ");
            by_tell.entry(tell).or_default().push(row.number.to_string());
        }
        if by_tell.is_empty() {
            return Vec::new();
        }
        let mut rows: Vec<_> = by_tell.into_iter().map(|(tell, rows)| [rows.join(", "), tell]).collect();
        rows.sort_by_key(|[rows, _]| rows.split(',').next().and_then(|first| first.parse::<usize>().ok()));
        vec![Part::Table(Table::new(["rows", "what would tell"]).titled("What cannot be told").with(rows))]
    }

    /// Makes the table of statements, that of programs, and the reasons of each verdict.
    fn statements(&self) -> Vec<Part> {
        let verdict = |row: &Row| {
            let repeats = row.repeats.map(|number| format!(", as row {number}")).unwrap_or_default();
            format!("**{}**{repeats}", row.verdict.words())
        };
        let rows = self.statements.iter().map(|row| [row.number.to_string(), row.cited(), verdict(row)]);
        let table = Table::new(["", "the paper", "verdict"]).with(rows);
        let mut parts = vec![Part::heading(2, "The paper's statements"), Part::Table(table)];
        parts.extend(self.by_program().map(Part::Table));
        parts.push(Part::heading(3, "Rules, findings and reasons"));
        parts.extend(self.statements.iter().cloned().map(Part::Statement));
        vec![
            Part::Only(Medium::Page, parts),
            Part::Only(Medium::Terminal, self.statements.iter().cloned().map(Part::Statement).collect()),
        ]
    }

    /// Tabulates the verdicts by program, for the statements on programs.
    fn by_program(&self) -> Option<Table> {
        let mut programs: Vec<&str> = Vec::new();
        for cell in self.statements.iter().flat_map(|row| &row.cells) {
            if !cell.program.is_empty() && !programs.contains(&cell.program.as_str()) {
                programs.push(&cell.program);
            }
        }
        let of = |row: &Row, program: &str| {
            let of_program: Vec<_> = row.cells.iter().filter(|cell| cell.program == program).collect();
            let has_several = of_program.len() > 1;
            let told = of_program.into_iter().map(|cell| {
                let parts = [&cell.clause, &cell.reading].map(String::as_str);
                let part = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
                if has_several && !part.is_empty() {
                    format!("{}: {part}", cell.verdict.words())
                } else {
                    cell.verdict.words().to_owned()
                }
            });
            told.collect::<Vec<_>>().join("; ")
        };
        let with_programs =
            self.statements.iter().filter(|row| row.cells.iter().any(|cell| !cell.program.is_empty()));
        let rows = with_programs.map(|row| {
            let cells = programs.iter().map(|program| of(row, program));
            std::iter::once(row.number.to_string()).chain(cells).collect::<Vec<_>>()
        });
        let names = std::iter::once("row").chain(programs.iter().copied());
        (programs.len() > 1)
            .then(|| Table::new(names).titled("Verdicts by program").with(rows.collect::<Vec<_>>()))
    }

    fn errata(&self) -> Vec<Part> {
        let row = |erratum: &Erratum| {
            [erratum.name(), erratum.cited(), erratum.is.clone(), erratum.here.to_owned()]
        };
        let names = ["", "the paper", "what is so", "here"];
        let table = Table::new(names).with(self.errata.iter().map(row));
        let about = "No measurement decides these contradictions, so they are not among the statements. One numbering goes \
                     over the pages of all papers.";
        headed("Errata", about, table, self.errata.is_empty())
    }

    fn parameters(&self) -> Vec<Part> {
        let names = ["parameter", "status", "value", "rows it turns, halved", "doubled"];
        let table = Table::new(names).with(parameter_rows(&self.parameters, &self.statements));
        let changed = self.parameters.iter().filter(|of| of.status != Status::Published).count();
        let about = format!(
            "Every verdict was taken again with each of {changed} estimates and fitted figures halved and doubled, one at a \
             time. A verdict that turns cannot be told."
        );
        headed("Parameters", &about, table, self.parameters.is_empty())
    }

    fn changes(&self) -> Vec<Part> {
        let now = |number: &str| {
            let row = self.statements.iter().find(|row| row.number.to_string() == number);
            row.map_or("", |row| row.verdict.words()).to_owned()
        };
        let row = |[number, rule, then, why]: [&'static str; 4]| {
            [number.to_owned(), rule.to_owned(), then.to_owned(), now(number), why.to_owned()]
        };
        let rows: Vec<_> = cells(self.changes).map(row).collect();
        let names = ["row", "rule or reading before", "verdict before", "verdict now", "reason"];
        let about =
            "Margins are the same for all papers and did not change. These rules, readings and verdicts did.";
        headed("Changed rules", about, Table::new(names).with(rows), self.changes.is_empty())
    }
}

/// Returns a section with a table, or nothing.
fn headed(title: &str, about: &str, table: Table, is_empty: bool) -> Vec<Part> {
    if is_empty {
        return Vec::new();
    }
    vec![Part::heading(2, title), Part::words(about), Part::Table(table)]
}

/// Tabulates parameters, with the rows that each turns at half and at double.
fn parameter_rows<'a>(
    parameters: &'a [Parameter],
    rows: &'a [Row],
) -> impl Iterator<Item = [String; 5]> + 'a {
    parameters.iter().map(move |Parameter { name, status, value, changed }| {
        let turned = |doubled: bool| {
            let change = Change { parameter: name.clone(), doubled };
            let turned = rows.iter().filter(|row| row.turns().any(|turn| turn.change == change));
            turned.map(|row| row.number.to_string()).collect::<Vec<_>>().join(", ")
        };
        let at = |doubled: bool| match (changed[usize::from(doubled)], turned(doubled)) {
            (false, _) => "-".to_owned(),
            (true, rows) if rows.is_empty() => "none".to_owned(),
            (true, rows) => rows,
        };
        [format!("`{name}`"), status.words().to_owned(), value.clone(), at(false), at(true)]
    })
}

#[cfg(test)]
#[path = "paper_tests.rs"]
mod tests;
