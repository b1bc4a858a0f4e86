//! Errors of runs: each is reported, none hangs, and the machine still works.

#[path = "../common/mod.rs"]
mod common;

mod addresses;
mod caught;
mod ends;
mod entries;
mod fibers;
mod rounds;
mod runs;
mod slots;
