//! The object behind a plan's pointer, and its calls.
//!
//! 1. Planning makes the plan of the arrays as they are given: in place if both begin at one address.
//! 2. A call compares its arrays with the plan. Arrays that suit it are lent as slices; real and imaginary
//!    parts in two arrays, and real-to-real transforms, are copied part by part.
//! 3. Other arrays overlap or are not aligned. A second plan, which the first such call makes, copies all
//!    of the input before it writes the output.
//!
//! Calls do not change the object, so several threads may execute a plan at once.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice::{from_raw_parts, from_raw_parts_mut};
use std::sync::OnceLock;

use earth_axes::{AxesError, AxesPlan, AxesProblem, Axis, Extent, RealAxis, RealPlan, RealProblem};
use earth_fft::{Direction, Norm, Operations, Planner};

use crate::arguments::Axes;
use crate::memory::{Pointers, overlap};
use crate::settings::{Effort, Flags, Interface};

/// Kind of a transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Complex points.
    Complex(Direction),
    /// Real numbers to complex points.
    Forward,
    /// Complex points to real numbers.
    Inverse,
    /// Real numbers to real numbers.
    Real,
}

impl Kind {
    /// Returns whether the input and the output have complex points.
    fn points(self) -> [bool; 2] {
        match self {
            Self::Complex(_) => [true, true],
            Self::Forward => [false, true],
            Self::Inverse => [true, false],
            Self::Real => [false, false],
        }
    }
}

/// A problem of either kind.
#[derive(Clone, Debug)]
enum Problem {
    Axes(AxesProblem),
    Real(RealProblem),
}

/// A plan of either kind.
#[derive(Debug)]
enum Engine<T: Interface> {
    Axes(AxesPlan<T>),
    Real(RealPlan<T>),
}

/// What `fftw_plan` points to.
#[derive(Debug)]
pub struct Planned<T: Interface> {
    kind: Kind,
    /// The problem of separate arrays.
    problem: Problem,
    planner: Planner,
    /// The most nodes that share a call.
    nodes: usize,
    /// Arrays of `execute`.
    arrays: [Pointers<T>; 2],
    /// Whether the arrays of the plan are one array.
    in_place: bool,
    /// Whether calls borrow slices. Otherwise parts are copied.
    borrows: bool,
    plan: Engine<T>,
    /// Plan of arrays that overlap or are not aligned.
    whole: OnceLock<Result<Engine<T>, AxesError>>,
}

impl Problem {
    fn in_place(&self) -> Self {
        match self.clone() {
            Self::Axes(problem) => Self::Axes(problem.in_place()),
            Self::Real(problem) => Self::Real(problem.in_place()),
        }
    }

    fn overlapping(&self) -> Self {
        match self.clone() {
            Self::Axes(problem) => Self::Axes(problem.overlapping().copied()),
            Self::Real(problem) => Self::Real(problem.overlapping()),
        }
    }

    /// Plans the problem for at most a number of threads.
    fn plan<T: Interface>(&self, planner: &Planner, threads: usize) -> Result<Engine<T>, AxesError> {
        Ok(match self {
            Self::Axes(problem) => Engine::Axes(AxesPlan::with_threads(planner, problem, threads)?),
            Self::Real(problem) => Engine::Real(RealPlan::with_threads(planner, problem, threads)?),
        })
    }
}

impl<T: Interface> Engine<T> {
    fn extents(&self) -> [Extent; 2] {
        match self {
            Self::Axes(plan) => plan.extents(),
            Self::Real(plan) => plan.extents(),
        }
    }
}

