//! Command line of `earth-fft-mpi`. Options have the names and meanings of `earth-fft`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use earth::Config;
use earth_console::Failure;
use earth_console::args::{CONFIGS, choices};
use earth_console::io::Format;
use earth_fft::Direction;
use earth_fft::distributed::Order;

use crate::refusal::Refusal;

/// FFTs of files whose parts live on the ranks of an MPI job.
#[derive(Debug, Parser)]
#[command(name = "earth-fft-mpi", version, propagate_version = true)]
pub(crate) struct Cli {
    /// Command.
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Parses a command line.
    ///
    /// # Errors
    ///
    /// An error of the command line, or the help that it requests.
    pub(crate) fn read(line: Vec<OsString>) -> Result<Self, clap::Error> {
        Self::try_parse_from(line)
    }
}

/// Commands of `earth-fft-mpi`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Transform an array in a file to its spectrum, or back
    Transform(Transform),
    /// Compare distributed transforms with FFTW-MPI and heFFTe
    ///
    /// Each is loaded if the system's loader finds it.
    ///
    /// The variable EARTH_HEFFTE may have the name or the path of libheffte.
    Bench(Bench),
    /// Compare transforms that overlap their exchange, in one job
    ///
    /// The program of Song and Hollingsworth (2014) is tuned first.
    ///
    /// Then it takes turns with its variants, and with itself by MPI alone.
    ///
    /// FFTW-MPI and the plans of this project take part, too.
    Overlap(Overlap),
}

/// `earth-fft-mpi bench`.
#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Lengths of 1 to 3 dimensions, such as 2^22 or 128x128x128
    #[arg(value_name = "SIZE", required = true, value_parser = size)]
    pub(crate) sizes: Vec<Size>,

    /// The spectra stay in transposed order
    #[arg(long)]
    pub(crate) transposed: bool,

    /// Planning effort of FFTW-MPI and heFFTe
    #[arg(long, value_enum, default_value_t)]
    pub(crate) effort: Effort,

    /// Rounds, an odd number; in each, all transform and this project twice
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = odd)]
    pub(crate) rounds: usize,

    /// One thread a rank, or two
    #[arg(long, value_parser = choices(&CONFIGS), default_value = "spn")]
    pub(crate) config: Config,

    /// Print the comparison as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// `earth-fft-mpi overlap`.
#[derive(Debug, Args)]
pub(crate) struct Overlap {
    /// Lengths of 3 dimensions, such as 128x128x128
    #[arg(value_name = "SIZE", required = true, value_parser = lengths)]
    pub(crate) sizes: Vec<[usize; 3]>,

    /// Rounds, an odd number; in each, all transform and NEW twice
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = odd)]
    pub(crate) rounds: usize,

    /// Most points that a search for parameters runs
    #[arg(long, value_name = "N", default_value = "100", value_parser = some)]
    pub(crate) trials: usize,

    /// Draw the points where a search begins, by this number
    ///
    /// Default: the points around the paper's parameters.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// One thread a rank, or two
    #[arg(long, value_parser = choices(&CONFIGS), default_value = "spn")]
    pub(crate) config: Config,

    /// Exchange the blocks of a tile in rounds, not all at once
    #[arg(long)]
    pub(crate) pairwise: bool,

    /// Name of the network in the report, such as "TCP, 10 Gbit/s"
    #[arg(long, value_name = "NAME")]
    pub(crate) network: Option<String>,

    /// Also plan with FFTW_EXHAUSTIVE, which takes long
    #[arg(long)]
    pub(crate) exhaustive: bool,

    /// Print the report as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Lengths of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Size(pub(crate) Vec<usize>);

/// Planning effort of the peers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Effort {
    /// FFTW_ESTIMATE; heFFTe's default options
    Estimate,
    /// FFTW_MEASURE; the fastest options of heFFTe
    #[default]
    Measure,
    /// FFTW_PATIENT; the options of heFFTe as by measure
    Patient,
}

impl Effort {
    /// Returns the effort of a library.
    pub(crate) fn of_library(self) -> earth_fftw_mpi::Effort {
        match self {
            Self::Estimate => earth_fftw_mpi::Effort::Estimate,
            Self::Measure => earth_fftw_mpi::Effort::Measure,
            Self::Patient => earth_fftw_mpi::Effort::Patient,
        }
    }

    /// Returns the name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Estimate => "estimate",
            Self::Measure => "measure",
            Self::Patient => "patient",
        }
    }
}

/// Parses the lengths of an array: numbers or powers, separated by `x`.
fn size(text: &str) -> Result<Size, String> {
    let length = |text: &str| {
        let length: Option<usize> = match text.split_once('^') {
            None => text.parse().ok(),
            Some((base, power)) => {
                let base: Option<usize> = base.parse().ok();
                base.zip(power.parse().ok()).and_then(|(base, power)| base.checked_pow(power))
            }
        };
        length.filter(|&length| length > 0).ok_or_else(|| format!("'{text}' is no length"))
    };
    let lengths = text.split('x').map(length).collect::<Result<Vec<_>, _>>()?;
    if lengths.len() > 3 { Err("an array has 1 to 3 dimensions".to_owned()) } else { Ok(Size(lengths)) }
}

