#![expect(clippy::float_cmp, reason = "numbers that are exact")]

use std::convert::Infallible;

use super::*;
use crate::signals::Samples;

/// Returns the mean of `samples` and the half width of its interval of `confidence`. The half width is
/// infinite for one sample; both are NaN for no samples.
fn interval(samples: &[f64], confidence: f64) -> (f64, f64) {
    let mut moments = Moments::default();
    for &sample in samples {
        moments.add(sample);
    }
    match samples.len() {
        0 => (f64::NAN, f64::NAN),
        1 => (moments.mean, f64::INFINITY),
        number => (moments.mean, moments.half_width(student(confidence, (number - 1) as f64))),
    }
}

/// Quantiles against published tables (NIST/SEMATECH e-Handbook, section 1.3.6.7.2; textbooks have more
/// decimals).
#[test]
fn quantiles_are_those_of_the_tables() {
    let two_sided_95 = [
        (1.0, 12.7062),
        (2.0, 4.3027),
        (3.0, 3.1824),
        (4.0, 2.7764),
        (5.0, 2.5706),
        (9.0, 2.2622),
        (10.0, 2.2281),
        (20.0, 2.0860),
        (30.0, 2.0423),
        (60.0, 2.0003),
        (100.0, 1.9840),
        (120.0, 1.9799),
        (1e5, 1.9600),
    ];
    for (degrees, t) in two_sided_95 {
        assert!((student(0.95, degrees) - t).abs() < 6e-5, "{degrees}: {}", student(0.95, degrees));
    }
    for (degrees, t) in [(1.0, 6.3138), (9.0, 1.8331), (30.0, 1.6973), (120.0, 1.6577)] {
        assert!((student(0.9, degrees) - t).abs() < 6e-5, "{degrees}: {}", student(0.9, degrees));
    }
    for (degrees, t) in [(1.0, 63.6567), (9.0, 3.2498), (30.0, 2.7500)] {
        assert!((student(0.99, degrees) - t).abs() < 6e-5, "{degrees}: {}", student(0.99, degrees));
    }
}

/// Closed forms exist for Cauchy's distribution and for two degrees of freedom.
#[test]
fn quantiles_are_exact_where_there_is_a_formula() {
    for confidence in [0.0, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999] {
        let p = f64::midpoint(1.0, confidence);
        let one = (std::f64::consts::PI * (p - 0.5)).tan();
        let two = (2.0 * p - 1.0) / (2.0 * p * (1.0 - p)).sqrt();
        for (degrees, expected) in [(1.0, one), (2.0, two)] {
            let t = student(confidence, degrees);
            assert!(
                (t - expected).abs() < 1e-9 * (1.0 + expected),
                "{confidence} {degrees}: {t}, not {expected}"
            );
        }
    }
}

#[test]
fn an_interval_is_t_standard_errors_around_the_mean() {
    let (mean, half_width) = interval(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0], 0.95);
    // The sum of squares is 32, of 8 samples: s = 2.1381, t(0.975, 7) = 2.3646.
    assert!((mean - 5.0).abs() < 1e-12 && (half_width - 2.3646 * 2.1381 / 8f64.sqrt()).abs() < 1e-4);
    assert_eq!(interval(&[3.0], 0.95), (3.0, f64::INFINITY));
    assert!(interval(&[], 0.95).0.is_nan());
    // A great mean and a small deviation do not cancel.
    let (_, half_width) = interval(&[1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0], 0.95);
    assert!((half_width - 4.3027 / 3f64.sqrt()).abs() < 1e-4, "{half_width}");
}

/// Returns how often intervals around the means of normal samples cover the true mean.
fn coverage(number: usize, confidence: f64) -> f64 {
    let mut random = Samples::new(number as u64);
    let (trials, mean) = (8_000, 3.0);
    let covered = (0..trials).filter(|_| {
        let (found, half_width) = interval(&random.normal(number, mean, 0.5), confidence);
        (found - mean).abs() <= half_width
    });
    covered.count() as f64 / f64::from(trials)
}

#[test]
fn an_interval_of_95_percent_covers_the_mean_in_95_percent_of_samples() {
    for number in [3, 10, 40] {
        // Four deviations of a share of 8,000 are 0.0097.
        let share = coverage(number, 0.95);
        assert!((share - 0.95).abs() < 0.0098, "{share} with {number}");
        // The quantile t(0.95, n - 1) of the paper belongs to an interval of 90%.
        let share = coverage(number, 0.90);
        assert!((share - 0.90).abs() < 0.0135, "{share} with {number}");
    }
}

