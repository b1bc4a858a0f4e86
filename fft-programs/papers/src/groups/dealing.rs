//! Distribution of the rows of a matrix over groups of nodes, and their lengths.
//!
//! A *group* is an abstract processor of Khokhriakov, Manumachu and Lastovetsky (2018): consecutive nodes
//! that share consecutive rows. Groups may have different numbers of rows, and none at all. Within a group
//! the rows are cut into *row blocks* of a fixed number of rows; the last block may be shorter. The blocks
//! are dealt to the group's nodes in turn. Without groups all nodes form one group.
//!
//! A [`Dealing`] is the compact description; a [`Cut`] is the list of row blocks that follows from it. The
//! columns of a matrix are the rows of its transpose, and are cut in the same way.
//!
//! *Lengths.* A row of n points may have a leading dimension of more than n points, and may be transformed
//! through another length. Each group chooses:
//!
//! * none: rows of n points, as they came;
//! * *stride*: while the rows of a group are transformed they have a [leading dimension](super::pass) of w >
//!   n points, so that the elements of a column fall into different sets of a cache. Exact: the same
//!   transforms are computed, and the padding is never read;
//! * *chirp*: a group transforms its rows through a faster length of at least 2 n - 1
//!   ([`Chirp`](earth_codelets::Chirp)). Exact too, and can be combined with a stride;
//! * *spectrum*: rows have a leading dimension of m > n points, are filled up with zeros, and are transformed
//!   as rows of m points. The first n points are kept: the spectrum on a finer grid, cropped. This is
//!   PFFT-FPM-PAD as published (Khokhriakov, Manumachu and Lastovetsky 2018, section II.D), with one m for
//!   all groups. With different lengths the second pass would mix rows of different grids. The result is
//!   **not** the transform of the row.

use earth_fft::dataflow::MatrixError;
use earth_fft::dataflow::cut::{Cut, RowBlock, rows_of_blocks};
use earth_fft::dataflow::points::LINE;
use earth_fft::dataflow::work::USUAL;

use crate::error::Error;

/// Distribution of the rows of a matrix over nodes, and the lengths of the rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dealing {
    /// Points of a row.
    pub(crate) len: usize,
    /// Points of a transformed row.
    pub(crate) transformed: usize,
    pub(crate) groups: Vec<GroupRows>,
}

/// Rows of a group, and its nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GroupRows {
    rows: usize,
    /// Rows of a row block, except for the last one.
    pub(crate) block: usize,
    first: usize,
    /// Number of nodes; 0 stands for all nodes of the machine.
    nodes: usize,
    /// Leading dimension of the rows while they are transformed, in points.
    pub(crate) leading: usize,
    /// Length of the chirp, in points; 0 for no chirp.
    pub(crate) through: usize,
    /// Time of the rows in virtual time, in thousandths of the usual time.
    pub(crate) pace: u32,
}

impl GroupRows {
    fn of(rows: usize, block: usize, len: usize, [first, nodes]: [usize; 2]) -> Self {
        Self { rows, block, first, nodes, leading: len, through: 0, pace: USUAL }
    }
}

impl Dealing {
    /// Deals `rows` rows of `len` points in row blocks of `block` to all nodes in turn.
    pub fn round(rows: usize, len: usize, block: usize) -> Self {
        Self { len, transformed: len, groups: vec![GroupRows::of(rows, block, len, [0, 0])] }
    }

    /// Deals a matrix of `rows` rows and `cols` columns, and its transpose, to all nodes in turn. `blocks`
    /// are the numbers of rows of their row blocks.
    pub fn of_matrix([rows, cols]: [usize; 2], blocks: [usize; 2]) -> [Self; 2] {
        [Self::round(rows, cols, blocks[0]), Self::round(cols, rows, blocks[1])]
    }

    /// Deals `distribution[i]` rows of `len` points to group `i` in row blocks of `block` rows. Group `i` is
    /// the `threads` nodes from `i * threads` on. By default each node of a group has four row blocks.
    pub fn grouped(distribution: &[usize], threads: usize, len: usize, block: Option<usize>) -> Self {
        let groups = distribution.len();
        let of_group = |(group, &rows): (usize, &usize)| {
            let block = block.unwrap_or_else(|| default_rows_of(rows, groups, threads));
            GroupRows::of(rows, block, len, [group * threads, threads])
        };
        Self { len, transformed: len, groups: distribution.iter().enumerate().map(of_group).collect() }
    }

