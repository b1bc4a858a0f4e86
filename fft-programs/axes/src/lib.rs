//! Transforms along chosen axes of arrays of any rank, with strides of any sign, by the plans of
//! [`earth_fft`]. The interfaces for other languages use it.
//!
//! A [`Problem`](earth_fft::Problem) has 1 to 3 dimensions, one batch and positive strides. An
//! [`AxesProblem`] has any number of transformed and of repeated [`Axis`], like FFTW's guru interface.
//!
//! 1. Axes of length one are left out, equally spaced repeated axes are joined, and repeated axes with
//!    negative strides are walked from their other end.
//! 2. If the strides suit a `Problem`, one plan transforms the arrays where they are. It is called once for
//!    each place along the repeated axes that its batch does not cover.
//! 3. Otherwise parts of the input are [copied](copies) to contiguous memory, transformed there, and copied to
//!    the output. More than three axes are transformed in groups.
//!
//! [`RealPlan`] has cosine, sine, Hartley and half-complex transforms.
//!
//! *Cost.* A copy reads and writes each element once. Parts of at most [`PART`] elements are copied at a
//! time, unless an array is transformed in place to another layout: then all of it is copied.
//!
//! ```
//! use earth_axes::{AxesPlan, AxesProblem, Axis};
//! use earth_fft::{Complex, Direction, Planner};
//!
//! // The middle axis of an array of 2 x 3 x 4 points.
//! let repeated = [Axis::new(2, 12, 12), Axis::new(4, 1, 1)];
//! let problem = AxesProblem::complex(Direction::Forward, &[Axis::new(3, 4, 4)], &repeated).in_place();
//! let mut points = vec![Complex::from(1.0_f64); 24];
//! AxesPlan::new(&Planner::new(), &problem)?.in_place(&mut points)?;
//! assert!((points[3] - Complex::from(3.0)).norm() < 1e-12 && points[7].norm() < 1e-12);
//! # Ok::<(), earth_axes::AxesError>(())
//! ```
#![forbid(unsafe_code)]

mod axis;
pub mod copies;
mod error;
mod lines;
mod packed;
mod parts;
mod plan;
mod problem;
mod real;
mod threads;

pub use axis::{Axis, Extent};
pub use error::AxesError;
pub use lines::RealTransform;
pub use parts::PART;
pub use plan::AxesPlan;
pub use problem::AxesProblem;
pub use real::{RealAxis, RealPlan, RealProblem};
