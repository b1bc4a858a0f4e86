//! The binary `earth-fft`: the command line over the programs that there are.

#![forbid(unsafe_code)]

use std::time::Instant;

use clap::Parser;
use earth_fft::cli::args::Cli;
use earth_fft::cli::{self, INTERRUPTED};
use earth_fft::io::aside::Unfinished;
use earth_fft::request::{Algorithm, Counters, Outcome, ProgramError, Programs, Refusal, Request};
use earth_fft::signal::Precision;
use num_complex::Complex;
use rustfft::FftPlanner;

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
    cli::run(&cli, &RowKernel, &unfinished)
}

/// The row kernel on one node: any N, no fibers.
struct RowKernel;

impl Programs for RowKernel {
    fn transform<T: Precision>(
        &self,
        request: &Request,
        mut samples: Vec<Complex<T>>,
    ) -> Result<Outcome<T>, ProgramError> {
        if request.algorithm != Algorithm::Auto {
            return Err(Refusal::NotBuilt { algorithm: request.algorithm }.into());
        }
        let n = samples.len();
        let mut planner = FftPlanner::new();
        let fft = if request.inverse { planner.plan_fft_inverse(n) } else { planner.plan_fft_forward(n) };
        let mut scratch = vec![Complex::new(T::zero(), T::zero()); fft.get_inplace_scratch_len()];
        let start = Instant::now();
        fft.process_with_scratch(&mut samples, &mut scratch);
        if request.inverse {
            let n = T::from_usize(n).expect("a float holds the order of magnitude of any count");
            for value in &mut samples {
                *value = *value / n;
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        Ok(Outcome {
            spectrum: samples,
            algorithm_used: "row kernel".to_owned(),
            nodes: 1,
            block: None,
            seconds,
            reorder_seconds: 0.0,
            counters: Counters::default(),
        })
    }
}
