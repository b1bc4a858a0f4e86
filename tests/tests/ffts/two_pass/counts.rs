//! The exact counters, compared with formulas of the blocks and P. The expected values are derived here
//! independently from the protocol, by counting per row block, strip and tile instead of by closed form.

use earth_kernels::Direction;
use earth_tests::{machines, noise};

use super::{sides, transformed};
use crate::alike::{Counts, counts};

const Z: usize = 16;

/// Returns the rows of each row block, or the columns of each strip.
fn cut(side: usize, block: usize) -> Vec<usize> {
    (0..side).step_by(block).map(|start| block.min(side - start)).collect()
}

fn counted(sides: [usize; 2], blocks: [usize; 2], nodes: usize) -> Counts {
    counted_of(sides, blocks, nodes, 0, 0)
}

/// Returns the counts of a transform whose pass `first` comes first. `numbers` is the number of reals in a
/// row, or 0 if they have no memory of their own.
pub(crate) fn counted_of(
    [rows, cols]: [usize; 2],
    blocks: [usize; 2],
    nodes: usize,
    first: usize,
    numbers: usize,
) -> Counts {
    let parts = [cut(rows, blocks[0]), cut(cols, blocks[1])];
    let across = [cols, rows];
    // Bytes of the real numbers of `rows` rows. Only row blocks have them.
    let numbers_of = |pass: usize, rows: usize| if pass == 0 { rows * numbers * Z / 2 } else { 0 };
    let numbers_home = numbers > 0 && first == 1;
    let points = rows * cols * Z;
    // The main function, and the value of the run.
    let mut counts = [3, 0, 1, 0, if numbers_home { rows * numbers * Z / 2 } else { points } as u64, 0, 1];
    let mut add = |more: Counts| counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
    let second = 1 - first;
    // Consecutive parts are on the same node.
    let node = |pass: usize, part: usize| part * nodes / parts[pass].len();
    for (i, size) in parts[first].iter().enumerate() {
        // A row block gets its points, sends its address, gets its targets, reports that it is ready, and
        // sends its time.
        let away = u64::from(node(first, i) != 0);
        let dealt = size * across[first] * Z + numbers_of(first, *size);
        add([2, 1, 4, 0, dealt as u64, 4 * away, 1]);
        for (j, other) in parts[second].iter().enumerate() {
            add([0, 0, 1, 1, (size * other * Z) as u64, u64::from(node(first, i) != node(second, j)), 0]);
        }
    }
    for (j, size) in parts[second].iter().enumerate() {
        // A strip is invoked with its real numbers, sends its addresses, its time and its part.
        let away = u64::from(node(second, j) != 0);
        let numbers = numbers_of(second, *size);
        let home = if numbers_home { numbers } else { size * across[second] * Z };
        add([2, 1, 3, 1, (numbers + home) as u64, 4 * away, 1]);
    }
    counts
}

#[test]
fn they_follow_the_protocol() {
    let arrays =
        [&[1, 1][..], &[9, 9], &[16, 16], &[1, 8], &[8, 1], &[5, 7], &[12, 6], &[3, 2, 5], &[7, 4, 4]];
    for nodes in [1, 2, 3, 4, 8] {
        for mut named in machines(nodes, &[1, 2, 3]) {
            for lengths in arrays {
                for blocks in [[1, 1], [2, 3], [3, 2], [8, 5], [100, 4], [100, 100]] {
                    let points = noise::<f64>(lengths.iter().product(), 1);
                    let done = transformed(&mut named.machine, lengths, &points, blocks, Direction::Forward);
                    let expected = counted(sides(lengths), blocks, nodes);
                    assert_eq!(counts(&done.counters), expected, "{lengths:?} by {blocks:?}, {}", named.name);
                }
            }
        }
    }
}

/// Compares with the closed forms in the program's module docs.
#[test]
fn the_closed_forms_agree() {
    // Points in place, real numbers to points, points to real numbers, and the numbers of a row for each.
    for (first, numbers) in [(0, 0), (0, 9), (1, 9), (1, 0)] {
        the_closed_forms_say_the_same_of(first, numbers);
    }
}

fn the_closed_forms_say_the_same_of(first: usize, numbers: usize) {
    for nodes in [1, 2, 3, 5, 8, 64] {
        let away = |blocks: usize| (blocks - blocks.div_ceil(nodes)) as u64;
        for [rows, cols] in [[1_usize, 1], [1, 100], [64, 64], [31, 100], [9, 8]] {
            for block in [1, 2, 7, 16, 100] {
                let cuts = [rows.div_ceil(block), cols.div_ceil(block + 1)];
                let (along, across) = (cuts[first], cuts[1 - first]);
                let (points, numbers) = (rows * cols * Z, rows * numbers * Z / 2);
                let moved =
                    if first == 1 && numbers > 0 { 2 * points + 3 * numbers } else { 4 * points + numbers };
                let tiles = (0..along).flat_map(|i| (0..across).map(move |j| (i, j)));
                let remote = tiles.filter(|(i, j)| i * nodes / along != j * nodes / across).count() as u64;
                let (i, j) = (along as u64, across as u64);
                let forms = [
                    2 * i + 2 * j + 3,
                    i + j,
                    i * j + 4 * i + 3 * j + 1,
                    (i + 1) * j,
                    moved as u64,
                    4 * away(along) + 4 * away(across) + remote,
                    i + j + 1,
                ];
                let numbers = numbers * 2 / (rows * Z);
                assert_eq!(forms, counted_of([rows, cols], [block, block + 1], nodes, first, numbers));
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
            // The work of two nodes takes at most twice the elapsed time.
            assert!(phases.rows() <= 2 * phases.total(), "{phases:?}");
        }
    }
}
