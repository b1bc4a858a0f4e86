//! Documents and tables as text for the terminal: words and tables, no figures. Columns are aligned, without
//! frames. Lines are not wrapped, so that other tools can cut and sort a table.

use std::fmt;

use comfy_table::{CellAlignment, ContentArrangement, presets};

use super::part::{Document, Medium, Part};
use super::table::Table;
use crate::statements::Row;

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.parts(Medium::Terminal).into_iter().filter(|part| !matches!(part, Part::Figures(_)));
        for (index, part) in parts.enumerate() {
            if index > 0 {
                f.write_str("\n\n")?;
            }
            match part {
                Part::Heading(1, title) => f.write_str(title)?,
                Part::Heading(_, title) => write!(f, "\n{title}")?,
                Part::Words(words) => f.write_str(&unmarked(words))?,
                Part::List(items) => {
                    f.write_str(
                        &items
                            .iter()
                            .map(|item| format!("- {}", unmarked(item)))
                            .collect::<Vec<_>>()
                            .join("\n"),
                    )?;
                }
                Part::Lines(lines) => f.write_str(&lines.join("\n"))?,
                Part::Command(command) => write!(f, "  {command}")?,
                Part::Table(table) if table.title.is_empty() => write!(f, "{table}")?,
                Part::Table(table) => write!(f, "{}:\n\n{table}", table.title)?,
                Part::Statement(row) => statement(f, row)?,
                Part::Figures(_) | Part::Only(..) => {}
            }
        }
        Ok(())
    }
}

/// Returns the words without marks.
fn unmarked(words: &str) -> String {
    words.replace(['`', '*'], "")
}

fn statement(f: &mut fmt::Formatter<'_>, row: &Row) -> fmt::Result {
    let Row { number, rule, verdict, .. } = row;
    write!(f, "{number:3}. {}: {}", row.cited(), verdict.words().to_uppercase())?;
    write!(f, "\n     rule: {rule}")?;
    row.reasons().iter().try_for_each(|(name, text)| write!(f, "\n     {name}: {}", unmarked(text)))
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        if !self.is_of_facts() {
            table.set_header(&self.names[..self.brief]);
            table
                .column_iter_mut()
                .skip(1)
                .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
        }
        for row in &self.rows {
            table.add_row(&row[..self.brief]);
        }
        f.write_str(&table.trim_fmt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_left_and_numbers_under_their_names_right() {
        let mut facts = Table::facts([("N", "16".to_owned())]);
        facts.fact("nodes", "2");
        assert_eq!(facts.to_string(), " N      16\n nodes  2");
        let rows = [["2", "1.5 ms", "7"], ["16", "9 ms", "8"]].map(|row| row.map(str::to_owned));
        let numbers = Table::new(["P", "time"]).with_details(["runs".to_owned()]).with(rows);
        assert_eq!(numbers.to_string(), " P     time\n 2   1.5 ms\n 16    9 ms");
    }

    #[test]
    fn parts_are_paragraphs_and_those_for_pages_are_left_out() {
        let parts = vec![
            Part::Heading(1, "One".to_owned()),
            Part::Only(Medium::Page, vec![Part::Words("page".to_owned())]),
            Part::Words("**strong** `typed` *titled*".to_owned()),
            Part::Only(Medium::Terminal, vec![Part::Lines(vec!["*".to_owned(), "`".to_owned()])]),
            Part::Figures(Vec::new()),
            Part::Heading(2, "Two".to_owned()),
            Part::Command("true".to_owned()),
            Part::Table(Table::facts([("a", "b".to_owned())]).titled("Facts")),
        ];
        let text = Document { title: String::new(), parts }.to_string();
        assert_eq!(text, "One\n\nstrong typed titled\n\n*\n`\n\n\nTwo\n\n  true\n\nFacts:\n\n a  b");
    }
}
