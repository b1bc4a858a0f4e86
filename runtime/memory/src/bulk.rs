//! Blocks on their way between processes: rows of bytes, without the type of the elements.
//!
//! A block that leaves its process becomes a [`Bulk`], which keeps the block alive and shows its rows as
//! bytes. So a transport sends the rows from where they are stored. A block that arrives is stored by the
//! transport in [`Landed`] memory, which becomes a block without a copy.

use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;

use crate::block::Block;
use crate::published::Published;
use crate::storage::Element;

/// The rows of a block, as bytes. It keeps the block alive, and frees it when it is dropped.
pub struct Bulk(Box<dyn Rows>);

/// A block of any element type.
trait Rows: Send {
    fn rows(&self) -> usize;
    fn row_bytes(&self) -> usize;
    fn row(&self, number: usize) -> &[u8];
    fn contiguous(&self) -> Option<&[u8]>;
}

/// A handle `H` of a block of `T`.
struct Handle<T, H>(H, PhantomData<fn() -> T>);

impl<T: Element, H: Borrow<Block<T>> + Send> Rows for Handle<T, H> {
    fn rows(&self) -> usize {
        self.0.borrow().rows()
    }
    fn row_bytes(&self) -> usize {
        self.0.borrow().cols() * size_of::<T>()
    }
    fn row(&self, number: usize) -> &[u8] {
        bytemuck::cast_slice(self.0.borrow().row(number))
    }
    fn contiguous(&self) -> Option<&[u8]> {
        self.0.borrow().as_slice().map(bytemuck::cast_slice)
    }
}

impl<T: Element> Borrow<Block<T>> for Published<T> {
    fn borrow(&self) -> &Block<T> {
        self
    }
}

impl Bulk {
    /// Makes the bulk of a block or a published block.
    ///
    /// # Panics
    ///
    /// If the block is a [phantom](Block::phantom), which has no bytes.
    pub fn new<T: Element>(handle: impl Borrow<Block<T>> + Send + 'static) -> Self {
        assert!(!handle.borrow().is_phantom(), "a phantom block has no bytes that could be sent");
        Bulk(Box::new(Handle(handle, PhantomData)))
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.0.rows()
    }

    /// Returns the length of each row, in bytes.
    pub fn row_bytes(&self) -> usize {
        self.0.row_bytes()
    }

    /// Returns the length of all rows, in bytes, without the gaps between them.
    pub fn bytes(&self) -> usize {
        self.rows() * self.row_bytes()
    }

    /// Returns the bytes of row `number`.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn row(&self, number: usize) -> &[u8] {
        self.0.row(number)
    }

    /// Returns all rows as one slice, if there are no gaps between them.
    pub fn contiguous(&self) -> Option<&[u8]> {
        self.0.contiguous()
    }

    /// Copies the rows into `to`, without gaps.
    ///
    /// # Panics
    ///
    /// If `to` does not have exactly [`bytes`](Self::bytes) bytes.
    pub fn gather(&self, to: &mut [u8]) {
        assert_eq!(to.len(), self.bytes(), "the rows of a block are gathered into memory of their size");
        if let Some(bytes) = self.contiguous() {
            to.copy_from_slice(bytes);
        } else {
            let rows = to.chunks_exact_mut(self.row_bytes().max(1));
            rows.enumerate().for_each(|(number, to)| to.copy_from_slice(self.row(number)));
        }
    }
}

impl fmt::Debug for Bulk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bulk").field("rows", &self.rows()).field("row_bytes", &self.row_bytes()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_shown_as_bytes_whatever_their_stride() {
        let (left, right) = Block::from_fn(3, 4, |i, j| (10 * i + j) as u16).split_cols(1);
        let (left, right) = (Bulk::new(left), Bulk::new(right.publish()));
        assert_eq!((left.rows(), left.row_bytes(), left.bytes(), left.contiguous()), (3, 2, 6, None));
        assert_eq!(right.row(2), [21, 0, 22, 0, 23, 0]);
        let mut gathered = [9; 6];
        left.gather(&mut gathered);
        assert_eq!(gathered, [0, 0, 10, 0, 20, 0]);
        let whole = Bulk::new(Block::from_fn(2, 2, |i, j| (i + j) as u8));
        assert_eq!(whole.contiguous(), Some(&[0, 1, 1, 2][..]));
        // A block without columns has rows, but no bytes.
        Bulk::new(Block::<u64>::zeroed(5, 0)).gather(&mut []);
    }

    #[test]
    #[should_panic(expected = "a phantom block has no bytes")]
    fn a_phantom_has_no_bulk() {
        Bulk::new(Block::<u64>::phantom(5, 5).expect("the shape is possible"));
    }
}
