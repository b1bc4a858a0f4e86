//! The threaded functions of a distributed transform.
//!
//! 1. [`DistributedFft`] starts a [`Rank`] on each node. Each rank takes the arrays of its part from the
//!    process, and returns the address of its inlet for tiles. All addresses are broadcast to all ranks.
//! 2. *A stage.* The fiber `compute` of a rank transforms one chunk of its part. It copies the chunk's tiles
//!    to memory of their own, and sends each to the rank that has these points in the next stage: the next
//!    rank first, itself last. It enables itself again until the last chunk is sent.
//! 3. *An exchange.* The fiber `land` copies a tile to its place in the part of the next stage. That part has
//!    the same memory as the part of this stage, so tiles wait until the rank has sent its own. The last tile
//!    enables `compute` for the next stage.
//! 4. After its last stage a rank gives its arrays back to the process and signals `DistributedFft`.
//!
//! *Order of exchanges.* A rank may send tiles of an exchange while their receiver still takes tiles of an
//! earlier one. A tile names its exchange, and waits in the receiver's frame. It can never come too late: a
//! rank leaves an exchange only with all its tiles.
//!
//! *Memory.* Besides the arrays, a rank has the tiles that it sends, as many points as its part. In a process
//! of its own it also has the tiles that arrive, as many points again.
//!
//! # Counts
//!
//! P ranks, t tiles of all exchanges. None of the counts depends on the schedule.
//!
//! | counter | count | made of |
//! |---|---|---|
//! | messages with points | t | a tile for each chunk and each rank that has points of it in the next stage |
//! | other messages | 4 (P - 1) | a rank: its start, its address, all addresses, its end |

use earth::collective::{Group, broadcast, everywhere};
use earth::{Block, Element, Eu, Reply, Shared, SlotRef, Then, Wire, threaded};
use earth_kernels::Real;
use parking_lot::Mutex;

use super::distribution::Part;
use super::rank_plan::RankPlan;
use crate::dataflow::points::{Points, or_unwind};
use crate::dataflow::row_pass::DenseOperand;
use crate::dataflow::work;
use crate::problem::Elements;

/// Arrays of a rank during a call.
#[derive(Debug)]
pub struct Arrays<T: Real> {
    /// Points, in a single row, with room for the greatest part of any stage.
    pub(super) points: Points<T>,
    /// Second array, if there is one.
    pub(super) second: Second<T>,
}

/// Second array of a rank.
#[derive(Debug)]
pub enum Second<T: Real> {
    /// The transform is in place.
    None,
    /// Input points, which are only read.
    Input(Points<T>),
    /// Real numbers of the input, which are only read, or of the output.
    Numbers(Block<T>),
}

/// A call in one process: the plan, and the arrays of the process's ranks.
#[derive(Debug)]
pub struct DistributedCall<T: Real> {
    plan: Shared<RankPlan<T>>,
    /// The first rank of the process.
    first: usize,
    /// Arrays of each rank while no fiber has them, or why there are none.
    arrays: Result<Mutex<Vec<Option<Arrays<T>>>>, String>,
}

impl<T: Real> DistributedCall<T> {
    /// Makes the call of a process whose first rank is `first`. Instead of the arrays it may have the reason
    /// why the process cannot take part. The reason then ends the run of all ranks.
    pub(super) fn new(
        plan: Shared<RankPlan<T>>,
        first: usize,
        arrays: Result<impl IntoIterator<Item = Arrays<T>>, String>,
    ) -> Self {
        let arrays = arrays.map(|arrays| Mutex::new(arrays.into_iter().map(Some).collect()));
        Self { plan, first, arrays }
    }

    fn take(&self, rank: usize) -> Result<Arrays<T>, String> {
        let mut arrays = self.arrays.as_ref().map_err(|why| format!("rank {rank}: {why}"))?.lock();
        let arrays = rank.checked_sub(self.first).and_then(|at| arrays.get_mut(at)?.take());
        arrays.ok_or_else(|| format!("rank {rank} has no arrays in its process"))
    }

    fn give_back(&self, rank: usize, arrays: Arrays<T>) {
        if let (Ok(all), Some(at)) = (&self.arrays, rank.checked_sub(self.first))
            && let Some(place) = all.lock().get_mut(at)
        {
            *place = Some(arrays);
        }
    }
}

/// Points of a chunk of one rank that another rank has in the next stage.
#[derive(Debug, Wire)]
pub struct Tile<T: Real> {
    /// Stage that ended with this tile's exchange.
    stage: u32,
    /// Sender.
    from: u32,
    /// Number of the sender's chunk.
    chunk: u32,
    /// Points in a single row, in row-major order of the tile.
    points: Points<T>,
}

