//! Transpositions of tiles: rectangles of a matrix, held as blocks that may be strided.
//!
//! * [`transpose`] transposes a square tile in place, for tiles on the diagonal of a matrix.
//! * [`exchange_transposed`] transposes two tiles that mirror each other across the diagonal, each into the
//!   other's place.
//! * [`transpose_into`] transposes a tile into another matrix.
//!
//! *Algorithm.* An element-by-element transposition reads or writes one of the two tiles column by column.
//! Each element then costs a cache line, and past some hundred rows also a page. Therefore tiles are
//! transposed in *patches* of at most 8 x 8 elements. A patch is read row by row into an array on the stack
//! (1 KiB of complex doubles) and written transposed, again row by row. Patches follow the rows of the first
//! tile within *bands* of 64 columns, so that the second tile is accessed in at most 64 rows, hence pages, at
//! a time. The only allocation is a list of the rows, so that no row is looked up in its block for every
//! patch.
//!
//! *Cost.* One read and one write of every element. Times for complex doubles in place, in ns per element:
//!
//! | Size | Patches | Swaps one by one |
//! |---|---|---|
//! | 256 x 256 | 1.1 to 1.9 | 4.0 to 4.3 |
//! | 4096 x 4096 | 3.0 to 3.7 | 6.8 to 8.5 |
//! | 1000 x 1000 | 2.7 to 3.5 | 1.1 to 1.8 |
//!
//! (Three runs on a busy machine, each a median of 7, not interleaved.) *When it loses.* Swaps one by one are
//! faster where the stride is not a power of two, as for 1000 x 1000. Tiles only a few elements wide are
//! transposed in equally thin patches.

use std::array;
use std::ops::Range;

use earth_memory::{Block, Element};

/// Side of a patch, in elements.
const PATCH: usize = 8;

/// Width of a band, in columns: a multiple of [`PATCH`].
const BAND: usize = 64;

/// Part of a tile that is transposed at once.
type Patch<T> = [[T; PATCH]; PATCH];

/// Transposes a square tile in place.
///
/// # Panics
///
/// If the tile is not square.
#[track_caller]
pub fn transpose<T: Element>(tile: &mut Block<T>) {
    let (rows, cols) = shape(tile);
    assert_eq!(rows, cols, "a tile of {rows} x {cols} elements cannot be transposed in place");
    let mut tile: Vec<_> = tile.iter_rows_mut().collect();
    let [mut upper, mut lower] = [blank(), blank()];
    patches(rows, cols, |i, j| {
        // Patches right of the diagonal are exchanged with their mirror images.
        if i.start > j.start {
            return;
        }
        read(&tile, &i, &j, &mut upper);
        if i.start < j.start {
            read(&tile, &j, &i, &mut lower);
            write_turned(&mut tile, &i, &j, &lower);
        }
        write_turned(&mut tile, &j, &i, &upper);
    });
}

/// Transposes two tiles into each other: afterwards `a` holds the transpose of the former `b`, and `b` the
/// transpose of the former `a`.
///
/// # Panics
///
/// If `b` does not have the transposed shape of `a`.
#[track_caller]
pub fn exchange_transposed<T: Element>(a: &mut Block<T>, b: &mut Block<T>) {
    let (rows, cols) = mirrored(a, b);
    let (mut a, mut b): (Vec<_>, Vec<_>) = (a.iter_rows_mut().collect(), b.iter_rows_mut().collect());
    let [mut from_a, mut from_b] = [blank(), blank()];
    patches(rows, cols, |i, j| {
        read(&a, &i, &j, &mut from_a);
        read(&b, &j, &i, &mut from_b);
        write_turned(&mut a, &i, &j, &from_b);
        write_turned(&mut b, &j, &i, &from_a);
    });
}

/// Writes the transpose of `from` to `to`.
///
/// # Panics
///
/// If `to` does not have the transposed shape of `from`.
#[track_caller]
pub fn transpose_into<T: Element>(from: &Block<T>, to: &mut Block<T>) {
    let (rows, cols) = mirrored(from, to);
    let (from, mut to): (Vec<_>, Vec<_>) = (from.iter_rows().collect(), to.iter_rows_mut().collect());
    let mut patch = blank();
    patches(rows, cols, |i, j| {
        read(&from, &i, &j, &mut patch);
        write_turned(&mut to, &j, &i, &patch);
    });
}

fn shape<T: Element>(tile: &Block<T>) -> (usize, usize) {
    (tile.rows(), tile.cols())
}

/// Returns the shape of `a` and checks that `b` has the transposed shape.
#[track_caller]
fn mirrored<T: Element>(a: &Block<T>, b: &Block<T>) -> (usize, usize) {
    let ((rows, cols), found) = (shape(a), shape(b));
    assert_eq!(found, (cols, rows), "the mirror image of a tile of {rows} x {cols} elements (rows, columns)");
    (rows, cols)
}

/// Calls `turn` with the rows and columns of every patch of a tile, band by band.
fn patches(rows: usize, cols: usize, mut turn: impl FnMut(Range<usize>, Range<usize>)) {
    for band in pieces(0..cols, BAND) {
        for i in pieces(0..rows, PATCH) {
            for j in pieces(band.clone(), PATCH) {
                turn(i.clone(), j);
            }
        }
    }
}

