//! Times at which the lanes of a simulated machine act next, and the first lane of all.
//!
//! The times form a tournament tree with four children a vertex. A leaf contains the time of a node's first
//! lane, and an inner vertex the earliest of its children's times. All times are stored as *keys*. The upper
//! half of a key is the time since a base, and the lower half contains the numbers of the node and its lane.
//! So the lowest key belongs to the earliest time, and among equal times to the lowest node and its first
//! lane: events are ordered by time, node and kind.
//!
//! Times that are too long after the base for 32 bits have all upper bits set. If such a time is the first,
//! the base becomes the first time of all, and all keys are rebuilt. This happens once in 2^32 cycles, and
//! once at the end of a run.
//!
//! Cost: the first lane is at the root. A change of the node that acted walks up to the root, with three
//! comparisons and a store a level. An earlier time of another node walks up only while it wins. The cost
//! does not depend on the number of waiting events, because each lane's events wait in their own queues. A
//! binary tournament has twice the levels, each with a store.

use super::super::schedule::LANES;
use super::clock::NEVER;

/// Lane that acts, and its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct First {
    pub(super) node: usize,
    pub(super) lane: usize,
    pub(super) time: u64,
}

/// Times of all lanes in cycles; [`NEVER`] for lanes without work.
#[derive(Debug)]
pub(super) struct Lanes {
    times: Vec<[u64; LANES]>,
    /// Keys of the tournament, in groups of four. Vertex `v` is number `v % 4` of group `v / 4`, and its
    /// children are group `v`. The root is vertex 1, which is in no group.
    fours: Vec<[u64; 4]>,
    /// Vertex of the first node, a power of four.
    leaves: usize,
    /// Key of the root.
    root: u64,
    base: u64,
}

/// Maximum time since the base in a key. It represents itself and all later times.
const FAR: u64 = u32::MAX as u64;

/// Vertex of the tournament that has the lowest of all keys.
const ROOT: usize = 1;

#[inline(always)]
fn first_of(keys: &[u64; 4]) -> u64 {
    keys[0].min(keys[1]).min(keys[2].min(keys[3]))
}

/// Returns the earliest time of a node, and the first lane that has it.
#[inline(always)]
fn earliest(times: &[u64; LANES]) -> (u64, usize) {
    let (mut first, mut lane) = (times[0], 0);
    if times[1] < first {
        (first, lane) = (times[1], 1);
    }
    if times[2] < first {
        (first, lane) = (times[2], 2);
    }
    (first, lane)
}

/// Bit position of the node's number in a key; the lane's number is below it.
const NODE: u32 = 2;

impl Lanes {
    pub(super) fn new(nodes: usize) -> Self {
        let mut leaves = 1;
        while leaves < nodes {
            leaves *= 4;
        }
        let mut lanes = Lanes {
            times: vec![[NEVER; LANES]; nodes],
            fours: vec![[u64::MAX; 4]; (leaves + nodes).div_ceil(4)],
            leaves,
            root: u64::MAX,
            base: 0,
        };
        lanes.rebase(0);
        lanes
    }

    /// Returns the time at which `lane` of `node` acts next.
    pub(super) fn time(&self, node: usize, lane: usize) -> u64 {
        self.times[node][lane]
    }

    /// Returns whether a lane, counted through all nodes, has work now or later.
    pub(super) fn is_enabled(&self, lane: usize) -> bool {
        self.times.get(lane / LANES).is_some_and(|times| times[lane % LANES] != NEVER)
    }

    #[inline(always)]
    fn key(&self, node: usize, lane: usize, time: u64) -> u64 {
        (time - self.base).min(FAR) << 32 | (node << NODE | lane) as u64
    }

    /// Rebuilds all keys with times since `base`. No lane may act before `base`.
    #[cold]
    fn rebase(&mut self, base: u64) {
        self.base = base;
        for node in 0..self.times.len() {
            self.lift(node, earliest(&self.times[node]));
        }
    }

    /// Sets the times at which the lanes of `node` act next.
    #[inline]
    pub(super) fn set(&mut self, node: usize, times: [u64; LANES]) {
        self.times[node] = times;
        self.lift(node, earliest(&times));
    }

    /// Sets the time at which one lane of `node` acts next.
    #[inline]
    pub(super) fn set_one(&mut self, node: usize, lane: usize, time: u64) {
        let times = &mut self.times[node];
        times[lane] = time;
        let first = earliest(times);
        self.lift(node, first);
    }

    /// Gives the leaf of `node` a new time and lane.
    #[inline]
    fn lift(&mut self, node: usize, (time, lane): (u64, usize)) {
        if time < self.base {
            return self.rebase(time);
        }
        let (mut vertex, mut key) = (self.leaves + node, self.key(node, lane, time));
        while vertex > ROOT {
            let four = &mut self.fours[vertex / 4];
            four[vertex % 4] = key;
            key = first_of(four);
            vertex /= 4;
        }
        self.root = key;
    }

    /// Lets a lane of `node` act at `time`, unless it acts earlier.
    #[inline]
    pub(super) fn lower(&mut self, node: usize, lane: usize, time: u64) {
        let times = &mut self.times[node];
        if time >= times[lane] {
            return;
        }
        times[lane] = time;
        if time < self.base {
            return self.rebase(time);
        }
        let (mut vertex, key) = (self.leaves + node, self.key(node, lane, time));
        while vertex > ROOT {
            let held = &mut self.fours[vertex / 4][vertex % 4];
            if key >= *held {
                return;
            }
            *held = key;
            vertex /= 4;
        }
        self.root = self.root.min(key);
    }

    /// Returns the lane that acts first, if any lane has work.
    #[inline]
    pub(super) fn first(&mut self) -> Option<First> {
        if self.root >> 32 == FAR {
            let base =
                self.times.iter().map(|times| earliest(times).0).min().filter(|base| *base != NEVER)?;
            self.rebase(base);
        }
        let (acts, time) = (self.root as u32 as usize, self.base + (self.root >> 32));
        Some(First { node: acts >> NODE, lane: acts % (1 << NODE), time })
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
            // Some times are further apart than keys can represent.
            let spread = |time: u64| if time < 10 { time } else { time << 59 };
            let (mut lanes, mut plain) = (Lanes::new(nodes), vec![NEVER; count]);
            for (lane, time, how) in changes {
                let (lane, time) = (lane.index(count), time.map_or(NEVER, spread));
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
                let first = first.map(|lane| First { node: lane / LANES, lane: lane % LANES, time: plain[lane] });
                prop_assert_eq!(lanes.first(), first);
                prop_assert_eq!(lanes.time(lane / LANES, lane % LANES), plain[lane]);
                prop_assert_eq!(lanes.is_enabled(lane), plain[lane] != NEVER);
            }
        }
    }
}
