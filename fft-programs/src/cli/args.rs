//! The commands and their options, as they are written on the command line.
//!
//! Options have the same name in every command. What is wrong here is wrong without looking at any file: exit
//! code 2.

pub mod profile2d;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use earth_fftw::Effort;

use crate::kernel::Kernel;
use crate::request::groups::{Groups, Pad, Partition, Speeds};
use crate::request::{Algorithm, Config};

/// Parallel FFTs as fine-grained dataflow: from a file to its spectrum.
#[derive(Debug, Parser)]
#[command(name = "earth-fft", version, propagate_version = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What `earth-fft` can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Transform a signal in a file to its spectrum, or back
    Transform(Transform),
    /// Compare SPN with DUAL over programs, node counts and block sizes
    Compare(Compare),
    /// Simulate the EARTH machine: the paper's figures and statements
    Simulate(Simulate),
    /// Study transforms of matrices over N, and a paper's statements
    Profile2d(profile2d::Profile2d),
    /// Measure what operations cost here, as a profile for simulate
    Calibrate(Calibrate),
    /// Measure the speed functions of groups of nodes, for transform
    Profile(Profile),
    /// Show the cores, vector instructions and kernels found here
    Info(Info),
}

/// `earth-fft transform`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub struct Transform {
    /// The signal, .npy, .csv (one column, or re,im) or .png; - is stdin
    ///
    /// A .npy of two dimensions is a matrix, and so is a .png.
    ///
    /// Its shades are 0 (black) to 1 (white), its colours their luminance.
    ///
    /// Without an extension, the content tells.
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// The spectrum, .npy, .csv (not of a matrix) or .png; - is stdout
    ///
    /// A .npy always has all N values, a .csv frequency,re,im,amplitude.
    ///
    /// A .png shows log(1 + |X|) of a matrix, zero frequency in the centre.
    ///
    /// Without an extension it gets the input's format.
    #[arg(short, long = "out", value_name = "OUT")]
    pub output: PathBuf,

    /// The FFT program
    #[arg(long, value_enum, default_value_t)]
    pub algorithm: Algorithm,

    /// One thread a node, or two
    #[arg(long, value_enum, default_value_t)]
    pub config: Config,

    /// Nodes [default: 1 for auto, else as many as the cores allow]
    #[arg(long, value_name = "P", value_parser = at_least_one)]
    pub nodes: Option<NonZeroUsize>,

    /// Points a block, or rows of a matrix [default: by P]
    #[arg(long, value_name = "B", value_parser = at_least_one)]
    pub block: Option<NonZeroUsize>,

    /// Groups of nodes that share a matrix.
    #[command(flatten)]
    pub sharing: Sharing,

    /// From a spectrum back to a signal, divided by N
    ///
    /// A .csv then has index,re,im, or time,re,im with --rate.
    ///
    /// A .png then has the real parts, from 0 (black) to 1 (white).
    #[arg(long)]
    pub inverse: bool,

    /// Samples a second, so that a .csv has hertz
    #[arg(long, value_name = "HZ", value_parser = positive)]
    pub rate: Option<f64>,

    /// Both halves of a real signal's spectrum in a .csv
    #[arg(long)]
    pub full: bool,

    /// Check the result in two ways, print its error
    #[arg(long)]
    pub verify: bool,

    /// Write what ran when and why, as .json for Perfetto or .svg
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// End after so many seconds, with exit code 1
    #[arg(long, value_name = "S", value_parser = positive)]
    pub max_seconds: Option<f64>,

    /// Print the summary as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// How groups of nodes share a matrix: for `grouped`, and for a matrix under `auto`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Groups of nodes (for matrices)")]
pub struct Sharing {
    /// Groups p [default: each node one]
    #[arg(long, value_name = "p", value_parser = at_least_one)]
    pub groups: Option<NonZeroUsize>,

    /// Nodes a group t; there are p t nodes [default: 1, or nodes / p]
    #[arg(long, value_name = "t", value_parser = at_least_one)]
    pub threads: Option<NonZeroUsize>,

    /// Which group gets how many rows [default: lb]
    #[arg(long, value_enum)]
    pub partition: Option<Partition>,

    /// What is done to rows to make them faster [default: none]
    #[arg(long, value_enum)]
    pub pad: Option<Pad>,

    /// The row kernel: rustfft (the default), fftw, mkl or a library's path
    ///
    /// A library has FFTW's interface; its code runs when it is loaded.
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<Kernel>,

