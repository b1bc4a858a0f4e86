//! Generic functions: each instance is a function of its own, with its own inlets, cells and blocks.

use std::marker::PhantomData;

use crate::common::{gives, on_every};
use earth::{Arrived, Block, Element, Eu, NodeId, Reply, Wire, threaded};

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

/// The dot product of two vectors, by pieces of `piece` elements, in the order of the pieces.
struct Dot<T> {
    out: Reply<T>,
}

#[threaded]
impl<T: Real> Dot<T> {
    fn start(vectors: Block<T>, piece: usize, out: Reply<T>, eu: &mut Eu<Self>) -> Self {
        let sums = eu.replies(Self::add().sums);
        for (i, piece) in vectors.split_cols_into(piece).enumerate() {
            eu.invoke(NodeId::new(i % eu.nodes()), Piece::call(piece, sums.at(i)));
        }
        Dot { out }
    }

    #[slot]
    fn add(self, #[inlets(vectors.cols().div_ceil(piece))] sums: Arrived<'_, T>, eu: &mut Eu<Self>) {
        eu.put(self.out, sums.fold(T::of(0.0), T::plus));
    }
}

struct Piece<T>(PhantomData<fn(T)>);

#[threaded]
impl<T: Real> Piece<T> {
    fn start(vectors: Block<T>, out: Reply<T>, eu: &mut Eu<Self>) {
        let (a, b) = (vectors.row(0), vectors.row(1));
        eu.put(out, a.iter().zip(b).fold(T::of(0.0), |sum, (&a, &b)| sum.plus(a.times(b))));
    }
}

/// Computes the same dot product by loops in the same order of additions.
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
            let run = gives(&mut case.machine(), |out| {
                Dot::<T>::call(Block::from_fn(2, n, element::<T>), piece, out)
            });
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

/// Starts functions of one name and several types, all at once.
struct Mixed {
    out: Reply<(f32, f64)>,
}

#[threaded]
impl Mixed {
    fn start(out: Reply<(f32, f64)>, eu: &mut Eu<Self>) -> Self {
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke(last, Dot::call(Block::from_fn(2, 30, element), 4, eu.reply(Self::done().single)));
        eu.invoke(last, Dot::call(Block::from_fn(2, 30, element), 4, eu.reply(Self::done().double)));
        eu.token(Pair::call(7, "seven".to_owned(), eu.reply(Self::done().pair)));
        Mixed { out }
    }

    #[slot]
    fn done(self, single: f32, double: f64, pair: (u8, String), eu: &mut Eu<Self>) {
        assert_eq!(pair, (7, "seven".to_owned()));
        eu.put(self.out, (single, double));
    }
}

/// Sends two values of any types through its own inlets, and then back as a pair.
struct Pair<A, B> {
    out: Reply<(A, B)>,
}

#[threaded]
impl<A: Wire, B: Wire> Pair<A, B> {
    fn start(a: A, b: B, out: Reply<(A, B)>, eu: &mut Eu<Self>) -> Self {
        eu.put(eu.reply(Self::send().x), a);
        eu.put(eu.reply(Self::send().y), b);
        Pair { out }
    }

    #[slot]
    fn send(self, x: A, y: B, eu: &mut Eu<Self>) {
        eu.put(self.out, (x, y));
    }
}

#[test]
fn functions_of_one_name_and_several_types_run_side_by_side() {
    on_every(|case| {
        let run = gives(&mut case.machine(), Mixed::call);
        assert_eq!(run.value, (dot::<f32>(30, 4), dot::<f64>(30, 4)));
    });
}
