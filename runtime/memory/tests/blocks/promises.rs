//! Properties of one block: its shape, its contents and its limits. Its memory is neither copied nor leaked
//! nor freed twice.

use std::panic::{AssertUnwindSafe, catch_unwind};

use earth_memory::{Block, ShapeError, join_all_cols, join_all_rows};
use num_complex::Complex;
use snapbox::{assert_data_eq, str};

fn message<R>(body: impl FnOnce() -> R) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(body)) else { panic!("it did not panic") };
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => (*other.downcast::<&str>().expect("a panic with a message")).to_owned(),
    }
}

#[test]
fn a_new_block_has_its_shape_and_its_contents() {
    let block = Block::from_fn(3, 4, |i, j| Complex::new(i as f64, j as f64));
    assert_eq!((block.rows(), block.cols(), block.stride(), block.len()), (3, 4, 4, 12));
    assert_eq!(block.bytes(), 12 * 16);
    assert!(!block.is_empty());
    assert_eq!(block.row(2)[3], Complex::new(2.0, 3.0));
    assert_eq!(block.iter_rows().len(), 3);
    assert_eq!(Block::<u64>::zeroed(5, 2).into_vec(), [0; 10]);
}

#[test]
fn a_strided_part_knows_its_rows_but_is_no_slice() {
    let (_, mut right) = Block::from_fn(3, 4, |i, j| 10 * i + j).split_cols(2);
    assert_eq!((right.rows(), right.cols(), right.stride(), right.len()), (3, 2, 4, 6));
    assert_eq!(right.as_slice(), None);
    assert_eq!(right.as_mut_slice(), None);
    assert_eq!(
        right.iter_rows().rev().map(<[usize]>::to_vec).collect::<Vec<_>>(),
        [[22, 23], [12, 13], [2, 3]]
    );
    let (mut first, rest) = right.split_rows(1);
    first.as_mut_slice().expect("one row has no gap")[1] = 99;
    let right = first.join_rows(rest).unwrap();
    assert_eq!(right.into_vec(), [2, 99, 12, 13, 22, 23]);
}

#[test]
fn all_rows_can_be_written_at_once() {
    let mut block = Block::<u8>::zeroed(3, 2);
    let mut rows: Vec<_> = block.iter_rows_mut().collect();
    for (mark, row) in (1..).zip(&mut rows) {
        row.fill(mark);
    }
    assert_eq!(block.as_slice(), Some(&[1, 1, 2, 2, 3, 3][..]));
}

#[test]
fn a_vector_goes_in_and_out_without_a_copy() {
    let elements: Vec<u32> = (0..12).collect();
    let place = elements.as_ptr();
    let block = Block::from_vec(3, 4, elements).unwrap();
    let (top, bottom) = block.split_rows(1);
    let elements = top.join_rows(bottom).unwrap().into_vec();
    assert_eq!((elements.as_ptr(), elements), (place, (0..12).collect()));
}

#[test]
fn a_vector_is_copied_while_parts_of_its_storage_live() {
    let elements: Vec<u32> = (0..12).collect();
    let place = elements.as_ptr();
    let (nothing, all) = Block::from_vec(3, 4, elements).unwrap().split_rows(0);
    let copy = all.into_vec();
    assert_ne!(copy.as_ptr(), place);
    assert_eq!(copy, (0..12).collect::<Vec<_>>());
    assert!(nothing.is_empty());
    let (part, _) = Block::from_fn(2, 2, |i, j| 2 * i + j).split_cols(1);
    assert_eq!(part.into_vec(), [0, 2]);
}

