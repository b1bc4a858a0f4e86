//! A stencil whose producers run a round ahead, as the README allows. Each strip has one inlet per side, and
//! its neighbors do not know its progress.
//!
//! A strip sends its value for the next round as soon as it has computed it, so two values of one strip may
//! be on their way to a neighbor. The result is right only if these arrive in the order in which they were
//! sent, even if the queues between the nodes are full. A value that overtakes another would be used in the
//! wrong round, without an error.
//!
//! `EARTH_LONG=10000` in the environment raises the number of runs and seeds.

use crate::common::gives;
use earth::simulated::{Faults, Profile};
use earth::{Config, Eu, Machine, NodeId, Reply, Then, Wire, threaded};

/// Inlets of a strip: for the values of its two neighbors, and for the addresses of their inlets.
#[derive(Wire)]
struct Inlets {
    left: Reply<u64>,
    right: Reply<u64>,
    neighbours: Reply<(Reply<u64>, Reply<u64>)>,
}

/// Computes the values of a ring of strips after `rounds` rounds. The strips are distributed round-robin over
/// all nodes, so every neighbor of a strip is on another node.
struct Stencil {
    met: Vec<Option<Inlets>>,
    values: Vec<u64>,
    left: usize,
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Stencil {
    fn start(strips: usize, rounds: u64, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        let (hello, end) = (eu.reply(Self::meet().hello), eu.reply(Self::collect().end));
        for strip in 0..strips {
            eu.invoke(NodeId::new(strip % eu.nodes()), Strip::call(strip, rounds, hello, end));
        }
        let met = (0..strips).map(|_| None).collect();
        Stencil { met, values: vec![0; strips], left: strips, out }
    }

    #[slot(again)]
    fn meet(&mut self, hello: (usize, Inlets), eu: &mut Eu<Self>) {
        let (strip, inlets) = hello;
        self.met[strip] = Some(inlets);
        let met: Option<Vec<&Inlets>> = self.met.iter().map(Option::as_ref).collect();
        let met = met.unwrap_or_default();
        for (strip, inlets) in met.iter().enumerate() {
            let (before, after) = (met[(strip + met.len() - 1) % met.len()], met[(strip + 1) % met.len()]);
            eu.put(inlets.neighbours, (before.right, after.left));
        }
    }

    #[slot(again)]
    fn collect(&mut self, end: (usize, u64), eu: &mut Eu<Self>) -> Then {
        let (strip, value) = end;
        self.values[strip] = value;
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, std::mem::take(&mut self.values));
        Then::End
    }
}

struct Strip {
    index: usize,
    value: u64,
    rounds: u64,
    neighbours: Option<(Reply<u64>, Reply<u64>)>,
    end: Reply<(usize, u64)>,
}

#[threaded]
impl Strip {
    fn start(
        index: usize,
        rounds: u64,
        hello: Reply<(usize, Inlets)>,
        end: Reply<(usize, u64)>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let inlets = Inlets {
            left: eu.reply(Self::step().left),
            right: eu.reply(Self::step().right),
            neighbours: eu.reply(Self::begin().neighbours),
        };
        eu.put(hello, (index, inlets));
        Strip { index, value: first(index as u64), rounds, neighbours: None, end }
    }

    #[slot]
    fn begin(&mut self, neighbours: (Reply<u64>, Reply<u64>), eu: &mut Eu<Self>) {
        self.neighbours = Some(neighbours);
        self.send(eu);
        eu.sync(Self::step());
    }

    #[slot(again, first = 1)]
    fn step(&mut self, left: u64, right: u64, eu: &mut Eu<Self>) -> Then {
        self.value = next(left, self.value, right);
        self.rounds -= 1;
        if self.rounds == 0 {
            eu.put(self.end, (self.index, self.value));
            return Then::End;
        }
        self.send(eu);
        Then::Wait
    }
}

