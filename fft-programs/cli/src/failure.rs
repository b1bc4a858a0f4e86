//! Everything that can go wrong in a command, as one sentence and one exit code.

use std::io;
use std::process::ExitCode;

use earth_fft::{PlanError, TransformError};
use earth_kernels::Verified;
use earth_lab::bench_fft::BenchFftError;
use earth_lab::bench_fft::cases::NoCase;
use earth_lab::compare::CompareError;
use earth_lab::measure::SizesError;
use earth_lab::measure::file::LoadError;
use earth_lab::simulate::SimulateError;
use earth_lab::study::{BenchError, NoSizes, RunError};
use earth_memory::NoMemory;
use earth_partition::OtherComputer;

use crate::io::aside::WriteError;
use crate::io::{ReadError, UnknownFormat};
use crate::output::say;
use crate::stop::{INTERRUPTED, OUT_OF_TIME, Stop};

/// Why a command failed. Its text is one sentence without a full stop.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A variable of the environment that means nothing.
    #[error("{0}")]
    Environment(#[source] earth::Error),
    /// An extension that names no format.
    #[error(transparent)]
    Format(#[from] UnknownFormat),
    /// Both the spectrum and the summary would go to standard output.
    #[error("'-o -' and '--json' would both print on standard output")]
    TwoResults,
    /// A page would go to standard output, where the tables go.
    #[error("the page cannot go to standard output, where the tables go; give it a name like 'report.html'")]
    PageOnStdout,
    /// Wisdom would go to standard output, where the summary goes.
    #[error("wisdom cannot go to standard output; give it the name of a file, like 'wisdom.json'")]
    WisdomOnStdout,
    /// A file that is no wisdom, or none for here.
    #[error("cannot use the wisdom '{name}': {why}")]
    Wisdom {
        /// The file's name.
        name: String,
        /// Why it cannot be used.
        why: String,
    },
    /// A file without rates, or with none for here.
    #[error("cannot use the rates '{name}': {why}")]
    Rates {
        /// The file's name.
        name: String,
        /// Why they cannot be used.
        why: String,
    },
    /// A file that is no report of `bench-fft`.
    #[error("cannot show the report '{name}': {why}")]
    Report {
        /// The file's name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// A trace of no known form.
    #[error("'{name}' is no name for a trace: it ends in .json for Perfetto or in .svg for a picture")]
    TraceForm {
        /// The file's name.
        name: String,
    },
    /// The paper on Blue Gene/L is asked for with what does not apply to it.
    #[error(
        "torus and torus-pattern are shown alone: they take --profile, --work and --out PAGE.md, and no other option"
    )]
    TorusAlone,
    /// The paper on many-cores is asked for with what does not apply to it.
    #[error("manycore and manycore-stages are shown alone: they take --out PAGE.md, and no other option")]
    ManycoreAlone,
    /// What is no matrix is to become a picture.
    #[error("a .png holds a matrix and this is {}; a {} holds it", array(lengths), if lengths.len() == 1 { ".csv or a .npy" } else { ".npy" })]
    NoPicture {
        /// The lengths of its dimensions.
        lengths: Vec<usize>,
    },
    /// What is no series is to become a table of frequencies.
    #[error("a .csv holds a series and this is {}; a {} holds it", array(lengths), if lengths.len() == 2 { ".npy or a .png" } else { ".npy" })]
    NoTable {
        /// The lengths of its dimensions.
        lengths: Vec<usize>,
    },
    /// An array that the programs of the papers do not transform is to be compared.
    #[error("the programs that are compared transform a series or a matrix, and this is {}", array(lengths))]
    NotCompared {
        /// The lengths of its dimensions.
        lengths: Vec<usize>,
    },
    /// The input cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The output cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// There is no such transform.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The system refused memory.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// No spectrum came back.
    #[error("the transform failed: {0}")]
    Transform(#[source] TransformError),
    /// A spectrum came back and it is wrong.
    #[error(
        "the spectrum is wrong: its relative error is {error:.1e} where at most {bound:.1e} is rounding; nothing was written"
    )]
    Wrong {
        /// The relative L2 error.
        error: f64,
        /// The largest that rounding explains.
        bound: f64,
    },
    /// A profile that is neither built in nor a file.
    #[error("there is no profile '{name}': it is {known}, or the name of a file that ends in .toml")]
    UnknownProfile {
        /// The name that was asked for.
        name: String,
        /// The names of the profiles that are built in.
        known: String,
    },
    /// A profile's file cannot be used.
    #[error("cannot read the profile '{name}': {why}")]
    Profile {
        /// The file.
        name: String,
        /// Why it cannot be used.
        why: String,
    },
    /// Nothing was simulated, or something wrong.
    #[error(transparent)]
    Simulation(#[from] SimulateError),
    /// Speed functions that cannot be read.
    #[error(transparent)]
    Speeds(#[from] LoadError),
    /// Speed functions of another computer.
    #[error("'{name}': {other}; with --force it is used all the same")]
    OtherComputer {
        /// The file.
        name: String,
        /// The fact that differs.
        other: OtherComputer,
    },
    /// A file of speed functions that are not those to be measured.
    #[error(
        "'{name}' holds speed functions of other groups or another kernel; give another file with -o, or --force to begin anew"
    )]
    OtherSubject {
        /// The file.
        name: String,
    },
    /// No sizes to measure.
    #[error(transparent)]
    NoPlan(SizesError),
    /// Repetitions that make no mean.
    #[error("a mean needs a confidence below 1, and at least 2 and at most --max-repetitions repetitions")]
    Unreliable,
    /// The measurement is of no use.
    #[error("nothing was measured: {0}")]
    Measuring(String),
    /// Nowhere to save speed functions.
    #[error("there is no folder for the user's data; name a file with -o")]
    NoPlace,
    /// Sizes of a study that are none.
    #[error(transparent)]
    Sizes(#[from] NoSizes),
    /// Neither a class nor a size.
    #[error(transparent)]
    Case(#[from] NoCase),
    /// Nothing to compare with peers.
    #[error(transparent)]
    BenchFft(#[from] BenchFftError),
    /// A study that cannot go on.
    #[error(transparent)]
    Study(#[from] RunError),
    /// The time budget cannot be watched.
    #[error("no thread could be started for --max-seconds: {0}")]
    NoTimer(#[source] io::Error),
    /// The summary cannot be printed.
    #[error("cannot write standard output: {0}")]
    Stdout(#[source] io::Error),
}

impl Failure {
    /// 2 for what the command line or the environment alone shows to be wrong, 1 for the rest.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Environment(_)
            | Self::Format(_)
            | Self::TwoResults
            | Self::PageOnStdout
            | Self::WisdomOnStdout
            | Self::Sizes(_)
            | Self::Case(_)
            | Self::UnknownProfile { .. }
            | Self::NoPlan(_)
            | Self::Unreliable
            | Self::TraceForm { .. }
            | Self::TorusAlone
            | Self::ManycoreAlone
            // Groups and nodes that do not fit are wrong on the command line itself, whatever the files hold.
            | Self::Plan(PlanError::NodesOfGroups { .. } | PlanError::TooManyGroups { .. }) => 2,
            Self::NoPicture { .. }
            | Self::NoTable { .. }
            | Self::NotCompared { .. }
            | Self::Wisdom { .. }
            | Self::Rates { .. }
            | Self::Report { .. }
            | Self::Read(_)
            | Self::Write(_)
            | Self::Plan(_)
            | Self::NoMemory(_)
            | Self::Transform(_)
            | Self::Wrong { .. }
            | Self::Profile { .. }
            | Self::Simulation(_)
            | Self::Speeds(_)
            | Self::OtherComputer { .. }
            | Self::OtherSubject { .. }
            | Self::Measuring(_)
            | Self::NoPlace
            | Self::Study(_)
            | Self::BenchFft(_)
            | Self::NoTimer(_)
            | Self::Stdout(_) => 1,
        }
    }

    /// Tells the user, who may know already, and gives the exit code of the process.
    pub fn end(&self, stop: &Stop) -> ExitCode {
        if self.is_broken_pipe() {
            return ExitCode::SUCCESS;
        }
        if !self.is_interruption() {
            say(self);
            return ExitCode::from(self.exit_code());
        }
        if stop.is_out_of_time() {
            say(OUT_OF_TIME);
            return ExitCode::from(1);
        }
        ExitCode::from(INTERRUPTED)
    }

    /// The failure of a spectrum that rounding does not explain. One that NaN or infinity went into has an error of
    /// NaN, which proves nothing.
    pub(super) fn wrong(verified: &Verified) -> Option<Self> {
        let Verified { bound, .. } = *verified;
        let error = verified.relative_error();
        (error > bound).then_some(Self::Wrong { error, bound })
    }

    /// Whether the user interrupted it, who then needs no message.
    fn is_interruption(&self) -> bool {
        matches!(
            self,
            Self::Transform(TransformError::Machine(earth::Error::Cancelled))
                | Self::Simulation(SimulateError::Machine(TransformError::Machine(earth::Error::Cancelled)))
                | Self::Study(RunError::Bench(BenchError::Transform(TransformError::Machine(
                    earth::Error::Cancelled,
                ))))
        )
    }

    /// Whether our reader went away, which is no failure of ours.
    fn is_broken_pipe(&self) -> bool {
        let (Self::Stdout(source) | Self::Write(WriteError { source, .. })) = self else {
            return false;
        };
        source.kind() == io::ErrorKind::BrokenPipe
    }
}

/// What an array of these lengths is called.
fn array(lengths: &[usize]) -> String {
    let what = ["a series", "a matrix", "an array"][lengths.len().clamp(1, 3) - 1];
    format!("{what} of {} samples", sizes(lengths))
}

/// The lengths of dimensions, for people.
pub(super) fn sizes(lengths: &[usize]) -> String {
    lengths.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ")
}

impl From<TransformError> for Failure {
    fn from(error: TransformError) -> Self {
        match error {
            TransformError::Plan(error) => error.into(),
            TransformError::NoMemory(error) => error.into(),
            error => Self::Transform(error),
        }
    }
}

impl From<CompareError> for Failure {
    fn from(error: CompareError) -> Self {
        match error {
            CompareError::Transform(error) => error.into(),
            CompareError::Wrong(verified) => {
                Self::Wrong { error: verified.relative_error(), bound: verified.bound }
            }
        }
    }
}
