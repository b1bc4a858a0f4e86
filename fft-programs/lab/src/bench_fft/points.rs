//! The arrays that everybody transforms: the same memory, the same points, the same distance between rows.
//!
//! Points are noise that is the same each time. In place each transform is one of what the last one gave, and multiplies
//! points by about the square root of their number. So they begin small, and noise is written anew before they
//! could overflow; that is never timed.

use earth_fft::Precision;
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

/// Where points lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) in_place: bool,
    /// The points between a row and the next.
    pub(super) gap: usize,
}

/// The arrays of a case.
pub(super) struct Points<T> {
    sides: [usize; 2],
    distance: usize,
    input: Vec<Complex<T>>,
    /// Unless it is in place.
    output: Option<Vec<Complex<T>>>,
    /// Transforms in place since noise was written.
    grown: usize,
    /// As many may be done.
    room: usize,
}

/// Arrays to transform.
pub(super) enum Arrays<'a, T> {
    InPlace(&'a mut [Complex<T>]),
    Between(&'a [Complex<T>], &'a mut [Complex<T>]),
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
    pub(super) fn bytes(case: &Case, place: Place) -> u64 {
        let [rows, cols] = case.sides().map(|side| side as u64);
        let points = rows * (cols + if rows > 1 { place.gap as u64 } else { 0 });
        let arrays = if place.in_place { 1 } else { 2 };
        points * arrays * size_of::<Complex<T>>() as u64
    }

    /// Arrays full of noise. Rows of a matrix have a gap behind them; a series has none.
    pub(super) fn new(case: &Case, place: Place) -> Result<Self, BenchFftError> {
        let sides @ [rows, cols] = case.sides();
        let distance = if rows > 1 { cols + place.gap } else { cols };
        let needed = rows * distance + ALIGNMENT / size_of::<Complex<T>>();
        let array = || {
            let mut array = Vec::new();
            array
                .try_reserve_exact(needed)
                .map_err(|_| BenchFftError::NoMemory { case: case.to_string() })?;
            array.resize(needed, Complex::new(T::zero(), T::zero()));
            Ok::<_, BenchFftError>(array)
        };
        let (input, output) = (array()?, (!place.in_place).then(array).transpose()?);
        // Decades between the first points and the last ones that are far from overflow and underflow alike.
        let decades = if size_of::<T>() == 4 { 30.0 } else { 200.0 };
        let growth = 0.5 * (case.points() as f64).log10();
        let room = if place.in_place { (decades / growth) as usize } else { usize::MAX };
        let mut points = Self { sides, distance, input, output, grown: 0, room };
        points.noise();
        Ok(points)
    }

    /// The points from the beginning of a row to that of the next.
    pub(super) fn distance(&self) -> usize {
        self.distance
    }

    /// Writes noise.
    pub(super) fn noise(&mut self) {
        let amplitude = if size_of::<T>() == 4 { 1e-15 } else { 1e-100 };
        let (sides, distance) = (self.sides, self.distance);
        let mut state = 1_u64;
        let mut part = || {
            // The constants of Knuth's MMIX.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            T::of(((state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0) * amplitude)
        };
        let array = aligned(&mut self.input);
        for row in array.chunks_mut(distance).take(sides[0]) {
            row[..sides[1]].iter_mut().for_each(|point| *point = Complex::new(part(), part()));
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
        match &mut self.output {
            None => {
                self.grown += times;
                Arrays::InPlace(aligned(&mut self.input))
            }
            Some(output) => Arrays::Between(aligned(&mut self.input), aligned(output)),
        }
    }

    /// What one transform of noise must give: some outputs by the definition, and the energy of all.
    pub(super) fn expected(&mut self) -> Expected {
        self.noise();
        let (sides @ [rows, cols], distance) = (self.sides, self.distance);
        let array = &*aligned(&mut self.input);
        let forward = Direction::Forward;
        let value = |at: usize| {
            if distance == cols {
                return dft_bin(&sides, &array[..rows * cols], at, forward);
            }
            let row = |row: &[Complex<T>]| dft_bin(&[cols], &row[..cols], at % cols, forward);
            let sums: Vec<_> = array.chunks(distance).take(rows).map(row).collect();
            dft_bin(&[rows], &sums, at / cols, forward)
        };
        let points = rows * cols;
        let bins =
            (0..BINS).map(|bin| (bin * points / BINS + bin) % points).map(|at| (at, value(at))).collect();
        Expected { bins, energy: energy(array, sides, distance) }
    }

    /// The relative error of the transform of noise, as far as it was looked at, if rounding does not explain it.
    pub(super) fn wrong(&mut self, expected: &Expected) -> Option<f64> {
        let (sides @ [rows, cols], distance) = (self.sides, self.distance);
        let array = &*aligned(self.output.as_mut().unwrap_or(&mut self.input));
        let points = (rows * cols) as f64;
        let off = |&(at, value): &(usize, Complex<f64>)| {
            let found = array[at / cols * distance + at % cols];
            (Complex::new(found.re.widen(), found.im.widen()) - value).norm_sqr()
        };
        let off: f64 = expected.bins.iter().map(off).sum();
        let bins = (off / expected.bins.len() as f64 / expected.energy).sqrt();
        let all = (energy(array, sides, distance) / (points * expected.energy) - 1.0).abs();
        let error = bins.max(all);
        // What is no number is wrong, too.
        (error.is_nan() || error > WRONG * bound::<T>(rows * cols)).then_some(error)
    }
}

/// The first place that is aligned, and what follows.
fn aligned<T>(array: &mut [Complex<T>]) -> &mut [Complex<T>] {
    let skipped = array.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT / size_of::<Complex<T>>());
    &mut array[skipped..]
}

fn energy<T: Precision>(array: &[Complex<T>], [rows, cols]: [usize; 2], distance: usize) -> f64 {
    let row = |row: &[Complex<T>]| -> f64 {
        row[..cols].iter().map(|x| Complex::new(x.re.widen(), x.im.widen()).norm_sqr()).sum()
    };
    array.chunks(distance).take(rows).map(row).sum()
}
