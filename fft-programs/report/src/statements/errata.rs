//! Errata of papers: contradictions between a paper's text and its own arithmetic, or mathematics. No
//! measurement decides them, so they are not among the statements.

use serde::Serialize;

use crate::document::cells;

/// Error of a paper. The field names are the names in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Erratum {
    /// Number, from 1, over all papers.
    pub number: usize,
    /// Section of the claim.
    pub section: &'static str,
    /// Claim of the paper, in our words.
    pub claim: &'static str,
    /// Correct value, from the paper's own figures or from mathematics.
    pub is: String,
    /// Our handling of it.
    pub here: &'static str,
}

/// Returns the errata of a Markdown table, whose columns are section, claim, correction, and our handling.
/// `before` has the tables of the papers before it, because one numbering goes over all papers. `filled`
/// replaces the names in the corrections.
pub fn errata(before: &[&'static str], table: &'static str, filled: impl Fn(&str) -> String) -> Vec<Erratum> {
    let first = 1 + before.iter().map(|table| cells::<4>(table).count()).sum::<usize>();
    let erratum = |(number, [section, claim, is, here]): (usize, [&'static str; 4])| Erratum {
        number,
        section,
        claim,
        is: filled(is),
        here,
    };
    (first..).zip(cells(table)).map(erratum).collect()
}

impl Erratum {
    /// Returns the number with its letter, for example `E7`.
    pub fn name(&self) -> String {
        format!("E{}", self.number)
    }

    /// Returns the claim and its section.
    pub fn cited(&self) -> String {
        format!("{} ({})", self.claim, self.section)
    }
}
