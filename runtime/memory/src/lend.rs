//! Lending: a block of borrowed memory, for as long as a closure runs.
//!
//! A block owns its place in memory and knows no lifetime, so that frames, queues and messages can hold it. A
//! caller's `&mut [T]` has a lifetime. [`lend`] joins the two by counting instead of by types, and
//! [`lend_for_reading`] does so for a `&[T]`:
//!
//! 1. The storage of the block is made of the slice; `lend` keeps a reference to it.
//! 2. The closure gets the one block there is. It may split it, send the parts to other threads,
//!    publish them, drop them.
//! 3. When the closure has returned *or unwound*, `lend`'s reference should be the only one. Then the memory is out of
//!    reach, and it is the caller's again. The parts need not have been joined.
//! 4. If there are others, `lend` first gives [threads](PATIENCE) that are about to drop a handle the time to do so.
//! 5. The closure's result may hold a handle. `lend` still owns the result (or the panic's payload), drops it, and looks
//!    again. If all handles are gone, the memory is the caller's again. The caller gets [`LendError::Held`] in place of
//!    the result (or a panic with a text of its own in place of the payload).
//! 6. A handle that is left then was forgotten, or stands in a `static`, or belongs to a thread that works on. It cannot
//!    be taken away, and to wait for it may last for ever. Its holder could write to memory of the caller's: the
//!    process aborts, with one sentence on stderr.
//!
//! *For reading.* The caller's slice is borrowed shared, so others may read it meanwhile. The storage remembers that it
//! may not be written: a block of it moves, splits and rejoins like any other, and panics if it is asked for elements to
//! write. Elements have no interior mutability, as they are plain data, so to read them writes nothing either.
//!
//! *Why this is sound.* Between 1 and the end the caller's slice is borrowed by the call, so no other
//! code uses it. Every block and every published block holds a reference to the storage for its whole life, and
//! there are no weak references. A count of one therefore means that no handle exists, and as only a handle
//! makes another, none ever will. A slice of elements borrows a handle, so none exists either. The check is
//! [`Arc::get_mut`], which reads the count with `Acquire`;
//! dropping a handle decrements it with `Release`, and later decrements continue the release sequence of
//! earlier ones. So whatever any thread did to the elements through a handle happened before the check saw it
//! gone, and before the caller's next read.
//!
//! The last check stands in the drop of a guard, so there is no way around it but ending the process: a panic in
//! the drop of a result passes through it. What `lend` returns was looked at before: a result is returned only if the
//! count was one while `lend` owned it, so it holds no handle.

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::block::{Block, Rectangle, ShapeError};
use crate::storage::{Element, Storage};

/// Why memory was not lent, or why the result of a loan is not returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LendError {
    /// The elements do not make a block of this shape. The closure was not called.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The closure has run, and its result held a block of the lent memory. The result was dropped, and the elements are
    /// as the block left them.
    #[error(
        "the result of the closure held a block of the lent memory, so it was dropped: drop the block inside the \
         closure, as by `.map(drop)`"
    )]
    Held,
}

/// How long the end of a loan waits for threads that are about to drop a handle.
const PATIENCE: Duration = Duration::from_millis(100);

/// Makes a block of `rows * cols` borrowed elements, row after row, for the time of `body`, and
/// returns what `body` returns.
///
/// All handles made of the block must be dropped before `body` ends; the result of a run that gives the block back is
/// such a handle. The elements are then as the handles left them. Costs one allocation, 30 ns in all (measured); the elements are neither copied nor moved.
///
/// ```
/// let mut matrix = [1, 2, 3, 4, 5, 6];
/// let sum = earth_memory::lend(&mut matrix, 2, 3, |block| {
///     let (top, mut bottom) = block.split_rows(1);
///     std::thread::spawn(move || bottom.row_mut(0).fill(0)).join().unwrap();
///     top.row(0).iter().sum::<i32>()
/// })?;
/// assert_eq!((sum, matrix), (6, [1, 2, 3, 0, 0, 0]));
/// # Ok::<(), earth_memory::LendError>(())
/// ```
///
/// A result that holds the block is refused:
///
/// ```
/// use earth_memory::{LendError, lend};
///
/// assert_eq!(lend(&mut [1, 2, 3, 4], 2, 2, |block| Some(block)).err(), Some(LendError::Held));
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
/// [`LendError::Shape`] if there are not exactly `rows * cols` elements, or too many for a block; `body` is not called
/// then. [`LendError::Held`] if the result held a handle.
///
/// # Panics
///
/// As `body` does. A payload that holds a handle is dropped, and a text takes its place.
///
/// # Aborts
///
/// If a handle is left after `body` has returned or panicked that is no part of the result or the payload: it was
/// leaked, or is kept in a `static`, or by a thread that works on for more than 100 ms. It could be neither awaited nor
/// revoked.
pub fn lend<T: Element, R>(
    elements: &mut [T],
    rows: usize,
    cols: usize,
    body: impl FnOnce(Block<T>) -> R,
) -> Result<R, LendError> {
    lend_rows(elements, [rows, cols], cols, body)
}

