//! Whole transforms by the library, on its own threads: the alternative to this project's programs, and the
//! reference for comparisons with them.

use std::ffi::{c_int, c_void};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use earth_kernels::Real;
use num_complex::Complex;

use crate::error::LibraryError;
use crate::loaded::interface::Interface;
use crate::planner::{Plan, Planned};
use crate::problem::{Kind, WholeProblem};
use crate::workspace::Workspace;

/// Planned transform in one to three dimensions.
pub struct LibraryWhole<T: Real> {
    interface: Arc<Interface>,
    plan: Plan,
    whole: Planned,
    /// Alignment of the arrays that the plan was made on, in the interface's terms.
    alignment: c_int,
    real: PhantomData<T>,
}

/// Arrays of a transform: rows at the planned distance. The array may end with the last row.
#[derive(Debug)]
pub enum Arrays<'a, T> {
    /// Points; the output replaces the input.
    InPlace(&'a mut [Complex<T>]),
    /// Points, and the output array.
    OutOfPlace(&'a [Complex<T>], &'a mut [Complex<T>]),
    /// Real numbers, in rows padded to the length of their spectra. The spectra replace the numbers.
    RealInPlace(&'a mut [T]),
    /// Real numbers, and the array for their spectrum.
    RealOutOfPlace(&'a [T], &'a mut [Complex<T>]),
    /// Spectra of real numbers, as real and imaginary parts in turn. The numbers replace them, and their rows
    /// are padded as above.
    SpectrumInPlace(&'a mut [T]),
    /// Spectrum of real numbers, which is overwritten, and the array for the numbers.
    SpectrumOutOfPlace(&'a mut [Complex<T>], &'a mut [T]),
}

/// Addresses of the input and the output, and their numbers of elements.
type Addresses = ([*mut c_void; 2], [usize; 2]);

impl<T> Arrays<'_, T> {
    /// Returns the addresses and lengths of the input and the output.
    fn addresses(&mut self) -> Addresses {
        match self {
            Self::InPlace(points) => {
                let at = points.as_mut_ptr().cast();
                ([at, at], [points.len(); 2])
            }
            Self::OutOfPlace(input, output) => {
                ([input.as_ptr().cast_mut().cast(), output.as_mut_ptr().cast()], [input.len(), output.len()])
            }
            Self::RealInPlace(numbers) => {
                let at = numbers.as_mut_ptr().cast();
                ([at, at], [numbers.len(), numbers.len() / 2])
            }
            Self::RealOutOfPlace(input, output) => {
                ([input.as_ptr().cast_mut().cast(), output.as_mut_ptr().cast()], [input.len(), output.len()])
            }
            Self::SpectrumInPlace(data) => {
                let at = data.as_mut_ptr().cast();
                ([at, at], [data.len() / 2, data.len()])
            }
            Self::SpectrumOutOfPlace(input, output) => {
                ([input.as_mut_ptr().cast(), output.as_mut_ptr().cast()], [input.len(), output.len()])
            }
        }
    }

    fn named(&self) -> &'static str {
        match self {
            Self::InPlace(_) => "points in place",
            Self::OutOfPlace(..) => "points from one array to another",
            Self::RealInPlace(_) => "real numbers in place",
            Self::RealOutOfPlace(..) => "real numbers from one array to another",
            Self::SpectrumInPlace(_) => "spectra of real numbers in place",
            Self::SpectrumOutOfPlace(..) => "spectra of real numbers from one array to another",
        }
    }
}

/// Returns a description of a problem's arrays for error messages.
fn named<T>(kind: Kind, in_place: bool) -> &'static str {
    let arrays: Arrays<'_, T> = match (kind, in_place) {
        (Kind::Complex(_), true) => Arrays::InPlace(&mut []),
        (Kind::Complex(_), false) => Arrays::OutOfPlace(&[], &mut []),
        (Kind::RealToComplex, true) => Arrays::RealInPlace(&mut []),
        (Kind::RealToComplex, false) => Arrays::RealOutOfPlace(&[], &mut []),
        (Kind::ComplexToReal, true) => Arrays::SpectrumInPlace(&mut []),
        (Kind::ComplexToReal, false) => Arrays::SpectrumOutOfPlace(&mut [], &mut []),
    };
    arrays.named()
}

impl<T: Real> LibraryWhole<T> {
    /// Plans a problem. The interface has the precision of `T`.
    pub(crate) fn plan(interface: Arc<Interface>, problem: WholeProblem) -> Result<Self, LibraryError> {
        let whole = Planned::whole(problem)?.by(&interface)?;
        let [given, made] = whole.points();
        let input = Workspace::new::<T>(given)?;
        let output = (!problem.in_place).then(|| Workspace::new::<T>(made)).transpose()?;
        let plan = Plan::new(&interface, whole, [&input, output.as_ref().unwrap_or(&input)])?;
        let alignment = interface.alignment(input.array());
        Ok(Self { interface, plan, whole, alignment, real: PhantomData })
    }

    /// Returns the name for tables and messages, in lower case.
    pub fn name(&self) -> &'static str {
        self.interface.maker.name()
    }

    /// Returns the problem.
    pub fn problem(&self) -> WholeProblem {
        self.whole.problem
    }

    /// Returns the time that planning took, without the wait for other planners.
    pub fn planning(&self) -> Duration {
        self.plan.took
    }

    /// Returns whether planning reached its time limit, so that the plan may not be the library's best.
    pub fn is_cut_short(&self) -> bool {
        self.whole.problem.limit.is_some_and(|limit| self.plan.took >= limit)
    }

    /// Transforms `times` times in succession, unscaled in either direction. The arguments are checked once,
    /// before the first transform. In place, each transform takes the output of the previous one. A separate
    /// spectrum of real numbers is unspecified after the first transform.
    ///
    /// # Errors
    ///
    /// [`LibraryError::ArraysMismatch`], [`LibraryError::Short`] or [`LibraryError::Misaligned`]; the arrays
    /// are unchanged. Memory of the usual allocators is never misaligned.
    pub fn transform(&self, mut arrays: Arrays<'_, T>, times: usize) -> Result<(), LibraryError> {
        let Planned { problem, span, given, .. } = self.whole;
        let (addresses @ [input, output], lengths) = arrays.addresses();
        let (planned, found) = (named::<T>(problem.kind, problem.in_place), arrays.named());
        if planned != found {
            return Err(LibraryError::ArraysMismatch { planned, given: found });
        }
        for (given, needed) in lengths.into_iter().zip([given, span]) {
            if given < needed {
                return Err(LibraryError::Short { given, needed });
            }
        }
        if !addresses.iter().all(|at| self.interface.is_aligned(at.cast_const(), self.alignment)) {
            return Err(LibraryError::Misaligned { path: self.interface.path.clone() });
        }
        let run = || {
            for _ in 0..times {
                // SAFETY: there are one or two arrays, as planned, with the planned elements, in the
                // interface's precision, and aligned. The output is borrowed exclusively. A separate input
                // stays unchanged, or is borrowed exclusively as a spectrum.
                unsafe { self.plan.execute(input, output) };
            }
        };
        if problem.threads == 1 {
            self.interface.alone(run);
        } else {
            run();
        }
        Ok(())
    }
}

impl<T: Real> fmt::Debug for LibraryWhole<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("LibraryWhole");
        out.field("library", &self.interface.path)
            .field("real", &T::NAME)
            .field("problem", &self.whole.problem);
        out.finish_non_exhaustive()
    }
}
