//! Measures a machine of two ranks beside raw MPI and beside two threads, in turn in one job:
//! `mpirun --bind-to core -n 2 measure messages`, `mpirun --bind-to none -n 2 measure programs`.
//!
//! | measure | peer |
//! |---|---|
//! | a signal to the other rank and back | `MPI_Send` and `MPI_Recv` of 8 bytes |
//! | signals one way | `MPI_Isend` and `MPI_Irecv` of 8 bytes, 64 under way |
//! | a block to the other rank and back | `MPI_Send` and `MPI_Recv` of as many bytes, from and to the same memory |
//! | `fib(30)`, an unbalanced tree | the same program on `threads(2)`, while the other rank sleeps |
//! | an FFT of points that rank 0 has | the same points in place on `threads(2)`, while the other rank sleeps |
//!
//! A second argument selects the lines that contain it. Each line has the median, and in brackets the least
//! and the greatest, of nine rounds. A round before them warms up.

use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

use earth::{Block, Eu, Machine, NodeId, Reply, SlotRef, threaded};
use earth_benches::{fib, round_trip, tree};
use earth_fft::distributed::Order;
use earth_fft::{Complex, Planner, Problem};
use earth_mpi::Mpi;
use mpi::request::{WaitGuard, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

const ROUNDS: usize = 9;
const TRIPS: u64 = 20_000;
const SIGNALS: u64 = 128_000;
const WINDOW: usize = 64;

/// Starts a slot on the last node that awaits signals, and signals it from this one.
struct Burst {
    signals: u64,
    out: Reply<()>,
}

/// Ends when all signals have come.
struct Sink {
    end: SlotRef,
}

#[threaded]
impl Sink {
    fn start(signals: u64, to: Reply<SlotRef>, end: SlotRef, eu: &mut Eu<Self>) -> Self {
        eu.put(to, eu.slot_ref(Self::all()));
        Sink { end }
    }

    #[slot(syncs = signals as usize)]
    fn all(self, eu: &mut Eu<Self>) {
        eu.rsync(self.end);
    }
}

#[threaded]
impl Burst {
    fn start(signals: u64, out: Reply<()>, eu: &mut Eu<Self>) -> Self {
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke(last, Sink::call(signals, eu.reply(Self::go().to), eu.slot_ref(Self::end())));
        Burst { signals, out }
    }

    #[slot]
    fn go(&mut self, to: SlotRef, eu: &mut Eu<Self>) {
        (0..self.signals).for_each(|_| eu.rsync(to));
    }

    #[slot(sync)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, ());
    }
}

/// Moves a block to the next node, a number of times, and then back.
struct Carry;

#[threaded]
impl Carry {
    fn start(block: Block<u64>, hops: usize, back: Reply<Block<u64>>, eu: &mut Eu<Self>) {
        let next = NodeId::new((eu.node().index() + 1) % eu.nodes());
        match hops.checked_sub(1) {
            Some(left) => eu.invoke(next, Carry::call(block, left, back)),
            None => eu.put(back, block),
        }
    }
}

/// Makes a block, has it carried, and adds some of its elements up.
struct Carries {
    out: Reply<u64>,
}

/// The sum of every 509th of the numbers below `elements`.
fn sum(elements: usize) -> u64 {
    (0..elements as u64).step_by(509).sum()
}

#[threaded]
impl Carries {
    fn start(elements: usize, hops: usize, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let block = Block::from_fn(1, elements, |_, element| element as u64);
        eu.invoke(eu.node(), Carry::call(block, hops, eu.reply(Self::end().block)));
        Carries { out }
    }

    #[slot]
    fn end(self, block: Block<u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, block.row(0).iter().step_by(509).sum());
    }
}

/// The two ranks of the job.
struct Job {
    rank: usize,
    world: SimpleCommunicator,
    machine: Machine,
    /// Text of the lines to measure.
    only: String,
}

