//! The calling conventions between a plan and a program, by the arrays of a run.

use earth::{Block, Machine, Run};
use earth_kernels::{Real, scale};
use earth_memory::{NoMemory, lend_rows, lend_rows_for_reading, try_collected};
use num_complex::Complex;

use crate::dataflow::Done;
use crate::dataflow::points::Points;
use crate::dataflow::row_pass::RowPass;
use crate::plan::TransformError;
use crate::problem::{Data, Elements, Rows, Slices, UntypedProblem};

/// Real numbers of a run, or an input array of points that is unchanged, besides the points of its result.
pub type Input<T> = (Option<Block<T>>, Option<Block<Complex<T>>>);

/// Result of a run.
pub type Ran<T> = Result<Run<Done<T>>, TransformError>;

type OnSignal<'a, T> = dyn Fn(&mut Machine, Points<T>) -> Ran<T> + 'a;
type OnArray<'a, T> = dyn Fn(&mut Machine, Points<T>, Input<T>) -> Ran<T> + 'a;

/// Runs of a program, on arrays of one of two kinds, or by its own implementation.
pub struct Runs<'a, T: Real>(Kind<'a, T>);

enum Kind<'a, T: Real> {
    Signal(Signal<'a, T>),
    Array(Array<'a, T>),
    Itself(&'a dyn CustomRuns<T>),
}

/// Program on a series of complex points, which it takes as one row in its own memory. It returns another
/// row.
struct Signal<'a, T: Real> {
    /// Rows and columns of a phantom of the series. A row has at most 2^32 - 1 points, and a phantom may have
    /// more.
    sides: [usize; 2],
    /// Factor that multiplies the result.
    factor: T,
    run: Box<OnSignal<'a, T>>,
}

/// Program on an array of 2 or 3 dimensions, which is lent to the machine. The program transforms it in
/// place, or between points and real numbers.
struct Array<'a, T: Real> {
    sides: [usize; 2],
    /// Pass over rows, for programs that take gaps between rows, real numbers, and an input that is
    /// unchanged.
    rows: Option<&'a RowPass<T>>,
    run: Box<OnArray<'a, T>>,
}

/// Program with its own implementation of [`Runs`].
pub(crate) trait CustomRuns<T: Real> {
    /// Implements [`Runs::run`].
    fn run(&self, machine: &mut Machine, problem: &UntypedProblem, input: Option<Data<T>>) -> Ran<T>;

    /// Implements [`Runs::run_here`].
    fn run_here(&self, machine: &mut Machine, slices: &mut Slices<'_, T>) -> Result<bool, TransformError>;
}

impl<'a, T: Real> Runs<'a, T> {
    /// Makes the runs of a program on a series of complex points. `run` takes the series as one row in its
    /// own memory and returns another row, which is multiplied by `factor`. A phantom has these rows and
    /// columns of points.
    pub fn on_signal<E: Into<TransformError>>(
        sides: [usize; 2],
        factor: T,
        run: impl Fn(&mut Machine, Points<T>) -> Result<Run<Done<T>>, E> + 'a,
    ) -> Self {
        let run = move |machine: &mut Machine, signal| run(machine, signal).map_err(Into::into);
        Self(Kind::Signal(Signal { sides, factor, run: Box::new(run) }))
    }

    /// Makes the runs of a program that transforms a matrix of complex points in place.
    pub fn in_place<E: Into<TransformError>>(
        sides: [usize; 2],
        run: impl Fn(&mut Machine, Points<T>) -> Result<Run<Done<T>>, E> + 'a,
    ) -> Self {
        let run = move |machine: &mut Machine, points, _: Input<T>| run(machine, points).map_err(Into::into);
        Self(Kind::Array(Array { sides, rows: None, run: Box::new(run) }))
    }

    /// Makes the runs of a program on an array of points or of real numbers, whose rows may have gaps between
    /// them.
    pub(crate) fn on_rows(
        rows: &'a RowPass<T>,
        run: impl Fn(&mut Machine, Points<T>, Input<T>) -> Ran<T> + 'a,
    ) -> Self {
        Self(Kind::Array(Array { sides: rows.sides(), rows: Some(rows), run: Box::new(run) }))
    }

    pub(crate) fn itself(program: &'a dyn CustomRuns<T>) -> Self {
        Self(Kind::Itself(program))
    }

    /// Runs the program on the input of a problem that has no gaps or padded rows. Without an input it runs
    /// on a phantom.
    ///
    /// # Errors
    ///
    /// An input with another number of elements, too little memory, or an error of the machine.
    pub fn run(&self, machine: &mut Machine, problem: &UntypedProblem, input: Option<Data<T>>) -> Ran<T> {
        match &self.0 {
            Kind::Signal(program) => program.run(machine, input),
            Kind::Array(program) => program.run(machine, problem, input),
            Kind::Itself(program) => program.run(machine, problem, input),
        }
    }

