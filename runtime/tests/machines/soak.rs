//! The short form of the soak test (`earth_programs::soak`): a few rounds of all kinds of traffic, on 64
//! nodes and on every machine. No message is lost, doubled or kept.

use crate::common::on_every;
use earth::{Config, Machine};
use earth_programs::soak::{Load, round};

#[test]
fn rounds_on_64_nodes_lose_and_double_nothing() {
    let load = Load { bursts: 10, signals: 40, values: 2, tokens: 100, hops: 10 };
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::threads(64).config(config);
        let mut parked = 0;
        for number in 0..10 {
            let counters = round(&mut machine, 64, load).unwrap_or_else(|violation| {
                panic!("{config}, round {number}: {violation}");
            });
            parked += counters.parked;
        }
        assert!(parked > 0, "stations put values to themselves in pairs");
    }
}

#[test]
fn rounds_on_every_machine_lose_and_double_nothing() {
    on_every(|case| {
        let mut machine = case.machine();
        for (tokens, hops) in [(1, 1), (30, 17)] {
            let load = Load { bursts: 3, signals: 5, values: 4, tokens, hops };
            let counters = round(&mut machine, case.nodes, load);
            assert!(counters.is_ok(), "{counters:?}");
        }
    });
}

/// The stepper steps the real units. The environment can set more seeds.
#[test]
fn rounds_under_many_seeds_lose_and_double_nothing() {
    let seeds = std::env::var("EARTH_LONG").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(300);
    let load = Load { bursts: 2, signals: 3, values: 2, tokens: 8, hops: 3 };
    for (seed, config) in (0..seeds).flat_map(|seed| [(seed, Config::Spn), (seed, Config::Dual)]) {
        let nodes = 2 + seed as usize % 3;
        let machine = Machine::stepper(seed).nodes(nodes).config(config);
        let mut machine = machine.queue_capacity(1 << (seed % 4)).through_bytes(seed % 5 == 0);
        let counters = round(&mut machine, nodes, load);
        assert!(counters.is_ok(), "{config}, seed {seed}: {counters:?}");
    }
}
