//! The threaded functions of a distributed transform.
//!
//! 1. [`DistributedFft`] starts a [`Rank`] on each node. Each rank takes the arrays of its part from the
//!    process, and returns the address of its inlet for tiles. All addresses are broadcast to all ranks.
//! 2. *A stage.* The fiber `compute` of a rank transforms one chunk of its part, from its array or from tiles
//!    that have arrived. It writes the result to tiles for the ranks that have these points in the next
//!    stage, and sends them: the next rank's first, its own last. It enables itself again until the last
//!    chunk is sent. Where the first or the last stage only moves points, points that stay on the rank are
//!    read from its array, or written to it, instead.
//! 3. *An exchange.* The fiber `arrive` keeps a tile. When the rank has sent its last chunk and the last tile
//!    has arrived, `compute` is enabled for the next stage.
//! 4. The last stage writes to the rank's array. Then the rank gives its arrays back to the process and
//!    signals `DistributedFft`.
//!
//! *Order of exchanges.* A rank may send tiles of an exchange while their receiver still takes tiles of an
//! earlier one. A tile names its exchange, and waits in the receiver's frame. It can never come too late: a
//! rank leaves an exchange only with all its tiles.
//!
//! *Memory.* Besides its arrays, a rank has the tiles that arrived for a stage, with the points of its part
//! in this stage, and the tiles that it sends after it, with no more points. The transform of a
//! chunk may take memory for the chunk's points.
//!
//! # Counts
//!
//! P ranks, t tiles of all exchanges. None of the counts depends on the schedule.
//!
//! | counter | count | made of |
//! |---|---|---|
//! | messages with points | t | a tile for each chunk and each rank that has points of it in the next stage, except points that a rank keeps |
//! | other messages | 4 (P - 1) | a rank: its start, its address, all addresses, its end |

use bytemuck::{cast_slice, cast_slice_mut};
use earth::collective::{Group, broadcast, everywhere};
use earth::{Block, Eu, Reply, Shared, SlotRef, Then, Wire, threaded};
use earth_kernels::Real;

use super::distribution::Part;
use super::pieces::{Piece, PieceMut, in_turn, in_turn_mut};
use super::rank_arrays::RankArrays;
use super::rank_plan::RankPlan;
use super::real_series::widen;
use super::stage_plan::Numbers;
use crate::dataflow::points::{Points, elements, elements_mut, or_unwind};
use crate::dataflow::work::at_pace;
use crate::problem::Elements;

/// Arrays of a rank during a call.
#[derive(Debug)]
pub struct Arrays<T: Real> {
    /// Points, in a single row, with room for the parts of the input and of the output.
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
    pub(super) plan: Shared<RankPlan<T>>,
    pub(super) arrays: RankArrays<Arrays<T>>,
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
    /// Points in a single row: the boxes of the tile one after the other, each in row-major order.
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
    number: usize,
    /// Arrays, until the last stage has ended.
    arrays: Option<Arrays<T>>,
    /// Inlets of all ranks.
    ranks: Vec<Reply<Tile<T>>>,
    stage: usize,
    /// Part of this stage and its chunks. The first `sent` chunks have been sent.
    part: Part,
    chunks: Vec<Part>,
    sent: usize,
    /// Memory for the tiles of the chunks that have not been sent.
    room: Option<Points<T>>,
    /// Tiles with the points of this stage's part, and their boxes. Empty in the first stage.
    tiles: Vec<(Vec<Part>, Points<T>)>,
    /// Number of tiles of this stage's exchange.
    expected: usize,
    /// Tiles of this and later exchanges that have arrived.
    arrived: Vec<Tile<T>>,
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
        let arrays = Some(call.arrays.take(rank)?);
        eu.put(inlets, Inlets { tiles: eu.reply(Self::arrive().tile), all: eu.reply(Self::connect().ranks) });
        let route = call.plan.route();
        let (part, chunks, expected) = (route.part(0, rank), route.chunks(0, rank), route.tiles_to(0, rank));
        let (ranks, tiles, arrived) = (Vec::new(), Vec::new(), Vec::new());
        let (stage, sent, room) = (0, 0, None);
        Ok(Rank {
            call,
            number: rank,
            arrays,
            ranks,
            stage,
            part,
            chunks,
            sent,
            room,
            tiles,
            expected,
            arrived,
            done,
        })
    }

    #[slot]
    fn connect(&mut self, ranks: Vec<Reply<Tile<T>>>, eu: &mut Eu<Self>) {
        self.ranks = ranks;
        eu.sync(Self::compute());
    }

    #[slot(sync, again)]
    fn compute(&mut self, eu: &mut Eu<Self>) -> Then {
        let tiles = self.transform(eu);
        self.sent += 1;
        // A Synchronization Unit of its own sends the tiles while the next chunk is transformed.
        let is_more = self.sent < self.chunks.len();
        if is_more {
            eu.sync(Self::compute());
        }
        for (to, tile) in tiles {
            eu.put(self.ranks[to], tile);
        }
        if is_more {
            return Then::Wait;
        }
        if self.stage < self.call.plan.route().exchanges() {
            self.advance(eu);
        } else {
            if let Some(arrays) = self.arrays.take() {
                self.call.arrays.give_back(self.number, arrays);
            }
            eu.rsync(self.done);
            return Then::End;
        }
        Then::Wait
    }

    #[slot(again)]
    fn arrive(&mut self, tile: Tile<T>, eu: &mut Eu<Self>) {
        self.arrived.push(tile);
        self.advance(eu);
    }
}

