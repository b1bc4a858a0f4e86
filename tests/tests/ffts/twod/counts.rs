//! The exact counters, compared with formulas of the row blocks and P. The expected values are derived here
//! independently from the protocol, by counting per row block, pair and tile instead of by closed form.

use earth_kernels::Direction;
use earth_papers::matrix::default_rows;
use earth_tests::{BOTH, machines, matrix, noise};

use crate::alike::{Counts, counts};

const Z: usize = 16;

/// Returns the rows of each row block.
fn cut(rows: usize, block: usize) -> Vec<usize> {
    (0..rows).step_by(block).map(|start| block.min(rows - start)).collect()
}

/// Returns the counts of the main function and of the value of the run.
fn main_function(points: usize) -> Counts {
    [3, 0, 1, 0, (points * Z) as u64, 0, 1]
}

/// Adds the counts of a row block of the matrix. It gets its rows, sends its addresses, gets its targets,
/// reports that its rows are ready, and sends its time and its rows.
fn row_block(counts: &mut Counts, fibers: u64, points: usize, away: bool) {
    let more = [fibers, 1, 5, 1, 2 * (points * Z) as u64, 5 * u64::from(away), 1];
    add(counts, more);
}

fn add(counts: &mut Counts, more: Counts) {
    for (count, more) in counts.iter_mut().zip(more) {
        *count += more;
    }
}

fn square(n: usize, block: usize, nodes: usize) -> Counts {
    let (cut, mut counts) = (cut(n, block), main_function(n * n));
    for (i, rows) in cut.iter().enumerate() {
        row_block(&mut counts, 2, rows * n, i % nodes != 0);
        for _transpose in 0..2 {
            // The row block signals that it has transposed its tile on the diagonal. All its tiles together
            // enable a fiber.
            add(&mut counts, [1, 0, 1, 0, 0, 0, 0]);
            for (j, cols) in cut[..i].iter().enumerate() {
                // One tile of each pair goes to the owner and back. The owner signals that its rows are
                // ready, and that its tile is transposed.
                let remote = 2 * u64::from(i % nodes != j % nodes);
                add(&mut counts, [1, 0, 4, 2, (2 * rows * cols * Z) as u64, remote, 0]);
            }
        }
    }
    counts
}

fn rectangle(rows: usize, cols: usize, blocks: [usize; 2], nodes: usize) -> Counts {
    let (along, across) = (cut(rows, blocks[0]), cut(cols, blocks[1]));
    let mut counts = main_function(rows * cols);
    for (i, height) in along.iter().enumerate() {
        row_block(&mut counts, 3, height * cols, i % nodes != 0);
        for (j, width) in across.iter().enumerate() {
            // A tile goes to the second matrix, is transposed, which is signaled, and comes back.
            let remote = 2 * u64::from(i % nodes != j % nodes);
            add(&mut counts, [1, 0, 3, 2, (2 * height * width * Z) as u64, remote, 0]);
        }
    }
    for j in 0..across.len() {
        // A row block of the second matrix makes its rows, sends its addresses, gets its targets, transforms,
        // and sends its time.
        add(&mut counts, [2, 1, 3, 0, 0, 4 * u64::from(j % nodes != 0), 1]);
    }
    counts
}

fn expected(rows: usize, cols: usize, blocks: [usize; 2], nodes: usize) -> Counts {
    if rows == cols { square(rows, blocks[0], nodes) } else { rectangle(rows, cols, blocks, nodes) }
}

#[test]
fn they_follow_the_protocols() {
    let shapes = [(1, 1), (2, 2), (9, 9), (16, 16), (1, 8), (8, 1), (5, 7), (12, 6), (3, 20)];
    for nodes in [1, 2, 3, 4, 8] {
        for mut named in machines(nodes, &[nodes as u64]) {
            for (rows, cols) in shapes {
                for (block, direction) in [1, 2, 3, 5, 8, 100].into_iter().zip(BOTH.into_iter().cycle()) {
                    let signal = noise::<f64>(rows * cols, 1);
                    let done =
                        matrix(&mut named.machine, rows, cols, signal, Some(block), direction).unwrap();
                    let expected = expected(rows, cols, [block; 2], nodes);
                    let found = counts(&done.counters);
                    assert_eq!(found, expected, "{rows} x {cols} by {block}, {}", named.name);
                }
            }
        }
    }
}

