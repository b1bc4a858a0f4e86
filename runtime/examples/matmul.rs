//! A matrix product by blocks: C = A B, each tile of C computed by a token from a band of rows of A
//! and a band of columns of B.
//!
//! ```text
//! cargo run --release -p earth --example programs -- matmul 512 64 2 spn     # n, tile, nodes, spn or dual
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

use std::time::{Duration, Instant};

use earth::{Block, Config, Eu, Machine, Published, Reply, SlotRef, Work, lend, threaded};

/// Adds the product of the first two matrices to the third, by tiles of `side` by `side`, and returns the
/// number of tiles.
pub(crate) struct Multiply {
    tiles: u32,
    out: Reply<u32>,
}

#[threaded]
impl Multiply {
    pub(crate) fn start(matrices: [Block<f64>; 3], side: usize, out: Reply<u32>, eu: &mut Eu<Self>) -> Self {
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

pub(crate) fn entry(i: usize, j: usize) -> f64 {
    ((i * 31 + j * 17) % 101) as f64 / 101.0 - 0.5
}

/// Computes the product by three loops.
pub(crate) fn plain(n: usize) -> Vec<f64> {
    let mut c = vec![0.0; n * n];
    for (i, row) in c.chunks_mut(n).enumerate() {
        for k in 0..n {
            row.iter_mut().enumerate().for_each(|(j, c)| *c += entry(i, k) * entry(k + 7, j));
        }
    }
    c
}

/// Runs the program with its command-line arguments.
pub(crate) fn main(mut args: impl Iterator<Item = String>) -> Result<(), Box<dyn std::error::Error>> {
    let mut number = |default| args.next().map_or(Ok(default), |number| number.parse::<usize>());
    let (n, tile, nodes) = (number(256)?.max(1), number(48)?.max(1), number(2)?);
    let config = args.next().map_or(Ok(Config::Spn), |config| config.parse())?;
    demonstrate(n, tile, &mut Machine::threads(nodes).config(config)).map(drop)
}

/// Multiplies, and checks the product against that of three loops. Returns the times of the loops and of the
/// run.
pub(crate) fn demonstrate(
    n: usize,
    tile: usize,
    machine: &mut Machine,
) -> Result<[Duration; 2], Box<dyn std::error::Error>> {
    let nodes = machine.node_count();
    let mut product = vec![0.0; n * n];
    let run = lend(&mut product, n, n, |c| {
        let (a, b) = (Block::from_fn(n, n, entry), Block::from_fn(n, n, |k, j| entry(k + 7, j)));
        machine.run(|out| Multiply::call([a, b, c], tile, out))
    })??;
    let bits = |matrix: &[f64]| matrix.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let began = Instant::now();
    let expected = plain(n);
    let plainly = began.elapsed();
    assert_eq!(bits(&product), bits(&expected));
    assert_eq!(run.value as usize, n.div_ceil(tile).pow(2));
    let seconds = run.elapsed.as_secs_f64();
    eprintln!(
        "{n} by {n} in {} tiles on {nodes} nodes: {:.1} ms, {:.2} GFLOPS; {} tiles were stolen",
        run.value,
        seconds * 1e3,
        2.0 * (n as f64).powi(3) / seconds * 1e-9,
        run.counters.tokens_stolen,
    );
    Ok([plainly, run.elapsed])
}
