//! The examples, which check their own results, on machines of several shapes.

use std::error::Error;

use earth::Config;

#[allow(dead_code, reason = "what reads the command line")]
#[path = "../examples/istructure.rs"]
mod istructure;
#[allow(dead_code, reason = "what reads the command line")]
#[path = "../examples/matmul.rs"]
mod matmul;
#[allow(dead_code, reason = "what reads the command line")]
#[path = "../examples/queens.rs"]
mod queens;
#[allow(dead_code, reason = "what reads the command line")]
#[path = "../examples/ring.rs"]
mod ring;
#[allow(dead_code, reason = "what reads the command line")]
#[path = "../examples/samplesort.rs"]
mod samplesort;
#[allow(dead_code, reason = "what reads the command line")]
#[path = "../examples/wavefront.rs"]
mod wavefront;

fn on_all(demonstrate: impl Fn(usize, Config) -> Result<(), Box<dyn Error>>) {
    for config in [Config::Spn, Config::Dual] {
        for nodes in [1, 2, 3, 8] {
            demonstrate(nodes, config).unwrap_or_else(|error| panic!("{nodes} nodes, {config}: {error}"));
        }
    }
}

#[test]
fn ring_of_producers_and_consumers() {
    on_all(|nodes, config| ring::demonstrate(20, nodes, config));
}

#[test]
fn wavefront_of_tiles() {
    for (length, side) in [(1, 1), (7, 3), (150, 20), (30, 100)] {
        on_all(|nodes, config| wavefront::demonstrate(length, side, nodes, config));
    }
}

#[test]
fn queens_by_tokens() {
    for side in [0, 1, 3, 4, 8, 9] {
        on_all(|nodes, config| queens::demonstrate(side, nodes, config));
    }
}

#[test]
fn matrix_product_by_blocks() {
    for (n, tile) in [(1, 1), (20, 7), (32, 32), (33, 8)] {
        on_all(|nodes, config| matmul::demonstrate(n, tile, nodes, config));
    }
}

#[test]
fn values_asked_for_before_they_are_written() {
    for length in [1, 2, 3, 500] {
        on_all(|nodes, config| istructure::demonstrate(length, nodes, config));
    }
}

#[test]
fn numbers_sorted_by_samples() {
    for count in [0, 1, 5, 10_000] {
        on_all(|nodes, config| samplesort::demonstrate(count, nodes, config));
    }
}
