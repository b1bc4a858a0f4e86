//! Layout of a batch of rows in one slice: FFTW's `n`, `howmany` and `idist`.
//!
//! The distance between rows may be greater than their length, so that adjacent rows do not map to the same
//! cache sets. Each row is then followed by points outside any row. After the last row, these points may be
//! absent.

/// `rows` rows of `len` points in one slice, with consecutive rows `distance` points apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RowShape {
    /// Number of points in a row.
    pub len: usize,
    /// Number of rows in a call.
    pub rows: usize,
    /// Distance between the starts of consecutive rows, in points: `len` for contiguous rows.
    pub distance: usize,
}

/// Reason why a [`RowShape`] is invalid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RowShapeError {
    /// Row length of 0 points.
    #[error("a row of 0 points has no transform")]
    NoPoints,
    /// Number of rows is 0.
    #[error("a kernel is planned for at least one row")]
    NoRows,
    /// Distance shorter than a row, so that the next row begins before this one ends.
    #[error("rows of {len} points overlap when they begin {distance} points apart")]
    Overlap {
        /// Number of points in a row.
        len: usize,
        /// Distance between the starts of consecutive rows, in points.
        distance: usize,
    },
    /// Span of more points than a `usize` holds.
    #[error("{rows} rows that begin {distance} points apart exceed the address space")]
    TooMany {
        /// Number of rows.
        rows: usize,
        /// Distance between the starts of consecutive rows, in points.
        distance: usize,
    },
}

impl RowShape {
    /// Returns the shape of `rows` contiguous rows: each begins where the previous one ends.
    pub fn contiguous(len: usize, rows: usize) -> Self {
        Self { len, rows, distance: len }
    }

    /// Returns the number of points from the start of the first row to the end of the last one. It is the
    /// minimum length of a slice.
    ///
    /// # Errors
    ///
    /// Any [`RowShapeError`]. This method is also the check of the shape.
    pub fn span(self) -> Result<usize, RowShapeError> {
        let Self { len, rows, distance } = self;
        if len == 0 {
            return Err(RowShapeError::NoPoints);
        }
        if rows == 0 {
            return Err(RowShapeError::NoRows);
        }
        if distance < len {
            return Err(RowShapeError::Overlap { len, distance });
        }
        let before_last = (rows - 1).checked_mul(distance);
        before_last
            .and_then(|points| points.checked_add(len))
            .ok_or(RowShapeError::TooMany { rows, distance })
    }
}

/// Returns the number of rows of `len` points, `distance` points apart, in a slice of `points` points. It is
/// 0 for an empty slice.
///
/// # Panics
///
/// If rows would overlap, or if the last row is incomplete.
#[track_caller]
pub fn count_rows(points: usize, len: usize, distance: usize) -> usize {
    assert!(distance >= len, "rows of {len} points overlap when they begin {distance} points apart");
    let (whole, rest) = (points / distance, points % distance);
    assert!(
        rest == 0 || rest >= len,
        "{points} points are no whole number of rows of {len} that begin {distance} points apart"
    );
    whole + usize::from(rest > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_span_ends_with_the_last_row() {
        assert_eq!(RowShape { len: 5, rows: 3, distance: 8 }.span(), Ok(21));
        assert_eq!(RowShape { len: 5, rows: 1, distance: 8 }.span(), Ok(5));
        assert_eq!(RowShape::contiguous(5, 3).span(), Ok(15));
    }

    #[test]
    fn rows_that_cannot_be_are_refused() {
        let span = |len, rows, distance| RowShape { len, rows, distance }.span();
        assert_eq!(span(0, 1, 1), Err(RowShapeError::NoPoints));
        assert_eq!(span(4, 0, 4), Err(RowShapeError::NoRows));
        assert_eq!(span(4, 2, 3), Err(RowShapeError::Overlap { len: 4, distance: 3 }));
        let huge = usize::MAX / 2;
        assert_eq!(span(4, 4, huge), Err(RowShapeError::TooMany { rows: 4, distance: huge }));
        assert_eq!(span(4, 3, huge), Err(RowShapeError::TooMany { rows: 3, distance: huge }));
    }

    #[test]
    fn rows_are_counted_with_and_without_what_follows_the_last() {
        for (points, rows) in [(0, 0), (5, 1), (8, 1), (13, 2), (16, 2), (21, 3)] {
            assert_eq!(count_rows(points, 5, 8), rows, "{points} points");
        }
        assert_eq!(count_rows(15, 5, 5), 3);
    }

    #[test]
    #[should_panic(expected = "12 points are no whole number of rows of 5 that begin 8 points apart")]
    fn a_part_of_a_row_is_not_counted() {
        count_rows(12, 5, 8);
    }

    #[test]
    #[should_panic(expected = "rows of 5 points overlap")]
    fn rows_that_overlap_are_not_counted() {
        count_rows(12, 5, 4);
    }
}
