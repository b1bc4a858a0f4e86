//! Threaded functions as programs write them: their forms, parameters, sizes and values, and classic
//! programs.

use earth_test_support as common;

mod arrays;
mod fixed_arrays;
mod forms;
mod generic;
mod guide;
mod programs;
mod serialized;
mod shared;
mod sized;
mod surface;
mod values;
pub mod wire;
