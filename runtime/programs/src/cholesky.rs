//! Cholesky factorization of a matrix by tiles: as tokens that wait for values, or as a task graph.
//!
//! The matrix A is symmetric and positive definite. Its factor U is upper triangular, and A is the product of
//! U transposed and U. A tile of U is made from the tile of A: products of the tiles above it are subtracted,
//! and then the tile is factored, if it is on the diagonal, or solved for.
//!
//! *As tokens.* Each tile passes from token to token, one for each step, and a step needs one or two finished
//! tiles. A finished tile is in a cell. A step that follows is a token when its cells are written
//! ([`Eu::token_when`]), so that idle nodes steal steps whose values are there, and no node waits.
//!
//! *As a graph.* Each step is a task of a [`RunGraph`], and all finished tiles are kept.
//!
//! `cargo run --release -p earth-programs -- cholesky [rows] [tile] [nodes] [spn|dual]`, and `cholesky_graph`

use earth::patterns::{Graph, RunGraph, Task};
use earth::{Arrived, Block, CellRefs, Eu, Published, Reply, Wire, Work, threaded};

use crate::program::{Instance, Program, ProgramError, Size};

/// A tile of the factor.
type Tile = Published<f64>;

/// The numbers of rows of the matrix and of a tile.
#[derive(Clone, Copy, Wire)]
struct Shape {
    n: usize,
    side: usize,
}

impl Shape {
    /// Returns the number of tiles in a row.
    fn tiles(self) -> usize {
        self.n.div_ceil(self.side)
    }

    /// Returns all tiles on and above the diagonal, row by row.
    fn all(self) -> impl Iterator<Item = [usize; 2]> {
        (0..self.tiles()).flat_map(move |i| (i..self.tiles()).map(move |j| [i, j]))
    }

    /// Returns the position of a tile among [`all`](Self::all).
    fn number(self, [i, j]: [usize; 2]) -> usize {
        // Row `i` follows rows of `tiles`, `tiles - 1` and so on.
        i * (2 * self.tiles() + 1 - i) / 2 + j - i
    }

    /// Returns a tile of the matrix.
    fn tile(self, [i, j]: [usize; 2]) -> Block<f64> {
        let length = |at: usize| self.side.min(self.n - at * self.side);
        let (row, column) = (i * self.side, j * self.side);
        Block::from_fn(length(i), length(j), |r, c| entry(self.n, row + r, column + c))
    }

    /// Returns the work of a step: this many thirds of the cube of a tile's side.
    fn flops(self, thirds: u64) -> Work {
        Work::Flops((self.side as u64).pow(3) * thirds / 3)
    }
}

/// An entry of the matrix. Each diagonal entry is larger than the sum of the others in its row.
fn entry(n: usize, i: usize, j: usize) -> f64 {
    let (least, most) = (i.min(j), i.max(j));
    if i == j { n as f64 } else { ((least * 31 + most * 17) % 101) as f64 / 101.0 - 0.5 }
}

/// Subtracts the product of `left`, transposed, and `right`.
fn subtract(tile: &mut Block<f64>, left: &Tile, right: &Tile) {
    // Four rows at once, so that an entry of the tile is loaded and stored once for four products.
    let fours = left.rows() / 4 * 4;
    for k in (0..fours).step_by(4) {
        let rows = [0, 1, 2, 3].map(|more| right.row(k + more));
        let factors = [0, 1, 2, 3].map(|more| left.row(k + more));
        for (r, row) in tile.iter_rows_mut().enumerate() {
            let [a, b, c, d] = factors.map(|factor| factor[r]);
            let sources = rows[0].iter().zip(rows[1]).zip(rows[2]).zip(rows[3]);
            for (entry, (((w, x), y), z)) in row.iter_mut().zip(sources) {
                *entry -= (a * w + b * x) + (c * y + d * z);
            }
        }
    }
    for k in fours..left.rows() {
        for (r, row) in tile.iter_rows_mut().enumerate() {
            less(row, left.row(k)[r], right.row(k));
        }
    }
}

/// Subtracts a multiple of another row.
fn less(row: &mut [f64], factor: f64, other: &[f64]) {
    row.iter_mut().zip(other).for_each(|(entry, other)| *entry -= factor * other);
}

/// Solves for a tile to the right of a diagonal tile.
fn solve(tile: &mut Block<f64>, diagonal: &Tile) {
    for k in 0..tile.rows() {
        let pivot = diagonal.row(k);
        tile.row_mut(k).iter_mut().for_each(|entry| *entry /= pivot[k]);
        let done = tile.row(k).to_vec();
        for (i, &factor) in pivot.iter().enumerate().skip(k + 1) {
            less(tile.row_mut(i), factor, &done);
        }
    }
}

