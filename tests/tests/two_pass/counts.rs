//! The counters, exactly, against formulas of the blocks and P worked out here once more from the protocol: per row
//! block, strip and tile, by counting instead of by closed form.

use earth::Counters;
use earth_kernels::Direction;
use earth_tests::{machines, noise};

use crate::{sides, transformed};

/// Fibers, invokes, signals, block moves, bytes moved, events sent, frames.
type Counts = [u64; 7];

const Z: usize = 16;

/// The rows of each row block, or the columns of each strip.
fn cut(side: usize, block: usize) -> Vec<usize> {
    (0..side).step_by(block).map(|start| block.min(side - start)).collect()
}

fn counted([rows, cols]: [usize; 2], blocks: [usize; 2], nodes: usize) -> Counts {
    let (heights, widths) = (cut(rows, blocks[0]), cut(cols, blocks[1]));
    // The main function, and the value of the run.
    let mut counts = [3, 0, 1, 0, (rows * cols * Z) as u64, 0, 1];
    let mut add = |more: Counts| counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
    for (i, height) in heights.iter().enumerate() {
        // It is dealt its rows, sends its address, gets its targets, has its rows ready, and sends its time.
        let away = u64::from(i % nodes != 0);
        add([2, 1, 4, 0, (height * cols * Z) as u64, 4 * away, 1]);
        for (j, width) in widths.iter().enumerate() {
            add([0, 0, 1, 1, (height * width * Z) as u64, u64::from(i % nodes != j % nodes), 0]);
        }
    }
    for (j, width) in widths.iter().enumerate() {
        // It is invoked, sends its addresses, its time and its columns.
        let away = u64::from(j % nodes != 0);
        add([2, 1, 3, 1, (rows * width * Z) as u64, 4 * away, 1]);
    }
    counts
}

#[track_caller]
fn found(counters: &Counters) -> Counts {
    let Counters { fibers, invokes, signals, block_moves, bytes_moved, events_sent, frames, .. } = *counters;
    let none = counters.tokens + counters.tokens_stolen + counters.parked + counters.deferred_reads;
    assert_eq!((none, counters.frames_ended), (0, frames));
    [fibers, invokes, signals, block_moves, bytes_moved, events_sent, frames]
}

#[test]
fn they_are_what_the_protocol_says() {
    let arrays =
        [&[1, 1][..], &[9, 9], &[16, 16], &[1, 8], &[8, 1], &[5, 7], &[12, 6], &[3, 2, 5], &[7, 4, 4]];
    for nodes in [1, 2, 3, 4, 8] {
        for mut named in machines(nodes, &[1, 2, 3]) {
            for lengths in arrays {
                for blocks in [[1, 1], [2, 3], [3, 2], [8, 5], [100, 4], [100, 100]] {
                    let points = noise::<f64>(lengths.iter().product(), 1);
                    let done = transformed(&mut named.machine, lengths, &points, blocks, Direction::Forward);
                    let expected = counted(sides(lengths), blocks, nodes);
                    assert_eq!(found(&done.counters), expected, "{lengths:?} by {blocks:?}, {}", named.name);
                }
            }
        }
    }
}

/// The closed forms at the head of the program.
#[test]
fn the_closed_forms_say_the_same() {
    for nodes in [1, 2, 3, 5, 8, 64] {
        let away = |blocks: usize| (blocks - blocks.div_ceil(nodes)) as u64;
        for [rows, cols] in [[1_usize, 1], [1, 100], [64, 64], [31, 100], [9, 8]] {
            for block in [1, 2, 7, 16, 100] {
                let (along, across) = (rows.div_ceil(block), cols.div_ceil(block + 1));
                let tiles = (0..along).flat_map(|i| (0..across).map(move |j| (i, j)));
                let remote = tiles.filter(|(i, j)| i % nodes != j % nodes).count() as u64;
                let (i, j) = (along as u64, across as u64);
                let forms = [
                    2 * i + 2 * j + 3,
                    i + j,
                    i * j + 4 * i + 3 * j + 1,
                    (i + 1) * j,
                    (4 * rows * cols * Z) as u64,
                    4 * away(along) + 4 * away(across) + remote,
                    i + j + 1,
                ];
                assert_eq!(forms, counted([rows, cols], [block, block + 1], nodes));
            }
        }
    }
}

#[test]
fn the_phases_are_the_time() {
    for mut named in machines(2, &[1]) {
        for lengths in [&[64, 64][..], &[32, 8, 12]] {
            let points = noise::<f64>(lengths.iter().product(), 1);
            let done = transformed(&mut named.machine, lengths, &points, [8, 16], Direction::Forward);
            let phases = done.value.phases;
            assert_eq!(phases.setup() + phases.multithreaded() + phases.reordering(), phases.total());
            assert!(phases.total() <= done.elapsed, "{phases:?} of {:?}", done.elapsed);
            let parts = [phases.setup(), phases.multithreaded(), phases.reordering(), phases.rows()];
            assert!(named.clock.allows(&parts), "{}: {phases:?}", named.name);
            // Two nodes work at most twice as long as the clock runs.
            assert!(phases.rows() <= 2 * phases.total(), "{phases:?}");
        }
    }
}
