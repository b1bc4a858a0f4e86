//! Types for which `Wire` cannot be derived.

mod lifetime;
mod pointer;
mod reference;
mod slice;
mod twice;
mod union;

fn main() {}
