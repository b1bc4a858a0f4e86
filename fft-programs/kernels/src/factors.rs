//! Factorizations of a length: into the two sides of a matrix, and into primes.

/// Splits `n` into the rows and columns of a nearly square matrix.
///
/// The two factors are near each other. They are also near multiples of `lanes`, so that few vector lanes
/// stay empty. The first factor is not the larger one and is at least `least`. Returns `None` if `n` has no
/// such factors, for example if it is prime.
///
/// ```
/// assert_eq!(earth_kernels::near_square(1 << 21, 8, 2), Some([1 << 10, 1 << 11]));
/// assert_eq!(earth_kernels::near_square(2 * 101, 8, 4), None);
/// ```
pub fn near_square(n: usize, lanes: usize, least: usize) -> Option<[usize; 2]> {
    best(n, lanes, least, |a, b| (a / b).powf(0.1), |_| true)
}

/// Splits `n` into a factor near its cube root and a factor near the square of its cube root.
///
/// The other conditions are as in [`near_square`]. The second factor is not prime, so that it can be split
/// into a matrix itself.
///
/// ```
/// assert_eq!(earth_kernels::near_cube(1 << 21, 8, 2), Some([1 << 7, 1 << 14]));
/// assert_eq!(earth_kernels::near_cube(3 * 101, 8, 2), None);
/// ```
pub fn near_cube(n: usize, lanes: usize, least: usize) -> Option<[usize; 2]> {
    let nested = |a: &[usize; 2]| near_square(a[1], lanes, 2).is_some();
    best(n, lanes, least, |a, b| (a * a / b).min(b / (a * a)).powf(0.1), nested)
}

/// Returns the prime factors of `n` in ascending order, with multiplicity. The list is empty for 0 and 1.
///
/// *Cost.* One division for each integer up to the second largest prime factor or the square root of the
/// largest one, whichever is larger.
///
/// ```
/// assert_eq!(earth_kernels::prime_factors(360), [2, 2, 2, 3, 3, 5]);
/// assert_eq!(earth_kernels::prime_factors(1021), [1021]);
/// ```
pub fn prime_factors(mut n: usize) -> Vec<usize> {
    let (mut primes, mut prime) = (Vec::new(), 2);
    while prime * prime <= n {
        while n.is_multiple_of(prime) {
            n /= prime;
            primes.push(prime);
        }
        prime += 1;
    }
    if n > 1 {
        primes.push(n);
    }
    primes
}

/// Returns the best pair of factors, the smaller one first: by filled vector lanes and by the ratio that
/// `near` rates.
fn best(
    n: usize,
    lanes: usize,
    least: usize,
    near: impl Fn(f64, f64) -> f64,
    fits: impl Fn(&[usize; 2]) -> bool,
) -> Option<[usize; 2]> {
    let filled = |x: usize| x as f64 / x.next_multiple_of(lanes) as f64;
    let factors = (least.max(1)..=n.isqrt()).filter(|a| n.is_multiple_of(*a)).map(|a| [a, n / a]);
    let worth = |[a, b]: &[usize; 2]| filled(*a) * filled(*b) * near(*a as f64, *b as f64);
    factors.filter(fits).max_by(|x, y| worth(x).total_cmp(&worth(y)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_near_each_other_and_fill_the_lanes() {
        let square = |n| near_square(n, 8, 2);
        assert_eq!(square(1 << 20), Some([1024, 1024]));
        assert_eq!(square(1_000_000), Some([1000, 1000]));
        assert_eq!(square(59_049), Some([243, 243]));
        assert_eq!(square(2 * 101), Some([2, 101]));
        assert_eq!(near_square(7 * 16, 8, 4), Some([8, 14]));
        assert_eq!(near_square(27, 8, 4), None);
        assert_eq!([0, 1, 2, 3, 7, 101].map(square), [None; 6]);
        for n in 4..3000 {
            match square(n) {
                Some([a, b]) => assert!(a * b == n && 1 < a && a <= b, "{n} of {a} and {b}"),
                None => assert!((2..n).all(|a| n % a != 0), "{n} is no prime"),
            }
            if let Some([a, b]) = near_square(n, 8, 4) {
                assert!(a * b == n && 4 <= a && a <= b, "{n} of {a} and {b}");
            }
        }
    }

    #[test]
    fn a_cube_has_its_root_and_a_matrix() {
        assert_eq!(near_cube(1 << 24, 8, 2), Some([1 << 8, 1 << 16]));
        assert_eq!(near_cube(1_000_000, 8, 2), Some([100, 10_000]));
        for n in 1..3000 {
            let prime = |n: usize| n > 1 && (2..n).all(|a| !n.is_multiple_of(a));
            let found = near_cube(n, 8, 2);
            if let Some([a, b]) = found {
                assert!(a * b == n && 1 < a && a <= b && b > 3 && !prime(b), "{n} of {a} and {b}");
            }
            let any = (2..=n.isqrt()).any(|a| n % a == 0 && n / a > 3 && !prime(n / a));
            assert_eq!(found.is_some(), any, "{n}");
        }
    }
}
