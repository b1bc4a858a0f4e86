//! The commands of `earth-lab` and their options, as they are written on the command line.
//!
//! Options have the same name in every command. What is wrong here is wrong without looking at any file: exit
//! code 2.

mod profile;
pub(crate) mod profile2d;
mod simulate;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use earth_console::args::{Turns, at_least_one, positive};
use earth_console::io::csv;

pub(crate) use profile::{Measuring, Profile};
pub(crate) use simulate::{DEFAULT_PROFILE, Simulate, What};

/// Experiments with parallel FFTs: measured, simulated and compared.
#[derive(Debug, Parser)]
#[command(name = "earth-lab", version, propagate_version = true)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What `earth-lab` can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compare SPN with DUAL over programs, node counts and block sizes
    Compare(Compare),
    /// Simulate the EARTH machine: the paper's figures and statements
    Simulate(Simulate),
    /// Study transforms of matrices over N, and a paper's statements
    Profile2d(profile2d::Profile2d),
    /// Simulate what that study cannot measure here, on 36 cores
    Simulate2d(Simulate2d),
    /// Measure what operations cost here, as a profile for simulate
    Calibrate(Calibrate),
    /// Measure the speed functions of groups of nodes, for transform
    Profile(Profile),
}

/// `earth-lab compare`.
#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// Samples, as for transform [default: bundled series and picture]
    #[arg(value_name = "IN")]
    pub(crate) input: Option<PathBuf>,

    /// Write a page with plots, too
    #[arg(short, long = "out", value_name = "OUT.html")]
    pub(crate) output: Option<PathBuf>,

    /// The policy of both configurations.
    #[command(flatten)]
    pub(crate) turns: Turns,

    /// Write a trace of the fastest of the first subject's runs
    ///
    /// It is run again for that; .json is for Perfetto, .svg a picture.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Begin no further row after so many seconds
    #[arg(long, value_name = "S", value_parser = positive, default_value_t = 45.0)]
    pub(crate) max_seconds: f64,

    /// Print the rows as one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// How a table is read.
    #[command(flatten)]
    pub(crate) table: csv::Options,
}

/// `earth-lab calibrate`.
#[derive(Debug, Args)]
pub(crate) struct Calibrate {
    /// Write the profile there, for simulate --profile
    #[arg(short, long = "out", value_name = "FILE.toml")]
    pub(crate) output: Option<PathBuf>,

    /// Measure rates instead, and write them there, for transform --rates
    ///
    /// They are bandwidths of caches and memory, and times of kernels.
    ///
    /// What passes of a plan take, and what bounds them, follows from these.
    #[arg(long, value_name = "FILE.toml", conflicts_with = "output")]
    pub(crate) rates: Option<PathBuf>,

    /// Measure rates, and how far off they predict plans of so many sizes
    #[arg(long, value_name = "SIZES", value_parser = at_least_one, conflicts_with = "output")]
    pub(crate) check: Option<NonZeroUsize>,

    /// Print profile or rates, and predictions, as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// `earth-lab simulate2d`.
#[derive(Debug, Args)]
pub(crate) struct Simulate2d {
    /// Seeds of the speed functions by which rows are dealt
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=1_000_000), default_value_t = 2000)]
    pub seeds: u32,

    /// How many N, from 128 to 64000, on the simulated 36 cores
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=500), default_value_t = 50)]
    pub sizes: u32,

    /// Write plots (.svg) and a page (.html) there, too
    #[arg(short, long = "out", value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Write the report as Markdown there, its plots into a folder beside
    #[arg(long, value_name = "FILE.md")]
    pub page: Option<PathBuf>,

    /// Print all as one JSON object
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
