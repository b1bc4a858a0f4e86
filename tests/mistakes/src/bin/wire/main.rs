//! Types that cannot travel; the trait bounds report them.

mod argument;
mod foreign_field;
mod function_pointer;
mod own_field;
mod trait_object;

fn main() {}
