//! How fast a group is: its time, and so its speed, for some numbers of rows of some lengths.
//!
//! A point is x row FFTs of length y, done by the group's threads while the other groups do the same; its
//! speed is 5·x·y·log2(y)/t. Times are what is kept and speeds are worked out from them, since times are what
//! was measured and what the slowest group is judged by.
//!
//! *Between the points.* Along the rows the time lies on a line between the neighbours, and below the fewest
//! rows on one from no rows in no time: what begins with a fixed cost (planning, waking threads) and then
//! takes the same for each row is met exactly, which a line between speeds is not. Along the lengths the
//! *time per operation* lies on a line: a constant speed is met exactly, which a line between times (y·log2 y
//! is curved) is not. So a group of constant speed has it everywhere, and no interpolated time is below or
//! above what its corners allow. But how long a row FFT takes depends on the factors of its length far more
//! than on its size, so between lengths an estimate is a guess, and says so: [`Section::between`].
//! Beyond the points there is none.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Floating-point operations of `rows` FFTs of `length` points each, as the field counts them:
/// 5 · rows · length · log2(length).
pub fn flops(rows: usize, length: usize) -> f64 {
    5.0 * rows as f64 * length as f64 * (length as f64).log2()
}

/// The time of a group for some numbers of rows, in seconds. It may rise and fall and have gaps: a number of
/// rows that is missing is one that the group cannot be given. No rows take no time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeFunction(BTreeMap<usize, f64>);

/// A point that no function has.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{rows} rows in {seconds} seconds: rows and times are above 0, and a number of rows has one time")]
pub struct BadTime {
    /// The rows of the point.
    pub rows: usize,
    /// Its time.
    pub seconds: f64,
}

impl TimeFunction {
    /// A function of points `(rows, seconds)` in any order.
    ///
    /// # Errors
    ///
    /// A point with no rows, two with the same number of rows, or a time that is not finite or not above 0.
    pub fn new(points: impl IntoIterator<Item = (usize, f64)>) -> Result<Self, BadTime> {
        let mut times = BTreeMap::new();
        for (rows, seconds) in points {
            let good = rows > 0 && seconds.is_finite() && seconds > 0.0;
            if !good || times.insert(rows, seconds).is_some() {
                return Err(BadTime { rows, seconds });
            }
        }
        Ok(Self(times))
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
    pub fn estimate(&self, rows: usize) -> Option<f64> {
        if let Some(seconds) = self.measured(rows) {
            return Some(seconds);
        }
        let (&above, &high) = self.0.range(rows..).next()?;
        let below = self.0.range(..rows).next_back().map_or((0, 0.0), |(&rows, &low)| (rows, low));
        Some(between(rows, below, (above, high)))
    }
}

/// The value at `at` of the line through two points `(place, value)` around it.
pub(super) fn between(at: usize, below: (usize, f64), above: (usize, f64)) -> f64 {
    let share = (at - below.0) as f64 / (above.0 - below.0) as f64;
    below.1 + share * (above.1 - below.1)
}

/// Row FFTs: so many of so many points each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Size {
    /// Points in a row: y.
    pub length: usize,
    /// Rows: x.
    pub rows: usize,
}

/// Below this probability times do not look normally distributed.
pub const SIGNIFICANCE: f64 = 0.05;

/// The measurement at one size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// The mean time, in seconds.
    pub mean: f64,
    /// Half the width of the mean's confidence interval, in seconds.
    pub half_width: f64,
    /// How often it was timed.
    pub repetitions: u32,
    /// The probability that normally distributed times deviate as these did, if it was tested.
    pub normality: Option<f64>,
}

impl Point {
    /// Whether the times looked normally distributed, if there were enough to tell.
    pub fn looks_normal(&self) -> Option<bool> {
        self.normality.map(|p| p >= SIGNIFICANCE)
    }
}

/// A point that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{} rows of {} points in {mean} ± {half_width} s are no measurement", size.rows, size.length)]
pub struct BadPoint {
    /// The size, at least a row of two points, below which there are no operations.
    pub size: Size,
    /// Its mean, which is finite and above 0 otherwise.
    pub mean: f64,
    /// Its half width, which is finite and not negative otherwise.
    pub half_width: f64,
}

/// A length of rows for which a function has no section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "nothing was measured for rows of {length} points{}",
    match (below, above) {
        (Some(nearest), _) | (None, Some(nearest)) => format!(", the nearest length is {nearest}"),
        (None, None) => String::new(),
    }
)]
pub struct NoSection {
    /// The length.
    pub length: usize,
    /// The greatest length below that was measured.
    pub below: Option<usize>,
    /// The least length above that was measured.
    pub above: Option<usize>,
}

/// The times of a group for rows of one length, as the partitioners take them.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// By the number of rows.
    pub times: TimeFunction,
    /// The two lengths between which they were interpolated, if this length was not measured.
    pub between: Option<(usize, usize)>,
}

/// The speed function of a group: its measured points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpeedFunction(BTreeMap<usize, BTreeMap<usize, Point>>);

impl SpeedFunction {
    /// A function without points.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a point, in place of an older one of the same size, which is returned.
    ///
    /// # Errors
    ///
    /// No rows, a length below 2, or a time that is none; then nothing has changed.
    pub fn insert(&mut self, size: Size, point: Point) -> Result<Option<Point>, BadPoint> {
        let Point { mean, half_width, .. } = point;
        let time = mean.is_finite() && mean > 0.0 && half_width.is_finite() && half_width >= 0.0;
        if !time || size.rows == 0 || size.length < 2 {
            return Err(BadPoint { size, mean, half_width });
        }
        Ok(self.0.entry(size.length).or_default().insert(size.rows, point))
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.0.values().map(BTreeMap::len).sum()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The points, by length, then by rows.
    pub fn points(&self) -> impl Iterator<Item = (Size, &Point)> {
        self.0.iter().flat_map(|(&length, points)| {
            points.iter().map(move |(&rows, point)| (Size { length, rows }, point))
        })
    }

    /// The lengths that were measured, shortest first.
    pub fn lengths(&self) -> impl ExactSizeIterator<Item = usize> {
        self.0.keys().copied()
    }

    /// The point of just this size.
    pub fn point(&self, size: Size) -> Option<&Point> {
        self.0.get(&size.length)?.get(&size.rows)
    }

    /// The times for rows of a length that was measured or lies between two that were; in the latter case for
    /// the numbers of rows that both have.
    ///
    /// # Errors
    ///
    /// [`NoSection`] if the length is beyond those measured.
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

/// The time for `rows` of `length` points, between the times of two other lengths.
fn across(rows: usize, length: usize, below: (usize, f64), above: (usize, f64)) -> f64 {
    let each = |(length, seconds): (usize, f64)| (length, seconds / flops(rows, length));
    between(length, each(below), each(above)) * flops(rows, length)
}

#[cfg(test)]
#[path = "speeds_tests.rs"]
mod tests;
