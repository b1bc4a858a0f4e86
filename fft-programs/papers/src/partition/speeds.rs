//! Times and speeds of a group for some numbers of rows of some lengths.
//!
//! A point is x row FFTs of length y, done by the group's threads while the other groups do the same. Its
//! speed is 5·x·y·log2(y)/t. Times are stored and speeds are computed from them, since times were measured
//! and decide which group is slowest.
//!
//! *Between the points.* Along the rows the time is interpolated linearly between the neighbors; below the
//! fewest rows, between 0 rows in 0 s and the first point. So a fixed cost (planning, waking threads) plus an
//! equal cost for each row is met exactly, which a line between speeds would miss. Along the lengths the
//! *time per operation* is interpolated linearly. So a constant speed is met exactly, which a line between
//! times would miss (y·log2 y is curved). A group of constant speed therefore has it everywhere, and no
//! interpolated time is outside the range that its corners allow. But the time of a row FFT depends on the
//! factors of its length far more than on its size. An estimate between lengths is therefore a guess, and
//! [`Section::between`] marks it. Beyond the points there is no estimate.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Returns the conventional floating-point operations of `rows` FFTs of `length` points each: 5 · rows ·
/// length · log2(length).
pub fn flops(rows: usize, length: usize) -> f64 {
    5.0 * rows as f64 * length as f64 * (length as f64).log2()
}

/// Time of a group for some numbers of rows, in seconds.
///
/// It may rise and fall and have gaps. The group cannot be given a number of rows that is missing. No rows
/// take no time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeFunction(BTreeMap<usize, f64>);

/// Invalid point of a time function.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{rows} rows in {seconds} seconds: rows and times are above 0, and a number of rows has one time")]
pub struct TimeError {
    /// Rows of the point.
    pub rows: usize,
    /// Time of the point, in seconds.
    pub seconds: f64,
}

impl TimeFunction {
    /// Creates a function of points `(rows, seconds)` in any order.
    ///
    /// # Errors
    ///
    /// A point with no rows, two with the same number of rows, or a time that is not finite or not above 0.
    pub fn new(points: impl IntoIterator<Item = (usize, f64)>) -> Result<Self, TimeError> {
        let mut times = BTreeMap::new();
        for (rows, seconds) in points {
            let good = rows > 0 && seconds.is_finite() && seconds > 0.0;
            if !good || times.insert(rows, seconds).is_some() {
                return Err(TimeError { rows, seconds });
            }
        }
        Ok(Self(times))
    }

    /// Returns the points `(rows, seconds)`, fewest rows first.
    pub fn points(&self) -> impl ExactSizeIterator<Item = (usize, f64)> {
        self.0.iter().map(|(&rows, &seconds)| (rows, seconds))
    }

    /// Returns the seconds for a measured number of rows; 0 for no rows.
    pub fn measured(&self, rows: usize) -> Option<f64> {
        if rows == 0 { Some(0.0) } else { self.0.get(&rows).copied() }
    }

    /// Returns the seconds for a number of rows: measured, or on the line between the nearest measured
    /// numbers below (0 rows among them) and above.
    ///
    /// It returns `None` beyond the last point, since extrapolation would promise a time that was never
    /// observed.
    pub fn estimate(&self, rows: usize) -> Option<f64> {
        if let Some(seconds) = self.measured(rows) {
            return Some(seconds);
        }
        let (&above, &high) = self.0.range(rows..).next()?;
        let below = self.0.range(..rows).next_back().map_or((0, 0.0), |(&rows, &low)| (rows, low));
        Some(between(rows, below, (above, high)))
    }
}

/// Returns the value at `at` of the line through two points `(place, value)` around it.
pub(super) fn between(at: usize, below: (usize, f64), above: (usize, f64)) -> f64 {
    let share = (at - below.0) as f64 / (above.0 - below.0) as f64;
    below.1 + share * (above.1 - below.1)
}

/// Size of a batch of row FFTs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Size {
    /// Points of a row: y.
    pub length: usize,
    /// Number of rows: x.
    pub rows: usize,
}

/// Probability below which times do not look normally distributed.
pub const SIGNIFICANCE: f64 = 0.05;

/// Measurement at one size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Mean time, in seconds.
    pub mean: f64,
    /// Half the width of the mean's confidence interval, in seconds.
    pub half_width: f64,
    /// Number of timed runs.
    pub repetitions: u32,
    /// Probability that normally distributed times deviate as much as these, if tested.
    pub normality: Option<f64>,
}

