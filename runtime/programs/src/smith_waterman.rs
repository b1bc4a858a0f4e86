//! Smith-Waterman: the score of the best local alignment of two sequences. The score is the largest entry of
//! a matrix in which each entry depends on its neighbors above, to the left, and diagonally above left.
//!
//! The matrix is cut into tiles. A tile is computed when it has the lowest row of the tile above, the
//! rightmost column of the tile to the left, and the corner entry of the tile diagonally above left: a
//! wavefront without a barrier. A horizontal band of tiles is a threaded function. The bands are distributed
//! round-robin over the nodes. Each tile is a fiber of its band, enabled by a slot of an array. The score is
//! compared with the plain program's score. The sequences are real: the two chains of human hemoglobin.
//!
//! `cargo run --release -p earth-programs -- smith_waterman [length] [other length] [tile] [nodes] [spn|dual]`

use earth::{Arrived, Block, Eu, Machine, NodeId, Published, Replies, Reply, Then, Wire, Work, threaded};

use crate::program::{Instance, Program, ProgramError, Size};

/// The amino acids of the alpha chain of human hemoglobin.
const ALPHA: &[u8] = b"MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHAHKLRVDPVNFKLLSHCLLVTLAAHLPAEFTPAVHASLDKFLASVSTVLTSKYR";

/// The amino acids of its beta chain.
const BETA: &[u8] = b"MVHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKGTFATLSELHCDKLHVDPENFRLLGNVLVCVLAHHFGKEFTPPVQAAYQKVVAGVANALAHKYH";

/// Score of a letter without a partner.
const GAP: i32 = -1;

/// Returns the score of two letters.
const fn pair(a: u8, b: u8) -> i32 {
    if a == b { 2 } else { -1 }
}

/// One of the sequences: all bands read it, and none copies it.
type Letters = Published<u8>;

/// A lowest row or a rightmost column.
type Border = Vec<i32>;

/// A band's inlets for rows and corners from the band above.
type Upper = (Replies<Border>, Replies<i32>);

/// The two sequences, down and across, the side of a tile, and the replies for the bands' best scores.
#[derive(Clone, Wire)]
struct Task {
    down: Letters,
    across: Letters,
    side: usize,
    scores: Replies<i32>,
}

/// The whole matrix: starts the bands and finds the best score.
struct Matrix {
    out: Reply<i32>,
}

#[threaded]
impl Matrix {
    fn start(down: Letters, across: Letters, side: usize, out: Reply<i32>, eu: &mut Eu<Self>) -> Self {
        let scores = eu.replies(Self::best().scores);
        // The lowest band first: each band starts the one above, which thus knows the inlets for its rows.
        let lowest = down.len().div_ceil(side) - 1;
        let node = NodeId::new(lowest % eu.nodes());
        eu.invoke(node, Band::call(lowest, Task { down, across, side, scores }, None));
        Matrix { out }
    }

    #[slot]
    fn best(self, #[inlets(down.len().div_ceil(side))] scores: Arrived<'_, i32>, eu: &mut Eu<Self>) {
        eu.put(self.out, scores.fold(0, i32::max));
    }
}

/// A band of tiles.
struct Band {
    number: usize,
    columns: usize,
    task: Task,
    below: Option<Upper>,
    best: i32,
}

#[threaded(columns = task.across.len().div_ceil(task.side))]
impl Band {
    fn start(number: usize, task: Task, below: Option<Upper>, eu: &mut Eu<Self>) -> Self {
        let (rows, corners) = (eu.replies(Self::tile(..).top), eu.replies(Self::tile(..).corner));
        // Beyond the matrix all entries are 0.
        eu.put(eu.reply(Self::tile(0).left), vec![0; piece(&task.down, task.side, number).len()]);
        eu.put(corners.at(0), 0);
        if let Some(above) = number.checked_sub(1) {
            let node = NodeId::new(above % eu.nodes());
            eu.invoke(node, Band::call(above, task.clone(), Some((rows, corners))));
        } else {
            for column in 0..rows.len() {
                eu.put(rows.at(column), vec![0; piece(&task.across, task.side, column).len()]);
            }
            (1..rows.len()).for_each(|column| eu.put(corners.at(column), 0));
        }
        Band { number, columns: rows.len(), task, below, best: 0 }
    }

