//! LU factorization of a matrix by tiles: a task graph as data.
//!
//! Step `k` factors the diagonal tile, solves for the tiles to its right and below it, and subtracts products
//! of these from all remaining tiles. Each task needs a few tiles as other tasks left them, and runs when it
//! has them. Steps overlap, because no task waits for a whole step. The longest path runs first. Each entry
//! goes through the same operations in the same order as in the plain program, so the results are bitwise
//! equal. The matrix is diagonally dominant, so no rows are exchanged.
//!
//! `cargo run --release -p earth-programs -- lu [rows] [tile] [nodes] [spn|dual]`

use earth::patterns::{Graph, RunGraph, Task};
use earth::{Block, Published, Wire, Work};

use crate::program::{Instance, Program, ProgramError, Size};

/// An operation on a tile.
#[derive(Clone, Copy, PartialEq, Wire)]
enum Step {
    /// Makes the tile, given its first row and column and its numbers of rows and columns.
    Make([usize; 4]),
    /// Factors the diagonal tile.
    Factor,
    /// Solves for a tile to the right of the diagonal tile; needs that one.
    Right,
    /// Solves for a tile below the diagonal tile; needs that one.
    Below,
    /// Subtracts a product; needs the tile to the left and the one above.
    Subtract,
}

/// A step on a tile of at most `side` rows and columns.
#[derive(Wire)]
struct Tile {
    step: Step,
    side: u64,
}

impl Task for Tile {
    type Value = Published<f64>;

    /// The first input is the tile itself, as the previous step left it.
    fn run(self, needs: Vec<Published<f64>>) -> Published<f64> {
        if let Step::Make([row, column, rows, columns]) = self.step {
            return Block::from_fn(rows, columns, |i, j| entry(row + i, column + j)).publish();
        }
        let mut tile = Block::from_fn(needs[0].rows(), needs[0].cols(), |i, j| needs[0].row(i)[j]);
        match self.step {
            Step::Factor => {
                for k in 0..tile.rows() {
                    let pivot = tile.row(k).to_vec();
                    for i in k + 1..tile.rows() {
                        eliminate(tile.row_mut(i), k, &pivot);
                    }
                }
            }
            Step::Right => {
                for k in 0..tile.rows() {
                    let pivot = tile.row(k).to_vec();
                    for i in k + 1..tile.rows() {
                        subtract(tile.row_mut(i), needs[1].row(i)[k], &pivot);
                    }
                }
            }
            Step::Below => {
                for i in 0..tile.rows() {
                    for k in 0..needs[1].rows() {
                        eliminate(tile.row_mut(i), k, needs[1].row(k));
                    }
                }
            }
            Step::Subtract => {
                for i in 0..tile.rows() {
                    for (k, &factor) in needs[1].row(i).iter().enumerate() {
                        subtract(tile.row_mut(i), factor, needs[2].row(k));
                    }
                }
            }
            Step::Make(_) => {}
        }
        tile.publish()
    }

    fn cost(&self) -> Work {
        let cube = self.side.pow(3);
        match self.step {
            Step::Make(_) => Work::Cycles(self.side.pow(2)),
            Step::Factor => Work::Flops(2 * cube / 3),
            Step::Right | Step::Below => Work::Flops(cube),
            Step::Subtract => Work::Flops(2 * cube),
        }
    }
}

/// Turns entry `k` of a row into a factor, and subtracts that multiple of the pivot row from the rest.
fn eliminate(row: &mut [f64], k: usize, pivot: &[f64]) {
    row[k] /= pivot[k];
    let factor = row[k];
    subtract(&mut row[k + 1..], factor, &pivot[k + 1..]);
}

fn subtract(row: &mut [f64], factor: f64, other: &[f64]) {
    row.iter_mut().zip(other).for_each(|(entry, other)| *entry -= factor * other);
}

fn entry(i: usize, j: usize) -> f64 {
    if i == j { 200.0 } else { ((i * 31 + j * 17) % 101) as f64 / 101.0 - 0.5 }
}

/// Returns the graph for a matrix of `n` rows by tiles of `side`; its result is the tiles, row by row.
fn graph(n: usize, side: usize) -> Graph<Tile> {
    let tiles = n.div_ceil(side);
    let mut graph = Graph::new();
    let mut add = |step, needs: &[usize]| graph.add(Tile { step, side: side as u64 }, needs);
    let size = |at: usize| side.min(n - at * side);
    let mut left: Vec<Vec<usize>> = (0..tiles)
        .map(|i| (0..tiles).map(|j| add(Step::Make([i * side, j * side, size(i), size(j)]), &[])).collect())
        .collect();
    for k in 0..tiles {
        left[k][k] = add(Step::Factor, &[left[k][k]]);
        for i in k + 1..tiles {
            left[k][i] = add(Step::Right, &[left[k][i], left[k][k]]);
            left[i][k] = add(Step::Below, &[left[i][k], left[k][k]]);
        }
        for i in k + 1..tiles {
            for j in k + 1..tiles {
                left[i][j] = add(Step::Subtract, &[left[i][j], left[i][k], left[k][j]]);
            }
        }
    }
    left.into_iter().flatten().for_each(|tile| _ = graph.keep(tile));
    graph
}

/// Factors the matrix with a plain loop.
fn plain(n: usize) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
    for k in 0..n {
        let (done, rest) = rows.split_at_mut(k + 1);
        for row in rest {
            eliminate(row, k, &done[k]);
        }
    }
    rows
}

/// Returns the rows of a matrix of `n` rows by its tiles.
fn rows(n: usize, side: usize, tiles: &[Published<f64>]) -> Vec<Vec<f64>> {
    let across = n.div_ceil(side);
    let row =
        |i: usize| (0..across).flat_map(|j| tiles[i / side * across + j].row(i % side)).copied().collect();
    (0..n).map(row).collect()
}

/// Factors a matrix by tiles.
pub struct Lu;

impl Program for Lu {
    fn name(&self) -> &'static str {
        "lu"
    }

    fn title(&self) -> &'static str {
        "LU by tiles"
    }

    fn sizes(&self) -> &'static [Size] {
        const { &[Size::new("rows", 320, 40).within(1, 1 << 14), Size::new("tile", 32, 8)] }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let (n, side) = (sizes[0] as usize, sizes[1] as usize);
        Ok(Instance::new(
            || plain(n),
            move |machine| {
                let run = machine.run(|out| RunGraph::call(graph(n, side), out))?;
                Ok::<_, ProgramError>(run.map(|tiles| rows(n, side, &tiles)))
            },
            |rows| format!("the factors of {} rows", rows.len()),
        ))
    }
}
