//! Tests of traces on every single-process machine, and of the files written from them.

#[path = "../../../tests/common/mod.rs"]
mod common;
mod files;
mod links;
