//! The report on the study of Khokhriakov, Manumachu and Lastovetsky ([`crate::study`]).
//!
//! 1. [`document`] is the report as headings, words, tables and figures, [`figures`] what is drawn;
//! 2. [`text`], [`markdown`] and [`page`] write it for the terminal, for the documentation and as one page;
//!    [`tables`] has all numbers as CSV.

mod document;
mod figures;
mod markdown;
mod page;
mod plots;
mod report;
mod tables;
mod text;

pub use report::Report;

impl Report {
    /// Name and content of each plot.
    pub fn plots(&self) -> Vec<(String, Vec<u8>)> {
        let figures = figures::all(&self.study);
        figures
            .iter()
            .map(|figure| (format!("{}.svg", figure.name), plots::file(figure).into_bytes()))
            .collect()
    }

    /// Name and content of each table.
    ///
    /// # Errors
    ///
    /// Rows that are no CSV: only if memory is no file.
    pub fn tables(&self) -> Result<Vec<(&'static str, Vec<u8>)>, csv::Error> {
        tables::all(self)
    }

    /// As Markdown, with plots in `folder`.
    pub fn markdown(&self, folder: &str) -> String {
        markdown::Markdown { report: self, folder }.to_string()
    }

    /// As one page of HTML.
    pub fn page(&self) -> String {
        page::of(self)
    }
}
