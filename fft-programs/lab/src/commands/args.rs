//! Command-line arguments of `earth-lab`.
//!
//! An option has the same name in every command. An error here is found without looking at any file: exit
//! code 2.

mod profile;
pub(crate) mod profile2d;
mod simulate;
mod tune;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use earth_console::args::{Turns, at_least_one, positive};
use earth_console::io::csv;

pub(crate) use profile::{Measuring, Profile};
pub(crate) use simulate::{DEFAULT_PROFILE, Simulate, What};
pub(crate) use tune::Tune;

/// Measures, simulates and compares parallel FFTs.
#[derive(Debug, Parser)]
#[command(name = "earth-lab", version, propagate_version = true)]
pub(crate) struct Cli {
    /// Command to run.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Commands of `earth-lab`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compare SPN with DUAL over programs, node counts and block sizes
    Compare(Compare),
    /// Simulate the EARTH machine: figures and statements of the papers
    Simulate(Simulate),
    /// Measure N x N transforms here, and check a paper's statements
    Profile2d(profile2d::Profile2d),
    /// Simulate the part of that study that needs 36 cores
    Simulate2d(Simulate2d),
    /// Measure the cost of operations here, as a profile for simulate
    Calibrate(Calibrate),
    /// Measure the speed functions of groups of nodes, for transform
    Profile(Profile),
    /// Run programs on machines under policies, as a file says
    Sweep(Sweep),
    /// Map where DUAL is faster than SPN, simulated and measured
    Map(Map),
    /// Change one policy at a time, and find what matters where
    Policies(Policies),
    /// Predict runs of this computer on other machines
    WhatIf(WhatIf),
    /// Search for the fastest parameters of the overlapping 3-D transform
    Tune(Tune),
}

/// `earth-lab compare`.
#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// Samples, as for transform [default: bundled series and picture]
    #[arg(value_name = "IN")]
    pub(crate) input: Option<PathBuf>,

    /// Also write an HTML page with plots
    #[arg(short, long = "out", value_name = "OUT.html")]
    pub(crate) output: Option<PathBuf>,

    /// Policy of both configurations.
    #[command(flatten)]
    pub(crate) turns: Turns,

    /// Write a trace of the fastest run of the first subject
    ///
    /// The run is repeated with tracing. .json is for Perfetto, .svg a plot.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Start no further row after this many seconds
    #[arg(long, value_name = "S", value_parser = positive, default_value_t = 45.0)]
    pub(crate) max_seconds: f64,

    /// Print the rows as one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// How to read a table.
    #[command(flatten)]
    pub(crate) table: csv::Options,
}

/// `earth-lab calibrate`.
#[derive(Debug, Args)]
pub(crate) struct Calibrate {
    /// Write the profile to this file, for simulate --profile
    #[arg(short, long = "out", value_name = "FILE.toml")]
    pub(crate) output: Option<PathBuf>,

    /// Measure rates instead, and write them here, for transform --rates
    ///
    /// Rates are bandwidths of caches and memory, and times of kernels.
    ///
    /// They predict the time of each pass of a plan, and what bounds it.
    #[arg(long, value_name = "FILE.toml", conflicts_with = "output")]
    pub(crate) rates: Option<PathBuf>,

    /// Measure rates, and check how well they predict this many plans
    #[arg(long, value_name = "SIZES", value_parser = at_least_one, conflicts_with = "output")]
    pub(crate) check: Option<NonZeroUsize>,

    /// Print profile or rates, and predictions, as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// `earth-lab sweep`.
#[derive(Debug, Args)]
pub(crate) struct Sweep {
    /// Experiment: programs, sizes, machines and policies
    ///
    /// The guide's chapter on experiments describes the file.
    #[arg(value_name = "EXPERIMENT.toml")]
    pub(crate) experiment: PathBuf,

    /// Rows of finished runs [default: the experiment's name, .csv, here]
    ///
    /// A run that has a row is not repeated.
    #[arg(short, long = "out", value_name = "ROWS.csv")]
    pub(crate) output: Option<PathBuf>,

