//! NEW and NEW-0 by MPI alone, without the runtime, as in a program in C.
//!
//! It has the steps, the work on tiles, the kernels and the copies of NEW and NEW-0. Differences:
//!
//! * The exchange of a tile is an `MPI_Irecv` and an `MPI_Isend` for each other rank. The own block stays.
//! * A poll is an `MPI_Testall` for each tile under way. The rank waits by `MPI_Waitall`.
//! * A block arrives in memory of the program, which is used again for later tiles.
//!
//! *Times.* The program on the runtime has the same parts.

use std::collections::VecDeque;
use std::time::Instant;

use earth_console::Failure;
use earth_fft::{Complex, Direction, TransformError};
use earth_mpi_requests::{Exchange, Message};
use earth_papers::overlap::layout::{Rows, pack, transpose, unpack};
use earth_papers::overlap::schedule::{Step, Steps};
use earth_papers::overlap::tile_work::{Chunk, TileWork};
use earth_papers::overlap::{Layout, OverlapPlan, Times, Variant};
use mpi::topology::SimpleCommunicator;

use crate::bench::memory;
use crate::ranks::Ranks;

type Points = Vec<Complex<f64>>;

/// Planned transform of this rank's points.
pub(super) struct Isend {
    /// Plan with the parameters and kernels. It does not run.
    plan: OverlapPlan<f64>,
    /// NEW, or NEW-0.
    variant: Variant,
    rank: usize,
    world: SimpleCommunicator,
    /// Points between transposition and packing.
    between: Points,
    scratch: Points,
    /// Memory for blocks.
    free: Vec<Points>,
    /// Packed blocks of one tile, by receiver.
    packed: Vec<Points>,
    /// Tiles under way, in the order of their beginning.
    under_way: VecDeque<UnderWay>,
    /// Blocks of the tile that is unpacked next, by sender.
    arrived: Vec<Points>,
    times: Times,
}

/// Tile that is exchanged.
struct UnderWay {
    /// Block of this rank.
    own: Points,
    exchange: Exchange,
}

impl Isend {
    /// Takes memory. The plan is NEW's, or NEW-0's.
    pub(super) fn new(ranks: &Ranks, plan: OverlapPlan<f64>, variant: Variant) -> Result<Self, Failure> {
        let (size, parameters, rank) = (plan.size(), plan.parameters(), ranks.rank());
        let scratch =
            plan.kernels().ok_or(TransformError::Phantom)?.iter().map(|kernel| kernel.scratch_len());
        let scratch = vec![Complex::default(); scratch.max().unwrap_or(0)];
        let [_, ny, nz] = size.lengths;
        let between = memory(size.part(0, rank) * ny * nz)?;
        let block = parameters.tile * size.largest(0) * size.largest(1);
        let blocks = 2 * size.ranks * (parameters.window + 1);
        let free = (0..blocks).map(|_| memory(block)).collect::<Result<_, _>>()?;
        let world = SimpleCommunicator::world();
        let (packed, arrived, under_way) = (Vec::new(), Vec::new(), VecDeque::new());
        let times = Times::default();
        Ok(Self { plan, variant, rank, world, between, scratch, free, packed, under_way, arrived, times })
    }

    /// Returns the number of this rank's points.
    pub(super) fn local_len(&self) -> usize {
        self.plan.local_len(self.rank)
    }

    /// Returns the order of the points.
    pub(super) fn layout(&self) -> Layout {
        self.plan.layout()
    }

    /// Transforms the points in place. Returns the times of this rank. All ranks make this call.
    pub(super) fn execute(&mut self, points: &mut [Complex<f64>]) -> Result<Times, Failure> {
        let began = Instant::now();
        self.times = Times::default();
        self.along_z(points);
        let (planes, parameters) = (self.plan.size().lengths[2], self.plan.parameters());
        let tiles = planes.div_ceil(parameters.tile);
        let planes = |tile: usize| tile * parameters.tile..planes.min((tile + 1) * parameters.tile);
        let [nx, ny] = [0, 1].map(|dimension| self.plan.size().part(dimension, self.rank));
        let mut steps = Steps::new(self.variant, tiles, parameters.window, false);
        while let Some(step) = steps.next(|| None) {
            match step {
                Step::Forward(tile) => {
                    let planes = planes(tile);
                    let size = self.plan.size();
                    let blocks = (0..size.ranks).map(|rank| planes.len() * nx * size.part(1, rank));
                    self.packed = blocks.map(|len| taken(&mut self.free, len)).collect();
                    let polls = [parameters.polls.along_y, parameters.polls.pack];
                    for chunk in TileWork::new(planes.clone(), nx, parameters.pack, polls) {
                        self.forward(&chunk, planes.start);
                        self.poll(&chunk);
                    }
                }
                Step::Exchange(tile) => self.exchange(planes(tile).len())?,
                Step::Await(_) => self.wait(),
                Step::Backward(tile) => {
                    let planes = planes(tile);
                    let polls = [parameters.polls.unpack, parameters.polls.along_x];
                    for chunk in TileWork::new(planes.clone(), ny, parameters.unpack, polls) {
                        self.backward(&chunk, planes.start, points);
                        self.poll(&chunk);
                    }
                    self.free.append(&mut self.arrived);
                }
                // Steps of other variants, and of an output that returns.
                Step::AwaitAny | Step::PackOutput | Step::UnpackOutput => {}
            }
        }
        self.times.total = since(began);
        Ok(self.times)
    }

