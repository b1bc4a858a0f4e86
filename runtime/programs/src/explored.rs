//! Explores all schedules of small programs: how many there are, and how fast they are run.
//!
//! `cargo run --release -p earth-programs -- explore`, or with `fib 4` for one program and its sizes.

use std::error::Error;
use std::time::{Duration, Instant};

use earth::explore::{Bound, Explored, Verdict};
use earth::{Config, Counters, Machine, Run};

use crate::named;
use crate::program::{Program, ProgramError};

/// Programs of the table, with sizes at which they are explored whole.
const ROWS: [(&str, &[u64]); 9] = [
    ("fib", &[4]),
    ("fib", &[5]),
    ("stencil", &[4, 2, 2]),
    ("stencil", &[8, 4, 4]),
    ("lu", &[2, 1]),
    ("matmul", &[2, 1]),
    ("mergesort", &[4, 1]),
    ("pipeline", &[2, 1, 1, 1]),
    ("ring", &[4]),
];

/// Explores a program on 2 nodes. Returns what was found, and the time.
///
/// # Errors
///
/// Sizes that the program does not have, and errors that are no outcome of a schedule.
pub fn explore(
    program: &dyn Program,
    sizes: &[u64],
    config: Config,
    bound: Bound,
) -> Result<(Explored, Duration), ProgramError> {
    let instance = program.at(sizes)?;
    let began = Instant::now();
    let mut exploration = Machine::threads(2).config(config).explore(bound);
    let explored = exploration.run_program(|machine| match instance.run(machine) {
        Err(ProgramError::Machine(error)) => Err(error),
        Err(wrong) => Ok(Run {
            value: wrong.to_string(),
            counters: Counters::default(),
            by_node: Vec::new(),
            elapsed: Duration::ZERO,
            cycles: None,
            records: None,
        }),
        Ok(run) => Ok(run),
    })?;
    Ok((explored, began.elapsed()))
}

/// Prints the table: all rows, or one program at the sizes that the arguments give.
///
/// # Errors
///
/// Arguments that name no program or no sizes, and the errors of [`explore`].
pub fn main(mut args: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let rows = match args.next() {
        None => ROWS.iter().map(|(name, sizes)| ((*name).to_owned(), sizes.to_vec())).collect(),
        Some(name) => {
            let sizes: Result<_, _> = args.map(|size| size.parse()).collect();
            vec![(name, sizes?)]
        }
    };
    println!("| program | | classes | schedules | steps | seconds | steps a second |");
    println!("|---|---|---:|---:|---:|---:|---:|");
    for (name, sizes) in rows {
        let program = named(&name).ok_or_else(|| format!("there is no program `{name}`"))?;
        let title: Vec<_> = program
            .sizes()
            .iter()
            .zip(&sizes)
            .map(|(size, value)| format!("{} {value}", size.name))
            .collect();
        for config in [Config::Spn, Config::Dual] {
            let bound = Bound { schedules: 10_000_000, samples: 0, steps: 10_000, ..Bound::default() };
            let (explored, time) = explore(program, &sizes, config, bound)?;
            let Explored { verdict, schedules, classes, steps } = &explored;
            if !matches!(verdict, Verdict::Same(_)) {
                return Err(format!("{name}, {config}: {explored}").into());
            }
            let (title, seconds) = (title.join(", "), time.as_secs_f64());
            let rate = *steps as f64 / seconds;
            println!(
                "| {name}, {title} | {config} | {classes} | {schedules} | {steps} | {seconds:.2} | {rate:.0} |"
            );
        }
    }
    Ok(())
}
