//! The model of Chen and Gao (section 4): an FFT by stages on a many-core whose memory programs manage.
//!
//! All elements issue the loads of a butterfly at once, a *burst*, then compute, then issue its stores (Eq. 1, 2, 12, 13):
//! a stage is `N / (R P C)` bursts and a barrier. A burst's loads take the out port, the crossbar, the banks, the crossbar and
//! the in port one after the other (Eq. 5), its stores all but the way back (Eq. 6). The text of Eq. 4 and 5 is damaged; we
//! read Eq. 5 as
//!
//! `(n P S_r / B_out - 1) + 2 D + max(R P C S_d / B_x - 1, (R - 1) P C S_d / B_w - 1) + (n P S_d / B_in - 1)`, `n = 2 R - 1`.
//!
//! *Banks* are what decides. `B_x` is 8 bytes a cycle of every bank that the points of a burst cover. In stages whose points are at most
//! `P C` apart these lie in one piece (Eq. 7), else in R pieces of `P C` points, `s` points apart. For R = 2 the paper
//! tells three scenarios of two pieces that overlap or not (Eq. 8 to 10, the last with its parenthesis where it belongs); [`Model::banks_of_points`] counts
//! the banks that are covered, which comes to the same, and goes for any R. `B_w` is 8 bytes a cycle of every bank that the
//! factors of a stage lie in, at most of as many as a burst's would fill (Eq. 11).
//!
//! *Computing* (section 4.4) is the butterfly's code without loads and stores, issued in order, the floating-point operations of the elements that
//! share a unit in turn. *Barriers* (section 4.5) are measured, as the paper measures them.

use crate::manycore::chip::{Chip, POINT};
use crate::manycore::code::{Step, butterfly};

/// The model of one program on one chip.
#[derive(Clone, Debug)]
pub(crate) struct Model<'a> {
    /// The chip.
    pub(crate) chip: &'a Chip,
    /// The points.
    pub(crate) points: usize,
    /// The points of a butterfly.
    pub(crate) radix: usize,
    /// The stages whose factors are in each element's own memory.
    pub(crate) near: u32,
    /// The measured cycles of a barrier, T_B.
    pub(crate) barrier: f64,
}

/// The cycles of a stage, by its parts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stage {
    /// T_M.
    pub(crate) memory: f64,
    /// T_C.
    pub(crate) computing: f64,
    /// T_B.
    pub(crate) barrier: f64,
}

impl Stage {
    /// All of it.
    pub(crate) fn all(self) -> f64 {
        self.memory + self.computing + self.barrier
    }
}

