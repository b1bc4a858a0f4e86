//! Lengths that change no transform: leading dimensions of padded rows, and lengths that a chirp goes through.

use earth_fft::dataflow::points::LINE;

/// The least leading dimension for rows of `len` points of `point` bytes that is an odd number of cache lines: rows
/// with it begin in all sets of a cache in turn, whatever power of two their number is, where rows of 2^k points
/// would all begin in the same few.
///
/// # Panics
///
/// If a point has no bytes, or a line is no whole number of them.
pub fn odd_lines(len: usize, point: usize) -> usize {
    assert!(point > 0 && LINE.is_multiple_of(point), "points of {point} bytes in lines of {LINE}");
    let points = LINE / point;
    (len.div_ceil(points) | 1) * points
}

/// Lengths that a chirp of `len` points may go through and that row kernels are fast at, least first: 2^k, and
/// 2^k times 3, 5 or 9, from 2 `len` - 1 to less than 4 `len`. Empty if these do not fit a `usize`.
pub fn chirp_lengths(len: usize) -> Vec<usize> {
    let (Some(least), Some(end)) =
        (len.checked_mul(2).map(|twice| twice.saturating_sub(1)), len.checked_mul(4))
    else {
        return Vec::new();
    };
    let of_factor = |factor: usize| {
        let powers = (0..usize::BITS).map_while(move |bits| factor.checked_mul(1 << bits));
        powers.skip_while(move |&length| length < least).take_while(move |&length| length < end)
    };
    let mut lengths: Vec<_> = [1, 3, 5, 9].into_iter().flat_map(of_factor).collect();
    lengths.sort_unstable();
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_power_of_two_get_one_line_more_and_odd_ones_none() {
        assert_eq!([4, 5, 1024, 1028, 1030].map(|len| odd_lines(len, 16)), [4, 12, 1028, 1028, 1036]);
        assert_eq!([8, 9, 1024].map(|len| odd_lines(len, 8)), [8, 24, 1032]);
        for len in 1..500 {
            let width = odd_lines(len, 16);
            assert!(width >= len && width < len + 8 && width / 4 % 2 == 1 && width.is_multiple_of(4));
        }
    }

    #[test]
    fn chirps_go_through_fast_lengths_that_have_room() {
        assert_eq!(chirp_lengths(1), [1, 2, 3]);
        assert_eq!(chirp_lengths(100), [256, 288, 320, 384]);
        assert_eq!(chirp_lengths(1009), [2048, 2304, 2560, 3072]);
        assert_eq!(chirp_lengths(1024), [2048, 2304, 2560, 3072]);
        assert_eq!(chirp_lengths(usize::MAX), Vec::<usize>::new());
        for len in 1..2000 {
            let lengths = chirp_lengths(len);
            assert!(lengths.len() >= 3 && lengths[0] >= 2 * len - 1, "{len}: {lengths:?}");
        }
    }
}
