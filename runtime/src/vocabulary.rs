//! Floor 1: plain data that a program names: nodes, addresses, slots, inlets, cells, the layout of a frame,
//! and values that may cross a wire.

pub(crate) mod address;
pub(crate) mod answers;
pub(crate) mod choice;
pub(crate) mod counters;
pub(crate) mod custom;
pub(crate) mod decoding;
pub(crate) mod enabler;
pub(crate) mod error;
pub(crate) mod inside;
pub mod isolated;
pub(crate) mod layout;
pub(crate) mod name;
pub(crate) mod nesting;
pub(crate) mod network;
pub(crate) mod origin;
pub mod place;
pub(crate) mod placement;
pub(crate) mod policy;
pub(crate) mod shared;
pub(crate) mod steal;
mod stuck_graph;
pub(crate) mod unwinding;
pub(crate) mod value;
pub(crate) mod wire;
mod wire_collections;
mod wire_std;
mod wire_types;
