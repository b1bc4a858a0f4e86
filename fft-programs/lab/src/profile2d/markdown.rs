//! The report as Markdown, with links to its plots.

use std::fmt;

use super::document::{Part, parts};
use super::report::Report;

/// A report as Markdown; `folder` is what the names of plots begin with.
pub(super) struct Markdown<'a> {
    pub(super) report: &'a Report,
    pub(super) folder: &'a str,
}

impl fmt::Display for Markdown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut is_first_statement = true;
        for (index, part) in parts(self.report).into_iter().enumerate() {
            if index > 0 && (!matches!(part, Part::Statement(_)) || is_first_statement) {
                writeln!(f)?;
            }
            match part {
                Part::Heading(level, title) => writeln!(f, "{} {title}", "#".repeat(level))?,
                Part::Words(words) => writeln!(f, "{words}")?,
                Part::Command(command) => writeln!(f, "```sh\n{command}\n```")?,
                Part::Sheet(sheet) => {
                    let sides = std::iter::once("---").chain(std::iter::repeat("---:"));
                    let rule: Vec<_> = sides.take(sheet.names.len()).map(str::to_owned).collect();
                    writeln!(f, "{}:\n", sheet.title)?;
                    row(f, &sheet.names)?;
                    row(f, &rule)?;
                    sheet.rows.iter().try_for_each(|cells| row(f, cells))?;
                }
                Part::Figure(figure) => {
                    let (title, name, caption) = (&figure.title, &figure.name, &figure.caption);
                    writeln!(f, "![{title}]({}{name}.svg)\n\n{caption}", self.folder)?;
                }
                Part::Statement(statement) => {
                    if is_first_statement {
                        let names = ["", "the paper", "verdict", "found here", "why"];
                        row(f, &names.map(str::to_owned))?;
                        row(f, &["---"; 5].map(str::to_owned))?;
                        is_first_statement = false;
                    }
                    let says = format!("{}. *Rule:* {}", statement.cited(), statement.rule);
                    let verdict = format!("**{}**", statement.verdict.words());
                    let number = statement.number.to_string();
                    row(
                        f,
                        &[
                            number,
                            says,
                            verdict,
                            statement.found.clone(),
                            statement.why.clone().unwrap_or_default(),
                        ],
                    )?;
                }
            }
        }
        Ok(())
    }
}

fn row(f: &mut fmt::Formatter<'_>, cells: &[String]) -> fmt::Result {
    write!(f, "|")?;
    cells.iter().try_for_each(|cell| write!(f, " {} |", cell.replace('|', "\\|")))?;
    writeln!(f)
}