impl Point {
    /// Whether the times looked normally distributed, if they were tested.
    pub fn looks_normal(&self) -> Option<bool> {
        self.normality.map(|p| p >= SIGNIFICANCE)
    }
}

/// Invalid point.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{} rows of {} points in {mean} ± {half_width} s are no measurement", size.rows, size.length)]
pub struct PointError {
    /// Size. A valid one has at least one row of two points; below that there are no operations.
    pub size: Size,
    /// Mean time, in seconds. A valid one is finite and above 0.
    pub mean: f64,
    /// Half width of the confidence interval, in seconds. A valid one is finite and not negative.
    pub half_width: f64,
}

/// Row length without a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "nothing was measured for rows of {length} points{}",
    match (below, above) {
        (Some(nearest), _) | (None, Some(nearest)) => format!(", the nearest length is {nearest}"),
        (None, None) => String::new(),
    }
)]
pub struct NoSection {
    /// Requested length.
    pub length: usize,
    /// Greatest measured length below.
    pub below: Option<usize>,
    /// Least measured length above.
    pub above: Option<usize>,
}

/// Times of a group for rows of one length, as the partitioners take them.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Times by the number of rows.
    pub times: TimeFunction,
    /// The two lengths between which the times were interpolated, if this length was not measured.
    pub between: Option<(usize, usize)>,
}

/// Speed function of a group: its measured points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpeedFunction(BTreeMap<usize, BTreeMap<usize, Point>>);

impl SpeedFunction {
    /// Creates a function without points.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a point, and returns the one of the same size that it replaces.
    ///
    /// # Errors
    ///
    /// No rows, a length below 2, or an invalid time. The function is then unchanged.
    pub fn insert(&mut self, size: Size, point: Point) -> Result<Option<Point>, PointError> {
        let Point { mean, half_width, .. } = point;
        let time = mean.is_finite() && mean > 0.0 && half_width.is_finite() && half_width >= 0.0;
        if !time || size.rows == 0 || size.length < 2 {
            return Err(PointError { size, mean, half_width });
        }
        Ok(self.0.entry(size.length).or_default().insert(size.rows, point))
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.0.values().map(BTreeMap::len).sum()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the points, by length, then by rows.
    pub fn points(&self) -> impl Iterator<Item = (Size, &Point)> {
        self.0.iter().flat_map(|(&length, points)| {
            points.iter().map(move |(&rows, point)| (Size { length, rows }, point))
        })
    }

    /// Returns the measured lengths, shortest first.
    pub fn lengths(&self) -> impl ExactSizeIterator<Item = usize> {
        self.0.keys().copied()
    }

    /// Returns the point of exactly this size.
    pub fn point(&self, size: Size) -> Option<&Point> {
        self.0.get(&size.length)?.get(&size.rows)
    }

    /// Returns the times for rows of a length that was measured or is between two measured ones. In the
    /// latter case the function covers the numbers of rows that both lengths have.
    ///
    /// # Errors
    ///
    /// [`NoSection`] if the length is beyond the measured ones.
    pub fn section_or_between(&self, length: usize) -> Result<Section, NoSection> {
        if let Some(points) = self.0.get(&length) {
            let times = times(points.iter().map(|(&rows, point)| (rows, point.mean)));
            return Ok(Section { times, between: None });
        }
        let below = self.0.range(..length).next_back().map(|(&length, _)| length);
        let above = self.0.range(length..).next().map(|(&length, _)| length);
        let (Some(below), Some(above)) = (below, above) else {
            return Err(NoSection { length, below, above });
        };
        let mid = |(&rows, low): (&usize, &Point)| {
            let high = self.point(Size { length: above, rows })?;
            Some((rows, across(rows, length, (below, low.mean), (above, high.mean))))
        };
        Ok(Section { times: times(self.0[&below].iter().filter_map(mid)), between: Some((below, above)) })
    }
}

fn times(points: impl Iterator<Item = (usize, f64)>) -> TimeFunction {
    TimeFunction::new(points).unwrap_or_else(|error| unreachable!("points were checked: {error}"))
}

/// Returns the time for `rows` rows of `length` points, between the times of two other lengths.
fn across(rows: usize, length: usize, below: (usize, f64), above: (usize, f64)) -> f64 {
    let each = |(length, seconds): (usize, f64)| (length, seconds / flops(rows, length));
    between(length, each(below), each(above)) * flops(rows, length)
}

#[cfg(test)]
#[path = "speeds_tests.rs"]
mod tests;
