//! Earth compared with its peers, one process per figure. It is compiled with the default settings of a crate
//! that sets none: see [`earth_peers`].
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    earth_peers::main()
}
