//! What the [transpose program](crate::dataflow::transpose) runs on: a series of points, of real numbers, two a point, or
//! the spectrum of these, whose last point goes by itself.

use earth::{Block, Element, Machine, Run, ShapeError, Shared, lend};
use earth_kernels::Real;
use earth_memory::{NoMemory, lend_for_reading, try_reserve, try_room};
use num_complex::Complex;
use parking_lot::Mutex;

use crate::dataflow::Done;
use crate::dataflow::points::Points;
use crate::dataflow::receiver::Scalar;
use crate::dataflow::transpose::{self, Arrays, TransposeJob, TransposePlan};
use crate::plan::TransformError;
use crate::problem::{Data, Elements, Slices, as_numbers};

/// The program for series, planned, and the matrix aside, unless a run has it.
#[derive(Debug)]
pub(crate) struct Series<T: Real> {
    plan: Shared<TransposePlan<T>>,
    aside: Mutex<Option<Points<T>>>,
}

/// The points of a series: replaced by the result, or kept, or what the matrix aside may be, and where the result goes.
enum From<'a, T: Real> {
    Replaced(&'a mut [Complex<T>]),
    Kept(&'a [Complex<T>], &'a mut [Complex<T>]),
    Used(&'a mut [Complex<T>], &'a mut [Complex<T>]),
}

/// The result, and the last point of a spectrum.
type Left<T> = (Done<T>, Option<Points<T>>);

impl<T: Scalar> Series<T> {
    pub(crate) fn new(plan: TransposePlan<T>) -> Self {
        Self { plan: Shared::new(plan), aside: Mutex::default() }
    }

    pub(crate) fn plan(&self) -> &TransposePlan<T> {
        &self.plan
    }

    /// The points of the matrix.
    fn points(&self) -> usize {
        self.plan.sides().iter().product()
    }

    /// Runs it on an input without gaps, or on a phantom of one. Real numbers that are `padded` have room for the last
    /// point of their spectrum, and change places with it.
    pub(crate) fn run(
        &self,
        machine: &mut Machine,
        elements: Elements,
        input: Option<Data<T>>,
        padded: bool,
    ) -> Result<Run<Done<T>>, TransformError> {
        let ([rows, cols], m) = (self.plan.sides(), self.points());
        let phantom = input.is_none();
        let (series, result, last) = match elements.numbers() {
            numbers if phantom => {
                let series = Block::phantom(rows, cols)?;
                let apart = numbers == Some(0) && !padded;
                let result = apart.then(|| Block::phantom(cols, rows)).transpose()?;
                let last = numbers.map(|_| Block::phantom(1, 1)).transpose()?;
                (series, result, last)
            }
            None => (elements.arrays(input, self.plan.sides(), None)?.0, None, None),
            Some(0) if !padded => {
                let series = elements.arrays(input, [1, m], None)?.0;
                // The last point is put behind the others when it is there.
                let mut result = try_room(m + 1, "the spectrum")?;
                result.resize(m, Complex::new(T::zero(), T::zero()));
                let last = vec![Complex::new(T::zero(), T::zero())];
                (series, Some(row(result)?), Some(row(last)?))
            }
            Some(_) => {
                let mut series = elements.arrays(input, [1, m + 1], None)?.0.into_vec();
                let last = series.split_off(m);
                (row(series)?, None, Some(row(last)?))
            }
        };
        let Run { value: (done, last), counters, by_node, elapsed, cycles, records } =
            self.run_blocks(machine, Arrays { series, result, last, aside: Some(self.aside()?) })?;
        let value = match elements.numbers() {
            None => done,
            // No block has as many columns as some phantoms have points.
            Some(0) if phantom => {
                Done { spectrum: Block::phantom(1, m + 1).unwrap_or(done.spectrum), ..done }
            }
            Some(0) => {
                let mut spectrum = done.spectrum.into_vec();
                spectrum.extend(last.map(Block::into_vec).into_iter().flatten());
                Done { spectrum: row(spectrum)?, ..done }
            }
            Some(_) if phantom => Done::of_numbers(Block::phantom(rows, 2 * cols)?, done.phases),
            Some(_) => {
                let mut numbers = as_numbers(done.spectrum)?.into_vec();
                let len = 2 * (m + usize::from(padded));
                try_reserve(&mut numbers, len - 2 * m, "the real numbers")?;
                numbers.resize(len, T::zero());
                Done::of_numbers(row(numbers)?, done.phases)
            }
        };
        Ok(Run { value, counters, by_node, elapsed, cycles, records })
    }

