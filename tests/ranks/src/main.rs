//! One rank of a machine whose ranks are processes: `rank DIRECTORY RANK RANKS ROOM CONFIG NODES PROGRAM`,
//! with `NODES` nodes a rank.
//!
//! All ranks are started by the same command. Rank 0 runs the program, which checks its own results. The
//! other ranks serve until rank 0 is done. In some programs every rank takes part in runs that begin with its
//! own values. The exit code is 0, or 1 if a run ended with an error, which is printed on stderr. If a result
//! is wrong, the exit code is a panic's.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use earth::{Config, Machine};
use earth_rank_programs::Program;
use earth_test_support::sleepy;
use earth_test_support::sockets::Sockets;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, rank, ranks, room, config, nodes, name] = &arguments[..] else {
        return ExitCode::from(2);
    };
    let (Ok(rank), Ok(ranks), Ok(room), Ok(config), Ok(nodes), Some(program)) =
        (rank.parse(), ranks.parse(), room.parse(), config.parse(), nodes.parse(), Program::named(name))
    else {
        return ExitCode::from(2);
    };
    let sockets = match Sockets::join(Path::new(directory), rank, ranks, room) {
        Ok(sockets) => sockets,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let mut machine = Machine::ranks(sockets).config(config).nodes(nodes);
    // Idle threads that wait long before they sleep would keep the cores from the busy threads of others.
    if ranks * nodes > 2 || config == Config::Dual {
        machine = machine.policy(sleepy());
    }
    match program.run(&mut machine, rank) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(1)
        }
    }
}
