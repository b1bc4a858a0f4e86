//! A plan: passes over an array, each of them many transforms of one length by the definition.

use std::f64::consts::TAU;
use std::ffi::c_int;

/// A real number in one of the two precisions.
pub(crate) trait Real: Copy {
    const SINGLE: bool;
    const NAN: Self;
    fn widen(self) -> f64;
    fn narrow(x: f64) -> Self;
}

impl Real for f64 {
    const SINGLE: bool = false;
    const NAN: Self = Self::NAN;

    fn widen(self) -> f64 {
        self
    }

    fn narrow(x: f64) -> Self {
        x
    }
}

impl Real for f32 {
    const SINGLE: bool = true;
    const NAN: Self = Self::NAN;

    fn widen(self) -> f64 {
        f64::from(self)
    }

    fn narrow(x: f64) -> Self {
        x as Self
    }
}

/// Transforms of `len` points, `stride` apart, that begin `distance` apart.
#[derive(Clone, Copy)]
pub(crate) struct Pass {
    pub(crate) count: usize,
    pub(crate) len: usize,
    pub(crate) stride: usize,
    pub(crate) distance: usize,
}

impl Pass {
    fn at(self, row: usize, point: usize) -> usize {
        row * self.distance + point * self.stride
    }
}

pub(crate) struct Plan {
    pub(crate) single: bool,
    pub(crate) in_place: bool,
    /// Whether a transform from one array to another leaves the first one as it is.
    pub(crate) keeps_input: bool,
    pub(crate) passes: Vec<Pass>,
    pub(crate) sign: c_int,
    /// Of the arrays, if that matters.
    pub(crate) alignment: Option<c_int>,
}

/// What FFTW's vector instructions want.
pub(crate) fn alignment_of<T>(array: *const T) -> c_int {
    c_int::from((array.addr() % 16) as u8)
}

impl Plan {
    /// Transforms an array in place.
    ///
    /// # Safety
    ///
    /// The array has all points of all passes, as pairs of this precision, and nobody else uses them.
    pub(crate) unsafe fn execute<R: Real>(&self, array: *mut [R; 2]) {
        for pass in &self.passes {
            let factors: Vec<_> = (0..pass.len)
                .map(|k| {
                    let (sin, cos) = (TAU * k as f64 / pass.len as f64).sin_cos();
                    (cos, f64::from(self.sign) * sin)
                })
                .collect();
            for row in 0..pass.count {
                // SAFETY: the points of a pass, as the caller promised.
                let read = |j| unsafe { *array.add(pass.at(row, j)) }.map(Real::widen);
                let points: Vec<_> = (0..pass.len).map(read).collect();
                for k in 0..pass.len {
                    // SAFETY: as above.
                    unsafe { *array.add(pass.at(row, k)) = output(&points, &factors, k).map(R::narrow) };
                }
            }
        }
    }

    /// Copies the points from one array to another, and nothing that lies between them.
    ///
    /// # Safety
    ///
    /// As [`execute`](Self::execute), of both.
    pub(crate) unsafe fn copy<R: Real>(&self, from: *const [R; 2], to: *mut [R; 2]) {
        for at in self.points() {
            // SAFETY: the points of a pass, as the caller promised.
            unsafe { *to.add(at) = *from.add(at) };
        }
    }

    /// Where its points lie.
    fn points(&self) -> impl Iterator<Item = usize> {
        let of =
            |pass: Pass| (0..pass.count).flat_map(move |row| (0..pass.len).map(move |j| pass.at(row, j)));
        self.passes.first().copied().into_iter().flat_map(of)
    }

    /// Overwrites an array, as planning does that measures.
    ///
    /// # Safety
    ///
    /// As [`execute`](Self::execute).
    pub(crate) unsafe fn spoil<R: Real>(&self, array: *mut [R; 2]) {
        for at in self.points() {
            // SAFETY: the points of a pass, as the caller promised.
            unsafe { *array.add(at) = [R::NAN; 2] };
        }
    }
}

/// Output `k` by the definition.
fn output(points: &[[f64; 2]], factors: &[(f64, f64)], k: usize) -> [f64; 2] {
    let (mut re, mut im) = (0.0, 0.0);
    for (j, [a, b]) in points.iter().enumerate() {
        let (cos, sin) = factors[j * k % points.len()];
        re += a * cos - b * sin;
        im += a * sin + b * cos;
    }
    [re, im]
}
