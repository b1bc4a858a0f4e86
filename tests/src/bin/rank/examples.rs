//! Runs the runtime's examples unchanged, except `matmul`. The tiles of `matmul` are memory that the caller
//! lends within one process. If another rank writes into its copy of a tile, the write does not come back.

use std::error::Error;

use earth::Machine;
use earth::patterns::{Flow, Grain};

#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../../../runtime/examples/echo.rs"]
mod echo;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../../../runtime/examples/fib.rs"]
mod fib;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../../../runtime/examples/istructure.rs"]
mod istructure;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../../../runtime/examples/lu.rs"]
mod lu;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../../../runtime/examples/mergesort.rs"]
mod mergesort;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../../../runtime/examples/pipeline.rs"]
mod pipeline;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../../../runtime/examples/queens.rs"]
mod queens;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../../../runtime/examples/ring.rs"]
mod ring;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../../../runtime/examples/samplesort.rs"]
mod samplesort;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../../../runtime/examples/smith_waterman.rs"]
mod smith_waterman;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../../../runtime/examples/stencil.rs"]
mod stencil;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../../../runtime/examples/tree_search.rs"]
mod tree_search;
#[allow(dead_code, reason = "the command line is unused here")]
#[path = "../../../../runtime/examples/wavefront.rs"]
mod wavefront;

/// Runs each example. The examples check their own results.
pub(crate) fn examples(machine: &mut Machine) -> Result<(), Box<dyn Error>> {
    echo::demonstrate(100, machine)?;
    fib::demonstrate(17, machine)?;
    istructure::demonstrate(300, machine)?;
    pipeline::demonstrate(200, 5, Flow { batch: 7, window: 3 }, machine)?;
    queens::demonstrate(8, machine)?;
    ring::demonstrate(20, machine)?;
    samplesort::demonstrate(10_000, machine)?;
    smith_waterman::demonstrate(90, 60, 7, machine)?;
    stencil::demonstrate(200, 30, 6, machine)?;
    tree_search::demonstrate(10, 4, 19, machine)?;
    wavefront::demonstrate(150, 20, machine)?;
    mergesort::demonstrate(1000, Grain::of(70), machine)?;
    lu::demonstrate(40, 8, machine).map(drop)
}
