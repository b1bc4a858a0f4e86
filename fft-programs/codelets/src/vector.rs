//! Vectors of real numbers, one number per lane, and vectors of complex points, one point per lane.
//!
//! A [`Vector`] is a register of a vector instruction set. All kernels are generic over it, so they are
//! written once for every width, precision and instruction set. A [`Points`] has the real parts of one point
//! per lane in one vector and their imaginary parts in another. So an operation on complex numbers is a few
//! operations on vectors, equal in every lane, without shuffles.
//!
//! *Lane order* does not matter where all lanes do the same. Contiguous points are deinterleaved in the order
//! that costs one instruction per vector, and interleaved from it. This order is the same for all vectors of
//! a type. Only operations across lanes depend on it.
//!
//! *Available instructions* are detected at run time ([`Isa`](crate::Isa)). A vector comes from memory or
//! from another vector, and only the loads are unsafe. So code that has a vector runs where its instructions
//! exist, and all operations on vectors are safe.

mod complexes;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use complexes::{Complexes, Pairs};
pub(crate) use portable::Array;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{F32x8, F32x16, F64x4, F64x8};

use earth_kernels::Real;

/// Vector of real numbers.
pub(crate) trait Vector: Copy {
    /// Type of the number in a lane.
    type Real: Real;
    /// Selection of the first lanes.
    type Mask: Copy;
    /// Number of lanes, a power of two.
    const LANES: usize;

    /// Loads one number into all lanes.
    ///
    /// # Safety
    ///
    /// The machine has the instructions of this vector, and `from` may be read.
    unsafe fn broadcast(from: *const Self::Real) -> Self;

    /// Loads one number into each lane.
    ///
    /// # Safety
    ///
    /// The machine has the instructions of this vector, and all numbers may be read.
    unsafe fn load(from: *const Self::Real) -> Self;

    /// Stores all lanes past the caches (a non-temporal store), if there is such an instruction. Other
    /// threads see the numbers only after a [`fence`].
    ///
    /// # Safety
    ///
    /// All numbers may be written, and `to` is aligned to the size of a vector. This thread calls [`fence`]
    /// before it or another thread uses the numbers.
    unsafe fn store_non_temporal(self, to: *mut Self::Real);

    /// Returns the mask of the first `count` lanes, or of all lanes if there are fewer.
    ///
    /// # Safety
    ///
    /// The machine has the instructions of this vector.
    unsafe fn mask(count: usize) -> Self::Mask;

    /// Loads the numbers of the masked lanes, and zeros for the other lanes.
    ///
    /// # Safety
    ///
    /// The machine has the instructions of this vector, and the numbers of these lanes may be read.
    unsafe fn load_masked(from: *const Self::Real, mask: Self::Mask) -> Self;

    /// Stores all lanes.
    ///
    /// # Safety
    ///
    /// All numbers may be written.
    unsafe fn store(self, to: *mut Self::Real);

    /// Stores the masked lanes.
    ///
    /// # Safety
    ///
    /// The numbers of these lanes may be written.
    unsafe fn store_masked(self, to: *mut Self::Real, mask: Self::Mask);

    /// Returns `x` in all lanes; the contents of `self` are ignored.
    fn constant(self, x: f64) -> Self;

    /// Returns `-x` in the even lanes and `x` in the odd lanes; the contents of `self` are ignored.
    fn alternating(self, x: f64) -> Self;

    /// Computes `self + o`.
    fn add(self, o: Self) -> Self;

    /// Computes `self - o`.
    fn sub(self, o: Self) -> Self;

    /// Computes `self * o`.
    fn mul(self, o: Self) -> Self;

    /// Computes `self * b + c`, rounded once if there is such an instruction.
    fn mul_add(self, b: Self, c: Self) -> Self;

    /// Computes `self * b - c`, rounded once if there is such an instruction.
    fn mul_sub(self, b: Self, c: Self) -> Self;

