//! Asking with shared answers: every point of every level is computed once.
//!
//! A point of level l < L has two readers in the level above: itself and its mate. The ask by itself is a
//! [`Point`], which computes it, answers, and writes its cell; the ask by the mate is a [`Read`] of that
//! cell, which waits there if it comes first (an I-structure). So each of the N L points above level 0 asks
//! twice. *Memory.* A cell for each point of each level but the last.

use earth::{NodeId, Reply, Then, threaded_old};
use num_complex::Complex;

use super::net::{Net, Scalar};
use crate::plan::run::RunPlan;

threaded_old! {
    /// An ask for a point by itself, one level up, or for a root.
    pub fn Point<T: Scalar>(point: usize, level: u32, net: RunPlan<Net<T>>, out: Reply<Complex<T>>)
    calls { Read<T> }
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
            let node = NodeId::new(order.node(operand));
            let ask = (operand, level, this.net.clone(), eu.reply_to(inlet, Self::both));
            if operand == this.point {
                eu.invoke_old::<Point<T>>(node, ask);
            } else {
                eu.invoke_old::<Read<T>>(node, ask);
            }
        }
        Then::Wait
    }

    fiber combine(this, eu) {
        let operands = [eu.take(Self::even), eu.take(Self::odd)];
        let value = this.net.combine(eu, this.point, this.level, operands);
        // Nobody reads a root but the part that asked for it.
        if this.level < this.net.plan.order.levels() {
            eu.write(this.net.cell(this.point, this.level), value);
        }
        eu.put(this.out, value);
        Then::End
    }
}

threaded_old! {
    /// An ask for a point by its mate, one level up.
    pub fn Read<T: Scalar>(point: usize, level: u32, net: RunPlan<Net<T>>, out: Reply<Complex<T>>)
    fiber start(this, eu) {
        eu.get(this.net.cell(this.point, this.level), this.out);
        Then::End
    }
}
