//! Runs the programs of the list, except those whose nodes share memory. If another rank writes into its copy
//! of lent memory, the write does not come back.

use std::error::Error;

use earth::Machine;
use earth_programs::{Machines, PROGRAMS};

/// Runs each program with its small sizes, and prints its name. The programs check their own results.
pub(crate) fn examples(machine: &mut Machine) -> Result<(), Box<dyn Error>> {
    for program in PROGRAMS.iter().filter(|program| program.machines() != Machines::SharedMemory) {
        program.at(&program.small())?.run(machine)?;
        eprintln!("{}", program.name());
    }
    Ok(())
}
