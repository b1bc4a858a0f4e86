//! One rank of an MPI job that runs a program of `tests/ranks`: `mpirun -n 2 rank CONFIG NODES PROGRAM
//! [HEARTBEAT]`, with `NODES` nodes a rank. The heartbeat is the number of seconds after which a silent rank
//! counts as lost.

use std::process::ExitCode;
use std::time::Duration;

use earth_mpi::Mpi;
use earth_rank_programs::Program;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (config, nodes, name, heartbeat) = match &arguments[..] {
        [config, nodes, name] => (config, nodes, name, None),
        [config, nodes, name, heartbeat] => {
            (config, nodes, name, heartbeat.parse().ok().map(Duration::from_secs))
        }
        _ => {
            eprintln!(
                "use: rank CONFIG NODES PROGRAM [SECONDS], with `spn` or `dual` and a program of `tests/ranks`"
            );
            return ExitCode::from(2);
        }
    };
    let (Ok(config), Ok(nodes), Some(program)) = (config.parse(), nodes.parse(), Program::named(name)) else {
        eprintln!("there is no configuration `{config}`, no number `{nodes}`, or no program `{name}`");
        return ExitCode::from(2);
    };
    let mpi = match Mpi::join() {
        Ok(mpi) => mpi,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(1);
        }
    };
    let machine = mpi.machine().map(|machine| {
        let machine = machine.config(config).nodes(nodes);
        match heartbeat {
            Some(limit) => machine.heartbeat(limit),
            None => machine,
        }
    });
    let outcome = machine.map_err(Into::into).and_then(|mut machine| program.run(&mut machine, mpi.rank()));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rank {}: {error}", mpi.rank());
            ExitCode::from(1)
        }
    }
}
