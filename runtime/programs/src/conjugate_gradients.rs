//! A sparse system of equations by conjugate gradients: Poisson's equation on a square of points.
//!
//! In each round tokens compute the product of the matrix with a vector, each for a range of rows. A token
//! returns its piece of the product and its part of a scalar product. A fiber of the solver does the rest,
//! and begins the next round. The grain is fixed, so sums are formed in the same order everywhere, and the
//! result is bitwise equal on every machine. It is compared with a loop's result, and the residual must be
//! small.
//!
//! `cargo run --release -p earth-programs -- conjugate_gradients [side] [rounds] [nodes] [spn|dual]`

use std::ops::Range;

use earth::collective::Combine;
use earth::patterns::{Grain, MapReduce, Maps};
use earth::{Block, Eu, Published, Reply, Then, Wire, Work, threaded};

use crate::program::{Instance, Program, ProgramError, Size};

/// Number of rows that a token computes.
const GRAIN: usize = 1024;

/// The matrix of Poisson's equation on `side` by `side` points, and a vector. Maps to the rows of their
/// product.
#[derive(Clone, Wire)]
struct Product {
    side: usize,
    vector: Published<f64>,
}

impl Maps for Product {
    type Output = (Vec<f64>, f64);

    fn map(&self, range: Range<usize>) -> (Vec<f64>, f64) {
        let (side, x) = (self.side, self.vector.row(0));
        let entry = |is_there: bool, at: usize| if is_there { x[at] } else { 0.0 };
        let row = |i: usize| {
            let column = i % side;
            let beside = entry(column > 0, i.wrapping_sub(1)) + entry(column + 1 < side, i + 1);
            let above = entry(i >= side, i.wrapping_sub(side)) + entry(i + side < x.len(), i + side);
            4.0 * x[i] - beside - above
        };
        let product: Vec<_> = range.clone().map(row).collect();
        let scalar = product.iter().zip(&x[range]).map(|(a, b)| a * b).sum();
        (product, scalar)
    }

    fn cost(&self, range: &Range<usize>) -> Work {
        Work::Flops(7 * range.len() as u64)
    }
}

/// Concatenates pieces and adds up their parts of a scalar product.
#[derive(Clone, Wire)]
struct Pieces;

impl Combine<(Vec<f64>, f64)> for Pieces {
    fn combine(&self, mut left: (Vec<f64>, f64), right: (Vec<f64>, f64)) -> (Vec<f64>, f64) {
        left.0.extend(right.0);
        (left.0, left.1 + right.1)
    }
}

/// State of the solver.
#[derive(Clone)]
struct State {
    solution: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    /// The square of the residual's length.
    square: f64,
}

impl State {
    fn new(side: usize) -> Self {
        let right: Vec<_> = (0..side * side).map(|i| (i * 7919 % 1000) as f64 / 500.0 - 1.0).collect();
        let square = right.iter().map(|r| r * r).sum();
        State { solution: vec![0.0; right.len()], direction: right.clone(), residual: right, square }
    }

    /// Completes a round, given the product of the matrix with the direction.
    fn step(&mut self, product: &[f64], scalar: f64) {
        let length = self.square / scalar;
        self.solution.iter_mut().zip(&self.direction).for_each(|(x, d)| *x += length * d);
        self.residual.iter_mut().zip(product).for_each(|(r, p)| *r -= length * p);
        let square = self.residual.iter().map(|r| r * r).sum();
        let turn = square / std::mem::replace(&mut self.square, square);
        self.direction.iter_mut().zip(&self.residual).for_each(|(d, r)| *d = r + turn * *d);
    }

    fn product(&self, side: usize) -> Product {
        let vector = Block::from_fn(1, self.direction.len(), |_, j| self.direction[j]);
        Product { side, vector: vector.publish() }
    }
}

/// Solves in a given number of rounds.
struct Solves {
    side: usize,
    left: usize,
    state: State,
    out: Reply<Vec<f64>>,
}

#[threaded]
impl Solves {
    fn start(side: usize, rounds: usize, out: Reply<Vec<f64>>, eu: &mut Eu<Self>) -> Self {
        let solves = Solves { side, left: rounds, state: State::new(side), out };
        solves.multiply(eu);
        solves
    }

    #[slot(again)]
    fn multiplied(&mut self, pieces: (Vec<f64>, f64), eu: &mut Eu<Self>) -> Then {
        eu.work(Work::Flops(10 * pieces.0.len() as u64));
        self.state.step(&pieces.0, pieces.1);
        self.left -= 1;
        if self.left > 0 {
            self.multiply(eu);
            return Then::Wait;
        }
        eu.put(self.out, std::mem::take(&mut self.state.solution));
        Then::End
    }
}

impl Solves {
    /// Begins the product of the matrix with the direction.
    fn multiply(&self, eu: &mut Eu<Self>) {
        let (rows, product) = (0..self.side * self.side, self.state.product(self.side));
        let to = eu.reply(Self::multiplied().pieces);
        eu.token(MapReduce::call(rows, Grain::of(GRAIN), product, Pieces, to));
    }
}

/// Computes the product of a range, in the order in which halves are combined.
fn halved(product: &Product, range: Range<usize>) -> (Vec<f64>, f64) {
    if range.len() <= GRAIN {
        return product.map(range);
    }
    let middle = range.start + range.len().div_ceil(GRAIN).div_ceil(2) * GRAIN;
    Pieces.combine(halved(product, range.start..middle), halved(product, middle..range.end))
}

/// Solves by a loop.
fn plain(side: usize, rounds: usize) -> Vec<f64> {
    let mut state = State::new(side);
    for _ in 0..rounds {
        let (product, scalar) = halved(&state.product(side), 0..side * side);
        state.step(&product, scalar);
    }
    state.solution
}

/// Returns the length of the residual of a solution as a part of the right side's length.
fn residual(side: usize, solution: &[f64]) -> f64 {
    let State { residual: right, square, .. } = State::new(side);
    let vector = Block::from_fn(1, solution.len(), |_, j| solution[j]).publish();
    let (product, _) = Product { side, vector }.map(0..solution.len());
    let left: f64 = right.iter().zip(product).map(|(right, product)| (right - product).powi(2)).sum();
    (left / square).sqrt()
}

/// Solves the equations of a square of points in a number of rounds.
pub struct ConjugateGradients;

impl Program for ConjugateGradients {
    fn name(&self) -> &'static str {
        "conjugate_gradients"
    }

    fn title(&self) -> &'static str {
        "conjugate gradients"
    }

    fn sizes(&self) -> &'static [Size] {
        const { &[Size::new("side", 200, 5).within(1, 1 << 15), Size::new("rounds", 20, 4)] }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let (side, rounds) = (sizes[0] as usize, sizes[1] as usize);
        Ok(Instance::new(
            || plain(side, rounds),
            move |machine| machine.run(|out| Solves::call(side, rounds, out)),
            move |solution| {
                let left = residual(side, solution);
                format!("{} equations, the residual is {left:.1e} of the right side", side * side)
            },
        ))
    }
}
