//! A model of how long plans take on this computer, and what bounds each pass: computation, or which level of memory.
//!
//! It has the form of the model of Chen and Gao for FFTs on a many-core, with caches in the place of banks. A pass over
//! an array takes
//!
//! `time = max(C, M) + o min(C, M) + S`
//!
//! * `C`, *computation*: what the kernels of its lines take where their data are in the nearest cache, by the prime factors
//!   of a line's length;
//! * `M`, *memory*: the bytes that it reads and writes over the effective bandwidth, which depends on how many bytes are
//!   passed over before it comes to the same ones again, on whether it goes along rows or along columns, and on the
//!   threads;
//! * `o`, *overlap*: the part of the shorter of both that is not hidden behind the longer one;
//! * `S`, *synchronisation*: what parts of a pass and the tiles between them cost on nodes.
//!
//! [`Rates`] are the parameters, measured by the laboratory (`earth-lab calibrate --rates`) and kept in a file; a [`Pass`] is
//! what the model knows of a pass; a [`Forecast`] is what it says of a plan. A planner [with rates](crate::Planner::rates)
//! adds a forecast to its plans, and one that measures does not run candidates that are predicted to be far slower than
//! the best prediction. Without rates nothing is predicted, and plans are what they are anyway.
//!
//! *From the bottom up.* `curve`, `pass`, `rates` and `forecast` are plain data and arithmetic, and import nothing of the
//! runtime; `file` is the text of rates; `passes` has the passes of a plan.
//!
//! *What it does not know.* Kernels that were not measured, FFTW's for example: such plans have no forecast. Chirps of
//! rustfft, for lengths with a large prime factor, are predicted by one rate, though they differ by half. What else the
//! computer does meanwhile, and in which state of its caches a call finds the arrays: they are taken to be as the call
//! before left them.

mod curve;
mod file;
mod forecast;
mod pass;
pub mod passes;
mod rates;

pub use curve::Curve;
pub use forecast::Forecast;
pub use pass::{Bound, Pass, Pattern, Predicted, Work};
pub use rates::{KernelRates, Level, Lines, MemoryRates, NodeRates, Rates};