impl Job {
    /// Runs a program on rank 0 and serves it on rank 1. Returns its time, in seconds.
    fn timed(&mut self, run: impl FnOnce(&mut Machine)) -> f64 {
        let rank = self.rank;
        self.together(|machine| {
            if rank == 0 {
                run(machine);
            } else {
                assert!(machine.serve().expect("the run ends well").is_some());
            }
        })
    }

    /// Calls a function on both ranks. Returns its time, in seconds.
    fn together(&mut self, call: impl FnOnce(&mut Machine)) -> f64 {
        self.world.barrier();
        let begun = Instant::now();
        call(&mut self.machine);
        begun.elapsed().as_secs_f64()
    }

    /// Calls a function on rank 0, while rank 1 sleeps. Returns its time on rank 0, in seconds.
    fn alone(&self, call: impl FnOnce()) -> f64 {
        let begun = Instant::now();
        if self.rank == 0 {
            call();
        }
        let taken = begun.elapsed().as_secs_f64();
        self.wait_quietly();
        taken
    }

    /// Exchanges messages of this length with the other rank. Returns the seconds of one trip.
    fn trips(&self, bytes: &mut [u8], trips: usize) -> f64 {
        let other = self.world.process_at_rank(1 - self.rank as i32);
        self.world.barrier();
        let begun = Instant::now();
        for _ in 0..trips {
            if self.rank == 0 {
                other.send(bytes);
                other.receive_into(bytes);
            } else {
                other.receive_into(bytes);
                other.send(bytes);
            }
        }
        begun.elapsed().as_secs_f64() / trips as f64
    }

    /// Sends small messages one way. Returns the seconds of each.
    fn one_way(&self, messages: usize) -> f64 {
        let other = self.world.process_at_rank(1 - self.rank as i32);
        let mut words = [0_u64; WINDOW];
        self.world.barrier();
        let begun = Instant::now();
        for _ in 0..messages / WINDOW {
            scope(|scope| {
                let all: Vec<_> = words
                    .iter_mut()
                    .map(|word| {
                        if self.rank == 0 {
                            WaitGuard::from(other.immediate_send(scope, &*word))
                        } else {
                            WaitGuard::from(other.immediate_receive_into(scope, word))
                        }
                    })
                    .collect();
                drop(all);
            });
        }
        // The receiver has everything.
        self.trips(&mut [0; 8], 1);
        begun.elapsed().as_secs_f64() / messages as f64
    }

    /// Waits for the other rank without using its core.
    fn wait_quietly(&self) {
        let mut barrier = self.world.immediate_barrier();
        while let Err(pending) = barrier.test() {
            barrier = pending;
            sleep(Duration::from_micros(200));
        }
    }

    /// Measures both sides in turn, and prints a line on rank 0. Each returns its seconds for one unit.
    fn line(
        &mut self,
        what: &str,
        unit: (&str, fn(f64) -> f64),
        mut peer: impl FnMut(&mut Self) -> f64,
        mut own: impl FnMut(&mut Self) -> f64,
    ) {
        if !what.contains(&self.only) {
            return;
        }
        let (mut peers, mut owns) = (Vec::new(), Vec::new());
        for round in 0..=ROUNDS {
            let (peer, own) = (peer(self), own(self));
            if round > 0 {
                peers.push(peer);
                owns.push(own);
            }
        }
        let (peer, own) = (Spread::of(peers), Spread::of(owns));
        if self.rank == 0 {
            let (unit, convert) = unit;
            let ratio = own.median / peer.median;
            println!("| {what} | {unit} | {} | {} | {ratio:.2} |", peer.text(convert), own.text(convert));
        }
    }
}

/// Times of some rounds.
struct Spread {
    least: f64,
    median: f64,
    greatest: f64,
}

impl Spread {
    fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        Spread { least: times[0], median: times[times.len() / 2], greatest: times[times.len() - 1] }
    }

    fn text(&self, convert: fn(f64) -> f64) -> String {
        let [least, median, greatest] = [self.least, self.median, self.greatest].map(convert);
        format!("{median:.3} ({:.3} .. {:.3})", least.min(greatest), least.max(greatest))
    }
}

