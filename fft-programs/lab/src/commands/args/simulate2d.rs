//! `earth-lab simulate2d`: its options.

use std::path::PathBuf;

use clap::Args;

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
