//! Fast Fourier transforms of 1 to 3 dimensions, by the calling thread or by dataflow programs on the earth
//! runtime.
//!
//! A [`Problem`] describes a transform. A [`Planner`] makes a [`Plan`] of it. Any number of threads may call
//! a plan any number of times.
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
//! A picture forward and back, on two nodes:
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
//! The columns of a table of 10 rows as a batch, with the same scaling in both directions:
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
//! Real numbers to the non-redundant half of their spectrum, a change there, and back:
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
//! The [guide] maps the calls of rustfft, realfft, FFTW, FFTW-MPI, heFFTe and `SciPy` to calls of this crate.
//!
//! | problem | transformed by |
//! |---|---|
//! | one array of 2 or 3 dimensions without gaps, of at least 2^19 points or 2^20 real numbers | all nodes: rows, then columns in place, or the reverse order |
//! | such an array with few long columns of prime factors up to 13 | all nodes: rows, then each column as a matrix |
//! | a series of at least 2^19 points or 2^20 real numbers, with prime factors up to 13 | all nodes: columns of a matrix, then rows that become columns |
//! | any other problem of 1 to 3 dimensions, batches, strides | the calling thread |
//! | an array whose parts are on many ranks | [distributed] plans |
//! | problems that a [solver of another crate](Planner::with) takes, such as `earth-papers` | nodes, by the solver's program |
//!
//! *Cost.* O(n log n) for every length. The tables of a plan have twice its lengths. A length with a prime
//! factor over 13 needs up to 15 times its length. `Display` of a plan has one line for each pass over
//! memory.
//!
//! *Normalization.* As in `SciPy`, the default is [`Norm::Backward`].
//!
//! *Threads.* Plans are `Send` and `Sync`. A planner keeps no thread. Its plans share a machine, whose idle
//! threads park after a short time and end with the last plan. The calling thread is worker 0 of a run and is
//! never bound to a core. Calls never wait for each other: a call from a fiber, or to a busy machine, runs on
//! its own thread.
//!
//! *Features.* `ndarray`: plans take arrays and views of that crate with any strides (module `arrays`).
//!
//! # Below
//!
//! * [`dataflow`]: the FFTs as dataflow programs, one algorithm a file.
//! * [`distributed`]: transforms whose arrays are distributed over many ranks.
//! * [`kernel`]: the row kernels of these FFTs: the project's own, rustfft or a library.
//! * [`solver`]: algorithms, and how another crate adds its own.
//! * [`Planner::effort`], [`Wisdom`]: the choice of the fastest plan by measuring, and the storage of the
//!   results.
//! * [`advisor`]: a model that predicts the time and the bound of each pass of a plan, from measured rates.
//! * [`Plan::run_on`]: a run of a plan on a machine of the caller's, traced or simulated, with its times and
//!   counters.

#![forbid(unsafe_code)]

pub mod advisor;
pub mod dataflow;
pub mod distributed;
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
pub use earth_serial::{Array, CallError, Layout};
pub use kernel::Kernel;
pub use measurements::computer;
pub use measurements::origin::MeasurementsError;
pub use measurements::wisdom::Wisdom;
pub use num_complex::Complex;
#[cfg(feature = "ndarray")]
pub use plan::arrays::{self, ArrayError};
pub use plan::verified::verified;
pub use plan::{ComplexToRealPlan, Plan, PlanRun, RealToComplexPlan, TransformError};
pub use planner::{
    Clock, MIN_SHARED_BATCH_POINTS, MIN_SHARED_POINTS, MIN_SHARED_SERIES_POINTS, PlanError, Planner, Refusal,
    Timed, Why, default_nodes,
};
pub use precision::{Precision, magnitude};
pub use problem::shape::Shape;
pub use problem::{
    ComplexToComplex, ComplexToReal, Elements, Kind, Norm, Problem, ProblemError, RealToComplex,
    UntypedProblem,
};
pub use solver::Counts;
