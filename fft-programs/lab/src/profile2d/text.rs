//! The report for the terminal: words and tables, no figures.

use std::fmt;

use super::document::{Part, parts};
use super::report::Report;
use crate::statements::Row;
use crate::table::Table;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in parts(self) {
            match part {
                Part::Heading(level, title) => {
                    let gap = if level == 1 { "" } else { "\n" };
                    writeln!(f, "{gap}{title}\n")?;
                }
                Part::Words(words) => writeln!(f, "{}\n", words.replace("**", "").replace(['`', '*'], ""))?,
                Part::Command(command) => writeln!(f, "  {command}\n")?,
                Part::Sheet(sheet) => {
                    let is_facts = sheet.names.iter().all(String::is_empty);
                    let mut table = if is_facts { Table::facts() } else { Table::with_names(sheet.names) };
                    for row in sheet.rows {
                        table.cells(row);
                    }
                    writeln!(f, "{}:\n\n{table}\n", sheet.title)?;
                }
                Part::Figure(_) => {}
                Part::Statement(row) => statement(f, row)?,
            }
        }
        Ok(())
    }
}

fn statement(f: &mut fmt::Formatter<'_>, row: &Row) -> fmt::Result {
    let Row { number, rule, verdict, passed: [passed, checks], found, why, .. } = row;
    write!(f, "{number:3}. {}: {}", row.cited(), verdict.words().to_uppercase())?;
    if *checks > 0 {
        write!(f, ", {passed} of {checks} checks")?;
    }
    writeln!(f, "\n     rule: {rule}\n     found: {found}")?;
    if let Some(why) = why.as_ref().filter(|why| !why.is_empty()) {
        writeln!(f, "     why: {why}")?;
    }
    writeln!(f)
}
