//! What the programs for matrices have in common.
//!
//! They are the row-column method: transform the rows, transpose, transform what are rows now, transpose back. Rows
//! are dealt in *row blocks*, to the nodes in turn ([`dealing`]). The points that two row blocks have in common across
//! a transpose are a *tile*; tiles move by ownership, and each is transposed as soon as it is there. There is no barrier
//! between the four steps: a row block goes on when its own tiles have come, while others may be a step behind.
//!
//! * [`MatrixPlan`]: the two [passes](pass), each with its row kernels;
//! * [`padded_rows`]: rows that get another leading dimension while they are at work; [`lengths`] that serve;
//!
//! Of a [phantom](earth::Block::phantom) matrix the same fibers run, and the same tiles move, without a point;
//! its plan is that of [`MatrixPlan::phantom`], without row kernels.

pub mod dealing;
mod decide;
mod distributions;
pub mod lengths;
pub mod padded_rows;
pub mod pass;
mod plan;
pub mod rectangle;
pub(crate) mod solver;
pub mod square;

pub use plan::MatrixPlan;
