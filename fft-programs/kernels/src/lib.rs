//! Kernels of the FFT programs: pure functions on slices, with no runtime under them.
//!
//! *Conventions.* The forward transform is `X[k] = sum over j of x[j] exp(-2 pi i j k / n)`; the inverse has
//! the other sign. A kernel, which works on a part of a transform, never scales; a whole transform divides
//! its inverse by `n`, so that it undoes the forward one ([`scale`] does that).
//!
//! *From the bottom up.* [`Real`] is the precision, [`InBoth`] what there is of each; [`twiddle`](twiddle())
//! is a root of unity, [`arc`] a table of neighbouring ones, [`Circle`] and [`Roots`] all of one order;
//! [`near_square`] a length as a matrix; [`dft`](dft()) the definition, computed with care, against which
//! everything else is tested; [`RowKernel`] the contract of a fast transform of rows that lie as a
//! [`RowShape`] says, which backends implement, [`ColumnKernel`] that of the columns of a matrix,
//! [`TurnedKernel`] that of rows that become columns, [`RealKernel`] that of the step to real numbers,
//! [`MirrorKernel`] that of this step for pairs that lie anywhere; [`SenderOrder`] has the parts of the
//! sender-initiated FFT, [`ReceiverOrder`] those of the receiver-initiated one, [`RadixOrder`] those of
//! transforms of radix 2, 4 and 8 by stages; [`verify`](verify()) tells whether a result of any lengths is
//! right, by a kernel of the caller's. [`dft_nd`] is the definition in several dimensions;
//! [`transpose`](transpose()), [`exchange_transposed`] and [`transpose_into`] turn rows to columns.
#![forbid(unsafe_code)]

mod factors;
mod kind;
mod oracle;
mod order;
mod real;
mod transpose;
mod unity;

pub use factors::{near_cube, near_square, prime_factors};
pub use kind::column::{ColumnKernel, Matrix, MatrixMut};
pub use kind::mirror::MirrorKernel;
pub use kind::real::RealKernel;
pub use kind::row::{RowKernel, scale};
pub use kind::row_shape::{RowShape, RowShapeError, count_rows};
pub use kind::turned::TurnedKernel;
pub use oracle::dft::{dft, dft_bin, dft_nd, inverse_dft};
pub use oracle::error::{bound, relative_error};
pub use oracle::verify::{Verified, verify};
pub use order::radix::{Butterfly, NearFactors, RadixError, RadixFactors, RadixOrder};
pub use order::receiver::{ReceiverOrder, SharesError};
pub use order::sender::{OrderError, SenderOrder};
pub use real::{InBoth, Real};
pub use transpose::{exchange_transposed, transpose, transpose_into};
pub use unity::circle::Circle;
pub use unity::roots::Roots;
pub use unity::twiddle::{Direction, Twiddles, arc, arc_in_line, evaluated, twiddle};
