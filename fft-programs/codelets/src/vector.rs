//! Vectors of real numbers, one number a lane, and complex points of which each lane holds one.
//!
//! A [`Vector`] is what a set of vector instructions computes with. All kernels are generic over it, so they are
//! written once for every width, precision and set of instructions. A [`Points`] has the real parts of as many
//! points as there are lanes in one vector and their imaginary parts in another, so that an operation on complex
//! numbers is the same few operations on vectors in every lane, without any shuffling.
//!
//! *The order of lanes* does not matter where all lanes do the same. Points that lie one after another are taken apart
//! in the order that costs one instruction a vector, the same for all vectors of a kind, and put together from it; only
//! what goes across lanes has to know it.
//!
//! *Which instructions there are* is found out at run time ([`Isa`](crate::Isa)). A vector comes from memory, or
//! from another vector, and only the loads are unsafe: whoever holds a vector is in code that runs where its
//! instructions are, and all that computes with vectors is safe.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use portable::Array;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{F32x8, F32x16, F64x4, F64x8};

use earth_kernels::Real;

/// A vector of real numbers.
pub(crate) trait Vector: Copy {
    /// The number in a lane.
    type Real: Real;
    /// Some lanes, from the first on.
    type Mask: Copy;
    /// The number of lanes, a power of two.
    const LANES: usize;

    /// Loads one number into all lanes.
    ///
    /// # Safety
    ///
    /// The machine has the instructions of this vector, and `from` may be read.
    unsafe fn broadcast(from: *const Self::Real) -> Self;

    /// Loads as many numbers as there are lanes.
    ///
    /// # Safety
    ///
    /// The machine has the instructions of this vector, and all of the numbers may be read.
    unsafe fn load(from: *const Self::Real) -> Self;

    /// Stores all lanes past the caches, where there is an instruction for it. Nobody else sees them before a
    /// [`fence`].
    ///
    /// # Safety
    ///
    /// All of the numbers may be written, they begin at a multiple of the bytes of a vector, and this thread calls
    /// [`fence`] before it or another one uses them.
    unsafe fn store_past_caches(self, to: *mut Self::Real);

    /// The first `count` lanes: all of them if there are not that many.
    ///
    /// # Safety
    ///
    /// The machine has the instructions of this vector.
    unsafe fn mask(count: usize) -> Self::Mask;

    /// Loads the numbers of some lanes, and zeros for the others.
    ///
    /// # Safety
    ///
    /// The machine has the instructions of this vector, and the numbers of these lanes may be read.
    unsafe fn load_masked(from: *const Self::Real, mask: Self::Mask) -> Self;

    /// Stores all lanes.
    ///
    /// # Safety
    ///
    /// All of the numbers may be written.
    unsafe fn store(self, to: *mut Self::Real);

    /// Stores some lanes.
    ///
    /// # Safety
    ///
    /// The numbers of these lanes may be written.
    unsafe fn store_masked(self, to: *mut Self::Real, mask: Self::Mask);

    /// A number in all lanes, whatever is in this vector.
    fn constant(self, x: f64) -> Self;

    /// `self + o`.
    fn add(self, o: Self) -> Self;

    /// `self - o`.
    fn sub(self, o: Self) -> Self;

    /// `self * o`.
    fn mul(self, o: Self) -> Self;

    /// `self * b + c`, rounded once where there is an instruction for it.
    fn mul_add(self, b: Self, c: Self) -> Self;

    /// `self * b - c`, rounded once where there is an instruction for it.
    fn mul_sub(self, b: Self, c: Self) -> Self;

    /// `c - self * b`, rounded once where there is an instruction for it.
    fn neg_mul_add(self, b: Self, c: Self) -> Self;

    /// The point that a lane has after [`split`](Self::split): whatever order the fewest instructions give.
    fn order(lane: usize) -> usize;

    /// Of points that lie one after another, half of them in `self` and half in `o`, the real and the imaginary parts,
    /// in the lanes' [`order`](Self::order).
    fn split(self, o: Self) -> (Self, Self);

