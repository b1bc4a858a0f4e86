//! The examples, which check their own results, on machines of several shapes.

use std::error::Error;

use earth::patterns::{Flow, Grain};
use earth::{Config, Machine};

use crate::common::fib;

#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../examples/bfs.rs"]
mod bfs;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../examples/conjugate_gradients.rs"]
mod conjugate_gradients;
#[allow(dead_code, reason = "the timing and the command line are unused here")]
#[path = "../../examples/costs.rs"]
mod costs;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../examples/echo.rs"]
mod echo;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../examples/istructure.rs"]
pub(crate) mod istructure;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../examples/lu.rs"]
mod lu;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../examples/matmul.rs"]
pub(crate) mod matmul;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../examples/mergesort.rs"]
mod mergesort;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../examples/paraffins.rs"]
mod paraffins;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../examples/pipeline.rs"]
mod pipeline;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../examples/queens.rs"]
mod queens;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../examples/ring.rs"]
pub(crate) mod ring;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../examples/samplesort.rs"]
mod samplesort;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../examples/smith_waterman.rs"]
mod smith_waterman;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../examples/stencil.rs"]
mod stencil;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../examples/tree_search.rs"]
mod tree_search;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../examples/wavefront.rs"]
pub(crate) mod wavefront;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../examples/word_count.rs"]
mod word_count;

fn on_all<T>(demonstrate: impl Fn(&mut Machine) -> Result<T, Box<dyn Error>>) {
    for config in [Config::Spn, Config::Dual] {
        for nodes in [1, 2, 3, 8] {
            let mut machine = Machine::threads(nodes).config(config);
            demonstrate(&mut machine).unwrap_or_else(|error| panic!("{nodes} nodes, {config}: {error}"));
        }
    }
}

/// Builds a machine for programs that are refused before a run.
fn one() -> Machine {
    Machine::threads(1)
}

#[test]
fn lines_that_come_while_the_program_runs() {
    for count in [0, 1, 300] {
        on_all(|machine| echo::demonstrate(count, machine));
    }
}

#[test]
fn the_guide_has_what_everything_costs() {
    let page = include_str!("../../../docs/guide/src/costs.md");
    for row in costs::counted().expect("it runs") {
        assert!(page.contains(&row), "the table of costs in the guide lacks `{row}`");
    }
}

#[test]
fn fibonacci_numbers_by_tokens() {
    for n in [0, 1, 2, 15] {
        on_all(|machine| fib::demonstrate(n, machine));
    }
}

#[test]
fn ring_of_producers_and_consumers() {
    on_all(|machine| ring::demonstrate(20, machine));
}

#[test]
fn wavefront_of_tiles() {
    for (length, side) in [(1, 1), (7, 3), (150, 20), (30, 100)] {
        on_all(|machine| wavefront::demonstrate(length, side, machine));
    }
}

#[test]
fn queens_by_tokens() {
    for side in [0, 1, 3, 4, 8, 9] {
        on_all(|machine| queens::demonstrate(side, machine));
    }
}

#[test]
fn matrix_product_by_blocks() {
    for (n, tile) in [(1, 1), (20, 7), (32, 32), (33, 8)] {
        on_all(|machine| matmul::demonstrate(n, tile, machine));
    }
}

#[test]
fn values_requested_before_they_are_written() {
    for length in [1, 2, 3, 500] {
        on_all(|machine| istructure::demonstrate(length, machine));
    }
}

#[test]
fn numbers_sorted_by_samples() {
    for count in [0, 1, 5, 10_000] {
        on_all(|machine| samplesort::demonstrate(count, machine));
    }
}

#[test]
fn stencil_of_strips() {
    for (values, rounds, strips) in [(1, 1, 1), (10, 7, 10), (200, 30, 6), (9, 4, 20), (4, 0, 2)] {
        on_all(|machine| stencil::demonstrate(values, rounds, strips, machine));
    }
    assert!(stencil::demonstrate(0, 1, 1, &mut one()).is_err());
}

#[test]
fn pipeline_with_credits() {
    for (items, stages, window, batch) in [(0, 2, 1, 1), (100, 4, 1, 7), (500, 7, 5, 3), (3, 0, 9, 8)] {
        on_all(|machine| pipeline::demonstrate(items, stages, Flow { batch, window }, machine));
    }
    assert!(pipeline::demonstrate(5, 1, Flow { batch: 1, window: 0 }, &mut one()).is_err());
}

#[test]
fn words_counted_by_a_farm() {
    for (bytes, chunk) in [(0, 5), (30, 100), (3_000, 1), (20_000, 700)] {
        on_all(|machine| word_count::demonstrate(&mut word_count::text(bytes, 7), chunk, machine));
    }
    // Chunks end only at white space.
    on_all(|machine| word_count::demonstrate(&mut [b'x'; 100], 7, machine));
}

#[test]
fn tree_search_by_tokens() {
    for (depth, cutoff, seed) in [(0, 3, 1), (9, 0, 2), (10, 4, 19), (8, 20, 5)] {
        on_all(|machine| tree_search::demonstrate(depth, cutoff, seed, machine));
    }
}

#[test]
fn smith_waterman_by_tiles() {
    for (down, across, side) in [(1, 1, 1), (90, 60, 7), (33, 100, 64)] {
        on_all(|machine| smith_waterman::demonstrate(down, across, side, machine));
    }
    assert!(smith_waterman::demonstrate(5, 0, 2, &mut one()).is_err());
}

#[test]
fn numbers_sorted_by_merging() {
    for (count, grain) in [(0, 5), (1, 1), (1000, 7), (5000, 1000)] {
        on_all(|machine| mergesort::demonstrate(count, Grain::of(grain), machine));
    }
}

#[test]
fn triangles_by_tiles() {
    for (n, side) in [(1, 1), (7, 3), (40, 8), (30, 64)] {
        on_all(|machine| lu::demonstrate(n, side, machine));
    }
    assert!(lu::demonstrate(0, 1, &mut one()).is_err());
}

#[test]
fn steps_from_a_trainer_to_everybody() {
    for clubs in [1, 2, 9] {
        on_all(|machine| bfs::demonstrate(clubs, machine));
    }
    assert!(bfs::demonstrate(0, &mut one()).is_err());
}

#[test]
fn paraffins_by_a_graph_of_tasks() {
    for largest in [0, 1, 2, 9, 24] {
        on_all(|machine| paraffins::demonstrate(largest, machine));
    }
}

#[test]
fn a_sparse_system_by_conjugate_gradients() {
    for (side, rounds) in [(1, 1), (5, 4), (50, 10)] {
        on_all(|machine| conjugate_gradients::demonstrate(side, rounds, machine));
    }
    assert!(conjugate_gradients::demonstrate(0, 1, &mut one()).is_err());
}
