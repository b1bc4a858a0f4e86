//! NumPy arrays: the only file that reads and writes their memory.
//!
//! An [`Array`] is an `ndarray` of one of four dtypes, aligned, in the machine's byte order, whose strides
//! are whole elements. Every other array is converted to one. A [`View`] is the memory of an array or of its
//! first elements along each axis.
//!
//! *Threads.* Other Python threads may write to an array while the interpreter is detached. The numbers of
//! the result are then unspecified, as with NumPy's own functions.

pub(crate) mod dtype;
pub(crate) mod mirror;
pub(crate) mod moves;

use std::slice::{from_raw_parts, from_raw_parts_mut};

use earth_axes::Extent;
use numpy::npyffi::{
    NPY_ARRAY_ALIGNED, NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_F_CONTIGUOUS, NPY_ARRAY_WRITEABLE, NPY_ORDER,
    PY_ARRAY_API, PyArray_Check, PyArrayObject, PyArrayObject_fields,
};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use smallvec::SmallVec;

use crate::errors::value_error;
use dtype::Dtype;

/// Lengths, strides or axes of an array. Up to this many axes, a list needs no allocation.
pub(crate) type List = SmallVec<[isize; 6]>;

/// An aligned `ndarray` in the machine's byte order, whose strides are whole elements.
#[derive(Clone, Debug)]
pub(crate) struct Array<'py> {
    object: Bound<'py, PyAny>,
    dtype: Dtype,
}

/// Returns the fields of an `ndarray`, or `None` for other objects.
fn fields<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a PyArrayObject_fields> {
    // SAFETY: the interpreter is attached, as `object` proves.
    let is_array = unsafe { PyArray_Check(object.py(), object.as_ptr()) } != 0;
    // SAFETY: the object is an `ndarray`, so it begins with these fields, and it outlives the reference.
    is_array.then(|| unsafe { &(*object.as_ptr().cast::<PyArrayObject>()).fields })
}

/// Finds the functions of NumPy, which takes 0.15 ms, with any object.
pub(crate) fn warm_up(object: &Bound<'_, PyAny>) {
    let _ = fields(object);
}

/// Returns the type number of the elements, and whether they are in the machine's byte order.
fn descriptor(fields: &PyArrayObject_fields) -> (i32, bool) {
    // SAFETY: an `ndarray` has a descriptor. Its first fields are equal in all versions of NumPy.
    let descriptor = unsafe { &*numpy::npyffi::_PyDataType_GET_ITEM_DATA(fields.descr) };
    let foreign = if cfg!(target_endian = "little") { b'>' } else { b'<' };
    (descriptor.type_num, descriptor.byteorder.cast_unsigned() != foreign)
}

/// Returns the lengths and the strides, in bytes.
fn lists(fields: &PyArrayObject_fields) -> [&[isize]; 2] {
    let rank = usize::try_from(fields.nd).unwrap_or(0);
    if rank == 0 {
        return [&[], &[]];
    }
    // SAFETY: both pointers have a number for each axis, and live as long as the array.
    unsafe { [from_raw_parts(fields.dimensions, rank), from_raw_parts(fields.strides, rank)] }
}

/// Returns whether an object is an array of another library than NumPy, as the array API standard defines it.
pub(crate) fn is_foreign(object: &Bound<'_, PyAny>) -> bool {
    let py = object.py();
    fields(object).is_none()
        && object.hasattr(intern!(py, "__array_namespace__")).unwrap_or(false)
        && !object.get_type().module().is_ok_and(|module| module == "numpy")
}

impl<'py> Array<'py> {
    /// Returns the object if it needs no conversion.
    pub(crate) fn exact(object: &Bound<'py, PyAny>) -> Option<Self> {
        let fields = fields(object)?;
        let (number, is_native) = descriptor(fields);
        let dtype = Dtype::of(number).filter(|_| is_native && fields.flags & NPY_ARRAY_ALIGNED != 0)?;
        let whole = |stride: &isize| stride % dtype.size().cast_signed() == 0;
        lists(fields)[1].iter().all(whole).then(|| Self { object: object.clone(), dtype })
    }

    /// Returns any object as an array of a dtype that the library transforms, and whether it is a new copy.
    ///
    /// # Errors
    ///
    /// [`Unsupported`] for longdouble, and NumPy's errors for objects that are not numbers.
    pub(crate) fn of(object: &Bound<'py, PyAny>) -> PyResult<(Self, bool)> {
        if let Some(array) = Self::exact(object) {
            return Ok((array, false));
        }
        let py = object.py();
        let object = if fields(object).is_some() {
            object.clone()
        } else {
            let none = std::ptr::null_mut();
            // SAFETY: the interpreter is attached. The function returns a new reference or an error.
            let array = unsafe {
                let array = PY_ARRAY_API.PyArray_FromAny(py, object.as_ptr(), none, 0, 0, 0, none.cast());
                Bound::from_owned_ptr_or_err(py, array)
            };
            array?
        };
        if let Some(array) = Self::exact(&object) {
            // An object with the buffer protocol or `__array__` may share its memory with the array.
            return Ok((array, false));
        }
        let Some(found) = fields(&object) else {
            return Err(PyTypeError::new_err("x must be an array of numbers"));
        };
        let dtype = Dtype::after_conversion(descriptor(found).0)?;
        Ok((Self { object, dtype }.converted(dtype)?, true))
    }

