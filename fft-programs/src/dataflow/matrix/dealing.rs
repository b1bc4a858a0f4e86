//! Who gets which rows of a matrix: groups of nodes, and row blocks within a group.
//!
//! A *group* is an abstract processor of Khokhriakov, Manumachu and Lastovetsky (2018): some consecutive nodes
//! that share a number of consecutive rows, which need not be as many as another group's, and may be none.
//! Within a group the rows are cut into *row blocks* of a number of rows each, the last one of those that are
//! left, which are dealt to its nodes in turn. Without groups all nodes are one.
//!
//! A [`Dealing`] says this in few words; a [`Cut`] is the list of row blocks that
//! follows from it. The columns of a matrix are the rows of its transpose, and are cut likewise.

use std::ops::Range;

use earth::{Block, Element};

use super::error::MatrixError;

/// How the rows of a matrix are dealt to nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dealing {
    groups: Vec<GroupRows>,
}

/// The rows of a group, and its nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct GroupRows {
    rows: usize,
    block: usize,
    first: usize,
    /// 0 stands for all nodes of the machine.
    nodes: usize,
}

impl Dealing {
    /// Deals `rows` rows in row blocks of `block` to all nodes in turn.
    pub fn round(rows: usize, block: usize) -> Self {
        Self { groups: vec![GroupRows { rows, block, first: 0, nodes: 0 }] }
    }

    /// Deals `distribution[i]` rows to group `i`, which is the `threads` nodes from `i * threads` on, in row blocks
    /// of `block(distribution[i])`.
    pub fn grouped(distribution: &[usize], threads: usize, block: impl Fn(usize) -> usize) -> Self {
        let of_group = |(group, &rows): (usize, &usize)| GroupRows {
            rows,
            block: block(rows),
            first: group * threads,
            nodes: threads,
        };
        Self { groups: distribution.iter().enumerate().map(of_group).collect() }
    }

    /// The number of rows that are dealt.
    pub fn rows(&self) -> usize {
        self.groups.iter().fold(0, |rows, group| rows.saturating_add(group.rows))
    }

    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// The number of rows of a row block, but for the last one of a group; the largest, if groups differ.
    pub fn block(&self) -> usize {
        self.groups.iter().map(|group| group.block).max().unwrap_or(0)
    }

    /// The number of rows of a row block of one group, but for its last one.
    ///
    /// # Panics
    ///
    /// If there is no such group.
    pub fn block_of(&self, group: usize) -> usize {
        self.groups[group].block
    }

    /// The list of row blocks.
    ///
    /// # Errors
    ///
    /// [`MatrixError::NoRows`] if a group has row blocks of no rows.
    pub fn cut(&self) -> Result<Cut, MatrixError> {
        let mut blocks = Vec::new();
        let distribution = self.groups.iter().map(|group| group.rows).collect();
        for (index, group) in self.groups.iter().enumerate() {
            if group.block == 0 {
                return Err(MatrixError::NoRows);
            }
            for (turn, start) in (0..group.rows).step_by(group.block).enumerate() {
                let rows = group.block.min(group.rows - start);
                let node = if group.nodes == 0 { None } else { Some(group.first + turn % group.nodes) };
                blocks.push(RowsOf { rows, group: index, node });
            }
        }
        Ok(Cut { distribution, blocks })
    }
}

/// Rows cut into row blocks: for each of them its rows, its group and its node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    distribution: Vec<usize>,
    blocks: Vec<RowsOf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct RowsOf {
    rows: usize,
    group: usize,
    /// `None` if it depends on the number of nodes.
    node: Option<usize>,
}

impl Cut {
    /// The number of row blocks.
    pub fn count(&self) -> usize {
        self.blocks.len()
    }

    /// The rows of each group.
    pub fn distribution(&self) -> &[usize] {
        &self.distribution
    }

