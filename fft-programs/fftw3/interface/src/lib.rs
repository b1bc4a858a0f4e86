//! FFTW 3's interface in C and Fortran on [`earth_fft`]: all transforms are [`AxesPlan`]'s and
//! [`RealPlan`]'s.
//!
//! [`export!`] makes the symbols of one precision. `libearth_fftw3.so` and `libearth_fftw3f.so` are two
//! crates of one line. Programs compiled for FFTW use them without a change.
//!
//! | module | |
//! |---|---|
//! | [`arguments`] | lengths, strides and kinds of C as axes, checked |
//! | [`memory`] | pointers of C as memory of copies; `malloc`, `alignment_of` |
//! | [`planned`] | the object behind a plan's pointer, and its calls |
//! | [`settings`] | planner settings of the process, and its wisdom |
//! | [`api`] | the functions, generic in the precision |
//! | [`fortran`] | the legacy Fortran functions: pointers for all arguments, dimensions in reverse order |
//!
//! # What C promises
//!
//! A function of C cannot check these promises, and the `SAFETY` comments rely on them:
//!
//! 1. A plan's pointer is null, or the result of a planning function, and the plan is not destroyed.
//! 2. Arrays have all elements that the lengths and strides of the plan name, and the memory between them
//!    belongs to the program. During a call no other thread writes elements of its arrays, or reads
//!    elements of its output.
//! 3. Pointers to lengths, strides and kinds are null, or lead to one value for each dimension of the rank.
//! 4. Strings end with a zero. Pointers to functions lead to functions that do not unwind.
//!
//! # What is checked
//!
//! | argument | result |
//! |---|---|
//! | rank or length below its least value, unknown kind of transform, overlapping output, arrays beyond the address space | the planning function returns null |
//! | null arrays | a plan for new-array calls; calls without arrays do nothing |
//! | arrays that overlap, or that are not aligned to a number | copied whole before the output is written |
//! | other pointers than planned in a new-array call, in place or not | as the new pointers are |
//! | memory that is short in a call | a sentence on standard error, and the process is aborted: C has no other way |
//!
//! # What differs from FFTW
//!
//! * Planning never writes to the arrays.
//! * Complex-to-real transforms of several dimensions can preserve their input.
//! * `threads_set_callback` has no effect: nodes of the runtime share a call.
//! * `cleanup` leaves plans usable.
//! * Wisdom has a text of its own. FFTW's texts are refused.
//!
//! [`AxesPlan`]: earth_axes::AxesPlan
//! [`RealPlan`]: earth_axes::RealPlan

pub mod api;
pub mod arguments;
mod exports;
pub mod fortran;
pub mod memory;
pub mod planned;
pub mod settings;

pub use planned::Planned;

/// Types of the exported functions.
#[doc(hidden)]
pub mod types {
    pub use earth_fft::Complex;
    pub use libc::FILE;

    pub use crate::arguments::{Iodim, Iodim64};

    /// Returns the bytes of a text.
    pub const fn bytes<const N: usize>(text: &str) -> [u8; N] {
        let mut bytes = [0; N];
        let mut at = 0;
        while at < N {
            bytes[at] = text.as_bytes()[at];
            at += 1;
        }
        bytes
    }
}
