//! The paper of Song and Hollingsworth: the transform of three dimensions that overlaps and tunes itself.

pub mod measured;
