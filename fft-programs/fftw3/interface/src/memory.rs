//! Pointers of C as memory of copies, and memory that programs of C allocate.

use std::ffi::{c_int, c_void};
use std::ops::Range;

use earth_axes::Extent;
use earth_axes::copies::{Source, Target};
use earth_fft::{Complex, Precision};

/// Alignment of allocated memory, in bytes: a cache line, and the widest vector.
const ALIGNMENT: usize = 64;

/// Alignment that `alignment_of` counts by, in bytes.
const COUNTED: usize = 16;

/// An array of C: the addresses of its element with index 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pointers<T> {
    /// Real numbers, or real parts.
    re: *mut T,
    /// Imaginary parts, or null.
    im: *mut T,
    /// Numbers from an element to the next.
    step: usize,
}

impl<T: Precision> Pointers<T> {
    /// Returns an array of real numbers.
    pub fn numbers(numbers: *mut T) -> Self {
        Self { re: numbers, im: std::ptr::null_mut(), step: 1 }
    }

    /// Returns an array of complex points.
    pub fn points(points: *mut Complex<T>) -> Self {
        let re = points.cast::<T>();
        Self { re, im: re.wrapping_add(1), step: 2 }
    }

    /// Returns an array of real and imaginary parts.
    pub fn split(re: *mut T, im: *mut T) -> Self {
        Self { re, im, step: 1 }
    }

    /// Returns the array of parts with its elements `step` numbers apart.
    #[must_use]
    pub fn with_step(self, step: usize) -> Self {
        Self { step, ..self }
    }

    /// Returns whether numbers are missing. Complex points have imaginary parts.
    pub fn are_missing(self, are_points: bool) -> bool {
        self.re.is_null() || are_points && self.im.is_null()
    }

    /// Returns the numbers from an element to the next.
    pub fn step(self) -> usize {
        self.step
    }

    /// Returns whether each imaginary part follows its real part, as in complex points.
    pub fn are_points(self) -> bool {
        self.step == 2 && self.im == self.re.wrapping_add(1)
    }

    /// Returns whether parts alternate, if their strides are even.
    pub fn are_alternating_parts(self) -> bool {
        self.step == 1 && self.im == self.re.wrapping_add(1)
    }

    /// Returns whether another array begins at the same addresses. Only one of them may have imaginary parts.
    pub fn begins_with(self, other: Self) -> bool {
        let is_real = |array: Self| array.im.is_null();
        self.re == other.re && (self.im == other.im || is_real(self) || is_real(other))
    }

    /// Returns whether the addresses are aligned to a number.
    pub fn is_aligned(self) -> bool {
        self.re.is_aligned() && self.im.is_aligned()
    }

    /// Returns the addresses from the first number to the last, of real and of imaginary parts.
    pub fn addresses(self, extent: Extent) -> [Range<usize>; 2] {
        let of = |first: *mut T| {
            if first.is_null() || extent.span == 0 {
                return 0..0;
            }
            let low = first.wrapping_sub(extent.origin * self.step).addr();
            low..low + ((extent.span - 1) * self.step + 1) * size_of::<T>()
        };
        [of(self.re), of(self.im)]
    }

    /// Returns the array as a source and target of copies, whose position 0 is its lowest address.
    pub(crate) fn lowest(self, extent: Extent) -> Raw<T> {
        let back = |first: *mut T| first.wrapping_sub(extent.origin * self.step);
        Raw { re: back(self.re), im: back(self.im), step: self.step }
    }

    /// Returns the lowest number.
    pub(crate) fn lowest_number(self, extent: Extent) -> *mut T {
        self.re.wrapping_sub(extent.origin)
    }

    /// Returns the lowest point of an interleaved array.
    pub(crate) fn lowest_point(self, extent: Extent) -> *mut Complex<T> {
        self.re.cast::<Complex<T>>().wrapping_sub(extent.origin)
    }
}

/// Returns whether two arrays have a common range of addresses.
pub fn overlap(one: &[Range<usize>; 2], other: &[Range<usize>; 2]) -> bool {
    one.iter().any(|one| other.iter().any(|other| one.start < other.end && other.start < one.end))
}

