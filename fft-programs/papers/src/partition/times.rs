//! The times of a group for rows of one length: a function known at some numbers of rows.

use std::collections::BTreeMap;

/// Floating-point operations of `rows` FFTs of `length` points each, as the field counts them:
/// 5 · rows · length · log2(length).
pub fn flops(rows: usize, length: usize) -> f64 {
    5.0 * rows as f64 * length as f64 * (length as f64).log2()
}

/// The time of a group for some numbers of rows, in seconds. It may rise and fall and have gaps: a number of
/// rows that is missing is one that the group cannot be given. No rows take no time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeFunction(BTreeMap<usize, f64>);

/// Points that make no function.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum TimeFunctionError {
    /// A time that is none.
    #[error("{rows} rows cannot take {seconds} seconds: a time is finite and more than 0")]
    BadTime {
        /// The rows of the point.
        rows: usize,
        /// The time, or what the speed makes of it.
        seconds: f64,
    },
    /// A number of rows with two times.
    #[error("there are two times for {rows} rows")]
    Twice {
        /// The number.
        rows: usize,
    },
    /// A time for no rows.
    #[error("no rows take no time, so that none can be given for them")]
    NoRows,
}

impl TimeFunction {
    /// A function of points `(rows, seconds)` in any order.
    ///
    /// # Errors
    ///
    /// A point with no rows, two with the same number of rows, or a time that is not finite or not above 0.
    pub fn new(points: impl IntoIterator<Item = (usize, f64)>) -> Result<Self, TimeFunctionError> {
        let mut times = BTreeMap::new();
        for (rows, seconds) in points {
            if rows == 0 {
                return Err(TimeFunctionError::NoRows);
            }
            if !(seconds.is_finite() && seconds > 0.0) {
                return Err(TimeFunctionError::BadTime { rows, seconds });
            }
            if times.insert(rows, seconds).is_some() {
                return Err(TimeFunctionError::Twice { rows });
            }
        }
        Ok(Self(times))
    }

    /// A function of points `(rows, flops a second)` for rows of `length` points: each takes
    /// [`flops`]`(rows, length)` by its speed.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new). Rows of one point take no operations, so their speeds give no time.
    pub fn from_speeds(
        length: usize,
        points: impl IntoIterator<Item = (usize, f64)>,
    ) -> Result<Self, TimeFunctionError> {
        Self::new(points.into_iter().map(|(rows, speed)| (rows, flops(rows, length) / speed)))
    }

    /// The points `(rows, seconds)`, fewest rows first.
    pub fn points(&self) -> impl ExactSizeIterator<Item = (usize, f64)> {
        self.0.iter().map(|(&rows, &seconds)| (rows, seconds))
    }

    /// The seconds for a measured number of rows; 0 for none.
    pub fn measured(&self, rows: usize) -> Option<f64> {
        if rows == 0 { Some(0.0) } else { self.0.get(&rows).copied() }
    }

    /// The seconds for a number of rows: measured, or on the line between the nearest measured numbers below
    /// (0 rows among them) and above. Nothing beyond the last: a line into the unknown would promise what
    /// nobody saw.
    pub fn estimate(&self, rows: usize) -> Option<Estimate> {
        along(&self.0, rows, |&seconds| seconds)
    }
}

/// The time for `rows` by points of which `seconds` tells the time, as [`TimeFunction::estimate`] has it.
pub(crate) fn along<P>(
    points: &BTreeMap<usize, P>,
    rows: usize,
    seconds: impl Fn(&P) -> f64,
) -> Option<Estimate> {
    if rows == 0 {
        return Some(Estimate::Measured(0.0));
    }
    let (&above, high) = points.range(rows..).next()?;
    if above == rows {
        return Some(Estimate::Measured(seconds(high)));
    }
    let (below, low) = points.range(..rows).next_back().map_or((0, 0.0), |(&rows, low)| (rows, seconds(low)));
    Some(Estimate::Interpolated(between(rows, (below, low), (above, seconds(high)))))
}

/// The value at `at` of the line through two points `(place, value)` around it.
pub(crate) fn between(at: usize, below: (usize, f64), above: (usize, f64)) -> f64 {
    let share = (at - below.0) as f64 / (above.0 - below.0) as f64;
    below.1 + share * (above.1 - below.1)
}

/// Seconds, and whether somebody measured them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Estimate {
    /// The time of a measured point; of no rows, 0.
    Measured(f64),
    /// Between measured points.
    Interpolated(f64),
}

impl Estimate {
    /// The time, however it is known.
    pub fn seconds(self) -> f64 {
        match self {
            Self::Measured(seconds) | Self::Interpolated(seconds) => seconds,
        }
    }

    /// Whether it was measured.
    pub fn is_measured(self) -> bool {
        matches!(self, Self::Measured(_))
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "numbers that are exact")]
mod tests {
    use super::*;

    #[test]
    fn operations_have_their_logarithm() {
        assert_eq!(flops(3, 1024), 5.0 * 3.0 * 1024.0 * 10.0);
        assert_eq!(flops(0, 1024), 0.0);
        assert_eq!(flops(7, 1), 0.0);
    }

    #[test]
    fn speeds_become_times() {
        let function = TimeFunction::from_speeds(1024, [(2, 5.0 * 1024.0), (1, 51200.0)]).unwrap();
        assert_eq!(function.points().collect::<Vec<_>>(), [(1, 1.0), (2, 20.0)]);
    }

    #[test]
    fn times_are_measured_interpolated_or_unknown() {
        let function = TimeFunction::new([(8, 3.0), (4, 1.0)]).unwrap();
        assert_eq!(function.estimate(0), Some(Estimate::Measured(0.0)));
        assert_eq!(function.estimate(4), Some(Estimate::Measured(1.0)));
        assert_eq!(function.estimate(1), Some(Estimate::Interpolated(0.25)));
        assert_eq!(function.estimate(7), Some(Estimate::Interpolated(2.5)));
        assert_eq!(function.estimate(9), None);
        assert_eq!(function.measured(7), None);
        assert_eq!(TimeFunction::default().estimate(1), None);
        assert_eq!(TimeFunction::default().estimate(0), Some(Estimate::Measured(0.0)));
    }

    #[test]
    fn points_that_make_no_function_are_refused_by_name() {
        let refused = |points: &[(usize, f64)]| TimeFunction::new(points.iter().copied()).unwrap_err();
        assert_eq!(refused(&[(0, 1.0)]), TimeFunctionError::NoRows);
        assert_eq!(refused(&[(3, 1.0), (3, 1.0)]), TimeFunctionError::Twice { rows: 3 });
        for seconds in [0.0, -1.0, f64::INFINITY, f64::NAN] {
            let TimeFunctionError::BadTime { rows: 3, .. } = refused(&[(3, seconds)]) else {
                panic!("{seconds} was taken for a time");
            };
        }
        assert!(matches!(TimeFunction::from_speeds(1, [(3, 1.0)]), Err(TimeFunctionError::BadTime { .. })));
        assert!(matches!(TimeFunction::from_speeds(8, [(3, 0.0)]), Err(TimeFunctionError::BadTime { .. })));
    }
}