/// Splits a range into pieces of `length`; the last piece may be shorter.
fn pieces(whole: Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> {
    let end = whole.end;
    whole.step_by(length).map(move |start| start..end.min(start + length))
}

/// Returns an empty patch. Callers reuse it: clearing a patch each time would take as long as reading it.
fn blank<T: Element>() -> Patch<T> {
    [[T::zeroed(); PATCH]; PATCH]
}

/// Reads these rows and columns into the upper left corner of `patch`.
#[inline(always)]
fn read<T: Element>(
    tile: &[impl AsRef<[T]>],
    rows: &Range<usize>,
    cols: &Range<usize>,
    patch: &mut Patch<T>,
) {
    for (line, row) in patch.iter_mut().zip(&tile[rows.clone()]) {
        let row = &row.as_ref()[cols.clone()];
        // A copy of constant length is a few moves; any other copy is a call.
        match row.try_into() {
            Ok(whole) => *line = whole,
            Err(_) => line[..row.len()].copy_from_slice(row),
        }
    }
}

/// Writes the transpose of `patch` to these rows and columns.
#[inline(always)]
fn write_turned<T: Element>(
    tile: &mut [&mut [T]],
    rows: &Range<usize>,
    cols: &Range<usize>,
    patch: &Patch<T>,
) {
    for (column, row) in tile[rows.clone()].iter_mut().enumerate() {
        let row = &mut row[cols.clone()];
        match <&mut [T; PATCH]>::try_from(&mut *row) {
            Ok(whole) => *whole = array::from_fn(|line| patch[line][column]),
            Err(_) => row.iter_mut().zip(patch).for_each(|(x, line)| *x = line[column]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sides shorter than, equal to and longer than a patch, and longer than a band.
    const SIDES: [usize; 14] = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 130];

    /// Returns a value that is unique to the element and the mark.
    fn element(i: usize, j: usize, mark: u32) -> u32 {
        (1000 * i + j) as u32 * 4 + mark
    }

    /// Returns a tile that is a whole matrix, and a tile with other elements on all sides.
    fn tiles(rows: usize, cols: usize, mark: u32) -> [Tile; 2] {
        [0, 3].map(|margin| {
            let whole = Block::from_fn(rows + 2 * margin, cols + 2 * margin, |i, j| {
                let inside = (margin..margin + rows).contains(&i) && (margin..margin + cols).contains(&j);
                if inside { element(i - margin, j - margin, mark) } else { u32::MAX }
            });
            let (above, rest) = whole.split_rows(margin);
            let (rest, below) = rest.split_rows(rows);
            let (left, rest) = rest.split_cols(margin);
            let (tile, right) = rest.split_cols(cols);
            Tile { tile, around: [above, below, left, right] }
        })
    }

    struct Tile {
        tile: Block<u32>,
        around: [Block<u32>; 4],
    }

    impl Tile {
        /// Checks that the tile holds the transpose of a tile with this mark, and that the elements around it
        /// are unchanged.
        #[track_caller]
        fn holds_transpose(&self, mark: u32) {
            for (i, row) in self.tile.iter_rows().enumerate() {
                for (j, &x) in row.iter().enumerate() {
                    assert_eq!(x, element(j, i, mark), "row {i}, column {j} of {:?}", self.tile);
                }
            }
            let mut around = self.around.iter().flat_map(Block::iter_rows).flatten();
            assert!(around.all(|&x| x == u32::MAX), "something was written around {:?}", self.tile);
        }
    }

    #[test]
    fn a_square_tile_is_transposed_in_place() {
        for n in SIDES {
            for mut square in tiles(n, n, 1) {
                transpose(&mut square.tile);
                square.holds_transpose(1);
            }
        }
    }

    #[test]
    fn two_tiles_are_exchanged() {
        for rows in SIDES {
            for cols in SIDES {
                let [whole, inside] = tiles(cols, rows, 2);
                for (mut a, mut b) in tiles(rows, cols, 1).into_iter().zip([inside, whole]) {
                    exchange_transposed(&mut a.tile, &mut b.tile);
                    a.holds_transpose(2);
                    b.holds_transpose(1);
                }
            }
        }
    }

    #[test]
    fn a_tile_is_transposed_into_another() {
        for rows in SIDES {
            for cols in SIDES {
                for from in tiles(rows, cols, 1) {
                    for mut to in tiles(cols, rows, 2) {
                        transpose_into(&from.tile, &mut to.tile);
                        to.holds_transpose(1);
                    }
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "a tile of 2 x 3 elements cannot be transposed in place")]
    fn a_tile_that_is_not_square_is_refused() {
        transpose(&mut Block::<u32>::zeroed(2, 3));
    }

    #[test]
    #[should_panic(expected = "the mirror image of a tile of 2 x 3 elements")]
    fn a_tile_of_another_shape_is_refused() {
        exchange_transposed(&mut Block::<u32>::zeroed(2, 3), &mut Block::zeroed(2, 3));
    }
}
