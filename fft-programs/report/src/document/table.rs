//! Tables as plain data: the name of a row on the left, numbers beside it.

/// Table of named columns and rows of formatted cells.
#[derive(Clone, Debug)]
pub struct Table {
    pub(super) title: String,
    pub(super) names: Vec<String>,
    /// Number of first columns that are shown where there is little room.
    pub(super) brief: usize,
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table of facts: names and values, without column names.
    pub fn facts<N: Into<String>>(facts: impl IntoIterator<Item = (N, String)>) -> Self {
        let rows = facts.into_iter().map(|(name, value)| [name.into(), value]);
        Self::new(["", ""]).with(rows)
    }

    /// Creates a table with these column names and without rows.
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        let names: Vec<_> = names.into_iter().map(Into::into).collect();
        Self { title: String::new(), brief: names.len(), names, rows: Vec::new() }
    }

    /// Returns the table with this title.
    #[must_use]
    pub fn titled(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// Returns the table with more columns, which are omitted where there is little room.
    #[must_use]
    pub fn with_details(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.names.extend(names);
        self
    }

    /// Returns the table with these rows.
    #[must_use]
    pub fn with<R: Into<Vec<String>>>(mut self, rows: impl IntoIterator<Item = R>) -> Self {
        rows.into_iter().for_each(|row| self.row(row));
        self
    }

    /// Adds a row, with one cell a column.
    pub fn row(&mut self, cells: impl Into<Vec<String>>) {
        let cells = cells.into();
        debug_assert_eq!(cells.len(), self.names.len(), "a cell for each of {:?}", self.names);
        self.rows.push(cells);
    }

    /// Adds a row to a table of facts.
    pub fn fact(&mut self, name: &str, value: impl Into<String>) {
        self.row([name.to_owned(), value.into()]);
    }

    /// Whether it has no column names.
    pub(super) fn is_of_facts(&self) -> bool {
        self.names.iter().all(String::is_empty)
    }
}