/// Factors a diagonal tile.
fn factor(tile: &mut Block<f64>) {
    for k in 0..tile.rows() {
        let row = tile.row_mut(k);
        row[..k].fill(0.0);
        let root = row[k].sqrt();
        row[k..].iter_mut().for_each(|entry| *entry /= root);
        let done = tile.row(k).to_vec();
        for i in k + 1..tile.rows() {
            less(&mut tile.row_mut(i)[i..], done[i], &done[i..]);
        }
    }
}

/// The factorization by tokens. Its result is the tiles of the factor, row by row.
struct Cholesky {
    out: Reply<Vec<Tile>>,
}

#[threaded(tiles = shape.all().count())]
impl Cholesky {
    fn start(shape: Shape, out: Reply<Vec<Tile>>, eu: &mut Eu<Self>) -> Self {
        let (finished, all) = (eu.cell_refs(Self::finished(..)), eu.replies(Self::all().tile));
        (0..tiles).for_each(|i| eu.get(finished.at(i), all.at(i)));
        // A node runs its newest token first: the first row last.
        let at = shape.all().collect::<Vec<_>>();
        for at in at.into_iter().rev() {
            eu.token(Make::call(Place { at, step: 0, shape, finished }));
        }
        Cholesky { out }
    }

    #[cells(len = tiles)]
    fn finished(index: usize) -> Tile;

    #[slot]
    fn all(self, #[inlets(tiles)] tile: Arrived<'_, Tile>, eu: &mut Eu<Self>) {
        eu.put(self.out, tile.collect());
    }
}

/// A tile on its way.
#[derive(Clone, Copy, Wire)]
struct Place {
    at: [usize; 2],
    /// Number of products that have been subtracted.
    step: usize,
    shape: Shape,
    finished: CellRefs<Tile>,
}

impl Place {
    /// Makes the token of the tile's next step when the tiles that it needs are finished.
    fn go_on(self, tile: Block<f64>, eu: &mut Eu<impl Sized>) {
        let Place { at: [i, j], step, shape, finished } = self;
        let of = |at| finished.at(shape.number(at));
        if step < i {
            eu.token_when((of([step, i]), of([step, j])), move |(left, right)| {
                Subtract::call(self, tile, left, right)
            });
        } else if i == j {
            eu.token(Factor::call(self, tile));
        } else {
            eu.token_when(of([i, i]), move |diagonal| Solve::call(self, tile, diagonal));
        }
    }

    fn finish(self, tile: Block<f64>, eu: &mut Eu<impl Sized>) {
        eu.write(self.finished.at(self.shape.number(self.at)), tile.publish());
    }
}

struct Make;

#[threaded]
impl Make {
    fn start(place: Place, eu: &mut Eu<Self>) {
        eu.work(Work::Cycles((place.shape.side as u64).pow(2)));
        place.go_on(place.shape.tile(place.at), eu);
    }
}

struct Subtract;

#[threaded]
impl Subtract {
    fn start(place: Place, mut tile: Block<f64>, left: Tile, right: Tile, eu: &mut Eu<Self>) {
        eu.work(place.shape.flops(6));
        subtract(&mut tile, &left, &right);
        Place { step: place.step + 1, ..place }.go_on(tile, eu);
    }
}

struct Solve;

#[threaded]
impl Solve {
    fn start(place: Place, mut tile: Block<f64>, diagonal: Tile, eu: &mut Eu<Self>) {
        eu.work(place.shape.flops(3));
        solve(&mut tile, &diagonal);
        place.finish(tile, eu);
    }
}

struct Factor;

#[threaded]
impl Factor {
    fn start(place: Place, mut tile: Block<f64>, eu: &mut Eu<Self>) {
        eu.work(place.shape.flops(1));
        factor(&mut tile);
        place.finish(tile, eu);
    }
}

/// A step on a tile, as a task of a graph. Its first input is the tile, as the previous step left it.
#[derive(Clone, Copy, Wire)]
struct Step {
    does: Does,
    shape: Shape,
}

#[derive(Clone, Copy, Wire)]
enum Does {
    Make([usize; 2]),
    Subtract,
    Solve,
    Factor,
}

impl Task for Step {
    type Value = Tile;

    fn run(self, needs: Vec<Tile>) -> Tile {
        let mut needs = needs.into_iter();
        let tile = needs.next().map(|tile| tile.into_block().unwrap_or_else(|tile| copy(&tile)));
        let others: Vec<_> = needs.collect();
        let mut tile = match (self.does, tile) {
            (Does::Make(at), _) => return self.shape.tile(at).publish(),
            (_, Some(tile)) => tile,
            (_, None) => unreachable!("each other step needs its tile"),
        };
        match self.does {
            Does::Subtract => subtract(&mut tile, &others[0], &others[1]),
            Does::Solve => solve(&mut tile, &others[0]),
            Does::Factor | Does::Make(_) => factor(&mut tile),
        }
        tile.publish()
    }

