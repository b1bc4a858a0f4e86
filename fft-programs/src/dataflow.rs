//! The FFTs as dataflow programs: threaded functions that run, unchanged, on every machine; an algorithm a file.
//!
//! * [`sender`]: the sender-initiated FFT, N/B threads that exchange blocks.
//! * [`receiver`]: the receiver-initiated FFT, points that ask for their operands, in two variants.
//! * [`manycore`]: FFTs of radix 2, 4 and 8 by stages, with a barrier after each or without.
//! * [`alone`]: any transform in one fiber, by one thread.
//! * [`square`]: the 2-D FFT of N x N points, in place, by exchanging tiles across the diagonal.
//! * [`rectangle`]: the 2-D FFT of R x C points of any sizes, through a second matrix.
//! * [`two_pass`]: the FFT of 2 and 3 dimensions, in place, by rows and then columns where they are.
//! * [`tall`]: the FFT of few long columns, in place, by rows and then columns that are matrices.
//! * [`transpose`]: the FFT of a series, through a second matrix, by columns and then rows that become columns.
//! * [`row_speed`]: the times that groups of nodes take for rows.
//!
//! Several of them use [`matrix`], the plans of matrices, and [`work`], the kernels by which machines charge for what
//! fibers do. What is computed before the clock starts, a program's *plan*, is among the values that every process has before
//! the run ([`SharedValues`](earth::SharedValues)), so that none of its bytes travel: a job says which they are.
//! A [`Plan`](crate::Plan) runs them on vectors.

pub mod alone;
pub mod manycore;
pub mod matrix;
mod phases;
pub(crate) mod points;
pub mod receiver;
pub mod rectangle;
mod room;
pub(crate) mod row_pass;
pub mod row_speed;
pub mod sender;
pub mod square;
mod tables;
pub mod tall;
pub mod transpose;
pub mod two_pass;
pub mod work;

pub use phases::{Done, Phases};
