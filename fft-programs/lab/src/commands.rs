//! Commands of the binary `earth-lab`, one file each, and [`run`], which parses the command line.

mod args;
mod calibrate;
mod compare;
mod failure;
mod map;
mod output;
mod profile;
mod profile2d;
mod rates;
mod simulate;
mod simulate2d;
mod sweep;
mod tune;
mod what_if;

use std::process::ExitCode;

use clap::Parser as _;
use earth_fft::Planner;

use args::{Cli, Command};
pub use sweep::Additions;

/// Parses the command line of the process and runs its command. `compare` also has a row for each solver that
/// `planner` knows and this project's own planner does not.
pub fn run(planner: &Planner) -> ExitCode {
    run_with(planner, Additions::default())
}

/// Runs a command as [`run`] does. `sweep` also has the programs and policies of the caller:
///
/// ```no_run
/// use std::process::ExitCode;
///
/// use earth::{Machine, Policy};
/// use earth_lab::commands::{Additions, run_with};
/// use earth_lab::sweep::OwnPolicy;
///
/// fn main() -> ExitCode {
///     let hungry = |machine: Machine| machine.policy(Policy { feed: 9, ..Policy::default() });
///     let policies = [OwnPolicy { name: "hungry", set: &hungry }];
///     let programs = []; // programs of one's own
///     run_with(&earth_papers::planner(), Additions { programs: &programs, policies: &policies })
/// }
/// ```
pub fn run_with(planner: &Planner, additions: Additions<'_>) -> ExitCode {
    earth_console::run("earth-lab", Cli::try_parse_from, |cli, stop| match &cli.command {
        Command::Compare(args) => compare::run(planner, args, stop),
        Command::Simulate(args) => simulate::run(args, stop),
        Command::Profile2d(args) => profile2d::run(args, stop),
        Command::Simulate2d(args) => simulate2d::run(args, stop),
        Command::Calibrate(args) => calibrate::run(args, stop),
        Command::Profile(args) => profile::run(args, stop),
        Command::Sweep(args) => sweep::run(planner, additions, args, stop),
        Command::Map(args) => map::run(args, stop),
        Command::Policies(args) => sweep::policies::run(planner, args, stop),
        Command::WhatIf(args) => what_if::run(args, stop),
        Command::Tune(args) => tune::run(planner, args, stop),
    })
}