#[test]
fn by_default_each_node_has_four_blocks() {
    for nodes in 1..=4 {
        for mut named in machines(nodes, &[1]) {
            for (rows, cols) in [(40, 40), (40, 3), (1, 33)] {
                let signal = noise::<f64>(rows * cols, 1);
                let done = matrix(&mut named.machine, rows, cols, signal, None, Direction::Forward).unwrap();
                let blocks = [rows, cols].map(|side| default_rows(side, nodes));
                assert_eq!(done.block, Some(blocks[0]));
                assert_eq!(counts(&done.counters), expected(rows, cols, blocks, nodes), "{}", named.name);
            }
        }
    }
    assert_eq!([1, 2, 3, 8].map(|nodes| default_rows(1024, nodes)), [1024, 128, 86, 32]);
    assert_eq!([(7, 2), (1, 64), (5, 1)].map(|(rows, nodes)| default_rows(rows, nodes)), [1, 1, 5]);
}

/// Compares with the closed forms in the programs' module docs.
#[test]
fn the_closed_forms_agree() {
    let sides = [1, 2, 3, 8, 9, 31, 64, 100];
    for (nodes, block) in [1, 2, 3, 5, 8, 64].into_iter().flat_map(|p| [1, 2, 3, 7, 16, 100].map(|b| (p, b)))
    {
        let away = |blocks: usize| (blocks - blocks.div_ceil(nodes)) as u64;
        for n in sides {
            let cut = cut(n, block);
            let (k, squares) = (cut.len() as u64, cut.iter().map(|rows| rows * rows).sum::<usize>());
            let pairs = (0..cut.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
            let remote = pairs.filter(|(i, j)| i % nodes != j % nodes).count() as u64;
            let forms = [
                k * (k + 3) + 3,
                k,
                4 * k * k + 3 * k + 1,
                k * (2 * k - 1),
                ((5 * n * n - 2 * squares) * Z) as u64,
                5 * away(cut.len()) + 4 * remote,
                k + 1,
            ];
            assert_eq!(forms, square(n, block, nodes));
        }
        for (rows, cols) in sides.into_iter().flat_map(|rows| sides.map(|cols| (rows, cols))) {
            let (along, across) = (rows.div_ceil(block), cols.div_ceil(block + 1));
            let tiles = (0..along).flat_map(|i| (0..across).map(move |j| (i, j)));
            let remote = tiles.filter(|(i, j)| i % nodes != j % nodes).count() as u64;
            let (i, j) = (along as u64, across as u64);
            let forms = [
                i * j + 3 * i + 2 * j + 3,
                i + j,
                3 * i * j + 5 * i + 3 * j + 1,
                i * (2 * j + 1),
                (5 * rows * cols * Z) as u64,
                5 * away(along) + 4 * away(across) + 2 * remote,
                i + j + 1,
            ];
            assert_eq!(forms, rectangle(rows, cols, [block, block + 1], nodes));
        }
    }
}

#[test]
fn the_phases_are_the_time() {
    for mut named in machines(2, &[1]) {
        for (rows, cols) in [(64, 64), (32, 96)] {
            let signal = noise::<f64>(rows * cols, 1);
            let done = matrix(&mut named.machine, rows, cols, signal, Some(8), Direction::Forward).unwrap();
            let phases = done.phases;
            assert_eq!(phases.setup() + phases.multithreaded() + phases.reordering(), phases.total());
            assert!(phases.total() <= done.elapsed, "{phases:?} of {:?}", done.elapsed);
            let parts =
                [phases.setup(), phases.multithreaded(), phases.reordering(), phases.rows(), phases.tiles()];
            assert!(named.clock.allows(&parts), "{}: {phases:?}", named.name);
            // The work of two nodes takes at most twice the elapsed time.
            assert!(phases.rows() + phases.tiles() <= 2 * phases.total(), "{phases:?}");
        }
    }
}