    /// Returns a copy with this dtype and the same order of axes.
    pub(crate) fn converted(&self, dtype: Dtype) -> PyResult<Self> {
        let py = self.object.py();
        let source = self.object.as_ptr().cast::<PyArrayObject>();
        // SAFETY: the interpreter is attached, and `source` is an `ndarray`. `PyArray_NewLikeArray` takes the
        // reference to the descriptor and returns a new one to an `ndarray`.
        let object = unsafe {
            let descriptor = PY_ARRAY_API.PyArray_DescrFromType(py, dtype.number());
            let order = NPY_ORDER::NPY_KEEPORDER;
            let copy = PY_ARRAY_API.PyArray_NewLikeArray(py, source, order, descriptor, 0);
            Bound::from_owned_ptr_or_err(py, copy)?
        };
        let copy = Self { object, dtype };
        copy.assign(self)?;
        Ok(copy)
    }

    /// Returns a new array of these lengths.
    ///
    /// # Errors
    ///
    /// `MemoryError`, and `ValueError` for arrays that are larger than the address space.
    pub(crate) fn new(py: Python<'py>, lengths: &[isize], dtype: Dtype, fill: Fill) -> PyResult<Self> {
        let dimensions = lengths.as_ptr().cast_mut();
        // NumPy refuses more axes than it has, and this module makes no array of more axes than its input.
        let rank = i32::try_from(lengths.len()).unwrap_or(i32::MAX);
        let order = i32::from(fill == Fill::EmptyFortran);
        // SAFETY: the interpreter is attached. NumPy reads `rank` lengths, takes the reference to the
        // descriptor, and returns a new reference or an error.
        let object = unsafe {
            let descriptor = PY_ARRAY_API.PyArray_DescrFromType(py, dtype.number());
            let array = match fill {
                Fill::Zeros => PY_ARRAY_API.PyArray_Zeros(py, rank, dimensions, descriptor, order),
                Fill::Empty | Fill::EmptyFortran => {
                    PY_ARRAY_API.PyArray_Empty(py, rank, dimensions, descriptor, order)
                }
            };
            Bound::from_owned_ptr_or_err(py, array)?
        };
        Ok(Self { object, dtype })
    }

    /// Returns an array that results are written to.
    ///
    /// # Errors
    ///
    /// `TypeError` for other objects and dtypes, `ValueError` for other shapes and for arrays that cannot be
    /// written to.
    pub(crate) fn output(object: &Bound<'py, PyAny>, lengths: &[isize], dtype: Dtype) -> PyResult<Self> {
        let Some(array) = Self::exact(object).filter(|array| array.dtype == dtype) else {
            let text =
                format!("out must be an aligned ndarray of dtype {} in native byte order", dtype.name());
            return Err(PyTypeError::new_err(text));
        };
        if array.lengths() != lengths {
            let (given, needed) = (Shape(array.lengths()), Shape(lengths));
            return Err(value_error(format!("out has the shape {given} where {needed} is needed")));
        }
        if !array.is_writeable() {
            return Err(value_error("out is read-only"));
        }
        Ok(array)
    }

    /// Copies the elements of an array of equal lengths and dtype.
    ///
    /// # Errors
    ///
    /// NumPy's.
    pub(crate) fn assign(&self, source: &Self) -> PyResult<()> {
        let py = self.py();
        let [target, source] = [self, source].map(|array| array.object.as_ptr().cast::<PyArrayObject>());
        // SAFETY: the interpreter is attached, and both are `ndarray`s of equal shape.
        match unsafe { PY_ARRAY_API.PyArray_CopyInto(py, target, source) } {
            0.. => Ok(()),
            _ => Err(PyErr::fetch(py)),
        }
    }

