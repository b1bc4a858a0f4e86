//! The only place that names threads, locks, channels and pauses.
//!
//! The other files of this crate take these names from `crate::primitive`, as the files of `earth-signal`
//! take their atomics from its `primitive`. The package `tests/shuttle` compiles the same files with names of
//! Shuttle's, whose scheduler decides which thread takes the next step. (Unit tests are not compiled there,
//! and may use any names.)

pub(crate) use std::hint::spin_loop;
pub(crate) use std::{sync, thread, thread_local};

pub(crate) use parking_lot::Mutex;
