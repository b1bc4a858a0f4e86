//! Commands and their options, as on the command line.
//!
//! Options have the same name in every command. An error found here needs no look at any file: exit code 2.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use earth_console::args::{CONFIGS, PADS, PARTITIONS, Turns, algorithms, at_least_one, choices, positive};
use earth_console::io::csv;
use earth_fft::kernel::Kernel;
use earth_fft::{Config, Planner};
use earth_fftw::Effort;
use earth_papers::Groups;
use earth_papers::groups::{Pad, Partition, Speeds};

pub(crate) use crate::bench_fft::args::BenchFft;

/// Parallel FFTs as fine-grained dataflow: from a file to its spectrum.
#[derive(Debug, Parser)]
#[command(name = "earth-fft", version, propagate_version = true)]
pub(crate) struct Cli {
    /// Command.
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Returns the command line, whose algorithms are the planner's solvers.
    pub(crate) fn of(planner: &Planner) -> clap::Command {
        let algorithms = algorithms(planner);
        Self::command().mut_subcommand("transform", |transform| {
            transform.mut_arg("algorithm", |option| option.value_parser(algorithms))
        })
    }

    /// Parses a command line.
    ///
    /// # Errors
    ///
    /// An error of the command line, or the help that it requests.
    pub(crate) fn read<I: Into<OsString> + Clone>(
        planner: &Planner,
        line: impl IntoIterator<Item = I>,
    ) -> Result<Self, clap::Error> {
        let line: Vec<OsString> = line.into_iter().map(Into::into).collect();
        if let Some(command) = line.get(1).and_then(|word| OF_LAB.iter().find(|command| word == *command)) {
            let said = format!(
                "'{command}' is a command of earth-lab: cargo run --release -p earth-lab -- {command}\n"
            );
            return Err(clap::Error::raw(clap::error::ErrorKind::InvalidSubcommand, said));
        }
        Self::of(planner).try_get_matches_from(line).and_then(|read| Self::from_arg_matches(&read))
    }
}

/// Commands of `earth-fft`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Transform a signal in a file to its spectrum, or back
    Transform(Transform),
    /// Compare transforms with MKL's and FFTW's over sizes
    BenchFft(BenchFft),
    /// Make one first call for bench-fft
    #[command(hide = true)]
    FirstCall {
        /// The call, in JSON
        question: String,
    },
    /// Show the cores, vector instructions and kernels found here
    Info(Info),
}

/// Commands of the binary `earth-lab`.
const OF_LAB: [&str; 6] = ["compare", "simulate", "profile2d", "simulate2d", "calibrate", "profile"];

/// `earth-fft transform`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub(crate) struct Transform {
    /// The signal, .npy, .csv (one column, or re,im) or .png; - is stdin
    ///
    /// A .npy has one to three dimensions, a .png is a matrix.
    ///
    /// Its shades are 0 (black) to 1 (white); colors become their luminance.
    ///
    /// Without an extension, the content decides.
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,

    /// The spectrum, .npy, .csv (of a series) or .png; - is stdout
    ///
    /// A .npy always has all N values, a .csv frequency,re,im,amplitude.
    ///
    /// A .png shows log(1 + |X|) of a matrix, zero frequency in the center.
    ///
    /// Without an extension it gets the input's format.
    #[arg(short, long = "out", value_name = "OUT")]
    pub(crate) output: PathBuf,

    /// The FFT program
    #[arg(long, default_value = "auto")]
    pub(crate) algorithm: String,

    /// One thread a node, or two
    #[arg(long, value_parser = choices(&CONFIGS), default_value = "spn")]
    pub(crate) config: Config,

    /// The machine's policy.
    #[command(flatten)]
    pub(crate) turns: Turns,

    /// Number of nodes [default: as the cores allow]
    #[arg(long, value_name = "P", value_parser = at_least_one)]
    pub(crate) nodes: Option<NonZeroUsize>,

    /// Points, or rows of a matrix, in a block [default: from the nodes]
    #[arg(long, value_name = "B", value_parser = at_least_one)]
    pub(crate) block: Option<NonZeroUsize>,

    /// Row kernel: earth (the default), rustfft, fftw, fftw2, mkl, or a path
    ///
    /// A library has FFTW's interface; its code runs when it is loaded.
    #[arg(long, value_name = "KERNEL")]
    pub(crate) kernel: Option<Kernel>,

    /// Planning effort: estimate, measure or patient [default: estimate]
    ///
    /// measure times all choices that no option makes, and keeps the fastest.
    ///
    /// For a matrix it also tries distributions by saved speed functions.
    ///
    /// patient tries more programs and blocks, FFTW and MKL among them.
    ///
    /// A library plans its rows with the same effort.
    #[arg(long, value_name = "EFFORT")]
    pub(crate) effort: Option<Effort>,

    /// Time limit of measuring, in seconds [default: none]
    #[arg(long, value_name = "S", value_parser = positive)]
    pub(crate) time_limit: Option<f64>,

    /// Read plans from this file, and save measured plans to it
    ///
    /// The file holds for this computer and this version only.
    ///
    /// A library that it names by a path is loaded only if --kernel names it.
    ///
    /// Commands that measure at the same time merge their plans.
    #[arg(long, value_name = "FILE")]
    pub(crate) wisdom: Option<PathBuf>,

    /// Rates of this computer, as calibrate --rates writes them
    ///
    /// With --explain they show what bounds each pass.
    ///
    /// Measuring then skips plans that they predict to be far too slow.
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) rates: Option<PathBuf>,

    /// From a spectrum back to a signal, divided by N
    ///
    /// A .csv then has index,re,im, or time,re,im with --rate.
    ///
    /// A .png then has the real parts, from 0 (black) to 1 (white).
    #[arg(long)]
    pub(crate) inverse: bool,

    /// Samples a second, so that a .csv has hertz
    #[arg(long, value_name = "HZ", value_parser = positive)]
    pub(crate) rate: Option<f64>,

    /// Both halves of a real signal's spectrum in a .csv
    #[arg(long)]
    pub(crate) full: bool,

    /// Check the result in two ways, print its error
    #[arg(long)]
    pub(crate) verify: bool,

    /// Write a trace of the run, as .json for Perfetto or .svg
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Time limit of the command, in seconds; then it ends with exit code 1
    #[arg(long, value_name = "S", value_parser = positive)]
    pub(crate) max_seconds: Option<f64>,

    /// Print the plan and the reason for it on standard error
    #[arg(long)]
    pub(crate) explain: bool,

    /// Print the summary as one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// Number of groups p [default: one for each node]
    #[arg(long, value_name = "p", value_parser = at_least_one, help_heading = GROUPS)]
    pub(crate) groups: Option<NonZeroUsize>,

    /// Nodes of a group t, p t in all [default: 1, or nodes / p]
    #[arg(long, value_name = "t", value_parser = at_least_one, help_heading = GROUPS)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Distribution of rows over groups [default: lb]
    #[arg(long, value_parser = choices(&PARTITIONS), help_heading = GROUPS)]
    pub(crate) partition: Option<Partition>,

    /// Padding of rows to make them faster [default: none]
    #[arg(long, value_parser = choices(&PADS), help_heading = GROUPS)]
    pub(crate) pad: Option<Pad>,

    /// Each step, or stage of radix-2 to -8, waits for the one before
    #[arg(long, help_heading = GROUPS)]
    pub(crate) barrier: bool,

    /// Speed functions, as profile writes them [default: saved ones]
    #[arg(long = "profile", value_name = "FILE", help_heading = GROUPS)]
    pub(crate) profiles: Vec<PathBuf>,

    /// Use speed functions of another computer anyway
    #[arg(long, help_heading = GROUPS)]
    pub(crate) force: bool,

    /// Options for reading a table.
    #[command(flatten)]
    pub(crate) table: csv::Options,
}

