//! Every kind of problem through the planner: all lengths, layouts and batches against the definition, and the laws that
//! transforms of any size obey.

mod laws;
mod layouts;
mod product;
mod sizes;
