//! Plans on arrays of the crate `ndarray`, of any strides: feature `ndarray`.
//!
//! The shape of an array is the problem's shape, with the batch as its outermost axis: `[lengths..]`, or
//! `[batch, lengths..]`. Spectra of real numbers have `n/2 + 1` points in a last dimension of `n`. The array
//! may be an `Array` or any view: sliced, transposed or reversed. An input that is only read may also be
//! broadcast.
//!
//! *Cost.* A contiguous array in the order of the problem's [`Layout`] is transformed in place. The default
//! order is row after row. Any other array is copied to memory of the call, and back.

use std::borrow::Cow;

use earth_memory::try_filled;
use earth_serial::{Array, elements_are_disjoint};
use ndarray::{ArrayRef, Dimension};
use num_complex::Complex;

use super::{ComplexToRealPlan, Plan, RealToComplexPlan, TransformError};
use crate::Layout;
use crate::precision::Precision;
use crate::problem::{Kind, Problem};

/// Why an array is not transformed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ArrayError {
    /// The array has another shape than the problem.
    #[error("the {array} has the shape {given:?} where {needed:?} is needed")]
    Shape {
        /// The array.
        array: Array,
        /// The length of each of its axes.
        given: Vec<usize>,
        /// The length of each axis of the problem.
        needed: Vec<usize>,
    },
    /// The array must be copied to the plan's layout, in which elements overlap.
    #[error("the {0} cannot be copied to the plan's layout, because elements overlap there")]
    Overlap(Array),
    /// The transform failed.
    #[error(transparent)]
    Transform(#[from] TransformError),
}

impl<T: Precision> Plan<T> {
    /// Transforms an array in place.
    ///
    /// ```
    /// use earth_fft::{Complex, Planner, Problem};
    /// use ndarray::Array2;
    ///
    /// let mut table = Array2::from_elem((3, 4), Complex::from(1.0_f64));
    /// // Its columns: rows of 3, 4 of them.
    /// let plan = Planner::new().plan(&Problem::complex(&[3]).batch(4))?;
    /// plan.process_array(&mut table.view_mut().reversed_axes())?;
    /// assert!((table[[0, 3]] - Complex::from(3.0)).norm() < 1e-12 && table[[2, 3]].norm() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ArrayError`] for another shape, and for each error of [`process`](Self::process).
    pub fn process_array<D: Dimension>(
        &self,
        points: &mut ArrayRef<Complex<T>, D>,
    ) -> Result<(), ArrayError> {
        let [layout, _] = self.problem().layouts();
        let place = Place::of(self.problem(), Array::InPlace, layout, false, points)?;
        place.lend_mut(points, |points| self.process(points))
    }

    /// Transforms from one array to another.
    ///
    /// # Errors
    ///
    /// [`ArrayError`] for another shape, and for each error of
    /// [`process_out_of_place`](Self::process_out_of_place).
    pub fn process_arrays<D: Dimension, E: Dimension>(
        &self,
        input: &ArrayRef<Complex<T>, D>,
        output: &mut ArrayRef<Complex<T>, E>,
    ) -> Result<(), ArrayError> {
        let [from, to] = self.problem().layouts();
        let from = Place::of(self.problem(), Array::Input, from, false, input)?;
        let to = Place::of(self.problem(), Array::Output, to, false, output)?;
        let input = from.lend(input)?;
        to.lend_mut(output, |output| self.process_out_of_place(&input, output))
    }
}

impl<T: Precision> RealToComplexPlan<T> {
    /// Transforms an array of numbers, which is unchanged, into an array of points.
    ///
    /// # Errors
    ///
    /// [`ArrayError`] for another shape, and for each error of [`process`](Self::process).
    pub fn process_arrays<D: Dimension, E: Dimension>(
        &self,
        input: &ArrayRef<T, D>,
        output: &mut ArrayRef<Complex<T>, E>,
    ) -> Result<(), ArrayError> {
        let [from, to] = self.problem().layouts();
        let from = Place::of(self.problem(), Array::Input, from, false, input)?;
        let to = Place::of(self.problem(), Array::Output, to, true, output)?;
        let input = from.lend(input)?;
        to.lend_mut(output, |output| self.process(&input, output))
    }
}

impl<T: Precision> ComplexToRealPlan<T> {
    /// Transforms an array of points into an array of numbers. The contents of the array of points are
    /// unspecified afterwards.
    ///
    /// # Errors
    ///
    /// [`ArrayError`] for another shape, and for each error of [`process`](Self::process).
    pub fn process_arrays<D: Dimension, E: Dimension>(
        &self,
        input: &mut ArrayRef<Complex<T>, D>,
        output: &mut ArrayRef<T, E>,
    ) -> Result<(), ArrayError> {
        let [from, to] = self.problem().layouts();
        let from = Place::of(self.problem(), Array::Input, from, true, input)?;
        let to = Place::of(self.problem(), Array::Output, to, false, output)?;
        from.lend_mut(input, |input| to.lend_mut(output, |output| self.process(input, output)))
    }
}

