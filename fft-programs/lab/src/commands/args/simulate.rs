//! `earth-lab simulate`: its options, and what it can show.

use std::path::PathBuf;

use clap::Args;
use earth_console::args::{Choice, Named, Turns, choices};

use crate::simulate::{PAPER_FLOP, Subject, TUNED_FLOP};

/// `earth-lab simulate`.
#[derive(Debug, Args)]
pub(crate) struct Simulate {
    /// What is shown, one or more
    #[arg(value_name = "WHAT", value_parser = choices(&SUBJECTS), required = true)]
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
    Earth(Subject),
    /// The paper on Blue Gene/L, all of it.
    Torus,
    /// Its first figure.
    TorusPattern,
    /// The paper on FFTs on a many-core, all of it.
    Manycore,
    /// Its figures of stages.
    ManycoreStages,
}

/// What can be shown, and what it is.
const SUBJECTS: [Choice<What>; 28] = [
    earth(Subject::Fig6, "Receiver, its multithreaded phase over nodes"),
    earth(Subject::Fig7, "Receiver, multithreaded phase over N, 64 nodes"),
    earth(Subject::Fig8, "Receiver, total time over nodes"),
    earth(Subject::Fig9, "Receiver, total time over N"),
    earth(Subject::Fig10, "Sender, blocks of 16, over nodes, N of 2^12 to 2^16"),
    earth(Subject::Fig11, "Sender over nodes, 2^12 points, blocks of 4 to 256"),
    earth(Subject::Fig12, "Sender over nodes, N of 64, blocks of 16"),
    earth(Subject::Fig13, "Sender and receiver over nodes, N of 2^14"),
    earth(Subject::Speedup, "The absolute speed-up over nodes, N of 2^14"),
    earth(Subject::Work, "The cost of work: the paper's, and tuned code's"),
    earth(Subject::Profiles, "The three built-in profiles"),
    earth(Subject::Latency, "Network latency x 1/4 to x 16"),
    earth(Subject::Tokens, "The cost of an ask (the paper's token) x 1/4 to x 4"),
    earth(Subject::FreeAsks, "Asks at no cost: speed-up over nodes, N of 2^14"),
    earth(Subject::SuSpeed, "Speed of DUAL's synchronization units x 1/2 to x 4"),
    earth(Subject::HandOver, "What handing over to them costs, or nothing"),
    earth(Subject::Crossover, "Where SPN and DUAL cross: over the cost of work"),
    earth(Subject::Order, "One queue, fibers first, newest first"),
    earth(Subject::Window, "How many roots the receiver asks for at a time"),
    earth(Subject::Watchdog, "Messages that interrupt fibers in SPN"),
    earth(Subject::PointSize, "Points of 8 bytes over those of 16"),
    earth(Subject::Large, "Up to 2^36 points without data, on up to 1024 nodes"),
    earth(Subject::Statements, "The paper's statements, judged"),
    earth(Subject::All, "Everything, within minutes"),
    Choice(What::Torus, "The paper on Blue Gene/L: its page, within minutes"),
    Choice(What::TorusPattern, "Its first figure alone"),
    Choice(What::Manycore, "The paper on many-cores: its page, within minutes"),
    Choice(What::ManycoreStages, "Its times of stages alone"),
];

const fn earth(subject: Subject, help: &'static str) -> Choice<What> {
    Choice(What::Earth(subject), help)
}

impl Named for What {
    fn named(&self) -> &'static str {
        match self {
            Self::Earth(subject) => subject.name(),
            Self::Torus => "torus",
            Self::TorusPattern => "torus-pattern",
            Self::Manycore => "manycore",
            Self::ManycoreStages => "manycore-stages",
        }
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
