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
use earth::{Arrived, Eu, Reply, Shared, Then, Wire, threaded};
use earth_fft::dataflow::points::{Points, or_unwind, scratch, whole_matrix};
use earth_fft::dataflow::{Done, Phases, nanoseconds, work};
use earth_kernels::{Real, scale};
use num_complex::Complex;

use super::layout::{Rows, pack, pack_output, transpose, transpose_singly, unpack, unpack_output};
use super::rank_plan::{OverlapCall, OverlapRanks, Rounds};
use super::schedule::{Step, Steps};
use super::tile_work::{Chunk, TileWork};

/// Times of a rank in nanoseconds: the parts of Figure 8 of the paper.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Wire)]
pub struct Times {
    /// `FFTz`: transforms along z.
    pub along_z: u64,
    /// Transpose.
    pub transpose: u64,
    /// `FFTy`: transforms along y.
    pub along_y: u64,
    /// Pack.
    pub pack: u64,
    /// Unpack.
    pub unpack: u64,
    /// `FFTx`: transforms along x.
    pub along_x: u64,
    /// Ialltoall: beginning exchanges.
    pub exchange: u64,
    /// Wait: until a tile has arrived.
    pub wait: u64,
    /// Test: between the fibers of a tile.
    pub polls: u64,
    /// Packing and unpacking the output for its return.
    pub turn: u64,
    /// From the beginning of the transforms along z to the end.
    pub total: u64,
}

/// Block of a tile for one rank.
#[derive(Debug, Wire)]
pub struct TileBlock<T: Real> {
    tile: u32,
    from: u32,
    points: Points<T>,
}

/// Inlets of a rank.
#[derive(Debug, Wire)]
pub struct Inlets<T: Real> {
    blocks: Reply<TileBlock<T>>,
    all: Reply<Vec<Reply<TileBlock<T>>>>,
}

/// End of a rank.
#[derive(Debug, Wire)]
pub struct Ended<T: Real> {
    times: Times,
    /// Array of the rank, if it was given to the rank.
    array: Option<Points<T>>,
}

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
        let mut rest = Some(whole);
        let given: Vec<_> = (0..size.ranks)
            .map(|rank| {
                let own = rest.take().map(|whole| whole.split_rows(size.part(0, rank)));
                let (own, others) = own.unzip();
                rest = others;
                (call.clone(), own, ends.at(rank))
            })
            .collect();
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

/// Blocks of a tile.
#[derive(Debug)]
struct Tile<T: Real> {
    /// Blocks that have arrived, by sender.
    arrived: Vec<Option<Points<T>>>,
    /// Number of blocks that have arrived.
    number: usize,
    /// Blocks that wait for their rounds, by receiver.
    packed: Vec<Option<Points<T>>>,
    /// Number of rounds that have begun.
    rounds: usize,
    /// Whether the tile is unpacked, or is being unpacked.
    is_taken: bool,
}

impl<T: Real> Tile<T> {
    fn of(ranks: usize) -> Self {
        Self {
            arrived: (0..ranks).map(|_| None).collect(),
            number: 0,
            packed: Vec::new(),
            rounds: 0,
            is_taken: false,
        }
    }

    /// Returns whether the rank's own block and `others` blocks of other ranks have arrived.
    fn is_complete(&self, others: usize) -> bool {
        self.number > others
    }
}

/// Pause of the fiber `step`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pause {
    Poll,
    /// For a tile, or for any tile.
    Wait(Option<usize>),
    /// For a tile that has arrived: the fiber is enabled.
    Over,
}

/// A rank of a transform.
pub struct Rank<T: Real> {
    call: Shared<OverlapCall<T>>,
    number: usize,
    /// Array of the rank, until the last tile is done.
    array: Option<Points<T>>,
    /// Output before its return, if it returns. Otherwise the output replaces the input.
    output: Option<Points<T>>,
    /// Points between transposition and packing.
    between: Option<Points<T>>,
    scratch: Vec<Complex<T>>,
    /// Inlets of all ranks.
    ranks: Vec<Reply<TileBlock<T>>>,
    steps: Steps,
    /// Work in progress: its tile, and whether the tile is being unpacked.
    work: Option<(usize, bool, TileWork)>,
    tiles: Vec<Tile<T>>,
    /// Number of other ranks that have points for this one, in a tile and in the return.
    others: [usize; 2],
    pause: Option<(Pause, Duration)>,
    began: Duration,
    times: Times,
    /// Whether the array was given to the rank, and goes back with its end.
    is_given: bool,
    done: Reply<Ended<T>>,
}

