//! Shared parts of the tests of several packages: every machine, a program that checks that a machine still
//! works, and counted values.

#![forbid(unsafe_code)]

pub mod channels;
pub mod counted;
pub mod resident;
pub mod sockets;

use std::fmt;

use channels::{Channels, channels};
use earth::simulated::{Faults, Profile};
use earth::{Call, Config, Error, Eu, Machine, NodeId, Policy, Reply, Run, Then, Threaded, Wire, threaded};
use earth_programs::fib::Fib;

/// A kind of machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Real cores.
    Threads,
    /// The stepper, with a seed.
    Stepper(u64),
    /// The machine in virtual time, with a seed for delays, or none.
    Simulated(Option<u64>),
    /// Threads with a rank each, which only exchange messages.
    Ranks {
        /// Number of messages that there is room for from one rank to another.
        room: usize,
        /// Number of nodes of each rank.
        each: usize,
    },
}

/// Settings of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    /// Its kind.
    pub kind: Kind,
    /// Its configuration.
    pub config: Config,
    /// Number of nodes.
    pub nodes: usize,
    /// Whether each event between nodes passes through its bytes.
    pub through_bytes: bool,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Threads => write!(f, "threads")?,
            Kind::Stepper(seed) => write!(f, "stepper({seed})")?,
            Kind::Simulated(None) => write!(f, "simulated")?,
            Kind::Simulated(Some(seed)) => write!(f, "simulated with delays({seed})")?,
            Kind::Ranks { room, each } => {
                write!(f, "ranks with {each} nodes each and room for {room} messages")?;
            }
        }
        let bytes = if self.through_bytes { ", through bytes" } else { "" };
        write!(f, ", {}, {} nodes{bytes}", self.config, self.nodes)
    }
}

impl Case {
    /// Builds the machine.
    pub fn machine(self) -> Machine {
        self.build(false)
    }

    /// Builds the machine, which traces.
    pub fn traced(self) -> Machine {
        self.build(true)
    }

    fn build(self, traces: bool) -> Machine {
        let profile = || Profile::named("manna50").expect("it is built in");
        let machine = match self.kind {
            Kind::Threads => Machine::threads(self.nodes),
            Kind::Stepper(seed) => Machine::stepper(seed).nodes(self.nodes),
            Kind::Simulated(None) => Machine::simulated(&profile()).nodes(self.nodes),
            Kind::Simulated(Some(seed)) => Machine::simulated(&profile())
                .nodes(self.nodes)
                .faults(Faults { delay: 2_000, slowness: 4 })
                .seed(seed),
            Kind::Ranks { room, each } => ranks(self.nodes / each, room, self.config, move |link| {
                Machine::ranks(link).nodes(each).trace(traces)
            }),
        };
        let policy = if self.nodes == 2 { Policy::default() } else { sleepy() };
        machine.config(self.config).through_bytes(self.through_bytes).policy(policy).trace(traces)
    }

    /// Returns the node with the highest number.
    pub fn last(self) -> NodeId {
        NodeId::new(self.nodes - 1)
    }

    /// Whether values go between node 0 and another node without bytes.
    pub fn shares_memory(self, node: usize) -> bool {
        match self.kind {
            Kind::Ranks { each, .. } => node < each,
            _ => !self.through_bytes,
        }
    }

    /// Whether the machine has virtual time.
    pub fn is_simulated(self) -> bool {
        matches!(self.kind, Kind::Simulated(_))
    }

    /// Whether two runs take the same steps.
    pub fn is_stepped(self) -> bool {
        !matches!(self.kind, Kind::Threads | Kind::Ranks { .. })
    }

    /// Whether each node behaves like a process of its own.
    pub fn is_of_ranks(self) -> bool {
        matches!(self.kind, Kind::Ranks { .. })
    }
}

/// Returns a policy with which an idle thread sleeps soon. Tests run at the same time: with the default, the
/// idle threads of one would keep the cores from the busy threads of another, which takes twice the time in
/// total. Machines of two nodes have the default.
pub fn sleepy() -> Policy {
    Policy { spin: 50, ..Policy::default() }
}

/// Builds rank 0 of a machine of ranks by `build`. The other ranks serve in threads until it is dropped.
fn ranks(
    ranks: usize,
    room: usize,
    config: Config,
    build: impl Fn(Channels) -> Machine + Copy + Send + 'static,
) -> Machine {
    let mut links = channels(ranks, room).into_iter();
    let own = links.next().expect("there is a rank");
    for link in links {
        std::thread::spawn(move || {
            let mut machine = build(link).config(config).policy(sleepy());
            while !matches!(machine.serve(), Ok(None) | Err(Error::LostRank { .. })) {}
        });
    }
    build(own)
}

