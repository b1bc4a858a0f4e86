//! The binary `earth-lab`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    earth_lab::commands::run(&earth_papers::planner())
}
