//! Types that cannot travel, found by their traits.

mod argument;
mod foreign_field;
mod function_pointer;
mod own_field;
mod trait_object;

fn main() {}
