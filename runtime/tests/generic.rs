//! Generic functions: a function of each type is a function of its own, listed as such, with its own
//! inlets, cells and blocks.

mod common;

use common::{good, on_every};
use earth::{Block, Element, NodeId, Reply, Then, Wire, threaded_old};

/// A number of either precision.
trait Real: Element + Wire {
    fn of(x: f64) -> Self;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

macro_rules! real {
    ($($real:ty)+) => {$(
        impl Real for $real {
            fn of(x: f64) -> Self {
                x as $real
            }
            fn plus(self, other: Self) -> Self {
                self + other
            }
            fn times(self, other: Self) -> Self {
                self * other
            }
        }
    )+};
}
real! { f32 f64 }

threaded_old! {
    /// The dot product of two vectors, by pieces of `piece` elements, in the order of the pieces.
    fn Dot<T: Real>(vectors: Block<T>, piece: u32, out: Reply<T>)
    state  { pieces: usize = 0 }
    calls  { Piece<T> }
    inlets { sums[this.vectors.cols().div_ceil(this.piece as usize)]: T }
    slots  { all: (this.vectors.cols().div_ceil(this.piece as usize)) => add }
    fiber start(this, eu) {
        let vectors = std::mem::replace(&mut this.vectors, Block::zeroed(0, 0));
        for (i, piece) in vectors.split_cols_into(this.piece as usize).enumerate() {
            eu.invoke_old::<Piece<T>>(NodeId::new(i % eu.nodes()), (piece, eu.replies_to_one(Self::sums, Self::all).at(i)));
            this.pieces += 1;
        }
        Then::Wait
    }
    fiber add(this, eu) {
        let sum = (0..this.pieces).fold(T::of(0.0), |sum, i| sum.plus(eu.take(Self::sums.at(i))));
        eu.put(this.out, sum);
        Then::End
    }
}

threaded_old! {
    fn Piece<T: Real>(vectors: Block<T>, out: Reply<T>)
    fiber start(this, eu) {
        let (a, b) = (this.vectors.row(0), this.vectors.row(1));
        let sum = a.iter().zip(b).fold(T::of(0.0), |sum, (&a, &b)| sum.plus(a.times(b)));
        eu.put(this.out, sum);
        Then::End
    }
}

/// The same, by loops.
fn dot<T: Real>(n: usize, piece: usize) -> T {
    let product = |j: usize| element::<T>(0, j).times(element::<T>(1, j));
    let pieces = (0..n)
        .step_by(piece)
        .map(|first| (first..n.min(first + piece)).fold(T::of(0.0), |sum, j| sum.plus(product(j))));
    pieces.fold(T::of(0.0), T::plus)
}

fn element<T: Real>(i: usize, j: usize) -> T {
    T::of(1.0 / (1.0 + (j * (i + 3) % 17) as f64))
}

fn both_agree<T: Real + PartialEq + std::fmt::Debug>() {
    on_every(|case| {
        for (n, piece) in [(1, 1), (100, 7), (257, 64)] {
            let run = good::<Dot<T>>(&mut case.machine(), (Block::from_fn(2, n, element::<T>), piece as u32));
            assert_eq!(run.value, dot::<T>(n, piece), "bit by bit, {n} elements by {piece}");
            assert_eq!(run.counters.bytes_moved as usize, 2 * n * size_of::<T>());
        }
    });
}

#[test]
fn a_function_of_single_precision() {
    both_agree::<f32>();
}

#[test]
fn a_function_of_double_precision() {
    both_agree::<f64>();
}

threaded_old! {
    /// Starts functions of one name and several types, all at once.
    fn Mixed(out: Reply<(f32, f64)>)
    calls  { Dot<f32>, Dot<f64>, Pair<u8, String> }
    inlets { single: f32, double: f64, pair: (u8, String) }
    slots  { all: 3 => done }
    fiber start(_this, eu) {
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke_old::<Dot<f32>>(last, (Block::from_fn(2, 30, element), 4, eu.reply_to(Self::single, Self::all)));
        eu.invoke_old::<Dot<f64>>(last, (Block::from_fn(2, 30, element), 4, eu.reply_to(Self::double, Self::all)));
        eu.token_old::<Pair<u8, String>>((7, "seven".to_owned(), Box::new(eu.reply_to(Self::pair, Self::all))));
        Then::Wait
    }
    fiber done(this, eu) {
        assert_eq!(eu.take(Self::pair), (7, "seven".to_owned()));
        let value = (eu.take(Self::single), eu.take(Self::double));
        eu.put(this.out, value);
        Then::End
    }
}

/// A value that may travel and be cloned.
trait Cloned: Wire + Clone {}
impl<T: Wire + Clone> Cloned for T {}

threaded_old! {
    /// Sends two values of any types through inlets of its own, and then back as one.
    fn Pair<A: Cloned, B: Cloned>(a: A, b: B, out: Box<Reply<(A, B)>>)
    inlets { x: A, y: B }
    slots  { both: 2 => send }
    fiber start(this, eu) {
        eu.put(eu.reply_to(Self::x, Self::both), this.a.clone());
        eu.put(eu.reply_to(Self::y, Self::both), this.b.clone());
        Then::Wait
    }
    fiber send(this, eu) {
        let pair = (eu.take(Self::x), eu.take(Self::y));
        eu.put(*this.out, pair);
        Then::End
    }
}

#[test]
fn functions_of_one_name_and_several_types_run_side_by_side() {
    on_every(|case| {
        let run = good::<Mixed>(&mut case.machine(), ());
        assert_eq!(run.value, (dot::<f32>(30, 4), dot::<f64>(30, 4)));
    });
}
