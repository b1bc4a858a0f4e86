//! The arrays that everybody transforms: the same memory, the same points or real numbers, the same distance between
//! rows.
//!
//! Points are noise that is the same each time. In place each transform is one of what the last one gave, and multiplies
//! points by about the square root of their number. So they begin small, and noise is written anew before they
//! could overflow; that is never timed.

use earth_fft::Precision;
use earth_fft::memory::in_large_pages;
use earth_kernels::{Direction, bound, dft_bin};
use num_complex::Complex;

use super::BenchFftError;
use super::cases::Case;

/// The bytes that arrays begin at a multiple of: a cache line, and the widest vector.
const ALIGNMENT: usize = 64;

/// The outputs that are summed by the definition.
const BINS: usize = 3;

/// How much larger than the bound of a transform's rounding an error is that shows that another transform was done.
const WRONG: f64 = 1e3;

/// What is transformed, and where it lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Form {
    /// Whether the input is of real numbers, and the output half a spectrum.
    pub(super) real: bool,
    pub(super) in_place: bool,
    /// The points between a row and the next, where there are several rows of points.
    pub(super) gap: usize,
    /// Whether the system is asked for large pages.
    pub(super) large_pages: bool,
}

/// The arrays of a case.
pub(super) struct Points<T> {
    shape: Shape,
    input: Input<T>,
    /// Unless it is in place.
    output: Option<Vec<Complex<T>>>,
    /// Transforms in place since noise was written.
    grown: usize,
    /// As many may be done.
    room: usize,
}

/// What rows of the input are made of.
enum Input<T> {
    Points(Vec<Complex<T>>),
    Numbers(Vec<T>),
}

/// How rows lie in arrays.
#[derive(Clone, Debug)]
struct Shape {
    lengths: Vec<usize>,
    real: bool,
    rows: usize,
    /// The elements of a row of the input.
    cols: usize,
    /// The points of a row of the output.
    width: usize,
    /// The elements of the input from the beginning of a row to that of the next.
    between: usize,
    /// The points of the output from the beginning of a row to that of the next.
    distance: usize,
}

impl Shape {
    fn new(case: &Case, form: Form) -> Self {
        let [rows, cols] = case.sides();
        let width = if form.real { cols / 2 + 1 } else { cols };
        let distance = if rows > 1 && !form.real { width + form.gap } else { width };
        let between = match (form.real, form.in_place) {
            (false, _) => distance,
            // Numbers lie where their spectra come.
            (true, true) => 2 * distance,
            (true, false) => cols,
        };
        Self { lengths: case.lengths.clone(), real: form.real, rows, cols, width, between, distance }
    }
}

