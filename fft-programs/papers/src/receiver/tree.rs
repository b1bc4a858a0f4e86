//! Asking as in the paper: every ask computes its point anew, from two further asks.
//!
//! A root leads to 2 P - 2 asks, a binary tree of depth L with P leaves; the leaves read level 0. All points
//! on the way are computed once for each path that leads to them, and nobody keeps them: a node needs its own
//! values of level 0 and no others.

use earth::{Eu, NodeId, Reply, Shared, Start, threaded};
use num_complex::Complex;

use super::net::{Net, Scalar};

/// An ask for a point of a level, on the node that has it.
pub struct Ask<T: Scalar> {
    point: usize,
    level: u32,
    net: Shared<Net<T>>,
    out: Reply<Complex<T>>,
}

#[threaded(in_line)]
impl<T: Scalar> Ask<T> {
    /// Asks for the point's operands, or reads it at level 0.
    pub fn start(
        point: usize,
        level: u32,
        net: Shared<Net<T>>,
        out: Reply<Complex<T>>,
        eu: &mut Eu<Self>,
    ) -> Start<Self> {
        if level == 0 {
            eu.get(net.cell(point, 0), out);
            go_on(&net, point, level, eu);
            return Start::End;
        }
        let order = net.plan.order;
        let [even, odd] = order.operands(point, level);
        for (operand, inlet) in [(even, Self::combine().even), (odd, Self::combine().odd)] {
            let node = NodeId::new(order.node(operand));
            eu.invoke(node, Ask::call(operand, level - 1, net.clone(), eu.reply(inlet)));
        }
        Start::Wait(Ask { point, level, net, out })
    }

    #[slot]
    fn combine(self, even: Complex<T>, odd: Complex<T>, eu: &mut Eu<Self>) {
        let value = self.net.combine(eu, self.point, self.level, [even, odd]);
        eu.put(self.out, value);
        go_on(&self.net, self.point, self.level, eu);
    }
}

/// Asks for the next root of this node, if the point is a root.
fn go_on<T: Scalar>(net: &Shared<Net<T>>, point: usize, level: u32, eu: &mut Eu<Ask<T>>) {
    if let Some((root, out)) = net.next_root(point, level) {
        eu.invoke(eu.node(), Ask::call(root, level, net.clone(), out));
    }
}
