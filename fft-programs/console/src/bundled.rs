//! Samples bundled with the program.

pub mod bricks;
pub mod series;
