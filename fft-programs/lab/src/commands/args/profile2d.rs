//! Options of `earth-lab profile2d`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use earth_console::args::{CONFIGS, Precision, at_least_one, choices, positive};
use earth_fft::{Config, Kernel};
use earth_fftw::Effort;

/// `earth-lab profile2d`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub(crate) struct Profile2d {
    /// First N; matrices are N x N
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub from: usize,

    /// Largest N; the last N is the last step that does not exceed it
    #[arg(long, value_name = "N", default_value_t = 2048)]
    pub to: usize,

    /// Step from one N to the next
    #[arg(long, value_name = "N", value_parser = at_least_one, default_value = "64")]
    pub step: NonZeroUsize,

    /// Further N, separated by commas
    ///
    /// Averages and variations leave out the N beyond --to.
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    pub sizes: Vec<usize>,

    /// Row kernel, as for transform [default: earth, and those found]
    ///
    /// May be given several times.
    #[arg(long = "kernel", value_name = "KERNEL")]
    pub kernels: Vec<Kernel>,

    /// Precision of the points
    #[arg(long, value_enum, default_value_t)]
    pub precision: Precision,

    /// Threads per node: spn is one, dual is two
    #[arg(long, value_parser = choices(&CONFIGS), default_value = "spn")]
    pub config: Config,

    /// Cores for each transform [default: the usable cores]
    #[arg(long, value_name = "C", value_parser = at_least_one)]
    pub cores: Option<NonZeroUsize>,

    /// Planning effort: estimate, measure or patient
    #[arg(long, value_name = "EFFORT", default_value_t)]
    pub effort: Effort,

    /// Plan again for each run, and include planning in the time
    #[arg(long)]
    pub planning: bool,

    /// Also run padding as published; it is a different transform
    #[arg(long)]
    pub as_published: bool,

    /// Most repetitions of a mean; at least 10 are done if this allows
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(2..), default_value_t = 30)]
    pub repetitions: u32,

    /// Abandon a mean after this many seconds
    #[arg(long, value_name = "S", value_parser = positive, default_value_t = 10.0)]
    pub point_seconds: f64,

    /// Seconds for each speed function around the balanced shares
    #[arg(long, value_name = "S", value_parser = positive, default_value_t = 0.5)]
    pub speed_seconds: f64,

    /// Also plan libraries' own transforms by measuring, up to this N
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub measure_to: usize,

    /// Also plan them by measuring patiently, up to this N and --measure-to
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub patient_to: usize,

    /// Start no further step after this many seconds
    #[arg(long, value_name = "S", value_parser = positive)]
    pub max_seconds: Option<f64>,

    /// Keep rows in this folder, resume from them, write the report there
    ///
    /// rows.jsonl has a line for each step; Ctrl-C loses at most one.
    #[arg(short, long = "out", value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Write the report as Markdown here, and its plots to a folder beside
    #[arg(long, value_name = "FILE.md")]
    pub page: Option<PathBuf>,

    /// Resume from rows of another computer, or of other options
    #[arg(long)]
    pub force: bool,

    /// Print the report as one JSON object
    #[arg(long)]
    pub json: bool,
}
