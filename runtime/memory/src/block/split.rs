//! Splitting a block into parts, and joining parts.
//!
//! Every operation here consumes the handles it receives and makes new handles for exactly the same elements.
//! So **Disjoint** holds afterwards if it held before: the two parts of a split share no element, and a join
//! makes one block of two that touch along a whole side. [`Rectangle`](super::Rectangle) alone decides which
//! parts touch, regardless of how they were made. For example, the four tiles of a matrix may be split by
//! rows and joined by columns.

use std::sync::Arc;

use super::{Block, Rectangle};
use crate::storage::Element;

impl<T: Element> Block<T> {
    /// Returns the first `k` rows and the rest. Either part may be empty.
    ///
    /// # Panics
    ///
    /// If there are fewer than `k` rows.
    #[track_caller]
    pub fn split_rows(self, k: usize) -> (Self, Self) {
        let rows = self.rows();
        let parts = self.rectangle.split_rows(k);
        self.apart(parts.unwrap_or_else(|| panic!("a block of {rows} rows cannot be split after row {k}")))
    }

    /// Returns the first `k` columns and the rest. Either part may be empty.
    ///
    /// # Panics
    ///
    /// If there are fewer than `k` columns.
    #[track_caller]
    pub fn split_cols(self, k: usize) -> (Self, Self) {
        let cols = self.cols();
        let parts = self.rectangle.split_cols(k);
        self.apart(
            parts.unwrap_or_else(|| panic!("a block of {cols} columns cannot be split after column {k}")),
        )
    }

    /// Makes the two blocks of a split of this block's rectangle.
    fn apart(self, (first, second): (Rectangle, Rectangle)) -> (Self, Self) {
        let storage = Arc::clone(&self.storage);
        (Self { storage: self.storage, rectangle: first }, Self { storage, rectangle: second })
    }

    /// Iterates over blocks of `k` rows each, from the top. The last block has the remaining rows. A block
    /// without rows gives no parts. Dropping the iterator drops the parts not yet taken.
    ///
    /// # Panics
    ///
    /// If `k` is 0.
    #[track_caller]
    pub fn split_rows_into(self, k: usize) -> impl ExactSizeIterator<Item = Self> {
        assert!(k > 0, "a block cannot be split into parts of 0 rows");
        let parts = self.rows().div_ceil(k);
        self.parts(parts, move |rest| {
            let k = k.min(rest.rows());
            rest.split_rows(k)
        })
    }

    /// Iterates over blocks of `k` columns each, from the left. The last block has the remaining columns. A
    /// block without columns gives no parts. Dropping the iterator drops the parts not yet taken.
    ///
    /// # Panics
    ///
    /// If `k` is 0.
    #[track_caller]
    pub fn split_cols_into(self, k: usize) -> impl ExactSizeIterator<Item = Self> {
        assert!(k > 0, "a block cannot be split into parts of 0 columns");
        let parts = self.cols().div_ceil(k);
        self.parts(parts, move |rest| {
            let k = k.min(rest.cols());
            rest.split_cols(k)
        })
    }

    fn parts(
        self,
        count: usize,
        split: impl Fn(Self) -> (Self, Self),
    ) -> impl ExactSizeIterator<Item = Self> {
        let mut rest = Some(self);
        (0..count).map(move |_| {
            let (part, left) = split(rest.take().expect("put back after each split"));
            rest = Some(left);
            part
        })
    }

    /// Joins this block and the one below it into one.
    ///
    /// # Errors
    ///
    /// Both blocks, unless `below` is in the same storage, has the same columns, and begins at the next row.
    pub fn join_rows(self, below: Self) -> Result<Self, (Self, Self)> {
        let joined = self.rectangle.join_rows(below.rectangle);
        self.together(below, joined)
    }

    /// Joins this block and the one to its right into one.
    ///
    /// # Errors
    ///
    /// Both blocks, unless `right` is in the same storage, has the same rows, and begins at the next column.
    pub fn join_cols(self, right: Self) -> Result<Self, (Self, Self)> {
        let joined = self.rectangle.join_cols(right.rectangle);
        self.together(right, joined)
    }

    /// Makes one block of two, if they have a joined rectangle and the same storage.
    fn together(self, other: Self, joined: Option<Rectangle>) -> Result<Self, (Self, Self)> {
        match joined {
            Some(rectangle) if Arc::ptr_eq(&self.storage, &other.storage) => {
                Ok(Self { storage: self.storage, rectangle })
            }
            _ => Err((self, other)),
        }
    }
}

/// Joins many blocks, each below the one before it, into one.
///
/// # Errors
///
/// All handles in order, if a block does not touch the blocks before it. The blocks already joined come
/// first, as one block. The list is empty if `blocks` is empty.
pub fn join_all_rows<T: Element>(
    blocks: impl IntoIterator<Item = Block<T>>,
) -> Result<Block<T>, Vec<Block<T>>> {
    join_all(blocks, Block::join_rows)
}

/// Joins many blocks, each to the right of the one before it, into one.
///
/// # Errors
///
/// As [`join_all_rows`].
pub fn join_all_cols<T: Element>(
    blocks: impl IntoIterator<Item = Block<T>>,
) -> Result<Block<T>, Vec<Block<T>>> {
    join_all(blocks, Block::join_cols)
}

fn join_all<T: Element>(
    blocks: impl IntoIterator<Item = Block<T>>,
    join: impl Fn(Block<T>, Block<T>) -> Result<Block<T>, (Block<T>, Block<T>)>,
) -> Result<Block<T>, Vec<Block<T>>> {
    let mut blocks = blocks.into_iter();
    let mut whole = blocks.next().ok_or_else(Vec::new)?;
    while let Some(next) = blocks.next() {
        whole = join(whole, next)
            .map_err(|(whole, next)| [whole, next].into_iter().chain(blocks.by_ref()).collect::<Vec<_>>())?;
    }
    Ok(whole)
}
