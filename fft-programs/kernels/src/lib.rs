//! Kernels of the FFT programs: pure functions on slices, independent of the runtime.
//!
//! *Conventions.* The forward transform is `X[k] = sum over j of x[j] exp(-2 pi i j k / n)`; the inverse has
//! the opposite sign. A kernel works on a part of a transform and never scales. A whole transform divides its
//! inverse by `n` ([`scale`]), so that the inverse undoes the forward transform.
//!
//! *Contents, from the bottom up.*
//!
//! | Items | Purpose |
//! |---|---|
//! | [`Real`], [`PerPrecision`] | precision, and values that exist in each precision |
//! | [`twiddle`](twiddle()), [`arc`], [`Circle`], [`Roots`] | one root of unity, a table of consecutive ones, all roots of one order |
//! | [`near_square`], [`near_cube`], [`prime_factors`] | factorizations of a length |
//! | [`dft`](dft()), [`dft_nd`] | the definition in one or several dimensions, with compensated sums; the reference for all tests |
//! | [`Caches`] | sizes of the caches of this computer |
//! | [`RowKernel`], [`RowShape`] | fast transform of rows, which backends implement, and the layout of rows |
//! | [`ColumnKernel`] | transform of the columns of a matrix |
//! | [`TransposingKernel`] | transform of rows into columns |
//! | [`RealKernel`], [`MirrorKernel`] | step to real numbers, for a row or for pairs of points stored anywhere |
//! | [`SenderOrder`] | data distribution of the sender-initiated FFT |
//! | [`ReceiverOrder`] | data distribution of the receiver-initiated FFT |
//! | [`RadixOrder`] | stages of the transforms of radix 2, 4 and 8 |
//! | [`verify`](verify()) | check of a result of any lengths, with a kernel from the caller |
//! | [`transpose`](transpose()), [`exchange_transposed`], [`transpose_into`] | transpositions of tiles |
#![forbid(unsafe_code)]

mod caches;
mod factors;
mod kind;
mod oracle;
mod order;
mod real;
mod transpose;
mod unity;

pub use caches::Caches;
pub use factors::{near_cube, near_square, prime_factors};
pub use kind::column::{ColumnKernel, Matrix, MatrixMut};
pub use kind::mirror::MirrorKernel;
pub use kind::real::RealKernel;
pub use kind::row::{RowKernel, scale};
pub use kind::row_shape::{RowShape, RowShapeError, count_rows};
pub use kind::turned::TransposingKernel;
pub use oracle::dft::{dft, dft_bin, dft_nd, inverse_dft};
pub use oracle::error::{bound, relative_error};
pub use oracle::verify::{Verified, verify};
pub use order::radix::{Butterfly, LocalFactors, RadixError, RadixFactors, RadixOrder};
pub use order::receiver::{ReceiverOrder, SharesError};
pub use order::sender::{OrderError, SenderOrder};
pub use real::{PerPrecision, Real};
pub use transpose::{exchange_transposed, transpose, transpose_into};
pub use unity::circle::Circle;
pub use unity::roots::Roots;
pub use unity::twiddle::{Direction, Twiddles, arc, arc_in_line, evaluated, twiddle};
