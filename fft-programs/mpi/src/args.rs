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
    fn names_of_other_formats_are_refused() {
        let check = |input: &str, output: &str| {
            let line = ["earth-fft-mpi", "transform", input, "-o", output];
            let Command::Transform(args) = Cli::read(line.map(OsString::from).into()).unwrap().command;
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
