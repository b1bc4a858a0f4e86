//! `earth-lab profile`: its options.

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
/// What is measured is kept; the same command goes on where it ended.
#[derive(Debug, Args)]
pub(crate) struct Profile {
    /// Groups p [default: each node one]
    #[arg(long, value_name = "p", value_parser = at_least_one)]
    pub groups: Option<NonZeroUsize>,

    /// Nodes a group t [default: 1, or the usable cores / p]
    #[arg(long, value_name = "t", value_parser = at_least_one)]
    pub threads: Option<NonZeroUsize>,

    /// One thread a node, or two
    #[arg(long, value_parser = choices(&CONFIGS), default_value = "spn")]
    pub config: Config,

    /// Row kernel: earth (the default), rustfft, fftw, mkl, or a path
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<Kernel>,

    /// How hard its planner tries: estimate, measure or patient
    #[arg(long, value_name = "EFFORT")]
    pub effort: Option<Effort>,

    /// The precision of points
    #[arg(long, value_enum, default_value_t)]
    pub precision: Precision,

    /// What is done to rows: none, stride or chirp
    #[arg(long, value_parser = choices(&MEASURED_PADS), default_value_t)]
    pub pad: Pad,

    /// Rows and points up to so many, x at most y
    #[arg(long, value_name = "N", value_parser = at_least_one, default_value = "1024")]
    pub longest: NonZeroUsize,

    /// The step between numbers of rows, and between lengths
    #[arg(long, value_name = "STEP", value_parser = at_least_one, default_value = "128")]
    pub step: NonZeroUsize,

    /// For N rows alone, from their even distribution outward
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub around: Option<NonZeroUsize>,

    /// The points of a row, with --around [default: N]
    #[arg(long, value_name = "M", value_parser = at_least_one, requires = "around")]
    pub length: Option<NonZeroUsize>,

    /// Begin no further size after so many seconds
    #[arg(long = "max-seconds", value_name = "S", value_parser = positive)]
    pub budget: Option<f64>,

    /// Planning is part of the time, as in the paper
    #[arg(long)]
    pub planning: bool,

    /// How well is measured.
    #[command(flatten)]
    pub measuring: Measuring,

    /// The file [default: one in the user's data, for transform]
    #[arg(short, long = "out", value_name = "FILE.json")]
    pub output: Option<PathBuf>,

    /// Use a file of another computer, or write over one of other groups
    #[arg(long)]
    pub force: bool,

    /// Print the summary as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// When a mean is good enough; the defaults are the paper's, but for its hour a size.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Reliability of a mean")]
pub(crate) struct Measuring {
    /// How often intervals cover the true mean
    #[arg(long, value_name = "PART", value_parser = positive, default_value_t = 0.95)]
    pub confidence: f64,

    /// Half the interval, as a part of the mean
    #[arg(long, value_name = "PART", value_parser = positive, default_value_t = 0.025)]
    pub tolerance: f64,

    /// The least repetitions of a size
    #[arg(long = "min-repetitions", value_name = "R", default_value_t = 10)]
    pub least: u32,

    /// The most
    #[arg(long = "max-repetitions", value_name = "R", default_value_t = 100_000)]
    pub most: u32,

    /// Seconds of repetitions after which a size is given up
    #[arg(long = "size-seconds", value_name = "S", value_parser = positive, default_value_t = 10.0)]
    pub seconds: f64,
}

/// The paddings for which a row kernel can be measured.
const MEASURED_PADS: [Choice<Pad>; 3] =
    [Choice(Pad::None, ""), Choice(Pad::Stride, ""), Choice(Pad::Chirp, "")];
