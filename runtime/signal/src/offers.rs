//! Bits that show which nodes offer tokens to thieves: one load shows an idle node 64 others.
//!
//! A node that has put tokens into its shared end raises its bit, and then wakes sleepers. It lowers the bit
//! when it finds its shared end empty. A thief looks only at the shared ends of nodes whose bits are up.
//!
//! *The bit is never too low.* Only the node puts tokens into its shared end, and only it writes its bit.
//! While its bit is down, it has found its shared end empty and has added no token since, or it is about to
//! raise the bit and wake sleepers. So a thief that sees the bit down misses at most a token for which it
//! will be woken. The publisher fills the cell, raises the bit, passes the fence of `Sleepers` and looks for
//! announcements. The thief announces, passes the fence, and looks at the bit and then at the cell. One of
//! the two fences comes first, so the thief sees both or the publisher sees the announcement.
//!
//! *It may be too high,* after thieves have taken all tokens. That costs one look at the shared end.
//!
//! *Cost.* Raising and lowering are a read-modify-write of a word that 64 nodes share. They happen when a
//! node begins or ceases to offer, not for each token. Looking is a load for 64 nodes, of a line that stays
//! in the cache in between.

use crossbeam_utils::CachePadded;

use super::primitive::{AtomicU64, Ordering};

/// The set of nodes of a machine that offer tokens.
///
/// # Examples
///
/// ```
/// let offers = earth_signal::Offers::new(100);
/// offers.raise(3);
/// offers.raise(99);
/// assert_eq!(offers.find_from(4, |_| true), Some(99));
/// assert!(offers.any_but(3));
/// offers.lower(99);
/// assert_eq!(offers.find_from(4, |_| true), Some(3));
/// assert_eq!(offers.find_from(4, |node| node != 3), None);
/// assert!(!offers.any_but(3));
/// ```
pub struct Offers {
    words: Box<[CachePadded<AtomicU64>]>,
}

impl Offers {
    /// Returns bits for `nodes` nodes, all down.
    pub fn new(nodes: usize) -> Self {
        Offers { words: (0..nodes.div_ceil(64)).map(|_| CachePadded::new(AtomicU64::new(0))).collect() }
    }

    /// Raises the bit of `node`. Only the node itself does this, before it wakes possible thieves.
    pub fn raise(&self, node: usize) {
        self.words[node / 64].fetch_or(1 << (node % 64), Ordering::Relaxed);
    }

    /// Lowers the bit of `node`. Only the node itself does this, when its offer is exhausted.
    pub fn lower(&self, node: usize) {
        self.words[node / 64].fetch_and(!(1 << (node % 64)), Ordering::Relaxed);
    }

    /// Whether the bit of any node except `node` is up.
    #[inline]
    pub fn any_but(&self, node: usize) -> bool {
        let other = |at: usize, word: u64| word & !(u64::from(at == node / 64) << (node % 64)) != 0;
        self.words.iter().enumerate().any(|(at, word)| other(at, word.load(Ordering::Relaxed)))
    }

    /// Returns the first node from `from` on, cyclically, whose bit is up and for which `is` holds.
    #[inline]
    pub fn find_from(&self, from: usize, mut is: impl FnMut(usize) -> bool) -> Option<usize> {
        let (first, bits) = (from / 64, u64::MAX << (from % 64));
        let count = self.words.len();
        // The word of `from` comes twice: its upper part first, its lower part last.
        (0..=count).find_map(|step| {
            let at = (first + step) % count;
            let part = match step {
                0 => bits,
                _ if step == count => !bits,
                _ => u64::MAX,
            };
            let mut rest = self.words[at].load(Ordering::Relaxed) & part;
            while rest != 0 {
                let node = 64 * at + rest.trailing_zeros() as usize;
                if is(node) {
                    return Some(node);
                }
                rest &= rest - 1;
            }
            None
        })
    }
}
