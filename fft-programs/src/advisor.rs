//! A model of the time of plans on this computer, and of the bound of each pass: computation, or a level of
//! memory.
//!
//! The model has the form of the model of Chen and Gao for FFTs on a many-core processor, with caches instead
//! of memory banks. A pass over an array takes
//!
//! `time = max(C, M) + o min(C, M) + S`
//!
//! * `C`, *computation*: the time of the kernels of its lines with their data in the nearest cache, by the
//!   prime factors of a line's length;
//! * `M`, *memory*: the bytes that it reads and writes over the effective bandwidth. The bandwidth depends on
//!   the reuse distance in bytes, on the direction of the pass along rows or columns, and on the number of
//!   threads;
//! * `o`, *overlap*: the part of the shorter of both that the longer one does not hide;
//! * `S`, *synchronization*: the cost of the parts of a pass, and of the tiles between them, on nodes.
//!
//! [`Rates`] are the parameters, which the laboratory measures (`earth-lab calibrate --rates`) and stores in
//! a file. A [`Pass`] describes a pass to the model. A [`Forecast`] is the prediction for a plan. A planner
//! [with rates](crate::Planner::rates) adds a forecast to its plans. If it measures, it does not run
//! candidates that are predicted to be far slower than the best prediction. Rates do not change a choice by
//! rules.
//!
//! *Modules.* `curve`, `pass`, `rates` and `forecast` are plain data and arithmetic, and import no part of
//! the runtime. `file` is the text form of rates. `passes` lists the passes of a plan.
//!
//! *Limits.* Plans with kernels that were not measured, such as FFTW's, have no forecast. One rate predicts
//! rustfft's chirps, for lengths with a large prime factor, though their times differ by half. The model
//! ignores other work of the computer. It assumes that a call finds the caches as the call before left them.

mod curve;
mod file;
mod forecast;
mod pass;
pub mod passes;
mod rates;

pub use curve::Curve;
pub use forecast::Forecast;
pub use pass::{Bound, Pass, PassWork, Pattern, Predicted};
pub use rates::{KernelRates, Level, Lines, MemoryRates, NodeRates, Rates};
