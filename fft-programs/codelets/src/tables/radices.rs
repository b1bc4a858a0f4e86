//! Radices of a length.
//!
//! Powers of two use as many radices 8 as possible, and one 4, two 4s or one 16 for the rest. (Measured: a 16
//! pays only as the only stage, where it saves a stage.) The other factors follow, the largest first. So the
//! first stage, which has no factors to multiply by, has the largest radix.

/// Returns the radices of stages whose product is `n`, the first stage first. Returns `None` if a prime
/// factor of `n` has no butterfly, or if `n` is 0 or past 32 bits.
pub(crate) fn radices(mut n: usize) -> Option<Vec<usize>> {
    if n == 0 || u32::try_from(n).is_err() {
        return None;
    }
    let mut radices = Vec::new();
    let twos = n.trailing_zeros();
    n >>= twos;
    match (twos % 3, twos / 3) {
        (0, eights) => radices.extend(vec![8; eights as usize]),
        (1, 0) => radices.push(2),
        (1, 1) => radices.push(16),
        (1, eights) => {
            radices.extend(vec![8; eights as usize - 1]);
            radices.extend([4, 4]);
        }
        (_, eights) => {
            radices.extend(vec![8; eights as usize]);
            radices.push(4);
        }
    }
    for radix in [13, 11, 9, 7, 5, 3] {
        while n.is_multiple_of(radix) {
            radices.push(radix);
            n /= radix;
        }
    }
    if radices.is_empty() {
        radices.push(1);
    }
    (n == 1).then_some(radices)
}

/// Returns the largest factor of `n` whose prime factors have butterflies: 2, 3, 5, 7, 11 and 13. Returns 0
/// for 0.
pub fn smooth_part(n: usize) -> usize {
    n.checked_div(without(n, &[2, 3, 5, 7, 11, 13])).unwrap_or(0)
}

/// Returns `n` without all factors in `primes`; 0 for 0.
pub(crate) fn without(mut n: usize, primes: &[usize]) -> usize {
    for prime in primes {
        while n > 0 && n.is_multiple_of(*prime) {
            n /= prime;
        }
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radices_make_the_length() {
        for n in 1..5000 {
            let product = radices(n).map(|radices| radices.iter().product::<usize>());
            let has_large = (17..=n).any(|p| n % p == 0 && (2..p).all(|factor| p % factor != 0));
            assert_eq!(product, (!has_large).then_some(n));
        }
        for n in [0, 17, 1 << 32] {
            assert_eq!(radices(n), None, "{n}");
        }
        assert_eq!(radices(1 << 7), Some(vec![8, 4, 4]));
        assert_eq!(radices(1 << 4), Some(vec![16]));
    }
}
