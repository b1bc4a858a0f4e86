//! A wavefront: tile (i, j) of a square needs its left and its upper neighbour. What fine grain costs when
//! most neighbours are local.
//!
//! A row is a threaded function with one slot of two signals a tile; each node has one band of rows. A tile
//! signals its right neighbour, then the one below, so a node runs down the columns of its band and the next
//! node starts after one column. Only the last row of a band signals another node.
//!
//! The work of a tile is bound by the multiplier's throughput, not by latency: independent chains of
//! multiplications, so that the processor cannot overlap one tile's work with the next one's and make the
//! efficiency look better than it is.
//!
//! The peers run the same tiles on rayon: every tile that becomes ready is spawned (*counters*), or one of
//! the two is run by the same job (*direct successor*).

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use earth::{Machine, NodeId, Reply, SlotRef, SlotRefs, Then, threaded_old};
use rayon::{Scope, ThreadPool};

/// The work of one tile: `rounds` times eight independent multiplications.
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

/// How many rounds take `time` on this machine, at the median of 101 tries.
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

/// The time of all tiles in one loop.
pub fn sequential(side: usize, rounds: u64) -> Duration {
    let started = Instant::now();
    let mut sum = 0;
    for _ in 0..side * side {
        sum ^= tile(std::hint::black_box(rounds));
    }
    std::hint::black_box(sum);
    started.elapsed()
}

/// The time of all tiles in two loops that wait for nothing, each on a core of its own: what the cores can do
/// at once. Cores that share their execution ports are no two cores for this work.
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

threaded_old! {
    /// All tiles of a `side` x `side` square; the value is how many there were.
    pub fn Wavefront(side: usize, rounds: u64, out: Reply<u64>)
    state  { first: Option<SlotRef> = None }
    calls  { Row }
    inlets { tiles[this.side]: SlotRefs, below[this.side]: Reply<SlotRefs>, done[this.side]: u64 }
    slots  { met: (2 * this.side) => connect, linked: (this.side) => go, ended: (this.side) => end }
    fiber start(this, eu) {
        let tiles = eu.replies_to_one(Self::tiles, Self::met);
        let below = eu.replies_to_one(Self::below, Self::met);
        let done = eu.replies_to_one(Self::done, Self::ended);
        for i in 0..this.side {
            let node = NodeId::new(i * eu.nodes() / this.side);
            let to = Box::new((tiles.at(i), below.at(i), eu.slot_ref(Self::linked), done.at(i)));
            eu.invoke_old::<Row>(node, (i == 0, this.side, this.rounds, to));
        }
        Then::Wait
    }
    fiber connect(this, eu) {
        let tiles: Vec<SlotRefs> = (0..this.side).map(|i| eu.take(Self::tiles.at(i))).collect();
        this.first = Some(tiles[0].at(0));
        for i in 0..this.side {
            let below = eu.take(Self::below.at(i));
            // The last row is given itself and never signals it.
            eu.put(below, tiles[(i + 1).min(this.side - 1)]);
        }
        Then::Wait
    }
    fiber go(this, eu) {
        // Not before every row knows the one below: the first rows would be through before the others begin.
        if let Some(first) = this.first {
            eu.rsync(first);
        }
        Then::Wait
    }
    fiber end(this, eu) {
        let sum = (0..this.side).map(|i| eu.take(Self::done.at(i))).sum();
        eu.put(this.out, sum);
        Then::End
    }
}

/// Where a row says where its tiles are, where it wants to hear where those of the row below are, what it
/// signals when it has heard that, and where it says that it is done.
type Hello = Box<(Reply<SlotRefs>, Reply<Reply<SlotRefs>>, SlotRef, Reply<u64>)>;

threaded_old! {
    /// One row of tiles.
    fn Row(top: bool, side: usize, rounds: u64, to: Hello)
    state  { lower: Option<SlotRefs> = None, sum: u64 = 0 }
    inlets { below: SlotRefs }
    slots  { known: 1 => begin, tile[this.side]: 2 => work }
    fiber start(this, eu) {
        let (tiles, below, ..) = *this.to;
        eu.put(tiles, eu.slot_refs(Self::tile));
        eu.put(below, eu.reply_to(Self::below, Self::known));
        Then::Wait
    }
    fiber begin(this, eu) {
        let below = eu.take(Self::below);
        let last = below == eu.slot_refs(Self::tile);
        this.lower = (!last).then_some(below);
        // What has no neighbour above or to the left is signalled by its own row.
        let edge = if this.top { this.side } else { 1 };
        for j in 1..edge {
            eu.sync(Self::tile.at(j));
        }
        eu.sync(Self::tile.at(0));
        eu.rsync(this.to.2);
        Then::Wait
    }
    fiber work(this, eu, j) {
        this.sum ^= tile(this.rounds);
        if j + 1 < this.side {
            eu.sync(Self::tile.at(j + 1));
        }
        if let Some(lower) = this.lower {
            eu.rsync(lower.at(j));
        }
        if j + 1 < this.side {
            return Then::Wait;
        }
        std::hint::black_box(this.sum);
        eu.put(this.to.3, this.side as u64);
        Then::End
    }
}

/// On earth: the time of a run.
///
/// # Panics
///
/// If a tile was left out.
pub fn on_earth(machine: &mut Machine, side: usize, rounds: u64) -> Duration {
    let run = machine.run_old::<Wavefront>((side, rounds)).expect("the wavefront runs");
    assert_eq!(run.value, (side * side) as u64);
    run.elapsed
}

/// What a finished tile does with the neighbours it makes ready, on rayon.
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

/// On rayon: the time of a run.
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
                // Of two ready neighbours the lower one is run here, as on earth.
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
