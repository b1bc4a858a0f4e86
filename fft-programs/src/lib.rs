//! Fast Fourier transforms of 1 to 3 dimensions, by the caller's thread or by dataflow programs on the earth runtime.
//!
//! A [`Problem`] says what is to be transformed, a [`Planner`] makes a [`Plan`] of it, and a plan is called any number of
//! times, by any number of threads.
//!
//! The spectrum of a series:
//!
//! ```
//! use earth_fft::{Complex, Planner, Problem};
//!
//! let tone = |j: usize| Complex::new((std::f64::consts::TAU * 5.0 * j as f64 / 64.0).cos(), 0.0);
//! let mut points: Vec<_> = (0..64).map(tone).collect();
//! Planner::new().plan(&Problem::complex(&[64]))?.process(&mut points)?;
//! let loudest = (0..32).max_by(|&a, &b| points[a].norm().total_cmp(&points[b].norm()));
//! assert_eq!(loudest, Some(5));
//! # Ok::<(), earth_fft::TransformError>(())
//! ```
//!
//! A picture, there and back, on two nodes whatever its size:
//!
//! ```
//! use std::num::NonZeroUsize;
//!
//! use earth_fft::{Complex, Direction, Planner, Problem};
//!
//! let picture: Vec<_> = (0..48 * 32).map(|pixel| Complex::from((pixel % 7) as f32)).collect();
//! let planner = Planner::new().nodes(NonZeroUsize::new(2).unwrap());
//! let problem = Problem::complex(&[48, 32]);
//! let mut points = picture.clone();
//! planner.plan::<f32>(&problem)?.process(&mut points)?;
//! planner.plan::<f32>(&problem.direction(Direction::Inverse))?.process(&mut points)?;
//! assert!(points.iter().zip(&picture).all(|(found, wanted)| (found - wanted).norm() < 1e-4));
//! # Ok::<(), earth_fft::TransformError>(())
//! ```
//!
//! The columns of a table of 10 rows, as a batch, each scaled alike in both directions:
//!
//! ```
//! use earth_fft::{Complex, Layout, Norm, Planner, Problem};
//!
//! let columns = Layout { strides: vec![4], distance: 1 };
//! let problem = Problem::complex(&[10]).batch(4).layout(columns).norm(Norm::Ortho);
//! let mut table = vec![Complex::from(1.0); 40];
//! Planner::new().plan::<f64>(&problem)?.process(&mut table)?;
//! assert!((table[3] - Complex::from(10.0_f64.sqrt())).norm() < 1e-12 && table[7].norm() < 1e-12);
//! # Ok::<(), earth_fft::TransformError>(())
//! ```
//!
//! Real numbers to the half of their spectrum that tells the rest, times something, and back:
//!
//! ```
//! use earth_fft::{Complex, Planner, Problem};
//!
//! let mut numbers = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0];
//! let mut spectrum = [Complex::default(); 4];
//! let planner = Planner::new();
//! planner.plan_real_to_complex(&Problem::real_to_complex(&[6]))?.process(&numbers, &mut spectrum)?;
//! spectrum[1..].fill(Complex::default());
//! planner.plan_complex_to_real(&Problem::complex_to_real(&[6]))?.process(&mut spectrum, &mut numbers)?;
//! assert!(numbers.iter().all(|number| (number - 23.0 / 6.0_f64).abs() < 1e-12), "the mean");
//! # Ok::<(), earth_fft::TransformError>(())
//! ```
//!
//! The [guide] tells who comes from rustfft, realfft, FFTW or `SciPy` which call is which.
//!
//! | problem | what transforms it |
//! |---|---|
//! | one array of 2 or 3 dimensions without gaps, of 2^19 points or 2^20 real numbers or more | all nodes: rows, then columns where they are, or the other way round |
//! | the same with few long columns of prime factors up to 13 | all nodes: rows, then each column as a matrix |
//! | a series of 2^19 points or 2^20 real numbers or more, of prime factors up to 13 | all nodes: columns of a matrix, then rows that become columns |
//! | any other one of 1 to 3 dimensions, batches, strides | the caller's thread |
//! | what a [solver of another crate](Planner::with) takes, like `earth-papers` | nodes, by its program |
//!
//! *Cost.* O(n log n) for every length. A plan has tables of twice its lengths, or up to 15 times for lengths with a
//! prime factor over 13. `Display` of a plan has a line for each pass over memory.
//!
//! *Normalisation.* That of `SciPy`: [`Norm::Backward`] unless told otherwise.
//!
//! *Threads.* Plans are `Send` and `Sync`. A planner keeps no thread: its plans share a machine, whose idle threads sleep
//! after a short time and end with the last plan. The caller's thread is worker 0 of a run and is never bound to a core.
//! Calls never wait for each other: one that finds the machine busy, or comes from a fiber, is done by its own thread.
//!
//! *Features.* `ndarray`: plans take arrays and views of that crate, of any strides (module `arrays`).
//!
//! # Below
//!
//! * [`dataflow`]: the FFTs as dataflow programs, one algorithm a file.
//! * [`kernel`]: which row kernel they transform rows with, the project's own, rustfft or that of a library.
//! * [`solver`]: algorithms, and how another crate adds its own.
//! * [`Planner::effort`], [`Wisdom`]: the fastest plan by measuring, and what was found kept for the next time.
//! * [`advisor`]: a model that predicts what each pass of a plan takes here and what bounds it, from measured rates.
//! * [`Plan::run_on`]: a plan on a machine of the caller's, traced or simulated, and what it took.

#![forbid(unsafe_code)]

pub mod advisor;
pub mod dataflow;
pub mod guide;
pub mod kernel;
mod measurements;
pub mod memory;
mod plan;
mod planner;
mod precision;
mod problem;
pub mod solver;
pub mod solvers;

pub use advisor::{Forecast, Rates};
pub use earth::{Config, Policy};
pub use earth_codelets::Operations;
pub use earth_fftw::Effort;
pub use earth_kernels::Direction;
pub use earth_serial::{CallError, Layout};
pub use kernel::Kernel;
pub use measurements::computer;
pub use measurements::origin::MeasurementsError;
pub use measurements::wisdom::Wisdom;
pub use num_complex::Complex;
#[cfg(feature = "ndarray")]
pub use plan::arrays::{self, ArrayError};
pub use plan::verified::verified;
pub use plan::{ComplexToRealPlan, Plan, PlanRun, RealToComplexPlan, TransformError};
pub use planner::{Clock, PAYS, PlanError, Planner, Refusal, SERIES_PAYS, Timed, Why, default_nodes};
pub use precision::{Precision, magnitude};
pub use problem::shape::Shape;
pub use problem::{
    ComplexToComplex, ComplexToReal, Elements, Kind, Norm, Problem, ProblemError, RealToComplex,
    UntypedProblem,
};
pub use solver::Counts;
