//! Model of Chen and Gao (section 4): an FFT by stages on a many-core chip with software-managed memory.
//!
//! All elements issue the loads of a butterfly at once, a *burst*. Then they compute, then they issue its
//! stores (Eq. 1, 2, 12, 13). A stage is `N / (R P C)` bursts and a barrier. A burst's loads pass the out
//! port, the crossbar, the banks, the crossbar and the in port one after the other (Eq. 3 for one load per
//! element, Eq. 5 for the loads of a butterfly). Its stores pass the same, except for the way back (Eq. 4 and
//! 6). The text of Eq. 4 and 5 is damaged; we read Eq. 5 as
//!
//! ```text
//! (n P S_r / B_out - 1) + 2 D + max(R P C S_d / B_x - 1, (R - 1) P C S_d / B_w - 1) + (n P S_d / B_in - 1)
//! ```
//!
//! with `n = 2 R - 1`.
//!
//! *Banks* dominate. `B_x` is 8 bytes per cycle of each bank that the points of a burst cover. In stages
//! whose points are at most `P C` apart, the points of a burst are contiguous (Eq. 7). In other stages they
//! are R ranges of `P C` points, `s` points apart. For R = 2 the paper gives three scenarios of two ranges
//! that overlap or do not (Eq. 8 to 10; in the last one we move a misplaced parenthesis).
//! [`Model::banks_of_points`] counts the covered banks, which is equivalent and holds for any R. `B_w` is 8
//! bytes per cycle of each bank that contains factors of the stage, limited to the banks that a burst's
//! factors would fill (Eq. 11).
//!
//! *Computing* (section 4.4) is the butterfly's code without loads and stores, issued in order. The
//! floating-point operations of elements that share a unit alternate. *Barriers* (section 4.5) are measured,
//! as in the paper.

use crate::manycore::chip::{Chip, POINT};
use crate::manycore::code::{Step, butterfly};

/// Model of one program on one chip.
#[derive(Clone, Debug)]
pub(crate) struct Model<'a> {
    pub(crate) chip: &'a Chip,
    pub(crate) points: usize,
    /// Points per butterfly.
    pub(crate) radix: usize,
    /// Number of first stages whose factors are in each element's own memory.
    pub(crate) local: u32,
    /// Measured cost of a barrier, `T_B`, in cycles.
    pub(crate) barrier: f64,
}

/// Cost of a stage by its parts, in cycles.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stage {
    /// Cycles of loads and stores, `T_M`.
    pub(crate) memory: f64,
    /// Cycles of computing, `T_C`.
    pub(crate) computing: f64,
    /// Cycles of the barrier, `T_B`.
    pub(crate) barrier: f64,
}

impl Stage {
    pub(crate) fn all(self) -> f64 {
        self.memory + self.computing + self.barrier
    }
}