const MICROSECONDS: (&str, fn(f64) -> f64) = ("us", |seconds| seconds * 1e6);
const MILLISECONDS: (&str, fn(f64) -> f64) = ("ms", |seconds| seconds * 1e3);
const MILLIONS: (&str, fn(f64) -> f64) = ("10^6 a second", |seconds| 1e-6 / seconds);

fn messages(job: &mut Job) {
    job.line(
        "a signal there and back",
        MICROSECONDS,
        |job| job.trips(&mut [0; 8], TRIPS as usize),
        |job| job.timed(|machine| round_trip::on_earth(machine, TRIPS)) / TRIPS as f64,
    );
    job.line(
        "signals one way",
        MILLIONS,
        |job| job.one_way(SIGNALS as usize),
        |job| {
            let run = |machine: &mut Machine| {
                machine.run(|out| Burst::call(SIGNALS, out)).expect("it ends well");
            };
            job.timed(run) / SIGNALS as f64
        },
    );
    for size in [4, 16, 64, 256, 1 << 10, 4 << 10, 16 << 10].map(|kib: usize| kib << 10) {
        let trips = ((64 << 20) / size).clamp(4, 1000);
        let mut bytes = vec![1; size];
        let carry = |job: &mut Job, hops: usize| {
            job.timed(|machine| {
                let run = machine.run(|out| Carries::call(size / 8, hops, out)).expect("it ends well");
                assert_eq!(run.value, sum(size / 8));
            })
        };
        job.line(
            &format!("a block of {} KiB there and back", size >> 10),
            MICROSECONDS,
            |job| job.trips(&mut bytes, trips),
            // Two runs of different lengths differ only by hops.
            |job| {
                let few = carry(job, 2);
                (carry(job, 2 + 2 * trips) - few) / trips as f64
            },
        );
    }
}

fn programs(job: &mut Job) {
    let mut threads = Machine::threads(if job.rank == 0 { 2 } else { 1 });
    let fib = |machine: &mut Machine| fib::on_earth(machine, 30);
    job.line("`fib(30)`", MILLISECONDS, |job| job.alone(|| fib(&mut threads)), |job| job.timed(fib));
    let tree = tree::Tree::large();
    let search = |machine: &mut Machine| {
        tree.in_grains(machine);
    };
    let name = "an unbalanced tree";
    job.line(name, MILLISECONDS, |job| job.alone(|| search(&mut threads)), |job| job.timed(search));

    for lengths in [&[2048, 2048][..], &[128, 128, 128], &[1 << 22]] {
        let problem = Problem::complex(lengths);
        let plan = Planner::new().nodes(NonZeroUsize::new(2)).plan::<f64>(&problem).expect("it is planned");
        let distributed = Planner::new().plan_distributed::<f64>(&problem, 2, Order::Root);
        let distributed = distributed.expect("it is planned");
        let mut points = vec![Complex::new(1.0, 0.5); distributed.local_len(job.rank)];
        let mut spectrum = points.clone();
        job.line(
            &format!("{lengths:?} points of rank 0"),
            MILLISECONDS,
            |job| job.alone(|| plan.process(&mut points).expect("the plan is for these points")),
            |job| {
                job.together(|machine| {
                    distributed.process_slab(machine, &mut spectrum).expect("the plan is for these points");
                })
            },
        );
    }
}

fn main() -> ExitCode {
    let mpi = Mpi::join().expect("the job has MPI");
    let machine = mpi.machine().expect("MPI works");
    let only = std::env::args().nth(2).unwrap_or_default();
    let mut job = Job { rank: mpi.rank(), world: SimpleCommunicator::world(), machine, only };
    let measure = match std::env::args().nth(1).as_deref() {
        Some("messages") if mpi.ranks() == 2 => messages,
        Some("programs") if mpi.ranks() == 2 => programs,
        _ => {
            eprintln!("use: mpirun -n 2 measure messages|programs [TEXT]");
            return ExitCode::from(2);
        }
    };
    if mpi.rank() == 0 {
        println!("| measure | unit | peer | earth | earth's time over the peer's |\n|---|---|---|---|---|");
    }
    measure(&mut job);
    ExitCode::SUCCESS
}
