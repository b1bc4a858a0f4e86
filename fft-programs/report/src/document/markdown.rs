//! Documents as Markdown, with links to their figures.

use std::fmt::{self, Write as _};

use super::part::{Document, Medium, Part};
use super::table::Table;
use crate::statements::Row;

impl Document {
    /// Returns the document as Markdown. The paths of its figures begin with `folder`.
    pub fn markdown(&self, folder: &str) -> String {
        let mut text = String::new();
        self.write(&mut text, folder).map_or_else(|error| error.to_string(), |()| text)
    }

    fn write(&self, f: &mut String, folder: &str) -> fmt::Result {
        for (index, part) in self.parts(Medium::Page).into_iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            match part {
                Part::Heading(level, title) => writeln!(f, "{} {title}", "#".repeat(*level))?,
                Part::Words(words) => writeln!(f, "{words}")?,
                Part::Lines(lines) => writeln!(f, "{}", lines.join("\\\n"))?,
                Part::Command(command) => writeln!(f, "```sh\n{command}\n```")?,
                Part::Table(Table { title, names, rows, .. }) => {
                    if !title.is_empty() {
                        writeln!(f, "{title}:\n")?;
                    }
                    row(f, names)?;
                    row(f, &(0..names.len()).map(|column| side(rows, column)).collect::<Vec<_>>())?;
                    rows.iter().try_for_each(|cells| row(f, cells))?;
                }
                Part::Figures(figures) => {
                    for (index, figure) in figures.iter().enumerate() {
                        let (title, name, caption) = (&figure.title, &figure.name, &figure.caption);
                        let gap = if index > 0 { "\n" } else { "" };
                        writeln!(f, "{gap}![{title}]({folder}{name}.svg)\n\n{caption}")?;
                    }
                }
                Part::List(items) => items.iter().try_for_each(|item| writeln!(f, "- {item}"))?,
                Part::Statement(statement) => {
                    let Row { number, rule, verdict, .. } = statement;
                    writeln!(f, "**{number}. {}: {}.**\n", statement.cited(), verdict.words())?;
                    writeln!(f, "- *rule:* {rule}")?;
                    for (name, text) in statement.reasons() {
                        writeln!(f, "- *{name}:* {text}")?;
                    }
                }
                Part::Only(..) => {}
            }
        }
        Ok(())
    }
}

/// Returns the mark for the alignment of a column: numbers to the right, words to the left.
fn side(rows: &[Vec<String>], column: usize) -> &'static str {
    let is_number = |cell: &str| {
        let digits = cell.trim_start_matches(['-', '+', '~', ' ']);
        digits.is_empty() || digits.starts_with(|first: char| first.is_ascii_digit())
    };
    let are_numbers = rows.iter().all(|row| row.get(column).is_none_or(|cell| is_number(cell)));
    if column > 0 && are_numbers { "---:" } else { "---" }
}

fn row<C: AsRef<str>>(f: &mut String, cells: &[C]) -> fmt::Result {
    write!(f, "|")?;
    cells.iter().try_for_each(|cell| write!(f, " {} |", cell.as_ref().replace('|', "\\|")))?;
    writeln!(f)
}
