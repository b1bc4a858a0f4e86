//! The two-dimensional FFTs on every machine: equal bits, the counts in their module docs, the laws of the
//! transform, groups of nodes, their memory, any schedule, and runs that end early.

mod counts;
mod everywhere;
mod grouped;
mod laws;
mod memory;
mod row_speed;
mod schedules;
