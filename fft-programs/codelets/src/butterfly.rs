//! Transforms of a few points, in registers: the butterflies of a mixed-radix transform.
//!
//! [`Dft`] has a butterfly for each radix, in natural order in and out. A power of two is composed of smaller
//! powers of two. An odd prime `p` is the definition, with the terms `j` and `p - j` combined. A square of
//! `r` is `r` transforms of `r` points, multiplications by factors, and again `r` transforms of `r` points.
//! Radices 6, 10 and 12 are products of two lengths without a common factor, and need no factors.
//!
//! All butterflies are forward. With the outputs `k` and `R - k` exchanged, a butterfly is the inverse one,
//! so the code that stores the outputs selects the direction.
//!
//! The butterflies are generic over the layout of points in registers ([`Complexes`]).
//!
//! *Cost.* With real and imaginary parts in separate registers, a butterfly of radix R needs 2 R registers
//! and a few more. With both parts in one register, it needs half of them, and a shuffle for each
//! multiplication by an imaginary number. *When they lose.* With separate parts, radix 16 does not fit into
//! 32 registers and goes through memory once inside. This still takes less time than an access to memory
//! between two stages. Radix 8 does not fit into the 16 registers of AVX2.

mod coprime;
mod prime;
mod square;

use std::f64::consts::FRAC_1_SQRT_2;

use crate::vector::Complexes;

/// Butterflies of all radices.
pub(crate) struct Dft;

/// Evaluates an expression with the constant radix `R` for a radix that is known at run time only. The
/// expression is compiled for every radix that has a butterfly.
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

/// Transform of `R` points.
pub(crate) trait Butterfly<const R: usize> {
    /// Transforms the points forward, in every lane.
    fn dft<C: Complexes>(x: [C; R]) -> [C; R];
}

impl Butterfly<1> for Dft {
    #[inline(always)]
    fn dft<C: Complexes>(x: [C; 1]) -> [C; 1] {
        x
    }
}

impl Butterfly<2> for Dft {
    #[inline(always)]
    fn dft<C: Complexes>([a, b]: [C; 2]) -> [C; 2] {
        [a.add(b), a.sub(b)]
    }
}

impl Butterfly<4> for Dft {
    #[inline(always)]
    fn dft<C: Complexes>([a, b, c, d]: [C; 4]) -> [C; 4] {
        let (even, turned, odd, rest) = (a.add(c), a.sub(c), b.add(d), b.sub(d));
        [even.add(odd), turned.sub_i(rest), even.sub(odd), turned.add_i(rest)]
    }
}

impl Butterfly<8> for Dft {
    /// The eighths of a turn, `(1 - i) / sqrt 2` and `(-1 - i) / sqrt 2`, cost one multiplication by a real
    /// number, fused with the last addition.
    #[inline(always)]
    fn dft<C: Complexes>([a, b, c, d, e, f, g, h]: [C; 8]) -> [C; 8] {
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