/// An array of C from its lowest addresses, which may be unaligned. Positions are elements of an extent that
/// C promises.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raw<T> {
    re: *mut T,
    im: *mut T,
    step: usize,
}

impl<T: Precision> Source<T> for Raw<T> {
    fn load(&self, at: usize) -> T {
        // SAFETY: promise 2: the position is in the array.
        unsafe { self.re.add(at * self.step).read_unaligned() }
    }

    fn load_run(&self, at: usize, to: &mut [T]) {
        if self.step == 1 {
            // SAFETY: promise 2: the positions are in the array. The slice is memory of the library. Bytes
            // need no alignment.
            unsafe {
                let from = self.re.add(at).cast::<u8>();
                from.copy_to_nonoverlapping(to.as_mut_ptr().cast(), size_of_val(to));
            }
        } else {
            to.iter_mut().enumerate().for_each(|(x, place)| *place = self.load(at + x));
        }
    }
}

impl<T: Precision> Target<T> for Raw<T> {
    fn store(&mut self, at: usize, value: T) {
        // SAFETY: promise 2: the position is in the array.
        unsafe { self.re.add(at * self.step).write_unaligned(value) }
    }

    fn store_run(&mut self, at: usize, values: &[T]) {
        if self.step == 1 {
            // SAFETY: promise 2: the positions are in the array. The slice is memory of the library. Bytes
            // need no alignment.
            unsafe {
                let to = self.re.add(at).cast::<u8>();
                to.copy_from_nonoverlapping(values.as_ptr().cast(), size_of_val(values));
            }
        } else {
            values.iter().enumerate().for_each(|(x, value)| self.store(at + x, *value));
        }
    }
}

impl<T: Precision> Source<Complex<T>> for Raw<T> {
    fn load(&self, at: usize) -> Complex<T> {
        let at = at * self.step;
        // SAFETY: promise 2: the position is in both arrays of parts.
        unsafe { Complex::new(self.re.add(at).read_unaligned(), self.im.add(at).read_unaligned()) }
    }
}

impl<T: Precision> Target<Complex<T>> for Raw<T> {
    fn store(&mut self, at: usize, value: Complex<T>) {
        let at = at * self.step;
        // SAFETY: promise 2: the position is in both arrays of parts.
        unsafe {
            self.re.add(at).write_unaligned(value.re);
            self.im.add(at).write_unaligned(value.im);
        }
    }
}

/// Returns memory for `bytes` bytes, aligned to a cache line, or null.
pub fn allocate(bytes: usize) -> *mut c_void {
    let mut memory = std::ptr::null_mut();
    // SAFETY: `memory` is writable, and the alignment is a power of two and a multiple of a pointer's size.
    let error = unsafe { libc::posix_memalign(&raw mut memory, ALIGNMENT, bytes.max(1)) };
    if error == 0 { memory } else { std::ptr::null_mut() }
}

/// Returns memory for `count` elements of type `E`, or null.
pub fn allocate_elements<E>(count: usize) -> *mut E {
    let bytes = count.checked_mul(size_of::<E>());
    bytes.map_or(std::ptr::null_mut(), |bytes| allocate(bytes).cast())
}

/// Frees memory of `allocate` or of C's `malloc`.
///
/// # Safety
///
/// The memory is null, or was allocated in this way and is not used any more.
pub unsafe fn free(memory: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { libc::free(memory) }
}

/// Returns the address modulo the alignment that vectors of 16 bytes have.
pub fn alignment_of<T>(number: *const T) -> c_int {
    c_int::try_from(number.addr() % COUNTED).unwrap_or_default()
}

/// Returns a copy of a text in memory of C's `malloc`, with a zero at its end, or null.
pub fn string(text: &str) -> *mut libc::c_char {
    let bytes = text.as_bytes();
    // SAFETY: any size may be requested.
    let copy = unsafe { libc::malloc(bytes.len() + 1) }.cast::<u8>();
    if !copy.is_null() {
        // SAFETY: the new memory has room for the text and the zero.
        unsafe {
            copy.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            copy.add(bytes.len()).write(0);
        }
    }
    copy.cast()
}