impl<T: Real> Rank<T> {
    /// Transforms the next chunk. Returns its tiles, each with its receiver.
    fn transform(&mut self, eu: &mut Eu<Self>) -> Vec<(usize, Tile<T>)> {
        let Some(mut arrays) = self.arrays.take() else { return Vec::new() };
        let (plan, part, chunk) = (&self.call.plan, &self.part, &self.chunks[self.sent]);
        let stage = &plan.stages()[self.stage];
        let is_last = self.stage == plan.route().exchanges();
        let chunk_after = plan.route().after(self.stage, chunk);
        let targets = if is_last { Vec::new() } else { self.targets(&chunk_after) };
        // Parts of the rank's array.
        let read = plan.route().reads_array(self.stage).then(|| plan.route().end(false, self.number));
        let written = plan.route().writes_array(self.stage).then(|| plan.route().end(true, self.number));
        let mut rest = if is_last {
            None
        } else {
            let sent = || plan.route().sent(self.stage, self.number);
            Some(self.room.take().unwrap_or_else(|| or_unwind(plan.memory(sent()))))
        };
        let mut sent = Vec::new();
        for (_, boxes) in &targets {
            let points = boxes.iter().map(Part::len).sum();
            let Some((tile, others)) = rest.take().map(|rest| rest.split_cols(points)) else { break };
            sent.push(tile);
            rest = Some(others);
        }
        self.room = rest;
        let needs_mates = plan.route().needs_mates(self.stage);
        let is_of_chunk = |part: &Part| needs_mates || part.common(chunk).is_some();
        let tiles = self.tiles.iter().filter(|(boxes, _)| boxes.iter().any(is_of_chunk));
        let copies = stage.copies(
            chunk,
            plan.elements(),
            tiles.clone().flat_map(|(boxes, _)| boxes).chain(&read),
            targets.iter().flat_map(|(_, boxes)| boxes).chain(&written),
        );
        if !plan.is_phantom() {
            let Arrays { points, second } = &mut arrays;
            let mut from: Vec<_> =
                tiles.flat_map(|(boxes, points)| in_turn(boxes.clone(), elements(points))).collect();
            let mut to: Vec<_> = targets
                .iter()
                .zip(&mut sent)
                .flat_map(|((_, boxes), points)| in_turn_mut(boxes.clone(), elements_mut(points)))
                .collect();
            let (input, numbers) = match second {
                Second::None => (None, Numbers::None),
                Second::Input(input) => (Some(&*input), Numbers::None),
                Second::Numbers(numbers) => match plan.elements() {
                    Elements::ComplexToReal => (None, Numbers::To(elements_mut(numbers))),
                    _ => (None, Numbers::From(elements(numbers))),
                },
            };
            let (numbers, mut of_series) =
                if stage.has_rows() { (numbers, Numbers::None) } else { (Numbers::None, numbers) };
            let takes_numbers = plan.route().takes_numbers(self.stage);
            let mut wide = plan.is_widened(self.stage).then(|| or_unwind(plan.memory(chunk.len())));
            match &mut of_series {
                Numbers::From(numbers) if takes_numbers => from.push(match &mut wide {
                    Some(wide) => {
                        widen([part, chunk], numbers, elements_mut(wide));
                        Piece { part: chunk.clone(), elements: elements(wide) }
                    }
                    None => Piece { part: part.clone(), elements: cast_slice(numbers) },
                }),
                Numbers::To(numbers) if takes_numbers => to.extend(written.map(|part| PieceMut {
                    part,
                    elements: wide.as_mut().map_or_else(|| cast_slice_mut(numbers), elements_mut),
                })),
                // Rows take their real numbers by themselves, instead of points.
                _ => match (read, written, &numbers) {
                    (Some(read), _, Numbers::None) => {
                        let boxes = plan.route().layout(self.stage, &read);
                        from.extend(in_turn(boxes, elements(input.unwrap_or(points))));
                    }
                    (None, Some(part), Numbers::None) => {
                        to.push(PieceMut { part, elements: elements_mut(points) });
                    }
                    _ => {}
                },
            }
            let temporary = |points| or_unwind(plan.memory(points));
            stage.transform([part, chunk], copies, from, to, numbers, temporary);
            if let (Some(wide), Numbers::To(numbers)) = (&wide, of_series) {
                numbers.iter_mut().zip(elements(wide)).for_each(|(number, point)| *number = point.re);
            }
        }
        self.arrays = Some(arrays);
        let pace = plan.pace(self.number);
        stage.work(chunk, copies).into_iter().for_each(|work| eu.work(at_pace(work, pace)));
        let [stage, from, number] = [self.stage, self.number, self.sent].map(|number| number as u32);
        let tile = |((to, _), points)| (to, Tile { stage, from, chunk: number, points });
        targets.into_iter().zip(sent).map(tile).collect()
    }

