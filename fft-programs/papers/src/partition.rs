//! Speed functions of groups of threads for rows of a matrix, and the fastest distribution of rows over the
//! groups.
//!
//! The module holds plain data and pure functions. It runs and times no transform, and accesses no file.
//!
//! * [`SpeedFunction`]: measured points of a group, the sections that [`partition`] takes, estimates in
//!   between.
//! * [`PerformanceModel`]: the functions of all groups, with the rows and the
//!   [`Computer`](earth_fft::computer::Computer) that they hold for.
//! * [`partition`]: the fastest distribution of rows by such functions.
//!
//! A two-dimensional FFT by rows and columns gives each of p groups (the paper's abstract processors) some
//! rows, and the slowest group decides the time. [`balanced`] gives all groups the same number (PFFT-LB). On
//! real machines time is no smooth function of the number of rows, so another distribution can be faster.
//! [`partition`] finds the fastest, after Khokhriakov, Manumachu and Lastovetsky, *IEEE Access* 6 (2018),
//! section II-C and Algorithm 2 (PFFT-FPM). If the groups' functions differ by more than ε at any number of
//! rows, each group keeps its own ([`hpopta`]). Otherwise the functions are averaged ([`popta`]).
//!
//! Both return a distribution with the least time of the slowest group. The exact search ([`slowest_least`])
//! is our own, since the paper gives only what POPTA and HPOPTA minimize. The search knows only the measured
//! numbers of rows, as multiples of a granularity g. Any group may get no rows, whatever N is. If N is no
//! multiple of g, one group takes the remainder on top of its multiple. If that number of rows was not
//! measured, its time is interpolated between that multiple and the next. The minimum is exact over those
//! distributions.
//!
//! All values are in seconds, not speeds. For rows of one length y the paper's x·y/s, which lacks the
//! logarithm of its own speed, differs only by the factor 5 log2 y, so distributions are equal. [`flops`]
//! includes the logarithm, which comparing different y requires.
//!
//! ```
//! use earth_papers::partition::{TimeFunction, flops, partition};
//!
//! // Two groups, rows of 1024 points. 512 rows are slow, and so is the balanced distribution of 1024.
//! let lucky = [(256, 1.0e9), (384, 1.0e9), (512, 0.4e9), (640, 1.0e9), (768, 0.9e9)];
//! let times = lucky.map(|(rows, speed)| (rows, flops(rows, 1024) / speed));
//! let found = partition(&vec![TimeFunction::new(times)?; 2], 1024, 128)?;
//! assert_eq!(found.rows, [640, 384]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod model;
mod search;
mod speeds;

pub use model::{Grouping, ModelError, PerformanceModel, groupings};
pub use search::{Optimum, PartitionError, slowest_least};
pub use speeds::{
    NoSection, Point, PointError, SIGNIFICANCE, Section, Size, SpeedFunction, TimeError, TimeFunction, flops,
};

/// Tolerance of Algorithm 2: functions that differ by at most 5% are averaged.
pub const EPSILON: f64 = 0.05;

/// Distributes equal numbers of rows (PFFT-LB). The first groups get one row each of the remainder.
///
/// ```
/// assert_eq!(earth_papers::partition::balanced(10, 4), [3, 3, 2, 2]);
/// ```
///
/// # Panics
///
/// If there are no groups.
pub fn balanced(rows: usize, groups: usize) -> Vec<usize> {
    let (share, rest) = (rows / groups, rows % groups);
    (0..groups).map(|group| share + usize::from(group < rest)).collect()
}

/// Distributes `rows` to the groups with the times `functions` so that the slowest is as fast as possible
/// (Algorithm 2).
///
/// It uses [`popta`] if the functions differ by at most [`EPSILON`], and [`hpopta`] otherwise. Every group
/// gets a multiple of `granularity` rows, and one group the remainder too. The step of the measured grid is
/// the natural granularity, since numbers of rows that were not measured are useless.
///
/// # Errors
///
/// The errors of [`slowest_least`].
pub fn partition(
    functions: &[TimeFunction],
    rows: usize,
    granularity: usize,
) -> Result<Optimum, PartitionError> {
    if spread(functions) > EPSILON {
        hpopta(functions, rows, granularity)
    } else {
        popta(functions, rows, granularity)
    }
}

/// Returns the greatest difference of the functions: (greatest speed − least) / least at one number of rows,
/// as a fraction. It is infinite if one function has a point that another lacks.
///
/// Speeds at one number of rows are proportional to the inverse times, so this is (greatest time − least) /
/// least.
fn spread(functions: &[TimeFunction]) -> f64 {
    let Some((first, others)) = functions.split_first() else {
        return 0.0;
    };
    if others
        .iter()
        .any(|other| !other.points().map(|(rows, _)| rows).eq(first.points().map(|(rows, _)| rows)))
    {
        return f64::INFINITY;
    }
    let at = |(rows, seconds): (usize, f64)| {
        let times = others.iter().filter_map(|other| other.measured(rows));
        let (least, most) = times
            .fold((seconds, seconds), |(least, most), time| (f64::min(least, time), f64::max(most, time)));
        (most - least) / least
    };
    first.points().map(at).fold(0.0, f64::max)
}

/// Returns the average function: the mean of the times at each number of rows that all functions have. It
/// corresponds to the harmonic mean of the speeds.
fn average(functions: &[TimeFunction]) -> TimeFunction {
    let Some((first, others)) = functions.split_first() else {
        return TimeFunction::default();
    };
    let mean = |(rows, seconds): (usize, f64)| {
        let sum = others.iter().try_fold(seconds, |sum, other| Some(sum + other.measured(rows)?))?;
        // The mean of the greatest or the least floating-point numbers may overflow or round to 0.
        Some((rows, (sum / functions.len() as f64).clamp(f64::MIN_POSITIVE, f64::MAX)))
    };
    TimeFunction::new(first.points().filter_map(mean))
        .unwrap_or_else(|error| unreachable!("means of times are times: {error}"))
}

/// Returns the best distribution of `rows` if every group takes the average of the functions (POPTA). The
/// returned times are the average's.
///
/// # Errors
///
/// The errors of [`slowest_least`].
pub fn popta(functions: &[TimeFunction], rows: usize, granularity: usize) -> Result<Optimum, PartitionError> {
    let average = average(functions);
    slowest_least(&vec![&average; functions.len()], rows, granularity)
}

/// Returns the best distribution of `rows` over groups with their own functions (HPOPTA).
///
/// # Errors
///
/// The errors of [`slowest_least`].
pub fn hpopta(
    functions: &[TimeFunction],
    rows: usize,
    granularity: usize,
) -> Result<Optimum, PartitionError> {
    slowest_least(&functions.iter().collect::<Vec<_>>(), rows, granularity)
}

#[cfg(test)]
#[path = "partition/partition_tests.rs"]
mod tests;
