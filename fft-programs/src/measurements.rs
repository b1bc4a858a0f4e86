//! Measurements that are kept as text: the computer that they were made on, the head of each text, and the fastest plans.

pub mod computer;
pub(crate) mod origin;
pub(crate) mod wisdom;
