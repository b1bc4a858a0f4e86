//! Code of a butterfly as a compiler would emit it: operations, registers and order.
//!
//! Loads come first. The arithmetic uses fused multiply-adds. Each result is stored as soon as its last
//! operation has been issued. Signs and multiplications by i are free because the next operation absorbs
//! them.
//!
//! | radix | loads | floating-point operations | stores | integer operations |
//! |---|---|---|---|---|
//! | 2 | 3 | 8 | 2 | 9 |
//! | 4 | 7 | 28 | 4 | 11 |
//! | 8 | 15 | 84 | 8 | 15 |
//!
//! The integer operations are counted from the listings, an estimate: `k` and `j`, the first point's address
//! and the row's, an address for each further point, and the loop's increment and branch.

use super::operation::Register;

/// Step of a butterfly's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A number of integer operations.
    Integer(u64),
    /// Loads factor number `m` of the row, counted from 0.
    Factor { m: usize, to: Register },
    /// Loads point number `m`.
    Point { m: usize, to: Register },
    /// Floating-point operation.
    Float { from: [Register; 3], to: Register },
    /// Stores point number `m`.
    Store { m: usize, from: Register },
    /// Waits for all loads and stores.
    Drain,
}

/// Returns the number of integer operations of a butterfly.
pub(crate) fn integer_operations(radix: usize) -> u64 {
    7 + radix as u64
}

/// Returns the code of a butterfly of 2, 4 or 8 points.
pub(crate) fn butterfly(radix: usize) -> Vec<Step> {
    let mut code = Writer::default();
    code.steps.push(Step::Integer(integer_operations(radix)));
    let factors: Vec<_> = (0..radix - 1).map(|_| code.register()).collect();
    let points: Vec<_> = (0..radix).map(|_| code.register()).collect();
    code.steps.push(Step::Point { m: 0, to: points[0] });
    for (m, (&factor, &point)) in factors.iter().zip(&points[1..]).enumerate() {
        code.steps.extend([Step::Factor { m, to: factor }, Step::Point { m: m + 1, to: point }]);
    }
    let mut x = vec![points[0]];
    x.extend(factors.iter().zip(&points[1..]).map(|(&w, &x)| code.product(w, x)));
    match radix {
        2 => code.both(x[0], x[1], [0, 1]),
        4 => {
            let halves = code.halves([x[0], x[1], x[2], x[3]]);
            code.both(halves[0], halves[2], [0, 2]);
            code.both(halves[1], halves[3], [1, 3]);
        }
        _ => {
            let [even, odd] = [0, 1].map(|at| code.four([x[at], x[at + 2], x[at + 4], x[at + 6]]));
            let odd = [odd[0], code.eighth(odd[1]), odd[2], code.eighth(odd[3])];
            for m in 0..4 {
                code.both(even[m], odd[m], [m, m + 4]);
            }
        }
    }
    code.steps
}

/// Returns the code of a butterfly that waits for all its loads before the arithmetic, and for its stores at
/// the end.
pub(crate) fn in_bursts(radix: usize) -> Vec<Step> {
    let (stores, mut code): (Vec<_>, Vec<_>) =
        butterfly(radix).into_iter().partition(|step| matches!(step, Step::Store { .. }));
    let computing = code.iter().position(|step| matches!(step, Step::Float { .. })).unwrap_or(code.len());
    code.insert(computing, Step::Drain);
    code.extend(stores);
    code.push(Step::Drain);
    code
}

#[derive(Default)]
struct Writer {
    steps: Vec<Step>,
    used: Register,
}

impl Writer {
    /// Allocates the two registers of a point.
    fn register(&mut self) -> Register {
        self.used += 2;
        self.used - 2
    }

    fn float(&mut self, from: [Register; 3], to: Register) {
        self.steps.push(Step::Float { from, to });
    }

    /// Emits a complex product: two multiplications and two fused multiply-adds.
    fn product(&mut self, w: Register, x: Register) -> Register {
        let (half, to) = (self.register(), self.register());
        self.float([w + 1, x + 1, x + 1], half);
        self.float([w + 1, x, x], half + 1);
        self.float([w, x, half], to);
        self.float([w, x + 1, half + 1], to + 1);
        to
    }

    /// Emits a complex sum or difference; one operand may be multiplied by i.
    fn sum(&mut self, a: Register, b: Register) -> Register {
        let to = self.register();
        self.float([a, b, b], to);
        self.float([a + 1, b + 1, b + 1], to + 1);
        to
    }

    /// Emits the sums and differences of points 0 and 2, and of points 1 and 3.
    fn halves(&mut self, x: [Register; 4]) -> [Register; 4] {
        [self.sum(x[0], x[2]), self.sum(x[0], x[2]), self.sum(x[1], x[3]), self.sum(x[1], x[3])]
    }

    /// Emits a transform of four points.
    fn four(&mut self, x: [Register; 4]) -> [Register; 4] {
        let [a, b, c, d] = self.halves(x);
        [self.sum(a, c), self.sum(b, d), self.sum(a, c), self.sum(b, d)]
    }

    /// Emits a product with an eighth root of unity: two additions and two multiplications.
    fn eighth(&mut self, x: Register) -> Register {
        let (turned, to) = (self.register(), self.register());
        self.float([x, x + 1, x], turned);
        self.float([x + 1, x, x], turned + 1);
        self.float([turned; 3], to);
        self.float([turned + 1; 3], to + 1);
        to
    }

    /// Emits the sum and difference of two points, and stores them as points `stored`.
    fn both(&mut self, a: Register, b: Register, stored: [usize; 2]) {
        for m in stored {
            let from = self.sum(a, b);
            self.steps.push(Step::Store { m, from });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_the_papers_loads_and_stores() {
        for (radix, counts) in [(2, [3, 8, 2]), (4, [7, 28, 4]), (8, [15, 84, 8])] {
            let code = butterfly(radix);
            let count = |of: fn(&Step) -> bool| code.iter().filter(|step| of(step)).count();
            let loads = count(|step| matches!(step, Step::Factor { .. } | Step::Point { .. }));
            let floats = count(|step| matches!(step, Step::Float { .. }));
            let stores = count(|step| matches!(step, Step::Store { .. }));
            assert_eq!([loads, floats, stores], counts, "radix {radix}");
        }
    }

    /// No operation reads a register before it is written, and no register is written twice.
    #[test]
    fn registers_are_written_before_they_are_read() {
        for radix in [2, 4, 8] {
            let mut written = [false; 256];
            let mut write = |to: Register| assert!(!std::mem::replace(&mut written[usize::from(to)], true));
            let mut read = Vec::new();
            for step in butterfly(radix) {
                match step {
                    Step::Integer(_) | Step::Drain => {}
                    Step::Factor { to, .. } | Step::Point { to, .. } => {
                        write(to);
                        write(to + 1);
                    }
                    Step::Float { from, to } => {
                        read.extend(from);
                        write(to);
                    }
                    Step::Store { from, .. } => read.extend([from, from + 1]),
                }
            }
            assert!(read.into_iter().all(|register| written[usize::from(register)]));
        }
    }
}
