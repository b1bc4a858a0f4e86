//! Traces of programs on every machine of one process, and what is written of them.

#[path = "../../../tests/common/mod.rs"]
mod common;
mod files;
mod links;
