//! Experiments of the FFT programs: measurements, simulations and comparisons, and the statements of papers
//! about them.
//!
//! * [`compare`]: SPN against DUAL, in pairs of runs.
//! * [`simulate`]: the EARTH paper's figures and statements, in virtual time.
//! * [`torus`]: the paper on the FFT of Blue Gene/L, on a simulated torus. [`manycore`]: the paper on FFTs by
//!   stages, on a simulated many-core. [`model`] has their cost models. Both do the runs that their pages
//!   [request](run_cache).
//! * [`overlap`]: the paper on the transform of three dimensions that overlaps.
//! * [`growth`]: distributed FFTs on up to 1,024 simulated ranks, beside a closed form.
//! * [`scale`]: counts on 4 to 64 nodes, and predicted times on a computer with 64 cores.
//! * [`map`]: where DUAL is faster than SPN, simulated, measured and predicted by a model.
//! * [`pfft`]: the PFFT paper's methods, measured and simulated.
//! * [`calibrate`]: costs of operations on this computer, as a profile for the simulated machine.
//! * [`sweep`]: any programs on any machines under policies, as a file says.
//! * [`policies`]: the policies of the runtime, one change at a time, and what matters where.
//! * [`what_if`]: runs of this computer predicted on other machines.
//! * [`tune`]: the search for the integers at which an expensive function is least.
//! * [`commands`]: the commands of the binary `earth-lab`.
//!
//! Only `commands` reads a command line, and only it, [`pfft::study`] and [`sweep`] open files. The other
//! modules take samples and return reports. A report becomes a
//! [`Document`](earth_report::document::Document), and the document becomes text, an HTML page or Markdown.

#![forbid(unsafe_code)]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "module docs link to the private modules that they describe"
)]

pub mod calibrate;
pub mod commands;
pub mod compare;
mod errata;
pub mod growth;
mod lines;
pub mod manycore;
pub mod map;
pub mod model;
pub mod overlap;
mod parameters;
pub mod pfft;
pub mod policies;
mod ranks;
pub mod run_cache;
pub mod scale;
mod signals;
pub mod simulate;
pub mod sweep;
pub mod torus;
pub mod tune;
pub mod what_if;
