//! The commands of the binary `earth-lab`, a file each, and [`run`], which reads the command line.

mod args;
mod bundled;
mod calibrate;
mod compare;
mod failure;
mod profile;
mod profile2d;
mod rates;
mod simulate;
mod simulate2d;
mod told;

use std::process::ExitCode;

use clap::Parser as _;
use earth_fft::Planner;

use args::{Cli, Command};

/// Reads the command line of the process and carries out its command. `compare` has a row for each solver that `planner`
/// knows beside those of this project.
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
