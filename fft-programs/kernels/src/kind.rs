//! Traits of the kernels, and the layout of rows.

pub(crate) mod column;
pub(crate) mod mirror;
pub(crate) mod real;
pub(crate) mod row;
pub(crate) mod row_shape;
pub(crate) mod turned;
