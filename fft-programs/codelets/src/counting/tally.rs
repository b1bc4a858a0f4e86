//! Vector that computes no values and counts the arithmetic instructions of a loop without memory accesses.
//!
//! Butterflies are generic over the vector, so the counted code is the compiled code. Exceptions are
//! instructions that a compiler removes or adds: loads of constants and register spills. An addition, a
//! multiplication or a fused multiply-add counts as one. The vector has one lane and stores no number.

use std::cell::Cell;

use crate::butterfly::{Butterfly, Dft, of_radix};
use crate::kinds::real::pair;
use crate::vector::{Pairs, Points, Vector};

thread_local! {
    /// Numbers of arithmetic operations and of exchanges of lanes that this thread has counted.
    static COUNTED: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// Empty vector whose operations are counted.
#[derive(Clone, Copy)]
struct Tally;

impl Tally {
    /// Counts one more operation.
    fn one() -> Self {
        let (arithmetic, exchanges) = COUNTED.get();
        COUNTED.set((arithmetic + 1, exchanges));
        Self
    }
}

/// Point of empty vectors.
const POINT: Points<Tally> = Points { re: Tally, im: Tally };

/// Returns the number of arithmetic instructions of a butterfly.
///
/// # Panics
///
/// If the radix has no butterfly.
pub(crate) fn butterfly(radix: usize) -> u64 {
    of_radix!(radix, R => counted(|| <Dft as Butterfly<R>>::dft([POINT; R])).0)
}

/// Returns the number of arithmetic instructions, and of shuffles, of a butterfly whose points have both
/// parts in one vector. A compiler shuffles a vector once for several uses, so it emits fewer shuffles.
///
/// # Panics
///
/// If the radix has no butterfly.
pub(crate) fn butterfly_in_pairs(radix: usize) -> (u64, u64) {
    of_radix!(
        radix, R => counted(|| <Dft as Butterfly<R>>::dft([Pairs::of(Tally); R])), 2 3 4 5 6 7 8 9 10 12 16
    )
}

/// Returns the number of arithmetic instructions of a pair of points of real numbers.
pub(crate) fn real_pair() -> u64 {
    counted(|| pair(POINT, POINT, POINT, Tally, [Tally; 2])).0
}

fn counted<R>(work: impl FnOnce() -> R) -> (u64, u64) {
    COUNTED.set((0, 0));
    work();
    COUNTED.get()
}

impl Vector for Tally {
    type Real = f64;
    type Mask = ();
    const LANES: usize = 1;

    unsafe fn broadcast(_from: *const f64) -> Self {
        Self
    }

    unsafe fn load(_from: *const f64) -> Self {
        Self
    }

    unsafe fn mask(_count: usize) {}

    unsafe fn load_masked(_from: *const f64, (): ()) -> Self {
        Self
    }

    unsafe fn store(self, _to: *mut f64) {}

    unsafe fn store_non_temporal(self, _to: *mut f64) {}

    unsafe fn store_masked(self, _to: *mut f64, (): ()) {}

    fn constant(self, _x: f64) -> Self {
        Self
    }

    fn alternating(self, _x: f64) -> Self {
        Self
    }

    fn add(self, _o: Self) -> Self {
        Self::one()
    }

    fn sub(self, _o: Self) -> Self {
        Self::one()
    }

    fn mul(self, _o: Self) -> Self {
        Self::one()
    }

    fn mul_add(self, _b: Self, _c: Self) -> Self {
        Self::one()
    }

    fn mul_sub(self, _b: Self, _c: Self) -> Self {
        Self::one()
    }

    fn neg_mul_add(self, _b: Self, _c: Self) -> Self {
        Self::one()
    }

    fn order(lane: usize) -> usize {
        lane
    }

    fn split(self, _o: Self) -> (Self, Self) {
        (Self, Self)
    }

    fn join(self, _im: Self) -> (Self, Self) {
        (Self, Self)
    }

    fn swap(self) -> Self {
        let (arithmetic, exchanges) = COUNTED.get();
        COUNTED.set((arithmetic, exchanges + 1));
        Self
    }

    fn mul_sub_add(self, _b: Self, _c: Self) -> Self {
        Self::one()
    }

    fn evens(self) -> Self {
        self
    }

    fn odds(self) -> Self {
        self
    }

    fn transpose_pairs<const W: usize>(rows: [Self; W]) -> [Self; W] {
        rows
    }

    fn reverse(self) -> Self {
        self
    }

    fn transpose<const L: usize>(rows: [Self; L]) -> [Self; L] {
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, with two numbers per point. Radix 8 is two butterflies of radix 4, two rotations by an eighth
    /// of a turn, and eight additions. Radix 3 has three sums, a difference and two sums with a multiple of
    /// it.
    #[test]
    fn butterflies_take_the_operations_of_their_formulas() {
        assert_eq!([1, 2, 4].map(butterfly), [0, 4, 16]);
        assert_eq!(butterfly(8), 2 * 16 + 2 * 2 + 8 * 2);
        assert_eq!(butterfly(3), 2 * (3 + 1 + 2));
        // An instruction for both parts, and a shuffle for each multiplication by an imaginary number.
        assert_eq!([2, 3, 4].map(butterfly_in_pairs), [(2, 0), (6, 2), (8, 2)]);
        // Six butterflies of radix 3 and four products.
        assert_eq!(butterfly(9), 6 * butterfly(3) + 4 * 4);
        assert_eq!(real_pair(), 2 + 2 + 2 + 4 + 4);
        assert!(butterfly(16) < 2 * butterfly(8) + 7 * 4 + 16 * 2);
    }
}