    /// Gives rows of group `i` the leading dimension `strides[i]` while they are transformed. 0, or a missing
    /// entry, means the row length.
    #[must_use]
    pub fn strides(mut self, strides: &[usize]) -> Self {
        let len = self.len;
        self.each(strides, |group, stride| group.leading = if stride == 0 { len } else { stride });
        self
    }

    /// Has group `i` transform its rows by a chirp of length `lengths[i]`. 0, or a missing entry, means no
    /// chirp.
    #[must_use]
    pub fn chirps(mut self, lengths: &[usize]) -> Self {
        self.each(lengths, |group, through| group.through = through);
        self
    }

    /// Has rows of group `i` take `paces[i]` thousandths of their usual work on machines of virtual time. 0,
    /// or a missing entry, means the usual work.
    pub(super) fn paces(mut self, paces: &[u32]) -> Self {
        self.each(paces, |group, pace| group.pace = if pace == 0 { USUAL } else { pace });
        self
    }

    /// Fills rows up with zeros to `length` points, which becomes their leading dimension too.
    pub(super) fn filled(mut self, length: usize) -> Self {
        self.transformed = length;
        self.groups.iter_mut().for_each(|group| group.leading = length);
        self
    }

    fn each<V: Copy>(&mut self, values: &[V], set: impl Fn(&mut GroupRows, V)) {
        self.groups.iter_mut().zip(values).for_each(|(group, &value)| set(group, value));
    }

    /// Returns the number of rows of all groups.
    pub(crate) fn rows(&self) -> usize {
        self.groups.iter().fold(0, |rows, group| rows.saturating_add(group.rows))
    }

    /// Returns the list of row blocks.
    ///
    /// # Errors
    ///
    /// [`MatrixError::NoRows`] if a group has row blocks of 0 rows.
    pub(crate) fn cut(&self) -> Result<Cut, Error> {
        let mut blocks = Vec::new();
        let distribution = self.groups.iter().map(|group| group.rows).collect();
        for (index, group) in self.groups.iter().enumerate() {
            if group.block == 0 {
                return Err(MatrixError::NoRows.into());
            }
            for (turn, start) in (0..group.rows).step_by(group.block).enumerate() {
                let rows = group.block.min(group.rows - start);
                let node = if group.nodes == 0 { None } else { Some(group.first + turn % group.nodes) };
                blocks.push(RowBlock { rows, group: index, node });
            }
        }
        Ok(Cut::new(distribution, blocks))
    }
}

/// Row blocks of a node.
const BLOCKS: usize = 4;

/// Returns the number of rows of a row block, for `rows` rows on `nodes` nodes.
///
/// On one node a block has all rows, since tiles have no advantage there. Otherwise each node gets four
/// blocks if there are enough rows. A node can then work on some while others wait for tiles, and a short
/// last block leaves no node idle for long. The number of tiles is the square of the number of blocks.
pub fn default_rows(rows: usize, nodes: usize) -> usize {
    rows_of_blocks(rows, nodes, BLOCKS)
}

/// Returns the number of rows of a row block, for the `rows` rows of one of `groups` groups of `threads`
/// nodes. A group of a single node has four blocks too, since the other groups wait for its tiles.
fn default_rows_of(rows: usize, groups: usize, threads: usize) -> usize {
    if groups == 1 {
        return default_rows(rows, threads);
    }
    rows.div_ceil((BLOCKS * threads).max(1)).max(1)
}

/// Returns the least leading dimension for rows of `len` points of `point` bytes that is an odd number of
/// cache lines.
///
/// With it, rows begin in all sets of a cache in turn, whatever power of two the number of sets is.
/// Contiguous rows of 2^k points would all begin in the same few sets.
///
/// # Panics
///
/// If `point` is 0 or does not divide the size of a cache line.
pub fn odd_lines(len: usize, point: usize) -> usize {
    assert!(point > 0 && LINE.is_multiple_of(point), "points of {point} bytes in lines of {LINE}");
    let points = LINE / point;
    (len.div_ceil(points) | 1) * points
}