impl<T: Interface> Planned<T> {
    /// Plans a transform of complex points, or between them and real numbers. `None` if there is no plan.
    pub fn axes(kind: Kind, axes: Axes, arrays: [Pointers<T>; 2], flags: Flags) -> Option<Self> {
        let ([mut transformed, mut repeated], mut arrays) = (axes, arrays);
        // Parts that alternate in memory are points.
        for array in [0, 1].into_iter().filter(|array| kind.points()[*array]) {
            let stride = |axis: &Axis| [axis.input, axis.output][array];
            let are_even = transformed.iter().chain(&repeated).all(|axis| stride(axis) % 2 == 0);
            if arrays[array].are_alternating_parts() && are_even {
                arrays[array] = arrays[array].with_step(2);
                for axis in transformed.iter_mut().chain(&mut repeated) {
                    let stride = if array == 0 { &mut axis.input } else { &mut axis.output };
                    *stride /= 2;
                }
            }
        }
        let in_place = are_one(arrays);
        let problem = match kind {
            Kind::Complex(to) => AxesProblem::complex(to, &transformed, &repeated).norm(unscaled(to)),
            Kind::Forward => AxesProblem::real_to_complex(&transformed, &repeated),
            Kind::Inverse => {
                let inverse = AxesProblem::complex_to_real(&transformed, &repeated).norm(Norm::Forward);
                if flags.preserve_input() && !in_place { inverse.keep_input() } else { inverse }
            }
            Kind::Real => return None,
        };
        let are_parts = |array: usize| kind.points()[array] && !arrays[array].are_points();
        let borrows = !are_parts(0) && !are_parts(1);
        let problem = if borrows { problem } else { problem.copied() };
        Self::new(kind, Problem::Axes(problem), arrays, borrows, flags)
    }

    /// Plans a transform of real numbers to real numbers.
    pub fn real(
        transformed: &[RealAxis],
        repeated: &[Axis],
        arrays: [Pointers<T>; 2],
        flags: Flags,
    ) -> Option<Self> {
        let problem = Problem::Real(RealProblem::new(transformed, repeated));
        Self::new(Kind::Real, problem, arrays, false, flags)
    }

    fn new(
        kind: Kind,
        problem: Problem,
        arrays: [Pointers<T>; 2],
        borrows: bool,
        flags: Flags,
    ) -> Option<Self> {
        let in_place = are_one(arrays);
        let placed = if in_place { problem.in_place() } else { problem.clone() };
        let (effort, nodes, planner, later) = {
            let (effort, mut settings) = (flags.effort(), T::settings().lock());
            (effort, settings.nodes(), settings.planner(effort), settings.planner(Effort::Estimate))
        };
        let name = format!("{placed:?} by {nodes} nodes");
        if flags.wisdom_only() && !T::settings().lock().knows(&name, effort) {
            return None;
        }
        let plan = placed.plan(&planner, nodes).ok()?;
        T::settings().lock().record(name, effort);
        let whole = OnceLock::new();
        let planned = Self { kind, problem, planner: later, nodes, arrays, in_place, borrows, plan, whole };
        let is_whole = !planned.lack_arrays(arrays) && !planned.suits(arrays);
        if is_whole && planned.whole().is_err() { None } else { Some(planned) }
    }

    /// Returns the arrays of `execute`.
    pub fn arrays(&self) -> [Pointers<T>; 2] {
        self.arrays
    }

    /// Returns other arrays with the distances of the plan's.
    pub fn like(&self, arrays: [Pointers<T>; 2]) -> [Pointers<T>; 2] {
        [0, 1].map(|array| arrays[array].with_step(self.arrays[array].step()))
    }

    fn lack_arrays(&self, arrays: [Pointers<T>; 2]) -> bool {
        let points = self.kind.points();
        [0, 1].iter().any(|&array| arrays[array].are_missing(points[array]))
    }

    /// Returns whether the plan transforms the arrays without copying all of them.
    fn suits(&self, arrays: [Pointers<T>; 2]) -> bool {
        let (extents, points) = (self.plan.extents(), self.kind.points());
        let [input, output] = [0, 1].map(|array| arrays[array].addresses(extents[array]));
        let are_placed = if self.in_place { are_one(arrays) } else { !overlap(&input, &output) };
        let can_lend =
            |array: usize| arrays[array].is_aligned() && (!points[array] || arrays[array].are_points());
        are_placed && (!self.borrows || can_lend(0) && can_lend(1))
    }

    fn whole(&self) -> &Result<Engine<T>, AxesError> {
        self.whole.get_or_init(|| self.problem.overlapping().plan(&self.planner, self.nodes))
    }

    /// Transforms arrays. Aborts the process with a sentence if that fails: C has no other way.
    ///
    /// # Safety
    ///
    /// [Promise 2](crate): the arrays have all elements of the plan, and no other thread uses them.
    pub unsafe fn execute(&self, arrays: [Pointers<T>; 2]) {
        // SAFETY: the caller's promise. A panic ends the process, so no half-changed array is seen.
        let done = catch_unwind(AssertUnwindSafe(|| unsafe { self.call(arrays) }));
        match done {
            Ok(Ok(())) => {}
            Ok(Err(error)) => fail(&error),
            Err(_) => fail(&"a transform panicked"),
        }
    }

