//! A wavefront: tile (i, j) of a square needs its left and its upper neighbor. It measures the cost of fine
//! grain when most neighbors are local.
//!
//! A row is a threaded function with a slot of two signals per tile; each node has one band of rows. A tile
//! signals its right neighbor, then the one below. A node therefore runs down the columns of its band, and
//! the next node starts after one column. Only the last row of a band signals another node.
//!
//! The throughput of the multiplier, not latency, limits the work of a tile. It consists of independent
//! chains of multiplications, so the processor cannot overlap the work of two tiles. Such an overlap would
//! make the efficiency look better than it is.
//!
//! The peers run the same tiles on rayon. Either every ready tile is spawned (*counters*), or the same job
//! runs one of the two ready tiles (*direct successor*).

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use earth::{Arrived, Eu, Machine, NodeId, Reply, SlotRef, SlotRefs, Then, threaded};
use rayon::{Scope, ThreadPool};

/// Does the work of one tile: `rounds` times eight independent multiplications.
#[inline(never)]
pub fn tile(rounds: u64) -> u64 {
    let mut chains = [3u64, 5, 7, 11, 13, 17, 19, 23];
    for round in 0..rounds {
        for chain in &mut chains {
            *chain = chain.wrapping_mul(*chain | round | 1);
        }
    }
    chains.iter().fold(0, |sum, chain| sum ^ chain)
}

/// Returns the number of rounds that take `time` on this machine, by the median of 101 tries.
pub fn calibrate(time: Duration) -> u64 {
    const ROUNDS: u64 = 10_000;
    let mut tries: Vec<Duration> = (0..101)
        .map(|_| {
            let started = Instant::now();
            std::hint::black_box(tile(std::hint::black_box(ROUNDS)));
            started.elapsed()
        })
        .collect();
    tries.sort();
    let rounds = ROUNDS as f64 * time.as_secs_f64() / tries[50].as_secs_f64();
    (rounds.round() as u64).max(1)
}

/// Measures the time of all tiles in one loop.
pub fn sequential(side: usize, rounds: u64) -> Duration {
    let started = Instant::now();
    let mut sum = 0;
    for _ in 0..side * side {
        sum ^= tile(std::hint::black_box(rounds));
    }
    std::hint::black_box(sum);
    started.elapsed()
}

/// Measures the time of all tiles in two loops without waits, each on a core of its own. This is the limit of
/// what the cores can do at once. Cores that share their execution ports count as less than two for this
/// work.
///
/// # Panics
///
/// If a thread cannot be started.
pub fn halves(side: usize, rounds: u64) -> Duration {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let together = std::sync::Barrier::new(2);
    let half = |thread: usize| {
        if let Some(core) = cores.get(thread) {
            core_affinity::set_for_current(*core);
        }
        together.wait();
        let started = Instant::now();
        let sum = (0..side * side / 2).fold(0, |sum, _| sum ^ tile(std::hint::black_box(rounds)));
        std::hint::black_box(sum);
        started.elapsed()
    };
    std::thread::scope(|scope| {
        let halves = [0, 1].map(|thread| scope.spawn(move || half(thread)));
        halves.map(|half| half.join().expect("a loop ends")).into_iter().max().unwrap_or_default()
    })
}

/// A square of tiles, by rows.
pub struct Wavefront {
    first: Option<SlotRef>,
    out: Reply<u64>,
}

#[threaded]
impl Wavefront {
    /// Runs all tiles of a `side` x `side` square. Puts their number.
    pub fn start(side: usize, rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let tiles = eu.replies(Self::connect().tiles);
        let below = eu.replies(Self::connect().below);
        let linked = eu.slot_ref(Self::go());
        let done = eu.replies(Self::end().done);
        for i in 0..side {
            let node = NodeId::new(i * eu.nodes() / side);
            let row = Row::call(i == 0, side, rounds, tiles.at(i), below.at(i), linked, done.at(i));
            eu.invoke(node, row);
        }
        Wavefront { first: None, out }
    }

    #[slot]
    fn connect(
        &mut self,
        #[inlets(side)] tiles: Arrived<'_, SlotRefs>,
        #[inlets(side)] below: Arrived<'_, Reply<SlotRefs>>,
        eu: &mut Eu<Self>,
    ) {
        self.first = tiles.iter().next().map(|top| top.at(0));
        // The last row gets its own slots as the row below, and never signals them.
        let lower = tiles.iter().skip(1).chain(tiles.iter().next_back());
        for (below, &tiles) in below.zip(lower) {
            eu.put(below, tiles);
        }
    }

