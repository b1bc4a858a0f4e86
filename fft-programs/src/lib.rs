//! Parallel FFT programs on the earth runtime, and what stands around them: files in, spectra out, verified,
//! from one command line.
//!
//! * [`signal`]: samples in the precision of their file, in a line or a matrix.
//! * [`io`]: `.npy`, `.csv` and `.png` in and out; an output appears whole or not at all.
//! * [`request`]: what is asked of a program and what it answers, as plain data.
//! * [`oned`]: the one-dimensional FFTs as dataflow programs.
//! * [`twod`]: the two-dimensional ones.
//! * [`kernel`]: which row kernel, rustfft or that of a library.
//! * [`work`]: what their fibers do, for machines that charge for it.
//! * [`programs`]: the same as functions, and the choice among them.
//! * [`calibrate`]: what operations cost on this computer, for the simulated machine.
//! * [`computer`]: what computer this is.
//! * [`model`]: how fast groups of threads are at row FFTs, measured, in a file.
//! * [`partition`]: the fastest distribution of a matrix's rows over these groups.
//! * [`study`]: the methods for matrices, measured over N and held against a paper.
//! * [`series`], [`picture`]: a bundled real series and a bundled real picture.
//! * [`cli`]: the command line `earth-fft`.

#![forbid(unsafe_code)]

pub mod calibrate;
pub mod cli;
pub mod computer;
pub mod io;
pub mod kernel;
pub mod model;
pub mod oned;
pub mod partition;
pub mod picture;
pub mod programs;
pub mod request;
pub mod series;
pub mod signal;
pub mod study;
pub mod twod;
pub mod work;
