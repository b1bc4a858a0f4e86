//! The programs, with small sizes: all transforms, and a program each for tokens, for slots in arrays and for
//! collectives.

use earth::{Counters, Error, Machine, Run};
use earth_fft::TransformError;
use earth_kernels::{
    Direction, ReceiverOrder, RowKernel, SenderOrder, bound, dft, dft_bin, dft_nd, relative_error,
};
use earth_papers::Shares;
use earth_papers::receiver::RequestMode;
use earth_tests::{
    Ran, RowByRow, grouped, in_passes, matrix, matrix_model, noise, receiver, receiver_model, row, sender,
    sender_model,
};
use num_complex::Complex;

use super::case::Draws;
use super::table;

/// Number of kinds of programs.
pub(crate) const KINDS: usize = 12;

/// A program and its size.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Program {
    Sender {
        points: usize,
        block: usize,
    },
    ReceiverTree {
        points: usize,
    },
    ReceiverShared {
        points: usize,
    },
    Square {
        side: usize,
        block: usize,
    },
    Rectangle {
        rows: usize,
        cols: usize,
        block: usize,
    },
    /// Two groups. `first` gives the rows of the first group in both passes; the second may have padded rows.
    Grouped {
        rows: usize,
        cols: usize,
        first: [usize; 2],
        threads: usize,
        barrier: bool,
        padded: bool,
    },
    /// A matrix, or a cube, in two passes.
    TwoPass {
        planes: usize,
        rows: usize,
        cols: usize,
        block: usize,
    },
    /// A series by the transpose algorithm, or by its FFTE variant.
    Series {
        ffte: bool,
        points: usize,
        block: usize,
    },
    Row {
        points: usize,
    },
    Fib {
        n: u64,
    },
    Wavefront {
        rows: usize,
        cols: usize,
    },
    Sort {
        count: usize,
    },
}

type Found = Result<(Vec<u64>, Counters), String>;

