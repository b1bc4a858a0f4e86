//! Small tables for the terminal: columns aligned, no frames, nothing wrapped, so that a table can be cut and
//! sorted by other tools.

use std::fmt;

use comfy_table::{CellAlignment, ContentArrangement, presets};

/// A table under construction.
pub struct Table(comfy_table::Table);

impl Table {
    /// A table without a header: names on the left, values beside them.
    pub fn facts() -> Self {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        Self(table)
    }

    /// A table under names: what a row is of on the left, numbers aligned to the right.
    pub fn with_header<const N: usize>(names: [&str; N]) -> Self {
        let Self(mut table) = Self::facts();
        table.set_header(names);
        table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
        Self(table)
    }

    /// The same, of as many columns as there are names.
    pub fn with_names(names: Vec<String>) -> Self {
        let Self(mut table) = Self::facts();
        table.set_header(names);
        table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
        Self(table)
    }

    /// Adds a row of as many cells as there are.
    pub fn cells(&mut self, cells: Vec<String>) -> &mut Self {
        self.0.add_row(cells);
        self
    }

    /// Adds a row.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) -> &mut Self {
        self.0.add_row(cells);
        self
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.trim_fmt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_left_and_numbers_under_their_names_right() {
        let mut facts = Table::facts();
        facts.row(["N".into(), "16".into()]).row(["nodes".into(), "2".into()]);
        assert_eq!(facts.to_string(), " N      16\n nodes  2");
        let mut numbers = Table::with_header(["P", "time"]);
        numbers.row(["2".into(), "1.5 ms".into()]).row(["16".into(), "9 ms".into()]);
        assert_eq!(numbers.to_string(), " P     time\n 2   1.5 ms\n 16    9 ms");
    }
}
