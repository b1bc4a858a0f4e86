//! The FFTs as dataflow programs: threaded functions that run, unchanged, on every machine; one algorithm a
//! file.
//!
//! * [`alone`]: any transform in one fiber, by one thread.
//! * [`two_pass`]: the FFT of 2 and 3 dimensions, in place: rows, then columns.
//! * [`tall`]: the FFT of few long columns, in place: rows, then each column as a matrix.
//! * [`transpose`]: the FFT of a series through a second matrix: columns, then rows that become columns.
//! * [`batch`]: many independent transforms, in place.
//!
//! The programs of this crate and of other crates have common parts:
//!
//! * [`cut`]: rows cut into blocks, and the nodes of the blocks,
//! * [`points`]: blocks of points, and how parts are joined,
//! * [`tables`]: the part of a plan that takes memory,
//! * [`work`]: the kernels by which machines charge for the work of fibers,
//! * [`Spent`]: the time of each kind of work.
//!
//! The crate `earth-papers` has the programs of the papers.
//!
//! A program's *plan* is computed before the clock starts. Every process has it before the run
//! ([`SharedValues`](earth::SharedValues)), so none of its bytes are sent. A job lists the shared values of
//! its run. A [`Plan`](crate::Plan) runs the programs on vectors.

pub mod alone;
pub mod batch;
pub mod cut;
mod pairs;
pub mod phases;
pub mod points;
pub(crate) mod row_pass;
pub mod tables;
pub mod tall;
pub mod transpose;
pub mod two_pass;
pub mod work;

pub use cut::MatrixError;
pub use phases::{Done, Phases, Spent, nanoseconds};
