//! Blocks: what one promises, what becomes of many, and memory that is lent.

mod lend;
mod model;
mod promises;
