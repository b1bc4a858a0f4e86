//! Radices 6, 10 and 12: transforms of two lengths without a common factor, without multiplications between
//! them (Good, 1958; Thomas, 1963).
//!
//! For lengths `a` and `b`, the input at `(b i + a j) mod a b` is row `i` and column `j` of a matrix. The
//! output whose remainders by `a` and `b` are `i` and `j` is at the same place of the matrix's transform.

use super::{Butterfly, Dft};
use crate::vector::Complexes;

impl Butterfly<6> for Dft {
    #[inline(always)]
    fn dft<C: Complexes>(x: [C; 6]) -> [C; 6] {
        let three = <Self as Butterfly<3>>::dft::<C>;
        let [a0, a1, a2] = three([x[0], x[2], x[4]]);
        let [b0, b1, b2] = three([x[3], x[5], x[1]]);
        [a0.add(b0), a1.sub(b1), a2.add(b2), a0.sub(b0), a1.add(b1), a2.sub(b2)]
    }
}

impl Butterfly<10> for Dft {
    #[inline(always)]
    fn dft<C: Complexes>(x: [C; 10]) -> [C; 10] {
        let five = <Self as Butterfly<5>>::dft::<C>;
        let [a0, a1, a2, a3, a4] = five([x[0], x[2], x[4], x[6], x[8]]);
        let [b0, b1, b2, b3, b4] = five([x[5], x[7], x[9], x[1], x[3]]);
        [
            a0.add(b0),
            a1.sub(b1),
            a2.add(b2),
            a3.sub(b3),
            a4.add(b4),
            a0.sub(b0),
            a1.add(b1),
            a2.sub(b2),
            a3.add(b3),
            a4.sub(b4),
        ]
    }
}

impl Butterfly<12> for Dft {
    #[inline(always)]
    fn dft<C: Complexes>(x: [C; 12]) -> [C; 12] {
        let (three, four) = (<Self as Butterfly<3>>::dft::<C>, <Self as Butterfly<4>>::dft::<C>);
        let [a0, a1, a2] = three([x[0], x[4], x[8]]);
        let [b0, b1, b2] = three([x[3], x[7], x[11]]);
        let [c0, c1, c2] = three([x[6], x[10], x[2]]);
        let [d0, d1, d2] = three([x[9], x[1], x[5]]);
        let [y0, y9, y6, y3] = four([a0, b0, c0, d0]);
        let [y4, y1, y10, y7] = four([a1, b1, c1, d1]);
        let [y8, y5, y2, y11] = four([a2, b2, c2, d2]);
        [y0, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11]
    }
}
