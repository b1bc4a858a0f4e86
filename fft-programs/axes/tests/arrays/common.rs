//! Arrays with random layouts, and sums by definition.

use earth_axes::Extent;
use earth_fft::{Complex, Direction, Norm};
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Placeholder in the gaps of an array.
const GAP: f64 = -7.0;

/// Values by index, in row-major order.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub(crate) lengths: Vec<usize>,
    pub(crate) values: Vec<Complex<f64>>,
}

/// Strides of the axes of an array.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) lengths: Vec<usize>,
    pub(crate) strides: Vec<isize>,
}

impl Array {
    pub(crate) fn points(lengths: &[usize], rng: &mut Xoshiro256PlusPlus) -> Self {
        let mut part = || rng.random_range(-1.0..1.0);
        let values = (0..lengths.iter().product()).map(|_| Complex::new(part(), part())).collect();
        Self { lengths: lengths.to_vec(), values }
    }

    pub(crate) fn numbers(lengths: &[usize], rng: &mut Xoshiro256PlusPlus) -> Self {
        let mut points = Self::points(lengths, rng);
        points.values.iter_mut().for_each(|value| value.im = 0.0);
        points
    }

    /// Returns the first half of the spectrum along the axis before `rank`.
    pub(crate) fn half(&self, rank: usize) -> Self {
        let Some(axis) = rank.checked_sub(1) else { return self.clone() };
        let mut lengths = self.lengths.clone();
        lengths[axis] = lengths[axis] / 2 + 1;
        let kept = indices(&self.lengths).zip(&self.values).filter(|(index, _)| index[axis] < lengths[axis]);
        let values = kept.map(|(_, value)| *value).collect();
        Self { lengths, values }
    }
}

/// Yields the indices of an array in row-major order.
pub(crate) fn indices(lengths: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let lengths = lengths.to_vec();
    (0..lengths.iter().product::<usize>()).map(move |mut at| {
        let mut index = vec![0; lengths.len()];
        for (index, length) in index.iter_mut().zip(&lengths).rev() {
            *index = at % length;
            at /= length;
        }
        index
    })
}

/// Returns lines along an axis: the positions of their elements in row-major order.
pub(crate) fn lines(lengths: &[usize], axis: usize) -> Vec<Vec<usize>> {
    let stride: usize = lengths[axis + 1..].iter().product();
    let all = indices(lengths).enumerate().filter(|(_, index)| index[axis] == 0);
    all.map(|(first, _)| (0..lengths[axis]).map(|k| first + k * stride).collect()).collect()
}

/// Returns the transform along the first `rank` axes, by its definition.
pub(crate) fn dft(array: &Array, rank: usize, to: Direction, norm: Norm) -> Array {
    let mut found = array.clone();
    for axis in 0..rank {
        let n = array.lengths[axis];
        let sign = if to == Direction::Forward { -1.0 } else { 1.0 };
        let turn = |steps: usize| {
            Complex::from_polar(1.0, sign * std::f64::consts::TAU * (steps % n) as f64 / n as f64)
        };
        let factor = norm.factor(to, n as f64);
        for line in lines(&array.lengths, axis) {
            let values: Vec<_> = line.iter().map(|at| found.values[*at]).collect();
            for (k, at) in line.iter().enumerate() {
                let terms = values.iter().enumerate().map(|(j, value)| value * turn(j * k));
                found.values[*at] = terms.sum::<Complex<f64>>() * factor;
            }
        }
    }
    found
}

/// Returns the relative error in the maximum norm.
pub(crate) fn error(found: &[Complex<f64>], wanted: &[Complex<f64>]) -> f64 {
    assert_eq!(found.len(), wanted.len());
    let most = wanted.iter().map(|z| z.norm()).fold(1.0, f64::max);
    found.iter().zip(wanted).map(|(found, wanted)| (found - wanted).norm()).fold(0.0, f64::max) / most
}

