//! The layout of the rows of an array.

/// Layout of the rows of an array, at a constant distance.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Rows {
    pub(crate) count: usize,
    /// Elements of a row, which is a line or a plane, including the gaps between the lines of a plane.
    pub(crate) cols: usize,
    /// Distance between the starts of consecutive rows, in elements.
    pub(crate) distance: usize,
    /// For planes with gaps between their lines: the elements of a line, and the distance between the starts
    /// of consecutive lines.
    pub(crate) line: Option<[usize; 2]>,
}

impl Rows {
    pub(crate) fn dense([count, cols]: [usize; 2]) -> Self {
        Self { count, cols, distance: cols, line: None }
    }

    /// Returns whether there are no gaps, neither between rows nor in them.
    pub(crate) fn is_dense(self) -> bool {
        self.distance == self.cols && self.line.is_none()
    }

    pub(crate) fn sides(&self) -> [usize; 2] {
        [self.count, self.cols]
    }

    /// Returns the number of elements from the first to the last, both included.
    pub(crate) fn span(&self) -> usize {
        self.count
            .checked_sub(1)
            .map_or(0, |last| last.saturating_mul(self.distance).saturating_add(self.cols))
    }

    /// Yields the start and length of each contiguous piece of the rows. Without gaps in rows, a piece is a
    /// row.
    pub(crate) fn lines(self) -> impl Iterator<Item = (usize, usize)> {
        let [len, distance] = self.line.unwrap_or([self.cols, self.cols.max(1)]);
        (0..self.count).flat_map(move |row| {
            (0..self.cols).step_by(distance).map(move |at| (row * self.distance + at, len))
        })
    }
}
