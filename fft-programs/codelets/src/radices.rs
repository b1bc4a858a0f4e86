//! The radices of a length, and its two halves.
//!
//! Powers of two are eights as far as they go, with one 4, two of them or a 16 for the rest (measured: a 16 pays in the
//! only stage, where it spares one); other factors follow, the largest first. The first stage, which has no factors to
//! multiply by, has the largest radix that way.

/// The radices of stages whose product is `n`, that of the first stage first; `None` if a prime factor of `n` has no
/// butterfly, or if it is 0 or past 32 bits.
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
    for radix in [9, 7, 5, 3] {
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

/// Two factors of `n`, near each other and near multiples of `lanes`, so that few lanes stay empty; `None` if both
/// cannot be at least half the lanes.
pub(crate) fn halves(n: usize, lanes: usize) -> Option<(usize, usize)> {
    let filled = |x: usize| x as f64 / x.next_multiple_of(lanes) as f64;
    let factors = (lanes / 2..=n.isqrt()).filter(|a| n.is_multiple_of(*a)).map(|a| (a, n / a));
    let worth = |&(a, b): &(usize, usize)| filled(a) * filled(b) * (a as f64 / b as f64).powf(0.1);
    factors.max_by(|x, y| worth(x).total_cmp(&worth(y)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radices_make_the_length() {
        for n in 1..5000 {
            let mut rest = n;
            for prime in [2, 3, 5, 7] {
                while rest % prime == 0 {
                    rest /= prime;
                }
            }
            let product = radices(n).map(|radices| radices.iter().product::<usize>());
            assert_eq!(product, (rest == 1).then_some(n));
        }
        for n in [0, 11, 1 << 32] {
            assert_eq!(radices(n), None, "{n}");
        }
        assert_eq!(radices(1 << 7), Some(vec![8, 4, 4]));
        assert_eq!(radices(1 << 4), Some(vec![16]));
    }

    #[test]
    fn halves_fill_the_lanes() {
        assert_eq!(halves(59_049, 8), Some((243, 243)));
        assert_eq!(halves(7 * 16, 8), Some((8, 14)));
        assert_eq!(halves(27, 8), None);
        for n in 1..3000 {
            if let Some((a, b)) = halves(n, 8) {
                assert!(a * b == n && 4 <= a && a <= b, "{n} of {a} and {b}");
            }
        }
    }
}
