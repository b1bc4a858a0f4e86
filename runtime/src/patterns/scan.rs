//! The prefixes of a list of values: for each index, the combination of all values up to it, by tokens.
//!
//! 1. The range is cut into pieces of a grain. Each piece is a token. It makes its values, and combines each
//!    with the values before it in the piece.
//! 2. When all pieces have returned their last combination, one fiber combines these from left to right. Each
//!    piece gets the combination of all pieces before it.
//! 3. Each piece combines it with each of its values, and returns them. One fiber joins the pieces.
//!
//! The range and the grain alone fix which values are combined with which. So with a given grain the
//! operation need be associative only up to rounding, and the results are bitwise equal on every machine.
//!
//! # Cost
//!
//! A token, a frame, two fibers and three puts per piece; an invoke, a frame and three fibers for the whole.
//! A stolen piece costs four messages: the token, its last combination, the combination of the pieces before
//! it, and its values. Two combinations per index.
//!
//! # When it loses
//!
//! A loop needs one combination per index. If a combination is as little work as a memory access, the loop is
//! as fast.

use std::ops::Range;

use super::range::{Grain, Maps};
use crate::collective::Combine;
use crate::{Arrived, Eu, Reply, Wire, threaded};

/// Computes the inclusive prefixes of the values of a range.
///
/// ```
/// use earth::collective::Sum;
/// use earth::patterns::{Grain, Scan};
/// use earth::{Machine, Shared};
///
/// // The balance of an account after each day.
/// let changes = Shared::new(|days: std::ops::Range<usize>| {
///     days.map(|day| 30 - (day * 7 % 60) as i64).collect::<Vec<_>>()
/// });
/// let run = Machine::threads(2).run(|out| Scan::call(0..365, Grain::CHOSEN, changes, Sum, out))?;
/// assert_eq!(run.value[..4], [30, 53, 69, 78]);
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(Debug)]
pub struct Scan<T, M, O>(std::marker::PhantomData<fn(T, M, O)>);

#[threaded]
impl<T: Wire + Clone, M: Maps<Output = Vec<T>>, O: Combine<T>> Scan<T, M, O> {
    /// Makes the values of `range` by `maps`, a grain at a time. Puts for each value the combination of all
    /// values up to it, the value included, to `to`. An empty range is mapped as one piece.
    pub fn start(
        range: Range<usize>,
        grain: Grain,
        maps: M,
        combine: O,
        to: Reply<Vec<T>>,
        eu: &mut Eu<Self>,
    ) {
        let grain = grain.size(range.len(), eu.nodes());
        if range.len() <= grain {
            eu.work(maps.cost(&range));
            eu.put(to, combined(maps.map(range), &combine));
        } else {
            eu.invoke(eu.node(), Pieces::call(range, grain, maps, combine, to));
        }
    }
}

/// Returns the combination of all values up to each.
fn combined<T: Wire + Clone>(values: Vec<T>, combine: &impl Combine<T>) -> Vec<T> {
    let mut before: Option<T> = None;
    let up_to = |value| {
        let all = match before.take() {
            Some(before) => combine.combine(before, value),
            None => value,
        };
        before = Some(all.clone());
        all
    };
    values.into_iter().map(up_to).collect()
}

/// The last combination of a piece, if it has values, and its inlet for the combination of earlier pieces.
type Last<T> = (Option<T>, Reply<Option<T>>);

/// A range in pieces.
struct Pieces<T, M, O> {
    combine: O,
    to: Reply<Vec<T>>,
    maps: std::marker::PhantomData<fn(M)>,
}

#[threaded(count = range.len().div_ceil(grain))]
impl<T: Wire + Clone, M: Maps<Output = Vec<T>>, O: Combine<T>> Pieces<T, M, O> {
    fn start(
        range: Range<usize>,
        grain: usize,
        maps: M,
        combine: O,
        to: Reply<Vec<T>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let (lasts, parts) = (eu.replies(Self::hand_on().lasts), eu.replies(Self::join().parts));
        for piece in (0..count).rev() {
            let first = range.start + piece * grain;
            let piece_range = first..range.end.min(first.saturating_add(grain));
            let (last, part) = (lasts.at(piece), parts.at(piece));
            eu.token(Piece::call(piece_range, maps.clone(), combine.clone(), last, part));
        }
        Pieces { combine, to, maps: std::marker::PhantomData }
    }

    #[slot]
    fn hand_on(&mut self, #[inlets(count)] lasts: Arrived<'_, Last<T>>, eu: &mut Eu<Self>) {
        let mut before: Option<T> = None;
        for (last, piece) in lasts {
            eu.put(piece, before.clone());
            before = match (before, last) {
                (Some(before), Some(last)) => Some(self.combine.combine(before, last)),
                (before, last) => before.or(last),
            };
        }
    }

    #[slot]
    fn join(self, #[inlets(count)] parts: Arrived<'_, Vec<T>>, eu: &mut Eu<Self>) {
        eu.put(self.to, parts.flatten().collect());
    }
}

/// One piece.
struct Piece<T, M, O> {
    values: Vec<T>,
    combine: O,
    to: Reply<Vec<T>>,
    maps: std::marker::PhantomData<fn(M)>,
}

#[threaded]
impl<T: Wire + Clone, M: Maps<Output = Vec<T>>, O: Combine<T>> Piece<T, M, O> {
    fn start(
        range: Range<usize>,
        maps: M,
        combine: O,
        last: Reply<Last<T>>,
        to: Reply<Vec<T>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        eu.work(maps.cost(&range));
        let values = combined(maps.map(range), &combine);
        eu.put(last, (values.last().cloned(), eu.reply(Self::add().before)));
        Piece { values, combine, to, maps: std::marker::PhantomData }
    }

    #[slot]
    fn add(self, before: Option<T>, eu: &mut Eu<Self>) {
        let Piece { values, combine, to, .. } = self;
        let values = match before {
            Some(before) => values.into_iter().map(|value| combine.combine(before.clone(), value)).collect(),
            None => values,
        };
        eu.put(to, values);
    }
}
