//! The programs of ranks, on threads of one process that are joined by channels.

use std::thread;

use earth::{Config, Machine};
use earth_rank_programs::Program;
use earth_test_support::channels::channels;
use earth_test_support::sleepy;

/// Runs a program on machines of these numbers of ranks, nodes of each rank, and messages that a channel has
/// room for.
fn succeeds(name: &str, machines: &[(usize, usize, usize)]) {
    let program = Program::named(name).expect("there is such a program");
    for config in [Config::Spn, Config::Dual] {
        for &(ranks, nodes, room) in machines {
            thread::scope(|scope| {
                for (rank, link) in channels(ranks, room).into_iter().enumerate() {
                    scope.spawn(move || {
                        let mut machine = Machine::ranks(link).config(config).nodes(nodes).policy(sleepy());
                        let outcome = program.run(&mut machine, rank);
                        outcome
                            .unwrap_or_else(|error| panic!("{name}, {config}, {ranks} x {nodes}: {error}"));
                    });
                }
            });
        }
    }
}

#[test]
fn collectives_run_over_channels() {
    succeeds("collectives", &[(2, 2, 1000), (3, 2, 1)]);
}

#[test]
fn the_examples_run_over_channels() {
    succeeds("examples", &[(2, 2, 1000), (3, 2, 1)]);
}

#[test]
fn rounds_of_all_kinds_of_traffic_run_over_channels() {
    succeeds("soak", &[(2, 2, 1000), (3, 2, 1)]);
}

#[test]
fn every_fft_program_runs_over_channels() {
    succeeds("transforms", &[(2, 1, 1), (2, 2, 1000)]);
}

#[test]
fn distributed_arrays_are_transformed_over_channels() {
    succeeds("distributed", &[(2, 1, 1), (4, 2, 1000)]);
}

#[test]
fn overlapping_transforms_run_over_channels() {
    succeeds("overlap", &[(2, 1, 1), (4, 2, 1000)]);
}

#[test]
fn blocks_of_megabytes_go_over_channels() {
    succeeds("blocks", &[(2, 2, 1000), (3, 2, 1)]);
}

#[test]
fn a_panic_ends_the_run_of_every_rank_over_channels() {
    succeeds("panics", &[(2, 2, 1000), (3, 2, 1)]);
}
