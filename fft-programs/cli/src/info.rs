//! `earth-fft info`: the computer, the row kernels and the libraries that a run has here.

use earth_lab::document::Table;
use earth_lab::facts::Facts;
use serde::Serialize;

use crate::args::Info;
use crate::failure::Failure;
use crate::libraries::Searched;
use crate::output::{print, print_json};

#[derive(Debug, Serialize)]
struct Answer {
    schema: u32,
    #[serde(flatten)]
    facts: Facts,
    /// The libraries whose row kernels can be used as well.
    libraries: Vec<Searched>,
}

/// Prints what was found on this computer.
///
/// # Errors
///
/// Why that cannot be.
pub fn run(args: &Info) -> Result<(), Failure> {
    let (facts, libraries) = (Facts::found(), Searched::all());
    if args.json {
        return print_json(&Answer { schema: 1, facts, libraries });
    }
    let named = facts.named().into_iter().map(|(name, value)| (name.to_owned(), value));
    print(Table::facts(named.chain(libraries.iter().flat_map(Searched::named))))
}
