//! An array that is read before it is written: values that depend on earlier ones, requested in the worst
//! order.
//!
//! ```text
//! cargo run --release -p earth --example programs -- istructure 20000 2 spn     # length, nodes, spn or dual
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

use std::time::{Duration, Instant};

use earth::{CellRef, Config, Eu, Machine, NodeId, Reply, Then, threaded};

/// The sum of x(0) to x(length - 1).
pub(crate) struct Sum {
    left: usize,
    total: u64,
    out: Reply<u64>,
}

#[threaded]
impl Sum {
    pub(crate) fn start(length: usize, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
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

pub(crate) fn next(half: u64, third: u64, i: u64) -> u64 {
    half.wrapping_mul(3).wrapping_add(third.wrapping_mul(5)).wrapping_add(i)
}

/// Runs the program with its command-line arguments.
pub(crate) fn main(mut args: impl Iterator<Item = String>) -> Result<(), Box<dyn std::error::Error>> {
    let length = args.next().map_or(Ok(20_000), |length| length.parse::<usize>())?.max(1);
    let nodes = args.next().map_or(Ok(2), |nodes| nodes.parse::<usize>())?;
    let config = args.next().map_or(Ok(Config::Spn), |config| config.parse())?;
    demonstrate(length, &mut Machine::threads(nodes).config(config)).map(drop)
}

/// Computes the sum and checks it against a loop from the first to the last.
pub(crate) fn demonstrate(
    length: usize,
    machine: &mut Machine,
) -> Result<[Duration; 2], Box<dyn std::error::Error>> {
    let began = Instant::now();
    let mut x = vec![1u64];
    (1..length).for_each(|i| x.push(next(x[i / 2], x[i / 3], i as u64)));
    let expected = x.iter().fold(0, |sum: u64, x| sum.wrapping_add(*x));
    let plain = began.elapsed();

    let nodes = machine.node_count();
    let run = machine.run(|out| Sum::call(length, out))?;
    assert_eq!(run.value, expected);
    eprintln!(
        "{length} values on {nodes} nodes: {} of {} reads came before the write, {:.1} ms",
        run.counters.deferred_reads,
        3 * length - 2,
        run.elapsed.as_secs_f64() * 1e3,
    );
    Ok([plain, run.elapsed])
}
