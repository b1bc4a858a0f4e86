//! Row, column and real kernels of the project's own, in the lanes of vector instructions.
//!
//! *From the bottom up.* `vector` is a vector of any width and precision and a vector of complex points;
//! `butterfly` has the transforms of a few points in registers; `isa` the sets of instructions, and the one
//! place where code that is compiled for one is entered. The loops of kernels are pieces: the `stage`s of a
//! transform in lanes, the stage `cross` the lanes, both for a `small` row, and the `turn` of rows into
//! lanes. The kernels are made of them: `lanes` transforms one point of each of many transforms a lane, by
//! strips the columns of a `matrix`; `turned` makes columns of rows, by `tile`s; `within` transforms one row;
//! `batch` many short ones; `split` a row of any other length; `real` is the step to rows of real numbers,
//! `mirror` that to real numbers of which pairs lie anywhere. [`rows`](rows()), [`columns`](columns()) and
//! [`real`](real()) plan, [`Isa`] says with which instructions; [`peak`](peak()) is the most that a core does
//! with them, and [`operations`](operations()) counts what kernels do, by a `tally` of butterflies.
//!
//! *Unsafe code* is of three kinds, each with its reason: the instructions, which are there if a vector is; the entry
//! of code for a set of instructions, which is there if an [`Isa`] is; and memory, which plans hand to pieces as
//! addresses after they have checked the slices that it is from.
//!
//! *Lengths* with a prime factor over 13, and lengths past 32 bits, have no kernels of stages. Their rows go through kernels of
//! other lengths: [`Composite`] through two factors, [`Rader`] through a prime less 1, [`Chirp`] through a longer length. These
//! kernels multiply points by a `product`.

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

use earth_kernels::{ColumnKernel, MirrorKernel, Real, RealKernel, RowKernel, TurnedKernel};

pub use any_length::chirp::Chirp;
pub use any_length::composite::Composite;
pub use any_length::rader::Rader;
pub use counting::operations::Operations;
pub use counting::peak::Peak;
pub use counting::whole::{Along, real_operations};
pub use isa::Isa;
pub use tables::radices::smooth_part;

use crate::compiled::compiled;
use crate::scratch::LINE;

/// Plans rows of `len` points, of which a call may have any number: a row becomes the same, to the bit, whatever rows
/// are transformed with it. `None` if a prime factor of the length has no butterfly, or
/// it is 0 or past 32 bits.
pub fn rows<T: Real>(isa: Isa, len: usize) -> Option<Arc<dyn RowKernel<T>>> {
    (compiled::<T>().rows)(isa, len)
}

/// Plans rows of `len` points, each of which is transformed as a matrix: columns, then rows that become columns. `None` if a
/// prime factor of the length has no butterfly, or if it is prime or past 32 bits.
pub fn split_rows<T: Real>(isa: Isa, len: usize) -> Option<Arc<dyn RowKernel<T>>> {
    (compiled::<T>().split_rows)(isa, len)
}

/// Whether rows of `len` points pay here: whether they take less time than by rustfft, or about as much with a plan that takes
/// far less. Both were measured. Short rows are over before the calls between their stages pay.
///
/// *AVX-512.* Rows that vectors divide pay from 256 points on (1.0 to 2.2 times the rate). Rows of 64 and 128
/// points are one piece, and pay, too (1.0 to 1.2). Rows that no vectors divide are split, or leave lanes empty. They pay in double precision from
/// 3,000 points on (0.9 to 2.0 times the rate, and 0.3 to 1.1 below), in single precision from 9,000 on (1.0 to 1.9). Below
/// that they pay from 600 points on (1.0 to 1.6) where rustfft has to leave its fast radices for 5 and 7, and not if it has 12
/// or 3 alone (0.5 to 1.0).
///
/// *AVX2.* Rows that 4 divides pay from 512 points on (0.8 to 1.9 times the rate; 0.6 to 1.2 of single precision if 8 does not
/// divide them). Others pay in single precision from 4,000 points on (0.7 to 2.1 times the rate, 1.1 in the mean; a plan takes
/// less than 1 transform instead of 2 to 6), and if 13 is twice a factor (1.0 to 1.8).
pub fn pays<T: Real>(isa: Isa, len: usize) -> bool {
    // In single precision these are one piece of the half vectors alone.
    let is_piece = size_of::<T>() == 8 || isa.narrower().iter().any(|isa| isa.name() == "avx512vl");
    tables::radices::radices(len).is_some()
        && match isa.lanes::<f64>() {
            8 if len < 256 => is_piece && [64, 128].contains(&len),
            // The fewest lanes that rows take: half of a vector.
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

/// Plans columns of `len` points. `None` if a prime factor of the length has no butterfly, or
/// it is 0 or past 32 bits.
pub fn columns<T: Real>(isa: Isa, len: usize) -> Option<Arc<dyn ColumnKernel<T>>> {
    (compiled::<T>().columns)(isa, len)
}

/// Plans rows of `len` points of a matrix of `rows` rows, which become columns. `None` if a prime factor of the length has
/// no butterfly, if it is past 32 bits, or if the matrix has no points or more than 53 bits count.
pub fn turned<T: Real>(isa: Isa, len: usize, rows: usize) -> Option<Arc<dyn TurnedKernel<T>>> {
    (compiled::<T>().turned)(isa, len, rows)
}

/// Plans the step between rows of `len` real numbers and of half as many complex points, whatever factors the length
/// has. `None` if it is odd, or 0.
pub fn real<T: Real>(isa: Isa, len: usize) -> Option<Arc<dyn RealKernel<T>>> {
    (compiled::<T>().real)(isa, len)
}

/// Plans the step between `len` real numbers and half as many complex points, whose pairs lie anywhere. `None` if the
/// numbers are odd or past 53 bits, or there are none.
pub fn mirror<T: Real>(isa: Isa, len: usize) -> Option<Arc<dyn MirrorKernel<T>>> {
    (compiled::<T>().mirror)(isa, len)
}

/// Asks the processor for the memory of elements that are going to be used soon: of rows whose order it would not guess.
pub fn ask<E>(elements: &[E]) {
    for line in 0..size_of_val(elements).div_ceil(LINE) {
        vector::prefetch(elements.as_ptr().wrapping_byte_add(line * LINE));
    }
}

/// Does `rounds` rounds of multiplications and additions that wait for nothing but each other, in the calling thread: timed,
/// the most that a core does with these instructions.
pub fn peak<T: Real>(isa: Isa, rounds: u32) -> Peak {
    (compiled::<T>().peak)(isa, rounds)
}

/// Counts the operations of a kernel of these instructions on `lines` lines of `len` points. `None` if there is no kernel.
pub fn operations<T: Real>(isa: Isa, along: Along, len: usize, lines: usize) -> Option<Operations> {
    (compiled::<T>().operations)(isa, along, len, lines)
}
