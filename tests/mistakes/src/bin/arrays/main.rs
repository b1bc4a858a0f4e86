//! Arrays of inlets.

mod array_no_array;
mod array_of_const;
mod array_of_none;
mod array_of_slots;
mod array_one_value;
mod array_too_long;
mod array_twice_long;
mod array_without_length;

fn main() {}
