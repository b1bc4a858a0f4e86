//! The butterflies of an exchange stage, a block at a time.
//!
//! In a stage of a decimation in frequency the point `a` of the upper block and its mate `b` of the lower
//! block become `a + b`, which stays above, and `(a - b) w^j`, which stays below. Two threads that hold a
//! block each send each other copies and then compute one side each; both results land in the thread's own
//! block, and the received buffer is free for the next stage's copy. Source: Thulasiraman, Theobald, Khokhar,
//! Gao, "Multithreaded Algorithms for the Fast Fourier Transform", section 2.2, whose `a + b w` and `a - b w`
//! from the first stage on give a transform in no output order; these butterflies do.
//!
//! *Cost.* A point takes 2 flops above and 8 below, and reads two blocks and writes one: 0.4 ns above and 0.8
//! to 1 ns below in the first cache (measured, double precision). *When it loses.* Against both sides
//! computed in one place, which reads each point once; that is what a local stage does.

use num_complex::Complex;

use crate::real::Real;

/// The upper side: `mine[i] + theirs[i]`, in `mine`.
///
/// # Panics
///
/// If the lengths differ.
pub fn combine_upper<T: Real>(mine: &mut [Complex<T>], theirs: &[Complex<T>]) {
    assert_eq!(mine.len(), theirs.len(), "mates of different lengths");
    for (a, b) in mine.iter_mut().zip(theirs) {
        *a += *b;
    }
}

/// The lower side: `(theirs[i] - mine[i]) * factors[start + i * stride]`, in `mine`.
///
/// `factors` are the powers of a root of unity, as [`Twiddles::factors`](crate::Twiddles::factors) has them;
/// [`SenderOrder::side`](crate::SenderOrder::side) tells start and stride.
///
/// # Panics
///
/// If the lengths differ, there are too few factors, or `stride` is 0.
pub fn combine_lower<T: Real>(
    mine: &mut [Complex<T>],
    theirs: &[Complex<T>],
    factors: &[Complex<T>],
    start: usize,
    stride: usize,
) {
    assert_eq!(mine.len(), theirs.len(), "mates of different lengths");
    let Some(last) = mine.len().checked_sub(1) else { return };
    let factors = &factors[start..=start + last * stride];
    let combine = |(b, a): (&mut Complex<T>, &Complex<T>), w: &Complex<T>| *b = (*a - *b) * *w;
    let mates = mine.iter_mut().zip(theirs);
    // Told apart because the compiler makes vector loads of the first only.
    if stride == 1 {
        mates.zip(factors).for_each(|(mates, w)| combine(mates, w));
    } else {
        mates.zip(factors.iter().step_by(stride)).for_each(|(mates, w)| combine(mates, w));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn c(re: f64, im: f64) -> Complex<f64> {
        Complex::new(re, im)
    }

    #[test]
    fn the_upper_side_adds() {
        let mut mine = [c(1.0, 2.0), c(3.0, 4.0)];
        combine_upper(&mut mine, &[c(10.0, 20.0), c(30.0, 40.0)]);
        assert_eq!(mine, [c(11.0, 22.0), c(33.0, 44.0)]);
    }

    #[test]
    fn the_lower_side_subtracts_itself_and_turns() {
        let factors: Vec<_> = (0..6).map(|k| c(f64::from(k), -1.0)).collect();
        for (start, stride) in [(0, 1), (2, 1), (1, 2), (0, 4)] {
            let (mut mine, theirs) = ([c(1.0, 2.0), c(3.0, 4.0)], [c(5.0, 1.0), c(2.0, 7.0)]);
            combine_lower(&mut mine, &theirs, &factors, start, stride);
            let w = |i: usize| c((start + i * stride) as f64, -1.0);
            assert_eq!(mine, [c(4.0, -1.0) * w(0), c(-1.0, 3.0) * w(1)]);
        }
    }

    #[test]
    fn blocks_of_no_points_need_no_factors() {
        combine_lower::<f64>(&mut [], &[], &[], 0, 1);
    }

    #[test]
    #[should_panic(expected = "mates of different lengths")]
    fn mates_have_one_length() {
        combine_upper(&mut [c(0.0, 0.0)], &[]);
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn too_few_factors_are_refused() {
        combine_lower(&mut [c(0.0, 0.0); 3], &[c(0.0, 0.0); 3], &[c(1.0, 0.0); 4], 0, 2);
    }
}
