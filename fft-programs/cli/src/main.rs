//! The binary `earth-fft`: reads the command line, and has the library carry out its command.

#![forbid(unsafe_code)]

use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::Parser;
use earth_cli::args::{Cli, Command};
use earth_cli::stop::Stop;
use earth_cli::{bench_fft, calibrate, compare, info, profile, profile2d, simulate, simulate2d, transform};

fn main() -> ExitCode {
    if let Err(none) = earth_fft::memory::begin() {
        eprintln!("earth-fft: {none}");
        return ExitCode::FAILURE;
    }
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
    // Found wrong before any work is done.
    let done = info::earth_pin().and_then(|_| match &cli.command {
        Command::Transform(args) => transform::run(args, &stop),
        Command::Compare(args) => compare::run(args, &stop),
        Command::BenchFft(args) => bench_fft::run(args, &stop),
        Command::Simulate(args) => simulate::run(args, &stop),
        Command::Profile2d(args) => profile2d::run(args, &stop),
        Command::Simulate2d(args) => simulate2d::run(args, &stop),
        Command::Calibrate(args) => calibrate::run(args, &stop),
        Command::Profile(args) => profile::run(args, &stop),
        Command::Info(args) => info::run(args),
    });
    done.map_or_else(|failure| failure.end(&stop), |()| ExitCode::SUCCESS)
}
