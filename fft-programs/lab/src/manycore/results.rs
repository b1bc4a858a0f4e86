//! Runs that the report needs, each done once, and the values that follow from them and from the model.

use std::cell::RefCell;
use std::rc::Rc;

use earth::CancelToken;
use earth_console::work::Progress;
use earth_papers::manycore::LOCAL_STAGES;
use earth_report::numbers::gflops;
use earth_report::statements::Change;

use super::chip::{ANY_LOADS, CLOCK, Chip, Variant};
use super::estimates;
use super::operation::Run;
use super::program::{Factors, Pace, Program};
use super::task::{CALLS, Task};
use crate::model::manycore::{Model, Stage};
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
/// Largest numbers of loads of an element under way, in the table of them.
pub(crate) const LOADS: [usize; 5] = [1, 2, 4, 8, ANY_LOADS];
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

/// Returns the published program of a radix with the factors of its first levels in own memory: PAR-R2LM, and
/// the same for other radices. All have 63 factors there, of six levels.
pub(crate) fn local(radix: usize, log: u32, cores: usize) -> Program {
    let stages = LOCAL / radix.trailing_zeros();
    Program { factors: Factors::Local(stages), ..by(radix, log, cores) }
}

/// Returns PAR-R2 on C64+.
pub(crate) fn plus(log: u32, cores: usize) -> Program {
    Program::published(log, 2, Chip::c64_plus(cores))
}

/// Returns a program on a variant of its chip.
pub(crate) fn varied(mut program: Program, variant: Variant) -> Program {
    variant(&mut program.chip);
    program
}

/// Behaviour of the elements that the paper does not state.
#[derive(Clone, Copy)]
pub(crate) struct Behaviour {
    pub(crate) name: &'static str,
    pace: Pace,
    loads: usize,
}

impl Behaviour {
    pub(crate) const fn new(name: &'static str, pace: Pace, loads: usize) -> Self {
        Self { name, pace, loads }
    }

    /// Returns a program whose elements behave so.
    pub(crate) fn of(self, mut program: Program) -> Program {
        program.chip.loads = self.loads;
        Program { pace: self.pace, ..program }
    }
}

/// Elements that issue an operation as soon as its operands are there.
pub(crate) const FREE: Behaviour = Behaviour::new("out of step, any number of loads", Pace::Free, ANY_LOADS);
/// Elements as in the model: all loads, then the arithmetic, then all stores, and all elements together.
pub(crate) const IN_STEP: Behaviour = Behaviour::new("in step", Pace::InStep, ANY_LOADS);
/// Elements that wait for all loads, then for all stores of a butterfly.
pub(crate) const IN_BURSTS: Behaviour = Behaviour::new("out of step, in bursts", Pace::Bursts, ANY_LOADS);
/// Behaviours between which the paper leaves the choice.
pub(crate) const BEHAVIOURS: [Behaviour; 4] = [
    FREE,
    Behaviour::new("out of step, two loads at a time", Pace::Free, 2),
    Behaviour::new("out of step, one load at a time", Pace::Free, 1),
    IN_STEP,
];

