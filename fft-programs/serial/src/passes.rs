//! Passes over an array: all lines of one dimension.

pub(crate) mod blocks;
pub(crate) mod columns;
pub(crate) mod fetch;
pub(crate) mod lines;
pub(crate) mod odd_line;
pub(crate) mod real_lines;
pub(crate) mod turned;