    /// Runs it on what a call brings. Returns false, and has done nothing, if a slice is too short.
    pub(crate) fn run_here(
        &self,
        machine: &mut Machine,
        slices: &mut Slices<'_, T>,
    ) -> Result<bool, TransformError> {
        let m = self.points();
        let found = match slices {
            Slices::InPlace(points) => points.get_mut(..m).map(|points| (From::Replaced(points), None)),
            Slices::OutOfPlace(input, output) => {
                let both = input.get(..m).zip(output.get_mut(..m));
                both.map(|(input, output)| (From::Kept(input, output), None))
            }
            Slices::Padded(numbers) => numbers.get_mut(..2 * m + 2).map(|numbers| {
                let (points, last) = bytemuck::cast_slice_mut(numbers).split_at_mut(m);
                (From::Replaced(points), Some(last))
            }),
            Slices::RealToComplex(numbers, points) => {
                let both = numbers.get(..2 * m).zip(points.get_mut(..m + 1));
                both.map(|(numbers, points)| {
                    let (points, last) = points.split_at_mut(m);
                    (From::Kept(bytemuck::cast_slice(numbers), points), Some(last))
                })
            }
            Slices::ComplexToReal(points, numbers) => {
                let both = points.get_mut(..m + 1).zip(numbers.get_mut(..2 * m));
                both.map(|(points, numbers)| {
                    let (points, last) = points.split_at_mut(m);
                    (From::Used(points, bytemuck::cast_slice_mut(numbers)), Some(last))
                })
            }
        };
        let Some((from, last)) = found else { return Ok(false) };
        let aside = (!matches!(from, From::Used(..))).then(|| self.aside()).transpose()?;
        let run = |series, result| match last {
            None => self.run_blocks(machine, Arrays { series, result, last: None, aside }).map(drop),
            Some(last) => lend(last, 1, 1, |last| {
                self.run_blocks(machine, Arrays { series, result, last: Some(last), aside }).map(drop)
            })?,
        };
        match from {
            From::Replaced(points) => lend(points, 1, m, |series| run(series, None))??,
            From::Kept(from, to) => {
                lend_for_reading(from, 1, m, |series| lend(to, 1, m, |result| run(series, Some(result))))???;
            }
            From::Used(from, to) => {
                lend(from, 1, m, |series| lend(to, 1, m, |result| run(series, Some(result))))???;
            }
        }
        Ok(true)
    }

    /// The matrix aside, which is the plan's until a run has it.
    fn aside(&self) -> Result<Points<T>, NoMemory> {
        let kept = self.aside.try_lock().and_then(|mut aside| aside.take());
        kept.map_or_else(|| self.plan.aside(), Ok)
    }

    /// Runs it on blocks.
    fn run_blocks(&self, machine: &mut Machine, arrays: Arrays<T>) -> Result<Run<Left<T>>, TransformError> {
        let run = transpose::run(machine, TransposeJob::new(arrays, self.plan.clone()))?;
        Ok(run.map(|left| {
            if let (Some(aside), Some(mut kept)) = (left.aside, self.aside.try_lock()) {
                *kept = Some(aside.into_block());
            }
            (left.done, left.last)
        }))
    }
}

/// A vector as a block of one row.
fn row<E: Element>(elements: Vec<E>) -> Result<Block<E>, ShapeError> {
    Block::from_vec(1, elements.len(), elements)
}