    /// How hard its planner tries: estimate, measure or patient
    #[arg(long, value_name = "EFFORT")]
    pub effort: Option<Effort>,

    /// Each of the four steps waits for the one before
    #[arg(long)]
    pub barrier: bool,

    /// Speed functions, as profile writes them [default: those saved]
    #[arg(long = "profile", value_name = "FILE")]
    pub profiles: Vec<PathBuf>,

    /// Use speed functions of another computer all the same
    #[arg(long)]
    pub force: bool,
}

impl Sharing {
    /// What was asked for, if anything was.
    pub fn groups(&self) -> Option<Groups> {
        let Self { kernel, effort, .. } = self;
        let &Self { groups, threads, partition, pad, barrier, .. } = self;
        let asked = groups.is_some()
            || threads.is_some()
            || partition.is_some()
            || pad.is_some()
            || kernel.is_some()
            || effort.is_some()
            || barrier;
        let (partition, pad) = (partition.unwrap_or_default(), pad.unwrap_or_default());
        let (kernel, effort, speeds) = (kernel.clone(), *effort, Speeds::default());
        asked.then_some(Groups { groups, threads, partition, pad, kernel, effort, barrier, speeds })
    }
}

/// `earth-fft compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// Samples, as for transform [default: bundled series and picture]
    #[arg(value_name = "IN")]
    pub input: Option<PathBuf>,

    /// Write a page with plots, too
    #[arg(short, long = "out", value_name = "OUT.html")]
    pub output: Option<PathBuf>,

    /// Write a trace of the fastest of the first subject's runs
    ///
    /// It is run again for that; .json is for Perfetto, .svg a picture.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// Begin no further row after so many seconds
    #[arg(long, value_name = "S", value_parser = positive, default_value_t = 45.0)]
    pub max_seconds: f64,

    /// Print the rows as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `earth-fft simulate`.
#[derive(Debug, Args)]
pub struct Simulate {
    /// What is shown, one or more
    #[arg(value_name = "WHAT", value_enum, required = true)]
    pub subjects: Vec<Subject>,

    /// The machine's costs: a built-in profile, or a .toml file
    ///
    /// Built in are manna50, seed140-scaled-net and seed140-fixed-net.
    ///
    /// Their files are in runtime/profiles/, to be copied and changed.
    #[arg(long, value_name = "PROFILE", default_value = DEFAULT_PROFILE)]
    pub profile: String,

    /// Cycles of a flop, paper (54.7) or tuned (5.5) [default: the profile's]
    ///
    /// It takes the place of all that the profile says of work.
    #[arg(long, value_name = "WORK", value_parser = flop_cycles)]
    pub work: Option<f64>,

    /// Write plots (.svg), rows (.csv) and a page (.html) there, too
    #[arg(short, long = "out", value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Write a trace of the shortest run on the most nodes up to 8
    ///
    /// It is run again for that; .json is for Perfetto, .svg a picture.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// Print all as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// The profile of the paper's figures: all in cycles of one clock of 140 MHz, as its simulator counts them.
pub const DEFAULT_PROFILE: &str = "seed140-scaled-net";

/// What `earth-fft simulate` can show. The figures are those of Thulasiraman and others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Subject {
    /// Receiver, its multithreaded phase over nodes
    Fig6,
    /// Receiver, its multithreaded phase over N on 64 nodes
    Fig7,
    /// Receiver, total time over nodes
    Fig8,
    /// Receiver, total time over N
    Fig9,
    /// Sender with blocks of 16 over nodes, N of 2^12 to 2^16
    Fig10,
    /// Sender over nodes, N of 2^12, blocks of 4, 16 and 256
    Fig11,
    /// Sender over nodes, N of 64, blocks of 16
    Fig12,
    /// Sender and receiver over nodes, N of 2^14
    Fig13,
    /// The absolute speed-up over nodes, N of 2^14
    Speedup,
    /// The cost of work: the paper's and that of tuned code
    Work,
    /// The three built-in profiles
    Profiles,
    /// Network latency x 1/4 to x 16
    Latency,
    /// The cost of an ask (the paper's token) x 1/4 to x 4
    Tokens,
    /// The speed of DUAL's synchronization units x 1/2 to x 4
    SuSpeed,
    /// Where SPN and DUAL cross: over the cost of work
    Crossover,
    /// Up to 2^36 points without data, on up to 1024 nodes
    Large,
    /// The paper's twenty statements, judged
    Statements,
    /// Everything, within minutes
    All,
}

