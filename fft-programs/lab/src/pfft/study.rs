//! The study of Khokhriakov, Manumachu and Lastovetsky (*IEEE Access* 6, 2018) on this computer: the speed of
//! their methods and of the libraries' own transforms of matrices, over N, and the validity of their
//! statements here.
//!
//! 1. [`run()`] measures, with a [`Bench`], the rows that the [`Journal`] does not have yet: for each N and
//!    kernel PFFT-LB with all groupings, then all methods in turn with the best grouping. Further experiments
//!    follow: planners that measure, rows of the paper's example, and transposes by blocks.
//! 2. A [`Study`] has the measurements, sorted by kernel: profiles, bands of N, speed-ups.
//! 3. The paper's [statements](earth_report::statements) are judged on it, by rules that were fixed
//!    beforehand.
//!
//! *Controls.* Our program with one group separates the program from the groups. PFFT-LB planned a second
//! time is a null: the same program with the same groups. The first points of each speed function are
//! measured twice, so that a difference of groups can be compared with the difference of a group from itself.
//!
//! *Comparison.* The baseline is the library's own transform of the whole matrix on the total threads of all
//! groups, the paper's "one group". For a kernel without such a transform, it is our program with one group.
//! All methods of a row of the study run in turn, round by round, so other activity of the computer affects
//! all of them. All results are verified except the one as published, which is not the transform of the
//! matrix and is never counted as if it were.

mod bench;
mod choice;
mod compared;
pub(crate) mod errata;
mod findings;
#[cfg(test)]
mod fixtures;
mod journal;
mod matrices;
mod rows;
mod run;
mod speeds;
pub(crate) mod statements;
mod transposes;

pub use bench::{Bench, BenchError};
pub use choice::{GroupingSpeed, best, preferences};
pub use compared::null_of_transposes;
pub(crate) use compared::speeds as speeds_of;
pub use findings::{Band, KernelFindings, Study, bands, slug};
pub use journal::{Journal, JournalError};
pub use matrices::MatrixBench;
pub use rows::further::{
    EXAMPLE, Efforts, LONGER, Lengths, PADDED, PAPERS_SIDE, Planned, ROWS, SIDES, SideTime, Transposes,
};
pub use rows::{
    Conditions, Entry, GroupingTime, Groupings, Method, Methods, Published, SCHEMA, Sampled, Timed,
};
pub use run::{NoSizes, RunError, Sizes, Target, run};