    pub(crate) fn py(&self) -> Python<'py> {
        self.object.py()
    }

    fn fields(&self) -> &PyArrayObject_fields {
        // SAFETY: every constructor makes sure that the object is an `ndarray`.
        unsafe { &(*self.object.as_ptr().cast::<PyArrayObject>()).fields }
    }

    pub(crate) fn dtype(&self) -> Dtype {
        self.dtype
    }

    pub(crate) fn lengths(&self) -> &[isize] {
        lists(self.fields())[0]
    }

    pub(crate) fn into_object(self) -> Bound<'py, PyAny> {
        self.object
    }

    pub(crate) fn is_writeable(&self) -> bool {
        self.fields().flags & NPY_ARRAY_WRITEABLE != 0
    }

    pub(crate) fn is_c_contiguous(&self) -> bool {
        self.fields().flags & NPY_ARRAY_C_CONTIGUOUS != 0
    }

    pub(crate) fn is_f_contiguous(&self) -> bool {
        self.fields().flags & NPY_ARRAY_F_CONTIGUOUS != 0
    }

    /// Returns the memory of the array.
    pub(crate) fn view(&self) -> View {
        let fields = self.fields();
        let [lengths, strides] = lists(fields);
        let size = self.dtype.size().cast_signed();
        View {
            data: fields.data.cast(),
            dtype: self.dtype,
            lengths: lengths.into(),
            strides: strides.iter().map(|stride| stride / size).collect(),
        }
    }
}

/// The contents and the order of a new array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fill {
    Zeros,
    Empty,
    EmptyFortran,
}

/// A shape as Python writes it.
#[derive(Debug)]
pub(crate) struct Shape<'a>(pub(crate) &'a [isize]);

impl std::fmt::Display for Shape<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lengths: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        write!(f, "({}{})", lengths.join(", "), if lengths.len() == 1 { "," } else { "" })
    }
}

/// The memory of an array, or of its first elements along each axis.
///
/// The maker of a view keeps its array alive until the last use of the view's memory.
#[derive(Clone, Debug)]
pub(crate) struct View {
    data: *mut u8,
    dtype: Dtype,
    lengths: List,
    /// Strides in elements.
    strides: List,
}

// SAFETY: a view is a pointer with lengths. The unsafe functions that use the pointer have the conditions.
unsafe impl Send for View {}

impl View {
    pub(crate) fn dtype(&self) -> Dtype {
        self.dtype
    }

    pub(crate) fn lengths(&self) -> &[isize] {
        &self.lengths
    }

    pub(crate) fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Returns the first elements along each axis.
    ///
    /// # Panics
    ///
    /// If the array has fewer.
    pub(crate) fn cropped(mut self, lengths: &[isize]) -> Self {
        assert!(self.lengths.iter().zip(lengths).all(|(have, want)| want <= have), "a crop does not grow");
        self.lengths = lengths.into();
        self
    }

    /// Returns complex numbers as pairs of real numbers along one more axis, the last.
    pub(crate) fn pairs(mut self) -> Self {
        if self.dtype.is_complex() {
            self.dtype = self.dtype.real();
            self.strides.iter_mut().for_each(|stride| *stride *= 2);
            self.lengths.push(2);
            self.strides.push(1);
        }
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lengths.contains(&0)
    }

    pub(crate) fn count(&self) -> usize {
        self.lengths.iter().product::<isize>().cast_unsigned()
    }

    /// Returns the addresses from the first byte to behind the last one.
    fn addresses(&self) -> std::ops::Range<usize> {
        let Extent { origin, span } = self.extent();
        let first = self.data.addr() - origin * self.dtype.size();
        first..first + span * self.dtype.size()
    }

    fn extent(&self) -> Extent {
        let axes = self.lengths.iter().map(|length| length.cast_unsigned()).zip(self.strides.iter().copied());
        // The array exists, so it fits into the address space.
        Extent::of(axes).unwrap_or_default()
    }

    /// Returns whether both begin at the same address with the same strides.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.data == other.data && self.lengths == other.lengths && self.strides == other.strides
    }

    /// Returns whether the views may have an address in common.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.addresses(), other.addresses());
        ours.start < theirs.end && theirs.start < ours.end
    }

    /// Returns the elements from the lowest address to the highest, after the extent of an array.
    ///
    /// # Safety
    ///
    /// The array is alive, and Rust code does not write to it during `'a`. `T` is the type of the elements.
    pub(crate) unsafe fn elements<'a, T>(&self) -> &'a [T] {
        let Extent { origin, span } = self.extent();
        if span == 0 {
            return &[];
        }
        // SAFETY: the array has the elements of its extent, in one allocation. They are aligned, as every
        // constructor of `Array` makes sure. NumPy's allocator is foreign, so fresh bytes have some value.
        unsafe { from_raw_parts(self.data.sub(origin * self.dtype.size()).cast(), span) }
    }

    /// As [`elements`](Self::elements), to write to.
    ///
    /// # Safety
    ///
    /// The array is alive and writeable, and no other Rust code reads or writes it during `'a`. `T` is the
    /// type of the elements.
    pub(crate) unsafe fn elements_mut<'a, T>(&self) -> &'a mut [T] {
        let Extent { origin, span } = self.extent();
        if span == 0 {
            return &mut [];
        }
        // SAFETY: see `elements`. The caller promises that the memory is not used otherwise.
        unsafe { from_raw_parts_mut(self.data.sub(origin * self.dtype.size()).cast(), span) }
    }

    /// Returns the position of the first element in the slices.
    pub(crate) fn origin(&self) -> usize {
        self.extent().origin
    }
}
