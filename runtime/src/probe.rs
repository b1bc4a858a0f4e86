//! Floor 2: observers of a node's units, as plain data.
//!
//! A watched unit holds some of them: a [recorder](recorder) on a machine that traces, [costs](costs) on a
//! machine that charges for operations, a [log of accesses](accesses) on a machine that explores, an
//! [order log](order) on a machine that records. They do not depend on the units. The few places where units use them
//! are together in `node/watched.rs`. An unwatched unit holds none of them, and its inline operations make no
//! extra check. They compare the node of an address with the one node whose slots are directly accessible; in
//! a watched unit no node has such slots.

pub(crate) mod accesses;
pub(crate) mod costs;
mod log;
pub(crate) mod order;
pub(crate) mod recorder;
pub mod records;
