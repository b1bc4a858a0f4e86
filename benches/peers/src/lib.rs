//! Earth compared with its peers, one process per figure: the program of
//! `cargo run --release -p earth-peers`.
//!
//! Two cores of one computer may exchange messages at different speeds from one process to the next, and a
//! process keeps its speed. A claim therefore needs many processes. In each round of a measure every engine
//! runs once, in a child process of its own. The child warms up, runs the program several times, checks every
//! result and prints the median. The order rotates from round to round. The first engine of a measure, with
//! which the others are compared, runs twice a round. The ratios of its two runs are the null band, and a
//! ratio inside this band shows no difference.
//!
//! [`arguments`] parses the command line, [`measures`] lists the programs and their [`engines`], [`rounds`]
//! runs the processes, and [`table`] judges their figures.

#![forbid(unsafe_code)]

pub mod arguments;
pub mod engines;
pub mod measures;
pub mod rounds;
pub mod table;

use std::process::ExitCode;

use arguments::{HELP, Request};

/// Runs the whole program. Its exit code is 2 if the arguments are wrong, and 1 if a child failed.
pub fn main() -> ExitCode {
    let failed = |code: u8, sentence: String| {
        eprintln!("peers: {sentence}");
        ExitCode::from(code)
    };
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    match arguments::parse(arguments) {
        Err(sentence) => return failed(2, sentence),
        Ok(Request::Help) => print!("{HELP}"),
        Ok(Request::List) => {
            for measure in measures::MEASURES {
                let engines: Vec<_> = measure.engines.iter().map(|engine| engine.0).collect();
                println!("{:<12} {} ({})", measure.name, measure.what, engines.join(", "));
            }
        }
        // Prints all digits, which the parent reads back.
        Ok(Request::Child { run, load }) => println!("{}", run(load)),
        Ok(Request::Table { measures, rounds, load }) => {
            println!("rounds: {rounds}; rounds of work of a tile: {}; least / median / largest", load.work);
            if load.tiny {
                println!("The programs are much smaller than described, so the figures are meaningless.");
            }
            for measure in measures {
                match rounds::run(measure, rounds, load) {
                    Ok(figures) => print!("\n{}", table::rows(measure, &figures)),
                    Err(sentence) => return failed(1, sentence),
                }
            }
        }
    }
    ExitCode::SUCCESS
}
