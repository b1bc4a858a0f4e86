//! The binary through its commands: what each reads, prints, writes and refuses. One binary of tests, since each one takes
//! seconds to link.
#![forbid(unsafe_code)]

mod calibrate;
#[path = "../../../cli/tests/commands/common.rs"]
#[expect(dead_code, reason = "the tests of earth-fft use the rest")]
mod common;
mod compare;
mod groups;
mod policy;
mod profile2d;
mod simulate;
mod trace;
