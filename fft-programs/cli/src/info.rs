//! `earth-fft info`: the computer, the row kernels and the libraries that a run can use here.

mod libraries;

use earth_console::Failure;
use earth_console::output::{print, print_json};
use earth_kernels::Caches;
use earth_report::document::Table;
use earth_report::facts::Facts;
use earth_report::numbers::short;
use serde::Serialize;

use crate::args::Info;
use libraries::Searched;

#[derive(Debug, Serialize)]
struct Answer {
    schema: u32,
    #[serde(flatten)]
    facts: Facts,
    /// Value of `EARTH_PIN` for binding threads to CPUs: `on`, `off`, or `None` if it is not set.
    earth_pin: Option<&'static str>,
    /// Sizes of caches in bytes. Kernels choose the sizes of their blocks by them.
    second_level_cache: usize,
    last_level_cache: usize,
    /// Libraries with further row kernels.
    libraries: Vec<Searched>,
}

/// Prints the facts of this computer.
pub(crate) fn run(args: &Info) -> Result<(), Failure> {
    let (facts, libraries) = (Facts::found(), Searched::all());
    let earth_pin = earth_console::earth_pin()?;
    let caches = Caches::of_this_computer();
    let Caches { second: second_level_cache, last: last_level_cache } = caches;
    if args.json {
        return print_json(&Answer {
            schema: 1,
            facts,
            earth_pin,
            second_level_cache,
            last_level_cache,
            libraries,
        });
    }
    let caches = format!(
        "{} MiB a core, {} MiB together: rows of arrays beyond {} MiB are prefetched",
        mebibytes(second_level_cache),
        mebibytes(last_level_cache),
        mebibytes(caches.beyond())
    );
    let binding = match earth_pin {
        Some("on") => "one thread a CPU (EARTH_PIN=on)",
        Some(_) => "none (EARTH_PIN=off)",
        None => "none (EARTH_PIN=on binds)",
    };
    let kernels = match std::env::var_os("EARTH_ISA") {
        Some(_) => format!("{} (EARTH_ISA)", facts.row_kernel_simd),
        None => format!("{}, the widest here (EARTH_ISA names others)", facts.row_kernel_simd),
    };
    let named = facts.named().into_iter();
    let named = named.chain([
        ("kernel instructions", kernels),
        ("caches", caches),
        ("bound threads", binding.to_owned()),
    ]);
    let named = named.map(|(name, value)| (name.to_owned(), value));
    print(Table::facts(named.chain(libraries.iter().flat_map(Searched::named))))
}

fn mebibytes(bytes: usize) -> String {
    short(bytes as f64 / f64::from(1 << 20))
}