impl Model<'_> {
    pub(crate) fn stages(&self) -> u32 {
        self.points.ilog(self.radix)
    }

    /// Returns the cost of a stage, counted from 0.
    pub(crate) fn stage(&self, stage: u32) -> Stage {
        let bursts = (self.points / self.radix).div_ceil(self.chip.all()) as f64;
        let memory = bursts * (self.loads(stage) + self.stores(stage));
        Stage { memory, computing: bursts * self.computing(), barrier: self.barrier }
    }

    /// Returns the cycles of a transform (Eq. 2).
    pub(crate) fn cycles(&self) -> f64 {
        (0..self.stages()).map(|stage| self.stage(stage).all()).sum()
    }

    /// Evaluates Eq. 5 with the banks of a stage.
    fn loads(&self, stage: u32) -> f64 {
        let (radix, banks) = (self.radix as f64, [self.banks_of_points(stage), self.banks_of_factors(stage)]);
        if stage < self.local {
            // Factors are loaded from each element's own memory one after another.
            return self.burst_of_loads([radix, 0.0], banks) + self.chip.local as f64 * (radix - 1.0);
        }
        self.burst_of_loads([radix, radix - 1.0], banks)
    }

    /// Evaluates Eq. 6 with the banks of a stage.
    fn stores(&self, stage: u32) -> f64 {
        self.burst_of_stores(self.radix as f64, self.banks_of_points(stage))
    }

    /// Evaluates Eq. 5: the cycles until each element has `loads` points and factors, from `banks` banks. Eq.
    /// 3 is the case of one load.
    fn burst_of_loads(&self, loads: [f64; 2], banks: [usize; 2]) -> f64 {
        let Chip { elements, width, request, delay, .. } = *self.chip;
        let [elements, width, request, delay] = [elements as f64, width as f64, request as f64, delay as f64];
        let [points, factors] = loads;
        let each = elements * (points + factors);
        let served = |loads: f64, banks: usize| {
            if loads > 0.0 { loads * self.burst() / (banks as f64 * width) - 1.0 } else { 0.0 }
        };
        (each * request / width - 1.0)
            + 2.0 * delay
            + served(points, banks[0]).max(served(factors, banks[1]))
            + (each * POINT as f64 / width - 1.0)
    }

    /// Evaluates Eq. 6: the cycles until `stores` points of each element are in `banks` banks. Eq. 4 is the
    /// case of one store.
    fn burst_of_stores(&self, stores: f64, banks: usize) -> f64 {
        let (width, elements) = (self.chip.width as f64, self.chip.elements as f64);
        (stores * elements * POINT as f64 / width - 1.0)
            + self.chip.delay as f64
            + (stores * self.burst() / (banks as f64 * width) - 1.0)
    }

    /// Returns the bytes of one point per element, P C `S_d`.
    fn burst(&self) -> f64 {
        self.chip.all() as f64 * POINT as f64
    }

    /// Returns the number of banks that the points of a burst cover (Eq. 7 to 10).
    pub(crate) fn banks_of_points(&self, stage: u32) -> usize {
        let (all, banks, line) = (self.chip.all() as u64, self.chip.banks as u64, self.chip.line);
        let distance = (self.radix as u64).pow(stage);
        if distance <= all {
            return (self.radix as u64 * all * POINT).div_ceil(line).min(banks) as usize;
        }
        let each = (all * POINT).div_ceil(line).min(banks);
        let mut covered = vec![false; self.chip.banks];
        for m in 0..self.radix as u64 {
            let first = m * distance * POINT / line;
            (first..first + each).for_each(|bank| covered[(bank % banks) as usize] = true);
        }
        covered.into_iter().filter(|&covered| covered).count()
    }

    /// Returns the number of banks that contain the factors of a burst (Eq. 11).
    pub(crate) fn banks_of_factors(&self, stage: u32) -> usize {
        let row = (self.radix as u64 - 1) * POINT;
        let rows = (self.radix as u64).pow(stage).min(self.chip.all() as u64);
        (rows * row).div_ceil(self.chip.line).clamp(1, self.chip.banks as u64) as usize
    }

    /// Returns the cycles of a butterfly without loads and stores (section 4.4).
    pub(crate) fn computing(&self) -> f64 {
        let sharing = self.chip.sharing.min(self.chip.elements);
        // Cycle at which each register of each element is ready.
        let mut ready = vec![[0_u64; 256]; sharing];
        let (mut now, mut integer) = (0, 0);
        for step in butterfly(self.radix) {
            match step {
                Step::Integer(counted) => integer = self.chip.integers(counted),
                Step::Float { from, to } => {
                    for ready in &mut ready {
                        let operands = from.map(|register| ready[usize::from(register)]);
                        now = operands.into_iter().fold(now, u64::max) + 1;
                        ready[usize::from(to)] = now - 1 + self.chip.latency;
                    }
                }
                Step::Factor { .. } | Step::Point { .. } | Step::Store { .. } | Step::Drain => {}
            }
        }
        (integer + ready.iter().flatten().fold(now, |end, &ready| end.max(ready))) as f64
    }
}

#[cfg(test)]
#[path = "manycore_tests.rs"]
mod tests;
