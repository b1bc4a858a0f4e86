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
#[path = "../examples/pipeline.rs"]
mod pipeline;
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
#[path = "../examples/smith_waterman.rs"]
mod smith_waterman;
#[allow(dead_code, reason = "what reads the command line")]
#[path = "../examples/stencil.rs"]
mod stencil;
#[allow(dead_code, reason = "what reads the command line")]
#[path = "../examples/tree_search.rs"]
mod tree_search;
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

#[test]
fn stencil_of_strips() {
    for (values, rounds, strips) in [(1, 1, 1), (10, 7, 10), (200, 30, 6), (9, 4, 20)] {
        on_all(|nodes, config| stencil::demonstrate(values, rounds, strips, nodes, config));
    }
    assert!(stencil::demonstrate(0, 1, 1, 1, Config::Spn).is_err());
}

#[test]
fn pipeline_with_credits() {
    for (items, stages, window) in [(1, 0, 1), (100, 4, 1), (500, 7, 5), (3, 2, 9)] {
        on_all(|nodes, config| pipeline::demonstrate(items, stages, window, nodes, config));
    }
    assert!(pipeline::demonstrate(5, 1, 0, 1, Config::Spn).is_err());
}

#[test]
fn tree_search_by_tokens() {
    for (depth, cutoff, seed) in [(0, 3, 1), (9, 0, 2), (10, 4, 19), (8, 20, 5)] {
        on_all(|nodes, config| tree_search::demonstrate(depth, cutoff, seed, nodes, config));
    }
}

#[test]
fn smith_waterman_by_tiles() {
    for (down, across, side) in [(1, 1, 1), (90, 60, 7), (33, 100, 64)] {
        on_all(|nodes, config| smith_waterman::demonstrate(down, across, side, nodes, config));
    }
    assert!(smith_waterman::demonstrate(5, 0, 2, 1, Config::Spn).is_err());
}
