//! Runs that the report needs, each done once, and the values that follow from them and from the model.

use std::cell::RefCell;
use std::collections::BTreeMap;

use earth::CancelToken;
use earth_console::work::Progress;
use earth_papers::manycore::LOCAL_STAGES;
use earth_report::numbers::gflops;

use super::chip::{CLOCK, Change, Chip};
use super::machine::Machine;
use super::operation::{Operation, Run};
use super::program::{Factors, Pace, Program};
use crate::model::manycore::Model;
use crate::run_cache::{RunCache, RunFile, SimulateError};

/// Numbers of cores that are simulated.
pub(crate) const CORES: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Numbers of cores in the figures over N.
pub(crate) const FEW_CORES: [usize; 4] = [1, 4, 16, 64];
/// Binary logarithms of the points in the figures over N.
pub(crate) const LOGS: [u32; 7] = [10, 11, 12, 13, 14, 15, 16];
/// Binary logarithms of the points for radix 4, and below for radix 8.
pub(crate) const LOGS_4: [u32; 4] = [10, 12, 14, 16];
pub(crate) const LOGS_8: [u32; 2] = [12, 15];
/// Logarithms in the figures over cores.
pub(crate) const THREE: [u32; 3] = [10, 13, 16];
/// Logarithms for the best number of cores.
pub(crate) const SMALL: [u32; 6] = [5, 6, 7, 8, 9, 10];
/// Logarithms for C64+.
pub(crate) const ENDS: [u32; 2] = [10, 16];
/// Number of stages whose factors are in own memory in PAR-R2LM.
pub(crate) const LOCAL: u32 = LOCAL_STAGES;
/// Placements of the factors.
pub(crate) const PLACES: [Factors; 6] = [
    Factors::Stacked,
    Factors::Local(LOCAL),
    Factors::Spread,
    Factors::Copied(4),
    Factors::Copied(16),
    Factors::Kept,
];

pub(crate) fn cores_of(count: usize) -> String {
    format!("{count} core{}", if count == 1 { "" } else { "s" })
}

/// Function from a radix, the logarithm of the points, and the number of cores to a program.
pub(crate) type Published = fn(usize, u32, usize) -> Program;

/// Returns the published program of a radix.
pub(crate) fn by(radix: usize, log: u32, cores: usize) -> Program {
    Program::published(log, radix, Chip::c64(cores))
}

/// Returns PAR-R2LM.
pub(crate) fn local(log: u32, cores: usize) -> Program {
    Program { factors: Factors::Local(LOCAL), ..by(2, log, cores) }
}

/// Returns the published program of a radix with its elements in step, as in the model.
pub(crate) fn in_step(radix: usize, log: u32, cores: usize) -> Program {
    Program { pace: Pace::InStep, ..by(radix, log, cores) }
}

/// Returns the published program of a radix whose elements wait for all their loads, then for all their
/// stores.
pub(crate) fn in_bursts(radix: usize, log: u32, cores: usize) -> Program {
    Program { pace: Pace::Bursts, ..by(radix, log, cores) }
}

/// Returns PAR-R2 on C64+.
pub(crate) fn plus(log: u32, cores: usize) -> Program {
    Program::published(log, 2, Chip::c64_plus(cores))
}

/// Returns a program on a changed chip.
pub(crate) fn changed(mut program: Program, change: Change) -> Program {
    change(&mut program.chip);
    program
}

/// Results of runs.
#[derive(Default)]
pub(crate) struct Results {
    runs: RunCache<Program, Run>,
    /// Cycles of a barrier on each chip.
    barriers: RefCell<BTreeMap<Chip, f64>>,
}

impl Results {
    /// Makes a report after doing the runs that it asks for.
    ///
    /// # Errors
    ///
    /// Returns an error if `cancel` was cancelled, or if the runs cannot be kept.
    pub(crate) fn reported<D>(
        report: impl Fn(&Self) -> D,
        cancel: &CancelToken,
        kept: &RunFile,
        progress: &impl Progress,
    ) -> Result<D, SimulateError> {
        let mut results = Self::default();
        // The first pass records the runs.
        report(&results);
        let run = |program: &Program| {
            if cancel.is_cancelled() { Err(SimulateError::CANCELLED) } else { Ok(program.run()) }
        };
        results.runs.run(kept, Program::effort, progress, run)?;
        let reported = report(&results);
        debug_assert!(results.runs.is_whole(), "the second report asks for no other runs");
        Ok(reported)
    }

    /// Returns the result of a run, or an empty result if the run was not done.
    pub(crate) fn run(&self, program: &Program) -> Run {
        let none = || Run { ends: vec![0; program.stages() as usize], ..Run::default() };
        self.runs.result(program).unwrap_or_else(none)
    }

    pub(crate) fn cycles(&self, program: &Program) -> f64 {
        self.run(program).cycles as f64
    }

    /// Returns the cycles of each stage.
    pub(crate) fn stages(&self, program: &Program) -> Vec<f64> {
        let ends = self.run(program).ends;
        let begins = std::iter::once(&0).chain(&ends);
        ends.iter().zip(begins).map(|(end, begin)| end.saturating_sub(*begin) as f64).collect()
    }

    /// Returns the simulated cycles of a barrier.
    pub(crate) fn barrier(&self, chip: &Chip) -> f64 {
        *self.barriers.borrow_mut().entry(chip.clone()).or_insert_with(|| barrier(chip))
    }

    /// Returns the model of a program with barriers.
    pub(crate) fn model<'a>(&self, program: &'a Program) -> Model<'a> {
        let local = if let Factors::Local(stages) = program.factors { stages } else { 0 };
        let Program { radix, ref chip, .. } = *program;
        Model { chip, points: program.points(), radix, local, barrier: self.barrier(chip) }
    }

    /// Returns the model's cycles of each stage.
    pub(crate) fn modelled_stages(&self, program: &Program) -> Vec<f64> {
        let model = self.model(program);
        (0..model.stages()).map(|stage| model.stage(stage).all()).collect()
    }

    /// Returns the relative error of the model; positive if the model is above the simulation.
    pub(crate) fn error(&self, program: &Program) -> f64 {
        self.model(program).cycles() / self.cycles(program) - 1.0
    }

    /// Returns the relative error of the model for each stage.
    pub(crate) fn stage_errors(&self, program: &Program) -> Vec<f64> {
        let both = self.modelled_stages(program).into_iter().zip(self.stages(program));
        both.map(|(model, run)| model / run - 1.0).collect()
    }

    pub(crate) fn gflops(&self, program: &Program) -> f64 {
        gflops(program.points(), self.cycles(program) / CLOCK)
    }

    pub(crate) fn modelled_gflops(&self, program: &Program) -> f64 {
        gflops(program.points(), self.model(program).cycles() / CLOCK)
    }
}

/// Simulates the cycles of a barrier: every element calls it many times, as in the paper's measurement.
fn barrier(chip: &Chip) -> f64 {
    let calls = 100;
    let programs = (0..chip.all()).map(|_| std::iter::repeat_n(Operation::Barrier, calls));
    Machine::new(chip, programs).run().cycles as f64 / calls as f64
}
