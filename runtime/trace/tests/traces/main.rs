//! Tests of traces on every single-process machine, and of the files written from them.

use earth_test_support as common;

mod files;
mod levels;
mod links;
mod schedules;
