//! Floor 2: what watches the units of a node, as plain data.
//!
//! A unit that is watched holds some of this: a [recorder](recorder) on a machine that traces, [costs](costs) on one that
//! charges for operations. It knows no unit; the few places where units use it stand together in `node/watched.rs`. A unit
//! that nobody watches holds none of it, and its operations in line never ask: they compare the node of an address with the
//! one node whose slots are at hand, and a watched unit has none at hand.

pub(crate) mod costs;
mod log;
pub(crate) mod recorder;
pub mod records;
