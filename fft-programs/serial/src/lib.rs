//! Complex and real transforms in 1 to 3 dimensions, on the caller's thread. The crate needs no runtime and
//! starts no threads. Calls allocate no memory.
//!
//! A [`Shape`] has the lengths of a transform and the number of transforms. A [`Layout`] has the strides of
//! an array. Both are plain data and are checked once, when a plan is made.
//!
//! | Plan | Transform |
//! |---|---|
//! | [`ComplexPlan`] | points to points, in both directions, in place or out of place, times any factor |
//! | [`RealPlan`] | real numbers to the first half of their spectrum, or back, at half the work |
//! | [`ColumnPlan`] | columns of a matrix whose rows are stored separately |
//! | [`TransposingPlan`] | rows of such a matrix into columns; after a [`ColumnPlan`] this gives a long transform |
//!
//! A [`Kernels`] provides the kernels. The `Display` of a plan has a line for each pass over an array, and
//! [`PassFacts`] is the same as plain data.
//!
//! *Modules, from the bottom up.* `steps` orders the passes. `blocks` iterates over the lines of a dimension.
//! `lines` is a pass over complex lines, `real_lines` a pass between numbers and points. `odd_line` is a real
//! line of odd length. `complex`, `columns`, `turned` and `real` have the plans. `fetch` reads a row of a
//! large array before its transform.
//! The interface of this crate is kept stable.
//!
//! *Conventions.* Transforms are unscaled except for the caller's factor: `1/n` makes an inverse transform
//! undo a forward one. An array is read and written once for each dimension, or fewer times if parts of it
//! stay in a cache between passes.
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
pub use facts::{Method, PassFacts};
pub use kernels::Kernels;
pub use passes::columns::ColumnPlan;
pub use passes::fetch::fetch;
pub use passes::turned::TransposingPlan;
pub use real::RealPlan;
pub use shape::{Array, Extent, Layout, Shape, ShapeError, elements_are_disjoint};
