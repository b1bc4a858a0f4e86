//! Lending: a block of borrowed memory, for as long as a closure runs.
//!
//! A block owns its place in memory and knows no lifetime, so that frames, queues and messages can hold it. A
//! caller's `&mut [T]` has a lifetime. [`lend`] joins the two by counting instead of by types, and
//! [`lend_for_reading`] does so for a `&[T]`:
//!
//! 1. The storage of the block is made of the slice; `lend` keeps a reference to it.
//! 2. The closure gets the one block there is. It may split it, send the parts to other threads,
//!    publish them, drop them.
//! 3. When the closure has returned *or unwound*, every handle must have been dropped: then `lend`'s
//!    reference is the only one, nobody can reach the memory, and it is the caller's again. The parts
//!    need not have been joined.
//! 4. If a handle is left, whoever holds it could write to memory that is about to be the caller's again, or
//!    no one's. It cannot be taken from him (he may be another thread), and waiting for him may last for ever
//!    (he may have forgotten it): the process aborts, with one sentence on stderr.
//!
//! *For reading.* The caller's slice is borrowed shared, so others may read it meanwhile. The storage remembers that it
//! may not be written: a block of it moves, splits and rejoins like any other, and panics if it is asked for elements to
//! write. Elements have no interior mutability, as they are plain data, so to read them writes nothing either.
//!
//! *Why this is sound.* Between 1 and 3 the caller's slice is mutably borrowed by the call, so nothing else
//! uses it. Every block and every published block holds a reference to the storage for its whole life, and
//! there are no weak references. A count of one therefore means that no handle exists, and as only a handle
//! makes another, none ever will. The check is [`Arc::get_mut`], which reads the count with `Acquire`;
//! dropping a handle decrements it with `Release`, and later decrements continue the release sequence of
//! earlier ones. So whatever any thread did to the elements through a handle happened before the check saw it
//! gone, and before the caller's next read.
//!
//! The check stands in the drop of a guard, so there is no way around it but ending the process: a panic in
//! the closure passes through it, and the closure's result is still held then, so a handle inside the result,
//! or inside the panic's payload, is one that is left.

use std::io::Write as _;
use std::sync::Arc;

use crate::block::{Block, Rectangle, ShapeError};
use crate::storage::{Element, Storage};

/// Makes a block of `rows * cols` borrowed elements, row after row, for the time of `body`, and
/// returns what `body` returns.
///
/// All handles made of the block must be dropped before `body` ends. The elements are then as the handles
/// left them. Costs one allocation, 30 ns in all (measured); the elements are neither copied nor moved.
///
/// ```
/// let mut matrix = [1, 2, 3, 4, 5, 6];
/// let sum = earth_memory::lend(&mut matrix, 2, 3, |block| {
///     let (top, mut bottom) = block.split_rows(1);
///     std::thread::spawn(move || bottom.row_mut(0).fill(0)).join().unwrap();
///     top.row(0).iter().sum::<i32>()
/// })?;
/// assert_eq!((sum, matrix), (6, [1, 2, 3, 0, 0, 0]));
/// # Ok::<(), earth_memory::ShapeError>(())
/// ```
///
/// The slice is borrowed until the closure has ended:
///
/// ```compile_fail,E0499
/// let mut matrix = [1, 2, 3, 4];
/// earth_memory::lend(&mut matrix, 2, 2, |block| {
///     matrix[0] = 5;
///     drop(block);
/// });
/// ```
///
/// # Errors
///
/// If there are not exactly `rows * cols` elements, or too many for a block. `body` is not called then.
///
/// # Aborts
///
/// If a handle is left when `body` has returned or panicked: leaked, kept by a thread that still runs, or
/// part of the result or of the panic's payload. It could neither be awaited nor revoked.
pub fn lend<T: Element, R>(
    elements: &mut [T],
    rows: usize,
    cols: usize,
    body: impl FnOnce(Block<T>) -> R,
) -> Result<R, ShapeError> {
    lend_rows(elements, [rows, cols], cols, body)
}

