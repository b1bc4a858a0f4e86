//! Sizes to measure and their order, as pure data.
//!
//! * *Full* (the paper's): x rows of length y for all multiples x ≤ y of a step, y up to a greatest length.
//!   Shortest rows come first, then fewest rows, so that cheap sizes, useful for small matrices, come first.
//!   m steps make m(m+1)/2 sizes. Sizes that do not fit in memory are left out.
//! * *Partial*, for one matrix of N rows: multiples of the step as numbers of rows of its length, nearest to
//!   the balanced N/p first, then outward. The partitioner then finds the best of the measured distributions,
//!   which is never worse than the most balanced measured one.
//!
//! A plan resumes after the sizes that are already measured. After Khokhriakov, Manumachu and Lastovetsky,
//! *IEEE Access* 6 (2018), section IV, whose step is 128.

use std::collections::BTreeSet;

use earth_papers::partition::{Size, SpeedFunction};

/// Plan of the sizes to measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    extent: Extent,
    step: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Extent {
    Full { longest: usize, elements: usize },
    Around { rows: usize, length: usize, groups: usize },
}

/// Error of making a plan.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SizesError {
    /// No size is a multiple of the step.
    #[error("no multiple of the step {step} is between 1 and {most}, so there is no size to measure")]
    BadStep {
        /// Step between sizes.
        step: usize,
        /// Largest size.
        most: usize,
    },
    /// Rows that need no operations.
    #[error("rows of {length} points take no operations, so they have no speed")]
    BadLength {
        /// Length of the rows.
        length: usize,
    },
    /// Zero groups.
    #[error("0 groups cannot be measured")]
    NoGroups,
}

impl Plan {
    /// Plans all multiples of `step` up to `longest`.
    ///
    /// # Errors
    ///
    /// Returns an error for a step of 0 or above `longest`, and for `longest = 1`, because rows of one point
    /// need no operations.
    pub fn full(longest: usize, step: usize) -> Result<Self, SizesError> {
        if longest == 1 {
            return Err(SizesError::BadLength { length: 1 });
        }
        let extent = Extent::Full { longest, elements: usize::MAX };
        Self { extent, step }.checked(longest)
    }

    /// Plans multiples of `step` as numbers of rows of `length` points, outward from an equal share of `rows`
    /// among `groups`.
    ///
    /// # Errors
    ///
    /// Returns an error for no groups, a length below 2, and a step of 0 or above `rows`.
    pub fn around(rows: usize, length: usize, groups: usize, step: usize) -> Result<Self, SizesError> {
        if groups == 0 {
            return Err(SizesError::NoGroups);
        }
        if length < 2 {
            return Err(SizesError::BadLength { length });
        }
        let extent = Extent::Around { rows, length, groups };
        Self { extent, step }.checked(rows)
    }

    fn checked(self, most: usize) -> Result<Self, SizesError> {
        let step = self.step;
        if step == 0 || step > most { Err(SizesError::BadStep { step, most }) } else { Ok(self) }
    }

    /// Leaves out sizes of more than `most` elements (rows times length), the capacity of one group's memory.
    #[must_use]
    pub fn within(mut self, most: usize) -> Self {
        if let Extent::Full { elements, .. } = &mut self.extent {
            *elements = most;
        }
        self
    }

    /// Returns all sizes of the plan in order.
    pub fn sizes(&self) -> Box<dyn Iterator<Item = Size> + Send> {
        let step = self.step;
        match self.extent {
            Extent::Full { longest, elements } => {
                let multiples = move |most: usize| (1..=most / step).map(move |k| k * step);
                // Rows of one point need no operations.
                let lengths = multiples(longest).filter(|&length| length > 1);
                let sizes =
                    lengths.flat_map(move |length| multiples(length).map(move |rows| Size { length, rows }));
                Box::new(sizes.filter(move |size| size.rows.saturating_mul(size.length) <= elements))
            }
            Extent::Around { rows, length, groups } => {
                Box::new(outward(rows, groups, step).map(move |rows| Size { length, rows }))
            }
        }
    }

    /// Returns the rest of the plan. Sizes that every function in `functions` has are done.
    ///
    /// *Cost.* The done sizes are copied; then O(log points) per size.
    ///
    /// ```
    /// use earth_lab::pfft::measure::Plan;
    /// use earth_papers::partition::SpeedFunction;
    ///
    /// let plan = Plan::around(1024, 1024, 2, 128)?;
    /// let rows = plan.resume(&[SpeedFunction::new()]).map(|size| size.rows);
    /// assert_eq!(rows.collect::<Vec<_>>(), [512, 384, 640, 256, 768, 128, 896, 1024]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn resume(&self, functions: &[SpeedFunction]) -> Progress {
        let done: BTreeSet<Size> = functions.first().map_or_else(BTreeSet::new, |first| {
            let everywhere = |size: &Size| functions.iter().all(|function| function.point(*size).is_some());
            first.points().map(|(size, _)| size).filter(everywhere).collect()
        });
        let left = self.sizes().filter(|size| !done.contains(size)).count();
        Progress { left, sizes: Box::new(self.sizes().filter(move |size| !done.contains(size))) }
    }
}

/// Returns the multiples of `step` up to `rows`, nearest to `rows / groups` first; of two equally near ones,
/// the lower first.
fn outward(rows: usize, groups: usize, step: usize) -> impl Iterator<Item = usize> + Send {
    let distance = move |k: usize| (k as u128 * step as u128 * groups as u128).abs_diff(rows as u128);
    let most = rows / step;
    let mut below = (rows / groups / step).min(most);
    let mut above = below + 1;
    std::iter::from_fn(move || {
        let low = below > 0 && (above > most || distance(below) <= distance(above));
        if low {
            below -= 1;
            Some((below + 1) * step)
        } else if above <= most {
            above += 1;
            Some((above - 1) * step)
        } else {
            None
        }
    })
}

/// Iterator over the remaining sizes of a [`Plan`].
pub struct Progress {
    sizes: Box<dyn Iterator<Item = Size> + Send>,
    left: usize,
}

impl Progress {
    /// Returns the number of remaining sizes.
    pub fn left(&self) -> usize {
        self.left
    }
}

impl Iterator for Progress {
    type Item = Size;

    fn next(&mut self) -> Option<Size> {
        let size = self.sizes.next()?;
        self.left -= 1;
        Some(size)
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
