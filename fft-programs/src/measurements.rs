//! Measurements that are stored as text: the computer they hold for, the header of each text, and the fastest
//! plans.

pub mod computer;
pub(crate) mod origin;
pub(crate) mod wisdom;
