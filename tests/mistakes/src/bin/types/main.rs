//! Types of arguments, states and results.

mod cell_not_clone;
mod count_of_wrong_type;
mod forgotten_result;
mod missing_argument;
mod no_such_state;
mod self_waits;
mod start_returns_then;
mod state_of_thread;
mod untravelling_argument;
mod untravelling_inlet;
mod wrong_return;

fn main() {}