    /// Also draw the rows: ratios to the first policy, or times
    #[arg(long, value_name = "OUT.svg")]
    pub(crate) plot: Option<PathBuf>,

    /// Also write a page with all plots and numbers
    #[arg(long, value_name = "OUT.html|OUT.md")]
    pub(crate) page: Option<PathBuf>,

    /// Start no further run after this many seconds
    #[arg(long, value_name = "S", value_parser = positive)]
    pub(crate) max_seconds: Option<f64>,

    /// Print the summary as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// `earth-lab map`.
#[derive(Debug, Args)]
pub(crate) struct Map {
    /// Write the page as Markdown here, and its plots to a folder beside
    #[arg(short, long = "out", value_name = "OUT.md")]
    pub output: Option<PathBuf>,

    /// Also measure on this computer, and keep the rows in this file
    ///
    /// A row that the file has is not measured again.
    #[arg(long, value_name = "FILE")]
    pub measured: Option<PathBuf>,

    /// Start no further measurement after this many seconds
    #[arg(long, value_name = "S", value_parser = positive, requires = "measured")]
    pub max_seconds: Option<f64>,

    /// Further costs: a built-in profile, or a .toml file of calibrate
    ///
    /// With --measured the default is what calibrate measures here.
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,

    /// Keep finished simulated runs in this file, and take up its runs
    ///
    /// A page that was interrupted goes on with the runs that are left.
    #[arg(long, value_name = "FILE")]
    pub runs: Option<PathBuf>,

    /// Make a small map, within seconds
    #[arg(long)]
    pub small: bool,

    /// Print all rows as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `earth-lab policies`.
#[derive(Debug, Args)]
pub(crate) struct Policies {
    /// Only this program [default: all]
    #[arg(value_name = "PROGRAM")]
    pub program: Option<String>,

    /// Write the page as Markdown here, and its plots to a folder beside
    #[arg(short, long = "out", value_name = "OUT.md")]
    pub output: Option<PathBuf>,

    /// Keep the rows of finished runs in this CSV file, and take up its rows
    #[arg(long, value_name = "FILE")]
    pub rows: Option<PathBuf>,

    /// Only on simulated machines, whose times are exact
    #[arg(long)]
    pub simulated: bool,

    /// Start no further run after this many seconds
    #[arg(long, value_name = "S", value_parser = positive)]
    pub max_seconds: Option<f64>,

    /// Print all results as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `earth-lab what-if`.
#[derive(Debug, Args)]
pub(crate) struct WhatIf {
    /// Only this program [default: all]
    #[arg(value_name = "PROGRAM")]
    pub program: Option<String>,

    /// Write the page as Markdown here
    #[arg(short, long = "out", value_name = "OUT.md")]
    pub output: Option<PathBuf>,

    /// Print all rows as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `earth-lab simulate2d`.
#[derive(Debug, Args)]
pub(crate) struct Simulate2d {
    /// Number of seeds of the simulated speed functions
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=1_000_000), default_value_t = 2000)]
    pub seeds: u32,

    /// Number of sizes N, 128 to 64000, on the simulated 36 cores
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=500), default_value_t = 50)]
    pub sizes: u32,

    /// Also write plots (.svg) and a page (.html) to this folder
    #[arg(short, long = "out", value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Write the report as Markdown here, and its plots to a folder beside
    #[arg(long, value_name = "FILE.md")]
    pub page: Option<PathBuf>,

    /// Print the report as one JSON object
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn long_help_fits_a_terminal() {
        let mut cli = Cli::command();
        cli.build();
        for command in std::iter::once(&mut cli.clone()).chain(cli.get_subcommands_mut()) {
            let help = command.render_long_help().to_string();
            let wide: Vec<_> = help.lines().filter(|line| line.chars().count() > 80).collect();
            assert!(wide.is_empty(), "{wide:#?}");
        }
    }
}
