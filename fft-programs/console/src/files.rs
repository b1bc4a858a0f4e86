//! Results in files: pages with their plots, speed functions, traces.

pub mod folder;
pub mod speeds;
pub mod trace;
