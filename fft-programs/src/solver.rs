//! How an algorithm runs a problem on nodes: a planned [`Program`] and the ways in which it takes the arrays of a call.

mod array;
mod program;
mod runs;
mod signal;

pub(crate) use array::{ArrayProgram, Input, in_two_passes};
pub(crate) use program::{Memory, Program, bytes};
pub(crate) use runs::{Runs, RunsItself};
pub(crate) use signal::SignalProgram;

pub use program::Counts;
