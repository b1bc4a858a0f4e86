//! Parallel FFT programs on the earth runtime, and the choice among them.
//!
//! * [`dataflow`]: the FFTs as dataflow programs, one algorithm a file.
//! * [`kernel`]: which row kernel they transform rows with, rustfft or that of a library.
//! * [`programs`]: the same as functions on vectors, and the choice of program, machine and block size.
//! * [`request`]: what is asked of a program and what it answers, as plain data, with [`Precision`] and [`Shape`] of
//!   the samples.

#![forbid(unsafe_code)]

pub mod dataflow;
pub mod kernel;
mod precision;
pub mod programs;
pub mod request;
mod shape;
mod verified;

pub use precision::{Precision, magnitude};
pub use shape::Shape;
pub use verified::verified;
