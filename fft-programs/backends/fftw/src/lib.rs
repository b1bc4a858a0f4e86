//! Row kernels of FFTW and MKL, loaded at run time. The build needs neither library.
//!
//! Both libraries export the interface of FFTW 3, as other libraries do. FFTW 2 has an interface of its own,
//! and transforms complex points in double precision. [`Library`] is the library that was found or named. It
//! plans rows as a [`RowKernel`](earth_kernels::RowKernel) ([`Library::plan_rows`]). For comparisons it also
//! plans whole transforms on the library's own threads ([`Library::plan_whole`]).
//!
//! *Duties of the interface's callers,* and the module that handles each:
//!
//! * The planner is not thread-safe; execution is. One lock per process is held while making or destroying a
//!   plan (`lock`). So a thread that drops a plan may wait for another thread's planning.
//! * Planning that measures overwrites the arrays, so plans are made on separate memory (`workspace`).
//! * A plan requires the alignment of the arrays that it was made on. Rows with another alignment are copied
//!   to aligned memory, transformed and copied back ([`LibraryRows`]). So no plan is made during a transform,
//!   and the result of a row is bitwise independent of its address. MKL and FFTW 2 require no
//!   alignment.
//! * The number of threads and the time limit are state of the planner. They are set under the lock, and
//!   reset.
//! * FFTW 2 and FFTW 3 have functions of equal names. Each library prefers its own (`file`).
//! * FFTW 2 ends the process if it gets no memory. No module prevents this.
//! * Lengths are `int`. Greater lengths are an error ([`LibraryError::TooLarge`]).
//!
//! *Modules, from the bottom up.* Each imports only modules listed before it:
//!
//! | Module | Contents |
//! |---|---|
//! | `error`, `effort`, `precision`, `problem` | plain data |
//! | `lock`, `file`, `workspace` | the planner's lock, a loaded file, memory for planning |
//! | `fftw2` | FFTW 2 in the form of FFTW 3's interface |
//! | `interface` | functions of one precision in a file |
//! | `planner`, `wisdom` | plans, and the results of past searches |
//! | `rows`, `whole` | transforms by these plans |
//! | `search` | places of libraries |
//! | `library` | finds, loads and describes libraries |
//!
//! *Trust.* Loading a library runs its code, and its functions are trusted to match their names. This cannot
//! be checked. Name only files, and set environment variables only to folders, from which you would run a
//! program. Libraries stay loaded until the process ends, because some of them do not survive unloading.
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
