//! Statements of papers, judged by one policy for all papers.
//!
//! A paper is a table of [`Statements`] with a judge for each, a function of results of type `R`. The judge
//! records checks, findings and reasons in [`Judged`]. The policy is here and in no judge:
//!
//! 1. *Checks.* A cell of a row is one clause of the statement, for one program, in one reading. It holds if
//!    all its checks pass, and does not hold if one fails. Without a check it cannot be told.
//! 2. *Readings* of a sentence that disagree leave it untold: the paper decides which one it means.
//! 3. *Clauses and programs* are independent. A row holds if all do, and holds in part if some do. Programs
//!    of ours are shown and do not count.
//! 4. *Parameters.* Each verdict is taken again with each estimate and each fitted figure halved and doubled,
//!    one at a time. A cell whose verdict [turns](Turn) cannot be told, and the row names the parameter.
//! 5. *Figures.* Rows that stand on one figure are counted once, as the first of them.
//! 6. *Chance.* A number of "clearly" different sizes counts if chance alone hardly explains it
//!    ([`chance::is_exceeded`]).
//!
//! The thresholds are the same for all statements of all papers, and were not adjusted to the results.

pub mod chance;
pub mod errata;
mod judged;
pub mod parameters;
mod row;
mod verdict;

pub use judged::Judged;
pub use parameters::{Change, Parameter, Status};
pub use row::{Cell, Row, Turn, counted};
pub use verdict::Verdict;

use crate::document::cells;

/// Largest factor of "about" a figure, "about equal" and "slightly" more; "noticeably" more is beyond it.
pub const ABOUT: f64 = 1.25;

/// Share beyond which a difference is "considerable"; a smaller one is "not significant".
pub const CONSIDERABLE: f64 = 0.10;

/// Largest share of "no change", "unchanged" and "flat".
pub const FLAT: f64 = 0.05;

/// Returns whether two figures are about equal.
pub fn about(value: f64, expected: f64) -> bool {
    (1.0 / ABOUT..=ABOUT).contains(&(value / expected))
}

/// Function that judges a statement on results of type `R`.
pub type Judge<R> = fn(&R, &mut Judged);

/// Statements of a paper.
#[derive(Debug)]
pub struct Statements<R: 'static> {
    /// Markdown table with one row a statement. Its columns are:
    ///
    /// 1. the number,
    /// 2. the name of the judge; empty if nothing here can judge the statement,
    /// 3. the statement of the paper in our words,
    /// 4. its section,
    /// 5. the rule by which it is judged,
    /// 6. the figure on which it stands, if other rows stand on it, too,
    /// 7. the reason for the verdict,
    /// 8. the experiment or the datum that would tell, if the verdict cannot be told.
    pub table: &'static str,
    /// Judges by name.
    pub judges: &'static [(&'static str, Judge<R>)],
}

/// Returns functions with their names, as [judges](Judge).
#[macro_export]
macro_rules! judges {
    ($($judge:path),* $(,)?) => { &[$((stringify!($judge), $judge)),*] };
}
pub use crate::judges;

impl<R> Statements<R> {
    /// Judges all statements on `results`, whose parameters are all published.
    pub fn judged(&self, results: &R) -> Vec<Row> {
        self.judged_again(results, [])
    }

    /// Judges all statements on `results`, and again on the results after each [`Change`] of a parameter.
    pub fn judged_again(&self, results: &R, changed: impl IntoIterator<Item = (Change, R)>) -> Vec<Row> {
        let mut rows: Vec<_> =
            self.texts().map(|texts| Row::new(texts, self.judge(texts[1], results))).collect();
        for (change, results) in changed {
            for (row, texts) in rows.iter_mut().zip(self.texts()) {
                row.compare(&change, &self.judge(texts[1], &results));
            }
        }
        row::count_figures_once(&mut rows);
        rows
    }

    fn texts(&self) -> impl Iterator<Item = [&'static str; 8]> {
        cells(self.table)
    }

    /// Applies the judge of this name.
    fn judge(&self, name: &str, results: &R) -> Judged {
        let mut judged = Judged::default();
        let is_named =
            |of: &&(&str, Judge<R>)| of.0.rsplit(':').next().is_some_and(|last| last.trim() == name);
        match self.judges.iter().find(is_named) {
            Some((_, judge)) => judge(results, &mut judged),
            None => debug_assert!(name.is_empty(), "{name} is a judge"),
        }
        judged
    }
}

#[cfg(test)]
#[path = "statements/statements_tests.rs"]
mod tests;
