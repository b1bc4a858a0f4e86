//! Row kernels of FFTW and MKL, loaded at run time: nothing of either is needed to build.
//!
//! Both export the interface of FFTW 3, and so do other libraries; [`Library`] is whichever was found or named.
//! It plans rows as a [`RowKernel`](earth_kernels::RowKernel) ([`Library::plan_rows`]), and whole transforms
//! on the library's own threads, as a peer to compare with ([`Library::plan_whole`]).
//!
//! *What the interface leaves to its callers,* and where it is seen to:
//!
//! * The planner is not thread-safe, executing is. One lock a process is held while planning and while
//!   destroying a plan (`lock`): whoever drops a plan may wait for another thread's planning.
//! * Planning that measures overwrites the arrays, so plans are made on memory of their own (`workspace`).
//! * A plan is for arrays aligned as those it was made on. Rows that lie otherwise are copied to where they are
//!   aligned, transformed and copied back ([`LibraryRows`]): nothing is planned while transforming, and a row
//!   gives the same to the bit wherever it lies. MKL does not ask for it.
//! * The number of threads and the time limit are a state of the planner: set under the lock, and set back.
//! * Lengths are `int`: longer ones are an error here ([`LibraryError::TooLarge`]).
//!
//! *From the bottom up,* each file importing only files before it: `error`, `effort`, `precision` and `problem` are plain
//! data; `lock`, `file` (a loaded file) and `workspace` are what the rest works with; `interface` has the
//! functions of one precision in a file, `planner` the plans that they make, `wisdom` what its planner found, `rows` and `whole` the
//! transforms by these plans; `search` tells where libraries may be, and `library` finds, loads and describes them.
//!
//! *Trust.* Loading a library runs its code, and its functions are taken to be what their names say. That
//! cannot be checked: name no file, and set no environment variable to a folder, that you would not run a
//! program from. Libraries stay loaded until the process ends, because some of them do not survive unloading.
#![deny(unsafe_op_in_unsafe_fn)]

mod effort;
mod error;
mod library;
mod loaded;
mod lock;
mod planner;
mod problem;
mod rows;
mod whole;
mod wisdom;
mod workspace;

pub use effort::{Effort, EffortError};
pub use error::{LibraryError, NotFound};
pub use library::{Described, Library, PrecisionFile};
pub use problem::{Kind, WholeProblem};
pub use rows::LibraryRows;
pub use whole::{Arrays, LibraryWhole};
