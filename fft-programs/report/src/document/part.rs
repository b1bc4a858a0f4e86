//! Contents of a document, whatever its format.

use super::table::Table;
use crate::figure::Figure;
use crate::statements::Row;

/// Report for readers.
#[derive(Debug)]
pub struct Document {
    /// Title of the window that shows the page.
    pub title: String,
    /// Parts, in order.
    pub parts: Vec<Part>,
}

/// Part of a document.
#[derive(Debug)]
pub enum Part {
    /// Heading of a level from 1.
    Heading(usize, String),
    /// Paragraph, with `**` around strong text, `*` around titles and backquotes around code.
    Words(String),
    /// Plain lines that belong together.
    Lines(Vec<String>),
    /// List of paragraphs with marks.
    List(Vec<String>),
    /// Shell command.
    Command(String),
    /// Table.
    Table(Table),
    /// Figures side by side where there is room; omitted on the terminal.
    Figures(Vec<Figure>),
    /// Statement of a paper, and its verdict.
    Statement(Row),
    /// Parts for one medium only.
    Only(Medium, Vec<Part>),
}

/// Medium in which a document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// 80 columns of text.
    Terminal,
    /// HTML or Markdown.
    Page,
}

impl Part {
    /// Creates a heading of a level from 1.
    pub fn heading(level: usize, title: impl Into<String>) -> Self {
        Self::Heading(level, title.into())
    }

    /// Creates a paragraph with marks.
    pub fn words(words: impl Into<String>) -> Self {
        Self::Words(words.into())
    }

    /// Creates a plain paragraph.
    pub fn line(line: impl Into<String>) -> Self {
        Self::Lines(vec![line.into()])
    }

    /// Creates a part with one figure.
    pub fn figure(figure: Figure) -> Self {
        Self::Figures(vec![figure])
    }
}

impl Document {
    /// Returns the parts for a medium, in order.
    pub(super) fn parts(&self, on: Medium) -> Vec<&Part> {
        chosen(&self.parts, on)
    }

    /// Returns the name and the content of each figure as a file.
    pub fn plots(&self) -> Vec<(String, Vec<u8>)> {
        let figures = self.parts(Medium::Page).into_iter().filter_map(|part| match part {
            Part::Figures(figures) => Some(figures),
            _ => None,
        });
        figures.flatten().map(|figure| (format!("{}.svg", figure.name), figure.file().into_bytes())).collect()
    }
}

fn chosen(parts: &[Part], on: Medium) -> Vec<&Part> {
    let of = |part| match part {
        &Part::Only(medium, ref parts) if medium == on => chosen(parts, on),
        Part::Only(..) => Vec::new(),
        part => vec![part],
    };
    parts.iter().flat_map(of).collect()
}
