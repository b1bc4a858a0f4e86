//! Chance: how many of many comparisons differ although nothing does.
//!
//! Two things that are equal look "clearly" different at some sizes. The null band is exceeded by a twentieth
//! of the ratios of a thing to itself, half of them on each side. So the number of sizes at which equal
//! things look clearly faster is binomial, with a [`SHARE`] of all sizes on average.

/// Share of comparisons of equal things that one side seems to win.
pub const SHARE: f64 = 0.025;

/// Probability below which chance does not explain a number.
pub const LEVEL: f64 = 0.01;

/// Returns the probability that equal things look clearly different, one way, in at least `least` of `all`
/// comparisons.
pub fn probability(least: usize, all: usize) -> f64 {
    // Probability of each number, from that of the number before it.
    let mut exactly = (1.0 - SHARE).powi(i32::try_from(all).unwrap_or(i32::MAX));
    let mut fewer = 0.0;
    for number in 0..least.min(all + 1) {
        fewer += exactly;
        exactly *= (all - number) as f64 / (number + 1) as f64 * SHARE / (1.0 - SHARE);
    }
    (1.0_f64 - fewer).max(0.0)
}

/// Returns whether `number` of `all` comparisons are more than chance explains.
pub fn is_exceeded(number: usize, all: usize) -> bool {
    number > 0 && probability(number, all) < LEVEL
}

/// Returns the least number of `all` comparisons that chance does not explain. It is above `all` if there is
/// none.
pub fn least(all: usize) -> usize {
    (1..=all).find(|&number| is_exceeded(number, all)).unwrap_or(all + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_of_all_outcomes_counted() {
        // Each outcome of a few comparisons is a pattern of bits.
        for all in 0..=10_u16 {
            for least in 0..=usize::from(all) + 1 {
                let of = |pattern: u32| {
                    let wins = pattern.count_ones().cast_signed();
                    SHARE.powi(wins) * (1.0 - SHARE).powi(i32::from(all) - wins)
                };
                let counted: f64 =
                    (0..1_u32 << all).filter(|pattern| pattern.count_ones() as usize >= least).map(of).sum();
                assert!((probability(least, usize::from(all)) - counted).abs() < 1e-12, "{least} of {all}");
            }
        }
    }

    #[test]
    fn four_of_twenty_two_are_more_than_chance() {
        assert_eq!(least(22), 4);
        assert!(!is_exceeded(3, 22) && is_exceeded(4, 22) && !is_exceeded(0, 1000));
        assert_eq!([least(1), least(0)], [2, 1]);
    }
}
