//! Rounds over the parts of a line or a grid, each of which needs the borders of its neighbors (a halo
//! exchange).
//!
//! 1. Each part, a *patch*, is a function on one node. Consecutive patches are on the same node where
//!    possible.
//! 2. [`Neighbours`] receives from each patch its inlets for borders, and sends it the inlets for its own
//!    borders.
//! 3. Before each round a patch sends its borders. It runs the round when its neighbors' borders have come.
//!    It waits for no other event: there is no barrier. A neighbor may be a round ahead; its early border is
//!    parked until this patch's next round.
//!
//! # Cost
//!
//! A put for each border and round, which is a message if it goes to another node; a fiber a round. Once: a
//! frame, an invoke and three puts per patch; the patch and its result travel.
//!
//! # When it loses
//!
//! If a round of a patch is less work than the messages of its borders: make patches larger.

use crate::{Arrived, Eu, NodeId, Replies, Reply, Start, Then, Wire, Work, threaded};

/// A side of a patch, and the neighbor there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Wire)]
pub enum Side {
    /// The patch before this one in its row.
    Left,
    /// The patch after this one in its row.
    Right,
    /// The patch in the row before.
    Above,
    /// The patch in the row after.
    Below,
}

impl Side {
    const ALL: [Side; 4] = [Side::Left, Side::Right, Side::Above, Side::Below];

    /// Returns the side on which a neighbor at this side borders on this patch.
    fn opposite(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
            Side::Above => Side::Below,
            Side::Below => Side::Above,
        }
    }
}

/// The borders of the neighbors in one round; `None` for sides without a neighbor.
#[derive(Debug)]
pub struct Halos<H>([Option<H>; 4]);

impl<H> Halos<H> {
    /// Returns the border of the neighbor at a side.
    pub fn at(&self, side: Side) -> Option<&H> {
        self.0[side as usize].as_ref()
    }

    /// Takes the border of the neighbor at a side.
    pub fn take(&mut self, side: Side) -> Option<H> {
        self.0[side as usize].take()
    }
}

/// A part of a line or grid.
pub trait Patch: Wire {
    /// A border.
    type Halo: Wire;
    /// The result of a patch after the last round.
    type Output: Wire;

    /// Returns the border that the neighbor at `side` needs for the next round.
    fn border(&self, side: Side) -> Self::Halo;

    /// Runs a round.
    fn round(&mut self, halos: Halos<Self::Halo>);

    /// Returns the cost of a round on a simulated machine; real machines ignore it.
    fn cost(&self) -> Work {
        Work::Cycles(0)
    }

    /// Returns the result after the last round.
    fn finish(self) -> Self::Output;
}

/// Returns the neighbors of patch `i` of `count` in rows of `columns`: their sides and their numbers.
fn neighbours(i: usize, columns: usize, count: usize) -> impl Iterator<Item = (Side, usize)> {
    let column = i % columns;
    Side::ALL.into_iter().filter_map(move |side| {
        let (is_there, number) = match side {
            Side::Left => (column > 0, i.wrapping_sub(1)),
            Side::Right => (column + 1 < columns, i + 1),
            Side::Above => (i >= columns, i.wrapping_sub(columns)),
            Side::Below => (i + columns < count, i + columns),
        };
        is_there.then_some((side, number))
    })
}

/// A patch's inlets for its neighbors' borders, in the order of its sides, and its reply for the inlets of
/// its own borders.
type PatchInlets<H> = (Replies<H>, Reply<Vec<Reply<H>>>);

/// Runs rounds over patches that need their neighbors' borders, and returns the patches' results, in the
/// patches' order.
///
/// The patches are rows of `columns` patches, one row after another; a single row is a line.
///
/// ```
/// use earth::patterns::{Halos, Neighbours, Patch, Side};
/// use earth::{Machine, Wire};
///
/// /// A cell that becomes as hot as its hottest neighbor.
/// #[derive(Wire)]
/// struct Place(u32);
///
/// impl Patch for Place {
///     type Halo = u32;
///     type Output = u32;
///     fn border(&self, _: Side) -> u32 {
///         self.0
///     }
///     fn round(&mut self, halos: Halos<u32>) {
///         let beside = [Side::Left, Side::Right].map(|side| halos.at(side).copied().unwrap_or(0));
///         self.0 = beside.into_iter().fold(self.0, u32::max);
///     }
///     fn finish(self) -> u32 {
///         self.0
///     }
/// }
///
/// let line: Vec<_> = [9, 0, 0, 0, 0, 5].map(Place).into();
/// let run = Machine::threads(2).run(|out| Neighbours::call(line.len(), line, 2, out))?;
/// assert_eq!(run.value, [9, 9, 9, 5, 5, 5]);
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(Debug)]
pub struct Neighbours<P: Patch> {
    columns: usize,
    to: Reply<Vec<P::Output>>,
}