/// Parses the lengths of an array of three dimensions.
fn lengths(text: &str) -> Result<[usize; 3], String> {
    size(text)?.0.try_into().map_err(|_| format!("'{text}' has no three dimensions"))
}

/// Parses a number that is not 0.
fn some(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&number| number > 0).ok_or_else(|| format!("'{text}' is no number above 0"))
}

/// Parses an odd number.
fn odd(text: &str) -> Result<usize, String> {
    let rounds = text.parse().ok().filter(|rounds: &usize| !rounds.is_multiple_of(2));
    rounds.ok_or_else(|| "the number of rounds is odd, so that there is a median".to_owned())
}

/// `earth-fft-mpi transform`.
#[derive(Debug, Args)]
pub(crate) struct Transform {
    /// The array, .npy in C order; each rank reads its own part
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,

    /// The spectrum, .npy; all ranks write to one file
    ///
    /// It appears when it is whole. All ranks must see its directory.
    #[arg(short, long = "out", value_name = "OUT")]
    pub(crate) output: PathBuf,

    /// From a spectrum back to an array
    #[arg(long)]
    pub(crate) inverse: bool,

    /// Factor of the transforms
    #[arg(long, value_enum, default_value_t)]
    pub(crate) norm: Norm,

    /// The file of the spectrum has its first two axes exchanged
    ///
    /// The ranks then exchange their points once less. Not for a series.
    #[arg(long)]
    pub(crate) transposed: bool,

    /// Planning effort: estimate, measure or patient [default: estimate]
    ///
    /// All ranks measure at the same time. The results of rank 0 count.
    #[arg(long, value_name = "EFFORT")]
    pub(crate) effort: Option<earth_fft::Effort>,

    /// Read plans from this file, and save measured plans to it
    ///
    /// Rank 0 reads and writes it.
    ///
    /// The file holds for this computer and this version only.
    #[arg(long, value_name = "FILE")]
    pub(crate) wisdom: Option<PathBuf>,

    /// One thread a rank, or two
    #[arg(long, value_parser = choices(&CONFIGS), default_value = "spn")]
    pub(crate) config: Config,

    /// Print the summary as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Normalization, by the names of `NumPy`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Norm {
    /// The inverse is divided by N
    #[default]
    Backward,
    /// Both are divided by the square root of N
    Ortho,
    /// The forward transform is divided by N
    Forward,
}

impl Norm {
    /// Returns the library's value.
    pub(crate) fn of_library(self) -> earth_fft::Norm {
        match self {
            Self::Backward => earth_fft::Norm::Backward,
            Self::Ortho => earth_fft::Norm::Ortho,
            Self::Forward => earth_fft::Norm::Forward,
        }
    }

    /// Returns the name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Backward => "backward",
            Self::Ortho => "ortho",
            Self::Forward => "forward",
        }
    }
}

impl Transform {
    /// Checks that both names can name a `.npy` file.
    ///
    /// # Errors
    ///
    /// Standard input or output, and another extension than `.npy`.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        for path in [&self.input, &self.output] {
            if path == Path::new("-") {
                return Err(Refusal::Stream.into());
            }
            if !matches!(Format::of(path)?, None | Some(Format::Npy)) {
                return Err(Refusal::NotNpy(path.clone()).into());
            }
        }
        Ok(())
    }

    /// Whether planning measures.
    pub(crate) fn measures(&self) -> bool {
        self.effort.is_some_and(|effort| effort != earth_fft::Effort::Estimate)
    }

    /// Returns the direction.
    pub(crate) fn direction(&self) -> Direction {
        if self.inverse { Direction::Inverse } else { Direction::Forward }
    }

    /// Returns the order of the spectrum.
    pub(crate) fn order(&self) -> Order {
        if self.transposed { Order::Transposed } else { Order::Natural }
    }
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

    #[test]
    fn sizes_are_lengths_or_powers() {
        assert_eq!(size("2^10x48").map(|size| size.0), Ok(vec![1024, 48]));
        assert_eq!(size("7").map(|size| size.0), Ok(vec![7]));
        for wrong in ["", "0", "2x", "3^99", "1x2x3x4", "2x-3", "a"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert!(odd("4").is_err() && odd("5") == Ok(5));
        assert!(lengths("4x4").is_err() && lengths("4x2^3x5") == Ok([4, 8, 5]));
        assert!(some("0").is_err() && some("-1").is_err() && some("3") == Ok(3));
    }

    #[test]
    fn names_of_other_formats_are_refused() {
        let check = |input: &str, output: &str| {
            let line = ["earth-fft-mpi", "transform", input, "-o", output];
            let Command::Transform(args) = Cli::read(line.map(OsString::from).into()).unwrap().command else {
                unreachable!("the line has the command transform");
            };
            args.check().map_err(|failure| failure.exit_code())
        };
        assert_eq!(check("a.npy", "b.NPY"), Ok(()));
        assert_eq!(check("a", "b"), Ok(()));
        for (input, output) in [("a.csv", "b.npy"), ("a.npy", "b.png"), ("-", "b.npy"), ("a.npy", "-")] {
            assert_eq!(check(input, output), Err(2), "{input} {output}");
        }
        assert_eq!(check("a.txt", "b.npy"), Err(2));
    }
}