/// Heading of the options for `grouped`, and for a matrix under `auto`.
const GROUPS: &str = "Groups of nodes (for matrices)";

impl Transform {
    /// Returns the requested groups, if any option requests them.
    pub(crate) fn groups(&self) -> Option<Groups> {
        let &Self { groups, threads, partition, pad, .. } = self;
        let barrier = self.barrier && !self.has_stages();
        let asked = groups.is_some() || threads.is_some() || partition.is_some() || pad.is_some() || barrier;
        let (partition, pad) = (partition.unwrap_or_default(), pad.unwrap_or_default());
        let speeds = Speeds::default();
        asked.then_some(Groups { groups, threads, partition, pad, barrier, speeds })
    }

    /// Whether the program is an FFT by stages, whose barriers are not barriers of groups.
    fn has_stages(&self) -> bool {
        self.algorithm.starts_with("radix-")
    }

    /// Whether stages wait for each other.
    pub(crate) fn barriers(&self) -> bool {
        self.barrier && self.has_stages()
    }

    /// Whether planning measures.
    pub(crate) fn measures(&self) -> bool {
        self.effort.is_some_and(|effort| effort != Effort::Estimate)
    }
}

/// `earth-fft info`.
#[derive(Debug, Args)]
pub(crate) struct Info {
    /// Print it as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use earth_fft::solver::Solver;

    use super::*;
    use crate::own_solver::ByDefinition;

    #[test]
    fn the_definitions_are_consistent() {
        Cli::of(&earth_papers::planner()).debug_assert();
    }

    #[test]
    fn long_help_fits_a_terminal() {
        let mut cli = Cli::of(&earth_papers::planner());
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
        let Command::Transform(args) = Cli::read(&earth_papers::planner(), line.split(' ')).unwrap().command
        else {
            panic!("transform")
        };
        assert_eq!((&*args.algorithm, args.config), ("sender", Config::Dual));
        assert_eq!(
            (args.nodes.map(NonZeroUsize::get), args.block.map(NonZeroUsize::get)),
            (Some(3), Some(16))
        );
        assert!(args.inverse && args.full && args.verify && args.json && args.rate == Some(2.5));
    }

    #[test]
    fn commands_of_the_laboratory_are_named() {
        for command in OF_LAB {
            let error = Cli::read(&earth_papers::planner(), ["earth-fft", command]).unwrap_err();
            let said = format!("error: '{command}' is a command of earth-lab: ");
            assert!(error.exit_code() == 2 && error.to_string().starts_with(&said), "{error}");
        }
    }

    /// The names of `--algorithm` are the names of the planner's solvers, including solvers of other crates.
    #[test]
    fn solvers_of_other_crates_have_their_names() {
        let line = "earth-fft transform a.npy -o b.npy --algorithm definition";
        assert!(Cli::read(&earth_papers::planner(), line.split(' ')).is_err());
        let planner = earth_papers::planner().register([Arc::new(ByDefinition) as Arc<dyn Solver>]);
        assert!(Cli::read(&planner, line.split(' ')).is_ok());
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
            let error = Cli::read(&earth_papers::planner(), line.split(' ')).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{wrong}");
        }
    }
}
