//! Radices 3, 5, 7, 11 and 13: the definition, with symmetric terms combined.
//!
//! With `s_j = x_j + x_(p-j)` and `d_j = x_j - x_(p-j)`, outputs `k` and `p - k` are `a - i b` and `a + i b`,
//! where `a = x_0 + sum of cos(2 pi j k / p) s_j` and `b = sum of sin(2 pi j k / p) d_j`. This takes
//! `(p - 1)^2` multiplications by real numbers, each fused with an addition.

use super::{Butterfly, Dft};
use crate::vector::Complexes;

/// Cosine and sine of `2 pi j / 5` for `j` from 1, in the first half of the circle.
const FIFTHS: [(f64, f64); 2] = [
    (0.309_016_994_374_947_45, 0.951_056_516_295_153_5),
    (-0.809_016_994_374_947_5, 0.587_785_252_292_473_1),
];
const SEVENTHS: [(f64, f64); 3] = [
    (0.623_489_801_858_733_5, 0.781_831_482_468_029_8),
    (-0.222_520_933_956_314_4, 0.974_927_912_181_823_6),
    (-0.900_968_867_902_419_1, 0.433_883_739_117_558_1),
];
const ELEVENTHS: [(f64, f64); 5] = [
    (0.841_253_532_831_181_2, 0.540_640_817_455_597_6),
    (0.415_415_013_001_886_44, 0.909_631_995_354_518_3),
    (-0.142_314_838_273_285_14, 0.989_821_441_880_932_7),
    (-0.654_860_733_945_285_1, 0.755_749_574_354_258_3),
    (-0.959_492_973_614_497_4, 0.281_732_556_841_429_67),
];
const THIRTEENTHS: [(f64, f64); 6] = [
    (0.885_456_025_653_209_9, 0.464_723_172_043_768_56),
    (0.568_064_746_731_155_8, 0.822_983_865_893_656_4),
    (0.120_536_680_255_323_05, 0.992_708_874_098_054),
    (-0.354_604_887_042_535_6, 0.935_016_242_685_414_8),
    (-0.748_510_748_171_101_1, 0.663_122_658_240_795_2),
    (-0.970_941_817_426_052, 0.239_315_664_287_557_77),
];

/// Returns cosine and sine of `2 pi e / p`, from the values in the first half of the circle.
#[inline(always)]
fn angle<const P: usize, const H: usize>(below: [(f64, f64); H], e: usize) -> (f64, f64) {
    let e = e % P;
    if e <= H {
        below[e - 1]
    } else {
        let (cos, sin) = below[P - e - 1];
        (cos, -sin)
    }
}

/// Transforms `P` points, for an odd prime `P`; `H` is half of `P`, rounded down.
#[inline(always)]
fn prime<C: Complexes, const P: usize, const H: usize>(x: [C; P], below: [(f64, f64); H]) -> [C; P] {
    let (mut sums, mut differences, mut y) = ([x[0]; H], [x[0]; H], x);
    let mut j = 1;
    while j <= H {
        sums[j - 1] = x[j].add(x[P - j]);
        differences[j - 1] = x[j].sub(x[P - j]);
        y[0] = y[0].add(sums[j - 1]);
        j += 1;
    }
    let mut k = 1;
    while k <= H {
        let (cos, sin) = angle::<P, H>(below, k);
        let (mut a, mut b) = (x[0].add_scaled(cos, sums[0]), differences[0].scale(sin));
        let mut j = 2;
        while j <= H {
            let (cos, sin) = angle::<P, H>(below, j * k);
            a = a.add_scaled(cos, sums[j - 1]);
            b = b.add_scaled(sin, differences[j - 1]);
            j += 1;
        }
        y[k] = a.sub_i(b);
        y[P - k] = a.add_i(b);
        k += 1;
    }
    y
}

impl Butterfly<3> for Dft {
    /// The only multiple of the difference is fused with the last additions.
    #[inline(always)]
    fn dft<C: Complexes>([a, b, c]: [C; 3]) -> [C; 3] {
        let (sum, difference) = (b.add(c), b.sub(c));
        let (half, sin) = (a.sub_scaled(0.5, sum), 0.866_025_403_784_438_6);
        [a.add(sum), half.sub_scaled_i(sin, difference), half.add_scaled_i(sin, difference)]
    }
}

impl Butterfly<5> for Dft {
    #[inline(always)]
    fn dft<C: Complexes>(x: [C; 5]) -> [C; 5] {
        prime(x, FIFTHS)
    }
}

impl Butterfly<7> for Dft {
    #[inline(always)]
    fn dft<C: Complexes>(x: [C; 7]) -> [C; 7] {
        prime(x, SEVENTHS)
    }
}

impl Butterfly<11> for Dft {
    #[inline(always)]
    fn dft<C: Complexes>(x: [C; 11]) -> [C; 11] {
        prime(x, ELEVENTHS)
    }
}

impl Butterfly<13> for Dft {
    #[inline(always)]
    fn dft<C: Complexes>(x: [C; 13]) -> [C; 13] {
        prime(x, THIRTEENTHS)
    }
}
