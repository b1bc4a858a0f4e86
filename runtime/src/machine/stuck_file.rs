//! The environment variable `EARTH_STUCK`: the file for the graph of a stuck run, in any program.

use std::io::Write as _;
use std::path::PathBuf;
use std::{env, fs, io};

use crate::vocabulary::error::Error;

/// Writes the [graph](crate::Stuck::to_dot) of a stuck run to the file that `EARTH_STUCK` names. If that fails, a
/// sentence on the standard error stream says why, and the run still returns its error.
pub(super) fn write(error: &Error) {
    let Error::Stuck(stuck) = error else { return };
    let Some(path) = env::var_os("EARTH_STUCK").map(PathBuf::from) else { return };
    if let Err(why) = fs::write(&path, stuck.to_dot()) {
        let path = path.display();
        // A closed error stream is ignored.
        let _ =
            writeln!(io::stderr(), "earth: the graph of the stuck run cannot be written to `{path}`: {why}");
    }
}
