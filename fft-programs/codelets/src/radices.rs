//! The radices of a length.

/// The radices of stages whose product is `n`, that of the first stage first; `None` if a prime factor of `n` has no
/// butterfly.
pub(crate) fn radices(mut n: usize) -> Option<Vec<usize>> {
    if n == 0 {
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
