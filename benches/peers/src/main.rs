//! Earth beside its peers, a process a figure, compiled by the workspace's profile: see [`earth_peers`].
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    earth_peers::main()
}
