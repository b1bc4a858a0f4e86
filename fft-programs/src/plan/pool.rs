//! A pool of scratch buffers. It grows to the largest number of concurrent borrowers.

use earth_kernels::Real;
use earth_memory::{NoMemory, in_large_pages, try_room};
use earth_signal::ProcessLock;
use num_complex::Complex;
use parking_lot::Mutex;

/// Scratch buffers of one length. The first one stays locked while it is borrowed, so a single caller pays
/// for one lock. The list has the free buffers of concurrent callers.
#[derive(Debug)]
pub(super) struct Pool<T: Real> {
    first: Mutex<Vec<Complex<T>>>,
    others: ProcessLock<Vec<Vec<Complex<T>>>>,
}

impl<T: Real> Default for Pool<T> {
    fn default() -> Self {
        Self { first: Mutex::new(Vec::new()), others: ProcessLock::default() }
    }
}

impl<T: Real> Pool<T> {
    /// Lends a scratch of `len` points, the same length in all calls, to `work`. A scratch without points
    /// costs no lock.
    ///
    /// # Errors
    ///
    /// [`NoMemory`] if a new scratch is needed and memory is short.
    #[inline]
    pub(super) fn lend<R>(
        &self,
        len: usize,
        work: impl FnOnce(&mut [Complex<T>]) -> R,
    ) -> Result<R, NoMemory> {
        if len == 0 {
            return Ok(work(&mut []));
        }
        if let Some(mut first) = self.first.try_lock() {
            if first.is_empty() {
                *first = zeros(len)?;
            }
            return Ok(work(&mut first));
        }
        let free = self.others.lock().and_then(|mut others| others.pop());
        let mut scratch = free.map_or_else(|| zeros(len), Ok)?;
        let result = work(&mut scratch);
        if let Some(mut others) = self.others.lock() {
            others.push(scratch);
        }
        Ok(result)
    }
}

/// Returns `len` zeros, in large pages if they are many.
fn zeros<T: Real>(len: usize) -> Result<Vec<Complex<T>>, NoMemory> {
    let mut points = try_room(len, "scratch")?;
    in_large_pages(points.spare_capacity_mut());
    points.resize(len, T::zero().into());
    Ok(points)
}