#[threaded]
impl<T: Real> Rank<T> {
    /// Takes the given array, or the process's array for this node. Then sends its inlets.
    fn start(
        call: Shared<OverlapCall<T>>,
        given: Option<Points<T>>,
        done: Reply<Ended<T>>,
        inlets: Reply<Inlets<T>>,
        eu: &mut Eu<Self>,
    ) -> Result<Self, String> {
        let number = eu.node().index();
        let is_given = given.is_some();
        let array = Some(given.map_or_else(|| call.arrays.take(number), Ok)?);
        eu.put(inlets, Inlets { blocks: eu.reply(Self::arrive().block), all: eu.reply(Self::begin().ranks) });
        let plan = &call.plan;
        let tiles = plan.tiles();
        let steps = Steps::new(plan.variant, tiles, plan.parameters.window, plan.returns);
        let tiles = (0..=tiles).map(|_| Tile::of(plan.size.ranks)).collect();
        let from = |sends: &dyn Fn(usize) -> bool| {
            (0..plan.size.ranks).filter(|&from| from != number && sends(from)).count()
        };
        let others = [from(&|from| plan.sends(from, number)), from(&|from| plan.sends(number, from))];
        let output = plan.returns.then(|| or_unwind(plan.row(plan.output_len(number))));
        Ok(Rank {
            number,
            array,
            output,
            between: None,
            scratch: scratch(plan.scratch_len()),
            ranks: Vec::new(),
            steps,
            work: None,
            tiles,
            others,
            pause: None,
            began: Duration::ZERO,
            times: Times::default(),
            is_given,
            done,
            call,
        })
    }

    #[slot]
    fn begin(&mut self, ranks: Vec<Reply<TileBlock<T>>>, eu: &mut Eu<Self>) {
        self.ranks = ranks;
        self.began = eu.now();
        self.along_z(eu);
        eu.sync(Self::step());
    }

    #[slot(sync, again)]
    fn step(&mut self, eu: &mut Eu<Self>) -> Then {
        if let Some((pause, since)) = self.pause.take() {
            let spent = nanoseconds(since, eu.now());
            *(if pause == Pause::Poll { &mut self.times.polls } else { &mut self.times.wait }) += spent;
        }
        while let Some(pause) = self.next(eu) {
            if let Some(pause) = pause {
                self.pause = Some((pause, eu.now()));
                if pause == Pause::Poll {
                    eu.poll();
                    eu.sync(Self::step());
                }
                return Then::Wait;
            }
        }
        self.times.total = nanoseconds(self.began, eu.now());
        let mut array = self.array.take();
        if let Some(own) = array.take_if(|_| !self.is_given) {
            self.call.arrays.give_back(self.number, own);
        }
        eu.put(self.done, Ended { times: self.times, array });
        Then::End
    }

    #[slot(again)]
    fn arrive(&mut self, block: TileBlock<T>, eu: &mut Eu<Self>) {
        let TileBlock { tile, from, points } = block;
        self.keep(tile as usize, from as usize, points);
        self.advance(tile as usize, eu);
        if let Some((Pause::Wait(awaited), since)) = self.pause
            && awaited.is_none_or(|awaited| awaited == tile as usize)
            && self.is_complete(tile as usize)
        {
            self.pause = Some((Pause::Over, since));
            eu.sync(Self::step());
        }
    }
}

impl<T: Real> Rank<T> {
    fn plan(&self) -> &OverlapRanks<T> {
        &self.call.plan
    }

