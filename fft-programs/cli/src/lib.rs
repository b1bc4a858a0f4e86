//! Command line `earth-fft`.
//!
//! * [`args`]: the commands and their options.
//! * [`transform`], [`bench_fft`] and [`info`], each with a `run` of its arguments.
//!
//! The crate `earth-console` has the parts in common with `earth-lab`.

#![forbid(unsafe_code)]
#![allow(rustdoc::private_intra_doc_links, reason = "the head of a module tells what it is made of")]

mod args;
mod bench_fft;
mod failure;
mod info;
#[cfg(test)]
#[path = "../../examples/own_solver.rs"]
#[expect(dead_code, reason = "the example's own run is an example's")]
mod own_solver;
mod transform;

use std::process::ExitCode;

use earth_fft::Planner;

use args::{Cli, Command};

/// Reads the command line of the process and carries out its command. The algorithms are the solvers that
/// `planner` knows.
///
/// ```no_run
/// // In `main`, with a solver of another crate in addition to the papers' solvers:
/// # use std::sync::Arc;
/// # let own: [Arc<dyn earth_fft::solver::Solver>; 0] = [];
/// let code = earth_cli::run(&earth_papers::planner().register(own));
/// ```
pub fn run(planner: &Planner) -> ExitCode {
    earth_console::run(
        "earth-fft",
        |line| Cli::read(planner, line),
        |cli, stop| match &cli.command {
            Command::Transform(args) => transform::run(planner, args, stop),
            Command::BenchFft(args) => bench_fft::run(args, stop),
            Command::FirstCall { question } => bench_fft::first_call(question),
            Command::Info(args) => info::run(args),
        },
    )
}