    /// Undoes [`split`](Self::split): `self` are real parts and `im` imaginary ones.
    fn join(self, im: Self) -> (Self, Self);

    /// The lanes backwards, which turns points in the lanes' [`order`](Self::order) backwards, too.
    fn reverse(self) -> Self;

    /// Lane `j` of vector `i` becomes lane `i` of vector `j`.
    ///
    /// # Panics
    ///
    /// If `L` is not the number of lanes.
    fn transpose<const L: usize>(rows: [Self; L]) -> [Self; L];
}

/// Lets the processor fetch the cache line of an address into the first cache while it goes on. Where it cannot be told,
/// nothing happens.
#[inline(always)]
pub(crate) fn prefetch<T>(address: *const T) {
    // SAFETY: a prefetch reads and writes nothing, whatever the address.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Lets the processor fetch the cache line of an address into the second cache while it goes on.
#[inline(always)]
pub(crate) fn prefetch_to_second<T>(address: *const T) {
    // SAFETY: a prefetch reads and writes nothing, whatever the address.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T1 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Makes everybody see what this thread has [stored past the caches](Vector::store_past_caches) before what it stores later.
#[inline(always)]
pub(crate) fn fence() {
    // SAFETY: every x86-64 has the instruction, which reads and writes nothing.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// As many complex points as a vector has lanes.
#[derive(Clone, Copy)]
pub(crate) struct Points<V> {
    pub(crate) re: V,
    pub(crate) im: V,
}

/// The two masks of the numbers of some points that lie one after another, real and imaginary part by turns.
#[derive(Clone, Copy)]
pub(crate) struct PointsMask<V: Vector>(V::Mask, V::Mask);

impl<V: Vector> PointsMask<V> {
    /// The first `count` points.
    ///
    /// # Safety
    ///
    /// That of [`Vector::mask`].
    #[inline(always)]
    pub(crate) unsafe fn new(count: usize) -> Self {
        // SAFETY: the caller's.
        unsafe { Self(V::mask(2 * count), V::mask((2 * count).saturating_sub(V::LANES))) }
    }
}

impl<V: Vector> Points<V> {
    /// Loads points as a lane buffer holds them: first their real parts, then their imaginary ones.
    ///
    /// # Safety
    ///
    /// That of [`Vector::load`], for twice as many numbers.
    #[inline(always)]
    pub(crate) unsafe fn load(from: *const V::Real) -> Self {
        // SAFETY: the caller's.
        unsafe { Self { re: V::load(from), im: V::load(from.add(V::LANES)) } }
    }

    /// Stores points as a lane buffer holds them.
    ///
    /// # Safety
    ///
    /// That of [`Vector::store`], for twice as many numbers.
    #[inline(always)]
    pub(crate) unsafe fn store(self, to: *mut V::Real) {
        // SAFETY: the caller's.
        unsafe {
            self.re.store(to);
            self.im.store(to.add(V::LANES));
        }
    }

    /// Loads one point into all lanes.
    ///
    /// # Safety
    ///
    /// That of [`Vector::broadcast`], for two numbers.
    #[inline(always)]
    pub(crate) unsafe fn broadcast(from: *const V::Real) -> Self {
        // SAFETY: the caller's.
        unsafe { Self { re: V::broadcast(from), im: V::broadcast(from.add(1)) } }
    }

    /// Loads points that lie one after another, real and imaginary part by turns.
    ///
    /// # Safety
    ///
    /// That of [`Vector::load_masked`], for the numbers of these points.
    #[inline(always)]
    pub(crate) unsafe fn gather(from: *const V::Real, mask: PointsMask<V>) -> Self {
        // SAFETY: the caller's. An address of which nothing is read need not be one of the allocation.
        let (first, second) =
            unsafe { (V::load_masked(from, mask.0), V::load_masked(from.wrapping_add(V::LANES), mask.1)) };
        let (re, im) = first.split(second);
        Self { re, im }
    }

    /// Loads as many points as there are lanes, which lie one after another, real and imaginary part by turns.
    ///
    /// # Safety
    ///
    /// That of [`Vector::load`], for twice as many numbers.
    #[inline(always)]
    pub(crate) unsafe fn gather_all(from: *const V::Real) -> Self {
        // SAFETY: the caller's.
        let (re, im) = unsafe { V::load(from).split(V::load(from.add(V::LANES))) };
        Self { re, im }
    }

    /// Stores points one after another, real and imaginary part by turns.
    ///
    /// # Safety
    ///
    /// That of [`Vector::store`], for the numbers of these points.
    #[inline(always)]
    pub(crate) unsafe fn scatter(self, to: *mut V::Real) {
        let (first, second) = self.re.join(self.im);
        // SAFETY: the caller's.
        unsafe {
            first.store(to);
            second.store(to.add(V::LANES));
        }
    }

    /// Stores points one after another, real and imaginary part by turns, past the caches.
    ///
    /// # Safety
    ///
    /// That of [`Vector::store_past_caches`], for twice as many numbers.
    #[inline(always)]
    pub(crate) unsafe fn scatter_past_caches(self, to: *mut V::Real) {
        let (first, second) = self.re.join(self.im);
        // SAFETY: the caller's.
        unsafe {
            first.store_past_caches(to);
            second.store_past_caches(to.add(V::LANES));
        }
    }

    /// Stores some points one after another, real and imaginary part by turns.
    ///
    /// # Safety
    ///
    /// That of [`Vector::store_masked`], for the numbers of these points.
    #[inline(always)]
    pub(crate) unsafe fn scatter_masked(self, to: *mut V::Real, mask: PointsMask<V>) {
        let (first, second) = self.re.join(self.im);
        // SAFETY: the caller's. An address to which nothing is written need not be one of the allocation.
        unsafe {
            first.store_masked(to, mask.0);
            second.store_masked(to.wrapping_add(V::LANES), mask.1);
        }
    }

    /// The points backwards.
    #[inline(always)]
    pub(crate) fn reverse(self) -> Self {
        Self { re: self.re.reverse(), im: self.im.reverse() }
    }

    /// `self + o`.
    #[inline(always)]
    pub(crate) fn add(self, o: Self) -> Self {
        Self { re: self.re.add(o.re), im: self.im.add(o.im) }
    }

    /// `self - o`.
    #[inline(always)]
    pub(crate) fn sub(self, o: Self) -> Self {
        Self { re: self.re.sub(o.re), im: self.im.sub(o.im) }
    }

    /// `self + i o`.
    #[inline(always)]
    pub(crate) fn add_i(self, o: Self) -> Self {
        Self { re: self.re.sub(o.im), im: self.im.add(o.re) }
    }

    /// `self - i o`.
    #[inline(always)]
    pub(crate) fn sub_i(self, o: Self) -> Self {
        Self { re: self.re.add(o.im), im: self.im.sub(o.re) }
    }

    /// `self * w`, point by point.
    #[inline(always)]
    pub(crate) fn mul(self, w: Self) -> Self {
        Self { re: self.re.mul_sub(w.re, self.im.mul(w.im)), im: self.re.mul_add(w.im, self.im.mul(w.re)) }
    }

    /// `self * (re + i im)`, every point by the same constant.
    #[inline(always)]
    pub(crate) fn turn(self, re: f64, im: f64) -> Self {
        self.mul(Self { re: self.re.constant(re), im: self.re.constant(im) })
    }

    /// `self + x o` for a real constant.
    #[inline(always)]
    pub(crate) fn add_scaled(self, x: f64, o: Self) -> Self {
        let x = self.re.constant(x);
        Self { re: x.mul_add(o.re, self.re), im: x.mul_add(o.im, self.im) }
    }

    /// `self - x o` for a real constant.
    #[inline(always)]
    pub(crate) fn sub_scaled(self, x: f64, o: Self) -> Self {
        let x = self.re.constant(x);
        Self { re: x.neg_mul_add(o.re, self.re), im: x.neg_mul_add(o.im, self.im) }
    }

    /// `x self` for a real constant.
    #[inline(always)]
    pub(crate) fn scale(self, x: f64) -> Self {
        let x = self.re.constant(x);
        Self { re: x.mul(self.re), im: x.mul(self.im) }
    }
}
