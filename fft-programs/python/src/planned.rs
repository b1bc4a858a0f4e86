//! Plans of the four kinds and both precisions, their keys, and their calls.

pub(crate) mod cache;
pub(crate) mod planner;

use std::sync::Arc;

use earth_axes::{AxesError, AxesPlan, AxesProblem, Axis, RealAxis, RealPlan, RealProblem, RealTransform};
use earth_fft::{Complex, Direction, Effort, Norm, Precision};
use pyo3::prelude::*;

use crate::array::mirror::{Conjugates, conjugate, mirror};
use crate::array::{List, View};
use crate::errors::failed;
use cache::Key;

/// Element types of a transform.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    /// Complex points to complex points.
    Complex,
    /// Real numbers to half of their spectrum.
    Forward,
    /// Half a spectrum to real numbers.
    Inverse,
    /// Real numbers to real numbers, by the same transform along each axis.
    Real(RealTransform),
}

/// How a call uses its memory and finishes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Mode {
    /// From one array to another. The input stays unchanged.
    Apart,
    /// The output replaces the input.
    InPlace,
    /// From the complex conjugates of half a spectrum, which stays unchanged, to real numbers.
    FromConjugates,
    /// From real numbers to the conjugates of half of their spectrum.
    ToConjugates,
    /// From real numbers to their whole spectrum.
    Mirrored,
    /// From real numbers to the conjugates of their whole spectrum.
    MirroredConjugates,
    /// From half a spectrum, which is scratch, to real numbers.
    Scratch,
}

/// A problem: what the transform does, and the places of its elements.
#[derive(Clone, Debug)]
pub(crate) struct Problem<'a> {
    pub(crate) kind: Kind,
    pub(crate) mode: Mode,
    pub(crate) direction: Direction,
    pub(crate) norm: Norm,
    pub(crate) threads: usize,
    pub(crate) effort: Effort,
    /// Lengths of the array of real numbers if there is one, otherwise of both arrays.
    pub(crate) lengths: &'a [isize],
    /// The transformed axes. The last of these has half a spectrum.
    pub(crate) axes: &'a [isize],
    pub(crate) input: &'a [isize],
    pub(crate) output: &'a [isize],
    pub(crate) is_double: bool,
}

impl Problem<'_> {
    fn key(&self) -> Key {
        let kind = match self.kind {
            Kind::Complex => 0,
            Kind::Forward => 1,
            Kind::Inverse => 2,
            Kind::Real(transform) => 3 + transform as isize,
        };
        let flags = self.mode as isize
            | (self.direction as isize) << 4
            | (self.norm as isize) << 5
            | isize::from(self.is_double) << 8
            | (self.effort as isize) << 9
            | kind << 12
            | self.lengths.len().cast_signed() << 20
            | self.axes.len().cast_signed() << 28;
        let mut key = Key::new();
        key.push(flags);
        key.push(self.threads.cast_signed());
        key.extend_from_slice(self.axes);
        key.extend_from_slice(self.lengths);
        key.extend_from_slice(self.input);
        key.extend_from_slice(self.output);
        key
    }

    fn axis(&self, at: usize) -> Axis {
        Axis::new(self.lengths[at].cast_unsigned(), self.input[at], self.output[at])
    }

    fn transformed(&self) -> Vec<Axis> {
        self.axes.iter().map(|axis| self.axis(axis.cast_unsigned())).collect()
    }

    fn repeated(&self) -> Vec<Axis> {
        let is_repeated = |at: &usize| !self.axes.contains(&at.cast_signed());
        (0..self.lengths.len()).filter(is_repeated).map(|at| self.axis(at)).collect()
    }

    fn axes_problem(&self) -> AxesProblem {
        let (transformed, repeated) = (self.transformed(), self.repeated());
        let problem = match self.kind {
            Kind::Complex | Kind::Real(_) => AxesProblem::complex(self.direction, &transformed, &repeated),
            Kind::Forward => AxesProblem::real_to_complex(&transformed, &repeated),
            Kind::Inverse => AxesProblem::complex_to_real(&transformed, &repeated),
        };
        let problem = problem.norm(self.norm);
        match (self.kind, self.mode) {
            (_, Mode::InPlace) => problem.in_place(),
            (Kind::Inverse, Mode::Apart | Mode::FromConjugates) => problem.keep_input(),
            _ => problem,
        }
    }

    fn plan<T: Precision>(&self, of: impl FnOnce(Plan<T>) -> Either) -> Result<Either, AxesError> {
        let planner = planner::planner(self.effort);
        Ok(of(match self.kind {
            Kind::Real(transform) => {
                let axes: Vec<_> =
                    self.transformed().into_iter().map(|axis| RealAxis { axis, transform }).collect();
                let problem = RealProblem::new(&axes, &self.repeated());
                let problem = if self.mode == Mode::InPlace { problem.in_place() } else { problem };
                Plan::Real(RealPlan::with_threads(&planner, &problem, self.threads)?)
            }
            _ => Plan::Axes(AxesPlan::with_threads(&planner, &self.axes_problem(), self.threads)?),
        }))
    }

    /// Plans small problems of both precisions and drops the plans. So the first plan of a program does not
    /// ask the processor for its instructions and caches, which takes 0.2 ms on a virtual machine.
    ///
    /// # Errors
    ///
    /// The errors of planning.
    pub(crate) fn warm_up() -> Result<(), AxesError> {
        for kind in [Kind::Complex, Kind::Forward, Kind::Inverse] {
            let problem = Problem {
                kind,
                mode: Mode::Apart,
                direction: Direction::Forward,
                norm: Norm::Backward,
                threads: 1,
                effort: Effort::Estimate,
                lengths: &[64],
                axes: &[0],
                input: &[1],
                output: &[1],
                is_double: true,
            };
            problem.plan::<f64>(Either::Double)?;
            problem.plan::<f32>(Either::Single)?;
        }
        Ok(())
    }

    /// Returns the plan, from the cache if it is there. Planning releases the interpreter.
    ///
    /// # Errors
    ///
    /// The errors of planning.
    pub(crate) fn planned(&self, py: Python<'_>) -> PyResult<Arc<Planned>> {
        cache::get(self.key(), || {
            let plan = py.detach(|| {
                if self.is_double {
                    self.plan::<f64>(Either::Double)
                } else {
                    self.plan::<f32>(Either::Single)
                }
            });
            let plan = plan.map_err(|error| failed(&error))?;
            Ok(Planned { kind: self.kind, mode: self.mode, axes: self.axes.into(), plan })
        })
    }
}