    /// The rows of each row block, from the top.
    pub fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.blocks.iter().map(|block| block.rows)
    }

    /// The rows of a row block.
    ///
    /// # Panics
    ///
    /// If there is no such row block.
    pub fn rows_of(&self, block: usize) -> usize {
        self.blocks[block].rows
    }

    /// The row blocks of a group, by their numbers.
    pub fn blocks_of(&self, group: usize) -> Range<usize> {
        let before = |end| self.blocks.partition_point(|block| block.group < end);
        before(group)..before(group + 1)
    }

    /// The group of a row block.
    ///
    /// # Panics
    ///
    /// If there is no such row block.
    pub fn group_of(&self, block: usize) -> usize {
        self.blocks[block].group
    }

    /// The node of a row block, on a machine of `nodes` nodes.
    ///
    /// # Panics
    ///
    /// If there is no such row block.
    pub fn node_of(&self, block: usize, nodes: usize) -> usize {
        self.blocks[block].node.unwrap_or(block % nodes)
    }

    /// The row blocks of a matrix that has all these rows.
    ///
    /// # Panics
    ///
    /// If it has fewer.
    pub fn split_rows<T: Element>(&self, matrix: Block<T>) -> impl Iterator<Item = Block<T>> {
        self.split(matrix, Block::split_rows)
    }

    /// The tiles of a row block that has all these rows as its columns.
    ///
    /// # Panics
    ///
    /// If it has fewer.
    pub fn split_cols<T: Element>(&self, rows: Block<T>) -> impl Iterator<Item = Block<T>> {
        self.split(rows, Block::split_cols)
    }

    fn split<T: Element>(
        &self,
        whole: Block<T>,
        split: impl Fn(Block<T>, usize) -> (Block<T>, Block<T>),
    ) -> impl Iterator<Item = Block<T>> {
        self.blocks.iter().scan(Some(whole), move |rest, block| {
            let (part, left) = split(rest.take()?, block.rows);
            *rest = Some(left);
            Some(part)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(dealing: &Dealing, nodes: usize) -> Vec<[usize; 3]> {
        let cut = dealing.cut().unwrap();
        let rows = cut.rows().enumerate();
        rows.map(|(block, rows)| [rows, cut.group_of(block), cut.node_of(block, nodes)]).collect()
    }

    #[test]
    fn without_groups_all_nodes_take_turns() {
        let dealing = Dealing::round(7, 2);
        assert_eq!((dealing.rows(), dealing.groups()), (7, 1));
        assert_eq!(listed(&dealing, 3), [[2, 0, 0], [2, 0, 1], [2, 0, 2], [1, 0, 0]]);
        assert_eq!(Dealing::round(0, 1).cut().unwrap().count(), 0);
    }

    #[test]
    fn a_group_deals_its_rows_to_its_own_nodes() {
        let dealing = Dealing::grouped(&[5, 0, 3], 2, |rows| rows.div_ceil(2).max(1));
        assert_eq!((dealing.rows(), dealing.groups()), (8, 3));
        assert_eq!(listed(&dealing, 6), [[3, 0, 0], [2, 0, 1], [2, 2, 4], [1, 2, 5]]);
        assert_eq!(
            [0, 1, 2, 3].map(|group| dealing.cut().unwrap().blocks_of(group)),
            [0..2, 2..2, 2..4, 4..4]
        );
        let dealing = Dealing::grouped(&[5], 2, |_| 1);
        let nodes: Vec<_> = listed(&dealing, 2).iter().map(|block| block[2]).collect();
        assert_eq!(nodes, [0, 1, 0, 1, 0]);
    }

    #[test]
    fn parts_are_what_the_list_says() {
        let dealing = Dealing::grouped(&[2, 3], 1, |rows| rows - 1);
        let cut = dealing.cut().unwrap();
        let matrix = || Block::from_fn(5, 5, |i, j| (10 * i + j) as u64);
        let firsts: Vec<_> = cut.split_rows(matrix()).map(|part| (part.rows(), part.row(0)[0])).collect();
        assert_eq!(firsts, [(1, 0), (1, 10), (2, 20), (1, 40)]);
        let firsts: Vec<_> = cut.split_cols(matrix()).map(|part| (part.cols(), part.row(0)[0])).collect();
        assert_eq!(firsts, [(1, 0), (1, 1), (2, 2), (1, 4)]);
    }

    #[test]
    fn blocks_of_no_rows_are_refused() {
        assert_eq!(Dealing::round(4, 0).cut(), Err(MatrixError::NoRows));
    }
}
