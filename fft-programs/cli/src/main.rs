//! The binary `earth-fft`: the command line over the programs of `earth-fft`.

#![forbid(unsafe_code)]

use std::io::IsTerminal as _;

use clap::Parser;
use earth_cli::args::Cli;
use earth_cli::stop::Stop;

fn main() -> std::process::ExitCode {
    let cli = Cli::parse();
    let stop = Stop::default();
    let on_interrupt = stop.clone();
    let handler = ctrlc::set_handler(move || {
        if std::io::stderr().is_terminal() {
            // The shell's prompt is not to follow a progress bar or ^C on their line.
            eprintln!();
        }
        on_interrupt.interrupt()
    });
    if let Err(error) = handler {
        eprintln!("earth-fft: warning: Ctrl-C may leave a file behind: {error}");
    }
    earth_cli::run(&cli, &stop)
}
