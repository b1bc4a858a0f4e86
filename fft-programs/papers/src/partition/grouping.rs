//! Groups of threads, and the ways to make them of all cores.

/// Groups of so many threads each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grouping {
    /// How many groups: p.
    pub groups: usize,
    /// Threads of each: t.
    pub threads: usize,
}

/// All ways to make groups of the same size of all of some cores, fewest groups first. Which is best is
/// found by the balanced distribution, before any speed function is measured.
///
/// ```
/// let pairs = earth_papers::partition::groupings(6).map(|way| (way.groups, way.threads));
/// assert_eq!(pairs.collect::<Vec<_>>(), [(1, 6), (2, 3), (3, 2), (6, 1)]);
/// ```
pub fn groupings(cores: usize) -> impl Iterator<Item = Grouping> {
    (1..=cores)
        .filter(move |groups| cores.is_multiple_of(*groups))
        .map(move |groups| Grouping { groups, threads: cores / groups })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groupings_are_the_factorings_of_the_cores() {
        let pairs = |cores| groupings(cores).map(|way| (way.groups, way.threads)).collect::<Vec<_>>();
        assert_eq!(pairs(36), [(1, 36), (2, 18), (3, 12), (4, 9), (6, 6), (9, 4), (12, 3), (18, 2), (36, 1)]);
        assert_eq!((pairs(1), pairs(0)), (vec![(1, 1)], vec![]));
    }
}
