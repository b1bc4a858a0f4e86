//! Files of results and measurements: pages with their plots, speed functions, traces, wisdom.

pub mod folder;
pub mod speeds;
pub mod text;
pub mod trace;
pub mod wisdom;
