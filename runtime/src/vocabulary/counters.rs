//! What a run counted. Always on, and what tests assert.

use std::iter::Sum;
use std::time::Duration;

use super::wire::Wire;

/// Counts of one node in a run, or their sums over nodes; the high-water marks of a sum are sums of the nodes' marks.
///
/// A thread that steps the units of several nodes does not clock each of them: its time is divided among its units in
/// equal parts, whatever each of them did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Wire)]
#[non_exhaustive]
pub struct Counters {
    /// Fibers that ran, first fibers included.
    pub fibers: u64,
    /// Tokens made.
    pub tokens: u64,
    /// Tokens that ran on another node than the one that shared them.
    pub tokens_stolen: u64,
    /// Functions started on a named node.
    pub invokes: u64,
    /// Signals that reached their slot; the value of the run counts as one.
    pub signals: u64,
    /// Blocks sent by `put_block` and asked for by `get_block`.
    pub block_moves: u64,
    /// Bytes of blocks that travelled with values and arguments, within a node or between nodes.
    pub bytes_moved: u64,
    /// Events that left their node.
    pub events_sent: u64,
    /// Frames made. A function that ends in its first fiber without giving out an address needs none.
    pub frames: u64,
    /// Frames ended.
    pub frames_ended: u64,
    /// The most frames that were live at once. Of several nodes: the sum of their marks, which may be of different
    /// times, so a bound and not what was reached. The other marks are summed likewise.
    pub frames_high: u64,
    /// The most private tokens that waited at once.
    pub tokens_high: u64,
    /// Values that found their inlet full.
    pub parked: u64,
    /// The most values that were parked at once.
    pub parked_high: u64,
    /// Reads that came before the cell was written.
    pub deferred_reads: u64,
    /// Time that execution units worked: on real cores, all time but [`eu_idle`](Counters::eu_idle). Where one thread
    /// steps both units of a node, the time of both is counted here.
    pub eu_busy: Duration,
    /// Time that execution units had nothing to do: they looked for work in vain, or waited.
    ///
    /// On real cores waits are clocked. Short looks are not, for a clock would hold up what they find. They are
    /// counted, and each is taken to last as long as a look lasted when the machine was built. So idle time is a
    /// little too short where other programs took the core during a look.
    pub eu_idle: Duration,
    /// Time that synchronization units with a thread of their own (DUAL) worked.
    pub su_busy: Duration,
    /// Time that synchronization units with a thread of their own (DUAL) had nothing to do, or held something that
    /// their execution unit had no use for yet. It is reckoned as [`eu_idle`](Counters::eu_idle) is.
    pub su_idle: Duration,
}

impl<'a> Sum<&'a Counters> for Counters {
    fn sum<I: Iterator<Item = &'a Counters>>(nodes: I) -> Self {
        nodes.fold(Counters::default(), |mut sum, node| {
            sum.add(node);
            sum
        })
    }
}

impl Counters {
    /// Adds another unit's counts to these.
    pub(crate) fn add(&mut self, other: &Counters) {
        // The counts of another process may be anything.
        macro_rules! add {
            ($($count:ident)*) => {{
                let Counters { $($count),* } = *other;
                $(self.$count = self.$count.saturating_add($count);)*
            }};
        }
        add! {
            fibers tokens tokens_stolen invokes signals block_moves bytes_moved events_sent frames frames_ended frames_high
            tokens_high parked parked_high deferred_reads eu_busy eu_idle su_busy su_idle
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_any_counts_do_not_overflow() {
        let most = Counters { fibers: u64::MAX, eu_busy: Duration::MAX, ..Counters::default() };
        let sum: Counters = [most, most].iter().sum();
        assert_eq!((sum.fibers, sum.eu_busy, sum.tokens), (u64::MAX, Duration::MAX, 0));
    }
}