/// Returns the lengths that a chirp for `len` points may have and at which row kernels are fast, shortest
/// first.
///
/// These are 2^k and 2^k times 3, 5 or 9, from 2 `len` - 1 to less than 4 `len`. The list is empty if these
/// limits overflow a `usize`.
pub fn chirp_lengths(len: usize) -> Vec<usize> {
    let (Some(least), Some(end)) =
        (len.checked_mul(2).map(|twice| twice.saturating_sub(1)), len.checked_mul(4))
    else {
        return Vec::new();
    };
    let of_factor = |factor: usize| {
        let powers = (0..usize::BITS).map_while(move |bits| factor.checked_mul(1 << bits));
        powers.skip_while(move |&length| length < least).take_while(move |&length| length < end)
    };
    let mut lengths: Vec<_> = [1, 3, 5, 9].into_iter().flat_map(of_factor).collect();
    lengths.sort_unstable();
    lengths
}

#[cfg(test)]
mod tests {
    use earth::Block;

    use super::*;

    fn listed(dealing: &Dealing, nodes: usize) -> Vec<[usize; 3]> {
        let cut = dealing.cut().unwrap();
        let rows = cut.rows().enumerate();
        rows.map(|(block, rows)| [rows, cut.group_of(block), cut.node_of(block, nodes)]).collect()
    }

    #[test]
    fn without_groups_all_nodes_take_turns() {
        let dealing = Dealing::round(7, 5, 2);
        assert_eq!((dealing.rows(), dealing.groups.len()), (7, 1));
        assert_eq!(listed(&dealing, 3), [[2, 0, 0], [2, 0, 1], [2, 0, 2], [1, 0, 0]]);
        assert_eq!(Dealing::round(0, 5, 1).cut().unwrap().count(), 0);
    }

    #[test]
    fn a_group_deals_its_rows_to_its_own_nodes() {
        let dealing = Dealing::grouped(&[5, 0, 3], 2, 5, Some(3));
        assert_eq!((dealing.rows(), dealing.groups.len()), (8, 3));
        assert_eq!(listed(&dealing, 6), [[3, 0, 0], [2, 0, 1], [3, 2, 4]]);
        assert_eq!(
            [0, 1, 2, 3].map(|group| dealing.cut().unwrap().blocks_of(group)),
            [0..2, 2..2, 2..3, 3..3]
        );
        let dealing = Dealing::grouped(&[5], 2, 5, Some(1));
        let nodes: Vec<_> = listed(&dealing, 2).iter().map(|block| block[2]).collect();
        assert_eq!(nodes, [0, 1, 0, 1, 0]);
    }

    #[test]
    fn parts_follow_the_list() {
        let dealing = Dealing::grouped(&[2, 3], 1, 5, Some(2));
        let cut = dealing.cut().unwrap();
        let matrix = || Block::from_fn(5, 5, |i, j| (10 * i + j) as u64);
        let firsts: Vec<_> = cut.split_rows(matrix()).map(|part| (part.rows(), part.row(0)[0])).collect();
        assert_eq!(firsts, [(2, 0), (2, 20), (1, 40)]);
        let firsts: Vec<_> = cut.split_cols(matrix()).map(|part| (part.cols(), part.row(0)[0])).collect();
        assert_eq!(firsts, [(2, 0), (2, 2), (1, 4)]);
    }

    #[test]
    fn blocks_of_no_rows_are_refused() {
        assert_eq!(Dealing::round(4, 5, 0).cut(), Err(MatrixError::NoRows.into()));
    }

    #[test]
    fn rows_of_a_power_of_two_get_one_line_more_and_odd_ones_none() {
        assert_eq!([4, 5, 1024, 1028, 1030].map(|len| odd_lines(len, 16)), [4, 12, 1028, 1028, 1036]);
        assert_eq!([8, 9, 1024].map(|len| odd_lines(len, 8)), [8, 24, 1032]);
        for len in 1..500 {
            let width = odd_lines(len, 16);
            assert!(width >= len && width < len + 8 && width / 4 % 2 == 1 && width.is_multiple_of(4));
        }
    }

    #[test]
    fn chirps_go_through_fast_lengths_that_have_room() {
        assert_eq!(chirp_lengths(1), [1, 2, 3]);
        assert_eq!(chirp_lengths(100), [256, 288, 320, 384]);
        assert_eq!(chirp_lengths(1009), [2048, 2304, 2560, 3072]);
        assert_eq!(chirp_lengths(1024), [2048, 2304, 2560, 3072]);
        assert_eq!(chirp_lengths(usize::MAX), Vec::<usize>::new());
        for len in 1..2000 {
            let lengths = chirp_lengths(len);
            assert!(lengths.len() >= 3 && lengths[0] >= 2 * len - 1, "{len}: {lengths:?}");
        }
    }
}