impl Program {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Program::Sender { .. } => "sender",
            Program::ReceiverTree { .. } => "receiver, tree",
            Program::ReceiverShared { .. } => "receiver, shared",
            Program::Square { .. } => "square",
            Program::Rectangle { .. } => "rectangle",
            Program::Grouped { .. } => "grouped",
            Program::TwoPass { .. } => "two passes",
            Program::Series { .. } => "series",
            Program::Row { .. } => "row",
            Program::Fib { .. } => "fib",
            Program::Wavefront { .. } => "wavefront",
            Program::Sort { .. } => "sort",
        }
    }

    /// Draws a program of a kind, and its number of nodes.
    pub(crate) fn draw(kind: usize, draws: &mut Draws) -> (Program, usize) {
        let program = match kind {
            0 => {
                let bits = draws.of(0, 5);
                Program::Sender { points: 1 << bits, block: 1 << draws.of(0, bits) }
            }
            1 | 2 => {
                // The number of nodes is a power of two that does not exceed the number of points.
                let (bits, nodes) = (draws.of(2, 4), 1 << draws.of(0, 2));
                let points = 1 << bits;
                let program = if kind == 1 {
                    Program::ReceiverTree { points }
                } else {
                    Program::ReceiverShared { points }
                };
                return (program, nodes);
            }
            3 => Program::Square { side: draws.of(1, 7), block: draws.of(1, 3) },
            4 => {
                let (rows, more) = (draws.of(1, 5), draws.of(1, 4));
                Program::Rectangle { rows, cols: rows + more, block: draws.of(1, 3) }
            }
            5 => Program::Row { points: draws.of(1, 40) },
            6 => Program::Fib { n: draws.of(2, 9) as u64 },
            7 => Program::Wavefront { rows: draws.of(1, 6), cols: draws.of(1, 6) },
            8 => {
                let (rows, threads) = (draws.of(1, 6), draws.of(1, 2));
                let along = draws.of(0, rows);
                // Half of the matrices are squares that are distributed identically in both passes, and so
                // transformed in place.
                let (cols, across) = if draws.of(0, 1) == 0 {
                    (rows, along)
                } else {
                    let cols = draws.of(1, 6);
                    (cols, draws.of(0, cols))
                };
                let [barrier, padded] = [(); 2].map(|()| draws.of(0, 1) == 0);
                let first = [along, across];
                return (Program::Grouped { rows, cols, first, threads, barrier, padded }, 2 * threads);
            }
            9 => {
                let [planes, rows, cols] = [3, 6, 6].map(|most| draws.of(1, most));
                // A planner refuses more rows than there are.
                let block = draws.of(1, 3).min(planes.max(rows).max(cols));
                Program::TwoPass { planes, rows, cols, block }
            }
            10 => {
                let ffte = draws.coin();
                // FFTE has three factors, the transpose algorithm two.
                let factors = [draws.of(2, 5), draws.of(2, 5), if ffte { draws.of(2, 4) } else { 1 }];
                Program::Series { ffte, points: factors.into_iter().product(), block: draws.of(1, 2) }
            }
            _ => Program::Sort { count: draws.of(0, 40) },
        };
        (program, draws.of(1, 4))
    }

    /// Runs the program on `machine`.
    pub(crate) fn run(self, machine: &mut Machine, nodes: usize) -> Found {
        let forward = Direction::Forward;
        match self {
            Program::Sender { points, block } => transformed(sender(machine, signal(points), block, forward)),
            Program::ReceiverTree { points } => {
                transformed(receiver(machine, signal(points), RequestMode::Tree, forward))
            }
            Program::ReceiverShared { points } => {
                transformed(receiver(machine, signal(points), RequestMode::Shared, forward))
            }
            Program::Row { points } => transformed(row(machine, signal(points), forward)),
            Program::Square { side, block } => {
                let done = matrix(machine, side, side, signal(side * side), Some(block), forward);
                done.map(|done| (words(&done.spectrum), done.counters)).map_err(|error| error.to_string())
            }
            Program::Rectangle { rows, cols, block } => {
                let done = matrix(machine, rows, cols, signal(rows * cols), Some(block), forward);
                done.map(|done| (words(&done.spectrum), done.counters)).map_err(|error| error.to_string())
            }
            Program::Grouped { rows, cols, first: [along, across], threads, barrier, padded } => {
                let distribution = [vec![along, rows - along], vec![across, cols - across]];
                let strides = [cols, rows].map(|len| if padded { vec![0, len + 1] } else { Vec::new() });
                let sharing = Shares { threads, distribution, strides, barrier, ..Shares::default() };
                let done = grouped(machine, [rows, cols], signal(rows * cols), &sharing, Some(2), forward);
                done.map(|done| (words(&done.spectrum), done.counters)).map_err(|error| error.to_string())
            }
            Program::TwoPass { .. } | Program::Series { .. } => transformed(self.by_passes(machine)),
            Program::Fib { n } => ran(machine.run(|out| table::Fib::call(n, out)), |value| vec![value]),
            Program::Wavefront { rows, cols } => {
                ran(machine.run(|out| table::Front::call(rows, cols, out)), |value| vec![value])
            }
            Program::Sort { count } => {
                ran(machine.run(|out| table::Sort::call(count, nodes, out)), |value| value)
            }
        }
    }

    /// Computes the result by a sequential algorithm. A transform gives the bits of its model, which is
    /// checked against the definition.
    pub(crate) fn sequential(self, nodes: usize) -> Vec<u64> {
        let forward = Direction::Forward;
        match self {
            Program::Sender { points, block } => {
                let order = SenderOrder::new(points, block).expect("powers of two");
                let model = sender_model(order, forward, &RowByRow::new(block), &signal(points));
                near(&model, &dft(&signal(points)))
            }
            Program::ReceiverTree { points } | Program::ReceiverShared { points } => {
                let order = ReceiverOrder::new(points, nodes).expect("powers of two");
                let kernel = RowByRow::<f64>::new(order.share());
                let model = receiver_model(order, forward, &kernel, &signal(points));
                near(&model, &dft(&signal(points)))
            }
            Program::Square { side, .. } => matrix_words(side, side),
            Program::Rectangle { rows, cols, .. } | Program::Grouped { rows, cols, .. } => {
                matrix_words(rows, cols)
            }
            Program::Row { points } => {
                let mut model = signal(points);
                let kernel = RowByRow::<f64>::new(points);
                kernel.forward(&mut model, &mut vec![Complex::default(); kernel.scratch_len()]);
                near(&model, &dft(&signal(points)))
            }
            Program::TwoPass { planes, rows, cols, .. } => {
                self.by_one_node(&[planes, rows, cols], planes * rows * cols)
            }
            Program::Series { points, .. } => self.by_one_node(&[points], points),
            Program::Fib { n } => vec![(0..n).fold((0, 1), |(a, b), _| (b, a + b)).0],
            Program::Wavefront { rows, cols } => vec![table::front(rows, cols)],
            Program::Sort { count } => table::sorted(count),
        }
    }
}

