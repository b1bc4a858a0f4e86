//! Which nodes offer something to thieves: a bit a node, so that an idle node finds out about 64 others by one load.
//!
//! A node that has put tokens into its shared end raises its bit, and then wakes whoever sleeps. It
//! takes the bit down when it finds its shared end empty. A thief looks only at the shared ends of nodes whose bits are
//! up.
//!
//! *The bit is never too low.* A node alone puts tokens into its shared end, and alone writes its bit. While its bit is
//! down it has found its shared end empty, and has put nothing there since, or is about to raise the bit and to wake
//! sleepers. So a thief that sees it down misses at most a token for which it will be woken: the publisher fills the
//! cell, raises the bit, passes the fence of `Sleepers` and looks for announcements; the
//! thief announces, passes the fence, and looks at the bit and then at the cell. Of the two fences one comes first, and
//! so the thief sees both or the publisher sees the announcement.
//!
//! *It may be too high,* after thieves have taken all. That costs a look at the shared end, no more.
//!
//! *Cost.* Raising and lowering are a read-modify-write of a word that 64 nodes share, when a node begins or ceases to
//! offer and not for each token. Looking is a load for 64 nodes, of a line that stays in the cache in between.

use crossbeam_utils::CachePadded;

use super::primitive::{AtomicU64, Ordering};

/// The nodes of a machine that offer something.
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
    /// So many nodes, none of which offers anything.
    pub fn new(nodes: usize) -> Self {
        Offers { words: (0..nodes.div_ceil(64)).map(|_| CachePadded::new(AtomicU64::new(0))).collect() }
    }

    /// Raises the bit of `node`. Only the node itself does this, before it wakes those who may take what it offers.
    pub fn raise(&self, node: usize) {
        self.words[node / 64].fetch_or(1 << (node % 64), Ordering::Relaxed);
    }

    /// Lowers the bit of `node`. Only the node itself does this, when nothing of its offer is left.
    pub fn lower(&self, node: usize) {
        self.words[node / 64].fetch_and(!(1 << (node % 64)), Ordering::Relaxed);
    }

    /// Whether the bit of any node but `node` is up.
    #[inline]
    pub fn any_but(&self, node: usize) -> bool {
        let other = |at: usize, word: u64| word & !(u64::from(at == node / 64) << (node % 64)) != 0;
        self.words.iter().enumerate().any(|(at, word)| other(at, word.load(Ordering::Relaxed)))
    }

    /// The first node from `from` on, around the circle, whose bit is up and that `is` holds of.
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
