//! The number of ways to place n queens on a board of n by n so that no two attack each other, by a token for
//! each placement.
//!
//! ```text
//! cargo run --release -p earth-programs -- queens 12 2 spn     # n, nodes, spn or dual
//! ```
//!
//! A function stands for a board whose first rows are filled. It makes a token for each free square of the
//! next row and adds up their results. Plain recursion fills the last rows, since a token there would cost
//! more than its work.
//!
//! The program does not place tokens. A node runs its newest token first, so that few wait at a time; idle
//! nodes steal the oldest, which stand for the largest parts of the tree. So the shape of the tree does not
//! matter.

use earth::{Arrived, Eu, Machine, Reply, Start, Wire, Work, threaded};

use crate::program::{Instance, Program, ProgramError, Size};

/// Number of rows that plain recursion fills.
const PLAIN: u32 = 6;

/// A board whose first rows are filled.
#[derive(Clone, Copy, Debug, Wire)]
struct Board {
    side: u32,
    /// Number of filled rows.
    filled: u32,
    /// Squares of the next row that are attacked along columns and along both diagonals, as bits.
    columns: u32,
    rising: u32,
    falling: u32,
}

impl Board {
    /// Returns the unattacked squares of the next row, each as a bit.
    fn free(self) -> impl Iterator<Item = u32> {
        let all = (1 << self.side) - 1;
        let free = all & !(self.columns | self.rising | self.falling);
        (0..self.side).map(|column| 1 << column).filter(move |square| free & square != 0)
    }

    fn place(self, square: u32) -> Board {
        Board {
            filled: self.filled + 1,
            columns: self.columns | square,
            rising: (self.rising | square) << 1,
            falling: (self.falling | square) >> 1,
            ..self
        }
    }

    /// Returns the number of ways to fill it, by plain recursion. Adds the number of boards visited to
    /// `seen`.
    fn count(self, seen: &mut u64) -> u64 {
        *seen += 1;
        if self.filled == self.side {
            return 1;
        }
        self.free().map(|square| self.place(square).count(seen)).sum()
    }
}

/// Counts the ways to fill a board.
struct Queens {
    out: Reply<u64>,
}

#[threaded]
impl Queens {
    fn start(board: Board, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if board.side - board.filled <= PLAIN {
            let mut seen = 0;
            eu.put(out, board.count(&mut seen));
            eu.work(Work::Cycles(40 * seen));
            return Start::End;
        }
        let ways = eu.replies(Self::add().ways);
        if ways.len() == 0 {
            eu.put(out, 0);
            return Start::End;
        }
        for (i, square) in board.free().enumerate() {
            eu.token(Queens::call(board.place(square), ways.at(i)));
        }
        Start::Wait(Queens { out })
    }

    #[slot]
    fn add(self, #[inlets(board.free().count())] ways: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, ways.sum());
    }
}

/// The known numbers, for boards of 0 to 14.
const KNOWN: [u64; 15] = [1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2_680, 14_200, 73_712, 365_596];

/// Counts the ways to place queens.
pub struct PlaceQueens;

impl Program for PlaceQueens {
    fn name(&self) -> &'static str {
        "queens"
    }

    fn title(&self) -> &'static str {
        "queens"
    }

    fn sizes(&self) -> &'static [Size] {
        const { &[Size::new("rows", 10, 8).within(0, KNOWN.len() as u64 - 1)] }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let (side, known) = (sizes[0] as u32, KNOWN[sizes[0] as usize]);
        let empty = Board { side, filled: 0, columns: 0, rising: 0, falling: 0 };
        let run = move |machine: &mut Machine| {
            let run = machine.run(|out| Queens::call(empty, out))?;
            if run.value == known { Ok(run) } else { Err(ProgramError::Wrong(format!("{} ways", run.value))) }
        };
        Ok(Instance::new(|| empty.count(&mut 0), run, move |ways| format!("{ways} ways for {side} queens")))
    }
}