/// A plan of a problem.
#[derive(Debug)]
pub(crate) struct Planned {
    kind: Kind,
    mode: Mode,
    axes: List,
    plan: Either,
}

#[derive(Debug)]
enum Either {
    Single(Plan<f32>),
    Double(Plan<f64>),
}

#[derive(Debug)]
enum Plan<T: Precision> {
    Axes(AxesPlan<T>),
    Real(RealPlan<T>),
}

/// Calls on fewer elements keep the interpreter: they end sooner than another thread could take it.
const SHORT: usize = 1024;

impl Planned {
    /// Transforms. Releases the interpreter if there are more than 1024 elements.
    ///
    /// # Safety
    ///
    /// Both views have the lengths, strides and dtypes that the plan was made for, and their arrays are
    /// alive. The output is writeable. No Rust code uses its memory during the call, and neither the memory
    /// of the input if the mode is to write to it. The output has no address in common with the input, or it
    /// is the input and the mode is `InPlace`.
    ///
    /// # Errors
    ///
    /// Too little memory, and failures of the machine.
    pub(crate) unsafe fn run(&self, py: Python<'_>, input: &View, output: &View) -> PyResult<()> {
        // SAFETY: the caller's promises.
        let work = || unsafe {
            match &self.plan {
                Either::Single(plan) => self.call(plan, input, output),
                Either::Double(plan) => self.call(plan, input, output),
            }
        };
        let done = if input.count().max(output.count()) < SHORT {
            work()
        } else {
            let work = Detached(work);
            py.detach(move || work.call())
        };
        done.map_err(|error| failed(&error))
    }

    /// # Safety
    ///
    /// See [`run`](Self::run). `T` is the precision of the views.
    unsafe fn call<T: Precision>(
        &self,
        plan: &Plan<T>,
        input: &View,
        output: &View,
    ) -> Result<(), AxesError> {
        // SAFETY: the caller promises that the views have these types, that the arrays live, and that no
        // other code uses the memory which is written to.
        unsafe {
            match (plan, self.kind, self.mode) {
                (Plan::Real(plan), _, Mode::InPlace) => plan.in_place(output.elements_mut::<T>()),
                (Plan::Real(plan), ..) => {
                    plan.out_of_place(input.elements::<T>(), output.elements_mut::<T>())
                }
                (Plan::Axes(plan), Kind::Forward, mode) => {
                    let points = output.elements_mut::<Complex<T>>();
                    plan.forward(input.elements::<T>(), points)?;
                    match mode {
                        Mode::ToConjugates => conjugate(points),
                        Mode::Mirrored => mirror(points, output, &self.axes, false),
                        Mode::MirroredConjugates => mirror(points, output, &self.axes, true),
                        _ => {}
                    }
                    Ok(())
                }
                (Plan::Axes(plan), Kind::Inverse, Mode::Scratch) => {
                    plan.inverse(input.elements_mut::<Complex<T>>(), output.elements_mut::<T>())
                }
                (Plan::Axes(plan), Kind::Inverse, Mode::FromConjugates) => {
                    let points = Conjugates(input.elements::<Complex<T>>());
                    plan.copying_inverse(&points, output.elements_mut::<T>())
                }
                (Plan::Axes(plan), Kind::Inverse, _) => {
                    plan.inverse_keeping(input.elements::<Complex<T>>(), output.elements_mut::<T>())
                }
                (Plan::Axes(plan), _, Mode::InPlace) => plan.in_place(output.elements_mut::<Complex<T>>()),
                (Plan::Axes(plan), ..) => {
                    plan.out_of_place(input.elements::<Complex<T>>(), output.elements_mut::<Complex<T>>())
                }
            }
        }
    }

    /// Returns the steps of the plan as text.
    pub(crate) fn text(&self) -> String {
        match &self.plan {
            Either::Single(Plan::Axes(plan)) => plan.to_string(),
            Either::Double(Plan::Axes(plan)) => plan.to_string(),
            Either::Single(Plan::Real(plan)) => plan.to_string(),
            Either::Double(Plan::Real(plan)) => plan.to_string(),
        }
    }
}

/// A call without the interpreter.
struct Detached<F>(F);

// SAFETY: the call uses no Python object: a view has pointers and numbers, and plans are `Sync`.
unsafe impl<F> Send for Detached<F> {}

impl<R, F: FnOnce() -> R> Detached<F> {
    fn call(self) -> R {
        (self.0)()
    }
}
