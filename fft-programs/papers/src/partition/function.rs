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
//! than on its size, so between lengths an estimate is a guess, and says so: [`Estimate::Interpolated`].
//! Beyond the points there is none.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::partition::times::{Estimate, TimeFunction, along, between, flops};

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
        (Some(below), Some(above)) => format!(", the nearest lengths are {below} and {above}"),
        (Some(nearest), None) | (None, Some(nearest)) => format!(", the nearest length is {nearest}"),
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

    /// The speed at just this size, in flops a second: 5·x·y·log2(y)/t.
    pub fn speed(&self, size: Size) -> Option<f64> {
        Some(flops(size.rows, size.length) / self.point(size)?.mean)
    }

    /// The times for rows of a length that was measured: the function cut by the plane y = `length`.
    ///
    /// # Errors
    ///
    /// [`NoSection`] if that length was not measured.
    pub fn section(&self, length: usize) -> Result<Section, NoSection> {
        let points = self.0.get(&length).ok_or_else(|| self.no_section(length))?;
        Ok(Section { times: times(points.iter().map(|(&rows, point)| (rows, point.mean))), between: None })
    }

    /// The times for rows of a length that was measured or lies between two that were; in the latter case for
    /// the numbers of rows that both have.
    ///
    /// # Errors
    ///
    /// [`NoSection`] if the length is beyond those measured.
    pub fn section_or_between(&self, length: usize) -> Result<Section, NoSection> {
        if self.0.contains_key(&length) {
            return self.section(length);
        }
        let missing = self.no_section(length);
        let (Some(below), Some(above)) = (missing.below, missing.above) else {
            return Err(missing);
        };
        let mid = |(&rows, low): (&usize, &Point)| {
            let high = self.point(Size { length: above, rows })?;
            Some((rows, across(rows, length, (below, low.mean), (above, high.mean))))
        };
        Ok(Section { times: times(self.0[&below].iter().filter_map(mid)), between: Some((below, above)) })
    }

    /// The time for any size: of its point, or interpolated as the head of this file says; `None` beyond the
    /// points.
    pub fn estimate(&self, size: Size) -> Option<Estimate> {
        let Size { length, rows } = size;
        if let Some(points) = self.0.get(&length) {
            return along(points, rows, |point| point.mean);
        }
        let NoSection { below, above, .. } = self.no_section(length);
        let (below, above) = (below?, above?);
        let low = along(&self.0[&below], rows, |point| point.mean)?.seconds();
        let high = along(&self.0[&above], rows, |point| point.mean)?.seconds();
        Some(if rows == 0 {
            Estimate::Measured(0.0)
        } else {
            Estimate::Interpolated(across(rows, length, (below, low), (above, high)))
        })
    }

    /// The fastest of the lengths among `candidates` that were measured with so many rows, and its time; the
    /// shortest among equals. A transform that may choose its length should choose this one.
    pub fn fastest_length(
        &self,
        rows: usize,
        candidates: impl std::ops::RangeBounds<usize>,
    ) -> Option<(usize, f64)> {
        let times =
            self.0.range(candidates).filter_map(|(&length, points)| Some((length, points.get(&rows)?.mean)));
        times.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The time that measuring all the points took, in seconds.
    pub fn spent(&self) -> f64 {
        self.points().map(|(_, point)| point.mean * f64::from(point.repetitions)).sum()
    }

    /// The error for a length that was not measured.
    fn no_section(&self, length: usize) -> NoSection {
        let below = self.0.range(..length).next_back().map(|(&length, _)| length);
        let above = self.0.range(length..).next().map(|(&length, _)| length);
        NoSection { length, below, above }
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
#[path = "function_tests.rs"]
mod tests;