    /// Computes `c - self * b`, rounded once if there is such an instruction.
    fn neg_mul_add(self, b: Self, c: Self) -> Self;

    /// Returns the index of the point in a lane after [`split`](Self::split). The order needs the fewest
    /// instructions.
    fn order(lane: usize) -> usize;

    /// Deinterleaves contiguous points, half of them in `self` and half in `o`, into real and imaginary
    /// parts, in lane [`order`](Self::order).
    fn split(self, o: Self) -> (Self, Self);

    /// Reverses [`split`](Self::split): `self` has real parts and `im` imaginary parts.
    fn join(self, im: Self) -> (Self, Self);

    /// Exchanges the numbers of lanes 0 and 1, 2 and 3, and so on.
    fn swap(self) -> Self;

    /// Copies the number of each even lane to the next lane.
    fn evens(self) -> Self;

    /// Copies the number of each odd lane to the lane before.
    fn odds(self) -> Self;

    /// Computes `self * b - c` in the even lanes and `self * b + c` in the odd lanes, each rounded once if
    /// there is such an instruction.
    fn mul_sub_add(self, b: Self, c: Self) -> Self;

    /// Transposes vectors of pairs of numbers: pair `j` of vector `i` becomes pair `i` of vector `j`.
    ///
    /// # Panics
    ///
    /// If `W` is not half of the number of lanes.
    fn transpose_pairs<const W: usize>(rows: [Self; W]) -> [Self; W];

    /// Reverses the lanes, which also reverses points in lane [`order`](Self::order).
    fn reverse(self) -> Self;

    /// Transposes vectors: lane `j` of vector `i` becomes lane `i` of vector `j`.
    ///
    /// # Panics
    ///
    /// If `L` is not the number of lanes.
    fn transpose<const L: usize>(rows: [Self; L]) -> [Self; L];
}

