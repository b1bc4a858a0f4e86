//! When each lane of a simulated machine acts next, and which is first.
//!
//! A tournament: the leaves are lanes, each inner node holds the winner of its two children, the earlier one,
//! on equal times the lane with the lower number. So events are ordered by time, then node, then kind.
//!
//! Cost: a change walks up from the leaf, one comparison a level; the first is at the root. It does not
//! depend on how many events wait, since those of a lane wait in queues of its own.

/// The time of a lane that has nothing to do.
pub(super) const NEVER: u64 = u64::MAX;

/// The times of all lanes.
#[derive(Debug)]
pub(super) struct Lanes {
    times: Vec<u64>,
    /// Winners, the root at 1, the children of `i` at `2 i` and `2 i + 1`; leaves are from `leaves` on.
    winners: Vec<u32>,
    leaves: usize,
}

impl Lanes {
    pub(super) fn new(count: usize) -> Self {
        let leaves = count.next_power_of_two();
        let mut winners = vec![0; 2 * leaves];
        for (lane, leaf) in winners[leaves..].iter_mut().enumerate() {
            *leaf = lane as u32;
        }
        for at in (1..leaves).rev() {
            winners[at] = winners[2 * at];
        }
        Lanes { times: vec![NEVER; leaves], winners, leaves }
    }

    /// When `lane` acts next.
    pub(super) fn time(&self, lane: usize) -> u64 {
        self.times[lane]
    }

    /// Whether `lane` has anything to do, now or later.
    pub(super) fn is_enabled(&self, lane: usize) -> bool {
        self.times.get(lane).is_some_and(|&time| time != NEVER)
    }

    /// How many lanes there are, the empty ones that fill the tree included.
    pub(super) fn len(&self) -> usize {
        self.leaves
    }

    pub(super) fn set(&mut self, lane: usize, time: u64) {
        if std::mem::replace(&mut self.times[lane], time) == time {
            return;
        }
        let mut at = (self.leaves + lane) >> 1;
        while at > 0 {
            let [left, right] = [self.winners[2 * at], self.winners[2 * at + 1]];
            let winner = if self.times[right as usize] < self.times[left as usize] { right } else { left };
            // Where the same lane wins that won before, its time has changed, so the walk goes on.
            self.winners[at] = winner;
            at /= 2;
        }
    }

    /// The lane that acts first, if any acts at all.
    pub(super) fn first(&self) -> Option<usize> {
        let lane = self.winners[1] as usize;
        (self.times[lane] != NEVER).then_some(lane)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_is_the_earliest_then_the_lowest(
            count in 1..70_usize,
            changes in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of(0..20_u64)), 1..200),
        ) {
            let (mut lanes, mut plain) = (Lanes::new(count), vec![NEVER; count]);
            for (lane, time) in changes {
                let (lane, time) = (lane.index(count), time.unwrap_or(NEVER));
                lanes.set(lane, time);
                plain[lane] = time;
                let first = (0..count).min_by_key(|&lane| plain[lane]).filter(|&lane| plain[lane] != NEVER);
                prop_assert_eq!(lanes.first(), first);
                prop_assert_eq!(lanes.time(lane), time);
            }
        }
    }
}
