//! A wavefront: the length of the longest common subsequence of two texts, by tiles of the
//! table of dynamic programming.
//!
//! ```text
//! cargo run --release -p earth-programs -- wavefront 4000 100 2 spn     # length, tile, nodes, spn or dual
//! ```
//!
//! An entry of the table needs its neighbors above and to the left, so tiles on one anti-diagonal can be
//! computed at the same time.
//!
//! 1. A row of tiles is one function on one node (rows are distributed round-robin), with an array of slots.
//!    Tile `j` waits for the lower edge of the tile above it and for tile `j - 1` of its own row. Its fiber
//!    gets `j` as its index.
//! 2. The right edge of a tile stays in the row's state, since the same function computes the next tile. Only
//!    lower edges travel.
//! 3. The rows are started from the last to the first, so that each can pass the one above the inlets for its
//!    edges.
//!
//! The table itself is never stored: memory holds one edge per row and the edges under way. If the tiles are
//! so small that an edge costs more to send than a tile to compute, one node is faster.

use earth::{Block, Eu, Machine, NodeId, Published, Replies, Reply, Then, Work, threaded};

use crate::program::{Instance, Program, ProgramError, Size};

/// The two texts, and the side of a tile.
type Task = (Published<u8>, Published<u8>, usize);

/// The length of the longest common subsequence of two texts.
struct Lcs;

#[threaded]
impl Lcs {
    fn start(task: Task, out: Reply<u32>, eu: &mut Eu<Self>) {
        let last = task.0.cols().div_ceil(task.2) - 1;
        eu.invoke(NodeId::new(last % eu.nodes()), Row::call(last, task, None, out));
    }
}

/// A row of tiles. Its lower edges go to `below`; the last entry of the last row is the result.
struct Row {
    task: Task,
    below: Option<Replies<Vec<u32>>>,
    out: Reply<u32>,
    rows: Vec<u8>,
    /// The entries to the left of the next tile, beginning with the one above them.
    left: Vec<u32>,
}

#[threaded(tiles = task.1.cols().div_ceil(task.2))]
impl Row {
    fn start(
        i: usize,
        task: Task,
        below: Option<Replies<Vec<u32>>>,
        out: Reply<u32>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let (a, b, tile) = &task;
        let first = i * tile;
        let rows = a.row(0)[first..a.cols().min(first + tile)].to_vec();
        let left = vec![0; rows.len() + 1];
        let above = eu.replies(Self::compute(..).above);
        if i == 0 {
            (0..above.len())
                .for_each(|j| eu.put(above.at(j), vec![0; b.cols().min((j + 1) * tile) - j * tile]));
        } else {
            let node = NodeId::new((i - 1) % eu.nodes());
            eu.invoke(node, Row::call(i - 1, task.clone(), Some(above), out));
        }
        eu.sync(Self::compute(0));
        Row { task, below, out, rows, left }
    }

    /// Computes tile `j`, which waits for the lower edge of the tile above it and for the tile to its left.
    #[slots(len = tiles, sync)]
    fn compute(&mut self, j: usize, above: Vec<u32>, eu: &mut Eu<Self>) -> Then {
        let mut edge = above;
        eu.work(Work::Cycles(5 * (self.rows.len() * edge.len()) as u64));
        let (_, b, side) = &self.task;
        tile(&self.rows, &b.row(0)[j * side..][..edge.len()], &mut self.left, &mut edge);
        let result = edge[edge.len() - 1];
        let last = j + 1 == b.cols().div_ceil(*side);
        if let Some(below) = &self.below {
            eu.put(below.at(j), edge);
        } else if last {
            eu.put(self.out, result);
        }
        if last {
            return Then::End;
        }
        eu.sync(Self::compute(j + 1));
        Then::Wait
    }
}

/// Computes one tile of the table. Overwrites `left` with its right edge (the first entry is the corner), and
/// `edge`, the entries above it, with its lower edge.
fn tile(rows: &[u8], columns: &[u8], left: &mut [u32], edge: &mut [u32]) {
    let corner = std::mem::replace(&mut left[0], edge[edge.len() - 1]);
    let mut diagonal_of_row = corner;
    for (i, row) in rows.iter().enumerate() {
        let mut diagonal = diagonal_of_row;
        diagonal_of_row = left[i + 1];
        let mut before = left[i + 1];
        for (entry, column) in edge.iter_mut().zip(columns) {
            let here = if row == column { diagonal + 1 } else { before.max(*entry) };
            diagonal = std::mem::replace(entry, here);
            before = here;
        }
        left[i + 1] = before;
    }
}

/// Returns letters that are pseudorandom and reproducible.
fn text(length: usize, seed: u64) -> Vec<u8> {
    let next =
        |x: &u64| Some(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    std::iter::successors(Some(seed), next)
        .skip(1)
        .take(length)
        .map(|x| b"acgt"[(x >> 62) as usize])
        .collect()
}

/// Computes the length by one tile over both texts.
fn plain(a: &[u8], b: &[u8]) -> u32 {
    let mut edge = vec![0; b.len()];
    tile(a, b, &mut vec![0; a.len() + 1], &mut edge);
    edge[b.len() - 1]
}

/// Compares two texts, the second a third longer than the first.
pub struct Wavefront;

impl Program for Wavefront {
    fn name(&self) -> &'static str {
        "wavefront"
    }

    fn title(&self) -> &'static str {
        "longest common subsequence"
    }

    fn sizes(&self) -> &'static [Size] {
        const { &[Size::new("length", 3_000, 40).within(1, 1 << 20), Size::new("tile", 60, 8)] }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let (length, side) = (sizes[0] as usize, sizes[1] as usize);
        let (a, b) = (text(length, 1), text(length + length / 3, 2));
        let publish = |text: &[u8]| Block::from_fn(1, text.len(), |_, j| text[j]).publish();
        let task = (publish(&a), publish(&b), side);
        let run = move |machine: &mut Machine| {
            let task = task.clone();
            machine.run(|out| Lcs::call(task, out))
        };
        Ok(Instance::new(|| plain(&a, &b), run, |length| format!("{length} letters in common")))
    }
}
