//! When each lane of a simulated machine acts next, and which is first.
//!
//! A tree with four children below each inner vertex: a leaf has the time of a node's first lane, an inner vertex the
//! earliest of its children's. The first is found from the root down, always by the first of the four that has
//! the time. So events are ordered by time, then node, then kind.
//!
//! Cost: a change walks up from the leaf, three comparisons a level, as far as it changes anything; finding the
//! first walks down. It does not depend on how many events wait, since those of a lane wait in queues of their
//! own. A tournament of two finds the first at the root, but has twice the levels, and keys of twice the size, since
//! they hold the winner's number: as many instructions, of which more wait for each other.

/// The time of a lane that has nothing to do.
pub(super) const NEVER: u64 = u64::MAX;

/// The lanes of a node.
pub(super) const LANES: usize = 3;

/// The times of all lanes.
#[derive(Debug)]
pub(super) struct Lanes {
    times: Vec<[u64; LANES]>,
    /// The levels of the tree, the leaves' first, in fours; the last is the four below the root.
    levels: Vec<Vec<[u64; 4]>>,
}

/// The earliest of four times.
#[inline(always)]
fn earliest(times: &[u64; 4]) -> u64 {
    times[0].min(times[1]).min(times[2].min(times[3]))
}

impl Lanes {
    pub(super) fn new(nodes: usize) -> Self {
        let mut levels = vec![vec![[NEVER; 4]; nodes.div_ceil(4)]];
        while let Some(last) = levels.last()
            && last.len() > 1
        {
            levels.push(vec![[NEVER; 4]; last.len().div_ceil(4)]);
        }
        Lanes { times: vec![[NEVER; LANES]; nodes], levels }
    }

    /// The time at which `lane` of `node` acts next.
    pub(super) fn time(&self, node: usize, lane: usize) -> u64 {
        self.times[node][lane]
    }

    /// How many lanes there are.
    pub(super) fn len(&self) -> usize {
        LANES * self.times.len()
    }

    /// Whether a lane, counted through all nodes, has anything to do, now or later.
    pub(super) fn is_enabled(&self, lane: usize) -> bool {
        self.times.get(lane / LANES).is_some_and(|times| times[lane % LANES] != NEVER)
    }

    /// Sets when the lanes of `node` act next.
    #[inline]
    pub(super) fn set(&mut self, node: usize, times: [u64; LANES]) {
        self.times[node] = times;
        self.lift(node, times.into_iter().fold(NEVER, u64::min));
    }

    /// Lets a lane of `node` act at `time`, unless it acts before.
    #[inline]
    pub(super) fn lower(&mut self, node: usize, lane: usize, time: u64) {
        if time < self.times[node][lane] {
            self.times[node][lane] = time;
            if time < self.levels[0][node / 4][node % 4] {
                self.lift(node, time);
            }
        }
    }

    /// Sets when one lane of `node` acts next.
    #[inline]
    pub(super) fn set_one(&mut self, node: usize, lane: usize, time: u64) {
        let times = &mut self.times[node];
        times[lane] = time;
        let first = times.iter().copied().fold(NEVER, u64::min);
        self.lift(node, first);
    }

    /// Gives the leaf of `node` a new time.
    #[inline]
    fn lift(&mut self, node: usize, time: u64) {
        let (mut index, mut time) = (node, time);
        for level in &mut self.levels {
            let four = &mut level[index / 4];
            if std::mem::replace(&mut four[index % 4], time) == time {
                break;
            }
            time = earliest(four);
            index /= 4;
        }
    }

    /// The lane that acts first, counted through all nodes, if any acts at all.
    #[inline]
    pub(super) fn first(&self) -> Option<usize> {
        let time = self.levels.last().map_or(NEVER, |root| earliest(&root[0]));
        if time == NEVER {
            return None;
        }
        let mut node = 0;
        for level in self.levels.iter().rev() {
            let four = &level[node];
            // Added up, not searched for: which of the four it is cannot be foreseen.
            let [zeroth, first, second] = [0, 1, 2].map(|index| usize::from(four[index] != time));
            node = 4 * node + zeroth + (zeroth & first) + (zeroth & first & second);
        }
        let [zeroth, first] = [0, 1].map(|lane| usize::from(self.times[node][lane] != time));
        Some(LANES * node + zeroth + (zeroth & first))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_is_the_earliest_then_the_lowest(
            nodes in 1..40_usize,
            changes in prop::collection::vec(
                (any::<prop::sample::Index>(), prop::option::of(0..20_u64), 0..3_u8), 1..200,
            ),
        ) {
            let count = LANES * nodes;
            let (mut lanes, mut plain) = (Lanes::new(nodes), vec![NEVER; count]);
            for (lane, time, how) in changes {
                let (lane, time) = (lane.index(count), time.unwrap_or(NEVER));
                match how {
                    0 => {
                        lanes.lower(lane / LANES, lane % LANES, time);
                        plain[lane] = time.min(plain[lane]);
                    }
                    1 => {
                        lanes.set_one(lane / LANES, lane % LANES, time);
                        plain[lane] = time;
                    }
                    _ => {
                        plain[lane] = time;
                        let first = lane / LANES * LANES;
                        lanes.set(lane / LANES, [plain[first], plain[first + 1], plain[first + 2]]);
                    }
                }
                let first = (0..count).min_by_key(|&lane| plain[lane]).filter(|&lane| plain[lane] != NEVER);
                prop_assert_eq!(lanes.first(), first);
                prop_assert_eq!(lanes.time(lane / LANES, lane % LANES), plain[lane]);
                prop_assert_eq!(lanes.is_enabled(lane), plain[lane] != NEVER);
            }
        }
    }
}
