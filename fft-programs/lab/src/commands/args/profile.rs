//! Options of `earth-lab profile`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use earth_console::args::{CONFIGS, Choice, Precision, at_least_one, choices, positive};
use earth_fft::{Config, Kernel};
use earth_fftw::Effort;
use earth_papers::groups::Pad;

/// `earth-lab profile`.
///
/// All groups transform x rows of y points at once, for x and y on a grid.
///
/// Results are kept in a file; the same command resumes where it stopped.
#[derive(Debug, Args)]
pub(crate) struct Profile {
    /// Number of groups p [default: one per node]
    #[arg(long, value_name = "p", value_parser = at_least_one)]
    pub groups: Option<NonZeroUsize>,

    /// Nodes per group t [default: 1, or the usable cores / p]
    #[arg(long, value_name = "t", value_parser = at_least_one)]
    pub threads: Option<NonZeroUsize>,

    /// Threads per node: spn is one, dual is two
    #[arg(long, value_parser = choices(&CONFIGS), default_value = "spn")]
    pub config: Config,

    /// Row kernel: earth (the default), rustfft, fftw, fftw2, mkl, or a path
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<Kernel>,

    /// Planning effort of the kernel: estimate, measure or patient
    #[arg(long, value_name = "EFFORT")]
    pub effort: Option<Effort>,

    /// Precision of the points
    #[arg(long, value_enum, default_value_t)]
    pub precision: Precision,

    /// Padding of rows: none, stride or chirp
    #[arg(long, value_parser = choices(&MEASURED_PADS), default_value_t)]
    pub pad: Pad,

    /// Largest number of rows and of points; x is at most y
    #[arg(long, value_name = "N", value_parser = at_least_one, default_value = "1024")]
    pub longest: NonZeroUsize,

    /// Step between numbers of rows, and between lengths
    #[arg(long, value_name = "STEP", value_parser = at_least_one, default_value = "128")]
    pub step: NonZeroUsize,

    /// Measure N rows alone, from their even distribution outward
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub around: Option<NonZeroUsize>,

    /// Points per row, with --around [default: N]
    #[arg(long, value_name = "M", value_parser = at_least_one, requires = "around")]
    pub length: Option<NonZeroUsize>,

    /// Start no further size after this many seconds
    #[arg(long = "max-seconds", value_name = "S", value_parser = positive)]
    pub budget: Option<f64>,

    /// Include planning in the time, as the paper does
    #[arg(long)]
    pub planning: bool,

    /// Reliability of the means.
    #[command(flatten)]
    pub measuring: Measuring,

    /// Output file [default: one in the user's data, for transform]
    #[arg(short, long = "out", value_name = "FILE.json")]
    pub output: Option<PathBuf>,

    /// Use a file of another computer, or overwrite one of other groups
    #[arg(long)]
    pub force: bool,

    /// Print the summary as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Reliability of a mean. The defaults are the paper's, except for its limit of an hour per size.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Reliability of a mean")]
pub(crate) struct Measuring {
    /// Probability that the interval covers the true mean
    #[arg(long, value_name = "PART", value_parser = positive, default_value_t = 0.95)]
    pub confidence: f64,

    /// Half width of the interval, relative to the mean
    #[arg(long, value_name = "PART", value_parser = positive, default_value_t = 0.025)]
    pub tolerance: f64,

    /// Fewest repetitions of a size
    #[arg(long = "min-repetitions", value_name = "R", default_value_t = 10)]
    pub least: u32,

    /// Most repetitions of a size
    #[arg(long = "max-repetitions", value_name = "R", default_value_t = 100_000)]
    pub most: u32,

    /// Seconds of repetitions after which a size is abandoned
    #[arg(long = "size-seconds", value_name = "S", value_parser = positive, default_value_t = 10.0)]
    pub seconds: f64,
}

/// Paddings whose row kernels can be measured.
const MEASURED_PADS: [Choice<Pad>; 3] =
    [Choice(Pad::None, ""), Choice(Pad::Stride, ""), Choice(Pad::Chirp, "")];