impl Layout {
    /// Returns a layout whose axes nest in any order, with gaps and negative strides.
    pub(crate) fn random(lengths: &[usize], rng: &mut Xoshiro256PlusPlus) -> Self {
        let mut order: Vec<_> = (0..lengths.len()).collect();
        for at in 1..order.len() {
            order.swap(at, rng.random_range(0..=at));
        }
        let has_gaps: bool = rng.random();
        let mut strides = vec![0; lengths.len()];
        let mut span = 1;
        for axis in order {
            let stride = span + if has_gaps { rng.random_range(0..3_i64) as isize } else { 0 };
            span += (lengths[axis].cast_signed() - 1) * stride;
            strides[axis] = if rng.random_ratio(1, 4) { -stride } else { stride };
        }
        Self { lengths: lengths.to_vec(), strides }
    }

    /// Returns a layout whose axis `inner` has stride 1.
    pub(crate) fn nested(lengths: &[usize], inner: usize, rng: &mut Xoshiro256PlusPlus) -> Self {
        let mut strides = vec![1; lengths.len()];
        let mut span = lengths[inner].cast_signed();
        for axis in (0..lengths.len()).rev().filter(|axis| *axis != inner) {
            strides[axis] = span + rng.random_range(0..3_i64) as isize;
            span += (lengths[axis].cast_signed() - 1) * strides[axis];
        }
        Self { lengths: lengths.to_vec(), strides }
    }

    pub(crate) fn extent(&self) -> Extent {
        Extent::of(self.lengths.iter().copied().zip(self.strides.iter().copied())).unwrap()
    }

    /// Yields the position of each element in row-major order.
    fn places(&self, origin: usize) -> impl Iterator<Item = usize> {
        indices(&self.lengths).map(move |index| {
            let steps = index.iter().zip(&self.strides).map(|(index, stride)| index.cast_signed() * stride);
            origin.checked_add_signed(steps.sum()).unwrap()
        })
    }

    pub(crate) fn fill(&self, origin: usize, array: &Array, memory: &mut [Complex<f64>]) {
        self.places(origin).zip(&array.values).for_each(|(at, value)| memory[at] = *value);
    }

    pub(crate) fn fill_numbers(&self, origin: usize, array: &Array, memory: &mut [f64]) {
        self.places(origin).zip(&array.values).for_each(|(at, value)| memory[at] = value.re);
    }

    /// Fills points that begin with a pair of numbers at `origin`.
    pub(crate) fn fill_points(&self, origin: usize, array: &Array, memory: &mut [f64]) {
        for (at, value) in self.places(origin / 2).zip(&array.values) {
            let at = 2 * at + origin % 2;
            [memory[at], memory[at + 1]] = [value.re, value.im];
        }
    }

    pub(crate) fn read<V: Copy>(&self, origin: usize, lengths: &[usize], memory: &[V]) -> Vec<V> {
        assert_eq!(self.lengths, lengths);
        self.places(origin).map(|at| memory[at]).collect()
    }

    /// Reads points that begin with a pair of numbers at `origin`.
    pub(crate) fn read_points(&self, origin: usize, memory: &[f64]) -> Vec<Complex<f64>> {
        let places = self.places(origin / 2).map(|at| 2 * at + origin % 2);
        places.map(|at| Complex::new(memory[at], memory[at + 1])).collect()
    }

    pub(crate) fn gaps(&self) -> Vec<Complex<f64>> {
        vec![Complex::from(GAP); self.extent().span]
    }

    pub(crate) fn gaps_of_numbers(&self) -> Vec<f64> {
        vec![GAP; self.extent().span]
    }

    /// Returns the memory of an array, with placeholders in its gaps.
    pub(crate) fn filled(&self, array: &Array) -> Vec<Complex<f64>> {
        let mut memory = self.gaps();
        self.fill(self.extent().origin, array, &mut memory);
        memory
    }

    pub(crate) fn filled_numbers(&self, array: &Array) -> Vec<f64> {
        self.filled(array).into_iter().map(|value| value.re).collect()
    }
}
