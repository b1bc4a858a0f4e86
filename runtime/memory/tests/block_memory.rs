//! The memory of a block is allocated once and freed once, by the drop of the last handle, on any thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use earth_memory::{Block, lend};

/// Counts allocations of one size, which no other code of this test uses.
struct Counting;

const ROWS: usize = 1021;
const COLS: usize = 1009;

static MADE: AtomicUsize = AtomicUsize::new(0);
static FREED: AtomicUsize = AtomicUsize::new(0);

fn count(layout: Layout, counter: &AtomicUsize) {
    if layout.size() == ROWS * COLS * size_of::<u64>() {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: every request is passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout, &MADE);
        // SAFETY: the caller keeps `alloc`'s contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout, &MADE);
        // SAFETY: the caller keeps `alloc_zeroed`'s contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(layout, &FREED);
        // SAFETY: the caller keeps `dealloc`'s contract.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn counts() -> (usize, usize) {
    (MADE.load(Ordering::Relaxed), FREED.load(Ordering::Relaxed))
}

/// There is only one test because the counters are global.
#[test]
fn memory_is_made_once_and_freed_once() {
    let block = Block::<u64>::zeroed(ROWS, COLS);
    let (top, bottom) = block.split_rows(500);
    let (left, right) = top.split_cols(9);
    let published = left.publish();
    let readers = [published.clone(), published];
    assert_eq!(counts(), (1, 0));
    for reader in readers {
        std::thread::spawn(move || drop(reader)).join().unwrap();
    }
    std::thread::spawn(move || drop(bottom)).join().unwrap();
    assert_eq!(counts(), (1, 0), "a part is left");
    std::thread::spawn(move || drop(right)).join().unwrap();
    assert_eq!(counts(), (1, 1), "the last part frees the memory");

    let elements = Block::<u64>::zeroed(ROWS, COLS).into_vec();
    let again = Block::from_vec(ROWS, COLS, elements).unwrap();
    let mut elements = again.into_vec();
    assert_eq!(counts(), (2, 1), "a vector goes in and out without a copy");
    lend(&mut elements, ROWS, COLS, |block| drop(block.split_rows(3))).unwrap();
    assert_eq!(counts(), (2, 1), "lent memory is not freed");
    drop(elements);
    assert_eq!(counts(), (2, 2));
}
