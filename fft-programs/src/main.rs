//! The binary `earth-fft`: the command line over the programs that there are.

#![forbid(unsafe_code)]

use std::time::Instant;

use clap::Parser;
use earth_fft::cli::args::Cli;
use earth_fft::cli::{self, INTERRUPTED};
use earth_fft::io::aside::Unfinished;
use earth_fft::request::{Algorithm, Counters, Outcome, ProgramError, Programs, Refusal, Request};
use earth_fft::signal::Precision;
use earth_kernels::{RowKernel, RustFft, scale};
use num_complex::Complex;

fn main() -> std::process::ExitCode {
    let cli = Cli::parse();
    let unfinished = Unfinished::default();
    let swept_on_interrupt = unfinished.clone();
    let handler = ctrlc::set_handler(move || {
        let _swept = swept_on_interrupt.sweep();
        std::process::exit(INTERRUPTED);
    });
    if let Err(error) = handler {
        eprintln!("earth-fft: warning: Ctrl-C may leave a file behind: {error}");
    }
    cli::run(&cli, &OneNode, &unfinished)
}

/// The row kernel on one node: any N, no fibers.
struct OneNode;

impl Programs for OneNode {
    fn transform<T: Precision>(
        &self,
        request: &Request,
        mut samples: Vec<Complex<T>>,
    ) -> Result<Outcome<T>, ProgramError> {
        if request.algorithm != Algorithm::Auto {
            return Err(Refusal::NotBuilt { algorithm: request.algorithm }.into());
        }
        let n = samples.len();
        let kernel = RustFft::new(n);
        let mut scratch = kernel.scratch();
        let start = Instant::now();
        if request.inverse {
            kernel.inverse(&mut samples, &mut scratch);
            scale(&mut samples, T::of(1.0 / n as f64));
        } else {
            kernel.forward(&mut samples, &mut scratch);
        }
        let seconds = start.elapsed().as_secs_f64();
        Ok(Outcome {
            spectrum: samples,
            algorithm_used: format!("row kernel ({})", kernel.name()),
            nodes: 1,
            block: None,
            seconds,
            reorder_seconds: 0.0,
            counters: Counters::default(),
        })
    }
}
