//! Starts a function many times and combines the results of the instances along a tree.
//!
//! 1. `Reduce` handles a run of members on the node of its first member. `start` cuts off the second half of
//!    the run and invokes a `Reduce` for it. It repeats this with the rest until one member is left, which it
//!    invokes itself.
//! 2. `combine`, enabled when its member and all these halves have replied, combines their results from left
//!    to right and puts the combined result to its reply.
//!
//! The order is the order of the members. The number of members alone fixes which results are combined with
//! which. So the operation need be associative only up to rounding, and need not be commutative. The same
//! members give bitwise equal results on every machine, in every run. Another number of members rounds
//! differently.
//!
//! # Cost
//!
//! 2 (M - 1) messages if members are on different nodes, M - 1 down the tree and M - 1 up; depth 2 log2 M
//! rounded up. A frame and 2 fibers per member, in addition to the member's own. A member's input takes up to
//! log2 M steps to it.
//!
//! # When it loses
//!
//! A large input with a small result, such as a block and its sum, travels in
//! [`everywhere`](super::everywhere()) once instead of up to log2 M times. Within a process it travels as a
//! handle; between processes the whole block travels. With few nodes the depth of the tree costs more than
//! receiving all results on one node.

use std::ops::Add;

use super::gathered;
use super::group::{Given, Group, Member, MemberArgs, Output};
use crate::{Arrived, Call, Eu, Reply, Shared, Wire, threaded};

/// An associative operation on values that travel.
///
/// A closure implements it as [`Shared`], and then stays in its process:
///
/// ```
/// use earth::patterns::{Grain, MapReduce};
/// use earth::{Machine, Shared};
///
/// let squares = Shared::new(|range: std::ops::Range<usize>| range.fold(0u64, |all, i| all ^ (i * i) as u64));
/// let xor = Shared::new(|left: u64, right: u64| left ^ right);
/// let run = Machine::threads(2).run(|out| MapReduce::call(0..1000, Grain::CHOSEN, squares, xor, out))?;
/// assert_eq!(run.value, (0..1000).fold(0, |all, i| all ^ (i * i)));
/// # Ok::<(), earth::Error>(())
/// ```
pub trait Combine<T: Wire>: Wire + Clone {
    /// Combines two values. `left` comes from members before the members of `right`.
    fn combine(&self, left: T, right: T) -> T;
}

/// The sum.
#[derive(Clone, Copy, Debug, Wire)]
pub struct Sum;

/// The smaller value; the left one if they are equal.
#[derive(Clone, Copy, Debug, Wire)]
pub struct Min;

/// The larger value; the left one if they are equal.
#[derive(Clone, Copy, Debug, Wire)]
pub struct Max;

/// The left list followed by the right one.
#[derive(Clone, Copy, Debug, Wire)]
pub struct Concat;

impl<T: Wire, F: Fn(T, T) -> T + Send + Sync + 'static> Combine<T> for Shared<F> {
    fn combine(&self, left: T, right: T) -> T {
        self(left, right)
    }
}

impl<T: Wire + Add<Output = T>> Combine<T> for Sum {
    fn combine(&self, left: T, right: T) -> T {
        left + right
    }
}

impl<T: Wire + Ord> Combine<T> for Min {
    fn combine(&self, left: T, right: T) -> T {
        if right < left { right } else { left }
    }
}

impl<T: Wire + Ord> Combine<T> for Max {
    fn combine(&self, left: T, right: T) -> T {
        if right > left { right } else { left }
    }
}

impl<T: Wire> Combine<Vec<T>> for Concat {
    fn combine(&self, mut left: Vec<T>, right: Vec<T>) -> Vec<T> {
        left.extend(right);
        left
    }
}

/// Starts a member of `F` for each item of `given`, distributed round-robin over the nodes of `on`, and
/// combines their results by `combine`, in the order of the members.
///
/// ```
/// use earth::collective::{Group, Sum, reduce};
/// use earth::{Arrived, Eu, Machine, Reply, threaded};
///
/// struct Harmonic;
///
/// #[threaded]
/// impl Harmonic {
///     /// The harmonic number of `n`.
///     fn start(n: u64, out: Reply<f64>, eu: &mut Eu<Self>) {
///         let pieces = (0..n).step_by(100).map(|first| (first, n.min(first + 100)));
///         reduce::<Piece, _>(eu, Group::all(eu), pieces, Sum, out);
///     }
/// }
///
/// struct Piece;
///
/// #[threaded]
/// impl Piece {
///     fn start(first: u64, end: u64, out: Reply<f64>, eu: &mut Eu<Self>) {
///         eu.put(out, (first..end).map(|i| 1.0 / (i + 1) as f64).sum());
///     }
/// }
///
/// let run = |nodes| Machine::threads(nodes).run(|out| Harmonic::call(1000, out)).map(|run| run.value);
/// assert!((run(1)? - 7.485_470_860_550_345).abs() < 1e-12);
/// assert_eq!(run(1)?.to_bits(), run(3)?.to_bits());
/// # Ok::<(), earth::Error>(())
/// ```
///
/// # Panics
///
/// If `given` is empty: there is no result to combine.
pub fn reduce<F: Member, O: Combine<Output<F>>>(
    eu: &mut Eu<impl Sized>,
    on: Group,
    given: impl IntoIterator<Item = Given<F>>,
    combine: O,
    to: Reply<Output<F>>,
) {
    let given = gathered(given);
    assert!(!given.is_empty(), "a reduction needs at least one member");
    eu.invoke(on.node_of(0), Reduce::<F, O>::call(on, 0, given, combine, to));
}

/// Combines the results of a run of members.
struct Reduce<F: Member, O> {
    to: Reply<Output<F>>,
    combine: O,
}

#[threaded(parts = 1 + halves(given.len()))]
impl<F: Member, O: Combine<Output<F>>> Reduce<F, O> {
    /// Starts the run of members that begins with member `first`.
    fn start(
        on: Group,
        first: usize,
        mut given: Vec<Given<F>>,
        combine: O,
        to: Reply<Output<F>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let part = eu.replies(Self::combine().part);
        for half in (1..part.len()).rev() {
            let second_half = given.split_off(given.len().div_ceil(2));
            let member = first + given.len();
            let reduce = Reduce::<F, O>::call(on, member, second_half, combine.clone(), part.at(half));
            eu.invoke(on.node_of(member), reduce);
        }
        for given in given {
            eu.invoke(eu.node(), Call::<F>::new(F::Args::join(given, part.at(0))));
        }
        Reduce { to, combine }
    }

    #[slot]
    fn combine(self, #[inlets(parts)] part: Arrived<'_, Output<F>>, eu: &mut Eu<Self>) {
        let combine = |left, right| self.combine.combine(left, right);
        let all = if seeded!(ReducedBackwards) { part.rev().reduce(combine) } else { part.reduce(combine) };
        if let Some(all) = all {
            eu.put(self.to, all);
        }
    }
}

/// Returns how often a run of `members` is halved until one is left.
fn halves(members: usize) -> usize {
    members.next_power_of_two().trailing_zeros() as usize
}
