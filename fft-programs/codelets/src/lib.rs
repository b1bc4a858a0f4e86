//! Row, column and real kernels of this project, in the lanes of vector instructions.
//!
//! *Modules, from the bottom up.*
//!
//! | Module | Contents |
//! |---|---|
//! | `vector` | vectors of any width and precision, and vectors of complex points |
//! | `butterfly` | transforms of a few points in registers |
//! | `isa` | instruction sets, and the only entry into code that is compiled for one of them |
//! | `stage`, `cross`, `autosort`, `turn`, `tile` | loops of kernels (pieces): stages of a transform in lanes, the stage across the lanes, stages of short rows, transpositions of rows into lanes |
//! | `lanes` | transforms with one transform per lane, and strips of columns |
//! | `matrix`, `turned` | kernels of the columns of a matrix, and of rows that become columns |
//! | `autosort`, `within`, `batch`, `split` | kernels of short rows, of one row, of many rows at once, and of a row of any other length |
//! | `real`, `mirror` | step to real numbers, for a row or for pairs stored anywhere |
//!
//! [`rows`](rows()), [`columns`](columns()) and [`real`](real()) plan kernels, and [`Isa`] selects the
//! instructions. [`peak`](peak()) measures the peak rate of a core with them. [`operations`](operations())
//! counts the operations of kernels, from a `tally` of butterflies.
//!
//! *Unsafe code* is of three kinds, each with its reason:
//!
//! * Vector instructions, which exist if a vector exists.
//! * The entry into code for an instruction set, which exists if an [`Isa`] exists.
//! * Memory, which plans pass to pieces as addresses after they have checked the slices.
//!
//! *Lengths* with a prime factor over 13, and lengths past 32 bits, have no kernels of stages. Their rows use
//! kernels of other lengths: [`Composite`] two factors, [`Rader`] a prime minus 1, [`Chirp`] a greater
//! length. These kernels multiply points by a `product`.

mod any_length;
mod butterfly;
mod compiled;
mod counting;
mod isa;
mod kinds;
mod lanes;
mod pieces;
mod scratch;
mod tables;
mod vector;

use std::sync::Arc;

use earth_kernels::{ColumnKernel, MirrorKernel, Real, RealKernel, RowKernel, TransposingKernel};

pub use any_length::chirp::Chirp;
pub use any_length::composite::Composite;
pub use any_length::rader::Rader;
pub use counting::operations::Operations;
pub use counting::peak::Peak;
pub use counting::whole::{Along, real_operations};
pub use isa::{Isa, IsaError};
pub use tables::radices::smooth_part;

use crate::compiled::compiled;
use crate::scratch::LINE;

/// Plans rows of `len` points. A call may have any number of rows; the result of a row is bitwise independent
/// of the others. Returns `None` if a prime factor of the length has no butterfly, or if the length is 0 or
/// past 32 bits.
pub fn rows<T: Real>(isa: Isa, len: usize) -> Option<Arc<dyn RowKernel<T>>> {
    (compiled::<T>().rows)(isa, len)
}

/// Plans rows of `len` points, each transformed as a matrix: columns, then rows that become columns. Returns
/// `None` if a prime factor of the length has no butterfly, or if the length is prime or past 32 bits.
pub fn split_rows<T: Real>(isa: Isa, len: usize) -> Option<Arc<dyn RowKernel<T>>> {
    (compiled::<T>().split_rows)(isa, len)
}