    /// Returns the ranks that receive tiles of a transformed chunk, and the parts of their points: the next
    /// rank first, this one last.
    fn targets(&self, chunk: &Part) -> Vec<(usize, Vec<Part>)> {
        let (route, ranks) = (self.call.plan.route(), self.ranks.len());
        let target = |step| {
            let to = (self.number + step) % ranks;
            let boxes = route.tile(self.stage, chunk, to);
            (!boxes.is_empty()).then_some((to, boxes))
        };
        let steps = if route.keeps(self.stage) { 1..ranks } else { 1..ranks + 1 };
        steps.filter_map(target).collect()
    }

    /// Begins the next stage, if this rank has sent and received all tiles of the exchange.
    fn advance(&mut self, eu: &mut Eu<Self>) {
        let is_of_exchange = |tile: &Tile<T>| tile.stage as usize == self.stage;
        if self.sent < self.chunks.len()
            || self.arrived.len() < self.expected
            || self.arrived.iter().filter(|tile| is_of_exchange(tile)).count() < self.expected
        {
            return;
        }
        let (mut tiles, later): (Vec<_>, _) =
            std::mem::take(&mut self.arrived).into_iter().partition(is_of_exchange);
        self.arrived = later;
        tiles.sort_by_key(|tile| tile.from);
        let route = self.call.plan.route();
        let of_sender = |tiles: &[Tile<T>]| route.chunks(self.stage, tiles[0].from as usize);
        let parts = tiles.chunk_by(|a, b| a.from == b.from).flat_map(|tiles| {
            let chunks = of_sender(tiles);
            tiles
                .iter()
                .map(|tile| {
                    let chunk = route.after(self.stage, &chunks[tile.chunk as usize]);
                    route.tile(self.stage, &chunk, self.number)
                })
                .collect::<Vec<_>>()
        });
        let parts: Vec<_> = parts.collect();
        self.tiles = parts.into_iter().zip(tiles).map(|(boxes, tile)| (boxes, tile.points)).collect();
        self.stage += 1;
        self.part = route.part(self.stage, self.number);
        self.chunks = route.chunks(self.stage, self.number);
        self.expected = route.tiles_to(self.stage, self.number);
        (self.sent, self.room) = (0, None);
        eu.sync(Self::compute());
    }
}
