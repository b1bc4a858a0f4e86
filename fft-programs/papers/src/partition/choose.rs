//! Which functions the rows are dealt by: each group's own, or one for all.

use super::distribution::Distribution;
use super::search::{Optimum, PartitionError, slowest_least};
use super::times::{Estimate, TimeFunction};

/// The tolerance of Algorithm 2: functions that differ by 5% at most are taken for alike.
pub const EPSILON: f64 = 0.05;

/// How a distribution was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// All groups are dealt rows by the average of their functions.
    Popta,
    /// Each group is dealt rows by its own function.
    Hpopta,
}

impl Method {
    /// Its name in the literature.
    pub fn name(self) -> &'static str {
        match self {
            Self::Popta => "POPTA",
            Self::Hpopta => "HPOPTA",
        }
    }
}

/// The options of [`partition`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Every group gets a multiple of so many rows, but for the rest of one group. The step of the measured
    /// grid is the natural choice: numbers of rows that were not measured are of no use.
    pub granularity: usize,
    /// The greatest difference of functions that are taken for alike, as a fraction: [`EPSILON`].
    pub epsilon: f64,
    /// The method, if the functions shall not decide.
    pub method: Option<Method>,
}

impl Default for Options {
    /// A granularity of one row, and the paper's tolerance.
    fn default() -> Self {
        Self { granularity: 1, epsilon: EPSILON, method: None }
    }
}

/// The best distribution, and how it was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// The method that chose. POPTA's times are those of the averaged function.
    pub method: Method,
    /// The difference of the functions, see [`spread`].
    pub spread: f64,
    /// The distribution.
    pub optimum: Optimum,
}

/// Deals `rows` to the groups whose times are `functions` so that the slowest is as fast as possible
/// (Algorithm 2): by [`popta`] if the functions differ by [`Options::epsilon`] at most, or by [`hpopta`].
///
/// # Errors
///
/// No groups, a granularity of 0, a tolerance that is none, or what [`hpopta`] finds.
pub fn partition(
    functions: &[TimeFunction],
    rows: usize,
    options: Options,
) -> Result<Partition, PartitionError> {
    let Options { granularity, epsilon, method } = options;
    if !(epsilon.is_finite() && epsilon >= 0.0) {
        return Err(PartitionError::BadTolerance { epsilon });
    }
    let spread = spread(functions);
    let method = method.unwrap_or(if spread > epsilon { Method::Hpopta } else { Method::Popta });
    let optimum = match method {
        Method::Popta => popta(functions, rows, granularity)?,
        Method::Hpopta => hpopta(functions, rows, granularity)?,
    };
    Ok(Partition { method, spread, optimum })
}

