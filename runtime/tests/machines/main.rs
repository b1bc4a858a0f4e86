//! Features of machines: simulation, recordings, input, monitors, many nodes.

#[path = "../common/mod.rs"]
mod common;

mod answers;
mod environment;
mod failed_records;
mod input;
mod many_nodes;
mod networks;
mod recording;
mod running;
mod simulated;
mod soak;
mod stacks;
mod stall;
mod watchdog;
