//! Bit reversal: the output order of a radix-2 transform.
//!
//! Index `i` of `2^bits` goes to the index with its bits reversed. The permutation is its own inverse. The
//! programs apply it to blocks, not to points. After the exchange stages of the sender-initiated FFT, the
//! *threads* are in bit-reversed order ([`SenderOrder`](crate::SenderOrder)). The receiver-initiated FFT
//! distributes its samples to nodes in this order ([`ReceiverOrder`](crate::ReceiverOrder)).

/// Reverses the lowest `bits` bits of `i` and drops the higher ones.
///
/// # Panics
///
/// If `bits` is greater than `usize::BITS`.
pub(crate) fn reverse_bits(i: usize, bits: u32) -> usize {
    assert!(bits <= usize::BITS, "the reversal of {bits} bits of a number of {}", usize::BITS);
    // A shift by `usize::BITS` would overflow.
    i.reverse_bits().checked_shr(usize::BITS - bits).unwrap_or(0)
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
    fn it_undoes_itself() {
        for bits in 0..10 {
            for i in 0..1 << bits {
                assert_eq!(reverse_bits(reverse_bits(i, bits), bits), i);
            }
        }
    }
}
