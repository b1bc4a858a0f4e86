//! Pearson's chi-squared test of whether times are normally distributed.
//!
//! The normal distribution with the samples' own mean and deviation is cut into k classes of equal
//! probability. The statistic Σ (observed − expected)²/expected over the classes is compared with the
//! chi-squared distribution of k − 3 degrees of freedom (one less for the sum, two less for the fitted
//! parameters).
//!
//! k = min(n/5, 2·n^(2/5)): at least five expected samples per class, the usual minimum, and no more classes
//! than are useful. Fewer than 20 samples make fewer than 4 classes, which leave no degree of freedom. There
//! is no result then, which is so for most measurements that end after the fewest repetitions. The paper
//! mentions a test but not its method. The parameters are fitted to the samples, not to the classes, so the
//! test rejects normal samples a little more often than its level says (Chernoff and Lehmann 1954).

use statrs::distribution::{ChiSquared, ContinuousCDF as _, Normal};

/// Returns the p-value: the probability that normally distributed samples deviate from their fitted normal
/// distribution at least as much as these do. Returns `None` for fewer than 20 samples, or if all are equal.
pub fn normality(samples: &[f64]) -> Option<f64> {
    let number = samples.len() as f64;
    let classes = (number / 5.0).min(2.0 * number.powf(0.4)) as usize;
    if classes < 4 {
        return None;
    }
    let mean = samples.iter().sum::<f64>() / number;
    let variance = samples.iter().map(|sample| (sample - mean).powi(2)).sum::<f64>() / (number - 1.0);
    // Fails for a deviation of 0, and for values that are not finite.
    let fitted = Normal::new(mean, variance.sqrt()).ok()?;
    let mut observed = vec![0.0; classes];
    for &sample in samples {
        let class = (fitted.cdf(sample) * classes as f64) as usize;
        observed[class.min(classes - 1)] += 1.0;
    }
    let expected = number / classes as f64;
    let statistic: f64 = observed.iter().map(|count: &f64| (count - expected).powi(2) / expected).sum();
    Some(ChiSquared::new((classes - 3) as f64).ok()?.sf(statistic))
}

#[cfg(test)]
mod tests {
    use earth_papers::partition::SIGNIFICANCE;

    use super::*;
    use crate::signals::Samples;

    #[test]
    fn few_or_equal_samples_give_no_result() {
        let mut random = Samples::new(1);
        assert_eq!(normality(&random.normal(19, 1.0, 0.1)), None);
        assert!(normality(&random.normal(20, 1.0, 0.1)).is_some());
        assert_eq!(normality(&[3.0; 50]), None);
        assert_eq!(normality(&[]), None);
    }

    /// Counted by hand: 20 samples in the four quartile classes of their own distribution.
    #[test]
    fn the_statistic_is_pearsons() {
        // Mean 0, variance 20/19: the class borders are 0 and ±0.6745 · 1.026 = ±0.692. The counts are 10, 0,
        // 0, 10, and 5 each were expected: (25 + 25 + 25 + 25)/5 = 20 with one degree of freedom.
        let samples: Vec<f64> = (0..20).map(|at| if at % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let p = normality(&samples).unwrap();
        // From a table, P(χ²(1) > 20) = P(|Z| > 4.4721) = 7.744e-6.
        assert!((p / 7.744e-6 - 1.0).abs() < 1e-3, "{p}");
    }

    /// Normal samples are rejected about as rarely as the significance level says, other samples nearly
    /// always.
    #[test]
    fn normal_samples_pass_and_others_do_not() {
        let mut random = Samples::new(2);
        let rejected = |samples: &mut dyn FnMut() -> Vec<f64>| {
            let tests = 1_000;
            let rejections = (0..tests).filter(|_| normality(&samples()).unwrap() < SIGNIFICANCE).count();
            rejections as f64 / f64::from(tests)
        };
        for number in [20, 100, 500] {
            let share = rejected(&mut || random.normal(number, 5.0, 0.3));
            // The distribution of the statistic is between those with k - 3 and k - 1 degrees of freedom.
            assert!((0.03..0.16).contains(&share), "{share} of samples of {number}");
        }
        let skew = rejected(&mut || random.normal(200, 0.0, 1.0).into_iter().map(f64::exp).collect());
        assert!(skew > 0.99, "{skew}");
        let uniform = rejected(&mut || random.uniform(500));
        assert!(uniform > 0.9, "{uniform}");
        let two_speeds = rejected(&mut || {
            let slow = random.uniform(100).into_iter().map(|u| if u < 0.2 { 2.0 } else { 1.0 });
            slow.zip(random.normal(100, 0.0, 0.01)).map(|(time, noise)| time + noise).collect()
        });
        assert!(two_speeds > 0.99, "{two_speeds}");
    }
}