/// Prefetches the cache line of an address into the L1 cache. The function has no effect on other
/// architectures than x86-64.
#[inline(always)]
pub(crate) fn prefetch<T>(address: *const T) {
    // SAFETY: a prefetch accesses no memory as seen by the program, for any address.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Prefetches the cache line of an address into the L2 cache. The function has no effect on other
/// architectures than x86-64.
#[inline(always)]
pub(crate) fn prefetch_to_second<T>(address: *const T) {
    // SAFETY: a prefetch accesses no memory as seen by the program, for any address.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T1 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Orders this thread's earlier [stores past the caches](Vector::store_non_temporal) before its later stores,
/// for all threads.
#[inline(always)]
pub(crate) fn fence() {
    // SAFETY: every x86-64 has the instruction, which reads and writes no memory.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Vector of complex points, one per lane.
#[derive(Clone, Copy)]
pub(crate) struct Points<V> {
    pub(crate) re: V,
    pub(crate) im: V,
}

/// Two masks for the numbers of some contiguous points, with alternating real and imaginary parts.
#[derive(Clone, Copy)]
pub(crate) struct PointsMask<V: Vector>(V::Mask, V::Mask);

impl<V: Vector> PointsMask<V> {
    /// Creates the masks of the first `count` points.
    ///
    /// # Safety
    ///
    /// As for [`Vector::mask`].
    #[inline(always)]
    pub(crate) unsafe fn new(count: usize) -> Self {
        // SAFETY: the caller guarantees this.
        unsafe { Self(V::mask(2 * count), V::mask((2 * count).saturating_sub(V::LANES))) }
    }
}

impl<V: Vector> Points<V> {
    /// Loads points in the layout of a lane buffer: real parts, then imaginary parts.
    ///
    /// # Safety
    ///
    /// As for [`Vector::load`], for twice as many numbers.
    #[inline(always)]
    pub(crate) unsafe fn load(from: *const V::Real) -> Self {
        // SAFETY: the caller guarantees this.
        unsafe { Self { re: V::load(from), im: V::load(from.add(V::LANES)) } }
    }

    /// Stores points in the layout of a lane buffer.
    ///
    /// # Safety
    ///
    /// As for [`Vector::store`], for twice as many numbers.
    #[inline(always)]
    pub(crate) unsafe fn store(self, to: *mut V::Real) {
        // SAFETY: the caller guarantees this.
        unsafe {
            self.re.store(to);
            self.im.store(to.add(V::LANES));
        }
    }

    /// Loads one point into all lanes.
    ///
    /// # Safety
    ///
    /// As for [`Vector::broadcast`], for two numbers.
    #[inline(always)]
    pub(crate) unsafe fn broadcast(from: *const V::Real) -> Self {
        // SAFETY: the caller guarantees this.
        unsafe { Self { re: V::broadcast(from), im: V::broadcast(from.add(1)) } }
    }

    /// Loads contiguous points, with alternating real and imaginary parts, for the lanes of a mask.
    ///
    /// # Safety
    ///
    /// As for [`Vector::load_masked`], for the numbers of these points.
    #[inline(always)]
    pub(crate) unsafe fn gather(from: *const V::Real, mask: PointsMask<V>) -> Self {
        // SAFETY: the caller guarantees this. An address from which no number is read may be out of the
        // allocation.
        let (first, second) =
            unsafe { (V::load_masked(from, mask.0), V::load_masked(from.wrapping_add(V::LANES), mask.1)) };
        let (re, im) = first.split(second);
        Self { re, im }
    }

    /// Loads contiguous points, one per lane, with alternating real and imaginary parts.
    ///
    /// # Safety
    ///
    /// As for [`Vector::load`], for twice as many numbers.
    #[inline(always)]
    pub(crate) unsafe fn gather_all(from: *const V::Real) -> Self {
        // SAFETY: the caller guarantees this.
        let (re, im) = unsafe { V::load(from).split(V::load(from.add(V::LANES))) };
        Self { re, im }
    }

    /// Stores points contiguously, with alternating real and imaginary parts.
    ///
    /// # Safety
    ///
    /// As for [`Vector::store`], for the numbers of these points.
    #[inline(always)]
    pub(crate) unsafe fn scatter(self, to: *mut V::Real) {
        let (first, second) = self.re.join(self.im);
        // SAFETY: the caller guarantees this.
        unsafe {
            first.store(to);
            second.store(to.add(V::LANES));
        }
    }

    /// Stores points contiguously, with alternating real and imaginary parts, past the caches.
    ///
    /// # Safety
    ///
    /// As for [`Vector::store_non_temporal`], for twice as many numbers.
    #[inline(always)]
    pub(crate) unsafe fn scatter_past_caches(self, to: *mut V::Real) {
        let (first, second) = self.re.join(self.im);
        // SAFETY: the caller guarantees this.
        unsafe {
            first.store_non_temporal(to);
            second.store_non_temporal(to.add(V::LANES));
        }
    }

    /// Stores the points of a mask contiguously, with alternating real and imaginary parts.
    ///
    /// # Safety
    ///
    /// As for [`Vector::store_masked`], for the numbers of these points.
    #[inline(always)]
    pub(crate) unsafe fn scatter_masked(self, to: *mut V::Real, mask: PointsMask<V>) {
        let (first, second) = self.re.join(self.im);
        // SAFETY: the caller guarantees this. An address to which no number is written may be out of the
        // allocation.
        unsafe {
            first.store_masked(to, mask.0);
            second.store_masked(to.wrapping_add(V::LANES), mask.1);
        }
    }

    /// Reverses the points.
    #[inline(always)]
    pub(crate) fn reverse(self) -> Self {
        Self { re: self.re.reverse(), im: self.im.reverse() }
    }

    /// Computes `self * w`, point by point.
    #[inline(always)]
    pub(crate) fn mul(self, w: Self) -> Self {
        Self { re: self.re.mul_sub(w.re, self.im.mul(w.im)), im: self.re.mul_add(w.im, self.im.mul(w.re)) }
    }
}
