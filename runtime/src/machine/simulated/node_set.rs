//! A set of nodes, walked in their order from any of them.

/// Nodes, one bit each.
#[derive(Debug)]
pub(super) struct NodeSet {
    words: Vec<u64>,
}

impl NodeSet {
    pub(super) fn new(nodes: usize) -> Self {
        NodeSet { words: vec![0; nodes.div_ceil(64)] }
    }

    pub(super) fn clear(&mut self) {
        self.words.fill(0);
    }

    pub(super) fn insert(&mut self, node: usize) {
        self.words[node / 64] |= 1 << (node % 64);
    }

    pub(super) fn remove(&mut self, node: usize) {
        self.words[node / 64] &= !(1 << (node % 64));
    }

    /// The first node from `from` on, around the circle, that `is` holds of.
    pub(super) fn find_from(&self, from: usize, mut is: impl FnMut(usize) -> bool) -> Option<usize> {
        let (word, bits) = (from / 64, u64::MAX << (from % 64));
        let count = self.words.len();
        // The word of `from` comes twice: its upper part first, its lower part last.
        (0..=count).find_map(|step| {
            let at = (word + step) % count;
            let mut rest = self.words[at]
                & match step {
                    0 => bits,
                    _ if step == count => !bits,
                    _ => u64::MAX,
                };
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn nodes_are_found_around_the_circle(
            nodes in 1..200_usize,
            members in prop::collection::vec(any::<prop::sample::Index>(), 0..30),
            removed in any::<prop::sample::Index>(),
            from in any::<prop::sample::Index>(),
        ) {
            let (mut set, mut plain) = (NodeSet::new(nodes), BTreeSet::new());
            for member in members {
                set.insert(member.index(nodes));
                plain.insert(member.index(nodes));
            }
            set.remove(removed.index(nodes));
            plain.remove(&removed.index(nodes));
            let from = from.index(nodes);
            let expected: Vec<_> = plain.range(from..).chain(plain.range(..from)).copied().collect();
            let mut found = Vec::new();
            prop_assert_eq!(set.find_from(from, |node| { found.push(node); false }), None);
            prop_assert_eq!(found, &expected[..]);
            prop_assert_eq!(set.find_from(from, |_| true), expected.first().copied());
            set.clear();
            prop_assert_eq!(set.find_from(from, |_| true), None);
        }
    }
}
