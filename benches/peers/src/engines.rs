//! The programs of `earth-benches`, each on one engine. A child process runs one of them and prints its
//! figure.
//!
//! An engine makes its machine or its threads, warms up by one run, and takes the median of [`REPEATS`] more
//! runs. Every program checks its results.

use std::time::Duration;

use earth::{Config, Machine};
use earth_benches::paired::{Spread, timed};
use earth_benches::patterns::{self, Square};
use earth_benches::traced::Shape;
use earth_benches::tree::Tree;
use earth_benches::wavefront::Successors;
use earth_benches::{
    alive, chain, empty, fib, pool, rank_trip, resident, round_trip, service, simulated, wavefront,
};

/// Number of runs of a program in a process, after one warm-up run.
pub const REPEATS: usize = 5;

/// Amount of an engine's work. The parent process sets it, so that all its children do the same work.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Whether the engine only shows that it works.
    pub tiny: bool,
    /// Rounds of work of a tile, and of a traced fiber.
    pub work: u64,
}

impl Load {
    fn or_tiny(self, full: u64, tiny: u64) -> u64 {
        if self.tiny { tiny } else { full }
    }

    fn fib(self) -> u64 {
        self.or_tiny(27, 8)
    }

    fn links(self) -> u64 {
        self.or_tiny(1_000_000, 100)
    }

    fn alive(self) -> u64 {
        self.or_tiny(1_000_000, 640)
    }

    fn side(self) -> usize {
        self.or_tiny(1000, 10) as usize
    }

    fn tree(self) -> Tree {
        if self.tiny { Tree::small() } else { Tree::large() }
    }

    fn elements(self) -> u64 {
        self.or_tiny(10_000_000, 1000)
    }

    fn items(self) -> u64 {
        self.or_tiny(1_000_000, 1000)
    }

    fn square(self) -> Square {
        if self.tiny { Square::new(16, 4) } else { Square::new(1024, 100) }
    }

    fn round_trips(self) -> u64 {
        self.or_tiny(100_000, 10)
    }

    fn rank_trips(self) -> u64 {
        self.or_tiny(10_000, 10)
    }

    fn requests(self) -> u64 {
        self.or_tiny(400_000, 100)
    }

    fn empty_runs(self) -> u64 {
        self.or_tiny(1000, 10)
    }
}

/// Returns the nanoseconds per unit: the median of [`REPEATS`] runs after one warm-up run.
fn per(units: u64, mut run: impl FnMut() -> Duration) -> f64 {
    run();
    let times = (0..REPEATS).map(|_| run().as_secs_f64() * 1e9).collect();
    Spread::of(times).median / units as f64
}

fn machine(nodes: usize, config: Config) -> Machine {
    Machine::threads(nodes).config(config)
}

pub(crate) fn fib(load: Load, nodes: usize, config: Config) -> f64 {
    let (n, mut machine) = (load.fib(), machine(nodes, config));
    per(fib::joins(n), || timed(|| fib::on_earth(&mut machine, n)))
}

pub(crate) fn fib_listed(load: Load) -> f64 {
    let (n, mut machine) = (load.fib(), machine(1, Config::Spn));
    per(fib::joins(n), || timed(|| fib::listed(&mut machine, n)))
}

pub(crate) fn fib_on_rayon(load: Load, nodes: usize) -> f64 {
    let (n, pool) = (load.fib(), pool(nodes));
    per(fib::joins(n), || timed(|| fib::on_rayon(&pool, n)))
}

pub(crate) fn links(load: Load, config: Config) -> f64 {
    let (links, mut machine) = (load.links(), machine(1, config));
    per(links, || timed(|| chain::on_earth(&mut machine, links)))
}

pub(crate) fn links_on_rayon(load: Load) -> f64 {
    let (links, pool) = (load.links(), pool(1));
    per(links, || timed(|| chain::on_rayon(&pool, links)))
}

pub(crate) fn alive(load: Load) -> f64 {
    let (count, mut machine) = (load.alive(), machine(1, Config::Spn));
    per(count, || timed(|| alive::on_earth(&mut machine, count)))
}

pub(crate) fn alive_on_rayon(load: Load) -> f64 {
    let (count, pool) = (load.alive(), alive::deep_pool());
    per(count, || timed(|| alive::on_rayon(&pool, count)))
}

/// Returns the bytes per unit that a first run makes resident.
fn bytes_per(units: u64, run: impl FnOnce()) -> f64 {
    let before = resident::resident();
    run();
    resident::peak().saturating_sub(before) as f64 / units as f64
}

pub(crate) fn alive_bytes(load: Load, config: Config) -> f64 {
    let (count, mut machine) = (load.alive(), machine(1, config));
    bytes_per(count, || alive::on_earth(&mut machine, count))
}

pub(crate) fn alive_bytes_on_rayon(load: Load) -> f64 {
    let (count, pool) = (load.alive(), alive::deep_pool());
    bytes_per(count, || alive::on_rayon(&pool, count))
}

fn per_tile(load: Load, mut run: impl FnMut(usize) -> Duration) -> f64 {
    let side = load.side();
    per((side * side) as u64, || run(side))
}

pub(crate) fn tiles(load: Load, config: Config) -> f64 {
    let mut machine = machine(2, config);
    per_tile(load, |side| wavefront::on_earth(&mut machine, side, load.work))
}

