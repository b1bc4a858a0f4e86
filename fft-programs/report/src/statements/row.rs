//! Judged statement: its cells, their verdicts, and the parameters that turn them.

use serde::Serialize;

use super::judged::{Checked, Judged, Place};
use super::parameters::Change;
use super::verdict::Verdict;

/// Judged statement. The field names are the names in JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Number, from 1.
    pub number: usize,
    /// Statement of the paper.
    pub statement: &'static str,
    /// Section of the paper.
    pub section: &'static str,
    /// Rule by which it is judged.
    pub rule: &'static str,
    /// Verdict.
    pub verdict: Verdict,
    /// Clauses, programs and readings, each with its own verdict.
    pub cells: Vec<Cell>,
    /// Reason for the verdict, or what we do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Experiment or datum that would tell, if the verdict cannot be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tell: Option<String>,
    /// Figure on which the verdict stands, if other rows stand on it, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figure: Option<&'static str>,
    /// Number of the earlier row that stands on the same figure. This row is not counted then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<usize>,
}

/// Clause of a statement, for a program, in a reading.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// Clause; empty if the statement has only one.
    pub clause: String,
    /// Program or configuration; empty if the statement is on none.
    pub program: String,
    /// Reading of the sentence; empty if it has only one.
    pub reading: String,
    /// Whether the program is ours and not the paper's. Such a cell does not count.
    pub is_ours: bool,
    /// Verdict.
    pub verdict: Verdict,
    /// Verdict before any parameter was changed.
    pub unchanged: Verdict,
    /// Number of passed checks, and of all checks.
    pub passed: [usize; 2],
    /// Findings.
    pub found: String,
    /// Changes of parameters that turn the verdict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turned: Vec<Turn>,
}

/// Change of a parameter that turns a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Turn {
    /// Change.
    pub change: Change,
    /// Verdict after the change.
    pub verdict: Verdict,
}

impl Cell {
    fn of(checked: Checked) -> Self {
        let Checked { place: Place { clause, program, reading }, is_ours, tally, found } = checked;
        let verdict = Verdict::of_checks(tally);
        let (found, turned) = (found.join("; "), Vec::new());
        Self { clause, program, reading, is_ours, verdict, unchanged: verdict, passed: tally, found, turned }
    }

    /// Returns the clause, the program and the reading for people.
    pub fn name(&self) -> String {
        let parts = [&self.clause, &self.program, &self.reading];
        parts.into_iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(", ")
    }

