//! Earth compared with its peers, one process per figure, compiled with the workspace's profile: see
//! [`earth_peers`].
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    earth_peers::main()
}
