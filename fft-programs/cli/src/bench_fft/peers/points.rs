//! Arrays that every contestant transforms: the same memory, the same points or real numbers, the same
//! leading dimension.
//!
//! Points are the same noise each time. In place, each transform takes the result of the last one, and
//! multiplies points by about the square root of their number. So they begin small, and noise is written
//! again before they could overflow. Writing noise is never timed.
//!
//! A [filter](filtered) replaces numbers by numbers that are not larger.

mod filtered;

use bytemuck::{cast_slice, cast_slice_mut};
use earth_fft::Precision;
use earth_fft::memory::in_large_pages;
use earth_fftw::Arrays;
use earth_kernels::{Direction, bound, dft_bin};
use num_complex::Complex;
use serde::{Deserialize, Serialize};

use super::BenchFftError;
use super::cases::Case;
use filtered::Filtered;

/// Alignment of arrays in bytes: a cache line, and the widest vector.
const ALIGNMENT: usize = 64;

/// Number of outputs that are checked by the definition.
const BINS: usize = 3;

/// Factor over the rounding bound of a transform. A larger error shows a wrong transform.
const WRONG: f64 = 1e3;

/// Kind and layout of the arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Form {
    /// Whether the input is of real numbers, and the output half a spectrum.
    pub(crate) real: bool,
    /// Whether the output replaces the input.
    pub(crate) in_place: bool,
    /// Points between a row and the next, if there are several rows of points.
    pub(crate) gap: usize,
    /// Whether the system is asked for large pages.
    pub(crate) large_pages: bool,
}

/// Arrays of a case.
pub(super) struct Points<T> {
    shape: Shape,
    /// Numbers, two of them for a point.
    input: Vec<T>,
    /// Output array, unless the transform is in place. A filter has its spectrum there.
    output: Option<Vec<Complex<T>>>,
    /// Spectrum that a filter multiplies by, if it is one.
    kept: Option<Vec<Complex<T>>>,
    /// Number of transforms in place since noise was written.
    grown: usize,
    /// Largest value of `grown`.
    room: usize,
}

/// Layout of the rows in the arrays.
#[derive(Clone, Debug)]
struct Shape {
    lengths: Vec<usize>,
    batch: usize,
    /// Numbers of an element of the input: 1 for real numbers, 2 for points.
    parts: usize,
    rows: usize,
    /// Elements of a row of the input.
    cols: usize,
    /// Points of a row of the output.
    width: usize,
    /// Leading dimension of the input, in elements.
    between: usize,
    /// Leading dimension of the output, in points.
    distance: usize,
}

impl Shape {
    fn new(case: &Case, form: Form) -> Self {
        let [rows, cols] = case.sides();
        let width = if form.real { cols / 2 + 1 } else { cols };
        let distance = if rows > 1 && case.batch == 1 && !form.real { width + form.gap } else { width };
        let between = match (form.real, form.in_place) {
            (false, _) => distance,
            // The numbers start where their spectra will.
            (true, true) => 2 * distance,
            (true, false) => cols,
        };
        let parts = if form.real { 1 } else { 2 };
        let (lengths, batch) = (case.lengths.clone(), case.batch);
        Self { lengths, batch, parts, rows, cols, width, between, distance }
    }

    /// Returns the numbers of the input, and the points of the output.
    fn elements(&self) -> [usize; 2] {
        let Self { parts, rows, between, distance, .. } = *self;
        [rows.saturating_mul(between).saturating_mul(parts), rows.saturating_mul(distance)]
    }
}

