//! Sweeps: programs run on machines under policies and with sizes, as an [experiment](Experiment) says.
//!
//! 1. [`experiment`] reads an experiment from TOML, and checks its names against the [`Subjects`].
//! 2. [`plan`] lists its runs, always in the same order.
//! 3. [`run`] does the runs that have no row yet, and adds a row for each at once.
//! 4. [`rows`] keeps the rows in a CSV file, [`columns`] defines its columns.
//! 5. [`report`] summarizes the rows, [`figures`] draws them, and [`document`] is the page.
//! 6. [`transforms`] makes programs of a planner's FFTs.
//!
//! # Programs and policies from outside
//!
//! A binary of another crate adds its own programs and policies with
//! [`commands::run_with`](crate::commands::run_with), and has all commands of the laboratory. A test or a
//! notebook calls this module:
//!
//! ```
//! use earth::{CancelToken, Machine, Policy};
//! use earth_lab::sweep::{Experiment, OwnPolicy, Rows, Subjects, built_in, run};
//!
//! let hungry = |machine: Machine| machine.policy(Policy { feed: 9, ..Policy::default() });
//! let subjects = Subjects {
//!     programs: earth_programs::PROGRAMS.to_vec(), // and programs of one's own
//!     policies: vec![OwnPolicy { name: "hungry", set: &hungry }],
//! };
//! let text = r#"
//!     [[programs]]
//!     name = "fib"
//!     sizes = { n = [8, 10] }
//!     [[machines]]
//!     kind = "simulated"
//!     nodes = [1, 4]
//!     config = ["dual"]
//!     [[policies]]
//!     name = "usual"
//!     policy = "newest-first"
//!     [[policies]]
//!     name = "hungry"
//! "#;
//! let experiment = Experiment::from_toml(text, &subjects, &built_in)?;
//! let mut rows = Rows::in_memory();
//! run(&experiment, &mut rows, &(), &CancelToken::new())?;
//! assert_eq!(rows.len(), 2 * 2 * 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod columns;
mod document;
mod experiment;
mod figures;
mod plan;
mod report;
mod rows;
mod run;
mod transforms;

pub use columns::COLUMNS;
pub(crate) use columns::fingerprint;
pub use experiment::{Experiment, ExperimentError, OwnPolicy, Subjects, built_in};
pub use report::{Line, Report};
pub use rows::{Rows, RowsError};
pub use run::{SweepError, run};
pub use transforms::{Transform, transforms};
