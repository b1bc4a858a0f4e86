//! Jacobi relaxation of a line of values: in every round each value becomes the mean of itself and its two
//! neighbors. Beyond the two ends the values are fixed.
//!
//! The line is cut into strips, the patches of [`Neighbours`]. In each round a strip waits for one border
//! value of either neighbor, and for no other event: there is no barrier. A neighbor may be a round ahead;
//! the border that it has sent early is parked until this strip's next round. The result is bitwise equal to
//! a loop's result.
//!
//! `cargo run --release -p earth-programs -- stencil [values] [rounds] [strips] [nodes] [spn|dual]`

use earth::patterns::{Halos, Neighbours, Patch, Side};
use earth::{Machine, Wire, Work};

use crate::program::{Instance, Program, ProgramError, Size};

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

/// Relaxes a line of values in at most a number of strips.
pub struct Jacobi;

impl Program for Jacobi {
    fn name(&self) -> &'static str {
        "stencil"
    }

    fn title(&self) -> &'static str {
        "Jacobi"
    }

    fn sizes(&self) -> &'static [Size] {
        const {
            &[
                Size::new("values", 100_000, 200),
                Size::new("rounds", 50, 30).within(0, u64::MAX),
                Size::new("strips", 64, 6),
            ]
        }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let (n, rounds, strips) = (sizes[0] as usize, sizes[1] as usize, sizes[2] as usize);
        let line: Vec<f64> = (0_u32..).map(|i| f64::from(i * 7919 % 1000) / 1000.0).take(n).collect();
        let mut values = line.clone();
        let plain = move || {
            (0..rounds).for_each(|_| relax(&mut values, ENDS[0], ENDS[1]));
            values
        };
        let run = move |machine: &mut Machine| {
            let cut: Vec<_> = line.chunks(n.div_ceil(strips)).map(|values| Strip(values.to_vec())).collect();
            let run = machine.run(|out| Neighbours::call(cut.len(), cut, rounds, out))?;
            Ok::<_, ProgramError>(run.map(|strips| strips.concat()))
        };
        Ok(Instance::new(plain, run, move |values| format!("{} values after {rounds} rounds", values.len())))
    }
}