/// Call of a contestant: its kind, and the arrays.
pub(super) enum Job<'a, T> {
    /// A transform.
    Transform(Arrays<'a, T>),
    /// A filter.
    Filter(Filtered<'a, T>),
}

/// Expected result of a transform or a filter of the noise.
#[derive(Debug)]
pub(super) struct Expected {
    /// Some outputs, by their indices without gaps.
    values: Vec<(usize, Complex<f64>)>,
    /// Average energy of an output: the square of its absolute value.
    each: f64,
    /// Energy of all outputs.
    all: f64,
}

impl Expected {
    /// Returns the relative error of all outputs in their order, each with the number of outputs that it
    /// stands for.
    fn error(&self, found: impl Iterator<Item = (Complex<f64>, f64)>) -> f64 {
        let (mut values, mut all) = (0.0, 0.0);
        for (at, (found, times)) in found.enumerate() {
            all += found.norm_sqr() * times;
            if let Some((_, value)) = self.values.iter().find(|(checked, _)| *checked == at) {
                values += (found - value).norm_sqr();
            }
        }
        let values = (values / self.values.len() as f64 / self.each).sqrt();
        let all = (all / self.all - 1.0).abs();
        // The greater one, or NaN if any is.
        if values > all || values.is_nan() { values } else { all }
    }
}

impl<T: Precision> Points<T> {
    /// Returns the bytes of the arrays of a case.
    pub(super) fn bytes(case: &Case, form: Form) -> u64 {
        let [input, output] = bytes::<T>(&Shape::new(case, form));
        let kept = if case.class.is_filter() { output } else { 0 };
        input.saturating_add(if form.in_place { 0 } else { output }).saturating_add(kept)
    }

    /// Allocates arrays full of noise. Rows of a matrix are followed by a gap; a series has no gap. A filter
    /// has real numbers.
    pub(super) fn new(case: &Case, form: Form) -> Result<Self, BenchFftError> {
        let shape = Shape::new(case, form);
        let [numbers, points] = shape.elements();
        let zero = Complex::new(T::zero(), T::zero());
        let input = array(case, form, numbers, T::zero())?;
        let output = (!form.in_place).then(|| array(case, form, points, zero)).transpose()?;
        // Decades between the first points and the last points that are far from overflow and underflow.
        let decades = if size_of::<T>() == 4 { 30.0 } else { 200.0 };
        let growth = 0.5 * (case.lengths.iter().product::<usize>() as f64).log10();
        let is_filter = case.class.is_filter();
        assert!(form.real || !is_filter, "a filter of real numbers");
        let kept = is_filter.then(|| -> Result<_, BenchFftError> {
            let mut kept = array(case, form, points, zero)?;
            filtered::keep(&mut aligned(&mut kept)[..points], &shape);
            Ok(kept)
        });
        let kept = kept.transpose()?;
        let grows = form.in_place && !is_filter;
        let room = if grows { (decades / growth) as usize } else { usize::MAX };
        let mut points = Self { shape, input, output, kept, grown: 0, room };
        points.noise();
        Ok(points)
    }

    /// Returns the leading dimension of the output, in points.
    pub(super) fn distance(&self) -> usize {
        self.shape.distance
    }

    /// Describes the transform for another process: number of transforms and their lengths, kind of numbers
    /// or taps of a filter, precision, and whether the input is replaced.
    pub(super) fn described(&self) -> [String; 4] {
        let lengths: Vec<_> = self.shape.lengths.iter().map(usize::to_string).collect();
        let kind = match (&self.kept, self.shape.parts) {
            (Some(_), _) => format!("filter={}", filtered::TAPS.map(|tap| tap.to_string()).join(",")),
            (None, 1) => "real".to_owned(),
            (None, _) => "complex".to_owned(),
        };
        let place = if self.output.is_none() { "replace" } else { "keep" };
        let lengths = format!("{}*{}", self.shape.batch, lengths.join("x"));
        [lengths, kind, T::NAME.to_owned(), place.to_owned()]
    }

    /// Returns the leading dimensions of the output in points and of the input in elements, and how many
    /// transforms may follow one another.
    pub(super) fn described_numbers(&self) -> [usize; 3] {
        [self.shape.distance, self.shape.between, self.room.min(1 << 30)]
    }

    /// Returns the bytes of the rows that a call takes, and of the rows that it makes.
    pub(super) fn bytes_of_rows(&self) -> [usize; 2] {
        let [input, output] = bytes::<T>(&self.shape).map(|bytes| bytes as usize);
        [input, if self.kept.is_some() { input } else { output }]
    }

    /// Writes noise.
    pub(super) fn noise(&mut self) {
        let amplitude = match (&self.kept, size_of::<T>()) {
            (Some(_), _) => 1.0,
            (None, 4) => 1e-15,
            (None, _) => 1e-100,
        };
        let mut state = 1_u64;
        let mut part = || {
            // The constants of Knuth's MMIX.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            T::of(((state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0) * amplitude)
        };
        let Shape { parts, rows, cols, between, .. } = self.shape;
        for row in aligned(&mut self.input).chunks_mut(parts * between).take(rows) {
            row[..parts * cols].iter_mut().for_each(|number| *number = part());
        }
        self.grown = 0;
    }

    /// Returns how many transforms may follow one another now, at most `wanted`. Writes noise again if none
    /// may.
    pub(super) fn ready(&mut self, wanted: usize) -> usize {
        if self.grown >= self.room {
            self.noise();
        }
        (self.room - self.grown).min(wanted)
    }

    /// Returns the arrays, for this number of transforms.
    pub(super) fn arrays(&mut self, times: usize) -> Arrays<'_, T> {
        if self.output.is_none() {
            self.grown += times;
        }
        let [numbers, points] = self.shape.elements();
        let input = &mut aligned(&mut self.input)[..numbers];
        let output = self.output.as_mut().map(|output| &mut aligned(output)[..points]);
        match (self.shape.parts, output) {
            (1, None) => Arrays::RealInPlace(input),
            (1, Some(output)) => Arrays::RealOutOfPlace(input, output),
            (_, None) => Arrays::InPlace(cast_slice_mut(input)),
            (_, Some(output)) => Arrays::OutOfPlace(cast_slice(input), output),
        }
    }

    /// Returns the arrays and the kind of a call, for this number of calls.
    pub(super) fn job(&mut self, times: usize) -> Job<'_, T> {
        let [numbers, points] = self.shape.elements();
        if self.kept.is_none() {
            return Job::Transform(self.arrays(times));
        }
        Job::Filter(Filtered {
            numbers: &mut aligned(&mut self.input)[..numbers],
            points: self.output.as_mut().map(|output| &mut aligned(output)[..points]),
            kept: self.kept.as_mut().map_or(&[], |kept| &aligned(kept)[..points]),
        })
    }

    /// Returns the expected results of one call for noise: some outputs by the definition, and the energy of
    /// all.
    pub(super) fn expected(&mut self) -> Expected {
        self.noise();
        if self.kept.is_some() {
            return filtered::expected(aligned(&mut self.input), &self.shape);
        }
        let Shape { lengths, batch, parts, rows, cols, width, between, .. } = &self.shape;
        let (forward, outer) = (Direction::Forward, &lengths[..lengths.len() - 1]);
        let numbers = &*aligned(&mut self.input);
        let of_rows = || numbers.chunks(parts * between).take(*rows).map(|row| &row[..parts * cols]);
        let point = |x: &[T]| Complex::new(x[0], x.get(1).copied().unwrap_or_else(T::zero));
        let value = |at: usize| {
            let (row, k) = (at / width, at % width);
            // The rows first, each separately.
            let sum = |row: &[T]| {
                let points: Vec<_> = row.chunks(*parts).map(point).collect();
                dft_bin(&[*cols], &points, k, forward)
            };
            if *batch > 1 {
                return of_rows().nth(row).map_or_else(Complex::default, sum);
            }
            let sums: Vec<_> = of_rows().map(sum).collect();
            if outer.is_empty() { sums[0] } else { dft_bin(outer, &sums, row, forward) }
        };
        let outputs = rows * width;
        let values = (0..BINS).map(|bin| (bin * outputs / BINS + bin) % outputs);
        let values = values.map(|at| (at, value(at))).collect();
        let energy: f64 = of_rows().flatten().map(|number| number.widen().powi(2)).sum();
        // A checked output has the energy of its own transform.
        Expected { values, each: energy / *batch as f64, all: (rows * cols / batch) as f64 * energy }
    }

    /// Returns the relative error of the outputs of one call for noise, if rounding does not explain it.
    pub(super) fn wrong(&mut self, expected: &Expected) -> Option<f64> {
        let Shape { batch, parts, rows, cols, width, between, distance, .. } = self.shape;
        let [numbers, points] = self.shape.elements();
        let error = if self.kept.is_some() {
            let found = aligned(&mut self.input)[..numbers].chunks(between);
            expected.error(found.flat_map(|row| row[..cols].iter().map(|x| (x.widen().into(), 1.0))))
        } else {
            let found: &[Complex<T>] = match &mut self.output {
                Some(output) => &aligned(output)[..points],
                None => cast_slice(&aligned(&mut self.input)[..numbers]),
            };
            expected.error(found.chunks(distance).flat_map(|row| {
                row[..width].iter().enumerate().map(|(k, point)| {
                    // Half a spectrum has one of each pair of conjugates.
                    let is_pair = parts == 1 && k != 0 && 2 * k != cols;
                    let point = Complex::new(point.re.widen(), point.im.widen());
                    (point, if is_pair { 2.0 } else { 1.0 })
                })
            }))
        };
        // NaN is wrong, too.
        (error.is_nan() || error > WRONG * bound::<T>(rows * cols / batch)).then_some(error)
    }
}

/// Returns the bytes of the rows of the input, and of the rows of the output.
fn bytes<T: Precision>(shape: &Shape) -> [u64; 2] {
    let [numbers, points] = shape.elements().map(|elements| elements as u64);
    [numbers.saturating_mul(size_of::<T>() as u64), points.saturating_mul(size_of::<Complex<T>>() as u64)]
}

/// Allocates elements, with room to align them.
fn array<E: Copy>(case: &Case, form: Form, elements: usize, zero: E) -> Result<Vec<E>, BenchFftError> {
    let needed = elements + ALIGNMENT / size_of::<E>();
    let mut array = Vec::new();
    array.try_reserve_exact(needed).map_err(|_| BenchFftError::NoMemory { case: case.to_string() })?;
    if form.large_pages {
        in_large_pages(array.spare_capacity_mut());
    }
    array.resize(needed, zero);
    Ok(array)
}

/// Returns the array from its first aligned element.
fn aligned<E>(array: &mut [E]) -> &mut [E] {
    let skipped = array.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT / size_of::<E>());
    &mut array[skipped..]
}
