//! `earth-fft simulate`: its options, and what it can show.

use std::path::PathBuf;

use clap::Args;
use earth_lab::simulate::{PAPER_FLOP, Subject, TUNED_FLOP};

use super::values::{Choice, Turns, choices};

/// `earth-fft simulate`.
#[derive(Debug, Args)]
pub struct Simulate {
    /// What is shown, one or more
    #[arg(value_name = "WHAT", value_parser = choices(&SUBJECTS), required = true)]
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
pub const DEFAULT_PROFILE: &str = "seed140-scaled-net";

/// What can be shown, and what it is.
const SUBJECTS: [Choice<Subject>; 24] = [
    Choice(Subject::Fig6, Subject::Fig6.name(), "Receiver, its multithreaded phase over nodes"),
    Choice(Subject::Fig7, Subject::Fig7.name(), "Receiver, its multithreaded phase over N on 64 nodes"),
    Choice(Subject::Fig8, Subject::Fig8.name(), "Receiver, total time over nodes"),
    Choice(Subject::Fig9, Subject::Fig9.name(), "Receiver, total time over N"),
    Choice(Subject::Fig10, Subject::Fig10.name(), "Sender with blocks of 16 over nodes, N of 2^12 to 2^16"),
    Choice(Subject::Fig11, Subject::Fig11.name(), "Sender over nodes, N of 2^12, blocks of 4, 16 and 256"),
    Choice(Subject::Fig12, Subject::Fig12.name(), "Sender over nodes, N of 64, blocks of 16"),
    Choice(Subject::Fig13, Subject::Fig13.name(), "Sender and receiver over nodes, N of 2^14"),
    Choice(Subject::Speedup, Subject::Speedup.name(), "The absolute speed-up over nodes, N of 2^14"),
    Choice(Subject::Work, Subject::Work.name(), "The cost of work: the paper's and that of tuned code"),
    Choice(Subject::Profiles, Subject::Profiles.name(), "The three built-in profiles"),
    Choice(Subject::Latency, Subject::Latency.name(), "Network latency x 1/4 to x 16"),
    Choice(Subject::Tokens, Subject::Tokens.name(), "The cost of an ask (the paper's token) x 1/4 to x 4"),
    Choice(
        Subject::FreeAsks,
        Subject::FreeAsks.name(),
        "Asks that cost nothing: speed-up over nodes, N of 2^14",
    ),
    Choice(
        Subject::SuSpeed,
        Subject::SuSpeed.name(),
        "The speed of DUAL's synchronization units x 1/2 to x 4",
    ),
    Choice(Subject::HandOver, Subject::HandOver.name(), "What handing over to them costs, or nothing"),
    Choice(Subject::Crossover, Subject::Crossover.name(), "Where SPN and DUAL cross: over the cost of work"),
    Choice(Subject::Order, Subject::Order.name(), "One queue, fibers first, newest first"),
    Choice(Subject::Window, Subject::Window.name(), "How many roots the receiver asks for at a time"),
    Choice(Subject::Watchdog, Subject::Watchdog.name(), "Messages that interrupt fibers in SPN"),
    Choice(Subject::PointSize, Subject::PointSize.name(), "Points of 8 bytes over those of 16"),
    Choice(Subject::Large, Subject::Large.name(), "Up to 2^36 points without data, on up to 1024 nodes"),
    Choice(Subject::Statements, Subject::Statements.name(), "The paper's statements, judged"),
    Choice(Subject::All, Subject::All.name(), "Everything, within minutes"),
];

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
