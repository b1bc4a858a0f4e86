//! A stencil whose producers run a round ahead, as the README allows: each strip has one inlet a side and nothing
//! that tells its neighbours how far it is.
//!
//! A strip sends its value for the next round as soon as it has computed it, so a neighbour may find two values of
//! one strip on their way. The result is right only if these arrive in the order in which they were sent, however
//! full the queues between the nodes are: an overtaking value is taken for that of the round before, and no error
//! tells.
//!
//! `EARTH_LONG=10000` in the environment raises the number of runs and seeds.

mod common;

use common::good;
use earth::{Config, Faults, Machine, NodeId, Profile, Reply, Then, Wire, threaded_old};

/// The inlets of a strip: for the values of its two neighbours, and for the addresses of their inlets.
#[derive(Wire)]
struct Inlets {
    left: Reply<u64>,
    right: Reply<u64>,
    neighbours: Reply<(Reply<u64>, Reply<u64>)>,
}

/// Where a strip introduces itself, and where its last value goes.
type Desk = Box<(Reply<(u64, Box<Inlets>)>, Reply<(u64, u64)>)>;

threaded_old! {
    /// The values of a ring of strips after so many rounds, strip by strip around all nodes, so that every
    /// neighbour of a strip is on another node.
    fn Stencil(strips: u64, rounds: u64, out: Reply<Vec<u64>>)
    state  { met: Vec<Option<Box<Inlets>>> = Vec::new(), values: Vec<u64> = Vec::new(), left: u64 = 0 }
    calls  { Strip }
    inlets { hello: (u64, Box<Inlets>), end: (u64, u64) }
    slots  { come: 1, reset 1 => meet, ended: 1, reset 1 => collect }
    fiber start(this, eu) {
        this.met.resize_with(this.strips as usize, || None);
        this.values = vec![0; this.strips as usize];
        this.left = this.strips;
        for strip in 0..this.strips {
            let desk = (eu.reply_to(Self::hello, Self::come), eu.reply_to(Self::end, Self::ended));
            let node = NodeId::new(strip as usize % eu.nodes());
            eu.invoke_old::<Strip>(node, (strip, first(strip), this.rounds, Box::new(desk)));
        }
        Then::Wait
    }
    fiber meet(this, eu) {
        let (strip, inlets) = eu.take(Self::hello);
        this.met[strip as usize] = Some(inlets);
        let met: Option<Vec<&Inlets>> = this.met.iter().map(Option::as_deref).collect();
        let met = met.unwrap_or_default();
        for (strip, inlets) in met.iter().enumerate() {
            let (before, after) = (met[(strip + met.len() - 1) % met.len()], met[(strip + 1) % met.len()]);
            eu.put(inlets.neighbours, (before.right, after.left));
        }
        Then::Wait
    }
    fiber collect(this, eu) {
        let (strip, value) = eu.take(Self::end);
        this.values[strip as usize] = value;
        this.left -= 1;
        if this.left > 0 {
            return Then::Wait;
        }
        eu.put(this.out, std::mem::take(&mut this.values));
        Then::End
    }
}

threaded_old! {
    fn Strip(index: u64, value: u64, rounds: u64, desk: Desk)
    state  { neighbours: Option<(Reply<u64>, Reply<u64>)> = None, round: u64 = 0 }
    inlets { neighbours: (Reply<u64>, Reply<u64>), left: u64, right: u64 }
    slots  { introduced: 1 => begin, edges: 3, reset 2 => step }
    fiber start(this, eu) {
        let inlets = Box::new(Inlets {
            left: eu.reply_to(Self::left, Self::edges),
            right: eu.reply_to(Self::right, Self::edges),
            neighbours: eu.reply_to(Self::neighbours, Self::introduced),
        });
        eu.put(this.desk.0, (this.index, inlets));
        Then::Wait
    }
    fiber begin(this, eu) {
        let (before, after) = eu.take(Self::neighbours);
        this.neighbours = Some((before, after));
        eu.put(before, this.value);
        eu.put(after, this.value);
        eu.sync(Self::edges);
        Then::Wait
    }
    fiber step(this, eu) {
        let (left, right) = (eu.take(Self::left), eu.take(Self::right));
        this.value = next(left, this.value, right);
        this.round += 1;
        if this.round == this.rounds {
            eu.put(this.desk.1, (this.index, this.value));
            return Then::End;
        }
        if let Some((before, after)) = this.neighbours {
            eu.put(before, this.value);
            eu.put(after, this.value);
        }
        Then::Wait
    }
}

fn first(strip: u64) -> u64 {
    common::scramble(strip + 1, 3)
}

fn next(left: u64, own: u64, right: u64) -> u64 {
    left.wrapping_mul(3).wrapping_add(own.wrapping_mul(5)).wrapping_add(right.wrapping_mul(7)) ^ own >> 29
}

/// The values that the stencil must give, computed round by round in one loop.
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

/// Runs the stencil on one machine again and again. How many of the runs were wrong.
fn wrong(mut machine: Machine, strips: u64, rounds: u64, runs: u64) -> u64 {
    let expected = sequential(strips, rounds);
    (0..runs).filter(|_| good::<Stencil>(&mut machine, (strips, rounds)).value != expected).count() as u64
}

/// Runs the stencil once on a machine for each seed. How many of the runs were wrong.
fn wrong_by_seed(seeds: u64, strips: u64, rounds: u64, machine: impl Fn(u64) -> Machine) -> u64 {
    (0..seeds).map(|seed| wrong(machine(seed), strips, rounds, 1)).sum()
}

/// How many runs or seeds: so many, or as many as the environment asks for.
fn many(usual: u64) -> u64 {
    std::env::var("EARTH_LONG").ok().and_then(|runs| runs.parse().ok()).unwrap_or(usual)
}

const BOTH: [Config; 2] = [Config::Spn, Config::Dual];

#[test]
fn a_stencil_whose_producers_run_ahead_is_right_on_threads() {
    for config in BOTH {
        let machine = Machine::threads(2).config(config);
        assert_eq!(wrong(machine, 2_048, 5, many(200) / 2), 0, "wrong runs by default, {config}");
        let machine = Machine::threads(2).config(config).queue_capacity(2);
        assert_eq!(wrong(machine, 256, 8, many(200) / 2), 0, "wrong runs with queues of two, {config}");
        let machine = Machine::threads(3).config(config).queue_capacity(1).through_bytes(true);
        assert_eq!(
            wrong(machine, 24, 6, many(200) / 10),
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
