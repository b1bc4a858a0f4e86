//! Every kind of problem through the planner: all lengths, layouts and batches compared with the definition,
//! and laws that hold for transforms of any size.

mod laws;
mod layouts;
mod product;
mod sizes;
