//! Counters of a run. They are always on, and tests assert them.

use std::iter::Sum;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::wire::Wire;

/// Counters of one node in a run, or their sums over nodes. The high-water mark of a sum is the sum of the
/// nodes' marks.
///
/// A thread that steps the units of several nodes does not time each unit. It divides its time equally among
/// its units.
///
/// The serialized form has a key for each counter, with the counter's name. The keys of times end with `_ns`,
/// as in `eu_busy_ns`: whole nanoseconds, at most 2^64 - 1. When counters are read, a missing key means 0,
/// and an unknown key is an error.
///
/// ```
/// use earth::Counters;
///
/// let counters: Counters = serde_json::from_str(r#"{"fibers": 2, "eu_busy_ns": 1500}"#)?;
/// assert_eq!((counters.fibers, counters.eu_busy.as_nanos(), counters.tokens), (2, 1500, 0));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Wire, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Counters {
    /// Fibers that ran, first fibers included.
    pub fibers: u64,
    /// Tokens created.
    pub tokens: u64,
    /// Tokens that ran on a node other than the one that shared them.
    pub tokens_stolen: u64,
    /// Functions started on a named node.
    pub invokes: u64,
    /// Signals that reached their slot. The value of the run counts as one signal.
    pub signals: u64,
    /// Blocks sent by `put_block` and requested by `get_block`.
    pub block_moves: u64,
    /// Bytes of blocks that travelled with values and arguments, within a node or between nodes. Unit: bytes.
    pub bytes_moved: u64,
    /// Events that left their node.
    pub events_sent: u64,
    /// Frames created. A function that ends in its first fiber without giving out an address needs no frame.
    pub frames: u64,
    /// Frames ended.
    pub frames_ended: u64,
    /// The most frames that were live at once. For several nodes it is the sum of their marks. Nodes may
    /// reach their marks at different times, so the sum is an upper bound. The other marks are summed in the
    /// same way.
    pub frames_high: u64,
    /// The most private tokens that waited at once.
    pub tokens_high: u64,
    /// Values that arrived at a full inlet.
    pub parked: u64,
    /// The most values that were parked at once.
    pub parked_high: u64,
    /// Reads that came before the cell was written.
    pub deferred_reads: u64,
    /// Time that execution units worked: on real cores, all time except [`eu_idle`](Counters::eu_idle). If
    /// one thread steps both units of a node, this field counts the time of both.
    #[serde(rename = "eu_busy_ns", with = "nanoseconds")]
    pub eu_busy: Duration,
    /// Time that execution units were idle: they polled without finding work, or waited.
    ///
    /// On real cores the runtime measures waits. It does not measure short polls, because reading a clock
    /// would delay the work that they find. It counts them, and charges each with the duration of a poll
    /// measured when the machine was built. The idle time is slightly too short if other programs took the
    /// core during a poll.
    #[serde(rename = "eu_idle_ns", with = "nanoseconds")]
    pub eu_idle: Duration,
    /// Time that synchronization units with a thread of their own (DUAL) worked.
    #[serde(rename = "su_busy_ns", with = "nanoseconds")]
    pub su_busy: Duration,
    /// Time that synchronization units with a thread of their own (DUAL) were idle, or held a message that
    /// their execution unit could not use yet. It is measured as [`eu_idle`](Counters::eu_idle) is.
    #[serde(rename = "su_idle_ns", with = "nanoseconds")]
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
    pub(crate) fn add(&mut self, other: &Counters) {
        // Counters of another process may have any value.
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

/// The serialized form of a time: whole nanoseconds.
mod nanoseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_nanos)
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