    /// Runs the program on the slices of a call. Elements in gaps between rows stay unchanged. Returns false,
    /// with the slices unchanged, if a slice is too short. Also returns false if a real transform in place
    /// has rows of numbers and rows of spectra that start at different places.
    ///
    /// # Errors
    ///
    /// Too little memory, or an error of the machine.
    pub fn run_here(
        &self,
        machine: &mut Machine,
        slices: &mut Slices<'_, T>,
    ) -> Result<bool, TransformError> {
        match &self.0 {
            Kind::Signal(program) => program.run_copied(machine, slices),
            Kind::Array(program) => program.run_lent(machine, slices),
            Kind::Itself(program) => program.run_here(machine, slices),
        }
    }
}

impl<T: Real> Signal<'_, T> {
    fn points(&self) -> usize {
        self.sides.iter().product()
    }

    fn run(&self, machine: &mut Machine, input: Option<Data<T>>) -> Ran<T> {
        let sides = if input.is_none() { self.sides } else { [1, self.points()] };
        let (signal, _) = Elements::ComplexToComplex.arrays(input, sides, None)?;
        self.run_scaled(machine, signal)
    }

    /// Runs the program on a copy of the points of a call, and copies the result back.
    fn run_copied(&self, machine: &mut Machine, slices: &mut Slices<'_, T>) -> Result<bool, TransformError> {
        let points = self.points();
        let (copy, output) = match slices {
            Slices::InPlace(of_call) => {
                let Some(of_call) = of_call.get_mut(..points) else { return Ok(false) };
                (copied(of_call)?, of_call)
            }
            Slices::OutOfPlace(input, output) => {
                let both = input.get(..points).zip(output.get_mut(..points));
                let Some((input, output)) = both else { return Ok(false) };
                (copied(input)?, output)
            }
            Slices::RealToComplex(..) | Slices::ComplexToReal(..) | Slices::Padded(_) => return Ok(false),
        };
        let done = self.run_scaled(machine, Block::from_vec(1, points, copy)?)?.value;
        for (to, from) in output.chunks_mut(done.spectrum.cols()).zip(done.spectrum.iter_rows()) {
            to.copy_from_slice(from);
        }
        Ok(true)
    }

    fn run_scaled(&self, machine: &mut Machine, signal: Points<T>) -> Ran<T> {
        let mut run = (self.run)(machine, signal)?;
        let spectrum = &mut run.value.spectrum;
        if self.factor != T::one() && !spectrum.is_phantom() {
            spectrum.iter_rows_mut().for_each(|row| scale(row, self.factor));
        }
        Ok(run)
    }
}

fn copied<T: Real>(points: &[Complex<T>]) -> Result<Vec<Complex<T>>, NoMemory> {
    try_collected(points.iter().copied(), "a copy of the points")
}

impl<T: Real> Array<'_, T> {
    fn run(&self, machine: &mut Machine, problem: &UntypedProblem, input: Option<Data<T>>) -> Ran<T> {
        let numbers = self.rows.and_then(RowPass::number_sides).unwrap_or_default();
        let numbers = Some(numbers).filter(|_| !problem.is_padded());
        let (points, numbers) = problem.elements().arrays(input, self.sides, numbers)?;
        (self.run)(machine, points, (numbers, None))
    }

    /// Runs the program on the slices of a call, in place.
    fn run_lent(&self, machine: &mut Machine, slices: &mut Slices<'_, T>) -> Result<bool, TransformError> {
        let dense = || [Rows::dense(self.sides), Rows::default()];
        let [of_points, of_numbers] = self.rows.map_or_else(dense, RowPass::rows);
        let [span, width] = [of_points, of_numbers].map(|rows| rows.span());
        let mut run = |points: &mut [Complex<T>], input| {
            let run = |points| (self.run)(machine, points, input).map(drop);
            lend_rows(points, of_points.sides(), of_points.distance, run)?
        };
        match slices {
            Slices::InPlace(points) => {
                let Some(points) = points.get_mut(..span) else { return Ok(false) };
                run(points, (None, None))?;
            }
            Slices::OutOfPlace(input, output) => {
                let both = input.get(..span).zip(output.get_mut(..span));
                let Some((input, output)) = both else { return Ok(false) };
                if self.rows.is_some() {
                    lend_rows_for_reading(input, of_points.sides(), of_points.distance, |input| {
                        run(output, (None, Some(input)))
                    })??;
                } else {
                    for (at, len) in of_points.lines() {
                        output[at..][..len].copy_from_slice(&input[at..][..len]);
                    }
                    run(output, (None, None))?;
                }
            }
            Slices::Padded(numbers) => {
                let in_place = self.rows.is_some_and(|rows| rows.in_place);
                let points = numbers.get_mut(..2 * span).filter(|_| in_place);
                let Some(points) = points else { return Ok(false) };
                run(bytemuck::cast_slice_mut(points), (None, None))?;
            }
            Slices::RealToComplex(numbers, points) => {
                let both = numbers.get(..width).zip(points.get_mut(..span));
                let Some((numbers, points)) = both else { return Ok(false) };
                lend_rows_for_reading(numbers, of_numbers.sides(), of_numbers.distance, |numbers| {
                    run(points, (Some(numbers), None))
                })??;
            }
            Slices::ComplexToReal(points, numbers) => {
                let both = points.get_mut(..span).zip(numbers.get_mut(..width));
                let Some((points, numbers)) = both else { return Ok(false) };
                lend_rows(numbers, of_numbers.sides(), of_numbers.distance, |numbers| {
                    run(points, (Some(numbers), None))
                })??;
            }
        }
        Ok(true)
    }
}