    /// # Safety
    ///
    /// As for `execute`.
    unsafe fn call(&self, arrays: [Pointers<T>; 2]) -> Result<(), AxesError> {
        if self.lack_arrays(arrays) {
            return Ok(());
        }
        let suits = self.suits(arrays);
        let plan = if suits { &self.plan } else { self.whole().as_ref().map_err(Clone::clone)? };
        let [input, output] = plan.extents();
        if output.span == 0 {
            return Ok(());
        }
        let (plan, raw) = match plan {
            Engine::Axes(plan) => (plan, [arrays[0].lowest(input), arrays[1].lowest(output)]),
            Engine::Real(plan) => {
                let [from, mut to] = [arrays[0].lowest(input), arrays[1].lowest(output)];
                return plan.out_of_place(&from, &mut to);
            }
        };
        let [from, mut to] = raw;
        if !suits || !self.borrows {
            return match self.kind {
                Kind::Complex(_) | Kind::Real => plan.copying(&from, &mut to),
                Kind::Forward => plan.copying_forward(&from, &mut to),
                Kind::Inverse => plan.copying_inverse(&from, &mut to),
            };
        }
        if self.in_place {
            let whole = plan.extent_in_place();
            // SAFETY: promise 2: the array has the elements of the extent, and this call alone uses them. Its
            // address is aligned.
            return unsafe {
                match self.kind {
                    Kind::Complex(_) | Kind::Real => {
                        plan.in_place(from_raw_parts_mut(arrays[0].lowest_point(whole), whole.span))
                    }
                    Kind::Forward | Kind::Inverse => {
                        plan.in_place_numbers(from_raw_parts_mut(arrays[0].lowest_number(whole), whole.span))
                    }
                }
            };
        }
        let ([points_in, points_out], [numbers_in, numbers_out]) = (
            [arrays[0].lowest_point(input), arrays[1].lowest_point(output)],
            [arrays[0].lowest_number(input), arrays[1].lowest_number(output)],
        );
        // SAFETY: promise 2: the arrays have the elements of their extents, and this call alone uses them.
        // The extents do not overlap, and the addresses are aligned.
        unsafe {
            match self.kind {
                Kind::Complex(_) | Kind::Real => plan.out_of_place(
                    from_raw_parts(points_in, input.span),
                    from_raw_parts_mut(points_out, output.span),
                ),
                Kind::Forward => plan.forward(
                    from_raw_parts(numbers_in, input.span),
                    from_raw_parts_mut(points_out, output.span),
                ),
                Kind::Inverse if plan.problem().keeps_input() => plan.inverse_keeping(
                    from_raw_parts(points_in, input.span),
                    from_raw_parts_mut(numbers_out, output.span),
                ),
                Kind::Inverse => plan.inverse(
                    from_raw_parts_mut(points_in, input.span),
                    from_raw_parts_mut(numbers_out, output.span),
                ),
            }
        }
    }

    /// Returns the numbers that a call computes, if they are counted, else FFTW's usual estimate: 5 n
    /// log2 n for n points.
    pub fn operations(&self) -> f64 {
        let counted = match &self.plan {
            Engine::Axes(plan) => plan.operations(),
            Engine::Real(_) => None,
        };
        let span = self.plan.extents()[0].span as f64;
        counted.map_or(5.0 * span * span.max(2.0).log2(), |done: Operations| done.arithmetic as f64)
    }
}

fn unscaled(to: Direction) -> Norm {
    match to {
        Direction::Forward => Norm::Backward,
        Direction::Inverse => Norm::Forward,
    }
}

/// Returns whether two arrays begin at one address.
fn are_one<T: Interface>([input, output]: [Pointers<T>; 2]) -> bool {
    input.begins_with(output)
}

fn fail(error: &dyn fmt::Display) -> ! {
    eprintln!("earth-fftw3: {error}");
    std::process::abort()
}

/// Writes the kind of the plan, and the plans of the library that its calls use.
impl<T: Interface> fmt::Display for Planned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(earth-fft ")?;
        match &self.plan {
            Engine::Axes(plan) => write!(f, "{plan}")?,
            Engine::Real(plan) => write!(f, "{plan}")?,
        }
        write!(f, ")")
    }
}
