//! Runs of the chip as keys of the cache. Runs that cannot differ have one key.

use earth_kernels::RadixOrder;
use serde::Serialize;

use super::chip::{BarrierKind, Chip};
use super::code::butterfly;
use super::machine::Machine;
use super::operation::{Operation, Run};
use super::program::{Factors, Program, Waiting};
use super::reversal;

/// Run of the chip.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) enum Task {
    /// Stages of a program.
    Stages(Program),
    /// Digit reversal before a program of this radix.
    Reversal { log: u32, radix: usize, chip: Chip },
    /// A barrier, as the paper measures it.
    Barrier(Chip),
}

/// Number of calls of a barrier in its measurement.
pub(crate) const CALLS: usize = 100;

impl Task {
    /// Returns the run of a program's stages.
    pub(crate) fn stages(program: &Program) -> Self {
        let mut program = program.clone();
        let chip = &mut program.chip;
        whole_cycles(chip);
        // An element needs all loads of a butterfly before the next butterfly's.
        chip.loads = chip.loads.min(2 * program.radix - 1);
        if !matches!(program.factors, Factors::Local(_)) {
            chip.local = 0;
        }
        if program.waiting != Waiting::Barriers {
            (chip.barrier, chip.kind) = (0, BarrierKind::Told);
        }
        Self::Stages(program)
    }

    /// Returns the run of the reversal before a program.
    pub(crate) fn reversal(program: &Program) -> Self {
        let mut chip = program.chip.clone();
        whole_cycles(&mut chip);
        (chip.local, chip.latency, chip.loads) = (0, 0, chip.loads.min(2));
        Self::Reversal { log: program.log, radix: program.radix, chip }
    }

    /// Returns the run of a chip's barrier.
    pub(crate) fn barrier(chip: &Chip) -> Self {
        let mut chip = Chip { local: 0, latency: 0, loads: 0, integer: 0, ..chip.clone() };
        whole_cycles(&mut chip);
        Self::Barrier(chip)
    }

    /// Returns an estimate of the run's operations; the largest runs start first.
    pub(crate) fn effort(&self) -> u64 {
        match self {
            Self::Stages(program) => {
                let butterflies = (program.points() / program.radix) as u64 * u64::from(program.stages());
                butterflies * butterfly(program.radix).len() as u64
            }
            Self::Reversal { log, .. } => 4 << log,
            Self::Barrier(chip) => (chip.all() * CALLS) as u64,
        }
    }

    pub(crate) fn run(&self) -> Run {
        match self {
            Self::Stages(program) => program.run(),
            Self::Reversal { log, radix, chip } => {
                let order = RadixOrder::new(1 << log, *radix, 1);
                reversal::run(chip, order.unwrap_or_else(|error| unreachable!("{error}")))
            }
            Self::Barrier(chip) => {
                let programs = (0..chip.all()).map(|_| std::iter::repeat_n(Operation::Barrier, CALLS));
                Machine::new(chip, programs).run()
            }
        }
    }
}

/// Rounds a request up to whole cycles of a port, as the machine does.
fn whole_cycles(chip: &mut Chip) {
    chip.request = chip.passing(chip.request) * chip.width;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manycore::program::Pace;

    /// A task that differs from its program in the chip has the program's result.
    #[test]
    fn runs_of_one_key_are_equal() {
        let odd = |chip: Chip| Chip { request: 5, loads: 40, local: 9, ..chip };
        let mut differing = 0;
        for radix in [2, 4, 8] {
            for waiting in [Waiting::Barriers, Waiting::Signals] {
                for factors in [Factors::Stacked, Factors::Local(1)] {
                    for pace in [Pace::Free, Pace::Bursts] {
                        let chip = Chip { barrier: 150, ..odd(Chip::c64(3)) };
                        let program =
                            Program { factors, waiting, pace, ..Program::published(6, radix, chip.clone()) };
                        let Task::Stages(same) = Task::stages(&program) else { unreachable!() };
                        assert_eq!(same.run(), program.run(), "{program:?}");
                        differing += usize::from(same != program);
                    }
                }
            }
            let program = Program::published(6, radix, odd(Chip::c64(3)));
            let order = RadixOrder::new(64, radix, 1).unwrap();
            assert_eq!(Task::reversal(&program).run(), reversal::run(&program.chip, order));
        }
        assert_eq!(differing, 24);
        let chip = odd(Chip::c64(3));
        assert_eq!(Task::barrier(&chip).run(), Task::Barrier(chip).run());
    }

    /// Half the loads of a butterfly are a limit.
    #[test]
    fn a_butterfly_needs_as_many_loads_as_it_has() {
        for radix in [2, 4, 8] {
            let cycles = |loads| {
                Program::published(6, radix, Chip { loads, elements: 1, ..Chip::c64(1) }).run().cycles
            };
            let all = 2 * radix - 1;
            assert_eq!(cycles(all), cycles(usize::MAX));
            assert!(cycles(all / 2) > cycles(all), "radix {radix}");
        }
    }

    #[test]
    fn a_barrier_costs_half_and_twice() {
        let cycles = |barrier, kind| {
            Task::barrier(&Chip { barrier, kind, ..Chip::c64(64) }).run().cycles / CALLS as u64
        };
        let whole = cycles(100, BarrierKind::Told);
        for (percent, cost) in [(50, whole / 2), (200, 2 * whole)] {
            // The ports of a core take as long at any cost.
            assert!(
                cycles(percent, BarrierKind::Told).abs_diff(cost) <= 3,
                "{percent}: {}",
                cycles(percent, BarrierKind::Told)
            );
        }
        assert!(cycles(100, BarrierKind::Polled) > whole);
        assert!(cycles(100, BarrierKind::Locked) > 10 * whole);
    }
}
