//! Commands of the binary `earth-lab`, one file each, and [`run`], which parses the command line.

mod args;
mod bundled;
mod calibrate;
mod compare;
mod failure;
mod output;
mod profile;
mod profile2d;
mod rates;
mod simulate;
mod simulate2d;

use std::process::ExitCode;

use clap::Parser as _;
use earth_fft::Planner;

use args::{Cli, Command};

/// Parses the command line of the process and runs its command. `compare` also has a row for each solver that
/// `planner` knows and this project's own planner does not.
pub fn run(planner: &Planner) -> ExitCode {
    earth_console::run("earth-lab", Cli::try_parse_from, |cli, stop| match &cli.command {
        Command::Compare(args) => compare::run(planner, args, stop),
        Command::Simulate(args) => simulate::run(args, stop),
        Command::Profile2d(args) => profile2d::run(args, stop),
        Command::Simulate2d(args) => simulate2d::run(args, stop),
        Command::Calibrate(args) => calibrate::run(args, stop),
        Command::Profile(args) => profile::run(args, stop),
    })
}
