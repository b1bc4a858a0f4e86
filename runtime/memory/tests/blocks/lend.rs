//! Lending: the borrower's writes arrive, a result that holds a handle is refused, and a leaked handle aborts
//! the process.
//!
//! Each misuse runs in a child process. The test starts this binary again for the same test, with an
//! environment variable that makes the child commit the misuse.

use std::os::unix::process::ExitStatusExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::process::Command;
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Mutex, PoisonError};

use earth_memory::{Block, LendError, Published, ShapeError, lend, lend_for_reading};
use snapbox::{assert_data_eq, str};

#[test]
fn the_lender_gets_the_result_and_the_writes() {
    let mut memory = [0u32; 6];
    let rows = lend(&mut memory, 2, 3, |block| {
        let (first, mut second) = block.split_rows(1);
        second.row_mut(0)[2] = 5;
        let mut block = first.join_rows(second).unwrap();
        block.row_mut(0)[0] = 4;
        assert_data_eq!(
            format!("{block:?}"),
            str!["Block { rows: 2, cols: 3, stride: 3, lent: true, phantom: false, .. }"]
        );
        block.rows()
    });
    assert_eq!((rows, memory), (Ok(2), [4, 0, 0, 0, 0, 5]));
}

#[test]
fn lent_memory_takes_another_shape() {
    let mut memory = [0, 1, 2, 3, 4, 5];
    let sum = lend(&mut memory, 2, 3, |block| {
        let mut block = block.reshape(3, 2).unwrap();
        assert!(format!("{block:?}").contains("lent: true"));
        block.row_mut(2)[0] = 40;
        block.split_cols(1).0.into_vec().iter().sum::<i32>()
    });
    assert_eq!((sum, memory), (Ok(42), [0, 1, 2, 3, 40, 5]));
}

/// A part that is reshaped many times keeps only the lent memory, so its drop does not recurse.
#[test]
fn a_part_takes_any_number_of_shapes() {
    let mut memory = vec![0u8; 300_000];
    let left = lend(&mut memory, 300_000, 1, |mut block| {
        while block.rows() > 1 {
            let rows = block.rows() - 1;
            let (part, last) = block.split_rows(rows);
            drop(last);
            block = part.reshape(rows, 1).expect("it has no gaps");
        }
        assert!(block.is_borrowed());
        block.row_mut(0)[0] = 7;
        block.rows()
    });
    assert_eq!((left, memory[..2].to_vec()), (Ok(1), vec![7, 0]));
}

#[test]
fn threads_write_lent_memory_and_are_seen() {
    let mut memory = vec![0usize; 64 * 16];
    for round in 1..50 {
        lend(&mut memory, 64, 16, |block| {
            let (send, receive) = channel();
            for (i, mut part) in block.split_rows_into(16).enumerate() {
                let send = send.clone();
                std::thread::spawn(move || {
                    part.as_mut_slice().unwrap().fill(round * 100 + i);
                    // The handle is dropped before the message is sent, and only by this drop.
                    drop(part);
                    send.send(()).unwrap();
                });
            }
            for _ in 0..4 {
                receive.recv().unwrap();
            }
        })
        .unwrap();
        for (i, part) in memory.chunks(256).enumerate() {
            assert!(part.iter().all(|&x| x == round * 100 + i));
        }
    }
}

#[test]
fn a_wrong_shape_is_refused_before_anything_happens() {
    let mut called = false;
    let refused = lend(&mut [0u8; 5], 2, 3, |_| called = true);
    let length = ShapeError::Length { rows: 2, cols: 3, found: 5 };
    assert_eq!((refused, called), (Err(LendError::Shape(length)), false));
}

#[test]
fn a_panic_passes_and_the_memory_is_whole() {
    let mut memory = [1u8; 4];
    let caught = catch_unwind(AssertUnwindSafe(|| {
        lend(&mut memory, 2, 2, |mut block| {
            block.row_mut(1).fill(2);
            panic_any("on purpose");
        })
    }));
    assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"on purpose"));
    assert_eq!(memory, [1, 1, 2, 2]);
}

