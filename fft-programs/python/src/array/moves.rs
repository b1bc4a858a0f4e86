//! Copies of views, and factors of their elements.

use earth_axes::Axis;
use earth_axes::copies;
use earth_fft::{Complex, Precision};
use pyo3::prelude::*;

use crate::array::View;
use crate::array::dtype::Dtype;

/// Copies a view to another of equal lengths and dtype.
///
/// # Safety
///
/// Both arrays are alive. The target is writeable, does not meet the source, and no other Rust code uses it
/// during the call.
pub(crate) unsafe fn copy(py: Python<'_>, source: &View, target: &View) {
    if source.is_empty() {
        return;
    }
    let strides = source.strides().iter().zip(target.strides());
    let each = source.lengths().iter().zip(strides);
    let axes: Vec<_> =
        each.map(|(length, (from, to))| Axis::new(length.cast_unsigned(), *from, *to)).collect();
    let (source, target) = (source.clone(), target.clone());
    // SAFETY: the caller's promises, and the type of the elements is the dtype of both views.
    py.detach(move || unsafe {
        match source.dtype() {
            Dtype::Float32 => copy_elements::<f32>(&axes, &source, &target),
            Dtype::Float64 => copy_elements::<f64>(&axes, &source, &target),
            Dtype::Complex64 => copy_elements::<Complex<f32>>(&axes, &source, &target),
            Dtype::Complex128 => copy_elements::<Complex<f64>>(&axes, &source, &target),
        }
    });
}

/// # Safety
///
/// See [`copy`]. `V` is the type of the elements of both views.
unsafe fn copy_elements<V: Copy>(axes: &[Axis], source: &View, target: &View) {
    // SAFETY: the caller's promises.
    let (from, to) = unsafe { (source.elements::<V>(), target.elements_mut::<V>()) };
    copies::copy(axes, from, source.origin(), to, target.origin());
}

/// Factors of an array of real numbers: of all numbers, and of the numbers at one index of an axis.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factors {
    pub(crate) all: Option<f64>,
    /// Axes, indices and their factors.
    pub(crate) at: Vec<(usize, isize, f64)>,
}

impl Factors {
    /// Multiplies the numbers of a contiguous array of real numbers.
    ///
    /// # Safety
    ///
    /// The array is alive and writeable, and no other Rust code uses it during the call.
    pub(crate) unsafe fn multiply(&self, py: Python<'_>, view: &View) {
        if self.all.is_none() && self.at.is_empty() {
            return;
        }
        let view = view.clone();
        // SAFETY: the caller's promises, and the type of the elements is the dtype of the view.
        py.detach(move || unsafe {
            if view.dtype().is_double() {
                self.apply(view.elements_mut::<f64>(), &view);
            } else {
                self.apply(view.elements_mut::<f32>(), &view);
            }
        });
    }

    fn apply<T: Precision>(&self, numbers: &mut [T], view: &View) {
        if let Some(factor) = self.all {
            let factor = T::of(factor);
            for number in &mut *numbers {
                *number *= factor;
            }
        }
        for (axis, index, factor) in &self.at {
            let (length, stride) =
                (view.lengths()[*axis].cast_unsigned(), view.strides()[*axis].cast_unsigned());
            let factor = T::of(*factor);
            // In a contiguous array, the numbers at an index are runs as long as the stride.
            for block in numbers.chunks_exact_mut(length * stride) {
                let run = &mut block[index.cast_unsigned() * stride..][..stride];
                for number in run {
                    *number *= factor;
                }
            }
        }
    }
}
