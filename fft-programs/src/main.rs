//! The binary `earth-fft`: the command line over the programs of this crate.

#![forbid(unsafe_code)]

use std::io::IsTerminal as _;

use clap::Parser;
use earth::CancelToken;
use earth_fft::cli::args::Cli;
use earth_fft::cli::{self, INTERRUPTED};
use earth_fft::io::aside::Unfinished;
use earth_fft::programs::Library;

fn main() -> std::process::ExitCode {
    let cli = Cli::parse();
    let unfinished = Unfinished::default();
    let cancel = CancelToken::new();
    let (swept_on_interrupt, cancelled_on_interrupt) = (unfinished.clone(), cancel.clone());
    // The run is cancelled so that units stop between fibers, but not waited for: reading, writing and a long
    // fiber do not look at the token. Whichever of the two threads ends the process says 130.
    let handler = ctrlc::set_handler(move || {
        cancelled_on_interrupt.cancel();
        let _swept = swept_on_interrupt.sweep();
        if std::io::stderr().is_terminal() {
            // The shell's prompt is not to follow a progress bar or ^C on their line.
            eprintln!();
        }
        std::process::exit(INTERRUPTED.into());
    });
    if let Err(error) = handler {
        eprintln!("earth-fft: warning: Ctrl-C may leave a file behind: {error}");
    }
    cli::run(&cli, &Library::new(cancel), &unfinished)
}
