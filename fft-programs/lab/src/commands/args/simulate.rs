//! Options of `earth-lab simulate`, and the subjects it can show.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use earth_console::args::Turns;

use crate::simulate::{PAPER_FLOP, TUNED_FLOP, subjects};

/// `earth-lab simulate`.
#[derive(Debug, Args)]
pub(crate) struct Simulate {
    /// One or more subjects to show
    #[arg(value_name = "WHAT", value_parser = shown(), required = true)]
    pub subjects: Vec<What>,

    /// Costs of the machine: a built-in profile, or a .toml file
    ///
    /// Built in: manna50, seed140-scaled-net, seed140-fixed-net, bluegene-l.
    ///
    /// Also epyc-7773x, a computer with shared memory.
    ///
    /// Their files are in runtime/profiles/, to be copied and changed.
    #[arg(long, value_name = "PROFILE", default_value = DEFAULT_PROFILE)]
    pub profile: String,

    /// Cycles per flop, paper (54.7) or tuned (5.5) [default: the profile's]
    ///
    /// It replaces all costs of work in the profile.
    #[arg(long, value_name = "WORK", value_parser = flop_cycles)]
    pub work: Option<f64>,

    /// Policy of all machines.
    #[command(flatten)]
    pub turns: Turns,

    /// Also write plots (.svg), rows (.csv), page (.html, .md) to this folder
    #[arg(short, long = "out", value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Keep finished runs in this file, and take up the runs that it has
    ///
    /// A page that was interrupted goes on with the runs that are left.
    #[arg(long, value_name = "FILE")]
    pub runs: Option<PathBuf>,

    /// Reports of `earth-fft-mpi overlap --json` (.json), for overlap
    #[arg(long, value_name = "DIR")]
    pub measured: Option<PathBuf>,

    /// Write a trace of the shortest run on the most nodes, at most 8
    ///
    /// The run is repeated with tracing. .json is for Perfetto, .svg a plot.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// Print the report as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Profile of the paper's figures: all costs are cycles of one 140 MHz clock, as the paper's simulator counts
/// them.
pub(crate) const DEFAULT_PROFILE: &str = "seed140-scaled-net";

/// Subjects that can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A subject of the EARTH paper.
    Earth(&'static str),
    /// The EARTH paper, complete.
    EarthPage,
    /// The paper on Blue Gene/L, complete.
    Torus,
    /// The first figure of the paper on Blue Gene/L.
    TorusPattern,
    /// The paper on FFTs on a many-core, complete.
    Manycore,
    /// The figures of stages of the paper on many-cores.
    ManycoreStages,
    /// The paper on overlap, complete.
    Overlap,
    /// Figures of the paper on overlap for two arrays.
    OverlapShort,
    /// The growth of distributed FFTs, complete.
    Growth,
    /// The plot of small arrays of the growth.
    GrowthSmall,
    /// The scale of the runtime, complete.
    Scale,
    /// The page of the scale, of small programs on few nodes.
    ScaleSmall,
}

/// Papers and other pages, and figures of them, that are shown alone.
const ALONE: [(What, &str, &str); 11] = [
    (What::EarthPage, "earth", "Page of the EARTH paper, within an hour"),
    (What::Torus, "torus", "Page of the paper on Blue Gene/L, within minutes"),
    (What::TorusPattern, "torus-pattern", "First figure of that page alone"),
    (What::Manycore, "manycore", "Page of the paper on many-cores, within minutes"),
    (What::ManycoreStages, "manycore-stages", "Times of stages of that page alone"),
    (What::Overlap, "overlap", "Page of the paper on overlap, within two hours"),
    (What::OverlapShort, "overlap-short", "Figures of that page for two arrays, in minutes"),
    (What::Growth, "distributed", "Page of FFTs on 1 to 1024 ranks, within minutes"),
    (What::GrowthSmall, "distributed-few", "Small arrays of that page alone"),
    (What::Scale, "scale", "Page of the runtime on 4 to 64 nodes, in minutes"),
    (What::ScaleSmall, "scale-few", "That page of small programs on few nodes"),
];

/// Parses the name of a subject.
fn shown() -> impl TypedValueParser<Value = What> {
    let all = || subjects().map(|(name, help)| (What::Earth(name), name, help)).chain(ALONE);
    PossibleValuesParser::new(all().map(|(_, name, help)| PossibleValue::new(name).help(help))).try_map(
        move |given| {
            all()
                .find(|(_, name, _)| *name == given)
                .map(|(what, ..)| what)
                .ok_or("it must be one of the possible values")
        },
    )
}

fn flop_cycles(text: &str) -> Result<f64, String> {
    match text {
        "paper" => Ok(PAPER_FLOP),
        "tuned" => Ok(TUNED_FLOP),
        _ => match text.parse::<f64>() {
            Ok(cycles) if (0.0..=1e6).contains(&cycles) => Ok(cycles),
            Ok(_) => Err("it must be from 0 to 1000000 cycles".to_owned()),
            Err(_) => Err("it must be 'paper', 'tuned' or a number of cycles".to_owned()),
        },
    }
}
