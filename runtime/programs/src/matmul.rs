//! A matrix product by blocks: C = A B, each tile of C computed by a token from a band of rows of A
//! and a band of columns of B.
//!
//! ```text
//! cargo run --release -p earth-programs -- matmul 512 64 2 spn     # n, tile, nodes, spn or dual
//! ```
//!
//! 1. A is split into bands of rows and B into bands of columns, and each band is published: many functions
//!    read it and none writes it.
//! 2. C is the caller's own memory, lent for the run and split into tiles. A tile *moves* to the function
//!    that computes it, which is thus the only one that can write it. No element is copied, and none is
//!    locked.
//! 3. When the run has ended, every handle is gone, and the memory belongs to the caller again.
//!
//! Each entry is added up in the order of a plain triple loop, so the results are bitwise equal. The kernel
//! is kept simple, too: a tuned one would be several times as fast.

use earth::{Block, Eu, Published, Reply, SlotRef, Work, lend, threaded};

use crate::program::{Instance, Machines, Program, ProgramError, Size};

/// Adds the product of the first two matrices to the third, by tiles of `side` by `side`, and returns the
/// number of tiles.
pub struct Multiply {
    tiles: u32,
    out: Reply<u32>,
}

#[threaded]
impl Multiply {
    /// Multiplies the first two matrices, and adds the product to the third.
    pub fn start(matrices: [Block<f64>; 3], side: usize, out: Reply<u32>, eu: &mut Eu<Self>) -> Self {
        let [a, b, c] = matrices;
        let rows: Vec<Published<f64>> = a.split_rows_into(side).map(Block::publish).collect();
        let columns: Vec<Published<f64>> = b.split_cols_into(side).map(Block::publish).collect();
        let mut tiles = 0;
        for (band, rows) in c.split_rows_into(side).zip(&rows) {
            for (tile, columns) in band.split_cols_into(side).zip(&columns) {
                // Raised before the token can run: the slot reaches zero only after this fiber's own signal
                // and the signals of all tiles.
                eu.incr(Self::done(), 1);
                tiles += 1;
                eu.token(Tile::call(tile, rows.clone(), columns.clone(), eu.slot_ref(Self::done())));
            }
        }
        eu.sync(Self::done());
        Multiply { tiles, out }
    }

    #[slot(sync)]
    fn done(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.tiles);
    }
}

/// One tile: the product of a band of rows and a band of columns.
struct Tile;

#[threaded]
impl Tile {
    fn start(
        mut c: Block<f64>,
        rows: Published<f64>,
        columns: Published<f64>,
        computed: SlotRef,
        eu: &mut Eu<Self>,
    ) {
        eu.work(Work::Flops(2 * (c.len() * rows.cols()) as u64));
        for (c, a) in c.iter_rows_mut().zip(rows.iter_rows()) {
            for (&a, b) in a.iter().zip(columns.iter_rows()) {
                for (c, &b) in c.iter_mut().zip(b) {
                    *c += a * b;
                }
            }
        }
        eu.rsync(computed);
    }
}

/// Returns an entry of the first matrix; entry `(i, j)` of the second is `entry(i + 7, j)`.
pub fn entry(i: usize, j: usize) -> f64 {
    ((i * 31 + j * 17) % 101) as f64 / 101.0 - 0.5
}

/// Computes the product by three loops.
fn plain(n: usize) -> Vec<f64> {
    let mut c = vec![0.0; n * n];
    for (i, row) in c.chunks_mut(n).enumerate() {
        for k in 0..n {
            row.iter_mut().enumerate().for_each(|(j, c)| *c += entry(i, k) * entry(k + 7, j));
        }
    }
    c
}

/// Multiplies two matrices by tiles.
pub struct MatrixProduct;

impl Program for MatrixProduct {
    fn name(&self) -> &'static str {
        "matmul"
    }

    fn title(&self) -> &'static str {
        "matrix product"
    }

    fn sizes(&self) -> &'static [Size] {
        const { &[Size::new("rows", 256, 20).within(1, 1 << 13), Size::new("tile", 32, 7)] }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let (n, tile) = (sizes[0] as usize, sizes[1] as usize);
        let bits = |matrix: &[f64]| matrix.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let tiles = n.div_ceil(tile).pow(2) as u32;
        Ok(Instance::new(
            move || (bits(&plain(n)), tiles),
            move |machine| {
                let mut product = vec![0.0; n * n];
                let run = lend(&mut product, n, n, |c| {
                    let (a, b) = (Block::from_fn(n, n, entry), Block::from_fn(n, n, |k, j| entry(k + 7, j)));
                    machine.run(|out| Multiply::call([a, b, c], tile, out))
                });
                let run = run.map_err(|refused| ProgramError::Other(refused.into()))??;
                Ok::<_, ProgramError>(run.map(|tiles| (bits(&product), tiles)))
            },
            move |(_, tiles)| format!("{n} by {n} entries in {tiles} tiles"),
        ))
    }

    fn machines(&self) -> Machines {
        Machines::SharedMemory
    }
}
