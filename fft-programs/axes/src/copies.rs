//! Copies between arrays of other strides.
//!
//! The two innermost loops run along the axis with the smallest stride of the source and the axis with the
//! smallest stride of the target, in squares of 16 elements a side. So each cache line of either array is
//! used whole while it is in the cache, also if the copy transposes.
//!
//! *When it loses.* With three or more axes of similar strides, the squares are small.

use num_complex::Complex;

use crate::axis::{Axis, Places};

/// Side of a square, in elements.
const SIDE: usize = 16;

/// Memory that elements are read from.
pub trait Source<V> {
    /// Returns the element at a position.
    fn load(&self, at: usize) -> V;

    /// Copies the elements from a position on.
    fn load_run(&self, at: usize, to: &mut [V]) {
        to.iter_mut().enumerate().for_each(|(x, place)| *place = self.load(at + x));
    }

    /// Returns `len` elements from a position on, if the memory can be lent as a slice.
    fn slice(&self, _at: usize, _len: usize) -> Option<&[V]> {
        None
    }
}

/// Memory that elements are written to.
pub trait Target<V> {
    /// Replaces the element at a position.
    fn store(&mut self, at: usize, value: V);

    /// Replaces the elements from a position on.
    fn store_run(&mut self, at: usize, values: &[V])
    where
        V: Copy,
    {
        values.iter().enumerate().for_each(|(x, value)| self.store(at + x, *value));
    }

    /// Returns `len` elements from a position on, if the memory can be lent as a slice.
    fn slice(&mut self, _at: usize, _len: usize) -> Option<&mut [V]> {
        None
    }
}

impl<V: Copy> Source<V> for [V] {
    #[inline]
    fn load(&self, at: usize) -> V {
        self[at]
    }

    fn load_run(&self, at: usize, to: &mut [V]) {
        to.copy_from_slice(&self[at..at + to.len()]);
    }

    fn slice(&self, at: usize, len: usize) -> Option<&[V]> {
        self.get(at..at + len)
    }
}

impl<V> Target<V> for [V] {
    #[inline]
    fn store(&mut self, at: usize, value: V) {
        self[at] = value;
    }

    fn store_run(&mut self, at: usize, values: &[V])
    where
        V: Copy,
    {
        self[at..at + values.len()].copy_from_slice(values);
    }

    fn slice(&mut self, at: usize, len: usize) -> Option<&mut [V]> {
        self.get_mut(at..at + len)
    }
}

/// Real and imaginary parts in two slices of the same layout.
impl<T: Copy> Source<Complex<T>> for [&[T]; 2] {
    #[inline]
    fn load(&self, at: usize) -> Complex<T> {
        Complex { re: self[0][at], im: self[1][at] }
    }
}

/// Real and imaginary parts in two slices of the same layout.
impl<T> Target<Complex<T>> for [&mut [T]; 2] {
    #[inline]
    fn store(&mut self, at: usize, Complex { re, im }: Complex<T>) {
        self[0][at] = re;
        self[1][at] = im;
    }
}

/// Copies the elements of an array. `axes` have the strides of the source and of the target, which
/// begin at the positions `from` and `to`.
///
/// # Panics
///
/// If a position is outside the memory.
pub fn copy<V: Copy, S: Source<V> + ?Sized, T: Target<V> + ?Sized>(
    axes: &[Axis],
    source: &S,
    from: usize,
    target: &mut T,
    to: usize,
) {
    let mut axes: Vec<_> = axes.iter().copied().filter(|axis| axis.length != 1).collect();
    // Largest strides first. The last axis has the smallest stride of the target.
    axes.sort_by_key(|axis| std::cmp::Reverse((axis.output.unsigned_abs(), axis.input.unsigned_abs())));
    let inner = axes.pop().unwrap_or(Axis::new(1, 1, 1));
    let least = axes.iter().enumerate().min_by_key(|(_, axis)| axis.input.unsigned_abs()).map(|(at, _)| at);
    let cross = least.map_or(Axis::new(1, 1, 1), |at| axes.remove(at));
    // A run of elements that are adjacent in both arrays is copied without squares.
    let [wide, high] =
        if inner.input.unsigned_abs() <= cross.input.unsigned_abs() { [inner.length, 1] } else { [SIDE; 2] };
    let is_run = high == 1 && (inner.input, inner.output) == (1, 1);
    let at = |start: usize, [x, y]: [usize; 2], [inner, cross]: [isize; 2]| {
        start.wrapping_add_signed(x.cast_signed() * inner + y.cast_signed() * cross)
    };
    for [source_at, target_at] in Places::new(&axes) {
        let [from, to] = [from.wrapping_add_signed(source_at), to.wrapping_add_signed(target_at)];
        for top in (0..cross.length).step_by(high.max(1)) {
            for left in (0..inner.length).step_by(wide.max(1)) {
                for y in top..cross.length.min(top + high) {
                    if is_run {
                        let (from, to) =
                            (at(from, [0, y], [1, cross.input]), at(to, [0, y], [1, cross.output]));
                        copy_run(source, from, target, to, inner.length);
                        continue;
                    }
                    for x in left..inner.length.min(left + wide) {
                        let value = source.load(at(from, [x, y], [inner.input, cross.input]));
                        target.store(at(to, [x, y], [inner.output, cross.output]), value);
                    }
                }
            }
        }
    }
}

/// Copies elements that are adjacent in both arrays. Packed memory is a slice, so one array usually is.
fn copy_run<V: Copy, S: Source<V> + ?Sized, T: Target<V> + ?Sized>(
    source: &S,
    from: usize,
    target: &mut T,
    to: usize,
    len: usize,
) {
    if let Some(to) = target.slice(to, len) {
        source.load_run(from, to);
    } else if let Some(values) = source.slice(from, len) {
        target.store_run(to, values);
    } else {
        (0..len).for_each(|x| target.store(to + x, source.load(from + x)));
    }
}
