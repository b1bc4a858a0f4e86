//! The binary `earth-fft-mpi`: FFTs of `.npy` files whose parts live on the ranks of an MPI job.
//!
//! ```text
//! mpirun -n 4 earth-fft-mpi transform x.npy -o y.npy
//! ```
//!
//! * [`args`]: the command line. Every rank takes the command line of rank 0.
//! * [`transform`]: the steps of the command. [`input`] reads, [`output`] writes, [`summary`] tells the
//!   times.
//! * [`bench`]: the comparison with the [`peers`] FFTW-MPI and heFFTe.
//! * [`overlap`]: the comparison of transforms that overlap their exchange.
//! * [`place`]: the positions of a rank's points in a file.
//! * [`ranks`]: agreement of all ranks on the outcome of a step.
//!
//! *End.* All ranks end with the same exit code. It is one of the codes of `earth-console`. Rank 0 alone
//! prints. If a rank panics, it ends the whole job.

#![forbid(unsafe_code)]
#![allow(rustdoc::private_intra_doc_links, reason = "the head of a module tells what it is made of")]

mod args;
mod bench;
mod input;
mod output;
mod overlap;
mod peers;
mod place;
mod ranks;
mod refusal;
mod summary;
mod transform;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use earth_console::Failure;
use earth_console::output::print_message;
use earth_memory::NoMemory;
use earth_mpi::Mpi;

use args::{Cli, Command};
use ranks::Ranks;

fn main() -> ExitCode {
    let memory = earth_console::begin("earth-fft-mpi");
    let mpi = match Mpi::join() {
        Ok(mpi) => mpi,
        Err(error) => {
            print_message(error);
            return ExitCode::FAILURE;
        }
    };
    let ranks = Ranks::of(&mpi);
    // Without an end of the job, the other ranks would wait for a rank that panics.
    match catch_unwind(AssertUnwindSafe(|| command(&mpi, &ranks, memory))) {
        Ok(code) => ExitCode::from(code),
        Err(_) => ranks.abort(),
    }
}

/// Carries out the command. Returns the exit code, the same on all ranks.
fn command(mpi: &Mpi, ranks: &Ranks, memory: Result<(), NoMemory>) -> u8 {
    ranks.stop().watch_interrupts();
    let code = match Cli::read(ranks.line()) {
        // The line is the same on all ranks, and so is the error.
        Err(error) => {
            if ranks.is_first() {
                // A failure could not be reported.
                let _ = error.print();
            }
            u8::try_from(error.exit_code()).unwrap_or(2)
        }
        Ok(Cli { command }) => {
            let begun = memory.map_err(Failure::from).and_then(|()| earth_console::check_environment());
            let done = ranks.agree(begun).and_then(|_| match command {
                Command::Transform(args) => transform::run(mpi, ranks, &args),
                Command::Bench(args) => bench::run(mpi, ranks, &args),
                Command::Overlap(args) => overlap::run(mpi, ranks, &args),
            });
            done.map_or_else(|refused| refused.end(ranks), |()| 0)
        }
    };
    // A launcher may kill the others as soon as one rank has ended with an error.
    ranks.wait();
    code
}