/// The greatest difference of the functions: (greatest speed − least) / least at one number
/// of rows, as a fraction. Infinite if one function has a point that another lacks: they are not alike.
///
/// Speeds at one number of rows are as the inverse times, so this is (greatest time − least) / least.
pub fn spread(functions: &[TimeFunction]) -> f64 {
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
pub fn average(functions: &[TimeFunction]) -> TimeFunction {
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

/// The best distribution of `rows` if every group takes the [`average`] of the functions (POPTA).
///
/// # Errors
///
/// The errors of [`hpopta`].
pub fn popta(functions: &[TimeFunction], rows: usize, granularity: usize) -> Result<Optimum, PartitionError> {
    let average = average(functions);
    slowest_least(&vec![&average; functions.len()], rows, granularity)
}

/// The best distribution of `rows` over groups with a function each (HPOPTA).
///
/// # Errors
///
/// No groups, a granularity of 0, rows that the functions' points do not add up to, or too many to search
/// for.
pub fn hpopta(
    functions: &[TimeFunction],
    rows: usize,
    granularity: usize,
) -> Result<Optimum, PartitionError> {
    slowest_least(&functions.iter().collect::<Vec<_>>(), rows, granularity)
}

/// The time of each group for its part of any distribution, the balanced one for example; `None` if a
/// group has more rows than were ever measured, or the groups are not as many as the functions.
pub fn predict(functions: &[TimeFunction], distribution: &Distribution) -> Option<Vec<Estimate>> {
    if functions.len() != distribution.groups() {
        return None;
    }
    functions.iter().zip(distribution.rows()).map(|(function, &rows)| function.estimate(rows)).collect()
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "numbers that are exact")]
mod tests {
    use super::*;

    fn function(points: &[(usize, f64)]) -> TimeFunction {
        TimeFunction::new(points.iter().copied()).unwrap()
    }

    #[test]
    fn the_spread_is_the_papers_of_speeds() {
        let speeds = |points: &[(usize, f64)]| TimeFunction::from_speeds(64, points.iter().copied()).unwrap();
        let functions =
            [speeds(&[(1, 10.0), (2, 8.0)]), speeds(&[(1, 10.2), (2, 9.0)]), speeds(&[(1, 10.1), (2, 8.5)])];
        assert!((spread(&functions) - (9.0 - 8.0) / 8.0).abs() < 1e-12);
        assert_eq!(spread(&functions[..1]), 0.0);
        assert_eq!(spread(&[]), 0.0);
    }

    #[test]
    fn functions_with_different_points_are_not_alike() {
        let functions = [function(&[(1, 1.0), (2, 2.0)]), function(&[(1, 1.0)])];
        assert_eq!(spread(&functions), f64::INFINITY);
        let found = partition(&functions, 3, Options::default()).unwrap();
        assert_eq!((found.method, found.optimum.distribution.rows()), (Method::Hpopta, &[2, 1][..]));
    }

    #[test]
    fn the_average_is_the_harmonic_mean_of_speeds_where_all_have_one() {
        let speeds = |points: &[(usize, f64)]| TimeFunction::from_speeds(64, points.iter().copied()).unwrap();
        let harmonic = 2.0 / (1.0 / 10.0 + 1.0 / 40.0);
        let found = average(&[speeds(&[(1, 1.0), (2, 10.0)]), speeds(&[(2, 40.0), (3, 1.0)])]);
        let expected = speeds(&[(2, harmonic)]);
        assert_eq!(found.points().len(), 1);
        assert!((found.measured(2).unwrap() / expected.measured(2).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(average(&[]).points().len(), 0);
        for extreme in [f64::MAX, f64::from_bits(1)] {
            assert_eq!(average(&vec![function(&[(1, extreme)]); 3]).points().len(), 1);
        }
    }

    /// Just within the tolerance the average decides, just beyond it the functions themselves.
    #[test]
    fn the_tolerance_chooses_the_method() {
        let with = |seconds: f64| [function(&[(4, 1.0), (8, 4.0)]), function(&[(4, seconds), (8, 4.0)])];
        let method = |functions: &[TimeFunction], epsilon: f64| {
            partition(functions, 8, Options { epsilon, ..Options::default() }).unwrap().method
        };
        assert_eq!(method(&with(1.049), EPSILON), Method::Popta);
        assert_eq!(method(&with(1.051), EPSILON), Method::Hpopta);
        assert_eq!(method(&with(1.051), 0.06), Method::Popta);
        assert_eq!(method(&with(1.0), 0.0), Method::Popta);
        let options = Options { method: Some(Method::Hpopta), ..Options::default() };
        assert_eq!(partition(&with(1.0), 8, options).unwrap().method, Method::Hpopta);
        for epsilon in [-0.1, f64::NAN, f64::INFINITY] {
            let refused = partition(&with(1.0), 8, Options { epsilon, ..Options::default() });
            assert!(matches!(refused, Err(PartitionError::BadTolerance { .. })), "{epsilon}");
        }
    }

    /// The average of functions that differ can choose worse than they do themselves.
    #[test]
    fn popta_and_hpopta_are_two_things() {
        let functions =
            [function(&[(1, 1.0), (2, 2.0), (3, 3.0)]), function(&[(1, 3.0), (2, 6.0), (3, 9.0)])];
        assert_eq!(popta(&functions, 4, 1).unwrap().distribution.rows(), [2, 2]);
        let found = hpopta(&functions, 4, 1).unwrap();
        assert_eq!((found.distribution.rows(), found.seconds()), (&[3, 1][..], 3.0));
    }

    #[test]
    fn any_distribution_has_a_prediction_as_far_as_functions_go() {
        let functions = [function(&[(2, 1.0), (4, 3.0)]), function(&[(2, 5.0)])];
        let distribution = |rows: &[usize]| Distribution::new(rows.to_vec()).unwrap();
        assert_eq!(
            predict(&functions, &distribution(&[3, 2])),
            Some(vec![Estimate::Interpolated(2.0), Estimate::Measured(5.0)])
        );
        assert_eq!(predict(&functions, &distribution(&[2, 3])), None);
        assert_eq!(predict(&functions, &distribution(&[2])), None);
    }
}