#[threaded(count = patches.len())]
impl<P: Patch> Neighbours<P> {
    /// Runs `rounds` rounds over `patches`, in rows of `columns` columns.
    ///
    /// # Panics
    ///
    /// If the last row is shorter than the others.
    pub fn start(
        columns: usize,
        patches: Vec<P>,
        rounds: usize,
        to: Reply<Vec<P::Output>>,
        eu: &mut Eu<Self>,
    ) -> Start<Self> {
        if count == 0 {
            eu.put(to, Vec::new());
            return Start::End;
        }
        assert!(
            columns > 0 && count.is_multiple_of(columns),
            "{count} patches are not a whole number of rows of {columns}"
        );
        let (door, result) = (eu.replies(Self::introduce().door), eu.replies(Self::collect().result));
        for (i, patch) in patches.into_iter().enumerate() {
            let sides = neighbours(i, columns, count).map(|(side, _)| side).collect();
            let node = NodeId::new(i * eu.nodes() / count);
            eu.invoke(node, Rounds::call(patch, sides, rounds, door.at(i), result.at(i)));
        }
        Start::Wait(Neighbours { columns, to })
    }

    #[slot]
    fn introduce(&mut self, #[inlets(count)] door: Arrived<'_, PatchInlets<P::Halo>>, eu: &mut Eu<Self>) {
        let doors: Vec<_> = door.collect();
        let sides = |i| neighbours(i, self.columns, doors.len());
        for (i, &(_, hears)) in doors.iter().enumerate() {
            let inlet = |(side, number): (Side, usize)| {
                let at = sides(number).position(|(of, _)| of == side.opposite());
                doors[number].0.at(at.expect("a neighbour's neighbour"))
            };
            eu.put(hears, sides(i).map(inlet).collect());
        }
    }

    #[slot]
    fn collect(self, #[inlets(count)] result: Arrived<'_, P::Output>, eu: &mut Eu<Self>) {
        eu.put(self.to, result.collect());
    }
}

/// A patch and its rounds.
struct Rounds<P: Patch> {
    patch: Option<P>,
    sides: Vec<Side>,
    /// The inlets for its borders, in the order of its sides.
    to: Vec<Reply<P::Halo>>,
    left: usize,
    result: Reply<P::Output>,
}

#[threaded]
impl<P: Patch> Rounds<P> {
    fn start(
        patch: P,
        sides: Vec<Side>,
        rounds: usize,
        door: Reply<PatchInlets<P::Halo>>,
        result: Reply<P::Output>,
        eu: &mut Eu<Self>,
    ) -> Self {
        eu.put(door, (eu.replies(Self::round().halos), eu.reply(Self::meet().to)));
        Rounds { patch: Some(patch), sides, to: Vec::new(), left: rounds, result }
    }

    /// Receives the inlets for its borders.
    #[slot]
    fn meet(&mut self, to: Vec<Reply<P::Halo>>, eu: &mut Eu<Self>) -> Then {
        self.to = to;
        if self.left == 0 {
            return self.end(eu);
        }
        self.send(eu);
        eu.sync(Self::round());
        Then::Wait
    }

    /// Runs a round. The first round also waits for a signal of `meet`, because a neighbor's border may come
    /// before this patch knows its neighbors' inlets. A patch without neighbors signals each of its rounds
    /// itself.
    #[slot(again, first = 1, syncs = usize::from(sides.is_empty()))]
    fn round(&mut self, #[inlets(sides.len())] halos: Arrived<'_, P::Halo>, eu: &mut Eu<Self>) -> Then {
        let mut at = [const { None }; 4];
        self.sides.iter().zip(halos).for_each(|(&side, halo)| at[side as usize] = Some(halo));
        if let Some(patch) = &mut self.patch {
            eu.work(patch.cost());
            patch.round(Halos(at));
        }
        self.left -= 1;
        if self.left == 0 {
            return self.end(eu);
        }
        self.send(eu);
        Then::Wait
    }
}

impl<P: Patch> Rounds<P> {
    /// Sends its borders for the next round.
    fn send(&self, eu: &mut Eu<Self>) {
        if self.sides.is_empty() {
            eu.sync(Self::round());
        }
        let Some(patch) = &self.patch else { return };
        for (&side, &to) in self.sides.iter().zip(&self.to) {
            eu.put(to, patch.border(side));
        }
    }

    fn end(&mut self, eu: &mut Eu<Self>) -> Then {
        if let Some(patch) = self.patch.take() {
            eu.put(self.result, patch.finish());
        }
        Then::End
    }
}
