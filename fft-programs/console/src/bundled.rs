//! Samples that come with the program.

pub mod bricks;
pub mod series;
