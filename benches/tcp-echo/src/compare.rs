//! The measurement of one or several servers.

use crate::arguments::{Arguments, Engine};
use crate::client::{Bounds, Client, Load};
use crate::files;
use crate::process::{Server, Used, allowed};
use crate::table::{Figures, Row, table};

/// Measures the servers that the arguments name, in turn, and prints a table.
///
/// # Errors
///
/// If a server or a client failed: a sentence.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let limit = files::raise();
    let connections = reduced(arguments.connections, files::connections(limit), "the client")?;
    eprintln!("client: {}", allowed(limit));
    let loads = loads(arguments, connections);
    let mut rows: Vec<Row> = Vec::new();
    for round in 0..arguments.rounds {
        for engine in in_turn(&arguments.config, round) {
            let of_loads = match arguments.connect {
                Some(address) => loaded(arguments, &loads, connections, address, &Used::default)?,
                None => with_server(arguments, &loads, connections, engine, round == 0)?,
            };
            for (&load, figures) in loads.iter().zip(of_loads) {
                match rows.iter_mut().find(|row| row.engine == engine && row.load == load) {
                    Some(row) => row.rounds.push(figures),
                    None => rows.push(Row { engine, load, rounds: vec![figures] }),
                }
            }
        }
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "Loopback, {} bytes a request, {} nodes or workers, medians of {} rounds. Client and server share \
         {cores} cores.\n\n{}",
        arguments.payload,
        arguments.nodes,
        arguments.rounds,
        table(&rows)
    );
    Ok(())
}

/// Returns the servers in the order of a round: each begins in turn.
fn in_turn(engines: &[Engine], round: usize) -> impl Iterator<Item = Engine> {
    engines.iter().copied().cycle().skip(round % engines.len()).take(engines.len())
}

fn loads(arguments: &Arguments, connections: usize) -> Vec<Load> {
    let active = arguments.active.unwrap_or(connections).min(connections);
    let open = arguments.rate.map(|rate| Load::Open { rate: rate.into() });
    [Load::Closed { active }].into_iter().chain(open).collect()
}

/// Reduces a number of connections to the allowed number, and says so.
fn reduced(connections: usize, allowed: usize, who: &str) -> Result<usize, String> {
    if allowed == 0 {
        return Err(format!("the limit of open files of {who} allows no connection; raise it by ulimit -n"));
    }
    if allowed < connections {
        eprintln!("{who} can have {allowed} connections instead of {connections}");
    }
    Ok(connections.min(allowed))
}

/// Measures a server in a process of its own.
fn with_server(
    arguments: &Arguments,
    loads: &[Load],
    connections: usize,
    engine: Engine,
    speaks: bool,
) -> Result<Vec<Figures>, String> {
    let server = Server::start(engine, arguments, connections)?;
    if speaks {
        eprintln!("{engine}: the server has room for {} connections", server.allowed);
    }
    let connections = reduced(connections, server.allowed, "the server")?;
    let measured = loaded(arguments, loads, connections, server.address, &|| server.used());
    let stopped = server.stop(arguments.patience);
    match (measured, stopped) {
        (Ok(figures), stopped) => stopped.map(|()| figures),
        (Err(client), Ok(())) => Err(client),
        (Err(client), Err(server)) => Err(format!("{client}; {server}")),
    }
}

/// Loads a server. Returns the figures of each load.
fn loaded(
    arguments: &Arguments,
    loads: &[Load],
    connections: usize,
    address: std::net::SocketAddr,
    used: &dyn Fn() -> Used,
) -> Result<Vec<Figures>, String> {
    let bounds = Bounds { requests: arguments.requests, time: arguments.seconds };
    let mut client = Client::connect(address, connections, arguments.payload.into(), arguments.patience)?;
    let mut figures = Vec::with_capacity(loads.len());
    for &load in loads {
        let before = used();
        let mut measured = client.measure(load, bounds)?;
        let after = used();
        figures.push(Figures {
            connections,
            per_second: measured.answered as f64 / measured.time.as_secs_f64(),
            latencies: measured.latencies.per_mille([500, 990, 999, 1000]),
            processor: after.time.saturating_sub(before.time).as_secs_f64() * 1e6 / measured.answered as f64,
            memory: after.memory as f64 / f64::from(1 << 20),
        });
    }
    Ok(figures)
}
