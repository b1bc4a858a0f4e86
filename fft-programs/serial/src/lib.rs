//! Complex and real transforms of 1 to 3 dimensions by the caller's thread: no runtime, no threads, no allocation in a
//! call.
//!
//! A [`Shape`] says how many points a transform has and how many transforms there are, a [`Layout`] where the elements
//! of an array lie; both are plain data, checked once, when a plan is made. [`ComplexPlan`] transforms points to points
//! in both directions, in place or from one array to another, each point times any factor. [`RealPlan`]
//! transforms real numbers to the first half of their spectrum, or back, at half the work.
//! [`ColumnPlan`] transforms the columns of rows that lie anywhere, [`TurnedPlan`] such rows into columns, which together
//! are a long transform. Kernels come in by [`Kernels`]. `Display` of a plan
//! has a line for each pass over an array, and [`PassFacts`] are the same as plain data.
//!
//! *From the bottom up.* `steps` has the order of passes; `blocks` goes through the lines of a dimension; `lines` is a
//! pass over complex lines, `real_lines` one between numbers and points; `complex`, `columns`, `turned` and `real` have
//! the plans; `fetch` reads a row of a large array before it is transformed. This interface is kept stable.
//!
//! *Conventions.* Transforms are unscaled but for the factor, which is the caller's: `1/n` undoes a forward transform
//! by an inverse one. An array is read and written once for each dimension, or less often, if parts of it stay in a
//! cache between passes.
#![forbid(unsafe_code)]

mod complex;
mod error;
mod facts;
mod kernels;
mod passes;
mod real;
mod shape;
mod steps;

pub use complex::ComplexPlan;
pub use error::{CallError, PlanError};
pub use facts::{PassFacts, Way};
pub use kernels::Kernels;
pub use passes::columns::ColumnPlan;
pub use passes::fetch::fetch;
pub use passes::turned::TurnedPlan;
pub use real::RealPlan;
pub use shape::{Array, Extent, Layout, Shape, ShapeError, lie_apart};