    /// Transforms along z, and transposes.
    fn along_z(&mut self, eu: &mut Eu<Self>) {
        let plan = Shared::clone(&self.call.plan);
        let [_, ny, nz] = plan.size.lengths;
        let nx = plan.size.part(0, self.number);
        let points = nx * ny * nz;
        let mut between = or_unwind(plan.row(points));
        let begun = eu.now();
        if let (Some([_, _, kernel]), Some(array)) = (&plan.kernels, &mut self.array) {
            let rows = &mut elements_mut(array)[..points];
            kernel.transform(plan.direction, rows, &mut self.scratch);
        }
        eu.work(work::row_fft(nx * ny, nz));
        let transformed = eu.now();
        if let (Some(_), Some(array)) = (&plan.kernels, &self.array) {
            let rows = Rows::new(plan.layout, nz, nx, ny);
            let moves = if plan.variant.moves_singly() { transpose_singly } else { transpose };
            let (from, to) = (&elements(array)[..points], elements_mut(&mut between));
            from.chunks(ny * nz).enumerate().for_each(|(x, from)| moves(from, to, &rows, x, nz));
        }
        eu.work(work::copy(points));
        self.times.along_z = nanoseconds(begun, transformed);
        self.times.transpose = nanoseconds(transformed, eu.now());
        self.between = Some(between);
    }

    /// Works until the next pause, and returns it. Returns `Some(None)` without a pause, and `None` after the
    /// last step.
    #[expect(clippy::option_option, reason = "the end, a pause, or neither")]
    fn next(&mut self, eu: &mut Eu<Self>) -> Option<Option<Pause>> {
        if let Some((tile, unpacks, mut tile_work)) = self.work.take() {
            let Some(chunk) = tile_work.next() else {
                self.end_work(tile, unpacks);
                return Some(None);
            };
            if unpacks {
                self.backward(tile, &chunk, eu);
            } else {
                self.forward(tile, &chunk, eu);
            }
            self.work = Some((tile, unpacks, tile_work));
            return Some(chunk.polls.then_some(Pause::Poll));
        }
        let (tiles, others) = (&self.tiles[..self.tiles.len() - 1], self.others[0]);
        let complete = || tiles.iter().position(|tile| !tile.is_taken && tile.is_complete(others));
        let pause = match self.steps.next(complete)? {
            Step::PackOutput => {
                self.pack_output(eu);
                None
            }
            Step::UnpackOutput => {
                self.unpack_output(eu);
                None
            }
            Step::Forward(tile) => {
                self.begin_forward(tile);
                None
            }
            Step::Exchange(tile) => {
                let begun = eu.now();
                self.exchange(tile, eu);
                self.times.exchange += nanoseconds(begun, eu.now());
                None
            }
            Step::Await(tile) => (!self.is_complete(tile)).then_some(Pause::Wait(Some(tile))),
            Step::AwaitAny => Some(Pause::Wait(None)),
            Step::Backward(tile) => {
                self.tiles[tile].is_taken = true;
                let plan = self.plan();
                let rows = plan.size.part(1, self.number);
                let polls = [plan.parameters.polls.unpack, plan.parameters.polls.along_x];
                let part = plan.parameters.unpack;
                self.work = Some((tile, true, TileWork::new(plan.planes(tile), rows, part, polls)));
                None
            }
        };
        Some(pause)
    }

    fn begin_forward(&mut self, tile: usize) {
        let plan = Shared::clone(&self.call.plan);
        let (planes, nx) = (plan.planes(tile), plan.size.part(0, self.number));
        self.tiles[tile].packed = blocks(&plan, |to| planes.len() * nx * plan.size.part(1, to));
        let polls = [plan.parameters.polls.along_y, plan.parameters.polls.pack];
        let tile_work = TileWork::new(planes, nx, plan.parameters.pack, polls);
        self.work = Some((tile, false, tile_work));
    }

