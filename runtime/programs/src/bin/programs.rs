//! Runs all programs as a table, or one by its name.
//!
//! ```text
//! cargo run --release -p earth-programs                      # the table, on 2 nodes
//! cargo run --release -p earth-programs -- table 4           # on 4
//! cargo run --release -p earth-programs -- table 2 1         # of one run each
//! cargo run --release -p earth-programs -- table 2 1 small   # of one run each of small sizes
//! cargo run --release -p earth-programs -- list              # the names of the programs and of their sizes
//! cargo run --release -p earth-programs -- queens 12 2 dual  # one program: its sizes, nodes, spn or dual
//! cargo run --release -p earth-programs -- explore           # how many schedules small programs have
//! cargo run --release -p earth-programs -- explore fib 4     # all schedules of one program at its sizes
//! cargo run --release -p earth-programs -- costs             # what each operation and pattern costs
//! cargo run --release -p earth-programs -- echo              # sorts the words of each line of standard input
//! ```
//!
//! Each program checks its result against a plain version. The table shows:
//!
//! * the time of the plain version;
//! * the fraction of its speed that the program reaches on one node;
//! * the speed-up of several nodes over one, in SPN, in DUAL, and on 64 nodes of a simulated machine.
//!   Programs report the cost of their work to that machine.
//!
//! Times are the least of three runs, or of another number of runs.

#![forbid(unsafe_code)]

use std::error::Error;
use std::num::NonZeroUsize;

use earth::simulated::Profile;
use earth::{Config, Machine};
use earth_programs::{PROGRAMS, Program, ProgramError, costs, echo, explored, named};

/// Programs without a speed-up: the hops of `ring` are sequential, and `echo` waits for input.
const SEQUENTIAL: [&str; 2] = ["ring", "echo"];

/// Default number of runs; the table shows the least time of them.
const RUNS: NonZeroUsize = NonZeroUsize::new(3).unwrap();

/// Returns the least times of `runs` runs of the plain version and of the program, in seconds.
fn least(
    program: &dyn Program,
    sizes: &[u64],
    runs: NonZeroUsize,
    mut machine: Machine,
) -> Result<[f64; 2], ProgramError> {
    let mut least = [f64::INFINITY; 2];
    for _ in 0..runs.get() {
        let instance = program.at(sizes)?;
        let run = instance.run(&mut machine)?;
        let times = [instance.plain(), run.elapsed].map(|time| time.as_secs_f64());
        least = [0, 1].map(|of| least[of].min(times[of]));
    }
    Ok(least)
}

/// Returns the title of a program with its sizes.
fn title(program: &dyn Program, sizes: &[u64]) -> String {
    let sizes = program.sizes().iter().zip(sizes).map(|(size, value)| format!(", {} {value}", size.name));
    program.title().to_owned() + &sizes.collect::<String>()
}

/// Prints the table, with `nodes` nodes for the parallel runs and `runs` runs for each time. The programs
/// have their usual sizes, or small ones.
fn table(nodes: usize, runs: NonZeroUsize, is_small: bool) -> Result<(), Box<dyn Error>> {
    let profile = Profile::named("manna50").ok_or("the profile is built in")?;
    println!(
        "| program | plain, ms | plain / 1 node | SPN, {nodes} nodes | DUAL, {nodes} nodes | 64 simulated |"
    );
    println!("|---|---|---|---|---|---|");
    for &program in PROGRAMS.iter().filter(|program| !SEQUENTIAL.contains(&program.name())) {
        let sizes = if is_small { program.small() } else { program.usual() };
        let [plain, one] = least(program, &sizes, runs, Machine::threads(1))?;
        let [_, spn] = least(program, &sizes, runs, Machine::threads(nodes))?;
        let [[_, dual_one], [_, dual]] = [
            least(program, &sizes, runs, Machine::threads(1).config(Config::Dual))?,
            least(program, &sizes, runs, Machine::threads(nodes).config(Config::Dual))?,
        ];
        let instance = program.at(&sizes)?;
        let simulated = |nodes| instance.run(&mut Machine::simulated(&profile).nodes(nodes));
        let speedup = simulated(1)?.elapsed.as_secs_f64() / simulated(64)?.elapsed.as_secs_f64();
        println!(
            "| {} | {:.2} | {:.2} | {:.2} | {:.2} | {speedup:.1} |",
            title(program, &sizes),
            plain * 1e3,
            plain / one,
            one / spn,
            dual_one / dual,
        );
    }
    Ok(())
}

/// Prints the names of all programs, each with its sizes and their defaults.
fn list() {
    for program in PROGRAMS {
        let sizes = program.sizes().iter().map(|size| format!(" [{} {}]", size.name, size.usual));
        println!("{}{} [nodes 2] [spn|dual]", program.name(), sizes.collect::<String>());
    }
}

/// Runs one program. The arguments are its sizes, the number of nodes and the configuration; missing ones
/// have defaults.
fn one(program: &dyn Program, mut args: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let mut sizes = program.usual();
    for (size, arg) in sizes.iter_mut().zip(args.by_ref()) {
        *size = arg.parse().map_err(|error| format!("`{arg}`: {error}"))?;
    }
    let nodes = args.next().map_or(Ok(2), |nodes| nodes.parse())?;
    let config = args.next().map_or(Ok(Config::Spn), |config| config.parse())?;
    if let Some(extra) = args.next() {
        return Err(format!("`{extra}` is one argument too many").into());
    }
    let instance = program.at(&sizes)?;
    let run = instance.run(&mut Machine::threads(nodes).config(config))?;
    println!("{}: {}", program.name(), run.value);
    let (plain, elapsed) = (instance.plain().as_secs_f64(), run.elapsed.as_secs_f64());
    println!(
        "{:.2} ms on {nodes} nodes in {config}; the plain version took {:.2} ms",
        elapsed * 1e3,
        plain * 1e3
    );
    let c = run.counters;
    println!("{} fibers, {} frames, {} signals", c.fibers, c.frames, c.signals);
    println!("{} tokens, {} of them stolen, {} invoked functions", c.tokens, c.tokens_stolen, c.invokes);
    println!(
        "{} messages, {} values parked, {} reads before the write",
        c.events_sent, c.parked, c.deferred_reads
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        None => table(2, RUNS, false),
        Some("table") => {
            let nodes = args.next().map_or(Ok(2), |nodes| nodes.parse())?;
            let runs = args.next().map_or(Ok(RUNS), |runs| runs.parse())?;
            match args.next().as_deref() {
                None => table(nodes, runs, false),
                Some("small") => table(nodes, runs, true),
                Some(other) => Err(format!("`{other}` is no choice of sizes; `small` is").into()),
            }
        }
        Some("list") => {
            list();
            Ok(())
        }
        Some("explore") => explored::main(args),
        Some("costs") => costs::main(args),
        Some("echo") => echo::main(args),
        Some(name) => {
            let program = named(name).ok_or_else(|| {
                format!("there is no program `{name}`; `table`, `explore`, `costs` and `list` exist, and `list` names the programs")
            })?;
            one(program, args)
        }
    }
}
