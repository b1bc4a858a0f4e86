//! A plan: passes over an array. Each pass is many transforms of one length by the definition. Rows of real
//! numbers become half spectra before the first pass. Half spectra become rows of real numbers after the last
//! pass.

use std::f64::consts::TAU;
use std::ffi::c_int;

/// Sign of the forward direction.
pub(crate) const FORWARD: c_int = -1;

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

/// `count` transforms of `len` points, `stride` apart, that begin `distance` apart. The pass repeats this
/// `again` times, `apart` points apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass {
    pub(crate) count: usize,
    pub(crate) len: usize,
    pub(crate) stride: usize,
    pub(crate) distance: usize,
    pub(crate) again: usize,
    pub(crate) apart: usize,
}

impl Pass {
    /// Returns the positions where the transforms begin.
    fn starts(self) -> impl Iterator<Item = usize> {
        let of = move |time| (0..self.count).map(move |row| time * self.apart + row * self.distance);
        (0..self.again).flat_map(of)
    }
}

/// Rows of real numbers, and of their spectra. The sign of the plan is the direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RealRows {
    pub(crate) count: usize,
    pub(crate) len: usize,
    /// Distance between the beginnings of two consecutive rows, in numbers.
    pub(crate) numbers: usize,
    /// Distance between the beginnings of two consecutive rows, in points.
    pub(crate) points: usize,
}

impl RealRows {
    /// Writes the numbers of half spectra, which may replace them. The other half is the conjugate.
    ///
    /// # Safety
    ///
    /// As for [`Plan::execute`], for both arrays.
    unsafe fn numbers_of<R: Real>(self, from: *const [R; 2], to: *mut R) {
        for row in 0..self.count {
            // SAFETY: these are the points of a row, as the caller promised.
            let read = |k: usize| unsafe { *from.add(row * self.points + k) }.map(Real::widen);
            let whole = |k: usize| {
                if 2 * k > self.len {
                    let [re, im] = read(self.len - k);
                    return [re, -im];
                }
                let [re, im] = read(k);
                // Numbers have no such imaginary parts, and FFTW does not read them.
                if k == 0 || 2 * k == self.len { [re, 0.0] } else { [re, im] }
            };
            let points: Vec<_> = (0..self.len).map(whole).collect();
            for (j, [number, _]) in outputs(&points, -FORWARD, self.len).enumerate() {
                // SAFETY: these are the numbers of a row, as the caller promised.
                unsafe { *to.add(row * self.numbers + j) = R::narrow(number) };
            }
        }
    }
}

pub(crate) struct Plan {
    pub(crate) single: bool,
    pub(crate) in_place: bool,
    /// Whether a transform out of place leaves its input unchanged.
    pub(crate) keeps_input: bool,
    pub(crate) real: Option<RealRows>,
    pub(crate) passes: Vec<Pass>,
    pub(crate) sign: c_int,
    /// Alignment of the arrays, if it matters.
    pub(crate) alignment: Option<c_int>,
}

/// Returns the alignment that matters to FFTW's vector instructions: the address modulo 16.
pub(crate) fn alignment_of<T>(array: *const T) -> c_int {
    c_int::from((array.addr() % 16) as u8)
}

impl Plan {
    /// Whether the plan transforms a matrix, a cube or real numbers, and not rows.
    pub(crate) fn is_whole(&self) -> bool {
        self.real.is_some() || self.passes.len() > 1
    }

    /// Whether half spectra become real numbers.
    fn is_to_real(&self) -> bool {
        self.real.is_some() && self.sign == -FORWARD
    }

    /// Transforms from one array to another, or in place.
    ///
    /// # Safety
    ///
    /// As for [`execute`](Self::execute), for both arrays.
    pub(crate) unsafe fn transform<R: Real>(&self, input: *mut [R; 2], output: *mut [R; 2]) {
        // SAFETY: as the caller promised.
        unsafe {
            if let Some(rows) = self.real.filter(|_| self.is_to_real()) {
                self.execute::<R>(input);
                rows.numbers_of::<R>(input, output.cast());
            } else {
                self.copy::<R>(input, output);
                self.execute::<R>(output);
            }
            if !self.keeps_input {
                self.spoil_input::<R>(input);
            }
        }
    }

