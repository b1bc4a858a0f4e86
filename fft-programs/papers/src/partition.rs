//! How fast groups of threads are at rows of a matrix, and how rows are dealt so that the slowest group is as fast
//! as can be: plain data and pure functions, which neither run nor time anything and know no files.
//!
//! * [`SpeedFunction`]: measured points of a group, the sections that [`partition`] takes, estimates in between.
//! * [`PerformanceModel`]: the functions of all groups, and the rows and the [`Computer`](earth_fft::computer::Computer) that they hold for.
//! * [`partition`]: the fastest distribution of rows by such functions.
//!
//! A two-dimensional FFT by rows and columns gives each of p groups (the paper's abstract processors) some
//! rows; the slowest group decides. [`balanced`] gives all the same number (PFFT-LB). On real
//! machines time is no smooth function of the number of rows, so another distribution can be faster than the
//! balanced one. [`partition`] finds the fastest, after Khokhriakov, Manumachu and Lastovetsky, *IEEE Access*
//! 6 (2018), section II-C and Algorithm 2 (PFFT-FPM): if the groups' functions differ by more than ε at any
//! number of rows, each keeps its own ([`hpopta`]); otherwise they are taken for alike and averaged
//! ([`popta`]).
//!
//! Both give a distribution whose slowest group is as fast as in any other: by an exact search
//! ([`slowest_least`]), ours, since the paper gives only what POPTA and HPOPTA minimise. The search knows the
//! measured numbers of rows alone, as multiples of a granularity g; a group may stay without rows, whatever N
//! is. If N is no multiple of g, one group takes the rest on top of its multiple, in the time interpolated
//! between that multiple and the next if that number of rows was not measured. The minimum is exact over
//! those distributions.
//!
//! Everything here is in seconds, not in speeds. For rows of one length y the paper's x·y/s, which lacks the
//! logarithm of its own speed, only differs by the factor 5 log2 y, so distributions are the same; [`flops`] has the
//! logarithm, as times of different y must.
//!
//! ```
//! use earth_papers::partition::{TimeFunction, flops, partition};
//!
//! // Two groups, rows of 1024 points; 512 rows are unlucky, so the balanced distribution of 1024 is.
//! let lucky = [(256, 1.0e9), (384, 1.0e9), (512, 0.4e9), (640, 1.0e9), (768, 0.9e9)];
//! let times = lucky.map(|(rows, speed)| (rows, flops(rows, 1024) / speed));
//! let found = partition(&vec![TimeFunction::new(times)?; 2], 1024, 128)?;
//! assert_eq!(found.rows, [640, 384]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod model;
mod search;
mod speeds;

pub use model::{BadModel, Grouping, PerformanceModel, groupings};
pub use search::{Optimum, PartitionError, slowest_least};
pub use speeds::{
    BadPoint, BadTime, NoSection, Point, SIGNIFICANCE, Section, Size, SpeedFunction, TimeFunction, flops,
};

/// The tolerance of Algorithm 2: functions that differ by 5% at most are averaged.
pub const EPSILON: f64 = 0.05;

/// Deals each group the same number of rows (PFFT-LB). The rest goes to the first groups, a row each.
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

/// Deals `rows` to the groups whose times are `functions` so that the slowest is as fast as possible
/// (Algorithm 2): by [`popta`] if the functions differ by [`EPSILON`] at most, or by [`hpopta`]. Every group gets a multiple
/// of `granularity` rows. One group gets the rest beside it. The step of the measured grid is the natural choice: numbers of rows
/// that were not measured are of no use.
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

/// The greatest difference of the functions: (greatest speed − least) / least at one number
/// of rows, as a fraction. Infinite if one function has a point that another lacks: they are not alike.
///
/// Speeds at one number of rows are as the inverse times, so this is (greatest time − least) / least.
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

/// The function of a group in the middle: at each number of rows that all functions have, the mean of the
/// times, which belongs to the harmonic mean of the speeds.
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

/// The best distribution of `rows` if every group takes the average of the functions (POPTA). The times are the average's.
///
/// # Errors
///
/// The errors of [`slowest_least`].
pub fn popta(functions: &[TimeFunction], rows: usize, granularity: usize) -> Result<Optimum, PartitionError> {
    let average = average(functions);
    slowest_least(&vec![&average; functions.len()], rows, granularity)
}

/// The best distribution of `rows` over groups with a function each (HPOPTA).
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
