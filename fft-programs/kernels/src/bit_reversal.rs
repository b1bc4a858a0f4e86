//! Bit reversal: the order in which a radix-2 transform in place leaves its results.
//!
//! Index `i` of `2^bits` goes to the index with its bits in reverse. The permutation is its own inverse, so
//! one function both scrambles and unscrambles. It applies to blocks as it does to points: after the exchange
//! stages of the sender-initiated FFT the *threads* are in reversed order
//! ([`SenderOrder`](crate::SenderOrder)), and permuting whole blocks by [`reverse_bits`] of their number
//! moves long runs at a time.
//!
//! *Cost.* One read and one write a point, but the partners of neighbours lie far apart: past the caches each
//! point costs a line (2 ns a point for 2^14 points of 16 bytes, 26 for 2^20; measured). *When it loses.* For
//! large arrays, against an algorithm that needs no reordering (Stockham), or one that reorders blocks.

/// The lowest `bits` bits of `i`, in reverse; the higher ones are dropped.
///
/// # Panics
///
/// If `bits` is more than the bits of a `usize`.
pub fn reverse_bits(i: usize, bits: u32) -> usize {
    assert!(bits <= usize::BITS, "the reversal of {bits} bits of a number of {}", usize::BITS);
    // A shift by all bits is no shift at all.
    i.reverse_bits().checked_shr(usize::BITS - bits).unwrap_or(0)
}

/// Permutes `data` in place, so that index `i` holds what index [`reverse_bits`]`(i)` held.
///
/// # Panics
///
/// If the length is not a power of two.
pub fn bit_reverse<T>(data: &mut [T]) {
    let bits = bits_of(data.len());
    for i in 0..data.len() {
        let mate = reverse_bits(i, bits);
        if i < mate {
            data.swap(i, mate);
        }
    }
}

/// Writes to `to[i]` what `from` holds at index [`reverse_bits`]`(i)`. Writes are in
/// order, reads are scattered.
///
/// # Panics
///
/// If the lengths differ, or are not a power of two.
pub fn bit_reverse_permute<T: Copy>(from: &[T], to: &mut [T]) {
    assert_eq!(from.len(), to.len(), "a permutation of one length into another");
    let bits = bits_of(from.len());
    for (i, to) in to.iter_mut().enumerate() {
        *to = from[reverse_bits(i, bits)];
    }
}

fn bits_of(len: usize) -> u32 {
    assert!(len.is_power_of_two(), "the bit reversal of {len} points, not a power of two");
    len.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_reversed() {
        assert_eq!((0..8).map(|i| reverse_bits(i, 3)).collect::<Vec<_>>(), [0, 4, 2, 6, 1, 5, 3, 7]);
        assert_eq!(reverse_bits(5, 0), 0);
        assert_eq!(reverse_bits(0b1_0110, 4), 0b0110, "the fifth bit is dropped");
        assert_eq!(reverse_bits(1, usize::BITS), 1 << (usize::BITS - 1));
    }

    #[test]
    fn both_permutations_agree_and_undo_themselves() {
        for bits in 0..10 {
            let data: Vec<usize> = (0..1 << bits).collect();
            let mut in_place = data.clone();
            bit_reverse(&mut in_place);
            let mut copied = vec![0; 1 << bits];
            bit_reverse_permute(&data, &mut copied);
            assert_eq!(in_place, copied);
            assert_eq!(in_place, data.iter().map(|&i| reverse_bits(i, bits)).collect::<Vec<_>>());
            bit_reverse(&mut in_place);
            assert_eq!(in_place, data);
        }
    }

    #[test]
    #[should_panic(expected = "the bit reversal of 6 points")]
    fn other_lengths_are_refused() {
        bit_reverse(&mut [0; 6]);
    }
}
