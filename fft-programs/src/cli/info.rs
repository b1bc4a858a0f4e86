//! `earth-fft info`: what a run has to work with here.

use std::thread;

use serde::Serialize;

use super::args::Info;
use super::failure::Failure;
use super::table::Table;
use super::{print, print_json};

#[derive(Debug, Serialize)]
struct Facts {
    schema: u32,
    version: &'static str,
    architecture: &'static str,
    /// Cores that this process may use: its affinity mask, and the CPU quota of its control group.
    usable_cores: usize,
    /// Vector instruction sets that the processor has, of those that a kernel could use.
    simd: Vec<&'static str>,
    row_kernel: &'static str,
    row_kernel_simd: &'static str,
}

pub(super) fn run(args: &Info) -> Result<(), Failure> {
    let facts = Facts {
        schema: 1,
        version: env!("CARGO_PKG_VERSION"),
        architecture: std::env::consts::ARCH,
        usable_cores: thread::available_parallelism().map_or(1, usize::from),
        simd: simd(),
        row_kernel: "rustfft",
        row_kernel_simd: earth_rustfft::simd(),
    };
    if args.json {
        return print_json(&facts);
    }
    let simd = if facts.simd.is_empty() { "none known".to_owned() } else { facts.simd.join(" ") };
    let mut table = Table::facts();
    table
        .row(["version".to_owned(), facts.version.to_owned()])
        .row(["architecture".to_owned(), facts.architecture.to_owned()])
        .row(["usable cores".to_owned(), format!("{} (affinity mask and CPU quota)", facts.usable_cores)])
        .row(["vector instructions".to_owned(), simd])
        .row(["row kernel".to_owned(), format!("{} ({})", facts.row_kernel, facts.row_kernel_simd)]);
    print(table)
}

#[cfg(target_arch = "x86_64")]
fn simd() -> Vec<&'static str> {
    let sets = [
        ("sse4.1", is_x86_feature_detected!("sse4.1")),
        ("avx", is_x86_feature_detected!("avx")),
        ("fma", is_x86_feature_detected!("fma")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
    ];
    sets.into_iter().filter_map(|(name, found)| found.then_some(name)).collect()
}

#[cfg(target_arch = "aarch64")]
fn simd() -> Vec<&'static str> {
    if std::arch::is_aarch64_feature_detected!("neon") { vec!["neon"] } else { Vec::new() }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn simd() -> Vec<&'static str> {
    Vec::new()
}
