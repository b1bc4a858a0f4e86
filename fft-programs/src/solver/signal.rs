//! How programs on a signal take the arrays of a call: as one row of points in memory of their own.

use earth::{Block, Machine, Run};
use earth_kernels::{Real, scale};
use earth_memory::{NoMemory, try_collected};
use num_complex::Complex;

use crate::dataflow::Done;
use crate::dataflow::points::Points;
use crate::plan::TransformError;
use crate::problem::{Data, Elements, Slices};

/// A program that takes a series of complex points as one row and gives another row back.
pub trait SignalProgram<T: Real> {
    /// The points of the signal.
    fn points(&self) -> usize;

    /// The rows and columns of a phantom of the signal. A row has at most 2^32 - 1 points, and a phantom may have more.
    fn phantom_sides(&self) -> [usize; 2] {
        [1, self.points()]
    }

    /// The factor by which the result is multiplied.
    fn factor(&self) -> T;

    /// Runs it on a signal.
    ///
    /// # Errors
    ///
    /// The errors of the machine.
    fn run_signal(&self, machine: &mut Machine, signal: Points<T>) -> Result<Run<Done<T>>, earth::Error>;

    /// Runs it on the input of a problem, or on a phantom.
    fn run_input(
        &self,
        machine: &mut Machine,
        input: Option<Data<T>>,
    ) -> Result<Run<Done<T>>, TransformError> {
        let sides = if input.is_none() { self.phantom_sides() } else { [1, self.points()] };
        let (signal, _) = Elements::ComplexToComplex.arrays(input, sides, None)?;
        self.run_scaled(machine, signal)
    }

    /// Runs it on a copy of the points of a call, and copies the result back.
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

    /// Runs it and multiplies the result by the factor.
    fn run_scaled(&self, machine: &mut Machine, signal: Points<T>) -> Result<Run<Done<T>>, TransformError> {
        let mut run = self.run_signal(machine, signal)?;
        let (spectrum, factor) = (&mut run.value.spectrum, self.factor());
        if factor != T::one() && !spectrum.is_phantom() {
            spectrum.iter_rows_mut().for_each(|row| scale(row, factor));
        }
        Ok(run)
    }
}

fn copied<T: Real>(points: &[Complex<T>]) -> Result<Vec<Complex<T>>, NoMemory> {
    try_collected(points.iter().copied(), "a copy of the points")
}