#[test]
fn lent_memory_becomes_a_vector_by_copying() {
    let mut memory = [1u8, 2, 3, 4];
    let copy = lend(&mut memory, 2, 2, Block::into_vec).unwrap();
    memory.fill(0);
    assert_eq!(copy, [1, 2, 3, 4]);
}

/// The caller and threads read the same memory at the same time, through parts that move, rejoin and are
/// published.
#[test]
fn blocks_lent_for_reading_are_read_by_all() {
    let memory: Vec<u32> = (0..64 * 16).collect();
    let sum = lend_for_reading(&memory, 64, 16, |block| {
        let parts: Vec<_> = block
            .split_rows_into(16)
            .map(|part| std::thread::spawn(move || (part.iter_rows().flatten().sum::<u32>(), part)))
            .collect();
        let here: u32 = memory.iter().sum();
        let (sums, parts): (Vec<_>, Vec<_>) = parts.into_iter().map(|part| part.join().unwrap()).unzip();
        assert_eq!(sums.iter().sum::<u32>(), here);
        let whole = earth_memory::join_all_rows(parts).unwrap().publish();
        assert_eq!((whole.as_slice(), whole.clone().row(63)), (Some(&memory[..]), &memory[63 * 16..]));
        here
    });
    assert_eq!(sum, Ok(64 * 16 * (64 * 16 - 1) / 2));
    let refused = lend_for_reading(&memory, 64, 15, |_| unreachable!("there are other elements"));
    let length = ShapeError::Length { rows: 64, cols: 15, found: 64 * 16 };
    assert_eq!(refused, Err::<(), _>(LendError::Shape(length)));
}

/// Memory lent for reading cannot be written by any method, even after the block was split, rejoined or
/// published.
#[test]
fn blocks_lent_for_reading_are_not_written() {
    let memory = [1u8, 2, 3, 4];
    let ways: [fn(Block<u8>); 6] = [
        |mut block| block.row_mut(1)[0] = 9,
        |mut block| block.iter_rows_mut().for_each(|row| row.fill(9)),
        |mut block| block.as_mut_slice().unwrap().fill(9),
        |mut block| block.copy_from(&Block::zeroed(2, 2)),
        |block| {
            let (left, mut right) = block.split_cols(1);
            drop(left);
            right.row_mut(0)[0] = 9;
        },
        |block| block.publish().into_block().unwrap().row_mut(0)[0] = 9,
    ];
    for write in ways {
        let caught = catch_unwind(AssertUnwindSafe(|| lend_for_reading(&memory, 2, 2, write)));
        let said = caught.unwrap_err();
        let expected = "a block that was lent for reading cannot be written";
        assert_eq!(said.downcast_ref(), Some(&expected));
    }
    let copy = lend_for_reading(&memory, 2, 2, Block::into_vec).unwrap();
    assert_eq!((copy, memory), (vec![1, 2, 3, 4], [1, 2, 3, 4]));
}

/// A result that holds the block or a part of it, in any form, is refused, and the writes arrive.
#[test]
fn a_result_that_holds_a_handle_is_refused() {
    fn refused<R>(body: impl FnOnce(Block<u8>) -> R) {
        let mut memory = [0; 4];
        let result = lend(&mut memory, 2, 2, |mut block| {
            block.row_mut(1)[0] = 5;
            body(block)
        });
        assert_eq!((result.err(), memory), (Some(LendError::Held), [0, 0, 5, 0]));
    }
    assert_eq!(lend_for_reading(&[0; 4], 2, 2, Some).err(), Some(LendError::Held));
    refused(|block| block);
    refused(Ok::<_, String>);
    refused(|block| block.split_rows(0).0);
    refused(|block| vec![(1, block.publish())]);
    refused(|block| Box::new(block) as Box<dyn std::any::Any>);
    refused(|block| move || block.rows());
}

/// Records its number when it is dropped.
struct RecordsDrop(Arc<Mutex<Vec<u32>>>, u32);

impl Drop for RecordsDrop {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(self.1);
    }
}

