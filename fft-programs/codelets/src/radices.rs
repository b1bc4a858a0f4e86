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
        (1, eights) => {
            radices.push(16);
            radices.extend(vec![8; eights as usize - 1]);
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
