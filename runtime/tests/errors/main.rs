//! Errors of runs: what is reported, that nothing hangs, and that the machine works again.

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
