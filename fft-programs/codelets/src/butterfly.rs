//! Transforms of a few points, in registers: the butterflies of a mixed-radix transform.
//!
//! [`Dft`] has one of each radix, in natural order in and out. A power of two is made of those of its halves or
//! roots; an odd prime `p` is the definition, with the terms of `j` and `p - j` taken together; a square of `r` is
//! `r` of `r` points, factors, and `r` of `r` points again.
//!
//! All are of the forward transform. With the outputs `k` and `R - k` exchanged a butterfly is that of the inverse,
//! so that whoever stores the outputs has both.
//!
//! *Cost.* Registers: a butterfly of radix R wants 2 R of them and a few more. *When they lose.* Radix 16 does not
//! fit into 32 registers and goes through memory once inside, which is still less than through memory between two
//! stages; radix 8 does not fit into the 16 of AVX2.

mod prime;
mod square;

use std::f64::consts::FRAC_1_SQRT_2;

use crate::vector::{Points, Vector};

/// The radices.
pub(crate) struct Dft;

/// What an expression of the constant radix `R` gives for a radix that is known when the program runs. It is compiled for
/// every radix that has a butterfly.
macro_rules! of_radix {
    ($radix:expr, $R:ident => $value:expr) => {
        $crate::butterfly::of_radix!($radix, $R => $value, 1 2 3 4 5 7 8 9 11 13 16)
    };
    ($radix:expr, $R:ident => $value:expr, $($one:literal)+) => {
        match $radix {
            $($one => {
                const $R: usize = $one;
                $value
            })+
            radix => unreachable!("there is no butterfly of radix {radix}"),
        }
    };
}
pub(crate) use of_radix;

/// The transform of `R` points.
pub(crate) trait Butterfly<const R: usize> {
    /// The forward transform, in every lane.
    fn dft<V: Vector>(x: [Points<V>; R]) -> [Points<V>; R];
}

impl Butterfly<1> for Dft {
    #[inline(always)]
    fn dft<V: Vector>(x: [Points<V>; 1]) -> [Points<V>; 1] {
        x
    }
}

impl Butterfly<2> for Dft {
    #[inline(always)]
    fn dft<V: Vector>([a, b]: [Points<V>; 2]) -> [Points<V>; 2] {
        [a.add(b), a.sub(b)]
    }
}

impl Butterfly<4> for Dft {
    #[inline(always)]
    fn dft<V: Vector>([a, b, c, d]: [Points<V>; 4]) -> [Points<V>; 4] {
        let (even, turned, odd, rest) = (a.add(c), a.sub(c), b.add(d), b.sub(d));
        [even.add(odd), turned.sub_i(rest), even.sub(odd), turned.add_i(rest)]
    }
}

impl Butterfly<8> for Dft {
    /// The eighths of a turn, `(1 - i) / sqrt 2` and `(-1 - i) / sqrt 2`, cost one multiplication by a real number,
    /// which goes together with the last addition.
    #[inline(always)]
    fn dft<V: Vector>([a, b, c, d, e, f, g, h]: [Points<V>; 8]) -> [Points<V>; 8] {
        let [p0, p1, p2, p3] = <Self as Butterfly<4>>::dft([a, c, e, g]);
        let [q0, q1, q2, q3] = <Self as Butterfly<4>>::dft([b, d, f, h]);
        let (q1, q3) = (q1.sub_i(q1), q3.add_i(q3));
        [
            p0.add(q0),
            p1.add_scaled(FRAC_1_SQRT_2, q1),
            p2.sub_i(q2),
            p3.sub_scaled(FRAC_1_SQRT_2, q3),
            p0.sub(q0),
            p1.sub_scaled(FRAC_1_SQRT_2, q1),
            p2.add_i(q2),
            p3.add_scaled(FRAC_1_SQRT_2, q3),
        ]
    }
}
