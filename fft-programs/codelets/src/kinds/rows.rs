//! Rows as a [`RowKernel`]: the choice of a method, and the checks before memory is accessed.
//!
//! 1. *Autosort* for short rows, where [it pays](crate::kinds::autosort::sorts).
//! 2. *Split* in two lengths, if a row is far larger than the L2 cache and has two factors that fill the
//!    lanes.
//! 3. *Within* a row, if the number of lanes divides its length. The vectors are AVX-512 vectors. In single
//!    precision, and where only fewer lanes divide the length, they are half vectors of AVX-512, or vectors
//!    of AVX2.
//! 4. *Split*, if a shorter row has two such factors.
//! 5. *In batches*, where a single row leaves lanes empty.
//!
//! The method depends on the length alone, so the result of a row is bitwise independent of the other rows of
//! the call.

use earth_kernels::{Caches, Direction, RowKernel, count_rows, near_square};
use num_complex::Complex;

use crate::counting::operations::Operations;
use crate::isa::{Isa, Lane};
use crate::kinds::autosort::{Autosort, sorts};
use crate::kinds::batch::Batch;
use crate::kinds::split::Split;
use crate::kinds::within::Within;
use crate::scratch::{aligned, aligned_points};
use crate::tables::radices::radices;

/// Plan of rows of one length.
pub(crate) struct Rows<T> {
    len: usize,
    isa: Isa,
    way: Method<T>,
    /// Minimum scratch, in numbers.
    numbers: usize,
}

enum Method<T> {
    Autosort(Autosort<T>),
    Within(Within<T>),
    Batch(Batch<T>),
    Split(Box<Split<T>>),
}

impl<T: Lane> Rows<T> {
    /// Plans rows. Returns `None` if a prime factor of their length has no butterfly.
    pub(crate) fn plan(isa: Isa, len: usize) -> Option<Self> {
        let all = radices(len)?;
        let autosort = |isa| Some((isa, Autosort::plan(isa, len)?));
        if let Some((isa, autosort)) = sorts(isa, len, size_of::<T>()).and_then(autosort) {
            return Some(Self { len, isa, numbers: autosort.scratch(), way: Method::Autosort(autosort) });
        }
        let lanes = isa.lanes::<T>();
        let matrix = || near_square(len, lanes, lanes / 2);
        // With 1 MiB of L2 cache, rows of 4 MiB took 0.7 times as long within as when split, and rows of
        // 16 MiB 1.7 times as long (measured with AVX-512).
        let long = Caches::is_past_second(len * 2 * size_of::<T>()) && matrix().is_some();
        let divides = |isa: &Isa| !long && len.is_multiple_of(isa.lanes::<T>());
        if let Some((isa, radices)) = isa
            .for_rows::<T>()
            .into_iter()
            .find(divides)
            .and_then(|isa| Some((isa, radices(len / isa.lanes::<T>())?)))
        {
            let within = Within::new(isa, &radices);
            return Some(Self { len, isa, numbers: within.scratch(), way: Method::Within(within) });
        }
        let (numbers, way) = if let Some([a, b]) = matrix() {
            let split = Split::new(isa, &radices(a)?, &radices(b)?);
            (split.scratch(), Method::Split(Box::new(split)))
        } else {
            let batch = Batch::new(isa, &all);
            (batch.scratch(), Method::Batch(batch))
        };
        Some(Self { len, isa, way, numbers })
    }

    /// Plans rows that are split, whatever their length. Returns `None` if a prime factor has no butterfly,
    /// or if the length has no two factors.
    pub(crate) fn plan_split(isa: Isa, len: usize) -> Option<Self> {
        let [a, b] = near_square(len, isa.lanes::<T>(), 2)?;
        let split = Split::new(isa, &radices(a)?, &radices(b)?);
        Some(Self { len, isa, numbers: split.scratch(), way: Method::Split(Box::new(split)) })
    }

    /// Counts the operations for `rows` rows.
    pub(crate) fn operations(&self, rows: usize) -> Operations {
        match &self.way {
            Method::Autosort(autosort) => autosort.operations() * rows,
            Method::Within(within) => within.operations() * rows,
            Method::Split(split) => split.operations() * rows,
            Method::Batch(batch) => batch.operations(rows),
        }
    }

    /// Transforms `rows` rows that begin `apart` points apart, in place or out of place.
    ///
    /// # Safety
    ///
    /// The rows may be read and written.
    unsafe fn run(
        &self,
        from: *const Complex<T>,
        to: *mut Complex<T>,
        apart: usize,
        rows: usize,
        scratch: &mut [Complex<T>],
        direction: Direction,
    ) {
        let scratch = aligned(scratch, self.numbers);
        let (from, to, apart) = (from.cast::<T>(), to.cast::<T>(), 2 * apart);
        // SAFETY: the caller guarantees this for each row; a point is two numbers. The scratch has the length
        // of the plan.
        unsafe {
            match &self.way {
                Method::Within(within) => {
                    for row in 0..rows {
                        within.run(from.add(row * apart), to.add(row * apart), scratch, direction);
                    }
                }
                Method::Split(split) => {
                    for row in 0..rows {
                        split.run(from.add(row * apart), to.add(row * apart), scratch, direction);
                    }
                }
                Method::Autosort(autosort) => autosort.run(from, to, apart, rows, scratch, direction),
                Method::Batch(batch) => batch.run(from, to, apart, rows, scratch, direction),
            }
        }
    }
}

impl<T: Lane> RowKernel<T> for Rows<T> {
    fn name(&self) -> &'static str {
        self.isa.kernel()
    }

    fn len(&self) -> usize {
        self.len
    }

    fn wants_many(&self) -> bool {
        match &self.way {
            Method::Autosort(autosort) => autosort.wants_many(),
            Method::Batch(_) => true,
            Method::Within(_) | Method::Split(_) => false,
        }
    }

    fn scratch_len(&self) -> usize {
        aligned_points::<T>(self.numbers)
    }

    fn prepare(&self, direction: Direction) {
        match &self.way {
            Method::Autosort(autosort) => autosort.prepare(direction),
            Method::Within(within) => within.prepare(direction),
            Method::Batch(batch) => batch.prepare(direction),
            Method::Split(split) => split.prepare(direction),
        }
    }

    fn transform(&self, direction: Direction, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        self.transform_spaced(direction, rows, self.len, scratch);
    }

    fn transform_spaced(
        &self,
        direction: Direction,
        rows: &mut [Complex<T>],
        distance: usize,
        scratch: &mut [Complex<T>],
    ) {
        let count = if rows.len() == self.len { 1 } else { count_rows(rows.len(), self.len, distance) };
        let begin = rows.as_mut_ptr();
        // SAFETY: `count` rows are in the slice.
        unsafe { self.run(begin, begin, distance, count, scratch, direction) }
    }

    fn transform_into(
        &self,
        direction: Direction,
        from: &[Complex<T>],
        to: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
    ) {
        assert_eq!(from.len(), to.len(), "the output slice has another length than the input slice");
        let count = count_rows(from.len(), self.len, self.len);
        // SAFETY: `count` rows are in both slices.
        unsafe { self.run(from.as_ptr(), to.as_mut_ptr(), self.len, count, scratch, direction) }
    }
}