/// Arrays to transform.
pub(super) enum Arrays<'a, T> {
    InPlace(&'a mut [Complex<T>]),
    Between(&'a [Complex<T>], &'a mut [Complex<T>]),
    RealInPlace(&'a mut [T]),
    RealBetween(&'a [T], &'a mut [Complex<T>]),
}

/// What a transform of the noise must give.
#[derive(Debug)]
pub(super) struct Expected {
    bins: Vec<(usize, Complex<f64>)>,
    /// The sum of the squares of the points' absolute values.
    energy: f64,
}

impl<T: Precision> Points<T> {
    /// The bytes of the arrays of a case.
    pub(super) fn bytes(case: &Case, form: Form) -> u64 {
        let shape = Shape::new(case, form);
        let bytes = |elements: usize, each: usize| (elements as u64).saturating_mul(each as u64);
        let output = bytes(shape.rows.saturating_mul(shape.distance), size_of::<Complex<T>>());
        let each = if form.real { size_of::<T>() } else { size_of::<Complex<T>>() };
        let input = bytes(shape.rows.saturating_mul(shape.between), each);
        if form.in_place { input } else { input.saturating_add(output) }
    }

    /// Arrays full of noise. Rows of a matrix have a gap behind them; a series has none.
    pub(super) fn new(case: &Case, form: Form) -> Result<Self, BenchFftError> {
        let shape = Shape::new(case, form);
        let zero = Complex::new(T::zero(), T::zero());
        let input = if form.real {
            Input::Numbers(array(case, form, shape.rows * shape.between, T::zero())?)
        } else {
            Input::Points(array(case, form, shape.rows * shape.between, zero)?)
        };
        let output =
            (!form.in_place).then(|| array(case, form, shape.rows * shape.distance, zero)).transpose()?;
        // Decades between the first points and the last ones that are far from overflow and underflow alike.
        let decades = if size_of::<T>() == 4 { 30.0 } else { 200.0 };
        let growth = 0.5 * (case.points() as f64).log10();
        let room = if form.in_place { (decades / growth) as usize } else { usize::MAX };
        let mut points = Self { shape, input, output, grown: 0, room };
        points.noise();
        Ok(points)
    }

    /// The points from the beginning of a row of the output to that of the next.
    pub(super) fn distance(&self) -> usize {
        self.shape.distance
    }

    /// What is transformed in words, for another process: lengths, numbers, precision, and whether it is replaced.
    pub(super) fn described(&self) -> [String; 4] {
        let lengths: Vec<_> = self.shape.lengths.iter().map(usize::to_string).collect();
        let kind = if self.shape.real { "real" } else { "complex" };
        let place = if self.output.is_none() { "replace" } else { "keep" };
        [lengths.join("x"), kind.to_owned(), T::NAME.to_owned(), place.to_owned()]
    }

    /// The points of the output and the elements of the input from a row to the next, and how many transforms may follow
    /// one another.
    pub(super) fn described_numbers(&self) -> [usize; 3] {
        [self.shape.distance, self.shape.between, self.room.min(1 << 30)]
    }

    /// The bytes of the rows of the input, and of those of the output.
    pub(super) fn bytes_of_rows(&self) -> [usize; 2] {
        let Shape { rows, between, distance, real, .. } = self.shape;
        let each = if real { size_of::<T>() } else { size_of::<Complex<T>>() };
        [rows * between * each, rows * distance * size_of::<Complex<T>>()]
    }

    /// Writes noise.
    pub(super) fn noise(&mut self) {
        let amplitude = if size_of::<T>() == 4 { 1e-15 } else { 1e-100 };
        let Shape { rows, cols, between, .. } = self.shape;
        let mut state = 1_u64;
        let mut part = || {
            // The constants of Knuth's MMIX.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            T::of(((state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0) * amplitude)
        };
        match &mut self.input {
            Input::Points(points) => {
                for row in aligned(points).chunks_mut(between).take(rows) {
                    row[..cols].iter_mut().for_each(|point| *point = Complex::new(part(), part()));
                }
            }
            Input::Numbers(numbers) => {
                for row in aligned(numbers).chunks_mut(between).take(rows) {
                    row[..cols].iter_mut().for_each(|number| *number = part());
                }
            }
        }
        self.grown = 0;
    }

    /// How many transforms may follow one another now, at most `wanted`; noise is written anew if none may.
    pub(super) fn ready(&mut self, wanted: usize) -> usize {
        if self.grown >= self.room {
            self.noise();
        }
        (self.room - self.grown).min(wanted)
    }

    /// The arrays, for so many transforms.
    pub(super) fn arrays(&mut self, times: usize) -> Arrays<'_, T> {
        if self.output.is_none() {
            self.grown += times;
        }
        let Shape { rows, between, distance, .. } = self.shape;
        let (of_input, of_output) = (rows * between, rows * distance);
        match (&mut self.input, &mut self.output) {
            (Input::Points(points), None) => Arrays::InPlace(&mut aligned(points)[..of_input]),
            (Input::Points(points), Some(output)) => {
                Arrays::Between(&aligned(points)[..of_input], &mut aligned(output)[..of_output])
            }
            (Input::Numbers(numbers), None) => Arrays::RealInPlace(&mut aligned(numbers)[..of_input]),
            (Input::Numbers(numbers), Some(output)) => {
                Arrays::RealBetween(&aligned(numbers)[..of_input], &mut aligned(output)[..of_output])
            }
        }
    }

    /// What one transform of noise must give: some outputs by the definition, and the energy of all.
    pub(super) fn expected(&mut self) -> Expected {
        self.noise();
        let Shape { lengths, rows, cols, width, between, .. } = &self.shape;
        let (forward, outer) = (Direction::Forward, &lengths[..lengths.len() - 1]);
        let input = &mut self.input;
        let mut value = |at: usize| {
            let (row, k) = (at / width, at % width);
            // The rows first, each on its own.
            let sum = |row: &[Complex<T>]| dft_bin(&[*cols], row, k, forward);
            let sums: Vec<_> = match &mut *input {
                Input::Points(points) => {
                    aligned(points).chunks(*between).take(*rows).map(|row| sum(&row[..*cols])).collect()
                }
                Input::Numbers(numbers) => {
                    let points =
                        |row: &[T]| row[..*cols].iter().map(|&x| Complex::new(x, T::zero())).collect();
                    let of = |row: &[T]| -> Vec<Complex<T>> { points(row) };
                    aligned(numbers).chunks(*between).take(*rows).map(|row| sum(&of(row))).collect()
                }
            };
            if outer.is_empty() { sums[0] } else { dft_bin(outer, &sums, row, forward) }
        };
        let outputs = rows * width;
        let bins =
            (0..BINS).map(|bin| (bin * outputs / BINS + bin) % outputs).map(|at| (at, value(at))).collect();
        let of_row = |row: &[Complex<T>]| -> f64 { row[..*cols].iter().map(|x| square(*x)).sum() };
        let of_numbers = |row: &[T]| -> f64 { row[..*cols].iter().map(|x| x.widen().powi(2)).sum() };
        let energy = match &mut self.input {
            Input::Points(points) => aligned(points).chunks(*between).take(*rows).map(of_row).sum(),
            Input::Numbers(numbers) => aligned(numbers).chunks(*between).take(*rows).map(of_numbers).sum(),
        };
        Expected { bins, energy }
    }

    /// The relative error of the transform of noise, as far as it was looked at, if rounding does not explain it.
    pub(super) fn wrong(&mut self, expected: &Expected) -> Option<f64> {
        let shape = self.shape.clone();
        let Shape { rows, cols, width, distance, real, .. } = shape;
        let (mut bins, mut all) = (0.0, 0.0);
        let mut look = |at: usize, found: Complex<f64>| {
            // Of a pair of conjugates half a spectrum has one.
            let is_pair = real && !at.is_multiple_of(width) && 2 * (at % width) != cols;
            all += found.norm_sqr() * if is_pair { 2.0 } else { 1.0 };
            if let Some((_, value)) = expected.bins.iter().find(|(bin, _)| *bin == at) {
                bins += (found - value).norm_sqr();
            }
        };
        match (&mut self.output, &mut self.input) {
            (Some(output), _) | (None, Input::Points(output)) => {
                for (row, points) in aligned(output).chunks(distance).take(rows).enumerate() {
                    for (k, point) in points[..width].iter().enumerate() {
                        look(row * width + k, Complex::new(point.re.widen(), point.im.widen()));
                    }
                }
            }
            (None, Input::Numbers(output)) => {
                for (row, parts) in aligned(output).chunks(2 * distance).take(rows).enumerate() {
                    for (k, part) in parts[..2 * width].chunks_exact(2).enumerate() {
                        look(row * width + k, Complex::new(part[0].widen(), part[1].widen()));
                    }
                }
            }
        }
        let points = (rows * cols) as f64;
        let bins = (bins / expected.bins.len() as f64 / expected.energy).sqrt();
        let all = (all / (points * expected.energy) - 1.0).abs();
        let error = bins.max(all);
        // What is no number is wrong, too.
        (error.is_nan() || error > WRONG * bound::<T>(rows * cols)).then_some(error)
    }
}

/// So many elements, and room to align them.
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

/// The first place that is aligned, and what follows.
fn aligned<E>(array: &mut [E]) -> &mut [E] {
    let skipped = array.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT / size_of::<E>());
    &mut array[skipped..]
}

fn square<T: Precision>(x: Complex<T>) -> f64 {
    Complex::new(x.re.widen(), x.im.widen()).norm_sqr()
}
