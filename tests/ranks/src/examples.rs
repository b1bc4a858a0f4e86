//! Runs the programs of the list, except those whose nodes share memory. If another rank writes into its copy
//! of lent memory, the write does not come back.

use std::error::Error;

use earth::Machine;
use earth_programs::{Machines, PROGRAMS};

/// Runs the programs that run on every machine.
pub(crate) fn examples(machine: &mut Machine) -> Result<(), Box<dyn Error>> {
    all_of(machine, Machines::All)
}

/// Runs the programs whose input comes from other threads. They move the machine to another thread.
pub(crate) fn with_input(machine: &mut Machine) -> Result<(), Box<dyn Error>> {
    all_of(machine, Machines::RealTime)
}

/// Runs each program for these machines with its small sizes, and prints its name. The programs check their
/// own results.
fn all_of(machine: &mut Machine, machines: Machines) -> Result<(), Box<dyn Error>> {
    for program in PROGRAMS.iter().filter(|program| program.machines() == machines) {
        program.at(&program.small())?.run(machine)?;
        eprintln!("{}", program.name());
    }
    Ok(())
}
