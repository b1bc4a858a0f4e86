//! `earth-lab simulate`: its options, and what it can show.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use earth_console::args::Turns;

use crate::simulate::{PAPER_FLOP, TUNED_FLOP, subjects};

/// `earth-lab simulate`.
#[derive(Debug, Args)]
pub(crate) struct Simulate {
    /// What is shown, one or more
    #[arg(value_name = "WHAT", value_parser = shown(), required = true)]
    pub subjects: Vec<What>,

    /// The machine's costs: a built-in profile, or a .toml file
    ///
    /// Built in: manna50, seed140-scaled-net, seed140-fixed-net, bluegene-l.
    ///
    /// Their files are in runtime/profiles/, to be copied and changed.
    #[arg(long, value_name = "PROFILE", default_value = DEFAULT_PROFILE)]
    pub profile: String,

    /// Cycles of a flop, paper (54.7) or tuned (5.5) [default: the profile's]
    ///
    /// It takes the place of all that the profile says of work.
    #[arg(long, value_name = "WORK", value_parser = flop_cycles)]
    pub work: Option<f64>,

    /// The policy of all machines.
    #[command(flatten)]
    pub turns: Turns,

    /// Write plots (.svg), rows (.csv) and a page (.html, .md) there, too
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
pub(crate) const DEFAULT_PROFILE: &str = "seed140-scaled-net";

/// What can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Of the paper on EARTH.
    Earth(&'static str),
    /// The paper on Blue Gene/L, all of it.
    Torus,
    /// Its first figure.
    TorusPattern,
    /// The paper on FFTs on a many-core, all of it.
    Manycore,
    /// Its figures of stages.
    ManycoreStages,
}

/// The papers that are shown alone, and figures of them.
const ALONE: [(What, &str, &str); 4] = [
    (What::Torus, "torus", "The paper on Blue Gene/L: its page, within minutes"),
    (What::TorusPattern, "torus-pattern", "Its first figure alone"),
    (What::Manycore, "manycore", "The paper on many-cores: its page, within minutes"),
    (What::ManycoreStages, "manycore-stages", "Its times of stages alone"),
];

/// Takes the name of what can be shown.
fn shown() -> impl TypedValueParser<Value = What> {
    let all = || subjects().map(|(name, help)| (What::Earth(name), name, help)).chain(ALONE);
    PossibleValuesParser::new(all().map(|(_, name, help)| PossibleValue::new(name).help(help))).try_map(
        move |given| {
            all().find(|(_, name, _)| *name == given).map(|(what, ..)| what).ok_or("it is none of these")
        },
    )
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