/// Returns whether these rows pay for `len` points: they take less time than rustfft, or about the same time
/// with a much cheaper plan.
///
/// The limits below were measured. The ratios are rates relative to rustfft. Short rows, and rows that the
/// lanes do not divide, go through the stages of the autosort algorithm where it pays.
///
/// *AVX-512.*
///
/// | Other rows | Pay | Ratio |
/// |---|---|---|
/// | length divisible by the lanes | from 256 points on | 1.0 to 2.2 |
/// | others, double precision | from 3,000 points on | 0.9 to 2.0 (below: 0.3 to 1.1) |
/// | others, single precision | from 9,000 points on | 1.0 to 1.9 |
/// | others, single precision, where rustfft needs radix 5 or 7 | from 600 points on | 1.0 to 1.6 |
/// | others, single precision, where rustfft has radix 12, or 3 alone | not below 9,000 points | 0.5 to 1.0 |
///
/// Other rows are split or leave lanes empty.
///
/// *AVX2.*
///
/// | Other rows | Pay | Ratio |
/// |---|---|---|
/// | length divisible by 4 | from 512 points on | 0.8 to 1.9 (single precision, not divisible by 8: 0.6 to 1.2) |
/// | others, single precision | from 4,000 points on | 0.7 to 2.1, mean 1.1; a plan takes less than 1 transform instead of 2 to 6 |
/// | length divisible by 13 * 13 | from 512 points on | 1.0 to 1.8 |
pub fn pays<T: Real>(isa: Isa, len: usize) -> bool {
    kinds::autosort::sorts(isa, len, size_of::<T>()).is_some()
        || tables::radices::radices(len).is_some()
            && match isa.lanes::<f64>() {
                8 if len < 256 => false,
                // 4 is the minimum number of lanes for rows: half of a vector.
                8 if size_of::<T>() == 8 => len.is_multiple_of(4) || len >= 3000,
                8 => {
                    let leaves_fast_radices =
                        !len.is_multiple_of(12) && (len.is_multiple_of(5) || len.is_multiple_of(7));
                    len.is_multiple_of(8) || len >= 9000 || len >= 600 && leaves_fast_radices
                }
                4 => {
                    let long = size_of::<T>() == 4 && len >= 4000;
                    len >= 512 && (long || len.is_multiple_of(4) || len.is_multiple_of(13 * 13))
                }
                _ => false,
            }
}

/// Plans columns of `len` points. Returns `None` if a prime factor of the length has no butterfly, or if the
/// length is 0 or past 32 bits.
pub fn columns<T: Real>(isa: Isa, len: usize) -> Option<Arc<dyn ColumnKernel<T>>> {
    (compiled::<T>().columns)(isa, len)
}

/// Plans rows of `len` points of a matrix of `rows` rows, which become columns. Returns `None` if a prime
/// factor of the length has no butterfly, if the length is past 32 bits, or if the matrix has no points or
/// 2^53 or more.
pub fn turned<T: Real>(isa: Isa, len: usize, rows: usize) -> Option<Arc<dyn TransposingKernel<T>>> {
    (compiled::<T>().turned)(isa, len, rows)
}

/// Plans the step between rows of `len` real numbers and rows of half as many complex points; the length may
/// have any factors. Returns `None` if the length is odd or 0.
pub fn real<T: Real>(isa: Isa, len: usize) -> Option<Arc<dyn RealKernel<T>>> {
    (compiled::<T>().real)(isa, len)
}

/// Plans the step between `len` real numbers and half as many complex points, for pairs stored anywhere.
/// Returns `None` if `len` is 0, odd, or past 2^53.
pub fn mirror<T: Real>(isa: Isa, len: usize) -> Option<Arc<dyn MirrorKernel<T>>> {
    (compiled::<T>().mirror)(isa, len)
}

/// Prefetches the memory of elements that will be used soon, for rows in an order that hardware prefetchers
/// cannot predict.
pub fn prefetch<E>(elements: &[E]) {
    for line in 0..size_of_val(elements).div_ceil(LINE) {
        vector::prefetch(elements.as_ptr().wrapping_byte_add(line * LINE));
    }
}

/// Runs `rounds` rounds of independent multiplications and additions on the calling thread. With a timer,
/// this gives the peak rate of a core with these instructions.
pub fn peak<T: Real>(isa: Isa, rounds: u32) -> Peak {
    (compiled::<T>().peak)(isa, rounds)
}

/// Counts the operations of a kernel of these instructions on `lines` lines of `len` points. Returns `None`
/// if no such kernel exists.
pub fn operations<T: Real>(isa: Isa, along: Along, len: usize, lines: usize) -> Option<Operations> {
    (compiled::<T>().operations)(isa, along, len, lines)
}
