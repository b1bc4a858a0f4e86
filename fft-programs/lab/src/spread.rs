//! What several measurements of one thing say, and the ratios of two things by rounds.
//!
//! Things that are compared run in turn, one round after another, so that whatever slows the computer down for a while
//! slows all of them alike. The ratio is that of each round; its quartiles say how sure it is.

use serde::Serialize;

/// What an odd number of measurements of one thing say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Spread {
    pub(crate) min: f64,
    /// The first quartile: a quarter is not above it.
    pub(crate) q1: f64,
    pub(crate) median: f64,
    /// The third quartile.
    pub(crate) q3: f64,
    pub(crate) max: f64,
}

impl Spread {
    /// Of an odd number of values.
    pub(crate) fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let last = values.len() - 1;
        let [min, q1, median, q3, max] = [0, last / 4, last / 2, last - last / 4, last].map(|at| values[at]);
        Self { min, q1, median, q3, max }
    }

    /// Of the ratios of one thing to another, round by round, of an odd number of rounds.
    pub(crate) fn of_ratios(over: &[f64], under: &[f64]) -> Self {
        Self::of(over.iter().zip(under).map(|(over, under)| over / under).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_of_rounds_are_those_of_their_ratios() {
        let under: Vec<_> = (1..=11).map(f64::from).collect();
        // Of the sorted ratios 1 to 11 the third, the sixth and the ninth.
        let over: Vec<_> =
            under.iter().zip([4, 2, 11, 7, 1, 9, 6, 3, 10, 8, 5]).map(|(x, by)| x * f64::from(by)).collect();
        let expected = Spread { min: 1.0, q1: 3.0, median: 6.0, q3: 9.0, max: 11.0 };
        assert_eq!(Spread::of_ratios(&over, &under), expected);
        assert_eq!(Spread::of(vec![2.0]), Spread { min: 2.0, q1: 2.0, median: 2.0, q3: 2.0, max: 2.0 });
    }
}