pub(crate) fn tiles_on_free_threads(load: Load) -> f64 {
    per_tile(load, |side| wavefront::halves(side, load.work))
}

pub(crate) fn tiles_on_rayon(load: Load) -> f64 {
    let pool = pool(2);
    per_tile(load, |side| wavefront::on_rayon(&pool, side, load.work, Successors::Direct))
}

pub(crate) fn tree(load: Load) -> f64 {
    let (tree, mut machine) = (load.tree(), machine(2, Config::Spn));
    per(tree.size(), || tree.on_earth(&mut machine))
}

pub(crate) fn tree_in_grains(load: Load) -> f64 {
    let (tree, mut machine) = (load.tree(), machine(2, Config::Spn));
    per(tree.size(), || tree.in_grains(&mut machine))
}

pub(crate) fn tree_on_rayon(load: Load) -> f64 {
    let (tree, pool) = (load.tree(), pool(2));
    per(tree.size(), || tree.on_rayon(&pool))
}

pub(crate) fn elements(load: Load) -> f64 {
    let (count, mut machine) = (load.elements(), machine(2, Config::Spn));
    per(count, || patterns::elements_on_earth(&mut machine, count as usize))
}

pub(crate) fn elements_on_rayon(load: Load) -> f64 {
    let (count, pool) = (load.elements(), pool(2));
    per(count, || patterns::elements_on_rayon(&pool, count as usize))
}

pub(crate) fn items(load: Load) -> f64 {
    let (count, mut machine) = (load.items(), machine(2, Config::Spn));
    per(count, || patterns::items_on_earth(&mut machine, count))
}

pub(crate) fn items_on_channels(load: Load, batch: usize) -> f64 {
    let count = load.items();
    per(count, || patterns::items_on_channels(count, batch))
}

pub(crate) fn stencil(load: Load) -> f64 {
    let (square, mut machine) = (load.square(), machine(2, Config::Spn));
    per(square.updates(), || square.on_earth(&mut machine))
}

pub(crate) fn stencil_on_rayon(load: Load) -> f64 {
    let (square, pool) = (load.square(), pool(2));
    per(square.updates(), || square.on_rayon(&pool))
}

pub(crate) fn round_trips(load: Load, config: Config) -> f64 {
    let (rounds, mut machine) = (load.round_trips(), machine(2, config));
    per(rounds, || timed(|| round_trip::on_earth(&mut machine, rounds)))
}

pub(crate) fn round_trips_on_rtrb(load: Load) -> f64 {
    let rounds = load.round_trips();
    per(rounds, || round_trip::on_rtrb(rounds))
}

pub(crate) fn rank_trips(load: Load) -> f64 {
    let rounds = load.rank_trips();
    rank_trip::with_ranks(|machine| per(rounds, || timed(|| round_trip::on_earth(machine, rounds))))
}

pub(crate) fn rank_trips_by_sockets(load: Load) -> f64 {
    let rounds = load.rank_trips();
    per(rounds, || rank_trip::by_sockets(rounds))
}

pub(crate) fn requests(load: Load, config: Config, under_way: usize) -> f64 {
    // In DUAL the client and two workers may share two cores, so that each request waits for its turn.
    let requests = if config == Config::Dual { load.requests() / 20 } else { load.requests() };
    per(requests, || service::on_earth(config, requests, under_way))
}

pub(crate) fn requests_on_channels(load: Load, under_way: usize) -> f64 {
    let requests = load.requests();
    per(requests, || service::on_channels(requests, under_way))
}

pub(crate) fn requests_on_channel_per_answer(load: Load, under_way: usize) -> f64 {
    let requests = load.requests();
    per(requests, || service::on_channel_per_answer(requests, under_way))
}

const NANOSECONDS_OF_A_MICROSECOND: f64 = 1e3;

pub(crate) fn empty_runs(load: Load, config: Config) -> f64 {
    let (runs, mut machine) = (load.empty_runs(), machine(2, config));
    per(runs, || timed(|| empty::on_earth(&mut machine, runs))) / NANOSECONDS_OF_A_MICROSECOND
}

pub(crate) fn empty_runs_on_rayon(load: Load) -> f64 {
    let (runs, pool) = (load.empty_runs(), pool(2));
    per(runs, || timed(|| empty::on_rayon(&pool, runs))) / NANOSECONDS_OF_A_MICROSECOND
}

fn at_work(shape: Shape, load: Load, trace: bool) -> f64 {
    let mut machine = machine(1, Config::Spn).trace(trace);
    per(shape.fibers(), || shape.run(&mut machine, load.work))
}

pub(crate) fn links_at_work(load: Load, trace: bool) -> f64 {
    at_work(Shape::Chain(load.or_tiny(500_000, 100)), load, trace)
}

pub(crate) fn fib_at_work(load: Load, trace: bool) -> f64 {
    at_work(Shape::Fib(load.or_tiny(25, 8)), load, trace)
}

/// Returns millions of fibers per second, not nanoseconds.
pub(crate) fn crowd(load: Load, config: Config) -> f64 {
    let (alive, mut machine) = (load.alive(), simulated::machine(config));
    let mut fibers = 0;
    let time = per(1, || {
        let (ran, took) = simulated::crowd(&mut machine, alive);
        fibers = ran;
        took
    });
    fibers as f64 * 1e3 / time
}
