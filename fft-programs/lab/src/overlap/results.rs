//! Results of the page: each run that it asks for, done once.
//!
//! *Order.* A transform needs parameters, and a search finds them. The page first asks for searches, and then
//! for transforms with the parameters that they found.
//!
//! *Views.* [`Results`] are the results at the costs of the page, or after a [`Change`] of one cost. All
//! views have one cache of runs. After a change, parameters are searched again for
//! [small arrays](Setting::is_small). Other transforms have the parameters of the page's machine, because
//! their searches take minutes. Parameters are searched with the rates by ranks, and are used with one rate,
//! too.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use earth::CancelToken;
use earth_console::work::Progress;
use earth_papers::overlap::{OverlapSettings, Parameters, Polls, Variant};
use earth_report::statements::Change;

use super::cases::{SEEDS, SPEEDS, Scope, examined, published};
use super::machines::{Machines, Rate, Setting};
use super::measured::{Measured, Parts};
use super::runs::{Breakdown, Distributed, Found, Run, Sought, Transform};
use crate::run_cache::{RunCache, RunFile, SimulateError};

/// Simulated programs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Program {
    /// NEW with its tuned parameters, and NEW-0 with the same.
    New,
    New0,
    /// TH with its tuned parameters, and TH-0 with the same.
    Th,
    Th0,
    /// NEW with the parameters of TH: TH whose Unpack and `FFTx` overlap, too.
    ThOverlapped,
    /// Program by arrivals alone, with the parameters of NEW.
    Dataflow,
    /// Program after FFTW: one blocking exchange of the whole array.
    Fftw,
    /// That program and NEW, with the output in the order of the input.
    FftwNatural,
    NewNatural,
    /// NEW with two processors a rank.
    Dual,
    /// NEW with the parameters of the other machine, and with the paper's parameters of the other machine.
    Crossed,
    PaperCrossed,
    /// NEW, NEW-0 and TH with the paper's parameters of NEW.
    Paper,
    Paper0,
    PaperTh,
    /// NEW with these parameters.
    With(Parameters),
}

/// Runs of all views.
#[derive(Default)]
struct Runs {
    searches: RunCache<Run<Sought>, Found>,
    transforms: RunCache<Run<Transform>, Breakdown>,
    distributed: RunCache<Run<Distributed>, f64>,
}

/// Results at the costs of the machines.
pub(crate) struct Results {
    pub(crate) scope: Scope,
    pub(crate) machines: Machines,
    /// Jobs of real ranks.
    pub(crate) measured: Rc<[Measured]>,
    /// Change that makes `machines` from the page's machines.
    change: Option<Change>,
    runs: Rc<RefCell<Runs>>,
}

impl Results {
    pub(crate) fn new(scope: Scope, measured: Vec<Measured>) -> Self {
        let machines = Machines::new();
        Self { scope, machines, measured: measured.into(), change: None, runs: Rc::default() }
    }

