//! The sender-initiated FFT on every machine: equal bits, the counts in its module docs, the laws of the
//! transform, its memory, any schedule, and runs that end early. Also the FFTs by stages.

mod counts;
mod everywhere;
mod laws;
mod memory;
mod schedules;
mod stages;
