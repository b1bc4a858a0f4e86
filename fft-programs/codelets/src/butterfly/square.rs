//! Radices 9 and 16: `r` transforms of `r` points, multiplications by factors, and again `r` transforms of
//! `r` points.

use std::f64::consts::FRAC_1_SQRT_2;

use super::{Butterfly, Dft};
use crate::vector::Complexes;

impl Butterfly<9> for Dft {
    #[inline(always)]
    fn dft<C: Complexes>(x: [C; 9]) -> [C; 9] {
        let three = <Self as Butterfly<3>>::dft::<C>;
        let [a0, a1, a2] = three([x[0], x[3], x[6]]);
        let [b0, b1, b2] = three([x[1], x[4], x[7]]);
        let [c0, c1, c2] = three([x[2], x[5], x[8]]);
        let b1 = b1.turn(0.766_044_443_118_978, -0.642_787_609_686_539_4);
        let b2 = b2.turn(0.173_648_177_666_930_36, -0.984_807_753_012_208);
        let c1 = c1.turn(0.173_648_177_666_930_36, -0.984_807_753_012_208);
        let c2 = c2.turn(-0.939_692_620_785_908_4, -0.342_020_143_325_668_7);
        let [y0, y3, y6] = three([a0, b0, c0]);
        let [y1, y4, y7] = three([a1, b1, c1]);
        let [y2, y5, y8] = three([a2, b2, c2]);
        [y0, y1, y2, y3, y4, y5, y6, y7, y8]
    }
}

/// Cosine and sine of an eighth of pi.
const COS: f64 = 0.923_879_532_511_286_7;
const SIN: f64 = 0.382_683_432_365_089_8;

impl Butterfly<16> for Dft {
    /// An eighth of a turn costs one multiplication by a real number, fused with an addition.
    #[inline(always)]
    fn dft<C: Complexes>(x: [C; 16]) -> [C; 16] {
        let four = <Self as Butterfly<4>>::dft::<C>;
        let [a0, a1, a2, a3] = four([x[0], x[4], x[8], x[12]]);
        let [b0, b1, b2, b3] = four([x[1], x[5], x[9], x[13]]);
        let [c0, c1, c2, c3] = four([x[2], x[6], x[10], x[14]]);
        let [d0, d1, d2, d3] = four([x[3], x[7], x[11], x[15]]);
        let [y0, y4, y8, y12] = four([a0, b0, c0, d0]);
        let [y1, y5, y9, y13] = eighth([a1, b1.turn(COS, -SIN), c1.sub_i(c1), d1.turn(SIN, -COS)]);
        // In the transform for outputs 2, 6, 10 and 14, `c` is multiplied by -i, and `b` and `d` by eighths
        // of a turn.
        let (b2, d2) = (b2.sub_i(b2), d2.add_i(d2));
        let (even, turned, odd, rest) = (a2.sub_i(c2), a2.add_i(c2), b2.sub(d2), b2.add(d2));
        let y2 = even.add_scaled(FRAC_1_SQRT_2, odd);
        let y10 = even.sub_scaled(FRAC_1_SQRT_2, odd);
        let rest = rest.scale(FRAC_1_SQRT_2);
        let (y6, y14) = (turned.sub_i(rest), turned.add_i(rest));
        // `(-1 - i) / sqrt 2` is the negative of the factor of `add_i`.
        let [y3, y11, y7, y15] = negative_eighth([a3, b3.turn(SIN, -COS), c3.add_i(c3), d3.turn(-COS, SIN)]);
        [y0, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15]
    }
}

/// Transforms four points; the third point is divided by sqrt 2 here.
#[inline(always)]
fn eighth<C: Complexes>([a, b, c, d]: [C; 4]) -> [C; 4] {
    let (even, turned) = (a.add_scaled(FRAC_1_SQRT_2, c), a.sub_scaled(FRAC_1_SQRT_2, c));
    let (odd, rest) = (b.add(d), b.sub(d));
    [even.add(odd), turned.sub_i(rest), even.sub(odd), turned.add_i(rest)]
}

/// Transforms four points; the third point is divided by minus sqrt 2 here. Returns outputs 0, 2, 1, 3.
#[inline(always)]
fn negative_eighth<C: Complexes>([a, b, c, d]: [C; 4]) -> [C; 4] {
    let (even, turned) = (a.sub_scaled(FRAC_1_SQRT_2, c), a.add_scaled(FRAC_1_SQRT_2, c));
    let (odd, rest) = (b.add(d), b.sub(d));
    [even.add(odd), even.sub(odd), turned.sub_i(rest), turned.add_i(rest)]
}
