//! The sender-initiated FFT on every machine: the same bits everywhere, the counts that its head promises,
//! the laws of the transform, its memory, any schedule, and runs that end early. The FFTs by stages beside it.

mod counts;
mod everywhere;
mod laws;
mod memory;
mod schedules;
mod stages;
