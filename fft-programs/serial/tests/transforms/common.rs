//! Kernels, signals and reference results of the tests.

use std::convert::Infallible;
use std::sync::Arc;

use earth_codelets::Isa;
use earth_kernels::{
    ColumnKernel, Direction, Real, RealKernel, RowKernel, TransposingKernel, dft, inverse_dft,
};
use earth_rustfft::RustFft;
use earth_serial::{Array, Extent, Kernels, Layout, Shape};
use num_complex::Complex;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng as _};

/// Source of the kernels of a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Of {
    /// The definition, without column kernels and real kernels.
    Definition,
    /// rustfft, without column kernels.
    RustFft,
    /// The project's own kernels, and rustfft for other lengths.
    Own(Isa),
}

const BOTH: [Direction; 2] = [Direction::Forward, Direction::Inverse];

impl Of {
    pub(crate) fn all() -> Vec<Self> {
        [Self::Definition, Self::RustFft].into_iter().chain(Isa::all().into_iter().map(Self::Own)).collect()
    }
}

impl<T: Real> Kernels<T> for Of {
    type Error = Infallible;

    fn rows(&self, len: usize) -> Result<Arc<dyn RowKernel<T>>, Infallible> {
        let own = match *self {
            Self::Definition => Some(Arc::new(Definition(len)) as Arc<dyn RowKernel<T>>),
            Self::RustFft => None,
            Self::Own(isa) => earth_codelets::rows(isa, len),
        };
        let rows = own.unwrap_or_else(|| Arc::new(RustFft::new(len)));
        for direction in BOTH {
            rows.prepare(direction);
        }
        Ok(rows)
    }

    fn nested(&self, len: usize) -> Option<Arc<dyn RowKernel<T>>> {
        let Self::Own(isa) = *self else { return None };
        let rows: Arc<dyn RowKernel<T>> = earth_codelets::split_rows(isa, len)?;
        for direction in BOTH {
            rows.prepare(direction);
        }
        Some(rows)
    }

    fn columns(&self, len: usize) -> Option<Arc<dyn ColumnKernel<T>>> {
        let Self::Own(isa) = *self else { return None };
        let columns: Arc<dyn ColumnKernel<T>> = earth_codelets::columns(isa, len)?;
        for direction in BOTH {
            columns.prepare(direction);
        }
        Some(columns)
    }

    fn real(&self, len: usize) -> Option<Arc<dyn RealKernel<T>>> {
        match *self {
            Self::Definition => None,
            Self::RustFft => earth_codelets::real(Isa::best(), len),
            Self::Own(isa) => earth_codelets::real(isa, len),
        }
    }

    fn turned(&self, len: usize, rows: usize) -> Option<Arc<dyn TransposingKernel<T>>> {
        let Self::Own(isa) = *self else { return None };
        let turned: Arc<dyn TransposingKernel<T>> = earth_codelets::turned(isa, len, rows)?;
        for direction in BOTH {
            turned.prepare(direction);
        }
        Some(turned)
    }
}

/// Rows by the definition.
struct Definition(usize);

impl<T: Real> RowKernel<T> for Definition {
    fn name(&self) -> &'static str {
        "definition"
    }

    fn len(&self) -> usize {
        self.0
    }

    fn scratch_len(&self) -> usize {
        0
    }

    fn wants_many(&self) -> bool {
        true
    }

    fn transform(&self, direction: Direction, rows: &mut [Complex<T>], _: &mut [Complex<T>]) {
        assert!(rows.len().is_multiple_of(self.0));
        rows.chunks_mut(self.0).for_each(|row| match direction {
            Direction::Forward => put(row, &dft(row), 1.0),
            Direction::Inverse => put(row, &inverse_dft(row), self.0 as f64),
        });
    }
}

fn put<T: Real>(to: &mut [Complex<T>], from: &[Complex<f64>], factor: f64) {
    to.iter_mut()
        .zip(from)
        .for_each(|(to, x)| *to = Complex::new(T::of(x.re * factor), T::of(x.im * factor)));
}

/// Returns `n` points in -1..1, determined by `n`.
pub(crate) fn noise<T: Real>(n: usize) -> Vec<Complex<T>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(n as u64);
    let mut part = || T::of(random.random_range(-1.0..1.0));
    (0..n).map(|_| Complex::new(part(), part())).collect()
}

/// Returns the positions of all elements of an array, in index order; the last dimension has `last` elements.
pub(crate) fn places(shape: &Shape, layout: &Layout, last: usize) -> Vec<usize> {
    let mut places: Vec<_> = (0..shape.batch).map(|index| index * layout.distance).collect();
    let (_, outer) = shape.lengths.split_last().unwrap();
    for (length, stride) in outer.iter().chain([&last]).zip(&layout.strides) {
        places = places.iter().flat_map(|at| (0..*length).map(move |i| at + i * stride)).collect();
    }
    places
}

/// Returns the number of elements from the first to the last.
pub(crate) fn span(shape: &Shape, layout: &Layout, last: usize) -> usize {
    places(shape, layout, last).into_iter().max().unwrap() + 1
}

/// Returns the number of elements to pass to a call: one more than needed, if the array may end with a gap.
pub(crate) fn room(shape: &Shape, layout: &Layout, last: usize) -> usize {
    let span = span(shape, layout, last);
    let extent = Extent::new(shape, layout, last, Array::Output).unwrap();
    span + usize::from(extent.check(span + 1).is_ok())
}

/// Returns the unscaled transforms of contiguous points, each dimension by the definition.
pub(crate) fn expected<T: Real>(
    shape: &Shape,
    points: &[Complex<T>],
    direction: Direction,
) -> Vec<Complex<f64>> {
    let mut points: Vec<_> = points.iter().map(|x| Complex::new(x.re.widen(), x.im.widen())).collect();
    let mut stride = 1;
    for &n in shape.lengths.iter().rev() {
        for at in (0..points.len()).filter(|at| at / stride % n == 0) {
            let line: Vec<_> = (0..n).map(|i| points[at + i * stride]).collect();
            let (line, factor) = match direction {
                Direction::Forward => (dft(&line), 1.0),
                Direction::Inverse => (inverse_dft(&line), n as f64),
            };
            line.iter().enumerate().for_each(|(i, x)| points[at + i * stride] = x * factor);
        }
        stride *= n;
    }
    points
}

/// Marker element that no transform of noise returns.
pub(crate) fn elsewhere<T: Real>() -> Complex<T> {
    Complex::new(T::of(1e30), T::of(-1e30))
}
