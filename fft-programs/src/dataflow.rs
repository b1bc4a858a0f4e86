//! The FFTs as dataflow programs: threaded functions that run, unchanged, on every machine; an algorithm a file.
//!
//! * [`alone`]: any transform in one fiber, by one thread.
//! * [`two_pass`]: the FFT of 2 and 3 dimensions, in place, by rows and then columns where they are.
//! * [`tall`]: the FFT of few long columns, in place, by rows and then columns that are matrices.
//! * [`transpose`]: the FFT of a series, through a second matrix, by columns and then rows that become columns.
//!
//! Programs of this crate and of others are made of the same parts: [`cut`], rows cut into blocks and who gets them; [`points`],
//! blocks of points and how parts are joined; [`tables`], the part of a plan that takes memory; [`work`], the kernels by
//! which machines charge for what fibers do; [`Spent`], where the time went. The crate `earth-papers` has the programs of the papers.
//!
//! What is computed before the clock starts, a program's *plan*, is among the values that every process has before the
//! run ([`SharedValues`](earth::SharedValues)), so that none of its bytes travel: a job says which they are.
//! A [`Plan`](crate::Plan) runs them on vectors.

pub mod alone;
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
