//! Types that cannot derive `Wire`.

mod lifetime;
mod pointer;
mod reference;
mod slice;
mod twice;
mod union;

fn main() {}
