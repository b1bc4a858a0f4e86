//! Lengths, strides and kinds of C as axes.

use std::ffi::c_int;

use earth_axes::{Axis, RealTransform};
use earth_fft::Direction;

/// Most axes of a plan. No array that fits into memory has more axes longer than one.
const MOST: usize = 1024;

/// FFTW's `fftw_iodim`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Iodim {
    /// Number of elements.
    pub n: c_int,
    /// Stride of the input.
    pub is: c_int,
    /// Stride of the output.
    pub os: c_int,
}

/// FFTW's `fftw_iodim64`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Iodim64 {
    /// Number of elements.
    pub n: isize,
    /// Stride of the input.
    pub is: isize,
    /// Stride of the output.
    pub os: isize,
}

/// A dimension of the guru interfaces.
pub trait Dimension: Copy {
    /// Returns the number of elements, and the strides of input and output.
    fn numbers(self) -> [isize; 3];
}

impl Dimension for Iodim {
    fn numbers(self) -> [isize; 3] {
        [self.n, self.is, self.os].map(|number| number as isize)
    }
}

impl Dimension for Iodim64 {
    fn numbers(self) -> [isize; 3] {
        [self.n, self.is, self.os]
    }
}

/// Transformed axes and repeated axes.
pub type Axes = [Vec<Axis>; 2];

/// Returns the values of all dimensions of a rank, or `None` for a bad rank or a null pointer.
///
/// # Safety
///
/// The pointer is null or leads to `rank` values.
pub unsafe fn values<V: Copy>(rank: c_int, values: *const V) -> Option<Vec<V>> {
    let rank = usize::try_from(rank).ok().filter(|rank| *rank <= MOST)?;
    if rank == 0 {
        return Some(Vec::new());
    }
    if values.is_null() {
        return None;
    }
    // SAFETY: the caller's promise. Programs of C may leave the values unaligned.
    Some((0..rank).map(|at| unsafe { values.add(at).read_unaligned() }).collect())
}

/// Returns the axes of a guru interface. Transformed axes have at least one element.
///
/// # Safety
///
/// The pointers are null or lead to all dimensions of their ranks.
pub unsafe fn guru<D: Dimension>(
    rank: c_int,
    dims: *const D,
    howmany_rank: c_int,
    howmany_dims: *const D,
) -> Option<Axes> {
    let axes = |dims: Vec<D>, least: isize| {
        let axis = |dim: D| {
            let [n, input, output] = dim.numbers();
            (n >= least).then(|| Axis::new(n.unsigned_abs(), input, output))
        };
        dims.into_iter().map(axis).collect::<Option<Vec<_>>>()
    };
    // SAFETY: the caller's promise.
    let (dims, howmany) = unsafe { (values(rank, dims)?, values(howmany_rank, howmany_dims)?) };
    Some([axes(dims, 1)?, axes(howmany, 0)?])
}

/// One array of the advanced interface.
#[derive(Clone, Copy, Debug)]
pub struct Embedding {
    /// Lengths of the array that contains the transformed one, or null.
    pub embed: *const c_int,
    /// Distance between adjacent elements of the last dimension.
    pub stride: c_int,
    /// Distance between transforms.
    pub distance: c_int,
}

impl Embedding {
    /// Returns a contiguous array.
    pub fn contiguous() -> Self {
        Self { embed: std::ptr::null(), stride: 1, distance: 0 }
    }
}

/// Returns the axes of the basic and advanced interfaces. `lasts` are the lengths of the last dimension of
/// arrays without an embedding, by the length of the transform.
///
/// # Safety
///
/// The pointers are null or lead to the lengths of all dimensions.
pub unsafe fn many(
    rank: c_int,
    n: *const c_int,
    howmany: c_int,
    [input, output]: [Embedding; 2],
    lasts: [fn(isize) -> isize; 2],
) -> Option<Axes> {
    // SAFETY: the caller's promise.
    let lengths: Vec<_> = unsafe { values(rank, n)? }.into_iter().map(|n| n as isize).collect();
    if howmany < 0 || lengths.iter().any(|n| *n < 1) {
        return None;
    }
    let strides = |array: Embedding, last: fn(isize) -> isize| {
        let embed = if array.embed.is_null() {
            let mut usual = lengths.clone();
            usual.last_mut().into_iter().for_each(|length| *length = last(*length));
            usual
        } else {
            // SAFETY: the caller's promise.
            unsafe { values(rank, array.embed)? }.into_iter().map(|n| n as isize).collect()
        };
        let mut strides = vec![array.stride as isize; embed.len()];
        for at in (1..embed.len()).rev() {
            strides[at - 1] = strides[at].checked_mul(embed[at])?;
        }
        Some(strides)
    };
    let (inputs, outputs) = (strides(input, lasts[0])?, strides(output, lasts[1])?);
    let axis = |at: usize| Axis::new(lengths[at].unsigned_abs(), inputs[at], outputs[at]);
    let repeated = Axis::new(howmany as usize, input.distance as isize, output.distance as isize);
    Some([(0..lengths.len()).map(axis).collect(), vec![repeated]])
}

/// Returns the length of a last dimension of points or numbers.
pub fn same(n: isize) -> isize {
    n
}

/// Returns the points in the spectrum of a last dimension of numbers.
pub fn half(n: isize) -> isize {
    n / 2 + 1
}

/// Returns the length of a padded last dimension of numbers, which has room for its spectrum.
pub fn padded(n: isize) -> isize {
    2 * (n / 2 + 1)
}

/// Returns the direction of a sign of the exponent.
pub fn direction(sign: c_int) -> Option<Direction> {
    match sign {
        -1 => Some(Direction::Forward),
        1 => Some(Direction::Inverse),
        _ => None,
    }
}

/// Returns the transform of an `fftw_r2r_kind`.
pub fn transform(kind: c_int) -> Option<RealTransform> {
    Some(match kind {
        0 => RealTransform::HalfComplex,
        1 => RealTransform::FromHalfComplex,
        2 => RealTransform::Hartley,
        3 => RealTransform::Cosine1,
        4 => RealTransform::Cosine3,
        5 => RealTransform::Cosine2,
        6 => RealTransform::Cosine4,
        7 => RealTransform::Sine1,
        8 => RealTransform::Sine3,
        9 => RealTransform::Sine2,
        10 => RealTransform::Sine4,
        _ => return None,
    })
}
