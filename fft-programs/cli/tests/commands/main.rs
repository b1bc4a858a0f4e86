//! The binary through its commands: what each reads, prints, writes and refuses. One binary of tests, since each one takes
//! seconds to link.
#![forbid(unsafe_code)]

mod bad_input;
mod bench_fft;
mod calibrate;
mod common;
mod fuzz;
mod groups;
#[cfg(target_os = "linux")]
mod limits;
mod matrices;
mod policy;
mod profile2d;
mod programs;
mod simulate;
mod trace;
mod transform;
