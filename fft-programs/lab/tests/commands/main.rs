//! The binary through its commands: input, output, files and errors. All tests are in one binary, because
//! each takes seconds to link.
#![forbid(unsafe_code)]

mod calibrate;
#[path = "../../../cli/tests/commands/common.rs"]
#[expect(dead_code, reason = "the tests of earth-fft use the rest")]
mod common;
mod compare;
mod groups;
mod growth;
mod map;
mod policies;
mod policy;
mod profile2d;
mod scale;
mod simulate;
mod sweep;
mod trace;
mod tune;
mod what_if;
