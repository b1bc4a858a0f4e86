//! Blocks of points, and how parts of them are joined to a whole.

use earth::{Block, Element, join_all_cols, join_all_rows};
use earth_kernels::Real;
use earth_memory::{NoMemory, try_filled, try_room};
use num_complex::Complex;

/// The bytes of a cache line. Where lines are longer, two rows share a set for a while.
pub const LINE: usize = 64;

/// A block of points.
pub type Points<T> = Block<Complex<T>>;

/// Scratch of `len` points for a fiber, whose run ends with [`earth::Error::NoMemory`] if memory is short.
pub fn scratch<T: Real>(len: usize) -> Vec<Complex<T>> {
    had(try_filled(T::zero().into(), len, "scratch"))
}

/// The memory that a fiber asked for. Its run ends with [`earth::Error::NoMemory`] if there is none.
pub fn had<M>(memory: Result<M, NoMemory>) -> M {
    memory.unwrap_or_else(|none| none.unwind())
}

/// Panics unless the signal is one row of the plan's points.
#[track_caller]
pub fn check_signal<T: Real>(signal: &Points<T>, points: usize) {
    let found = (signal.rows(), signal.cols());
    assert_eq!(found, (1, points), "a signal of other rows and points than the plan's");
}

/// Copies the elements of several blocks to a block of new memory, row by row; phantoms become a phantom.
pub fn copied<'a, E: Element>(
    [rows, cols]: [usize; 2],
    blocks: &'a [Block<E>],
    elements: impl Iterator<Item = &'a E>,
) -> Block<E> {
    if let Some(phantom) = blocks.iter().find(|block| block.is_phantom()) {
        return phantom.zeroed_like(rows, cols);
    }
    let mut together = had(try_room(rows * cols, "a copy of blocks"));
    together.extend(elements);
    Block::from_vec(rows, cols, together).unwrap_or_else(|error| panic!("{error}"))
}

/// Joins tiles of the same rows, from the left, to whole rows. Within a process they are where they were when they
/// were split, next to each other; those that came through bytes have to be copied.
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

/// Joins blocks of a series, from the first to the last, to one of `shape`. Within a process they are where they were when they
/// were dealt, beside each other, or below; those that came through bytes have to be copied.
pub fn whole_series<E: Element>(shape: [usize; 2], blocks: Vec<Block<E>>) -> Block<E> {
    join_all_cols(blocks)
        .or_else(join_all_rows)
        .unwrap_or_else(|parts| copied(shape, &parts, parts.iter().flat_map(Block::iter_rows).flatten()))
}
