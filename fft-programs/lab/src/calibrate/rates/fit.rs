//! Non-negative least squares: finds the cost of each part of a sum from the sums.

/// Rounds of coordinate descent.
const ROUNDS: usize = 4000;

/// Returns the costs `c >= 0` of features that minimize the squared relative error of `sum of x[j] c[j]` to
/// `y`, over all rows `(x, y)`.
///
/// Coordinate descent: each cost in turn is set to its optimum given the others, for a fixed number of
/// rounds. It converges because the sum of squares is convex.
pub(super) fn costs(rows: &[(Vec<f64>, f64)]) -> Vec<f64> {
    let features = rows.first().map_or(0, |(x, _)| x.len());
    let sum = |of: &dyn Fn(&[f64], f64) -> f64| rows.iter().map(|(x, y)| of(x, *y)).sum::<f64>();
    // Normal equations: the squares are least where `left` times the costs equals `right`.
    let left: Vec<Vec<_>> =
        (0..features).map(|i| (0..features).map(|j| sum(&|x, y| x[i] * x[j] / (y * y))).collect()).collect();
    let right: Vec<_> = (0..features).map(|i| sum(&|x, y| x[i] / y)).collect();
    let mut costs = vec![0.0; features];
    for _ in 0..ROUNDS {
        for (i, sums) in left.iter().enumerate().filter(|(i, sums)| sums[*i] > 0.0) {
            let found: f64 = sums.iter().zip(&costs).map(|(sum, cost)| sum * cost).sum();
            costs[i] = (costs[i] + (right[i] - found) / sums[i]).max(0.0);
        }
    }
    costs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_those_that_sums_are_made_of() {
        let row = |x: [f64; 3]| (x.to_vec(), 2.0 * x[0] + 0.5 * x[1]);
        let rows: Vec<_> =
            [[1.0, 4.0, 3.0], [1.0, 100.0, 1.0], [1.0, 7.0, 30.0], [1.0, 0.0, 2.0]].map(row).to_vec();
        let found = costs(&rows);
        for (found, expected) in found.iter().zip([2.0, 0.5, 0.0]) {
            assert!((found - expected).abs() < 1e-3, "{found} is not {expected}");
        }
        assert_eq!(costs(&[]), [0.0; 0]);
        // A cost that would be negative is 0.
        assert!(costs(&[(vec![1.0, 1.0], 1.0), (vec![1.0, 2.0], 0.5)])[1] < 1e-9);
    }
}