/// Inlets of a rank.
#[derive(Debug, Wire)]
pub struct Inlets<T: Real> {
    tiles: Reply<Tile<T>>,
    all: Reply<Vec<Reply<Tile<T>>>>,
}

/// A distributed transform: starts the ranks, introduces them to each other, and waits for their ends.
pub struct DistributedFft<T: Real> {
    out: Reply<()>,
    element: std::marker::PhantomData<fn(T)>,
}

#[threaded(ranks = call.plan.route().ranks())]
impl<T: Real> DistributedFft<T> {
    /// Starts the ranks.
    pub fn start(call: Shared<DistributedCall<T>>, out: Reply<()>, eu: &mut Eu<Self>) -> Self {
        let ranks = call.plan.route().ranks();
        let given = std::iter::repeat_n((call, eu.slot_ref(Self::end())), ranks);
        everywhere::<Rank<T>>(eu, Group::all(eu), given, eu.reply(Self::introduce().ranks));
        DistributedFft { out, element: std::marker::PhantomData }
    }

    #[slot]
    fn introduce(&mut self, ranks: Vec<Inlets<T>>, eu: &mut Eu<Self>) {
        let (tiles, all): (Vec<_>, Vec<_>) = ranks.into_iter().map(|rank| (rank.tiles, rank.all)).unzip();
        broadcast(eu, &tiles, all);
    }

    #[slot(syncs = ranks)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, ());
    }
}

/// A rank of a distributed transform.
pub struct Rank<T: Real> {
    call: Shared<DistributedCall<T>>,
    rank: usize,
    /// Arrays, until the last stage has ended.
    arrays: Option<Arrays<T>>,
    /// Inlets of all ranks.
    ranks: Vec<Reply<Tile<T>>>,
    stage: usize,
    /// Part of this stage and its chunks, of which the first `sent` have been sent.
    part: Part,
    chunks: Vec<Part>,
    sent: usize,
    /// Number of tiles of this stage's exchange that have not been copied to their place.
    missing: usize,
    /// Tiles that arrived before their place was free.
    waiting: Vec<Tile<T>>,
    done: SlotRef,
}

#[threaded]
impl<T: Real> Rank<T> {
    /// Takes the arrays of this node's rank, and sends its inlets.
    fn start(
        call: Shared<DistributedCall<T>>,
        done: SlotRef,
        inlets: Reply<Inlets<T>>,
        eu: &mut Eu<Self>,
    ) -> Result<Self, String> {
        let rank = eu.node().index();
        let arrays = Some(call.take(rank)?);
        eu.put(inlets, Inlets { tiles: eu.reply(Self::land().tile), all: eu.reply(Self::connect().ranks) });
        let route = call.plan.route();
        let (part, chunks, missing) = (route.part(0, rank), route.chunks(0, rank), route.tiles_to(0, rank));
        let (ranks, waiting) = (Vec::new(), Vec::new());
        Ok(Rank { call, rank, arrays, ranks, stage: 0, part, chunks, sent: 0, missing, waiting, done })
    }

    #[slot]
    fn connect(&mut self, ranks: Vec<Reply<Tile<T>>>, eu: &mut Eu<Self>) {
        self.ranks = ranks;
        eu.sync(Self::compute());
    }

    #[slot(sync, again)]
    fn compute(&mut self, eu: &mut Eu<Self>) -> Then {
        self.transform(eu);
        if self.stage == self.call.plan.route().exchanges() {
            if let Some(arrays) = self.arrays.take() {
                self.call.give_back(self.rank, arrays);
            }
            eu.rsync(self.done);
            return Then::End;
        }
        self.send(eu);
        self.sent += 1;
        if self.sent < self.chunks.len() {
            eu.sync(Self::compute());
            return Then::Wait;
        }
        for tile in std::mem::take(&mut self.waiting) {
            self.take(tile, eu);
        }
        self.advance(eu);
        Then::Wait
    }

    #[slot(again)]
    fn land(&mut self, tile: Tile<T>, eu: &mut Eu<Self>) {
        self.take(tile, eu);
        self.advance(eu);
    }
}

