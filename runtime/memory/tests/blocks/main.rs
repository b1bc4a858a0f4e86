//! Tests of blocks: single blocks, random splits and joins, and borrowed memory.

mod lend;
mod model;
mod promises;
