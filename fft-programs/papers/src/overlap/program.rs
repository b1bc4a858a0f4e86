//! The threaded functions of the program.
//!
//! 1. [`OverlapFft`] starts a [`Rank`] on each node. Each rank takes its array from the process and returns
//!    the address of its inlet for blocks. All addresses are broadcast to all ranks.
//! 2. The fiber `begin` of a rank transforms along z and transposes.
//! 3. The fiber `step` works on tiles. It ends at each poll and enables itself again. In between its node
//!    takes up messages. Where a tile has to be awaited, the fiber ends without enabling itself.
//! 4. The fiber `arrive` keeps a block of a tile. It starts the next round of the tile's exchange, if the
//!    exchange has rounds. If `step` waits for the tile and the block is the last one, it enables `step`.
//! 5. After its last tile a rank gives its array back to the process and sends its times to `OverlapFft`.
//!
//! # Counts
//!
//! p ranks, k tiles, F polls of a tile in its four phases together, if every rank has rows of x and of y.
//!
//! | counter | count | made of |
//! |---|---|---|
//! | messages with points | k p (p - 1) | a block of each tile for each other rank |
//! | other messages | 4 (p - 1) | a rank: its start, its address, all addresses, its times |
//! | fibers of `step` | p (k F + 1), and one for each wait | one for each poll |

use std::time::Duration;

use earth::collective::{Group, broadcast, everywhere};
use earth::{Arrived, Eu, Reply, Shared, threaded};
use earth_fft::dataflow::cut::Cut;
use earth_fft::dataflow::points::{Points, whole_matrix};
use earth_fft::dataflow::{Done, Phases};
use earth_kernels::Real;

pub use super::rank::{Ended, Inlets, Rank, TileBlock, Times};
use super::rank_plan::OverlapCall;

/// A transform of the arrays of all processes: starts the ranks, introduces them to each other, and collects
/// their times.
pub struct OverlapFft<T: Real> {
    out: Reply<Vec<Times>>,
    element: std::marker::PhantomData<fn(T)>,
}

#[threaded(ranks = call.plan.size.ranks)]
impl<T: Real> OverlapFft<T> {
    /// Starts the ranks.
    pub fn start(call: Shared<OverlapCall<T>>, out: Reply<Vec<Times>>, eu: &mut Eu<Self>) -> Self {
        let (ranks, ends) = (call.plan.size.ranks, eu.replies(Self::end().ends));
        let given = (0..ranks).map(|rank| (call.clone(), None, ends.at(rank)));
        everywhere::<Rank<T>>(eu, Group::all(eu), given, eu.reply(Self::introduce().ranks));
        OverlapFft { out, element: std::marker::PhantomData }
    }

    #[slot]
    fn introduce(&mut self, ranks: Vec<Inlets<T>>, eu: &mut Eu<Self>) {
        introduce(ranks, eu);
    }

    #[slot]
    fn end(self, #[inlets(ranks)] ends: Arrived<'_, Ended<T>>, eu: &mut Eu<Self>) {
        eu.put(self.out, ends.map(|end| end.times).collect());
    }
}

/// A transform of one array on node 0: deals its rows to the ranks and joins them again.
pub struct DealtFft<T: Real> {
    out: Reply<Done<T>>,
    began: Duration,
    connected: Duration,
    element: std::marker::PhantomData<fn(T)>,
}

#[threaded(ranks = call.plan.size.ranks)]
impl<T: Real> DealtFft<T> {
    /// Starts the ranks. `whole` has a row for each x, with the points of all y and z.
    pub fn start(
        whole: Points<T>,
        call: Shared<OverlapCall<T>>,
        out: Reply<Done<T>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let (began, size, ends) = (eu.now(), call.plan.size, eu.replies(Self::end().ends));
        let cut = Cut::of(&(0..size.ranks).map(|rank| size.part(0, rank)).collect::<Vec<_>>());
        let given = cut.split_rows(whole).enumerate();
        let given = given.map(|(rank, own)| (call.clone(), Some(own), ends.at(rank)));
        everywhere::<Rank<T>>(eu, Group::all(eu), given, eu.reply(Self::introduce().ranks));
        DealtFft { out, began, connected: began, element: std::marker::PhantomData }
    }

    #[slot]
    fn introduce(&mut self, ranks: Vec<Inlets<T>>, eu: &mut Eu<Self>) {
        self.connected = eu.now();
        introduce(ranks, eu);
    }

    #[slot]
    fn end(self, #[inlets(ranks)] ends: Arrived<'_, Ended<T>>, eu: &mut Eu<Self>) {
        let home = eu.now();
        let whole = whole_matrix(ends.filter_map(|end| end.array).collect());
        let phases = Phases::between([self.began, self.connected, home, eu.now()]);
        eu.put(self.out, Done::new(whole, phases));
    }
}

/// Sends the addresses of all ranks to all ranks.
fn introduce<T: Real, F>(ranks: Vec<Inlets<T>>, eu: &mut Eu<F>) {
    let (blocks, all): (Vec<_>, Vec<_>) = ranks.into_iter().map(|rank| (rank.blocks, rank.all)).unzip();
    broadcast(eu, &blocks, all);
}