/// Returns the machines of all tests: real cores, the stepper with several seeds, the simulated machine with
/// several seeds, and ranks. The ranks have one or two nodes each. The
/// others come with 1, 2, 3 and 8 nodes, with values as handles and as
/// bytes. Of these, SPN has every other one and DUAL the rest; with `EARTH_LONG` in the environment both have
/// all.
pub fn cases() -> std::vec::IntoIter<Case> {
    let all = std::env::var_os("EARTH_LONG").is_some();
    let of_ranks = [(Config::Spn, 1000, 1, 1), (Config::Spn, 1000, 3, 1), (Config::Dual, 2, 3, 1)];
    let of_several = [(Config::Spn, 2, 4, 2), (Config::Dual, 1000, 4, 2)];
    let of_ranks = of_ranks.into_iter().chain(of_several).map(|(config, room, nodes, each)| Case {
        kind: Kind::Ranks { room, each },
        config,
        nodes,
        through_bytes: true,
    });
    let kinds = [
        Kind::Threads,
        Kind::Stepper(0),
        Kind::Stepper(1),
        Kind::Stepper(20_260),
        Kind::Simulated(None),
        Kind::Simulated(Some(1)),
    ];
    let mut cases = Vec::new();
    for (at, kind) in kinds.into_iter().enumerate() {
        for (config, dual) in [(Config::Spn, 0), (Config::Dual, 1)] {
            for (size, nodes) in [1, 2, 3, 8].into_iter().enumerate() {
                for through_bytes in [false, true] {
                    if all || (at + dual + size + usize::from(through_bytes)) % 2 == 0 {
                        cases.push(Case { kind, config, nodes, through_bytes });
                    }
                }
            }
        }
    }
    cases.extend(of_ranks);
    cases.into_iter()
}

/// Runs `test` on every machine. A failure names the machine.
pub fn on_every(test: impl FnMut(Case)) {
    on_every_of(1, test);
}

/// Runs `test` on every machine whose nodes all belong to this process. Their values are dropped when `run`
/// returns, and a setting for one node holds for all.
pub fn on_every_of_one_process(mut test: impl FnMut(Case)) {
    on_every(|case| {
        if !case.is_of_ranks() {
            test(case);
        }
    });
}

/// Runs `test` on every machine with at least `nodes` nodes.
pub fn on_every_of(nodes: usize, mut test: impl FnMut(Case)) {
    run_on_every_of(nodes, &mut test);
}

/// Compiled once for all tests.
fn run_on_every_of(nodes: usize, test: &mut dyn FnMut(Case)) {
    struct Say(Case);
    impl Drop for Say {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("on {}", self.0);
            }
        }
    }
    for case in cases().filter(|case| case.nodes >= nodes) {
        let _say = Say(case);
        test(case);
    }
}

/// Runs a call, which must give a value, and checks that every frame has ended.
#[track_caller]
pub fn gives<F: Threaded, R: Wire>(machine: &mut Machine, main: impl FnOnce(Reply<R>) -> Call<F>) -> Run<R> {
    match machine.run(main) {
        Ok(run) => {
            assert_eq!(run.counters.frames, run.counters.frames_ended, "frames made, frames ended");
            run
        }
        Err(error) => panic!("{error}"),
    }
}

/// Runs a call, which must fail, and then checks that the machine still works. Returns the error.
#[track_caller]
pub fn fails<F: Threaded, R: Wire>(machine: &mut Machine, main: impl FnOnce(Reply<R>) -> Call<F>) -> Error {
    let Err(error) = machine.run(main) else { panic!("the run gave a value") };
    still_works(machine);
    error
}

/// Checks that the machine runs programs, on all its nodes and with tokens.
#[track_caller]
pub fn still_works(machine: &mut Machine) {
    let run = gives(machine, |out| Everywhere::call(6, out));
    let nodes = run.value.1;
    assert_eq!(run.value.0, (0..nodes).map(|node| fibonacci(6 + node)).sum::<u64>());
}

fn fibonacci(n: u64) -> u64 {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}

/// Puts the sum of a few Fibonacci numbers, one per node, and the number of nodes.
struct Everywhere {
    sum: u64,
    left: usize,
    out: Reply<(u64, u64)>,
}

#[threaded]
impl Everywhere {
    fn start(n: u64, out: Reply<(u64, u64)>, eu: &mut Eu<Self>) -> Self {
        for node in 0..eu.nodes() {
            eu.invoke(NodeId::new(node), Fib::call(n + node as u64, eu.reply(Self::add().part)));
        }
        Everywhere { sum: 0, left: eu.nodes(), out }
    }

    #[slot(again)]
    fn add(&mut self, part: u64, eu: &mut Eu<Self>) -> Then {
        self.sum += part;
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, (self.sum, eu.nodes() as u64));
        Then::End
    }
}

/// Returns a number of a xorshift generator: work whose result cannot be guessed.
pub fn scramble(mut x: u64, rounds: u64) -> u64 {
    x |= 1;
    for _ in 0..rounds {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    x
}