/// Results of runs, perhaps after a change of an estimate.
#[derive(Clone, Default)]
pub(crate) struct Results {
    runs: Rc<RefCell<RunCache<Task, Run>>>,
    change: Option<Change>,
    /// Number of runs, and their time in minutes of one core.
    pub(crate) done: usize,
    pub(crate) minutes: f64,
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
        // The first passes record the runs.
        report(&results);
        let run = |task: &Task| {
            if cancel.is_cancelled() { Err(SimulateError::CANCELLED) } else { Ok(task.run()) }
        };
        results.runs.borrow_mut().run(kept, Task::effort, progress, run)?;
        results.done = results.runs.borrow().number();
        results.minutes = kept.seconds() / 60.0;
        let reported = report(&results);
        debug_assert!(results.runs.borrow().is_whole(), "the second report asks for no other runs");
        Ok(reported)
    }

    /// Yields the results after each change of an estimate.
    pub(crate) fn changed(&self) -> impl Iterator<Item = (Change, Self)> {
        let changed = |change: Change| (change.clone(), Self { change: Some(change), ..self.clone() });
        estimates::changes().map(changed)
    }

    /// Returns the text of a reason, unless an estimate is changed: then only the checks count.
    pub(crate) fn reason(&self, text: impl FnOnce() -> String) -> Option<String> {
        self.change.is_none().then(text)
    }

    /// Returns the program on the changed chip.
    fn of(&self, program: &Program) -> Program {
        Program { chip: self.chip(&program.chip), ..program.clone() }
    }

    fn chip(&self, chip: &Chip) -> Chip {
        let mut chip = chip.clone();
        if let Some(change) = &self.change {
            estimates::change(&mut chip, change);
        }
        chip
    }

    /// Returns the result of a run, or an empty result if the run was not done.
    pub(crate) fn run(&self, program: &Program) -> Run {
        let none = || Run { ends: vec![0; program.stages() as usize], ..Run::default() };
        self.runs.borrow().result(&Task::stages(&self.of(program))).unwrap_or_else(none)
    }

    pub(crate) fn cycles(&self, program: &Program) -> f64 {
        self.run(program).cycles as f64
    }

    /// Returns the cycles of the digit reversal before a program.
    pub(crate) fn reversal(&self, program: &Program) -> f64 {
        let run = self.runs.borrow().result(&Task::reversal(&self.of(program)));
        run.unwrap_or_default().cycles as f64
    }

    /// Returns the cycles of each stage.
    pub(crate) fn stages(&self, program: &Program) -> Vec<f64> {
        let ends = self.run(program).ends;
        let begins = std::iter::once(&0).chain(&ends);
        ends.iter().zip(begins).map(|(end, begin)| end.saturating_sub(*begin) as f64).collect()
    }

    /// Returns the simulated cycles of a barrier.
    pub(crate) fn barrier(&self, chip: &Chip) -> f64 {
        let run = self.runs.borrow().result(&Task::barrier(&self.chip(chip)));
        run.unwrap_or_default().cycles as f64 / CALLS as f64
    }

    /// Evaluates the model of a program.
    fn model<T>(&self, program: &Program, of: impl FnOnce(&Model<'_>) -> T) -> T {
        let barrier = self.barrier(&program.chip);
        let local = if let Factors::Local(stages) = program.factors { stages } else { 0 };
        let Program { radix, chip, .. } = &self.of(program);
        of(&Model { chip, points: program.points(), radix: *radix, local, barrier })
    }

    /// Returns the cost of each stage by the model.
    pub(crate) fn modelled(&self, program: &Program) -> Vec<Stage> {
        self.model(program, |model| (0..model.stages()).map(|stage| model.stage(stage)).collect())
    }

    /// Returns the model's cycles of each stage.
    pub(crate) fn modelled_stages(&self, program: &Program) -> Vec<f64> {
        self.modelled(program).into_iter().map(Stage::all).collect()
    }

    /// Returns the model's cycles of a transform (Eq. 2).
    pub(crate) fn modelled_cycles(&self, program: &Program) -> f64 {
        self.model(program, |model: &Model<'_>| model.cycles())
    }

    /// Returns the relative error of the model; positive if the model is above the simulation.
    pub(crate) fn error(&self, program: &Program) -> f64 {
        self.modelled_cycles(program) / self.cycles(program) - 1.0
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
        gflops(program.points(), self.modelled_cycles(program) / CLOCK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first pass asks for all runs, and a change asks for runs of its own.
    #[test]
    fn results_are_those_of_the_changed_chip() {
        let kept = RunFile::default();
        let program = by(2, 6, 2);
        let report = |results: &Results| {
            let changed: Vec<_> = results.changed().map(|(_, changed)| changed.cycles(&program)).collect();
            (results.cycles(&program), changed, results.barrier(&program.chip), results.done)
        };
        let reported = Results::reported(report, &CancelToken::new(), &kept, &());
        let (cycles, changed, barrier, done) = reported.unwrap();
        let whole = |cycles: f64| cycles as u64;
        assert_eq!(whole(cycles), program.run().cycles);
        let slow = varied(program.clone(), |chip| chip.delay *= 2);
        assert_eq!(whole(changed[3]), slow.run().cycles);
        // Half a request, a load from own memory, and a limit of 8 loads or 32 do not matter in radix 2.
        assert_eq!([0, 8, 9, 12, 13].map(|at| whole(changed[at])), [whole(cycles); 5]);
        assert!(barrier > 2.0 * program.chip.delay as f64);
        assert_eq!(done, 1 + 9 + 1);
    }
}