    /// Transforms along z and transposes.
    fn along_z(&mut self, points: &mut [Complex<f64>]) {
        let Self { plan, between, scratch, times, .. } = self;
        let Some([_, _, kernel]) = plan.kernels() else { return };
        let [_, ny, nz] = plan.size().lengths;
        let begun = Instant::now();
        let points = &mut points[..between.len()];
        kernel.transform(Direction::Forward, points, scratch);
        times.along_z = since(begun);
        let begun = Instant::now();
        let rows = Rows::new(plan.layout(), nz, between.len() / (ny * nz), ny);
        for (x, from) in points.chunks(ny * nz).enumerate() {
            transpose(from, between, &rows, x, nz);
        }
        times.transpose = since(begun);
    }

    /// Transforms some rows along y, or packs them. `first` is the first plane of the tile.
    fn forward(&mut self, chunk: &Chunk, first: usize) {
        let Self { plan, between, scratch, packed, times, .. } = self;
        let Some([_, kernel, _]) = plan.kernels() else { return };
        let size = plan.size();
        let ([_, ny, nz], nx) = (size.lengths, size.part(0, self.rank));
        let rows = Rows::new(plan.layout(), nz, nx, ny);
        let begun = Instant::now();
        if chunk.phase == 0 {
            let points = &mut between[rows.span(chunk.plane, &chunk.rows)];
            kernel.transform_spaced(Direction::Forward, points, rows.steps[0], scratch);
            times.along_y += since(begun);
        } else {
            for x in chunk.rows.clone() {
                let row = &between[rows.at(chunk.plane, x)..][..ny];
                let number = (chunk.plane - first) * nx + x;
                pack(&size, row, number, packed.iter_mut().map(Vec::as_mut_slice));
            }
            times.pack += since(begun);
        }
    }

    /// Unpacks some rows, or transforms them along x. `first` is the first plane of the tile.
    fn backward(&mut self, chunk: &Chunk, first: usize, points: &mut [Complex<f64>]) {
        let Self { plan, scratch, arrived, times, .. } = self;
        let Some([kernel, ..]) = plan.kernels() else { return };
        let size = plan.size();
        let ([nx, _, nz], ny) = (size.lengths, size.part(1, self.rank));
        let rows = Rows::new(plan.layout(), nz, ny, nx);
        let begun = Instant::now();
        let points = &mut points[rows.span(chunk.plane, &chunk.rows)];
        if chunk.phase == 0 {
            let blocks = arrived.iter().map(Vec::as_slice);
            unpack(&size, blocks, points, rows.steps[0], [chunk.plane - first, ny], &chunk.rows);
            times.unpack += since(begun);
        } else {
            kernel.transform_spaced(Direction::Forward, points, rows.steps[0], scratch);
            times.along_x += since(begun);
        }
    }

    /// Tests all tiles under way, if a poll follows the chunk.
    fn poll(&mut self, chunk: &Chunk) {
        if chunk.polls {
            let begun = Instant::now();
            for tile in &mut self.under_way {
                tile.exchange.test();
            }
            self.times.polls += since(begun);
        }
    }

    /// Begins the exchange of the packed tile, which has this number of planes.
    fn exchange(&mut self, planes: usize) -> Result<(), Failure> {
        let begun = Instant::now();
        let size = self.plan.size();
        let mut blocks = std::mem::take(&mut self.packed).into_iter();
        let mut sent: Vec<_> =
            (0..).zip(&mut blocks).map(|(rank, points)| Message { rank, points }).collect();
        let own = sent.remove(self.rank).points;
        let received = (0..size.ranks).filter(|&rank| rank != self.rank).map(|rank| {
            let len = planes * size.part(0, rank) * size.part(1, self.rank);
            Message { rank, points: taken(&mut self.free, len) }
        });
        let received = received.collect();
        // Each rank sends the next one first.
        sent.rotate_left(self.rank);
        // All messages of a pair of ranks are sent and received in the order of the tiles.
        let exchange = Exchange::begin(&self.world, 0, received, sent).map_err(Failure::work)?;
        self.under_way.push_back(UnderWay { own, exchange });
        self.times.exchange += since(begun);
        Ok(())
    }

    /// Waits for the first tile that is under way.
    fn wait(&mut self) {
        let begun = Instant::now();
        let Some(UnderWay { own, exchange }) = self.under_way.pop_front() else { return };
        let [received, sent] = exchange.wait();
        self.free.extend(sent.into_iter().map(|message| message.points));
        self.arrived = received.into_iter().map(|message| message.points).collect();
        self.arrived.insert(self.rank, own);
        self.times.wait += since(begun);
    }
}

/// Returns memory for a block.
fn taken(free: &mut Vec<Points>, len: usize) -> Points {
    let mut block = free.pop().unwrap_or_default();
    block.resize(len, Complex::default());
    block
}

/// Returns the nanoseconds since a moment.
fn since(moment: Instant) -> u64 {
    moment.elapsed().as_nanos() as u64
}
