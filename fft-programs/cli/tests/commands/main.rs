//! Tests of the binary through its commands: input, standard output, files and errors. They are one test
//! binary, since each one takes seconds to link.
#![forbid(unsafe_code)]

mod bad_input;
mod bench_fft;
#[expect(dead_code, reason = "the tests of earth-lab use the rest")]
mod common;
mod fuzz;
#[cfg(target_os = "linux")]
mod limits;
mod matrices;
mod programs;
mod transform;