#[test]
fn the_same_elements_take_another_shape_where_they_are() {
    let whole = Block::from_fn(4, 6, |i, j| 6 * i + j);
    let place = whole.row(0).as_ptr();
    let block = whole.reshape(3, 8).unwrap();
    assert_eq!((block.rows(), block.cols(), block.stride(), block.row(0).as_ptr()), (3, 8, 8, place));
    // Reshapes the middle rows of a block. The other rows join as before.
    let (top, rest) = block.split_rows(1);
    let (middle, bottom) = rest.split_rows(1);
    let mut middle = middle.reshape(4, 2).unwrap();
    assert_eq!(middle.row(3), [14, 15]);
    middle.row_mut(0)[1] = 99;
    let (left, right) = middle.split_cols(1);
    assert_eq!(left.into_vec(), [8, 10, 12, 14]);
    assert_eq!(right.into_vec(), [99, 11, 13, 15]);
    let (top, bottom) = top.join_rows(bottom).unwrap_err();
    assert_eq!((top.into_vec()[7], bottom.into_vec()[0]), (7, 16));
    // A vector is still not copied if the block covers all of it.
    let block = Block::from_fn(2, 3, |i, j| 3 * i + j);
    let place = block.row(0).as_ptr();
    let elements = block.reshape(3, 2).unwrap().into_vec();
    assert_eq!((elements.as_ptr(), elements), (place, (0..6).collect()));
    let phantom = Block::<u8>::phantom(1 << 20, 1 << 20).unwrap().reshape(1 << 30, 1 << 10).unwrap();
    assert_eq!((phantom.is_phantom(), phantom.rows(), phantom.stride()), (true, 1 << 30, 1 << 10));
    let (part, _) = phantom.split_rows(6);
    let part = part.reshape(3, 1 << 11).unwrap();
    assert_eq!((part.is_phantom(), part.stride()), (true, 1 << 11));
}

