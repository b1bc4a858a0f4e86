//! Tables as plain data: what a row is of on the left, numbers beside it.

/// Names of columns, and rows of cells that are as they are shown.
#[derive(Clone, Debug)]
pub struct Table {
    pub(super) title: String,
    pub(super) names: Vec<String>,
    /// So many of the first columns are shown where there is little room.
    pub(super) brief: usize,
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    /// A table of facts: names and values, without names of columns.
    pub fn facts<N: Into<String>>(facts: impl IntoIterator<Item = (N, String)>) -> Self {
        let rows = facts.into_iter().map(|(name, value)| [name.into(), value]);
        Self::new(["", ""]).with(rows)
    }

    /// A table of so many columns, without rows.
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        let names: Vec<_> = names.into_iter().map(Into::into).collect();
        Self { title: String::new(), brief: names.len(), names, rows: Vec::new() }
    }

    /// The table with this title.
    #[must_use]
    pub fn titled(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// The table with more columns, which are left out where there is little room.
    #[must_use]
    pub fn with_details(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.names.extend(names);
        self
    }

    /// The table with these rows.
    #[must_use]
    pub fn with<R: Into<Vec<String>>>(mut self, rows: impl IntoIterator<Item = R>) -> Self {
        rows.into_iter().for_each(|row| self.row(row));
        self
    }

    /// Adds a row of as many cells as there are columns.
    pub fn row(&mut self, cells: impl Into<Vec<String>>) {
        let cells = cells.into();
        debug_assert_eq!(cells.len(), self.names.len(), "a cell for each of {:?}", self.names);
        self.rows.push(cells);
    }

    /// Adds a row to a table of facts.
    pub fn fact(&mut self, name: &str, value: impl Into<String>) {
        self.row([name.to_owned(), value.into()]);
    }

    /// Whether it has no names of columns.
    pub(super) fn is_of_facts(&self) -> bool {
        self.names.iter().all(String::is_empty)
    }
}
