//! Features of machines: simulation, recordings, input, monitors, many nodes.

use earth_test_support as common;

mod answers;
mod environment;
mod failed_records;
mod handshakes;
mod input;
mod many_nodes;
mod measured_times;
mod networks;
mod recording;
mod replaying;
mod running;
mod simulated;
mod soak;
mod stacks;
mod stall;
mod watchdog;
