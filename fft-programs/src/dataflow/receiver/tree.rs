//! Asking as in the paper: every ask computes its point anew, from two further asks.
//!
//! A root leads to 2 P - 2 asks, a binary tree of depth L with P leaves; the leaves read level 0. All points
//! on the way are computed once for each path that leads to them, and nobody keeps them: a node needs its own
//! values of level 0 and no others.

use earth::{NodeId, Reply, Then, threaded_old};
use num_complex::Complex;

use super::net::{Net, Scalar};
use crate::plan::run::RunPlan;

threaded_old! {
    /// An ask for a point of a level, on the node that has it.
    pub fn Ask<T: Scalar>(point: usize, level: u32, net: RunPlan<Net<T>>, out: Reply<Complex<T>>)
    inlets { even: Complex<T>, odd: Complex<T> }
    slots { both: 2 => combine }

    fiber start(this, eu) {
        if this.level == 0 {
            eu.get(this.net.cell(this.point, 0), this.out);
            return Then::End;
        }
        let (order, level) = (this.net.plan.order, this.level - 1);
        let [even, odd] = order.operands(this.point, this.level);
        for (operand, inlet) in [(even, Self::even), (odd, Self::odd)] {
            let ask = (operand, level, this.net.clone(), eu.reply_to(inlet, Self::both));
            eu.invoke_old::<Ask<T>>(NodeId::new(order.node(operand)), ask);
        }
        Then::Wait
    }

    fiber combine(this, eu) {
        let operands = [eu.take(Self::even), eu.take(Self::odd)];
        let value = this.net.combine(eu, this.point, this.level, operands);
        eu.put(this.out, value);
        Then::End
    }
}