    #[slot(syncs = side)]
    fn go(&mut self, eu: &mut Eu<Self>) {
        // The start waits until every row knows the row below. Otherwise the first rows would end before the
        // others begin.
        if let Some(first) = self.first {
            eu.rsync(first);
        }
    }

    #[slot]
    fn end(self, #[inlets(side)] done: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, done.sum());
    }
}

/// One row of tiles.
struct Row {
    top: bool,
    side: usize,
    rounds: u64,
    lower: Option<SlotRefs>,
    sum: u64,
    linked: SlotRef,
    done: Reply<u64>,
}

#[threaded]
impl Row {
    /// Puts its `tiles`, and the address at which it waits for the tiles of the row `below`. It signals
    /// `linked` when it has them, and puts its count to `done`.
    fn start(
        top: bool,
        side: usize,
        rounds: u64,
        tiles: Reply<SlotRefs>,
        below: Reply<Reply<SlotRefs>>,
        linked: SlotRef,
        done: Reply<u64>,
        eu: &mut Eu<Self>,
    ) -> Self {
        eu.put(tiles, eu.slot_refs(Self::work(..)));
        eu.put(below, eu.reply(Self::begin().below));
        Row { top, side, rounds, lower: None, sum: 0, linked, done }
    }

    #[slot]
    fn begin(&mut self, below: SlotRefs, eu: &mut Eu<Self>) {
        let last = below == eu.slot_refs(Self::work(..));
        self.lower = (!last).then_some(below);
        // A tile without a neighbor above or to the left gets the missing signal from its own row.
        let edge = if self.top { self.side } else { 1 };
        for j in 1..edge {
            eu.sync(Self::work(j));
        }
        eu.sync(Self::work(0));
        eu.rsync(self.linked);
    }

    #[slots(len = side, syncs = 2)]
    fn work(&mut self, j: usize, eu: &mut Eu<Self>) -> Then {
        self.sum ^= tile(self.rounds);
        if j + 1 < self.side {
            eu.sync(Self::work(j + 1));
        }
        if let Some(lower) = self.lower {
            eu.rsync(lower.at(j));
        }
        if j + 1 < self.side {
            return Then::Wait;
        }
        std::hint::black_box(self.sum);
        eu.put(self.done, self.side as u64);
        Then::End
    }
}

/// Runs the wavefront on earth. Returns the time of the run.
///
/// # Panics
///
/// If a tile was left out.
pub fn on_earth(machine: &mut Machine, side: usize, rounds: u64) -> Duration {
    let run = machine.run(|out| Wavefront::call(side, rounds, out)).expect("the wavefront runs");
    assert_eq!(run.value, (side * side) as u64);
    run.elapsed
}

/// On rayon, the treatment of the neighbors that a finished tile makes ready.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Successors {
    /// Spawns both.
    Spawned,
    /// Spawns one and runs the other itself.
    Direct,
}

struct Square {
    side: usize,
    rounds: u64,
    successors: Successors,
    waits_for: Vec<AtomicU8>,
}

/// Runs the wavefront on rayon. Returns the time of the run.
pub fn on_rayon(pool: &ThreadPool, side: usize, rounds: u64, successors: Successors) -> Duration {
    let neighbours = |at: usize| u8::from(at >= side) + u8::from(!at.is_multiple_of(side));
    let waits_for = (0..side * side).map(|at| AtomicU8::new(neighbours(at))).collect();
    let square = Square { side, rounds, successors, waits_for };
    let started = Instant::now();
    pool.scope(|scope| square.run(scope, 0));
    started.elapsed()
}

impl Square {
    fn run<'a>(&'a self, scope: &Scope<'a>, first: usize) {
        let mut next = Some(first);
        while let Some(at) = next.take() {
            std::hint::black_box(tile(std::hint::black_box(self.rounds)));
            let right = ((at + 1) % self.side != 0).then_some(at + 1);
            let below = (at + self.side < self.side * self.side).then_some(at + self.side);
            for neighbour in [right, below].into_iter().flatten() {
                if self.waits_for[neighbour].fetch_sub(1, Ordering::AcqRel) > 1 {
                    continue;
                }
                // If both neighbors are ready, this job runs the lower one, as on earth.
                let spawned = match self.successors {
                    Successors::Spawned => Some(neighbour),
                    Successors::Direct => next.replace(neighbour),
                };
                if let Some(spawned) = spawned {
                    scope.spawn(move |scope| self.run(scope, spawned));
                }
            }
        }
    }
}
