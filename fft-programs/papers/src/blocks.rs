//! How many points a thread of an FFT by threads has.

/// The number of points a thread for `points` points (a power of two) on `nodes` nodes: all of them on one
/// node; else so that each node has two threads, to have one at work while the other waits. More threads mean
/// more exchange stages, each of which costs a pass over the memory.
pub(crate) fn default_block(points: usize, nodes: usize) -> usize {
    let threads = if nodes <= 1 { 1 } else { 2 * nodes.min(points).next_power_of_two() };
    (points / threads).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_blocks_give_each_node_two_threads() {
        let blocks = [1, 2, 3, 4, 64].map(|nodes| default_block(1 << 16, nodes));
        assert_eq!(blocks, [65536, 16384, 8192, 8192, 512]);
        assert_eq!([1, 2, 64, usize::MAX].map(|nodes| default_block(4, nodes)), [4, 1, 1, 1]);
        assert_eq!(default_block(1, 8), 1);
    }
}