#[test]
fn a_block_that_cannot_take_a_shape_comes_back() {
    let (block, error) = Block::from_fn(2, 3, |i, j| 3 * i + j).reshape(2, 2).unwrap_err();
    assert_eq!((block.rows(), error), (2, ShapeError::Length { rows: 2, cols: 2, found: 6 }));
    let (left, right) = block.split_cols(1);
    let (left, error) = left.reshape(1, 2).unwrap_err();
    assert_data_eq!(
        error.to_string(),
        str!["a block with gaps between its rows cannot be reshaped: copy it to a contiguous block first"]
    );
    assert_eq!(left.join_cols(right).unwrap().into_vec(), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn a_shape_that_does_not_fit_is_refused() {
    let refused = Block::from_vec(2, 3, vec![0u8; 5]);
    assert_eq!(refused.unwrap_err(), ShapeError::Length { rows: 2, cols: 3, found: 5 });
    for (rows, cols) in [(1 << 32, 1), (1 << 24, (1 << 24) + 1), (1 << 31, 1 << 31)] {
        let refused = Block::<u8>::from_vec(rows, cols, Vec::new());
        assert_eq!(refused.unwrap_err(), ShapeError::TooLarge { rows, cols });
        assert_eq!(Block::<u8>::phantom(rows, cols).unwrap_err(), ShapeError::TooLarge { rows, cols });
    }
    assert_data_eq!(
        message(|| Block::<u64>::zeroed(1 << 24, 1 << 22)),
        str![
            "a block of 16777216 x 4194304 elements is too large: a side has at most 2^32 - 1 elements, a block at most 2^48 bytes"
        ]
    );
    assert_data_eq!(
        ShapeError::Length { rows: 2, cols: 3, found: 5 }.to_string(),
        str!["a block of 2 x 3 elements cannot be made of 5 elements"]
    );
}

#[test]
fn indices_out_of_range_panic_with_a_message() {
    let block = || Block::<u8>::zeroed(2, 3);
    assert_data_eq!(message(|| block().row(2).len()), str!["row 2 is out of range: the block has 2 rows"]);
    assert_data_eq!(
        message(|| block().row_mut(7).len()),
        str!["row 7 is out of range: the block has 2 rows"]
    );
    assert_data_eq!(message(|| block().split_rows(3)), str!["a block of 2 rows cannot be split after row 3"]);
    assert_data_eq!(
        message(|| block().split_cols(4)),
        str!["a block of 3 columns cannot be split after column 4"]
    );
    assert_data_eq!(
        message(|| block().split_cols(1 << 40)),
        str!["a block of 3 columns cannot be split after column 1099511627776"]
    );
    assert_data_eq!(
        message(|| block().split_rows_into(0).len()),
        str!["a block cannot be split into parts of 0 rows"]
    );
    assert_data_eq!(
        message(|| block().split_cols_into(0).len()),
        str!["a block cannot be split into parts of 0 columns"]
    );
    assert!(message(|| block().copy_from(&Block::zeroed(3, 2))).contains("another shape"));
}

#[test]
fn blocks_without_elements_are_blocks() {
    for (rows, cols) in [(0, 0), (0, 3), (3, 0)] {
        let mut block = Block::<f32>::zeroed(rows, cols);
        assert_eq!((block.len(), block.is_empty(), block.bytes()), (0, true, 0));
        assert_eq!(block.as_slice(), Some(&[][..]));
        assert_eq!(block.iter_rows_mut().map(|row| row.len()).collect::<Vec<_>>(), vec![cols; rows]);
        let (left, right) = block.split_cols(cols);
        let (top, bottom) = left.join_cols(right).unwrap().split_rows(rows);
        let block = top.join_rows(bottom).unwrap();
        assert_eq!((block.rows(), block.cols()), (rows, cols));
        assert!(block.into_vec().is_empty());
    }
    assert_eq!(Block::<u8>::zeroed(0, 3).split_rows_into(2).count(), 0);
}

#[test]
fn all_parts_but_the_last_have_the_requested_size() {
    let heights: Vec<_> = Block::<u8>::zeroed(7, 2).split_rows_into(3).map(|part| part.rows()).collect();
    assert_eq!(heights, [3, 3, 1]);
    let parts = Block::<u8>::zeroed(2, 6).split_cols_into(2);
    assert_eq!(parts.len(), 3);
    assert_eq!(parts.map(|part| part.cols()).collect::<Vec<_>>(), [2, 2, 2]);
    assert_eq!(
        Block::<u8>::zeroed(2, 6).split_cols_into(usize::MAX).map(|part| part.cols()).collect::<Vec<_>>(),
        [6]
    );
}

#[test]
fn parts_of_two_storages_do_not_join() {
    let ((a, _), (_, b)) = (Block::<u8>::zeroed(2, 2).split_rows(1), Block::<u8>::zeroed(2, 2).split_rows(1));
    let (a, b) = a.join_rows(b).unwrap_err();
    assert!(a.join_cols(b).is_err());
}

#[test]
fn a_refused_join_of_many_gives_every_handle_back() {
    let mut bands: Vec<_> = Block::from_fn(4, 2, |i, _| i).split_rows_into(1).collect();
    bands.swap(1, 2);
    let back = join_all_rows(bands).unwrap_err();
    assert_eq!(back.iter().map(|block| block.row(0)[0]).collect::<Vec<_>>(), [0, 2, 1, 3]);
    let mut tiles: Vec<_> = Block::from_fn(1, 4, |_, j| j).split_cols_into(1).collect();
    tiles.swap(2, 3);
    let back = join_all_cols(tiles).unwrap_err();
    assert_eq!(
        back.iter().map(|block| block.row(0).to_vec()).collect::<Vec<_>>(),
        [vec![0, 1], vec![3], vec![2]]
    );
    assert!(join_all_rows(Vec::<Block<u8>>::new()).unwrap_err().is_empty());
}

#[test]
fn a_copy_crosses_strides() {
    let source = Block::from_fn(2, 4, |i, j| 10 * i + j).split_cols(2).1;
    let mut target = Block::zeroed(2, 2);
    target.copy_from(&source);
    assert_eq!(target.as_slice(), Some(&[2, 3, 12, 13][..]));
}

/// Checks 2^48 elements that take no memory: the positions of the last rows and columns are still right.
#[test]
fn the_largest_block_splits_and_joins() {
    let block = Block::<()>::zeroed(1 << 24, 1 << 24);
    assert_eq!(block.len(), 1 << 48);
    let (left, right) = block.split_cols((1 << 24) - 1);
    let (all, none) = right.split_rows(1 << 24);
    assert_eq!((all.row((1 << 24) - 1).len(), none.len()), (1, 0));
    let right = all.join_rows(none).unwrap();
    assert_eq!(left.join_cols(right).unwrap().into_vec().len(), 1 << 48);
}

#[test]
fn a_phantom_has_a_shape_and_the_memory_of_a_handle() {
    let mut phantom = None;
    let counted =
        allocation_counter::measure(|| phantom = Block::<Complex<f64>>::phantom(1 << 17, 1 << 17).ok());
    assert!(counted.bytes_total < 100 && counted.count_total == 1, "{counted:?}");
    let phantom = phantom.unwrap();
    assert_eq!((phantom.rows(), phantom.cols(), phantom.stride()), (1 << 17, 1 << 17, 1 << 17));
    assert_eq!((phantom.len(), phantom.bytes(), phantom.is_empty()), (1 << 34, 1 << 38, false));
    let (_, tile) = phantom.split_cols(5);
    let (tile, _) = tile.split_rows(3);
    assert_data_eq!(
        format!("{tile:?}"),
        str!["Block { rows: 3, cols: 131067, stride: 131072, lent: false, phantom: true, .. }"]
    );
}

#[test]
fn only_blocks_made_like_a_phantom_are_phantoms() {
    let (real, phantom) = (Block::<u8>::zeroed(2, 3), Block::<u8>::phantom(2, 3).unwrap());
    let [beside, like] = [&real, &phantom].map(|block| block.zeroed_like(4, 5));
    assert_eq!([real, phantom, like].map(|block| block.is_phantom()), [false, true, true]);
    assert_eq!((beside.is_phantom(), beside.into_vec()), (false, vec![0; 20]));
    assert!(Block::<u8>::phantom(0, 0).unwrap().is_phantom() && !Block::<u8>::zeroed(0, 0).is_phantom());
    assert!(Block::<u8>::phantom(2, 3).unwrap().publish().is_phantom());
}

#[test]
fn access_to_elements_of_a_phantom_panics() {
    let phantom = || Block::<u8>::phantom(2, 3).unwrap();
    let strided = || phantom().split_cols(1).1;
    for said in [
        message(|| phantom().row(0).len()),
        message(|| phantom().row_mut(1).len()),
        message(|| strided().row(1).len()),
        message(|| phantom().iter_rows().count()),
        message(|| phantom().iter_rows_mut().map(|row| row.len()).sum::<usize>()),
        message(|| phantom().as_slice().map(<[u8]>::len)),
        message(|| phantom().as_mut_slice().map(|all| all.len())),
        message(|| phantom().into_vec()),
        message(|| strided().into_vec()),
        message(|| phantom().copy_from(&Block::zeroed(2, 3))),
        message(|| Block::zeroed(2, 3).copy_from(&phantom())),
        message(|| phantom().publish().row(0).len()),
        // A phantom panics even where a block would have no element either.
        message(|| phantom().split_cols(0).0.row(0).len()),
    ] {
        assert_data_eq!(said, str!["a phantom block has no elements to read or write"]);
    }
    assert_data_eq!(message(|| phantom().row(2).len()), str!["row 2 is out of range: the block has 2 rows"]);
    assert_eq!((strided().as_slice(), strided().as_mut_slice()), (None, None));
}

#[test]
fn a_published_block_is_read_by_many_and_taken_back_by_one() {
    let published = Block::from_fn(2, 3, |i, j| 10 * i + j).publish();
    let readers: Vec<_> = (0..4)
        .map(|_| published.clone())
        .map(|reader| std::thread::spawn(move || reader.iter_rows().flatten().sum::<usize>()))
        .collect();
    for reader in readers {
        assert_eq!(reader.join().unwrap(), 36);
    }
    let second = published.clone();
    let published = published.into_block().unwrap_err();
    assert_eq!(second.row(1), [10, 11, 12]);
    drop(second);
    let mut block = published.into_block().unwrap();
    block.row_mut(0).fill(7);
    assert_eq!(block.into_vec(), [7, 7, 7, 10, 11, 12]);
}

#[test]
fn a_block_shows_its_shape() {
    let part = Block::<u8>::zeroed(2, 3).split_cols(1).1;
    assert_data_eq!(
        format!("{part:?}"),
        str!["Block { rows: 2, cols: 2, stride: 3, lent: false, phantom: false, .. }"]
    );
}
