//! The binary `earth-fft`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    earth_cli::run(&earth_papers::planner())
}
