//! Fibers that the macro refuses.

mod async_fiber;
mod cfg;
mod fiber_without_index;
mod generic_fiber;
mod never_ends;
mod never_runs;
mod no_start;
mod same_name;
mod shared_self;
mod start_of_state;
mod two_starts;
mod unit_first;
mod unmarked;

fn main() {}
