//! The two-dimensional FFTs on every machine: the same bits everywhere, the counts that their heads promise,
//! the laws of the transform, groups of nodes, their memory, any schedule, and runs that end early.

mod counts;
mod everywhere;
mod grouped;
mod laws;
mod memory;
mod row_speed;
mod schedules;
