use earth::CancelToken;
use earth_papers::overlap::{Parameters, Size, Variant};
use earth_report::spread::Spread;
use earth_report::statements::{Row, Verdict};

use super::*;
use crate::overlap::cases::{Published, Scope, published};
use crate::overlap::machines::{FITTED, Machine};
use crate::overlap::measured::{self, Measured, Parts};
use crate::overlap::results::Program;
use crate::overlap::runs::{Breakdown, Distributed, Found, Sought, Transform};
use crate::run_cache::RunFile;
use crate::tune::Search;

/// An invented machine: work that takes `work` seconds, and an exchange of `exchange` seconds.
#[derive(Clone, Copy)]
struct World {
    fixed: f64,
    work: f64,
    exchange: f64,
    /// Share of the exchange that NEW hides, at most by the work.
    hidden: f64,
    /// Factor of the exchange of TH, which hides half.
    th: f64,
    /// Time of NEW with parameters that are not its own, over its own time.
    foreign: f64,
    /// Pencils over slabs.
    pencils: f64,
}

/// A machine as the paper describes it: the exchange takes about as long as the work.
const PAPERS: World =
    World { fixed: 0.56, work: 1.2, exchange: 1.2, hidden: 1.0, th: 1.0, foreign: 1.1, pencils: 1.3 };

impl World {
    /// Returns the exchange of a setting: one rate of the network for a machine.
    fn exchange(&self, setting: Setting) -> f64 {
        let by_machine = if setting.machine == Machine::Hopper { 0.4 } else { 1.0 };
        // The rate of the page's examined setting is the best one.
        self.exchange * by_machine / setting.factor()
    }

    fn breakdown(&self, of: &Transform) -> Breakdown {
        let exchange = self.exchange(of.setting);
        let polls = of.settings.parameters.unwrap_or_else(|| tuned(of.setting, Variant::New)).polls;
        let overlaps = polls.along_y > 0;
        let wait = match of.settings.variant {
            Variant::New | Variant::Dataflow if overlaps && polls.along_x > 0 => {
                exchange - self.hidden * exchange.min(self.work)
            }
            Variant::Th => self.th * (exchange - 0.5 * exchange.min(self.work)),
            _ => exchange,
        };
        let other = Setting { machine: of.setting.machine.other(), ..of.setting };
        let [own, foreign] = [of.setting, other].map(|setting| Some(tuned(setting, Variant::New)));
        let is_foreign = of.settings.parameters == foreign && foreign != own;
        let slower = if is_foreign { self.foreign } else { 1.0 };
        let quarter = self.work / 4.0;
        let parts = Parts {
            along_z: self.fixed,
            transpose: 0.0,
            along_y: quarter,
            pack: quarter,
            unpack: quarter,
            along_x: quarter,
            exchange: 0.0,
            wait,
            polls: 0.0,
        };
        Breakdown { parts, total: slower * (self.fixed + self.work + wait) }
    }
}

/// Invented tuned parameters: the paper's where it has some, else the default point.
fn tuned(setting: Setting, variant: Variant) -> Parameters {
    let theirs = published(setting).map(Published::parameters);
    let size = Size { lengths: [setting.n; 3], ranks: setting.ranks };
    let parameters = theirs.unwrap_or_else(|| Parameters::usual(&size));
    match variant {
        Variant::Th => Parameters { window: 1, ..parameters },
        _ => parameters,
    }
}

fn found(sought: &Sought) -> Found {
    let costs: Vec<f64> = match sought.search {
        // The paper's spread.
        Search::Random => (0..sought.limit).map(|at| 0.16 + 0.32 * at as f64 / 200.0).collect(),
        Search::Tpe => vec![0.16; 3],
        Search::NelderMead => {
            let runs = if sought.variant == Variant::Th { 20 } else { 40 };
            vec![0.15; if sought.without.is_some() { 2 * runs } else { runs }]
        }
    };
    let parameters = tuned(sought.setting, sought.variant);
    Found { parameters, costs }
}

fn rows(world: World) -> Vec<Row> {
    let ask = |results: &Results| drop(STATEMENTS.judged(results));
    let transform = |of: &Transform| world.breakdown(of);
    let distributed = |of: &Distributed| if of.by_pencils { world.pencils } else { 1.0 };
    STATEMENTS.judged(&Results::invented(Scope::Whole, ask, found, transform, distributed))
}

fn verdict(number: usize, world: World) -> Verdict {
    rows(world).into_iter().find(|row| row.number == number).unwrap().verdict
}

/// Statements on real runs cannot be told without them.
#[test]
fn without_real_runs_their_statements_cannot_be_told() {
    for row in rows(PAPERS) {
        if [8, 9, 10, 17, 23, 24, 27].contains(&row.number) {
            assert_eq!(row.verdict, Verdict::CannotBeTold, "{row:?}");
            assert!(row.tell.is_some() || row.number == 27, "{row:?}");
        }
    }
}

