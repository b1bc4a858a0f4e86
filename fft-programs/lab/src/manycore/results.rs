//! The runs that the report needs, each done once, and what follows from them and from the model.

use std::cell::RefCell;
use std::collections::BTreeMap;

use earth::CancelToken;
use earth_console::work::Progress;
use earth_papers::manycore::NEAR_STAGES;
use earth_report::numbers::gflops;

use super::chip::{CLOCK, Change, Chip};
use super::machine::Machine;
use super::operation::{Operation, Run};
use super::program::{Factors, Pace, Program};
use crate::asked::Asked;
use crate::model::manycore::Model;

/// The cores that are used.
pub(crate) const CORES: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
/// The cores of the figures over N.
pub(crate) const FEW_CORES: [usize; 4] = [1, 4, 16, 64];
/// The points of the figures over N, as logarithms.
pub(crate) const LOGS: [u32; 7] = [10, 11, 12, 13, 14, 15, 16];
/// Those of radix 4, and of radix 8.
pub(crate) const LOGS_4: [u32; 4] = [10, 12, 14, 16];
pub(crate) const LOGS_8: [u32; 2] = [12, 15];
/// Those of the figures over cores.
pub(crate) const THREE: [u32; 3] = [10, 13, 16];
/// Those of the question for the best number of cores.
pub(crate) const SMALL: [u32; 6] = [5, 6, 7, 8, 9, 10];
/// Those of C64+.
pub(crate) const ENDS: [u32; 2] = [10, 16];
/// The stages whose factors are near in PAR-R2LM.
pub(crate) const NEAR: u32 = NEAR_STAGES;
/// Where factors may lie.
pub(crate) const PLACES: [Factors; 6] = [
    Factors::Stacked,
    Factors::Near(NEAR),
    Factors::Spread,
    Factors::Copied(4),
    Factors::Copied(16),
    Factors::Kept,
];

/// So many cores, for people.
pub(crate) fn cores_of(count: usize) -> String {
    format!("{count} core{}", if count == 1 { "" } else { "s" })
}

/// The mean of values.
pub(crate) fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        (sum, count) = (sum + value, count + 1.0);
    }
    sum / count
}

/// A program by its radix, the logarithm of its points, and the cores.
pub(crate) type Published = fn(usize, u32, usize) -> Program;

/// The published program of a radix.
pub(crate) fn by(radix: usize, log: u32, cores: usize) -> Program {
    Program::published(log, radix, Chip::c64(cores))
}

/// PAR-R2LM.
pub(crate) fn near(log: u32, cores: usize) -> Program {
    Program { factors: Factors::Near(NEAR), ..by(2, log, cores) }
}

/// The published program of a radix, its elements in step as the model has them.
pub(crate) fn in_step(radix: usize, log: u32, cores: usize) -> Program {
    Program { pace: Pace::InStep, ..by(radix, log, cores) }
}

/// The published program of a radix, whose elements wait for their own loads, then for their own stores.
pub(crate) fn in_bursts(radix: usize, log: u32, cores: usize) -> Program {
    Program { pace: Pace::Bursts, ..by(radix, log, cores) }
}

/// PAR-R2 on C64+.
pub(crate) fn plus(log: u32, cores: usize) -> Program {
    Program::published(log, 2, Chip::c64_plus(cores))
}

/// A program on a changed chip.
pub(crate) fn changed(mut program: Program, change: Change) -> Program {
    change(&mut program.chip);
    program
}

/// The results of runs.
#[derive(Default)]
pub(crate) struct Results {
    runs: Asked<Program, Run>,
    /// The cycles of a barrier on each chip.
    barriers: RefCell<BTreeMap<Chip, f64>>,
}

impl Results {
    /// A report, after the runs that it asks for. There is none if the runs were cancelled.
    pub(crate) fn reported<D>(
        report: impl Fn(&Self) -> D,
        cancel: &CancelToken,
        progress: &impl Progress,
    ) -> Option<D> {
        let mut results = Self::default();
        // The first report asks for the runs.
        report(&results);
        let run = |program: &Program| if cancel.is_cancelled() { Err(()) } else { Ok(program.run()) };
        results.runs.run(Program::effort, progress, run).ok()?;
        let reported = report(&results);
        debug_assert!(results.runs.is_whole(), "the second report asks for no other runs");
        Some(reported)
    }

    /// The result of a run; an empty one if it was not done.
    pub(crate) fn run(&self, program: &Program) -> Run {
        let none = || Run { ends: vec![0; program.stages() as usize], ..Run::default() };
        self.runs.result(program).unwrap_or_else(none)
    }

    pub(crate) fn cycles(&self, program: &Program) -> f64 {
        self.run(program).cycles as f64
    }

    /// The cycles of each stage.
    pub(crate) fn stages(&self, program: &Program) -> Vec<f64> {
        let ends = self.run(program).ends;
        let begins = std::iter::once(&0).chain(&ends);
        ends.iter().zip(begins).map(|(end, begin)| end.saturating_sub(*begin) as f64).collect()
    }

    /// The measured cycles of a barrier.
    pub(crate) fn barrier(&self, chip: &Chip) -> f64 {
        *self.barriers.borrow_mut().entry(chip.clone()).or_insert_with(|| barrier(chip))
    }

    /// The model of a program with barriers.
    pub(crate) fn model<'a>(&self, program: &'a Program) -> Model<'a> {
        let near = if let Factors::Near(stages) = program.factors { stages } else { 0 };
        let Program { radix, ref chip, .. } = *program;
        Model { chip, points: program.points(), radix, near, barrier: self.barrier(chip) }
    }

    /// The model's cycles of each stage.
    pub(crate) fn modelled_stages(&self, program: &Program) -> Vec<f64> {
        let model = self.model(program);
        (0..model.stages()).map(|stage| model.stage(stage).all()).collect()
    }

    /// By which share the model is above the simulation.
    pub(crate) fn error(&self, program: &Program) -> f64 {
        self.model(program).cycles() / self.cycles(program) - 1.0
    }

    /// By which share it is above, stage by stage.
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

/// The cycles of a barrier: every element calls it many times, as the paper measures it.
fn barrier(chip: &Chip) -> f64 {
    let calls = 100;
    let programs = (0..chip.all()).map(|_| std::iter::repeat_n(Operation::Barrier, calls));
    Machine::new(chip, programs).run().cycles as f64 / calls as f64
}