#[test]
fn a_refused_result_is_dropped_once_and_another_is_returned() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let tells = |number| RecordsDrop(told.clone(), number);
    let held = lend(&mut [0; 4], 2, 2, |block| (tells(1), block)).map(drop);
    assert_eq!((held, &told.lock().unwrap()[..]), (Err(LendError::Held), &[1][..]));
    let kept = lend(&mut [0; 4], 2, 2, |_| tells(2));
    assert_eq!(told.lock().unwrap()[..], [1]);
    drop(kept);
    assert_eq!(told.lock().unwrap()[..], [1, 2]);
}

/// If the drop of a refused result panics, the panic propagates and the caller gets its memory back.
#[test]
fn a_refused_result_whose_drop_panics_panics() {
    struct Bomb(#[expect(dead_code, reason = "it is dropped")] Block<u8>);
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic_any("a drop");
        }
    }
    let mut memory = [7; 4];
    let caught = catch_unwind(AssertUnwindSafe(|| lend(&mut memory, 2, 2, Bomb).map(drop)));
    assert_eq!((caught.unwrap_err().downcast_ref(), memory), (Some(&"a drop"), [7; 4]));
}

#[test]
fn a_panic_that_carries_a_handle_becomes_another() {
    let mut memory = [1; 4];
    let caught = catch_unwind(AssertUnwindSafe(|| {
        lend(&mut memory, 2, 2, |mut block| {
            block.row_mut(0)[1] = 9;
            panic_any(block)
        })
        .unwrap_or(());
    }));
    let said = caught.unwrap_err();
    assert_eq!(said.downcast_ref(), Some(&"a panic carried a block of lent memory, which was dropped"));
    assert_eq!(memory, [1, 9, 1, 1]);
}

/// The thread reports that it is done before it drops its part.
#[test]
fn a_thread_that_is_about_to_drop_a_handle_is_awaited() {
    let mut memory = [0u8; 4];
    for round in 1..20 {
        let done = Arc::new(Barrier::new(2));
        let said = lend(&mut memory, 2, 2, |mut block| {
            let its = done.clone();
            std::thread::spawn(move || {
                its.wait();
                std::thread::yield_now();
                block.row_mut(1).fill(round);
            });
            done.wait();
            round
        });
        assert_eq!((said, memory), (Ok(round), [0, 0, round, round]));
    }
}

const CHILD: &str = "EARTH_MEMORY_TEST_CHILD";

/// Commits `misuse` in a child process, which must abort with a message.
fn aborts(test: &str, misuse: impl FnOnce(&mut [u8])) {
    if std::env::var_os(CHILD).is_some() {
        misuse(&mut [0; 4]);
        println!("the process went on");
        std::process::exit(0);
    }
    let this = std::env::current_exe().expect("a test binary has a path");
    let child = Command::new(this)
        .args([&format!("lend::{test}"), "--exact", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .expect("it starts");
    let errors = String::from_utf8_lossy(&child.stderr);
    assert_eq!(child.status.signal(), Some(6), "not aborted: {child:?}");
    let said = errors
        .lines()
        .filter(|line| line.starts_with("earth-memory: a handle of lent memory outlived its loan"));
    assert_eq!(said.count(), 1, "{errors}");
}

#[test]
fn a_forgotten_handle_aborts() {
    aborts("a_forgotten_handle_aborts", |memory| lend(memory, 2, 2, std::mem::forget).unwrap());
}

#[test]
fn a_kept_published_block_aborts() {
    static KEPT: Mutex<Option<Published<u8>>> = Mutex::new(None);
    aborts("a_kept_published_block_aborts", |memory| {
        let keep =
            |block: Block<u8>| *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = Some(block.publish());
        lend(memory, 2, 2, keep).unwrap();
    });
}

#[test]
fn a_handle_with_a_thread_that_runs_aborts() {
    aborts("a_handle_with_a_thread_that_runs_aborts", |memory| {
        let (_open, closed) = channel::<()>();
        lend(memory, 2, 2, |block| {
            std::thread::spawn(move || {
                let _ = closed.recv();
                drop(block);
            });
        })
        .unwrap();
    });
}
