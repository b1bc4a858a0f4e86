//! The FFT programs and plans on every machine: results, counts, laws, memory, schedules, faults, transforms
//! without data, and a second simulation. All are one binary, so that shared generic code is compiled once.
#![forbid(unsafe_code)]

mod alike;
mod batches;
mod faults;
mod overlap;
mod phantoms;
mod problems;
mod receiver;
mod second_machine;
mod sender;
mod two_pass;
mod twod;
