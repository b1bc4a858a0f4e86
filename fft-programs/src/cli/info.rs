//! `earth-fft info`: what a run has to work with here.

use serde::Serialize;

use super::args::Info;
use super::facts::Facts;
use super::failure::Failure;
use super::libraries::Searched;
use super::table::Table;
use super::{print, print_json};

#[derive(Debug, Serialize)]
struct Answer {
    schema: u32,
    #[serde(flatten)]
    facts: Facts,
    /// Whose row kernels can be had besides.
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