/// Makes a block of borrowed rows that begin `distance` elements apart, for the time of `body`: as [`lend`], but that
/// there may be gaps between the rows, which nobody touches. The slice ends where the last row does.
///
/// ```
/// let mut matrix = [1, 2, 0, 3, 4];
/// earth_memory::lend_rows(&mut matrix, [2, 2], 3, |mut block| block.row_mut(1).fill(5))?;
/// assert_eq!(matrix, [1, 2, 0, 5, 5]);
/// # Ok::<(), earth_memory::ShapeError>(())
/// ```
///
/// # Errors
///
/// Those of [`lend`], or if rows overlap.
///
/// # Aborts
///
/// As [`lend`].
pub fn lend_rows<T: Element, R>(
    elements: &mut [T],
    [rows, cols]: [usize; 2],
    distance: usize,
    body: impl FnOnce(Block<T>) -> R,
) -> Result<R, ShapeError> {
    let rectangle = Rectangle::spaced(rows, cols, distance, size_of::<T>(), elements.len())?;
    // SAFETY: Alive, as `elements` is mutably borrowed until this function has ended, which it does only
    // after `Lent` was dropped and found no other reference to the storage.
    let storage = unsafe { Storage::lent(elements, distance.max(cols)) };
    Ok(lent(storage, rectangle, body))
}

/// Makes a block of `rows * cols` borrowed elements that are only read, row after row, for the time of `body`, and
/// returns what `body` returns.
///
/// All handles made of the block must be dropped before `body` ends. Costs what [`lend`] does.
///
/// ```
/// let matrix = [1, 2, 3, 4, 5, 6];
/// let sums = earth_memory::lend_for_reading(&matrix, 2, 3, |block| {
///     let (top, bottom) = block.split_rows(1);
///     let bottom = std::thread::spawn(move || bottom.row(0).iter().sum::<i32>());
///     (top.row(0).iter().sum::<i32>(), bottom.join().unwrap())
/// })?;
/// assert_eq!(sums, (6, 15));
/// # Ok::<(), earth_memory::ShapeError>(())
/// ```
///
/// # Errors
///
/// If there are not exactly `rows * cols` elements, or too many for a block. `body` is not called then.
///
/// # Panics
///
/// Nothing here does, but whatever would write an element of the block.
///
/// # Aborts
///
/// As [`lend`].
pub fn lend_for_reading<T: Element, R>(
    elements: &[T],
    rows: usize,
    cols: usize,
    body: impl FnOnce(Block<T>) -> R,
) -> Result<R, ShapeError> {
    lend_rows_for_reading(elements, [rows, cols], cols, body)
}

/// Makes a block of borrowed rows that are only read and begin `distance` elements apart: [`lend_for_reading`] with the
/// gaps of [`lend_rows`].
///
/// # Errors
///
/// Those of [`lend_rows`].
///
/// # Panics
///
/// As [`lend_for_reading`].
///
/// # Aborts
///
/// As [`lend`].
pub fn lend_rows_for_reading<T: Element, R>(
    elements: &[T],
    [rows, cols]: [usize; 2],
    distance: usize,
    body: impl FnOnce(Block<T>) -> R,
) -> Result<R, ShapeError> {
    let rectangle = Rectangle::spaced(rows, cols, distance, size_of::<T>(), elements.len())?;
    // SAFETY: Alive, as `elements` is borrowed, and so not written, until this function has ended, which it does only
    // after `Lent` was dropped and found no other reference to the storage.
    let storage = unsafe { Storage::lent_for_reading(elements, distance.max(cols)) };
    Ok(lent(storage, rectangle, body))
}

/// Runs `body` with the block of all rows of a lent storage.
fn lent<T: Element, R>(storage: Storage<T>, rectangle: Rectangle, body: impl FnOnce(Block<T>) -> R) -> R {
    let lent = Lent(Arc::new(storage));
    let block = Block::of_shared(Arc::clone(&lent.0), rectangle);
    let result = body(block);
    drop(lent);
    result
}

/// Ends the process if the storage is still shared when the loan ends.
struct Lent<T: Element>(Arc<Storage<T>>);

impl<T: Element> Drop for Lent<T> {
    fn drop(&mut self) {
        if Arc::get_mut(&mut self.0).is_none() {
            // Not `eprintln!`: it panics if stderr is closed, and a panic would let the caller go on.
            let _ = writeln!(
                std::io::stderr(),
                "earth-memory: a handle of lent memory outlived its loan, so the process is aborted: \
                 the memory can be neither awaited nor revoked"
            );
            std::process::abort();
        }
    }
}