/// Makes a block of borrowed rows that begin `distance` elements apart, for the time of `body`: as [`lend`], but that
/// there may be gaps between the rows, which nobody touches. The slice ends where the last row does.
///
/// ```
/// let mut matrix = [1, 2, 0, 3, 4];
/// earth_memory::lend_rows(&mut matrix, [2, 2], 3, |mut block| block.row_mut(1).fill(5))?;
/// assert_eq!(matrix, [1, 2, 0, 5, 5]);
/// # Ok::<(), earth_memory::LendError>(())
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
) -> Result<R, LendError> {
    let rectangle = Rectangle::spaced(rows, cols, distance, size_of::<T>(), elements.len())?;
    // SAFETY: Alive, as `elements` is mutably borrowed until this function has ended, which it does only
    // after `Lent` was dropped and found no other reference to the storage.
    let storage = unsafe { Storage::lent(elements, distance.max(cols)) };
    lent(storage, rectangle, body)
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
/// # Ok::<(), earth_memory::LendError>(())
/// ```
///
/// # Errors
///
/// As [`lend`].
///
/// # Panics
///
/// As [`lend`]. Whatever would write an element of the block panics, too.
///
/// # Aborts
///
/// As [`lend`].
pub fn lend_for_reading<T: Element, R>(
    elements: &[T],
    rows: usize,
    cols: usize,
    body: impl FnOnce(Block<T>) -> R,
) -> Result<R, LendError> {
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
) -> Result<R, LendError> {
    let rectangle = Rectangle::spaced(rows, cols, distance, size_of::<T>(), elements.len())?;
    // SAFETY: Alive, as `elements` is borrowed, and so not written, until this function has ended, which it does only
    // after `Lent` was dropped and found no other reference to the storage.
    let storage = unsafe { Storage::lent_for_reading(elements, distance.max(cols)) };
    lent(storage, rectangle, body)
}

/// Runs `body` with the block of all rows of a lent storage.
fn lent<T: Element, R>(
    storage: Storage<T>,
    rectangle: Rectangle,
    body: impl FnOnce(Block<T>) -> R,
) -> Result<R, LendError> {
    let mut lent = Lent(Arc::new(storage));
    let block = Block::of_shared(Arc::clone(&lent.0), rectangle);
    // A panic goes on below, so the catch shows no state that the panic left.
    let outcome = catch_unwind(AssertUnwindSafe(|| body(block)));
    if lent.is_back() || lent.is_back_soon() {
        return Ok(outcome.unwrap_or_else(|payload| resume_unwind(payload)));
    }
    let panicked = outcome.is_err();
    drop(outcome);
    drop(lent);
    if panicked {
        resume_unwind(Box::new("a panic carried a block of lent memory, which was dropped"));
    }
    Err(LendError::Held)
}

/// Ends the process if the storage is still shared when the loan ends.
struct Lent<T: Element>(Arc<Storage<T>>);

impl<T: Element> Lent<T> {
    /// Whether there is no handle.
    fn is_back(&mut self) -> bool {
        Arc::get_mut(&mut self.0).is_some()
    }

    /// Whether there is no handle within [`PATIENCE`].
    #[cold]
    fn is_back_soon(&mut self) -> bool {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
            if self.is_back() {
                return true;
            }
        }
        false
    }
}

impl<T: Element> Drop for Lent<T> {
    fn drop(&mut self) {
        if self.is_back() {
            return;
        }
        // Not `eprintln!`: it panics if stderr is closed, and a panic would let the caller go on.
        let _ = writeln!(
            std::io::stderr(),
            "earth-memory: a handle of lent memory outlived its loan, so the process is aborted: \
             the memory can be neither awaited nor revoked"
        );
        std::process::abort();
    }
}
