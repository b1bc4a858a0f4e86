//! What a document is, whoever writes it down.

use super::table::Table;
use crate::figure::Figure;
use crate::statements::Row;

/// A report that can be read.
#[derive(Debug)]
pub struct Document {
    /// The title of the window that shows the page.
    pub title: String,
    /// Its parts, in order.
    pub parts: Vec<Part>,
}

/// A part of a document.
#[derive(Debug)]
pub enum Part {
    /// A heading of a level from 1.
    Heading(usize, String),
    /// A paragraph, with `**` around what is strong, `*` around titles and backquotes around what is typed.
    Words(String),
    /// Plain lines that belong together.
    Lines(Vec<String>),
    /// What is typed into a shell.
    Command(String),
    /// A table.
    Table(Table),
    /// Figures beside each other, as far as there is room; the terminal has none.
    Figures(Vec<Figure>),
    /// A statement of a paper, and what came of it.
    Statement(Row),
    /// Parts for one kind of readers alone.
    Only(Medium, Vec<Part>),
}

/// Where a document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// 80 columns of text.
    Terminal,
    /// HTML or Markdown.
    Page,
}

impl Part {
    /// A heading of a level from 1.
    pub fn heading(level: usize, title: impl Into<String>) -> Self {
        Self::Heading(level, title.into())
    }

    /// A paragraph with marks.
    pub fn words(words: impl Into<String>) -> Self {
        Self::Words(words.into())
    }

    /// A plain paragraph.
    pub fn line(line: impl Into<String>) -> Self {
        Self::Lines(vec![line.into()])
    }

    /// A figure alone.
    pub fn figure(figure: Figure) -> Self {
        Self::Figures(vec![figure])
    }
}

impl Document {
    /// The parts for a medium, in order.
    pub(super) fn parts(&self, on: Medium) -> Vec<&Part> {
        chosen(&self.parts, on)
    }

    /// Name and content of each figure as a file.
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
