//! A wavefront: the length of the longest common subsequence of two texts, by tiles of the
//! table of dynamic programming.
//!
//! ```text
//! cargo run --release --example wavefront -p earth -- 4000 100 2 spn     # length, tile, nodes, spn or dual
//! ```
//!
//! An entry of the table needs its neighbours above and to the left, so tiles on one anti-diagonal can be
//! computed at the same time.
//!
//! 1. A row of tiles is one function on one node (rows are dealt round-robin), with an array of slots:
//!    tile `j` waits for the lower edge of the tile above it and for tile `j - 1` of its own row. Its
//!    fiber gets `j` as its index.
//! 2. The right edge of a tile stays in the row's state, since the next tile is computed there.
//!    Only lower edges travel.
//! 3. The rows are started from the last to the first, so that each can tell the one
//!    above where its edges go.
//!
//! The table itself is never stored: memory is one edge a row and those under way. With tiles so small that
//! an edge costs more to send than a tile to compute, one node is faster.

use earth::{Block, Config, Machine, NodeId, Published, Replies, Reply, Then, threaded};

/// The two texts, and the side of a tile.
type Task = (Published<u8>, Published<u8>, usize);

threaded! {
    /// The length of the longest common subsequence of `a` and `b`.
    fn Lcs(task: Box<Task>, out: Reply<u32>)
    calls { Row }
    fiber start(this, eu) {
        let (a, b, tile) = &*this.task;
        let last = a.cols().div_ceil(*tile) - 1;
        let task = Box::new((a.clone(), b.clone(), *tile));
        eu.invoke::<Row>(NodeId::new(last % eu.nodes()), (last, task, None, this.out));
        Then::End
    }
}

threaded! {
    /// Row `i` of the tiles. Its lower edges go `below`; the last entry of the last row is the result.
    fn Row(i: usize, task: Box<Task>, below: Option<Box<Replies<Vec<u32>>>>, out: Reply<u32>)
    state  { rows: Vec<u8> = Vec::new(), left: Vec<u32> = Vec::new() }
    calls  { Row }
    inlets { above[this.task.1.cols().div_ceil(this.task.2)]: Vec<u32> }
    slots  { tile[this.task.1.cols().div_ceil(this.task.2)]: 2 => compute }
    fiber start(this, eu) {
        let (a, b, tile) = &*this.task;
        let first = this.i * tile;
        this.rows = a.row(0)[first..a.cols().min(first + tile)].to_vec();
        // The entries to the left of the row, the one above them first.
        this.left = vec![0; this.rows.len() + 1];
        let above = eu.replies_to(Self::above, Self::tile);
        if this.i == 0 {
            (0..above.len()).for_each(|j| eu.put(above.at(j), vec![0; b.cols().min((j + 1) * tile) - j * tile]));
        } else {
            let task = Box::new((a.clone(), b.clone(), *tile));
            let node = NodeId::new((this.i - 1) % eu.nodes());
            eu.invoke::<Row>(node, (this.i - 1, task, Some(Box::new(above)), this.out));
        }
        eu.sync(Self::tile.at(0));
        Then::Wait
    }
    fiber compute(this, eu, j) {
        let mut edge = eu.take(Self::above.at(j));
        let columns = &this.task.1.row(0)[j * this.task.2..][..edge.len()];
        tile(&this.rows, columns, &mut this.left, &mut edge);
        let result = edge[edge.len() - 1];
        let tiles = this.task.1.cols().div_ceil(this.task.2);
        if let Some(below) = &this.below {
            eu.put(below.at(j), edge);
        } else if j + 1 == tiles {
            eu.put(this.out, result);
        }
        if j + 1 == tiles {
            return Then::End;
        }
        eu.sync(Self::tile.at(j + 1));
        Then::Wait
    }
}

/// One tile of the table: `left` becomes its right edge (below the corner), `edge`, the entries
/// above it, its lower edge.
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

/// Letters that look random and are always the same.
fn text(length: usize, seed: u64) -> Vec<u8> {
    let next =
        |x: &u64| Some(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    std::iter::successors(Some(seed), next)
        .skip(1)
        .take(length)
        .map(|x| b"acgt"[(x >> 62) as usize])
        .collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let mut number = |default| args.next().map_or(Ok(default), |number| number.parse::<usize>());
    let (length, side, nodes) = (number(2_000)?.max(1), number(100)?.max(1), number(2)?);
    let config = if args.next().as_deref() == Some("dual") { Config::Dual } else { Config::Spn };
    demonstrate(length, side, nodes, config)
}

/// Compares two texts and checks the result against one tile over both.
pub(crate) fn demonstrate(
    length: usize,
    side: usize,
    nodes: usize,
    config: Config,
) -> Result<(), Box<dyn std::error::Error>> {
    let (a, b) = (text(length, 1), text(length + length / 3, 2));
    // One tile over both texts is the plain algorithm.
    let mut edge = vec![0; b.len()];
    tile(&a, &b, &mut vec![0; a.len() + 1], &mut edge);
    let expected = edge[b.len() - 1];

    let published = |text: Vec<u8>| Block::from_vec(1, text.len(), text).map(Block::publish);
    let task = Box::new((published(a)?, published(b)?, side));
    let run = Machine::threads(nodes).config(config).run::<Lcs>(task)?;
    assert_eq!(run.value, expected);
    println!(
        "{} letters in common, found by {} tiles on {nodes} nodes, {config}, in {:.1} ms",
        run.value,
        length.div_ceil(side) * (length + length / 3).div_ceil(side),
        run.elapsed.as_secs_f64() * 1e3,
    );
    Ok(())
}
