//! Asking with shared answers: every point of every level is computed once.
//!
//! A point of level l < L has two readers in the level above: itself and its mate. The ask by itself is a
//! [`Point`], which computes it, answers, and writes its cell; the ask by the mate is a [`Read`] of that
//! cell, which waits there if it comes first (an I-structure). So each of the N L points above level 0 asks
//! twice. *Memory.* A cell for each point of each level but the last.

use std::marker::PhantomData;

use earth::{Eu, NodeId, Reply, Shared, Start, threaded};
use num_complex::Complex;

use super::net::{Net, Scalar};

/// An ask for a point by itself, one level up, or for a root.
pub struct Point<T: Scalar> {
    number: usize,
    level: u32,
    net: Shared<Net<T>>,
    out: Reply<Complex<T>>,
}

#[threaded(in_line)]
impl<T: Scalar> Point<T> {
    /// Asks for the point's operands, or reads it at level 0.
    pub fn start(
        number: usize,
        level: u32,
        net: Shared<Net<T>>,
        out: Reply<Complex<T>>,
        eu: &mut Eu<Self>,
    ) -> Start<Self> {
        if level == 0 {
            eu.get(net.cell(number, 0), out);
            go_on(&net, number, level, eu);
            return Start::End;
        }
        let order = net.plan.order;
        let [even, odd] = order.operands(number, level);
        for (operand, inlet) in [(even, Self::combine().even), (odd, Self::combine().odd)] {
            let (node, to) = (NodeId::new(order.node(operand)), eu.reply(inlet));
            if operand == number {
                eu.invoke(node, Point::call(operand, level - 1, net.clone(), to));
            } else {
                eu.invoke(node, Read::call(operand, level - 1, net.clone(), to));
            }
        }
        Start::Wait(Point { number, level, net, out })
    }

    #[slot]
    fn combine(self, even: Complex<T>, odd: Complex<T>, eu: &mut Eu<Self>) {
        let value = self.net.combine(eu, self.number, self.level, [even, odd]);
        // Nobody reads a root but the part that asked for it.
        if self.level < self.net.plan.order.levels() {
            eu.write(self.net.cell(self.number, self.level), value);
        }
        eu.put(self.out, value);
        go_on(&self.net, self.number, self.level, eu);
    }
}

/// Asks for the next root of this node, if the point is a root.
fn go_on<T: Scalar>(net: &Shared<Net<T>>, point: usize, level: u32, eu: &mut Eu<Point<T>>) {
    if let Some((root, out)) = net.next_root(point, level) {
        eu.invoke(eu.node(), Point::call(root, level, net.clone(), out));
    }
}

/// An ask for a point by its mate, one level up.
pub struct Read<T: Scalar>(PhantomData<fn(T)>);

#[threaded(in_line)]
impl<T: Scalar> Read<T> {
    /// Reads the point's cell.
    pub fn start(point: usize, level: u32, net: Shared<Net<T>>, out: Reply<Complex<T>>, eu: &mut Eu<Self>) {
        eu.get(net.cell(point, level), out);
    }
}
