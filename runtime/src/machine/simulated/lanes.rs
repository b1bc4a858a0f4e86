//! When each lane of a simulated machine acts next, and which is first.
//!
//! A tournament of four: a leaf has the time of a node's first lane, and an inner vertex the earliest of its four
//! children's, all of them as *keys*: a time since some base in the upper half, the number of the node and its lane in the
//! lower one. So the lowest key is that of the earliest, of equals that of the lowest node and of its first lane: events are
//! ordered by time, then node, then kind. Times too long after the base for 32 bits have all of them set; when one of these is the first, the base
//! becomes the first time of all, and all keys are made anew. That is once in 2^32 cycles, and once at the end of a run.
//!
//! Cost: the first is at the root. A change of the node that acted walks up to the root, three comparisons and a store
//! a level; a time that becomes earlier walks up as far as it wins. Neither depends on how many events wait, since those
//! of a lane wait in queues of their own. A tournament of two has twice the levels, each with its store.

use super::super::schedule::LANES;
use super::clock::NEVER;

/// A lane that acts, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct First {
    pub(super) node: usize,
    pub(super) lane: usize,
    pub(super) time: u64,
}

/// The times of all lanes, [`NEVER`] for those that have nothing to do.
#[derive(Debug)]
pub(super) struct Lanes {
    times: Vec<[u64; LANES]>,
    /// The keys of the tournament in fours: vertex `v` is the `v % 4`-th of four `v / 4`, and those below it are four `v`.
    /// The root is vertex 1, which stands in no four.
    fours: Vec<[u64; 4]>,
    /// The vertex of the first node, a power of four.
    leaves: usize,
    /// The key of the root.
    root: u64,
    base: u64,
}

/// The highest time since the base that a key has: it stands for itself and all later ones.
const FAR: u64 = u32::MAX as u64;

/// The vertex of the tournament that has the first of all keys.
const ROOT: usize = 1;

#[inline(always)]
fn first_of(keys: &[u64; 4]) -> u64 {
    keys[0].min(keys[1]).min(keys[2].min(keys[3]))
}

/// The earliest of the times of a node, and the first lane that has it.
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

/// How far the number of a node stands above that of its lane in a key.
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

    /// The time at which `lane` of `node` acts next.
    pub(super) fn time(&self, node: usize, lane: usize) -> u64 {
        self.times[node][lane]
    }

    /// Whether a lane, counted through all nodes, has anything to do, now or later.
    pub(super) fn is_enabled(&self, lane: usize) -> bool {
        self.times.get(lane / LANES).is_some_and(|times| times[lane % LANES] != NEVER)
    }

    #[inline(always)]
    fn key(&self, node: usize, lane: usize, time: u64) -> u64 {
        (time - self.base).min(FAR) << 32 | (node << NODE | lane) as u64
    }

    /// Makes all keys anew, with times since `base`, before which nothing happens.
    #[cold]
    fn rebase(&mut self, base: u64) {
        self.base = base;
        for node in 0..self.times.len() {
            self.lift(node, earliest(&self.times[node]));
        }
    }

    /// Sets when the lanes of `node` act next.
    #[inline]
    pub(super) fn set(&mut self, node: usize, times: [u64; LANES]) {
        self.times[node] = times;
        self.lift(node, earliest(&times));
    }

    /// Sets when one lane of `node` acts next.
    #[inline]
    pub(super) fn set_one(&mut self, node: usize, lane: usize, time: u64) {
        let times = &mut self.times[node];
        times[lane] = time;
        let first = earliest(times);
        self.lift(node, first);
    }

    /// Gives the leaf of `node` a new time and the lane that has it.
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

    /// Lets a lane of `node` act at `time`, unless it acts before.
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

    /// The lane that acts first, if any acts at all.
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
            // Some further apart than keys hold.
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