    fn cost(&self) -> Work {
        match self.does {
            Does::Make(_) => Work::Cycles((self.shape.side as u64).pow(2)),
            Does::Subtract => self.shape.flops(6),
            Does::Solve => self.shape.flops(3),
            Does::Factor => self.shape.flops(1),
        }
    }
}

fn copy(tile: &Tile) -> Block<f64> {
    Block::from_fn(tile.rows(), tile.cols(), |i, j| tile.row(i)[j])
}

/// Returns the graph of the factorization. Its results are the tiles of the factor, row by row.
fn graph(shape: Shape) -> Graph<Step> {
    let mut graph = Graph::new();
    let mut finished = Vec::new();
    for [i, j] in shape.all() {
        let mut tile = graph.add(Step { does: Does::Make([i, j]), shape }, []);
        let of = |k, at| -> usize { finished[shape.number([k, at])] };
        for k in 0..i {
            tile = graph.add(Step { does: Does::Subtract, shape }, [tile, of(k, i), of(k, j)]);
        }
        let tile = if i == j {
            graph.add(Step { does: Does::Factor, shape }, [tile])
        } else {
            graph.add(Step { does: Does::Solve, shape }, [tile, of(i, i)])
        };
        graph.keep(tile);
        finished.push(tile);
    }
    graph
}

/// The rows of a factor, each from its diagonal on.
struct Rows(Vec<Vec<f64>>);

impl PartialEq for Rows {
    /// Whether two factors differ by no more than rounding, whose order differs.
    fn eq(&self, other: &Self) -> bool {
        // Entries of a factor are at most the root of a diagonal entry.
        let n = self.0.len() as f64;
        let most = 1e-14 * n * n.sqrt();
        let entries = self.0.iter().flatten().zip(other.0.iter().flatten());
        // A NaN is not small either.
        self.0.iter().map(Vec::len).eq(other.0.iter().map(Vec::len))
            && entries.into_iter().all(|(one, other)| (one - other).abs() <= most)
    }
}

/// Factors the matrix with a plain loop, row by row.
fn plain(n: usize) -> Rows {
    let mut rows: Vec<Vec<f64>> = (0..n).map(|i| (i..n).map(|j| entry(n, i, j)).collect()).collect();
    for k in 0..n {
        let (done, rest) = rows.split_at_mut(k + 1);
        let pivot = &mut done[k];
        let root = pivot[0].sqrt();
        for entry in pivot.iter_mut() {
            *entry /= root;
        }
        for (i, row) in (1..).zip(rest) {
            less(row, pivot[i], &pivot[i..]);
        }
    }
    Rows(rows)
}

/// Returns the rows of a factor by its tiles.
fn rows(shape: Shape, tiles: &[Tile]) -> Rows {
    let row = |i: usize| {
        let (band, at) = (i / shape.side, i % shape.side);
        let tiles = (band..shape.tiles()).map(|j| tiles[shape.number([band, j])].row(at));
        tiles.flatten().skip(at).copied().collect()
    };
    Rows((0..shape.n).map(row).collect())
}

/// Factors a matrix by tokens that wait for values.
pub struct CholeskyByTokens;

/// Factors a matrix by a task graph.
pub struct CholeskyByGraph;

const SIZES: &[Size] = &[Size::new("rows", 640, 50).within(1, 1 << 14), Size::new("tile", 32, 8)];

impl Program for CholeskyByTokens {
    fn name(&self) -> &'static str {
        "cholesky"
    }

    fn title(&self) -> &'static str {
        "Cholesky by tokens"
    }

    fn sizes(&self) -> &'static [Size] {
        SIZES
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let shape = Shape { n: sizes[0] as usize, side: sizes[1] as usize };
        Ok(Instance::new(
            || plain(shape.n),
            move |machine| {
                let run = machine.run(|out| Cholesky::call(shape, out))?;
                Ok::<_, ProgramError>(run.map(|tiles| rows(shape, &tiles)))
            },
            |rows| format!("the factor of {} rows", rows.0.len()),
        ))
    }
}

impl Program for CholeskyByGraph {
    fn name(&self) -> &'static str {
        "cholesky_graph"
    }

    fn title(&self) -> &'static str {
        "Cholesky by a task graph"
    }

    fn sizes(&self) -> &'static [Size] {
        SIZES
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let shape = Shape { n: sizes[0] as usize, side: sizes[1] as usize };
        Ok(Instance::new(
            || plain(shape.n),
            move |machine| {
                let run = machine.run(|out| RunGraph::call(graph(shape), out))?;
                Ok::<_, ProgramError>(run.map(|tiles| rows(shape, &tiles)))
            },
            |rows| format!("the factor of {} rows", rows.0.len()),
        ))
    }
}