/// The paper's cost of a floating-point operation, in cycles: 547 for the ten of a butterfly.
pub(crate) const PAPER_FLOP: f64 = 54.7;

/// That of tuned code: 55 cycles a butterfly.
pub(crate) const TUNED_FLOP: f64 = 5.5;

/// `earth-fft calibrate`.
#[derive(Debug, Args)]
pub struct Calibrate {
    /// Write the profile there, for simulate --profile
    #[arg(short, long = "out", value_name = "FILE.toml")]
    pub output: Option<PathBuf>,

    /// Print profile and predictions as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `earth-fft profile`.
///
/// All groups transform x rows of y points at once, for x and y on a grid.
///
/// What is measured is kept; the same command goes on where it ended.
#[derive(Debug, Args)]
pub struct Profile {
    /// Groups p [default: each node one]
    #[arg(long, value_name = "p", value_parser = at_least_one)]
    pub groups: Option<NonZeroUsize>,

    /// Nodes a group t [default: 1, or the usable cores / p]
    #[arg(long, value_name = "t", value_parser = at_least_one)]
    pub threads: Option<NonZeroUsize>,

    /// One thread a node, or two
    #[arg(long, value_enum, default_value_t)]
    pub config: Config,

    /// The row kernel: rustfft (the default), fftw, mkl or a library's path
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<Kernel>,

    /// How hard its planner tries: estimate, measure or patient
    #[arg(long, value_name = "EFFORT")]
    pub effort: Option<Effort>,

    /// The precision of points
    #[arg(long, value_enum, default_value_t)]
    pub precision: Precision,

    /// What is done to rows: none, stride or chirp
    #[arg(long, value_enum, default_value_t, value_parser = exact_pad())]
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
pub struct Measuring {
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

/// The numbers that points are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Precision {
    /// Double: 16 bytes a point
    #[default]
    F64,
    /// Single: 8 bytes a point
    F32,
}

/// `earth-fft info`.
#[derive(Debug, Args)]
pub struct Info {
    /// Print it as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What a row kernel can be measured for.
fn exact_pad() -> impl clap::builder::TypedValueParser<Value = Pad> {
    use clap::builder::TypedValueParser as _;
    clap::builder::PossibleValuesParser::new(["none", "stride", "chirp"])
        .try_map(|name| <Pad as clap::ValueEnum>::from_str(&name, false))
}

fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    let number: usize = text.parse().map_err(|error| format!("{error}"))?;
    NonZeroUsize::new(number).ok_or_else(|| "it must be at least 1".to_owned())
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 => Ok(rate),
        Ok(_) => Err("it must be finite and greater than 0".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn flop_cycles(text: &str) -> Result<f64, String> {
    match text {
        "paper" => Ok(PAPER_FLOP),
        "tuned" => Ok(TUNED_FLOP),
        _ => match text.parse::<f64>() {
            Ok(cycles) if (0.0..=1e6).contains(&cycles) => Ok(cycles),
            Ok(_) => Err("it must be 0 to a million cycles".to_owned()),
            Err(_) => Err("it is 'paper', 'tuned' or a number of cycles".to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

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

    #[test]
    fn a_full_command_line_is_understood() {
        let line = "earth-fft transform a.npy -o b.csv --algorithm sender --config dual --nodes 3 --block 16 --inverse --rate 2.5 --full --verify --json";
        let Command::Transform(args) = Cli::parse_from(line.split(' ')).command else { panic!("transform") };
        assert_eq!((args.algorithm, args.config), (Algorithm::Sender, Config::Dual));
        assert_eq!(
            (args.nodes.map(NonZeroUsize::get), args.block.map(NonZeroUsize::get)),
            (Some(3), Some(16))
        );
        assert!(args.inverse && args.full && args.verify && args.json && args.rate == Some(2.5));
    }

    #[test]
    fn zero_and_the_infinite_are_syntax() {
        for wrong in [
            "--nodes 0",
            "--block 0",
            "--nodes -1",
            "--nodes 99999999999999999999",
            "--rate 0",
            "--rate -1",
            "--rate inf",
            "--rate nan",
            "--algorithm fast",
        ] {
            let line = format!("earth-fft transform a.npy -o b.npy {wrong}");
            let error = Cli::try_parse_from(line.split(' ')).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{wrong}");
        }
    }
}
