//! The FFT programs as plain functions on vectors, and the choice of the one that a
//! [`Request`](crate::request::Request) means.
//!
//! [`sender`], [`receiver`], [`row`] and, for matrices, [`matrix::matrix`] run one program on a machine of any
//! kind. [`Library`] answers requests: it chooses program, machine and block size, and keeps the last
//! machine for the next request. [`phantom`] runs the same programs without data, for sizes larger than memory.
//!
//! *What `auto` becomes.* The sender-initiated FFT if more than one node or a block size was asked for and it
//! can do it: N and the block size are powers of two. Else the row kernel on one node, which takes any N, and
//! which no number of nodes has beaten yet on few cores. A matrix always goes by tiles, on one node unless
//! more were asked for. *The block size*, unless given, is [`default_block`]. *The number of nodes*, unless
//! given, is [`default_nodes`].
//!
//! *Time.* [`Transformed::phases`] is by the clock of the program's main function. Planning (factors, the row
//! kernel's tables) comes before and is reported by itself, since a plan serves many transforms; starting the
//! machine's threads comes before too.

mod choice;
pub(crate) mod compiled;
mod error;
mod library;
mod line;
pub mod matrix;
pub mod memory;
mod nodes;
pub mod pfft;
pub mod phantom;
mod row_speed;

pub use error::{NoPoints, NotSimulated, TransformError};
pub use library::Library;
pub use line::{Transformed, default_block, receiver, row, sender};
pub use nodes::{MOST_NODES, default_nodes};
pub use row_speed::{RowTimes, row_speed};