impl Model<'_> {
    /// The stages.
    pub(crate) fn stages(&self) -> u32 {
        self.points.ilog(self.radix)
    }

    /// A stage, from 0.
    pub(crate) fn stage(&self, stage: u32) -> Stage {
        let bursts = (self.points / self.radix).div_ceil(self.chip.all()) as f64;
        let memory = bursts * (self.loads(stage) + self.stores(stage));
        Stage { memory, computing: bursts * self.computing(), barrier: self.barrier }
    }

    /// The cycles of a transform (Eq. 2).
    pub(crate) fn cycles(&self) -> f64 {
        (0..self.stages()).map(|stage| self.stage(stage).all()).sum()
    }

    /// Eq. 5.
    fn loads(&self, stage: u32) -> f64 {
        let Chip { elements, width, request, delay, .. } = *self.chip;
        let [elements, width, request, delay] = [elements as f64, width as f64, request as f64, delay as f64];
        let (radix, all, point) = (self.radix as f64, self.chip.all() as f64, POINT as f64);
        let is_near = stage < self.near;
        let loads = if is_near { radix } else { 2.0 * radix - 1.0 };
        let points = radix * all * point / (self.banks_of_points(stage) as f64 * width) - 1.0;
        let factors = (radix - 1.0) * all * point / (self.banks_of_factors(stage) as f64 * width) - 1.0;
        let banks = if is_near { points } else { points.max(factors) };
        let near = if is_near { self.chip.near as f64 * (radix - 1.0) } else { 0.0 };
        (loads * elements * request / width - 1.0)
            + 2.0 * delay
            + banks
            + (loads * elements * point / width - 1.0)
            + near
    }

    /// Eq. 6.
    fn stores(&self, stage: u32) -> f64 {
        let (width, radix) = (self.chip.width as f64, self.radix as f64);
        let bytes = radix * self.chip.elements as f64 * POINT as f64;
        let banks = self.banks_of_points(stage) as f64 * width;
        (bytes / width - 1.0) + self.chip.delay as f64 + (bytes * self.chip.cores as f64 / banks - 1.0)
    }

    /// The banks that the points of a burst cover (Eq. 7 to 10).
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

    /// The banks that the factors of a burst are in (Eq. 11).
    pub(crate) fn banks_of_factors(&self, stage: u32) -> usize {
        let row = (self.radix as u64 - 1) * POINT;
        let rows = (self.radix as u64).pow(stage).min(self.chip.all() as u64);
        (rows * row).div_ceil(self.chip.line).clamp(1, self.chip.banks as u64) as usize
    }

    /// The cycles of a butterfly without loads and stores (section 4.4).
    pub(crate) fn computing(&self) -> f64 {
        let sharing = self.chip.sharing.min(self.chip.elements);
        // When each register of each of the elements is there.
        let mut ready = vec![[0_u64; 256]; sharing];
        let (mut now, mut integer) = (0, 0);
        for step in butterfly(self.radix) {
            match step {
                Step::Integer(cycles) => integer = cycles,
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
mod tests {
    use super::*;

    fn model(chip: &Chip, points: usize, radix: usize) -> Model<'_> {
        Model { chip, points, radix, near: 0, barrier: 0.0 }
    }

    /// The three scenarios of two pieces as the paper prints them.
    #[test]
    fn covered_banks_are_those_of_the_three_scenarios() {
        let mut met = [0; 3];
        // The paper takes pieces to begin with a line, so that there is a line of them at least.
        let c64 = [4, 8, 16, 32, 64].map(Chip::c64);
        for chip in c64.into_iter().chain([Chip::c64_plus(64)]) {
            let model = model(&chip, 1 << 24, 2);
            for stage in 0..24 {
                let (all, line, banks) = (chip.all() as u64, chip.line, chip.banks as u64);
                let (length, whole) = (all * POINT, banks * line);
                let apart = (POINT << stage) % whole;
                let printed = if 1 << stage <= all {
                    (2 * length).div_ceil(line).min(banks)
                } else if apart >= length && apart <= whole - length {
                    met[0] += 1;
                    (2 * length).div_ceil(line)
                } else if apart < length {
                    met[1] += 1;
                    (apart + length).div_ceil(line).min(banks)
                } else {
                    met[2] += 1;
                    length.div_ceil(line) + (whole - apart).div_ceil(line)
                };
                let found = model.banks_of_points(stage) as u64;
                assert_eq!(found, printed, "{chip:?}, stage {stage}");
            }
        }
        // On the C64, whose banks are five times a power of two, pieces never overlap.
        assert!(met.iter().all(|&times| times > 0), "{met:?}");
    }

    /// Eq. 5 and 6 with all terms written out, for 64 cores and the first stage: 128 requests for one factor.
    #[test]
    fn a_burst_takes_what_the_equations_say() {
        let chip = Chip::c64(64);
        let delay = chip.delay as f64;
        let model = model(&chip, 1 << 10, 2);
        let loads = (6.0 - 1.0) + 2.0 * delay + (128.0 * 16.0 / 8.0 - 1.0) + (12.0 - 1.0);
        // 256 points lie in 32 banks.
        let stores = (8.0 - 1.0) + delay + (256.0 * 16.0 / (32.0 * 8.0) - 1.0);
        let stage = model.stage(0);
        assert!((stage.memory - 4.0 * (loads + stores)).abs() < 1e-9, "{stage:?}");
        let banks: Vec<_> = (0..10).map(|stage| model.banks_of_factors(stage)).collect();
        assert_eq!(banks, [1, 1, 1, 1, 2, 4, 8, 16, 16, 16]);
        let near = Model { near: 6, ..model };
        assert!(near.stage(0).memory < 0.3 * stage.memory && near.stage(6).memory == stage_of(&near, 6));
    }

    fn stage_of(model: &Model<'_>, stage: u32) -> f64 {
        Model { near: 0, ..model.clone() }.stage(stage).memory
    }

    /// A multiplication, a multiply-add and the sums follow each other by 6 cycles: they are issued in cycles 0, 1, 6, 7 and 12
    /// to 15. A second element's go between them.
    #[test]
    fn computing_is_the_code_in_order() {
        let alone = Chip { sharing: 1, ..Chip::c64(1) };
        assert_eq!(model(&alone, 2, 2).computing(), 9.0 + 15.0 + 6.0);
        let pair = Chip::c64(1);
        assert_eq!(model(&pair, 2, 2).computing(), 9.0 + 19.0 + 6.0);
    }
}
