//! Sizes N of a study: steps of equal width, and further N.

/// Sizes from `from` up to `to`, in steps of `step`, and further sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// First N, at least 2: a transform of one point takes no operations.
    pub from: usize,
    /// Upper bound of N.
    pub to: usize,
    /// Distance from one N to the next.
    pub step: usize,
    /// Further N. Averages and variations over N leave out the N beyond `to`, where N have other distances.
    pub further: Vec<usize>,
}

/// Error of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSizes {
    /// The upper bound is below the first size.
    #[error("there is no N from {from} to {to}")]
    Empty {
        /// First size.
        from: usize,
        /// Upper bound.
        to: usize,
    },
    /// A size is below 2.
    #[error("N must be at least 2, because a transform of one point takes no operations and so has no speed")]
    OnePoint,
    /// The step is 0.
    #[error("the step is 0; it must be at least 1")]
    NoStep,
}

impl Sizes {
    /// Returns all sizes in ascending order.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no size in steps, or if a size is below 2.
    pub fn all(&self) -> Result<Vec<usize>, NoSizes> {
        let Self { from, to, step, ref further } = *self;
        match self {
            _ if step == 0 => Err(NoSizes::NoStep),
            _ if from < 2 || further.iter().any(|&n| n < 2) => Err(NoSizes::OnePoint),
            _ if from > to => Err(NoSizes::Empty { from, to }),
            _ => {
                let mut all: Vec<_> = (from..=to).step_by(step).chain(further.iter().copied()).collect();
                all.sort_unstable();
                all.dedup();
                Ok(all)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_between_and_those_beyond() {
        let sizes = |from, to, step| Sizes { from, to, step, further: Vec::new() }.all();
        assert_eq!(sizes(16, 40, 8), Ok(vec![16, 24, 32, 40]));
        assert_eq!(sizes(16, 39, 8), Ok(vec![16, 24, 32]));
        assert_eq!(sizes(16, 16, 1), Ok(vec![16]));
        assert_eq!(sizes(17, 16, 1), Err(NoSizes::Empty { from: 17, to: 16 }));
        assert_eq!(sizes(1, 16, 1), Err(NoSizes::OnePoint));
        assert_eq!(sizes(0, 16, 1), Err(NoSizes::OnePoint));
        assert_eq!(sizes(2, 16, 0), Err(NoSizes::NoStep));
        assert_eq!(sizes(usize::MAX, usize::MAX, 64), Ok(vec![usize::MAX]));
        let further = |further| Sizes { from: 16, to: 32, step: 8, further }.all();
        assert_eq!(further(vec![100, 24, 50]), Ok(vec![16, 24, 32, 50, 100]));
        assert_eq!(further(vec![1]), Err(NoSizes::OnePoint));
    }
}
