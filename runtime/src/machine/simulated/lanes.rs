//! When each lane of a simulated machine acts next, and which is first.
//!
//! A tournament of nodes: each leaf has the time of the node's first lane, each inner place that of the
//! earlier of its two children, on equal times the node with the lower number. So events are ordered by
//! time, then node, then kind.
//!
//! Cost: a change walks up from the leaf, one comparison a level, as far as it changes anything; the first is
//! at the root. It does not depend on how many events wait, since those of a lane wait in queues of their own.

/// The time of a lane that has nothing to do.
pub(super) const NEVER: u64 = u64::MAX;

/// The lanes of a node.
pub(super) const LANES: usize = 3;

/// The times of all lanes.
#[derive(Debug)]
pub(super) struct Lanes {
    times: Vec<[u64; LANES]>,
    /// The first time and its node; the root at 1, the children of `i` at `2 i` and `2 i + 1`, leaves from
    /// `leaves` on.
    tree: Vec<Key>,
    leaves: usize,
}

/// A time and, below it, a node: one comparison orders by both.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key(u128);

impl Key {
    fn new(time: u64, node: usize) -> Self {
        Key(u128::from(time) << 64 | node as u128)
    }

    fn time(self) -> u64 {
        (self.0 >> 64) as u64
    }

    fn node(self) -> usize {
        self.0 as u64 as usize
    }
}

impl Lanes {
    pub(super) fn new(nodes: usize) -> Self {
        let leaves = nodes.next_power_of_two();
        let tree = (0..2 * leaves).map(|place| Key::new(NEVER, place.saturating_sub(leaves))).collect();
        Lanes { times: vec![[NEVER; LANES]; nodes], tree, leaves }
    }

    /// When `lane` of `node` acts next.
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
            if time < self.tree[self.leaves + node].time() {
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

    /// Plays the matches of `node` again with its new time.
    fn lift(&mut self, node: usize, time: u64) {
        let mut place = self.leaves + node;
        let mut winner = Key::new(time, node);
        while std::mem::replace(&mut self.tree[place], winner) != winner && place > 1 {
            winner = winner.min(self.tree[place ^ 1]);
            place /= 2;
        }
    }

    /// The lane that acts first, counted through all nodes, if any acts at all.
    #[inline]
    pub(super) fn first(&self) -> Option<usize> {
        let first = self.tree[1];
        if first.time() == NEVER {
            return None;
        }
        let lane = self.times[first.node()].iter().position(|&time| time == first.time()).unwrap_or(0);
        Some(LANES * first.node() + lane)
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