    /// Transforms some rows along y, or packs them.
    fn forward(&mut self, tile: usize, chunk: &Chunk, eu: &mut Eu<Self>) {
        let plan = Shared::clone(&self.call.plan);
        let [_, ny, nz] = plan.size.lengths;
        let (nx, planes) = (plan.size.part(0, self.number), plan.planes(tile));
        let rows = Rows::new(plan.layout, nz, nx, ny);
        let begun = eu.now();
        if let (Some([_, kernel, _]), Some(between)) = (&plan.kernels, &mut self.between) {
            if chunk.phase == 0 {
                let points = &mut elements_mut(between)[rows.span(chunk.plane, &chunk.rows)];
                kernel.transform_spaced(plan.direction, points, rows.steps[0], &mut self.scratch);
            } else {
                let blocks = self.tiles[tile].packed.iter_mut().flatten();
                let mut blocks: Vec<_> = blocks.map(elements_mut).collect();
                for x in chunk.rows.clone() {
                    let row = &elements(between)[rows.at(chunk.plane, x)..][..ny];
                    pack(&plan.size, row, (chunk.plane - planes.start) * nx + x, &mut blocks);
                }
            }
        }
        let number = chunk.rows.len();
        eu.work(if chunk.phase == 0 { work::row_fft(number, ny) } else { work::copy(number * ny) });
        let spent = nanoseconds(begun, eu.now());
        *(if chunk.phase == 0 { &mut self.times.along_y } else { &mut self.times.pack }) += spent;
    }

    /// Unpacks some rows, or transforms them along x.
    fn backward(&mut self, tile: usize, chunk: &Chunk, eu: &mut Eu<Self>) {
        let plan = Shared::clone(&self.call.plan);
        let [nx, _, nz] = plan.size.lengths;
        let (ny, planes) = (plan.size.part(1, self.number), plan.planes(tile));
        let rows = Rows::new(plan.layout, nz, ny, nx);
        let begun = eu.now();
        let output = self.output.as_mut().or(self.array.as_mut());
        if let (Some([kernel, ..]), Some(output)) = (&plan.kernels, output) {
            let points = &mut elements_mut(output)[rows.span(chunk.plane, &chunk.rows)];
            if chunk.phase == 0 {
                let blocks = self.tiles[tile].arrived.iter();
                let blocks: Vec<_> = blocks.map(|block| block.as_ref().map_or(&[][..], elements)).collect();
                let plane = chunk.plane - planes.start;
                unpack(&plan.size, &blocks, points, rows.steps[0], [plane, ny], &chunk.rows);
            } else {
                kernel.transform_spaced(plan.direction, points, rows.steps[0], &mut self.scratch);
                if plan.factor != T::one() {
                    points.chunks_mut(rows.steps[0]).for_each(|row| scale(&mut row[..nx], plan.factor));
                }
            }
        }
        let number = chunk.rows.len();
        eu.work(if chunk.phase == 0 { work::copy(number * nx) } else { work::row_fft(number, nx) });
        let spent = nanoseconds(begun, eu.now());
        *(if chunk.phase == 0 { &mut self.times.unpack } else { &mut self.times.along_x }) += spent;
    }

    /// Frees what a tile no longer needs.
    fn end_work(&mut self, tile: usize, unpacks: bool) {
        if unpacks {
            self.tiles[tile].arrived = Vec::new();
        } else if tile + 2 == self.tiles.len() {
            self.between = None;
        }
    }

    /// Packs the output for its return.
    fn pack_output(&mut self, eu: &mut Eu<Self>) {
        let plan = Shared::clone(&self.call.plan);
        let ([nx, _, nz], ny) = (plan.size.lengths, plan.size.part(1, self.number));
        let begun = eu.now();
        let mut packed = blocks(&plan, |to| plan.size.part(0, to) * ny * nz);
        if let (Some(_), Some(output)) = (&plan.kernels, self.output.take()) {
            let mut blocks: Vec<_> = packed.iter_mut().flatten().map(elements_mut).collect();
            let rows = Rows::new(plan.layout, nz, ny, nx);
            pack_output(&plan.size, elements(&output), &rows, ny, &mut blocks);
        }
        eu.work(work::copy(nx * ny * nz));
        if let Some(tile) = self.tiles.last_mut() {
            tile.packed = packed;
        }
        self.times.turn += nanoseconds(begun, eu.now());
    }

