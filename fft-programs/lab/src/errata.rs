//! Errata of all papers, in one numbering. Each paper's table is beside its statements.

use earth_report::document::Content;
use earth_report::statements::errata::{Erratum, errata};

/// Papers with a page, in the order of their errata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paper {
    /// Thulasiraman and others, EARTH.
    Earth,
    /// Sabharwal and others, Blue Gene/L.
    Torus,
    /// Chen and Gao, a many-core chip.
    ManyCore,
    /// Khokhriakov and others, PFFT.
    Pfft,
    /// Song and Hollingsworth, overlap.
    Overlap,
}

const TABLES: [&str; 5] = [
    include_str!("simulate/errata.md"),
    include_str!("torus/errata.md"),
    include_str!("manycore/errata.md"),
    include_str!("pfft/study/errata.md"),
    include_str!("overlap/errata.md"),
];

/// Returns the errata of a paper. `words` has the values of the names in them.
pub(crate) fn errata_of(paper: Paper, words: &Content) -> Vec<Erratum> {
    numbered(paper, |text| words.filled(text))
}

fn numbered(paper: Paper, filled: impl Fn(&str) -> String) -> Vec<Erratum> {
    let at = paper as usize;
    errata(&TABLES[..at], TABLES[at], filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_numbering_goes_over_all_papers() {
        let papers = [Paper::Earth, Paper::Torus, Paper::ManyCore];
        let of = |paper| numbered(paper, str::to_owned).into_iter().map(|erratum| erratum.number);
        let numbers: Vec<_> = papers.into_iter().flat_map(of).collect();
        assert!(numbers.iter().copied().eq(1..=numbers.len()), "{numbers:?}");
    }
}
