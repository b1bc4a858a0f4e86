//! How many rows each group gets, and which.

use std::fmt;
use std::ops::Range;

/// Rows dealt to groups in order: the first group has the first rows. A group may have none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Distribution(Vec<usize>);

/// Rows for no group at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rows cannot be dealt to 0 groups")]
pub struct NoGroups;

impl Distribution {
    /// Deals the same number of rows to each group (PFFT-LB); what remains goes to the first ones, a row each.
    ///
    /// ```
    /// use earth_papers::partition::Distribution;
    /// assert_eq!(Distribution::balanced(10, 4)?.rows(), [3, 3, 2, 2]);
    /// # Ok::<(), earth_papers::partition::NoGroups>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NoGroups`] if `groups` is 0.
    pub fn balanced(rows: usize, groups: usize) -> Result<Self, NoGroups> {
        if groups == 0 {
            return Err(NoGroups);
        }
        let (share, rest) = (rows / groups, rows % groups);
        Ok(Self((0..groups).map(|group| share + usize::from(group < rest)).collect()))
    }

    /// The rows that the caller wants each group to have.
    ///
    /// # Errors
    ///
    /// [`NoGroups`] if there are none.
    pub fn new(rows: Vec<usize>) -> Result<Self, NoGroups> {
        if rows.is_empty() { Err(NoGroups) } else { Ok(Self(rows)) }
    }

    /// How many rows each group has.
    pub fn rows(&self) -> &[usize] {
        &self.0
    }

    /// How many groups there are, those without rows included.
    pub fn groups(&self) -> usize {
        self.0.len()
    }

    /// All rows.
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }

    /// Which rows each group has: ranges that follow on one another, from 0 to the total.
    ///
    /// ```
    /// # use earth_papers::partition::Distribution;
    /// let parts: Vec<_> = Distribution::balanced(5, 2)?.ranges().collect();
    /// assert_eq!(parts, [0..3, 3..5]);
    /// # Ok::<(), earth_papers::partition::NoGroups>(())
    /// ```
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = Range<usize>> {
        let mut begin = 0;
        self.0.iter().map(move |rows| {
            let range = begin..begin + rows;
            begin = range.end;
            range
        })
    }
}

impl fmt::Display for Distribution {
    /// Writes a sum: `11648 + 13056`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (group, rows) in self.0.iter().enumerate() {
            write!(f, "{}{rows}", if group == 0 { "" } else { " + " })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balanced_shares_differ_by_a_row_at_most_and_the_first_have_it() {
        for rows in 0..50 {
            for groups in 1..10 {
                let distribution = Distribution::balanced(rows, groups).unwrap();
                assert_eq!((distribution.total(), distribution.groups()), (rows, groups));
                assert!(distribution.rows().is_sorted_by(|a, b| a >= b), "{distribution}");
                assert!(distribution.rows()[0] - distribution.rows()[groups - 1] <= 1, "{distribution}");
            }
        }
        assert_eq!(Distribution::balanced(3, 0), Err(NoGroups));
        assert_eq!(Distribution::new(Vec::new()), Err(NoGroups));
    }

    #[test]
    fn ranges_cover_all_rows_once_and_an_empty_group_has_an_empty_one() {
        let distribution = Distribution::new(vec![5, 0, 2, 6]).unwrap();
        assert_eq!(distribution.ranges().collect::<Vec<_>>(), [0..5, 5..5, 5..7, 7..13]);
        assert_eq!(distribution.ranges().len(), 4);
        assert_eq!(distribution.to_string(), "5 + 0 + 2 + 6");
    }
}
