//! The laboratory of the FFT programs: what is measured, simulated and compared, and what papers say of it.
//!
//! * [`compare`]: SPN against DUAL, in pairs of runs.
//! * [`simulate`]: the EARTH paper's figures and statements, in virtual time.
//! * [`torus`]: the paper on the FFT of Blue Gene/L, on a simulated torus; [`manycore`]: that on FFTs by stages, on a simulated
//!   many-core; [`model`] has their models.
//! * [`simulate2d`]: the PFFT paper's computer and speed functions, in virtual time.
//! * [`study`]: the PFFT paper's methods for matrices, measured over N; [`profile2d`] is the report on them.
//! * [`measure`]: how fast groups of threads are at row FFTs, measured until the mean is reliable, in a file.
//! * [`calibrate`]: what operations cost on this computer, as a profile for the simulated machine.
//! * [`commands`]: the commands of the binary `earth-lab`.
//!
//! Nothing else here reads a command line or opens a file: whoever calls gives samples and takes reports, each of which is
//! told as a [`Document`](earth_report::document::Document) that becomes text, a page or Markdown.

#![forbid(unsafe_code)]
#![allow(rustdoc::private_intra_doc_links, reason = "the head of a module tells what it is made of")]

mod asked;
pub mod calibrate;
pub mod commands;
pub mod compare;
pub mod manycore;
pub mod measure;
pub mod model;
pub mod picture;
pub mod profile2d;
mod signals;
pub mod simulate;
pub mod simulate2d;
pub mod study;
pub mod torus;