fn repeated(
    reliability: Reliability,
    mut time: impl FnMut() -> f64,
) -> Result<Measured, MeasureError<Infallible>> {
    repeat(reliability, 1, |times| {
        times[0] = time();
        Ok(())
    })
}

/// Stopping when the interval looks narrow costs some coverage, but little after ten repetitions.
#[test]
fn repetitions_end_when_the_mean_is_good_enough() {
    let mut random = Samples::new(4);
    let (trials, mean) = (1_500, 1e-3);
    let mut covered = 0;
    for _ in 0..trials {
        let measured = repeated(Reliability::default(), || random.one_normal(mean, 0.06 * mean)).unwrap();
        let point = measured.points[0];
        assert_eq!(measured.stop, Stop::Precise);
        assert!(point.half_width <= 0.025 * point.mean && point.repetitions >= 10, "{point:?}");
        // A known deviation would need (1.96 · 0.06/0.025)² = 22.1 repetitions.
        assert!(point.repetitions < 80, "{point:?}");
        assert!((measured.seconds / (f64::from(point.repetitions) * point.mean) - 1.0).abs() < 1e-9);
        covered += u32::from((point.mean - mean).abs() <= point.half_width);
    }
    let share = f64::from(covered) / f64::from(trials);
    assert!((0.90..0.96).contains(&share), "{share}");
}

#[test]
fn repetitions_end_at_their_limits() {
    let limits = Reliability { least: 5, most: 12, seconds: 100.0, ..Reliability::default() };
    let mut coin = [1.0, 2.0].into_iter().cycle();
    let mut noisy = || coin.next().unwrap();
    let measured = repeated(limits, &mut noisy).unwrap();
    assert_eq!(
        (measured.stop, measured.points[0].repetitions, measured.seconds),
        (Stop::Repetitions, 12, 18.0)
    );
    // The seventh repetition exceeds 9 seconds.
    let measured = repeated(Reliability { seconds: 9.0, ..limits }, &mut noisy).unwrap();
    assert_eq!((measured.stop, measured.points[0].repetitions), (Stop::Time, 7));
    // The fewest repetitions are done at any cost in time.
    let measured = repeated(Reliability { seconds: 0.0, ..limits }, &mut noisy).unwrap();
    assert_eq!((measured.stop, measured.points[0].repetitions), (Stop::Time, 5));
    let measured = repeated(Reliability { least: 0, ..limits }, || 1.0).unwrap();
    assert_eq!((measured.stop, measured.points[0].repetitions), (Stop::Precise, 2));
}

/// All groups are measured until the noisiest group's mean is good enough; the time spent is the slowest
/// group's.
#[test]
fn groups_are_measured_together() {
    let mut random = Samples::new(6);
    let measured = repeat(Reliability::default(), 3, |times| {
        for (time, deviation) in times.iter_mut().zip([0.0, 0.1, 0.01]) {
            *time = random.one_normal(1.0, deviation);
        }
        times[0] = 5.0;
        Ok::<(), Infallible>(())
    })
    .unwrap();
    let repetitions = measured.points[0].repetitions;
    assert!(repetitions > 20 && measured.points.iter().all(|point| point.repetitions == repetitions));
    assert_eq!(measured.seconds, 5.0 * f64::from(repetitions));
    assert_eq!((measured.points[0].half_width, measured.points[0].normality), (0.0, None));
    assert!(measured.points[1].half_width > measured.points[2].half_width);
    assert!(measured.points[1].normality.is_some());
}

#[test]
fn unmeasurable_settings_are_refused_by_name() {
    let sensible = Reliability::default();
    for senseless in [
        Reliability { confidence: 1.0, ..sensible },
        Reliability { confidence: f64::NAN, ..sensible },
        Reliability { tolerance: 0.0, ..sensible },
        Reliability { most: 9, ..sensible },
        Reliability { least: 0, most: 1, ..sensible },
        Reliability { seconds: f64::NAN, ..sensible },
    ] {
        let refused = repeated(senseless, || panic!("nothing is run"));
        assert!(matches!(refused, Err(MeasureError::Unreliable(_))), "{senseless:?}");
    }
    for time in [-1.0, f64::NAN, f64::INFINITY, 0.0] {
        assert!(matches!(repeated(sensible, || time), Err(MeasureError::TimeError { .. })), "{time}");
    }
    let mut left = 3;
    let failed = repeat(sensible, 1, |times| {
        times[0] = 1.0;
        left -= 1;
        if left == 0 { Err("interrupted") } else { Ok(()) }
    });
    assert_eq!(failed, Err(MeasureError::Failed("interrupted")));
    assert_eq!(left, 0);
}
