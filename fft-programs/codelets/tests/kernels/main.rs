//! All kernels, against definitions, by every set of instructions that the machine has, and how exact they are. One binary, so
//! that what they instantiate is compiled once.

mod accuracy;
mod columns;
mod common;
mod exact;
mod mirror;
mod operations;
mod other_lengths;
mod real;
mod rows;
