//! A rank of the transform: its tiles, their exchanges, and their times. See [`program`](super::program).

use std::time::Duration;

use earth::{Eu, Reply, Shared, Then, Wire, threaded};
use earth_fft::dataflow::cut::Cut;
use earth_fft::dataflow::points::{Points, elements, elements_mut, or_unwind, scratch};
use earth_fft::dataflow::{nanoseconds, work};
use earth_kernels::{Real, scale};
use num_complex::Complex;

use super::exchange::Exchange;
use super::layout::{Rows, pack, pack_output, transpose, transpose_singly, unpack, unpack_output};
use super::rank_plan::OverlapCall;
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
    pub(super) blocks: Reply<TileBlock<T>>,
    pub(super) all: Reply<Vec<Reply<TileBlock<T>>>>,
}

/// End of a rank.
#[derive(Debug, Wire)]
pub struct Ended<T: Real> {
    pub(super) times: Times,
    /// Array of the rank, if it was given to the rank.
    pub(super) array: Option<Points<T>>,
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
    /// Exchanges of the tiles, and then of the output, if it returns.
    exchanges: Vec<Exchange<T>>,
    /// Which tiles are unpacked, or are being unpacked.
    taken: Vec<bool>,
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
    pub(super) fn start(
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
        let ranks = 0..plan.size.ranks;
        let of_tile = |from| from == number || plan.sends(from, number);
        let of_output = |from| from == number || plan.sends(number, from);
        let mut exchanges: Vec<_> =
            (0..tiles).map(|_| Exchange::new(ranks.clone().map(of_tile).collect())).collect();
        exchanges.extend(plan.returns.then(|| Exchange::new(ranks.map(of_output).collect())));
        let taken = vec![false; tiles];
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
            exchanges,
            taken,
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
        let (tile, from) = (block.tile as usize, block.from as usize);
        self.exchanges[tile].keep(from, block.points);
        self.send(tile, eu);
        if let Some((Pause::Wait(awaited), since)) = self.pause
            && awaited.is_none_or(|awaited| awaited == tile)
            && self.exchanges[tile].is_complete()
        {
            self.pause = Some((Pause::Over, since));
            eu.sync(Self::step());
        }
    }
}

impl<T: Real> Rank<T> {
    /// Transforms along z and transposes, unless the plan has the tiles alone.
    fn along_z(&mut self, eu: &mut Eu<Self>) {
        let plan = Shared::clone(&self.call.plan);
        let [_, ny, nz] = plan.size.lengths;
        let nx = plan.size.part(0, self.number);
        let points = nx * ny * nz;
        let mut between = or_unwind(plan.row(points));
        if plan.tiles_alone {
            self.between = Some(between);
            return;
        }
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
        let tiles = self.taken.iter().zip(&self.exchanges);
        let complete = || tiles.enumerate().find(|(_, (taken, tile))| !**taken && tile.is_complete());
        let pause = match self.steps.next(|| Some(complete()?.0))? {
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
                self.exchanges[tile].begin(self.number);
                self.send(tile, eu);
                self.times.exchange += nanoseconds(begun, eu.now());
                None
            }
            Step::Await(tile) => (!self.exchanges[tile].is_complete()).then_some(Pause::Wait(Some(tile))),
            Step::AwaitAny => Some(Pause::Wait(None)),
            Step::Backward(tile) => {
                self.taken[tile] = true;
                let plan = &self.call.plan;
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
        self.pack_into(tile, |to| planes.len() * nx * plan.size.part(1, to));
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
                for x in chunk.rows.clone() {
                    let row = &elements(between)[rows.at(chunk.plane, x)..][..ny];
                    let number = (chunk.plane - planes.start) * nx + x;
                    pack(&plan.size, row, number, self.exchanges[tile].packed());
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
                let (blocks, plane) = (self.exchanges[tile].arrived(), chunk.plane - planes.start);
                unpack(&plan.size, blocks, points, rows.steps[0], [plane, ny], &chunk.rows);
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
            self.exchanges[tile].free();
        } else if tile + 1 == self.taken.len() {
            self.between = None;
        }
    }

    /// Packs the output for its return.
    fn pack_output(&mut self, eu: &mut Eu<Self>) {
        let plan = Shared::clone(&self.call.plan);
        let ([nx, _, nz], ny) = (plan.size.lengths, plan.size.part(1, self.number));
        let (begun, exchange) = (eu.now(), self.taken.len());
        self.pack_into(exchange, |to| plan.size.part(0, to) * ny * nz);
        if let (Some(_), Some(output)) = (&plan.kernels, self.output.take()) {
            let rows = Rows::new(plan.layout, nz, ny, nx);
            pack_output(&plan.size, elements(&output), &rows, ny, self.exchanges[exchange].packed());
        }
        eu.work(work::copy(nx * ny * nz));
        self.times.turn += nanoseconds(begun, eu.now());
    }

    /// Unpacks the output after its return.
    fn unpack_output(&mut self, eu: &mut Eu<Self>) {
        let plan = Shared::clone(&self.call.plan);
        let ([_, ny, nz], nx) = (plan.size.lengths, plan.size.part(0, self.number));
        let begun = eu.now();
        if let (Some(_), Some(array)) = (&plan.kernels, &mut self.array) {
            let blocks = self.exchanges[self.taken.len()].arrived();
            unpack_output(&plan.size, blocks, elements_mut(array), nx);
        }
        eu.work(work::copy(nx * ny * nz));
        self.times.turn += nanoseconds(begun, eu.now());
    }

    /// Takes memory for the blocks of an exchange, of `len` points for each rank.
    fn pack_into(&mut self, exchange: usize, len: impl Fn(usize) -> usize) {
        let plan = &self.call.plan;
        let cut = Cut::of(&(0..plan.size.ranks).map(len).collect::<Vec<_>>());
        let memory = or_unwind(plan.row(cut.rows().sum()));
        self.exchanges[exchange].take_memory(cut.split_cols(memory));
    }

    /// Sends the blocks of an exchange whose turn it is.
    fn send(&mut self, exchange: usize, eu: &mut Eu<Self>) {
        let (number, rounds) = (self.number, self.call.plan.rounds);
        while let Some((to, points)) = self.exchanges[exchange].next_block(number, rounds) {
            eu.put(self.ranks[to], TileBlock { tile: exchange as u32, from: number as u32, points });
        }
    }
}
