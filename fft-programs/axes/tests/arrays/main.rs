//! Plans of [`earth_axes`] against sums by definition.

mod common;
mod points;
mod real;
