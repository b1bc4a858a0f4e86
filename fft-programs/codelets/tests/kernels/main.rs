//! All kernels compared with definitions, for every instruction set of the machine, and their accuracy. One
//! binary, so that their instances are compiled once.

mod accuracy;
mod columns;
mod common;
mod exact;
mod mirror;
mod operations;
mod other_lengths;
mod real;
mod rows;
