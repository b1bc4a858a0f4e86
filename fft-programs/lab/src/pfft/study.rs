//! The study of Khokhriakov, Manumachu and Lastovetsky (*IEEE Access* 6, 2018) on this computer: how fast
//! their methods and the libraries' own transforms of matrices are, over N, and which of their statements
//! hold here.
//!
//! 1. [`run()`] measures, by a [`Bench`], what is not in the [`Journal`] yet: for each N and kernel PFFT-LB by
//!    all ways to make groups, then, with the best way, all methods in turn.
//! 2. A [`Study`] is what was measured, sorted by kernel: profiles, bands of N, speed-ups.
//! 3. The paper's [statements](earth_report::statements) are judged on it, by rules that were fixed beforehand.
//!
//! *What is compared.* The baseline is the library's own transform of the whole matrix on as many threads as
//! the groups have together, the paper's "one group"; for a kernel without one, our program with one group.
//! All methods of a row of the study are run in turn, round by round, so that what else the computer does
//! hits all of them. Their results are verified, all but the one that is as published: that is no transform
//! of the matrix, and is never counted as if it were one.

mod bench;
mod choice;
pub(crate) mod errata;
mod findings;
mod journal;
#[cfg(test)]
mod made_up;
mod matrices;
mod rows;
mod run;
mod speeds;
pub(crate) mod statements;

pub use bench::{Bench, BenchError};
pub use choice::{Preference, best, preferences};
pub use errata::Erratum;
pub use findings::{Band, KernelFindings, Study, bands, slug};
pub use journal::{Journal, JournalError};
pub use matrices::MatrixBench;
pub use rows::{Conditions, Entry, Groupings, Method, Methods, Published, SCHEMA, Sampled, Timed, Way};
pub use run::{NoSizes, RunError, Sizes, Target, run};