impl<T: Real> Rank<T> {
    /// Transforms the next chunk.
    fn transform(&mut self, eu: &mut Eu<Self>) {
        let Some(Arrays { points, second }) = &mut self.arrays else { return };
        let (plan, part, chunk) = (&self.call.plan, &self.part, &self.chunks[self.sent]);
        let stage = &plan.stages()[self.stage];
        let copied = match second {
            Second::Input(input) if self.stage == 0 && !stage.starts_with_rows() => {
                eu.compute((&mut *points, &*input), work::copy(chunk.len()), |(points, input)| {
                    let (offsets, run) = part.runs(chunk);
                    let (points, input) = (elements_mut(points), elements(input));
                    offsets.for_each(|at| points[at..at + run].copy_from_slice(&input[at..at + run]));
                });
                true
            }
            _ => false,
        };
        let work = stage.work(chunk);
        let Some((&first, rest)) = work.split_first() else { return };
        let transform = |points: &mut Points<T>, operand| {
            stage.transform([part, chunk], elements_mut(points), operand);
        };
        match second {
            Second::Input(input) if self.stage == 0 && !copied => {
                eu.compute((points, &*input), first, |(points, input)| {
                    transform(points, DenseOperand::From(elements(input)));
                });
            }
            Second::Numbers(numbers) if stage.has_rows() => {
                eu.compute((points, numbers), first, |(points, numbers)| {
                    let to_numbers = plan.elements() == Elements::ComplexToReal;
                    let operand = if to_numbers {
                        DenseOperand::ToNumbers(elements_mut(numbers))
                    } else {
                        DenseOperand::FromNumbers(elements(numbers))
                    };
                    transform(points, operand);
                });
            }
            _ => {
                eu.compute(points, first, |points| transform(points, DenseOperand::InPlace));
            }
        }
        rest.iter().for_each(|&work| eu.work(work));
    }

    /// Sends the tiles of the chunk that was transformed: the next rank's first, its own last.
    fn send(&self, eu: &mut Eu<Self>) {
        let Some(Arrays { points, .. }) = &self.arrays else { return };
        let (route, ranks) = (self.call.plan.route(), self.ranks.len());
        for to in (1..=ranks).map(|step| (self.rank + step) % ranks) {
            let Some(common) = route.part(self.stage + 1, to).common(&self.chunks[self.sent]) else {
                continue;
            };
            let mut tile = or_unwind(self.call.plan.tile(common.len()));
            eu.compute((&mut tile, points), work::copy(common.len()), |(tile, points)| {
                let ((offsets, run), points) = (self.part.runs(&common), elements(points));
                let runs = elements_mut(tile).chunks_mut(run);
                runs.zip(offsets).for_each(|(to, at)| to.copy_from_slice(&points[at..at + run]));
            });
            let [stage, from, chunk] = [self.stage, self.rank, self.sent].map(|number| number as u32);
            eu.put(self.ranks[to], Tile { stage, from, chunk, points: tile });
        }
    }

    /// Copies a tile to its place in the part of the next stage, or lets it wait until the place is free.
    fn take(&mut self, tile: Tile<T>, eu: &mut Eu<Self>) {
        if tile.stage as usize != self.stage || self.sent < self.chunks.len() {
            self.waiting.push(tile);
            return;
        }
        let Some(Arrays { points, .. }) = &mut self.arrays else { return };
        let route = self.call.plan.route();
        let part = route.part(self.stage + 1, self.rank);
        let chunks = route.chunks(self.stage, tile.from as usize);
        let Some(common) = chunks.get(tile.chunk as usize).and_then(|chunk| part.common(chunk)) else {
            unreachable!("a tile has points of its receiver's next part");
        };
        eu.compute((points, &tile.points), work::copy(common.len()), |(points, tile)| {
            let ((offsets, run), points) = (part.runs(&common), elements_mut(points));
            let runs = elements(tile).chunks(run);
            runs.zip(offsets).for_each(|(from, at)| points[at..at + run].copy_from_slice(from));
        });
        self.missing -= 1;
    }

    /// Begins the next stage, if this rank has sent and received all tiles of the exchange.
    fn advance(&mut self, eu: &mut Eu<Self>) {
        if self.missing > 0 || self.sent < self.chunks.len() {
            return;
        }
        let route = self.call.plan.route();
        self.stage += 1;
        self.part = route.part(self.stage, self.rank);
        self.chunks = route.chunks(self.stage, self.rank);
        self.missing = route.tiles_to(self.stage, self.rank);
        self.sent = 0;
        eu.sync(Self::compute());
    }
}

/// Returns the elements of a block without gaps.
fn elements<E: Element>(block: &Block<E>) -> &[E] {
    block.as_slice().unwrap_or_else(|| unreachable!("the array is a single row"))
}

fn elements_mut<E: Element>(block: &mut Block<E>) -> &mut [E] {
    block.as_mut_slice().unwrap_or_else(|| unreachable!("the array is a single row"))
}
