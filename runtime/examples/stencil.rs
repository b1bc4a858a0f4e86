//! Jacobi relaxation of a line of values: in every round each value becomes the mean of itself and its two
//! neighbors. Beyond the two ends the values are fixed.
//!
//! The line is cut into strips, the patches of [`Neighbours`]. In each round a strip waits for one border
//! value of either neighbor, and for no other event: there is no barrier. A neighbor may be a round ahead;
//! the border that it has sent early is parked until this strip's next round. The result is bitwise equal to
//! a loop's result.
//!
//! `cargo run --release -p earth --example programs -- stencil [values] [rounds] [strips] [nodes] [spn|dual]`

use std::time::{Duration, Instant};

use earth::patterns::{Halos, Neighbours, Patch, Side};
use earth::{Config, Machine, Wire, Work};

/// Fixed values left of the line's first value and right of its last.
const ENDS: [f64; 2] = [1.0, -1.0];

/// A strip of the line.
#[derive(Wire)]
struct Strip(Vec<f64>);

impl Patch for Strip {
    type Halo = f64;
    type Output = Vec<f64>;

    fn border(&self, side: Side) -> f64 {
        let Strip(values) = self;
        if side == Side::Left { values[0] } else { values[values.len() - 1] }
    }

    fn round(&mut self, halos: Halos<f64>) {
        let [left, right] = [Side::Left, Side::Right].map(|side| halos.at(side).copied());
        relax(&mut self.0, left.unwrap_or(ENDS[0]), right.unwrap_or(ENDS[1]));
    }

    fn finish(self) -> Vec<f64> {
        self.0
    }

    fn cost(&self) -> Work {
        Work::Flops(3 * self.0.len() as u64)
    }
}

/// Runs a round on some values between two others.
fn relax(values: &mut [f64], mut left: f64, right: f64) {
    for i in 0..values.len() {
        let next = values.get(i + 1).copied().unwrap_or(right);
        let value = values[i];
        values[i] = (left + value + next) / 3.0;
        left = value;
    }
}

/// Relaxes `n` values `rounds` times in at most `strips` strips, and compares them with a loop. Returns the
/// times of the loop and of the run.
pub(crate) fn demonstrate(
    n: usize,
    rounds: usize,
    strips: usize,
    machine: &mut Machine,
) -> Result<[Duration; 2], Box<dyn std::error::Error>> {
    if n == 0 || strips == 0 {
        return Err("the numbers of values and of strips must be at least 1".into());
    }
    let line: Vec<f64> = (0_u32..).map(|i| f64::from(i * 7919 % 1000) / 1000.0).take(n).collect();
    let cut: Vec<_> = line.chunks(n.div_ceil(strips)).map(|values| Strip(values.to_vec())).collect();
    let (nodes, strips) = (machine.node_count(), cut.len());
    let run = machine.run(|out| Neighbours::call(strips, cut, rounds, out))?;

    let began = Instant::now();
    let mut expected = line;
    (0..rounds).for_each(|_| relax(&mut expected, ENDS[0], ENDS[1]));
    let plain = began.elapsed();
    if run.value.concat() != expected {
        return Err("the values of the strips differ from those of the loop".into());
    }
    let early = run.counters.parked;
    eprintln!("{n} values, {rounds} rounds, {strips} strips on {nodes} nodes: {early} borders came early");
    Ok([plain, run.elapsed])
}

/// Runs the program with its command-line arguments.
pub(crate) fn main(args: impl Iterator<Item = String>) -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = args.collect();
    let number = |i: usize, usual| args.get(i).map_or(Ok(usual), |arg| arg.parse());
    let config = args.get(4).map_or(Ok(Config::Spn), |arg| arg.parse())?;
    demonstrate(
        number(0, 10_000)?,
        number(1, 100)?,
        number(2, 8)?,
        &mut Machine::threads(number(3, 2)?).config(config),
    )
    .map(drop)
}
