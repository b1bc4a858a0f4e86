//! Errors of runs: each is reported, none hangs, and the machine still works.

use earth_test_support as common;

mod addresses;
mod caught;
mod ends;
mod entries;
mod fibers;
mod rounds;
mod runs;
mod slots;
