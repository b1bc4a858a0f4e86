//! How the rows of an array lie in memory.

/// How the rows of an array lie, one behind another.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Rows {
    /// How many rows there are.
    pub(crate) count: usize,
    /// The elements of a row, a line or a plane, with those between the lines of a plane.
    pub(crate) cols: usize,
    /// The elements from the beginning of a row to that of the next.
    pub(crate) distance: usize,
    /// Of planes whose lines have gaps behind them the elements of a line, and those from its beginning to that of the
    /// next.
    pub(crate) line: Option<[usize; 2]>,
}

impl Rows {
    /// Rows without gaps.
    pub(crate) fn dense([count, cols]: [usize; 2]) -> Self {
        Self { count, cols, distance: cols, line: None }
    }

    /// Whether there are no gaps, neither between rows nor in them.
    pub(crate) fn is_dense(self) -> bool {
        self.distance == self.cols && self.line.is_none()
    }

    pub(crate) fn sides(&self) -> [usize; 2] {
        [self.count, self.cols]
    }

    /// The elements from the first to the last.
    pub(crate) fn span(&self) -> usize {
        self.count
            .checked_sub(1)
            .map_or(0, |last| last.saturating_mul(self.distance).saturating_add(self.cols))
    }

    /// The lines of an array, or those parts of its rows that have no gaps: where each begins, and its elements.
    pub(crate) fn lines(self) -> impl Iterator<Item = (usize, usize)> {
        let [len, distance] = self.line.unwrap_or([self.cols, self.cols.max(1)]);
        (0..self.count).flat_map(move |row| {
            (0..self.cols).step_by(distance).map(move |at| (row * self.distance + at, len))
        })
    }
}
