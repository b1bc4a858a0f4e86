//! Blocks of points, how parts are joined, and memory that is sent without its contents.

use earth::{Block, Element, Packer, Undecodable, Unpacker, Wire, join_all_cols, join_all_rows};
use earth_kernels::Real;
use earth_memory::{NoMemory, Pool, try_filled, try_room};
use num_complex::Complex;

/// Bytes of a cache line. Where lines are longer, two rows share a set for a while.
pub const LINE: usize = 64;

/// Block of points.
pub type Points<T> = Block<Complex<T>>;

/// Allocates scratch of `len` points for a fiber. Its run ends with [`earth::Error::NoMemory`] if memory is
/// short.
pub fn scratch<T: Real>(len: usize) -> Vec<Complex<T>> {
    or_unwind(try_filled(T::zero().into(), len, "scratch"))
}

/// Returns the memory that a fiber requested. Its run ends with [`earth::Error::NoMemory`] if the allocation
/// failed.
pub fn or_unwind<M>(memory: Result<M, NoMemory>) -> M {
    memory.unwrap_or_else(|none| none.unwind())
}

/// Returns a row of `points` points with arbitrary contents, from a pool: its last handle returns it there.
/// Without a pool the row is a phantom.
///
/// # Errors
///
/// [`NoMemory`].
pub fn row_of<T: Real>(pool: Option<&Pool>, points: usize) -> Result<Points<T>, NoMemory> {
    let Some(pool) = pool else {
        return Ok(Block::phantom(1, points).unwrap_or_else(|error| panic!("{error}")));
    };
    let mut memory = pool.take(points * size_of::<Complex<T>>())?;
    let row = memory.block(1, points);
    Ok(row.unwrap_or_else(|| unreachable!("fresh memory of {points} points has no block yet")))
}

/// Returns the elements of a block without gaps.
pub fn elements<E: Element>(block: &Block<E>) -> &[E] {
    block.as_slice().unwrap_or_else(|| unreachable!("the block has no gaps"))
}

/// Returns the elements of a block without gaps.
pub fn elements_mut<E: Element>(block: &mut Block<E>) -> &mut [E] {
    block.as_mut_slice().unwrap_or_else(|| unreachable!("the block has no gaps"))
}

/// Panics unless the signal is one row with the plan's number of points.
#[track_caller]
pub fn check_signal<T: Real>(signal: &Points<T>, points: usize) {
    let found = (signal.rows(), signal.cols());
    assert_eq!(found, (1, points), "the rows and points of the signal differ from the plan's");
}

/// Copies the elements of several blocks to a new block, row by row. Phantoms become a phantom.
pub fn copied<'a, E: Element>(
    [rows, cols]: [usize; 2],
    blocks: &'a [Block<E>],
    elements: impl Iterator<Item = &'a E>,
) -> Block<E> {
    if let Some(phantom) = blocks.iter().find(|block| block.is_phantom()) {
        return phantom.zeroed_like(rows, cols);
    }
    let mut together = or_unwind(try_room(rows * cols, "a copy of blocks"));
    together.extend(elements);
    Block::from_vec(rows, cols, together).unwrap_or_else(|error| panic!("{error}"))
}

/// Joins tiles with equal rows, from the left, to whole rows. Within a process they are still adjacent as
/// before the split. Tiles that arrived as bytes are copied.
pub fn whole_rows<E: Element>(tiles: Vec<Block<E>>) -> Block<E> {
    join_all_cols(tiles).unwrap_or_else(|tiles| {
        let rows = tiles.first().map_or(0, Block::rows);
        let together = (0..rows).flat_map(|row| tiles.iter().flat_map(move |tile| tile.row(row)));
        copied([rows, tiles.iter().map(Block::cols).sum()], &tiles, together)
    })
}

/// Joins row blocks, from the top, to a matrix; see [`whole_rows`].
pub fn whole_matrix<E: Element>(blocks: Vec<Block<E>>) -> Block<E> {
    join_all_rows(blocks).unwrap_or_else(|blocks| {
        let cols = blocks.first().map_or(0, Block::cols);
        let together = blocks.iter().flat_map(Block::iter_rows).flatten();
        copied([blocks.iter().map(Block::rows).sum(), cols], &blocks, together)
    })
}

/// Joins blocks of a series, from the first to the last, to one block of `shape`. Within a process they are
/// still adjacent, beside or below each other, as they were dealt. Blocks that arrived as bytes are copied.
pub fn whole_series<E: Element>(shape: [usize; 2], blocks: Vec<Block<E>>) -> Block<E> {
    join_all_cols(blocks)
        .or_else(join_all_rows)
        .unwrap_or_else(|parts| copied(shape, &parts, parts.iter().flat_map(Block::iter_rows).flatten()))
}

/// Block that is moved for its memory, before and after it has contents. Within a process it is the block
/// itself. Through bytes only its shape is sent, and the receiver allocates new memory. It counts as no
/// bytes, because no data move with it.
#[derive(Debug)]
pub struct Room<E: Element>(Block<E>);

impl<E: Element> Room<E> {
    /// Takes the memory of a block.
    pub fn of(block: Block<E>) -> Self {
        Self(block)
    }

    /// Returns the block; its elements are unspecified.
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
        // An impossible shape is refused before any allocation.
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
