//! An array that is read before it is written: values that depend on earlier ones, requested in the worst
//! order.
//!
//! ```text
//! cargo run --release -p earth-programs -- istructure 20000 2 spn     # length, nodes, spn or dual
//! ```
//!
//! An I-structure (Arvind, Nikhil, Pingali: I-Structures: Data Structures for Parallel Computing, 1989) is an
//! array whose elements are written once. A read of an element that is not there yet waits at the element,
//! not in the program. So producers and consumers need no order, no lock and no barrier: data dependencies
//! order the computation.
//!
//! Here x(0) = 1 and x(i) = 3 x(i/2) + 5 x(i/3) + i (mod 2^64, quotients rounded down). The program starts a
//! function per value, the last first. Each requests the two values it needs and writes its own when they
//! have come. So at first all functions wait, and then they complete in order of the data.
//!
//! The array is in the frame of the main function, that is on node 0, which answers all requests. A large
//! array would be distributed: a function on each node would hold a part.

use earth::{CellRef, Eu, NodeId, Reply, Then, threaded};

use crate::program::{Instance, Program, ProgramError, Size};

/// The sum of x(0) to x(length - 1).
pub struct Sum {
    left: usize,
    total: u64,
    out: Reply<u64>,
}

#[threaded]
impl Sum {
    /// Computes the sum of the first `length` values.
    pub fn start(length: usize, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let x = eu.cell_refs(Self::x(..));
        let value = eu.reply(Self::add().value);
        for i in (1..length).rev() {
            eu.invoke(NodeId::new(i % eu.nodes()), Value::call(i as u64, x.at(i / 2), x.at(i / 3), x.at(i)));
            eu.get(x.at(i), value);
        }
        eu.get(x.at(0), value);
        eu.write(x.at(0), 1);
        Sum { left: length, total: 0, out }
    }

    #[cells(len = length)]
    fn x(i: usize) -> u64;

    #[slot(again)]
    fn add(&mut self, value: u64, eu: &mut Eu<Self>) -> Then {
        self.total = self.total.wrapping_add(value);
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.total);
        Then::End
    }
}

/// Writes x(i) when it has received the two values it needs.
struct Value {
    i: u64,
    x: CellRef<u64>,
}

#[threaded]
impl Value {
    fn start(i: u64, half: CellRef<u64>, third: CellRef<u64>, x: CellRef<u64>, eu: &mut Eu<Self>) -> Self {
        eu.get(half, eu.reply(Self::write().half));
        eu.get(third, eu.reply(Self::write().third));
        Value { i, x }
    }

    #[slot]
    fn write(self, half: u64, third: u64, eu: &mut Eu<Self>) {
        eu.write(self.x, next(half, third, self.i));
    }
}

/// Returns x(i), given x(i/2) and x(i/3).
fn next(half: u64, third: u64, i: u64) -> u64 {
    half.wrapping_mul(3).wrapping_add(third.wrapping_mul(5)).wrapping_add(i)
}

/// Computes the sum by a loop from the first value to the last.
fn plain(length: usize) -> u64 {
    let mut x = vec![1u64];
    (1..length).for_each(|i| x.push(next(x[i / 2], x[i / 3], i as u64)));
    x.iter().fold(0, |sum: u64, x| sum.wrapping_add(*x))
}

/// Adds up values that are requested before they are written.
pub struct IStructure;

impl Program for IStructure {
    fn name(&self) -> &'static str {
        "istructure"
    }

    fn title(&self) -> &'static str {
        "I-structure"
    }

    fn sizes(&self) -> &'static [Size] {
        const { &[Size::new("values", 20_000, 60)] }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let length = sizes[0] as usize;
        Ok(Instance::new(
            || plain(length),
            move |machine| machine.run(|out| Sum::call(length, out)),
            move |sum| format!("the sum of {length} values is {sum}"),
        ))
    }
}