#[test]
fn statements_hold_on_a_machine_as_the_paper_describes_it() {
    let wrong: Vec<_> = rows(PAPERS)
        .into_iter()
        .filter(|row| [1, 12, 13, 14, 18, 25, 26, 28].contains(&row.number))
        .filter(|row| row.verdict != Verdict::Holds)
        .map(|row| (row.number, row.verdict, row.cells))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn false_statements_fail() {
    let slow = World { hidden: -0.5, ..PAPERS };
    for number in [1, 2, 3, 4, 28] {
        assert_eq!(verdict(number, slow), Verdict::DoesNotHold, "row {number}");
    }
    assert_ne!(verdict(6, World { hidden: 0.2, ..PAPERS }), Verdict::Holds);
    assert_ne!(verdict(7, World { th: 0.0, ..PAPERS }), Verdict::Holds);
    assert_eq!(verdict(26, World { pencils: 0.9, ..PAPERS }), Verdict::DoesNotHold);
    assert_ne!(verdict(16, World { foreign: 1.0, ..PAPERS }), Verdict::Holds);
}

/// The simulated FFTW takes the paper's time, to one percent.
#[test]
fn rates_are_fitted_to_times_of_fftw() {
    let ask = |results: &Results| {
        FITTED.map(|(machine, ranks, n)| {
            let setting = Setting::new(machine, ranks, n);
            results.seconds(setting, Program::Fftw) / published(setting).unwrap().seconds[0]
        })
    };
    let results = Results::new(Scope::Short, Vec::new());
    ask(&results);
    results.simulate(&CancelToken::new(), &RunFile::default(), &()).unwrap();
    for ratio in ask(&results) {
        assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
    }
}

/// A measured job of two arrays, in which all statements on real runs hold.
fn job(change: impl Fn(&mut measured::Row)) -> Measured {
    let spread = |time: f64| Spread::of(vec![time]);
    let parts = Parts {
        along_z: 1.0,
        transpose: 0.5,
        along_y: 1.0,
        pack: 0.5,
        unpack: 0.5,
        along_x: 0.8,
        exchange: 0.1,
        wait: 0.2,
        polls: 0.1,
    };
    let longer = Parts { transpose: 1.0, pack: 1.0, along_x: 1.0, ..parts };
    let transform = |program, time: f64, parts| measured::Transform {
        program,
        planning: 50.0,
        time: spread(time),
        ratio: spread(time / 5.0),
        error: 1e-16,
        parts,
    };
    let row = |lengths| measured::Row {
        lengths,
        tuned: vec![measured::Search {
            variant: Variant::New,
            parameters: Parameters::of([1; 10]),
            runs: 40,
            time: 20.0,
        }],
        transforms: vec![
            transform(measured::Program::New, 5.0, Some(parts)),
            transform(measured::Program::New0, 6.0, Some(parts)),
            transform(measured::Program::NewUntiled, 6.0, Some(longer)),
            transform(measured::Program::NewOtherLayout, 6.0, Some(longer)),
            transform(measured::Program::Th, 6.0, Some(longer)),
            transform(measured::Program::FftwPatient, 6.5, None),
            transform(measured::Program::FftwPatientNatural, 6.5, None),
            transform(measured::Program::FftwExhaustive, 6.4, None),
            transform(measured::Program::Isend, 4.9, None),
            transform(measured::Program::Isend0, 6.1, None),
        ],
        null: spread(1.0),
    };
    let mut rows = vec![row([64; 3]), row([63, 50, 40])];
    rows.iter_mut().for_each(change);
    Measured {
        schema: measured::SCHEMA,
        mpi: "an MPI".to_owned(),
        network: "a network".to_owned(),
        processor: "a processor".to_owned(),
        ranks: 2,
        config: earth::Config::Spn,
        exchange: earth_papers::overlap::Rounds::AllAtOnce,
        rounds: 1,
        rows,
    }
}

/// Returns the verdicts on real runs.
fn real_verdicts(change: impl Fn(&mut measured::Row)) -> Vec<(usize, Verdict)> {
    let results = Results::new(Scope::Short, vec![job(change)]);
    let rows = STATEMENTS.judged(&results).into_iter();
    let numbers = [8, 9, 10, 17, 23, 24, 27];
    rows.filter(|row| numbers.contains(&row.number)).map(|row| (row.number, row.verdict)).collect()
}

fn of(row: &mut measured::Row, program: measured::Program) -> &mut measured::Transform {
    row.transforms.iter_mut().find(|of| of.program == program).unwrap()
}

#[test]
fn real_runs_judge_their_statements() {
    for (number, verdict) in real_verdicts(|_| {}) {
        assert_eq!(verdict, Verdict::Holds, "row {number}");
    }
    let fails = |number, change: &dyn Fn(&mut measured::Row)| {
        let verdicts = real_verdicts(change);
        let verdict = verdicts.into_iter().find(|(row, _)| *row == number).map(|(_, verdict)| verdict);
        assert_eq!(verdict, Some(Verdict::DoesNotHold), "row {number}");
    };
    let equal = |program| {
        move |row: &mut measured::Row| {
            let parts = of(row, measured::Program::New).parts;
            of(row, program).parts = parts;
        }
    };
    fails(8, &|row| of(row, measured::Program::New0).time = Spread::of(vec![4.0]));
    fails(9, &equal(measured::Program::Th));
    fails(10, &equal(measured::Program::NewUntiled));
    fails(17, &|row| row.tuned[0].time = 60.0);
    fails(23, &equal(measured::Program::NewOtherLayout));
    fails(24, &|row| of(row, measured::Program::FftwExhaustive).time = Spread::of(vec![4.0]));
    fails(27, &|row| of(row, measured::Program::Th).error = 1e-3);
}
