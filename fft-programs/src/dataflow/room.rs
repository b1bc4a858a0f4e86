//! Memory whose elements do not count: what a program has work done in, before there is anything in it and after.

use earth::{Block, Element, Packer, Undecodable, Unpacker, Wire};

use super::points::{whole_matrix, whole_rows};

/// A block that is moved for its memory. Within a process it is the block; through bytes its shape goes alone, and what
/// arrives is new memory. As no data moves with it, it counts as none.
#[derive(Debug)]
pub struct Room<E: Element>(Block<E>);

impl<E: Element> Room<E> {
    /// The memory of a block.
    pub fn of(block: Block<E>) -> Self {
        Self(block)
    }

    /// The block; its elements are unspecified.
    pub fn into_block(self) -> Block<E> {
        self.0
    }

    /// Joins memory from the left, as [`whole_rows`] does.
    pub(super) fn joined_rows(parts: impl Iterator<Item = Self>) -> Self {
        Self(whole_rows(parts.map(Self::into_block).collect()))
    }

    /// Joins memory from the top, as [`whole_matrix`] does.
    pub(super) fn joined_matrix(parts: impl Iterator<Item = Self>) -> Self {
        Self(whole_matrix(parts.map(Self::into_block).collect()))
    }
}

impl<E: Element> Wire for Room<E> {
    fn pack(self, out: &mut Packer) {
        self.0.is_phantom().pack(out);
        out.length(self.0.rows());
        out.length(self.0.cols());
    }

    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let is_phantom = bool::unpack(input)?;
        let (rows, cols) = (input.length(0)?, input.length(0)?);
        // A shape that no block has is refused before anything is allocated.
        let phantom = Block::phantom(rows, cols).map_err(|_| Undecodable)?;
        if is_phantom {
            return Ok(Self(phantom));
        }
        let elements = bytemuck::allocation::try_zeroed_vec(rows * cols).map_err(|()| Undecodable)?;
        Block::from_vec(rows, cols, elements).map(Self).map_err(|_| Undecodable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(room: Room<f64>) -> (usize, Block<f64>) {
        let mut out = Packer::default();
        room.pack(&mut out);
        let bytes = out.into_bytes();
        let back = Room::unpack(&mut Unpacker::new(&bytes)).unwrap();
        (bytes.len(), back.into_block())
    }

    #[test]
    fn its_shape_goes_through_bytes_and_nothing_else() {
        let (block, _) = Block::from_fn(30, 40, |_, _| 1.0).split_cols(20);
        let (bytes, back) = through(Room::of(block));
        assert_eq!((bytes, back.rows(), back.cols(), back.is_phantom()), (17, 30, 20, false));
        let (bytes, back) = through(Room::of(Block::phantom(1 << 20, 1 << 20).unwrap()));
        assert_eq!((bytes, back.len(), back.is_phantom()), (17, 1 << 40, true));
        assert_eq!(Room::of(back).bulk_bytes(), 0);
        let mut lie = Packer::default();
        (false, 1_u64 << 31, 1_u64 << 31).pack(&mut lie);
        assert!(Room::<f64>::unpack(&mut Unpacker::new(&lie.into_bytes())).is_err());
    }
}