impl Program {
    /// Runs a transform in two passes.
    fn by_passes(self, machine: &mut Machine) -> Result<Ran<f64>, TransformError> {
        let mut by = |algorithm, lengths: &[usize], block| {
            let points = signal(lengths.iter().product());
            in_passes(machine, algorithm, lengths, points, block, Direction::Forward)
        };
        match self {
            Program::TwoPass { planes: 1, rows, cols, block } => by("two-pass", &[rows, cols], block),
            Program::TwoPass { planes, rows, cols, block } => by("two-pass", &[planes, rows, cols], block),
            Program::Series { ffte, points, block } => {
                let algorithm = if ffte { "ffte" } else { "transpose" };
                by(algorithm, &[points], block)
            }
            _ => unreachable!("a transform in two passes"),
        }
    }

    /// Returns the result of one node, and checks it against the definition.
    fn by_one_node(self, lengths: &[usize], points: usize) -> Vec<u64> {
        let found = self.by_passes(&mut Machine::stepper(1).nodes(1)).expect("one node").spectrum;
        let input = signal(points);
        let bins: Vec<_> = (0..points).map(|at| dft_bin(lengths, &input, at, Direction::Forward)).collect();
        near(&found, &bins)
    }
}

fn signal(points: usize) -> Vec<Complex<f64>> {
    noise(points, points as u64)
}

fn words(values: &[Complex<f64>]) -> Vec<u64> {
    values.iter().flat_map(|z| [z.re.to_bits(), z.im.to_bits()]).collect()
}

/// Returns the bits of a model, and checks the model against the definition.
fn near(model: &[Complex<f64>], definition: &[Complex<f64>]) -> Vec<u64> {
    let error = relative_error(model, definition);
    assert!(error <= bound::<f64>(model.len()), "the model is off by {error}");
    words(model)
}

fn matrix_words(rows: usize, cols: usize) -> Vec<u64> {
    let signal = signal(rows * cols);
    let (of_rows, of_cols) = (RowByRow::<f64>::new(cols), RowByRow::new(rows));
    near(
        &matrix_model(Direction::Forward, &of_rows, &of_cols, &signal),
        &dft_nd(&[rows, cols], &signal, Direction::Forward),
    )
}

fn transformed(done: Result<Ran<f64>, TransformError>) -> Found {
    done.map(|done| (words(&done.spectrum), done.counters)).map_err(|error| error.to_string())
}

fn ran<T>(run: Result<Run<T>, Error>, words: impl Fn(T) -> Vec<u64>) -> Found {
    run.map(|run| (words(run.value), run.counters)).map_err(|error| error.to_string())
}