    /// Transforms an array in place, or half spectra along all but the last dimension.
    ///
    /// # Safety
    ///
    /// The array contains all points of all passes, as pairs of this precision. No other code uses it during
    /// the call.
    pub(crate) unsafe fn execute<R: Real>(&self, array: *mut [R; 2]) {
        for pass in &self.passes {
            for start in pass.starts() {
                let at = |j| start + j * pass.stride;
                // SAFETY: these are the points of a pass, as the caller promised.
                let read = |j| unsafe { *array.add(at(j)) }.map(Real::widen);
                let points: Vec<_> = (0..pass.len).map(read).collect();
                for (k, output) in outputs(&points, self.sign, pass.len).enumerate() {
                    // SAFETY: as above.
                    unsafe { *array.add(at(k)) = output.map(R::narrow) };
                }
            }
        }
    }

    /// Copies the points from one array to another, and leaves the gaps between them unchanged. Rows of real
    /// numbers become half spectra, which may be stored where the numbers were.
    ///
    /// # Safety
    ///
    /// As for [`execute`](Self::execute), for both arrays.
    pub(crate) unsafe fn copy<R: Real>(&self, from: *const [R; 2], to: *mut [R; 2]) {
        if let Some(rows) = self.real {
            for row in 0..rows.count {
                // SAFETY: these are the numbers of a row, as the caller promised.
                let read = |j| [unsafe { *from.cast::<R>().add(row * rows.numbers + j) }.widen(), 0.0];
                let numbers: Vec<_> = (0..rows.len).map(read).collect();
                for (k, output) in outputs(&numbers, self.sign, rows.len / 2 + 1).enumerate() {
                    // SAFETY: these are the points of a row, as the caller promised.
                    unsafe { *to.add(row * rows.points + k) = output.map(R::narrow) };
                }
            }
        } else if !self.in_place {
            for at in self.points() {
                // SAFETY: these are the points of a pass, as the caller promised.
                unsafe { *to.add(at) = *from.add(at) };
            }
        }
    }

    /// Returns the positions of all points: of the output, or of the spectra of real numbers.
    fn points(&self) -> Vec<usize> {
        if let Some(rows) = self.real {
            let of = |row| (0..=rows.len / 2).map(move |k| row * rows.points + k);
            return (0..rows.count).flat_map(of).collect();
        }
        let of = |pass: &Pass| {
            let (stride, len) = (pass.stride, pass.len);
            pass.starts().flat_map(move |start| (0..len).map(move |j| start + j * stride)).collect()
        };
        self.passes.first().map_or_else(Vec::new, of)
    }

    /// Overwrites the input, as measuring planners do.
    ///
    /// # Safety
    ///
    /// As for [`execute`](Self::execute).
    pub(crate) unsafe fn spoil_input<R: Real>(&self, array: *mut [R; 2]) {
        let numbers = self.real.filter(|_| !self.is_to_real());
        // SAFETY: as the caller promised.
        unsafe { self.spoil_either(numbers, array) };
    }

    /// Overwrites the output.
    ///
    /// # Safety
    ///
    /// As for [`execute`](Self::execute).
    pub(crate) unsafe fn spoil<R: Real>(&self, array: *mut [R; 2]) {
        let numbers = self.real.filter(|_| self.is_to_real());
        // SAFETY: as the caller promised.
        unsafe { self.spoil_either(numbers, array) };
    }

    /// Overwrites these rows of numbers, or all points.
    ///
    /// # Safety
    ///
    /// As for [`execute`](Self::execute).
    unsafe fn spoil_either<R: Real>(&self, numbers: Option<RealRows>, array: *mut [R; 2]) {
        if let Some(rows) = numbers {
            for at in (0..rows.count).flat_map(|row| (0..rows.len).map(move |j| row * rows.numbers + j)) {
                // SAFETY: these are the numbers of a row, as the caller promised.
                unsafe { *array.cast::<R>().add(at) = R::NAN };
            }
            return;
        }
        for at in self.points() {
            // SAFETY: these are the points of a pass, as the caller promised.
            unsafe { *array.add(at) = [R::NAN; 2] };
        }
    }
}

/// Returns the first `number` outputs by the definition.
fn outputs(points: &[[f64; 2]], sign: c_int, number: usize) -> impl Iterator<Item = [f64; 2]> {
    let factor = |k: usize| {
        let (sin, cos) = (TAU * k as f64 / points.len() as f64).sin_cos();
        (cos, f64::from(sign) * sin)
    };
    let factors: Vec<_> = (0..points.len()).map(factor).collect();
    (0..number).map(move |k| output(points, &factors, k))
}

/// Returns output `k` by the definition.
fn output(points: &[[f64; 2]], factors: &[(f64, f64)], k: usize) -> [f64; 2] {
    let (mut re, mut im) = (0.0, 0.0);
    for (j, [a, b]) in points.iter().enumerate() {
        let (cos, sin) = factors[j * k % points.len()];
        re += a * cos - b * sin;
        im += a * sin + b * cos;
    }
    [re, im]
}