    /// Yields the results after each change of an estimate or a fitted figure.
    pub(crate) fn changed(&self) -> impl Iterator<Item = (Change, Self)> + '_ {
        self.machines.changes().map(|(change, machines)| {
            let (measured, runs) = (Rc::clone(&self.measured), Rc::clone(&self.runs));
            (change.clone(), Self { scope: self.scope, machines, measured, change: Some(change), runs })
        })
    }

    /// Returns whether these are the results of the page's machines.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.change.is_none()
    }

    /// Returns the number of seeds of searches that draw points: fewer after a change.
    pub(crate) fn seeds(&self) -> u64 {
        if self.is_unchanged() { SEEDS } else { SEEDS / 4 }
    }

    /// Does the runs that were asked for.
    pub(crate) fn simulate(
        &self,
        cancel: &CancelToken,
        kept: &RunFile,
        progress: &impl Progress,
    ) -> Result<(), SimulateError> {
        let usual = &self.machines;
        let changed: BTreeMap<_, _> = usual.changes().collect();
        let machines =
            |change: &Option<Change>| change.as_ref().and_then(|change| changed.get(change)).unwrap_or(usual);
        let mut runs = self.runs.borrow_mut();
        let search = |run: &Run<Sought>| run.of.run(&machines(&run.change).profile(run.of.setting), cancel);
        runs.searches.run(kept, |run| run.of.effort(), progress, search)?;
        let transform =
            |run: &Run<Transform>| Ok(run.of.run(&machines(&run.change).profile(run.of.setting), cancel)?);
        runs.transforms.run(kept, |run| run.of.effort(), progress, transform)?;
        let distributed = |run: &Run<Distributed>| {
            Ok(run.of.seconds(&machines(&run.change).profile(run.of.setting), cancel)?)
        };
        runs.distributed.run(kept, |run| run.of.setting.ranks as u64, progress, distributed)
    }

    /// Returns whether all runs that were asked for were done.
    pub(crate) fn is_whole(&self) -> bool {
        let runs = self.runs.borrow();
        runs.searches.is_whole() && runs.transforms.is_whole() && runs.distributed.is_whole()
    }

    /// Returns the number of simulated transforms, searches included.
    pub(crate) fn count(&self) -> usize {
        let runs = self.runs.borrow();
        let of_searches = runs.searches.results().map(|found| found.costs.len()).sum::<usize>();
        of_searches + runs.transforms.number() + runs.distributed.number()
    }

    /// Returns the settings of the page.
    pub(crate) fn settings(&self) -> Vec<Setting> {
        self.scope.settings()
    }

    /// Returns the change of this view, if times of a setting depend on it.
    fn change_of(&self, setting: Setting, is_dual: bool) -> Option<Change> {
        self.change.clone().filter(|change| setting.depends_on(&change.parameter, is_dual))
    }

    /// Returns the result of a search, once it was done.
    pub(crate) fn found(&self, sought: &Sought) -> Option<Found> {
        let change = self.change_of(sought.setting, false).filter(|_| sought.setting.is_small());
        self.runs.borrow().searches.result(&Run { of: *sought, change })
    }

    /// Returns the parameters that the paper's search finds.
    pub(crate) fn tuned(&self, setting: Setting, variant: Variant) -> Option<Parameters> {
        Some(self.found(&Sought::new(setting.at(Rate::ByRanks), variant))?.parameters)
    }

    /// Returns the breakdown of a program. Its times are NaN if it was not run.
    pub(crate) fn run(&self, setting: Setting, program: Program) -> Breakdown {
        self.run_if_known(setting, program).unwrap_or_else(|| {
            let missing = f64::NAN;
            Breakdown { parts: Parts::of([missing; Parts::COUNT]), total: missing }
        })
    }

    fn run_if_known(&self, setting: Setting, program: Program) -> Option<Breakdown> {
        let settings = self.settings_of(setting, program)?;
        let of = Transform { setting, settings, is_dual: program == Program::Dual };
        let change = self.change_of(setting, of.is_dual);
        self.runs.borrow().transforms.result(&Run { of, change })
    }

    /// Returns the time of a program in seconds.
    pub(crate) fn seconds(&self, setting: Setting, program: Program) -> f64 {
        self.run(setting, program).total
    }

    /// Returns the time of the program `over`, divided by the time of the program `under`.
    pub(crate) fn ratio(&self, setting: Setting, over: Program, under: Program) -> f64 {
        self.seconds(setting, over) / self.seconds(setting, under)
    }

    /// Returns the time of the distributed plan by slabs or by pencils, in seconds.
    pub(crate) fn distributed(&self, setting: Setting, by_pencils: bool) -> f64 {
        let change = self.change_of(setting, false);
        let of = Distributed { setting, by_pencils };
        self.runs.borrow().distributed.result(&Run { of, change }).unwrap_or(f64::NAN)
    }

    /// Returns the speed-up of NEW over the program after FFTW.
    pub(crate) fn gain(&self, setting: Setting) -> f64 {
        self.ratio(setting, Program::Fftw, Program::New)
    }

    /// Returns the speed of the network at which the gain is greatest, as a setting.
    pub(crate) fn best_speed(&self) -> Option<Setting> {
        let speeds = SPEEDS.map(|faster| examined().faster(faster));
        speeds.into_iter().max_by(|one, other| self.gain(*one).total_cmp(&self.gain(*other)))
    }

    fn settings_of(&self, setting: Setting, program: Program) -> Option<OverlapSettings> {
        let variant = match program {
            Program::New0 | Program::Paper0 | Program::Fftw | Program::FftwNatural => Variant::New0,
            Program::Th | Program::PaperTh => Variant::Th,
            Program::Th0 => Variant::Th0,
            Program::Dataflow => Variant::Dataflow,
            _ => Variant::New,
        };
        let tuned = |variant| self.tuned(setting, variant);
        let other = Setting { machine: setting.machine.other(), ..setting };
        let parameters = match program {
            Program::Th | Program::Th0 => tuned(Variant::Th)?,
            Program::ThOverlapped => {
                let th = tuned(Variant::Th)?;
                let polls = th.polls.along_y;
                Parameters { polls: Polls { unpack: polls, along_x: polls, ..th.polls }, ..th }
            }
            Program::Fftw | Program::FftwNatural => whole(setting),
            Program::Crossed => self.tuned(other, Variant::New)?,
            Program::Paper | Program::Paper0 | Program::PaperTh => published(setting)?.parameters(),
            Program::PaperCrossed => published(other)?.parameters(),
            Program::With(parameters) => parameters,
            _ => tuned(Variant::New)?,
        };
        let returns = matches!(program, Program::FftwNatural | Program::NewNatural);
        let rounds = setting.machine.rounds();
        Some(OverlapSettings { variant, parameters: Some(parameters), rounds, layout: None, returns })
    }

    /// Creates results with invented runs, for the runs that `ask` asks for.
    #[cfg(test)]
    pub(crate) fn invented(
        scope: Scope,
        ask: impl Fn(&Self),
        found: impl Fn(&Sought) -> Found,
        transform: impl Fn(&Transform) -> Breakdown,
        distributed: impl Fn(&Distributed) -> f64,
    ) -> Self {
        let results = Self::new(scope, Vec::new());
        ask(&results);
        while !results.is_whole() {
            let mut runs = results.runs.borrow_mut();
            runs.searches.invent(|run| found(&run.of));
            runs.transforms.invent(|run| transform(&run.of));
            runs.distributed.invent(|run| distributed(&run.of));
            drop(runs);
            ask(&results);
        }
        results
    }
}

/// Returns the parameters of one tile that is exchanged as a whole.
fn whole(setting: Setting) -> Parameters {
    let Setting { n, ranks, .. } = setting;
    let rows = n.div_ceil(ranks);
    Parameters { tile: n, window: 1, pack: [rows, n], unpack: [rows, n], polls: Polls::default() }
}
