//! `earth-fft info`: the computer, the row kernels and the libraries that a run has here.

use earth_lab::facts::Facts;
use earth_lab::table::Table;
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

pub(super) fn run(args: &Info) -> Result<(), Failure> {
    let (facts, libraries) = (Facts::found(), Searched::all());
    if args.json {
        return print_json(&Answer { schema: 1, facts, libraries });
    }
    let mut table = Table::facts();
    for (name, value) in facts.named() {
        table.row([name.to_owned(), value]);
    }
    for (name, value) in libraries.iter().flat_map(Searched::named) {
        table.row([name, value]);
    }
    print(table)
}
