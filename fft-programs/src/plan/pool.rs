//! A pool of scratches: as many as were ever lent at once.

use earth_kernels::Real;
use num_complex::Complex;
use parking_lot::Mutex;

/// Scratches of one length that are not lent.
#[derive(Debug)]
pub(super) struct Pool<T: Real>(Mutex<Vec<Vec<Complex<T>>>>);

impl<T: Real> Default for Pool<T> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

impl<T: Real> Pool<T> {
    /// Lends a scratch of `len` points, which is the same in all calls, to `work`. One without points costs nothing.
    pub(super) fn lend<R>(&self, len: usize, work: impl FnOnce(&mut [Complex<T>]) -> R) -> R {
        if len == 0 {
            return work(&mut []);
        }
        let free = self.0.lock().pop();
        let mut scratch = free.unwrap_or_else(|| vec![T::zero().into(); len]);
        let result = work(&mut scratch);
        self.0.lock().push(scratch);
        result
    }
}
