//! Earth beside its peers, a process a figure: what `cargo run --release -p earth-peers` does.
//!
//! Two cores of one computer may exchange messages at different speeds from one process to the next, and a process keeps
//! its speed. So a claim takes many processes. In each round of a measure every engine runs once, in a child process of
//! its own, which warms up, runs the program several times, checks every result and tells the median. The order rotates
//! from round to round. The first engine of a measure, which the others are compared with, runs twice a round: how far
//! it is from itself is the null band, and a ratio that lies in this band tells nothing.
//!
//! [`arguments`] says what is asked for, [`measures`] which programs run on which of the [`engines`], [`rounds`] runs the
//! processes, [`table`] judges what they told.

#![forbid(unsafe_code)]

pub mod arguments;
pub mod engines;
pub mod measures;
pub mod rounds;
pub mod table;

use std::process::ExitCode;

use arguments::{HELP, Request};

/// The whole program. Its exit code is 2 if the arguments are wrong, 1 if a child failed.
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
        // With all its digits, which the parent reads back.
        Ok(Request::Child { run, load }) => println!("{}", run(load)),
        Ok(Request::Table { measures, rounds, load }) => {
            println!("rounds: {rounds}; rounds of work of a tile: {}; least / median / largest", load.work);
            if load.tiny {
                println!("The programs are tiny, not as described: the figures mean nothing.");
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