    /// Unpacks the output after its return.
    fn unpack_output(&mut self, eu: &mut Eu<Self>) {
        let plan = Shared::clone(&self.call.plan);
        let ([_, ny, nz], nx) = (plan.size.lengths, plan.size.part(0, self.number));
        let begun = eu.now();
        if let (Some(_), Some(array), Some(tile)) = (&plan.kernels, &mut self.array, self.tiles.last()) {
            let blocks = tile.arrived.iter();
            let blocks: Vec<_> = blocks.map(|block| block.as_ref().map_or(&[][..], elements)).collect();
            unpack_output(&plan.size, &blocks, elements_mut(array), nx);
        }
        eu.work(work::copy(nx * ny * nz));
        self.times.turn += nanoseconds(begun, eu.now());
    }

    /// Begins the exchange of a packed tile.
    fn exchange(&mut self, tile: usize, eu: &mut Eu<Self>) {
        if let Some(own) = self.tiles[tile].packed.get_mut(self.number).and_then(Option::take) {
            self.keep(tile, self.number, own);
        }
        self.tiles[tile].rounds = 1;
        match self.plan().rounds {
            Rounds::AllAtOnce => (1..self.ranks.len()).for_each(|round| self.send(tile, round, eu)),
            Rounds::Pairwise => {
                self.send(tile, 1, eu);
                self.advance(tile, eu);
            }
        }
    }

    /// Sends the block of a round.
    fn send(&mut self, tile: usize, round: usize, eu: &mut Eu<Self>) {
        let to = (self.number + round) % self.ranks.len();
        let block = self.tiles[tile].packed.get_mut(to).and_then(Option::take);
        if let Some(points) = block.filter(|block| !block.is_empty()) {
            eu.put(self.ranks[to], TileBlock { tile: tile as u32, from: self.number as u32, points });
        }
    }

    /// Begins the rounds of a tile's exchange whose turn it is.
    fn advance(&mut self, tile: usize, eu: &mut Eu<Self>) {
        let ranks = self.ranks.len();
        while self.plan().rounds == Rounds::Pairwise {
            let Tile { rounds, ref arrived, .. } = self.tiles[tile];
            if rounds == 0 || rounds + 1 >= ranks {
                return;
            }
            let from = (self.number + ranks - rounds) % ranks;
            let is_return = tile + 1 == self.tiles.len();
            let [sender, receiver] = if is_return { [self.number, from] } else { [from, self.number] };
            let is_expected = self.plan().sends(sender, receiver);
            if is_expected && arrived.get(from).is_some_and(Option::is_none) {
                return;
            }
            self.tiles[tile].rounds += 1;
            self.send(tile, rounds + 1, eu);
        }
    }

    fn is_complete(&self, tile: usize) -> bool {
        let is_return = tile + 1 == self.tiles.len();
        self.tiles[tile].is_complete(self.others[usize::from(is_return)])
    }

    /// Keeps a block that has arrived.
    fn keep(&mut self, tile: usize, from: usize, points: Points<T>) {
        let tile = &mut self.tiles[tile];
        tile.arrived[from] = Some(points);
        tile.number += 1;
    }
}

/// Returns memory for a block for each rank.
fn blocks<T: Real>(plan: &OverlapRanks<T>, len: impl Fn(usize) -> usize) -> Vec<Option<Points<T>>> {
    let lens: Vec<_> = (0..plan.size.ranks).map(len).collect();
    let mut rest = or_unwind(plan.row(lens.iter().sum()));
    let mut blocks = Vec::with_capacity(lens.len());
    for len in lens {
        let (block, others) = rest.split_cols(len);
        blocks.push(Some(block));
        rest = others;
    }
    blocks
}

fn elements<T: Real>(points: &Points<T>) -> &[Complex<T>] {
    points.as_slice().unwrap_or_else(|| unreachable!("a row has no gaps"))
}

fn elements_mut<T: Real>(points: &mut Points<T>) -> &mut [Complex<T>] {
    points.as_mut_slice().unwrap_or_else(|| unreachable!("a row has no gaps"))
}