/// Layout of an array with axes `D` that a plan expects.
struct Place<D> {
    array: Array,
    /// Strides, in elements. The stride of an axis of length one is 1.
    strides: D,
    /// Number of elements from the first to the last, both included.
    span: usize,
}

impl<D: Dimension> Place<D> {
    /// Returns the expected layout of `given`, if it has the problem's shape. The shape is of points or
    /// numbers, or if `half`, of the first half of their spectrum.
    fn of<A>(
        problem: &Problem<impl Kind>,
        array: Array,
        layout: Layout,
        half: bool,
        given: &ArrayRef<A, D>,
    ) -> Result<Self, ArrayError> {
        let batch = problem.shape().batch;
        let mut needed = problem.lengths().to_vec();
        if let Some(last) = needed.last_mut().filter(|_| half) {
            *last = *last / 2 + 1;
        }
        let mut apart = layout.strides;
        if batch != 1 || given.ndim() == needed.len() + 1 {
            needed.insert(0, batch);
            apart.insert(0, layout.distance);
        }
        if given.shape() != needed {
            return Err(ArrayError::Shape { array, given: given.shape().to_vec(), needed });
        }
        let mut strides = D::zeros(needed.len());
        let axes = needed.iter().zip(apart);
        axes.zip(strides.slice_mut())
            .for_each(|((n, apart), stride)| *stride = if *n == 1 { 1 } else { apart });
        // The elements of a plan fit in memory, so products of strides do not overflow.
        let steps = needed.iter().zip(strides.slice());
        let last = steps.map(|(n, stride)| n.checked_sub(1).map(|last| last * stride)).sum::<Option<usize>>();
        Ok(Self { array, strides, span: last.map_or(0, |last| last + 1) })
    }

    /// Returns whether an array of this shape has these strides.
    fn is_of<A>(&self, array: &ArrayRef<A, D>) -> bool {
        let axes = array.shape().iter().zip(array.strides()).zip(self.strides.slice());
        axes.into_iter().all(|((n, found), wanted)| *n == 1 || usize::try_from(*found) == Ok(*wanted))
    }

    /// Returns the elements in the expected layout: the array's own memory, or a copy.
    fn lend<'a, A: Copy>(&self, array: &'a ArrayRef<A, D>) -> Result<Cow<'a, [A]>, ArrayError> {
        match array.as_slice_memory_order().filter(|_| self.is_of(array)) {
            Some(elements) => Ok(Cow::Borrowed(elements)),
            None => self.copy(array).map(Cow::Owned),
        }
    }

    /// Passes the elements in the expected layout to `work`, which changes them.
    fn lend_mut<A: Copy, E: Into<ArrayError>>(
        &self,
        array: &mut ArrayRef<A, D>,
        work: impl FnOnce(&mut [A]) -> Result<(), E>,
    ) -> Result<(), ArrayError> {
        if self.is_of(array)
            && let Some(elements) = array.as_slice_memory_order_mut()
        {
            return work(elements).map_err(Into::into);
        }
        let mut copy = self.copy(array)?;
        work(&mut copy).map_err(Into::into)?;
        let shape = array.raw_dim();
        let (begins, stride) = self.lines(shape.slice());
        for (mut line, begin) in array.rows_mut().into_iter().zip(begins) {
            let elements = copy[begin..].iter().step_by(stride);
            line.iter_mut().zip(elements).for_each(|(to, from)| *to = *from);
        }
        Ok(())
    }

    /// Copies the elements in the expected layout to memory of the call.
    fn copy<A: Copy>(&self, array: &ArrayRef<A, D>) -> Result<Vec<A>, ArrayError> {
        if !elements_are_disjoint(array.shape(), self.strides.slice()) {
            return Err(ArrayError::Overlap(self.array));
        }
        let copy = array.first().map(|first| try_filled(*first, self.span, "a copy of an array"));
        let mut copy = copy.transpose().map_err(TransformError::from)?.unwrap_or_default();
        let (begins, stride) = self.lines(array.shape());
        for (line, begin) in array.rows().into_iter().zip(begins) {
            let elements = copy[begin..].iter_mut().step_by(stride);
            elements.zip(line).for_each(|(to, from)| *to = *from);
        }
        Ok(copy)
    }

    /// Returns the start of each line of the last axis, in the order of [`ArrayRef::rows`], and its stride.
    fn lines(&self, shape: &[usize]) -> (impl Iterator<Item = usize>, usize) {
        let (last, outer) = self.strides.slice().split_last().unwrap_or((&1, &[]));
        let axes = move || shape.iter().zip(outer).rev();
        let lines = axes().map(|(n, _)| n).product::<usize>();
        let begin = move |line| {
            axes().fold((0, line), |(at, line), (n, stride)| (at + line % n * stride, line / n)).0
        };
        ((0..lines).map(begin), *last)
    }
}