    /// Names the changes of parameters that turn the verdict, by the verdict that they lead to.
    pub fn turned_by(&self) -> Option<String> {
        let led = |verdict: Verdict| {
            let to = self.turned.iter().filter(|turn| turn.verdict == verdict);
            let changes = to.map(|turn| turn.change.words()).collect::<Vec<_>>().join(", ");
            (!changes.is_empty()).then(|| format!("{changes} ({})", verdict.words()))
        };
        let words: Vec<_> = Verdict::ALL.into_iter().filter_map(led).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    fn is_at(&self, place: &Place) -> bool {
        (&self.clause, &self.program, &self.reading) == (&place.clause, &place.program, &place.reading)
    }
}

impl Row {
    pub(super) fn new(texts: [&'static str; 8], judged: Judged) -> Self {
        let [number, _, statement, section, rule, figure, why, tell] = texts;
        let some = |text: &'static str| Some(text).filter(|text| !text.is_empty());
        let why = some(why).filter(|_| judged.has_checks()).map(str::to_owned);
        let why: Vec<_> = why.into_iter().chain(judged.why).collect();
        let mut row = Self {
            number: number.parse().unwrap_or_default(),
            statement,
            section,
            rule,
            verdict: Verdict::CannotBeTold,
            cells: judged.checked.into_iter().map(Cell::of).collect(),
            why: (!why.is_empty()).then(|| why.join("; ")),
            tell: some(tell).map(str::to_owned),
            figure: some(figure),
            repeats: None,
        };
        row.combine();
        row
    }

    /// Compares the verdicts with those after a change of a parameter.
    pub(super) fn compare(&mut self, change: &Change, judged: &Judged) {
        for cell in &mut self.cells {
            let same = judged.checked.iter().find(|checked| cell.is_at(&checked.place));
            let verdict = same.map_or(Verdict::CannotBeTold, |checked| Verdict::of_checks(checked.tally));
            if cell.unchanged != Verdict::CannotBeTold && verdict != cell.unchanged {
                cell.turned.push(Turn { change: change.clone(), verdict });
                cell.verdict = Verdict::CannotBeTold;
            }
        }
        self.combine();
    }

    /// Finds the verdict from those of the cells.
    fn combine(&mut self) {
        let mut parts: Vec<(&str, &str, Vec<Verdict>)> = Vec::new();
        for cell in self.cells.iter().filter(|cell| !cell.is_ours) {
            match parts.iter_mut().find(|part| (part.0, part.1) == (&cell.clause, &cell.program)) {
                Some((_, _, readings)) => readings.push(cell.verdict),
                None => parts.push((&cell.clause, &cell.program, vec![cell.verdict])),
            }
        }
        let parts: Vec<_> = parts.iter().map(|(_, _, readings)| Verdict::of_readings(readings)).collect();
        self.verdict = Verdict::of_parts(&parts);
    }

    /// Yields the turns of all cells of the paper's programs.
    pub fn turns(&self) -> impl Iterator<Item = &Turn> {
        self.cells.iter().filter(|cell| !cell.is_ours).flat_map(|cell| &cell.turned)
    }

    /// Returns the statement and its section.
    pub fn cited(&self) -> String {
        format!("{} ({})", self.statement, self.section)
    }

    /// Returns the findings, the parameters that turn verdicts, the reasons, and the datum that would tell,
    /// each with its name.
    pub fn reasons(&self) -> Vec<(&'static str, String)> {
        let has_one = self.cells.len() == 1;
        let named = |name: String, text: &str| {
            if name.is_empty() { text.to_owned() } else { format!("{name}: {text}") }
        };
        let found = |cell: &Cell| {
            let verdict = if has_one { "" } else { cell.verdict.words() };
            let ours = if cell.is_ours { "ours" } else { "" };
            let parts = [cell.name(), ours.to_owned(), verdict.to_owned()];
            let name = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
            ("found", named(name, &cell.found))
        };
        let mut reasons: Vec<_> = self.cells.iter().map(found).collect();
        let paper = self.cells.iter().filter(|cell| !cell.is_ours);
        reasons.extend(paper.filter_map(|cell| Some(("turned by", named(cell.name(), &cell.turned_by()?)))));
        reasons.extend(self.why.clone().map(|why| ("why", why)));
        let tell = self.tell.clone().filter(|_| self.verdict == Verdict::CannotBeTold);
        reasons.extend(tell.map(|tell| ("would tell", tell)));
        if let (Some(figure), Some(row)) = (self.figure, self.repeats) {
            reasons.push(("stands on", format!("{figure}, as row {row} does, and is not counted again")));
        }
        reasons
    }
}

/// Marks the rows that stand on the figure of an earlier row.
pub(super) fn count_figures_once(rows: &mut [Row]) {
    let mut first: Vec<(&str, usize)> = Vec::new();
    for row in rows {
        let Some(figure) = row.figure else { continue };
        match first.iter().find(|(known, _)| *known == figure) {
            Some((_, number)) => row.repeats = Some(*number),
            None => first.push((figure, row.number)),
        }
    }
}

/// Counts the rows with each [verdict](Verdict::ALL), without the rows that repeat an earlier one's figure.
pub fn counted(rows: &[Row]) -> [usize; 4] {
    Verdict::ALL
        .map(|verdict| rows.iter().filter(|row| row.repeats.is_none() && row.verdict == verdict).count())
}