    /// Computes a tile. Each tile waits for the one to its left, so the last tile of a band comes last.
    #[slots(len = columns)]
    fn tile(&mut self, column: usize, top: Border, left: Border, corner: i32, eu: &mut Eu<Self>) -> Then {
        let down = piece(&self.task.down, self.task.side, self.number);
        let across = piece(&self.task.across, self.task.side, column);
        let (mut top, mut left) = (top, left);
        eu.work(Work::Cycles(10 * (down.len() * across.len()) as u64));
        self.best = self.best.max(align(down, across, &mut top, &mut left, corner));
        let last = column + 1 == self.columns;
        if let Some((rows, corners)) = self.below {
            if !last {
                eu.put(corners.at(column + 1), top[top.len() - 1]);
            }
            eu.put(rows.at(column), top);
        }
        if last {
            eu.put(self.task.scores.at(self.number), self.best);
            return Then::End;
        }
        eu.put(eu.reply(Self::tile(column + 1).left), left);
        Then::Wait
    }
}

/// Returns the letters along a tile's side.
fn piece(letters: &Letters, side: usize, number: usize) -> &[u8] {
    let row = letters.row(0);
    &row[number * side..row.len().min((number + 1) * side)]
}

/// Computes a tile from the `row` above, the column to the `left` and the corner, and returns the largest
/// entry. Overwrites `row` with the lowest row and `left` with the rightmost column.
fn align(down: &[u8], across: &[u8], row: &mut [i32], left: &mut [i32], corner: i32) -> i32 {
    let (mut best, mut above_left) = (0, corner);
    for (&a, left) in down.iter().zip(left) {
        let (mut diagonal, mut before) = (above_left, *left);
        above_left = *left;
        for (&b, entry) in across.iter().zip(&mut *row) {
            let paired = diagonal + pair(a, b);
            diagonal = *entry;
            *entry = paired.max(before + GAP).max(*entry + GAP).max(0);
            before = *entry;
            best = best.max(before);
        }
        *left = before;
    }
    best
}

/// Computes the score by plain dynamic programming on the whole matrix.
fn plain(down: &[u8], across: &[u8]) -> i32 {
    let mut matrix = vec![vec![0; across.len() + 1]; down.len() + 1];
    for (i, &a) in down.iter().enumerate() {
        for (j, &b) in across.iter().enumerate() {
            let paired = matrix[i][j] + pair(a, b);
            matrix[i + 1][j + 1] = paired.max(matrix[i][j + 1] + GAP).max(matrix[i + 1][j] + GAP).max(0);
        }
    }
    matrix.into_iter().flatten().fold(0, i32::max)
}

/// Aligns the two chains, cut off or repeated to given lengths.
pub struct SmithWaterman;

impl Program for SmithWaterman {
    fn name(&self) -> &'static str {
        "smith_waterman"
    }

    fn title(&self) -> &'static str {
        "Smith-Waterman"
    }

    fn sizes(&self) -> &'static [Size] {
        const {
            &[
                Size::new("length", 1_420, 90).within(1, 1 << 20),
                Size::new("other-length", 1_470, 60).within(1, 1 << 20),
                Size::new("tile", 48, 7),
            ]
        }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let (down, across, side) = (sizes[0] as usize, sizes[1] as usize, sizes[2] as usize);
        let letters = |chain: &[u8], n| chain.iter().copied().cycle().take(n).collect::<Vec<_>>();
        let (a, b) = (letters(ALPHA, down), letters(BETA, across));
        let publish = |letters: &[u8]| Block::from_fn(1, letters.len(), |_, j| letters[j]).publish();
        let (rows, columns) = (publish(&a), publish(&b));
        let run = move |machine: &mut Machine| {
            let (rows, columns) = (rows.clone(), columns.clone());
            machine.run(|out| Matrix::call(rows, columns, side, out))
        };
        Ok(Instance::new(|| plain(&a, &b), run, |score| format!("the score is {score}")))
    }
}