impl Strip {
    fn send(&self, eu: &mut Eu) {
        if let Some((before, after)) = self.neighbours {
            eu.put(before, self.value);
            eu.put(after, self.value);
        }
    }
}

fn first(strip: u64) -> u64 {
    crate::common::scramble(strip + 1, 3)
}

fn next(left: u64, own: u64, right: u64) -> u64 {
    left.wrapping_mul(3).wrapping_add(own.wrapping_mul(5)).wrapping_add(right.wrapping_mul(7)) ^ own >> 29
}

/// Computes the expected values of the stencil, round by round in one loop.
fn sequential(strips: u64, rounds: u64) -> Vec<u64> {
    let mut values: Vec<u64> = (0..strips).map(first).collect();
    for _ in 0..rounds {
        let count = values.len();
        values = (0..count)
            .map(|i| next(values[(i + count - 1) % count], values[i], values[(i + 1) % count]))
            .collect();
    }
    values
}

/// Runs the stencil repeatedly on one machine. Returns the number of wrong runs.
fn wrong(mut machine: Machine, strips: u64, rounds: u64, runs: u64) -> u64 {
    let expected = sequential(strips, rounds);
    let mut run = || gives(&mut machine, |out| Stencil::call(strips as usize, rounds, out)).value;
    (0..runs).filter(|_| run() != expected).count() as u64
}

/// Runs the stencil once on a machine for each seed. Returns the number of wrong runs.
fn wrong_by_seed(seeds: u64, strips: u64, rounds: u64, machine: impl Fn(u64) -> Machine) -> u64 {
    (0..seeds).map(|seed| wrong(machine(seed), strips, rounds, 1)).sum()
}

/// Returns the number of runs or seeds: `usual`, or the value from the environment.
fn many(usual: u64) -> u64 {
    std::env::var("EARTH_LONG").ok().and_then(|runs| runs.parse().ok()).unwrap_or(usual)
}

const BOTH: [Config; 2] = [Config::Spn, Config::Dual];

#[test]
fn a_stencil_whose_producers_run_ahead_is_right_on_threads() {
    for config in BOTH {
        let machine = Machine::threads(2).config(config);
        assert_eq!(wrong(machine, 2_048, 5, many(100) / 20), 0, "wrong runs by default, {config}");
        let machine = Machine::threads(2).config(config).queue_capacity(2);
        assert_eq!(wrong(machine, 256, 8, many(100) / 20), 0, "wrong runs with queues of two, {config}");
        let machine = Machine::threads(3).config(config).queue_capacity(1).through_bytes(true);
        assert_eq!(
            wrong(machine, 24, 6, many(100) / 20),
            0,
            "wrong runs with queues of one, as bytes, {config}"
        );
    }
}

#[test]
fn a_stencil_whose_producers_run_ahead_is_right_under_every_seed_of_the_stepper() {
    for config in BOTH {
        let stepper = |seed| Machine::stepper(seed).nodes(2 + seed as usize % 2).config(config);
        assert_eq!(wrong_by_seed(many(500), 12, 5, stepper), 0, "wrong seeds, {config}");
        let tiny = |seed| stepper(seed).queue_capacity(1).through_bytes(true);
        assert_eq!(
            wrong_by_seed(many(500) / 10, 12, 5, tiny),
            0,
            "wrong seeds, queues of one, as bytes, {config}"
        );
    }
}

#[test]
fn a_stencil_whose_producers_run_ahead_is_right_in_virtual_time() {
    for config in BOTH {
        for name in Profile::names() {
            let profile = Profile::named(name).expect("it is built in");
            let late = |seed| {
                let faults = Faults { delay: 20_000, slowness: 4 };
                Machine::simulated(&profile).nodes(4).config(config).faults(faults).seed(seed)
            };
            assert_eq!(wrong_by_seed(many(200) / 10, 32, 6, late), 0, "wrong seeds on {name}, {config}");
        }
    }
}
