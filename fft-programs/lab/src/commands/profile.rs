//! `earth-lab profile`: measures the speed functions of groups of nodes into a file.
//!
//! Sizes are measured in the order of a [`Plan`], all groups at once ([`measure`]). After each size the file
//! is replaced atomically, so Ctrl-C, the time limit or a power failure loses only the size in progress.
//! Running the command again resumes where the file ends. Writing takes at most a tenth of the time; a file
//! with very many points is therefore written less often.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use earth::Machine;
use earth_console::Failure;
use earth_console::args::Precision;
use earth_console::output::print_message;
use earth_console::progress::Progress;
use earth_console::speeds::{load, place, save};
use earth_console::stop::Stop;
use earth_fft::{PlanError, computer, default_nodes, memory};
use earth_kernels::Real;
use earth_papers::Groups;
use earth_papers::file::LoadError;
use earth_papers::groups::{MeasuredRows, Pad, PerformanceModel};
use earth_papers::partition::{Grouping, Size, SpeedFunction, flops};
use earth_report::document::Table;
use earth_report::numbers::mean;
use num_complex::Complex;
use serde::Serialize;

use super::args::{Measuring, Profile};
use super::failure::LabError;
use super::output::print_answer;
use crate::pfft::measure::speeds::{Subject, measure};
use crate::pfft::measure::{MeasureError, Plan, Reliability, Stop as Ended};

/// Measures the speed functions of groups, and saves them.
///
/// # Errors
///
/// Returns the errors of the arguments, of the file, of the kernel and of the measurement.
pub(super) fn run(args: &Profile, stop: &Stop) -> Result<(), Failure> {
    match args.precision {
        Precision::F32 => measured::<f32>(args, stop),
        Precision::F64 => measured::<f64>(args, stop),
    }
}

fn measured<T: earth_fft::Precision>(args: &Profile, stop: &Stop) -> Result<(), Failure> {
    let [groups, threads] = [args.groups, args.threads];
    let groups = Groups { groups, threads, ..Groups::default() };
    let grouping = groups.processors(None, default_nodes(args.config))?;
    let subject = Subject {
        grouping,
        kernel: args.kernel.clone().unwrap_or_default(),
        effort: args.effort.unwrap_or_default(),
        pad: args.pad,
        planning: args.planning,
    };
    let plan = plan::<T>(args, &subject)?;
    let reliability = reliability(&args.measuring)?;
    let path = match &args.output {
        Some(path) => path.clone(),
        None => saved_at::<T>(args.pad)?,
    };
    let mut model = begun::<T>(&path, &subject, args.force)?;
    // Loaded first, so that a missing kernel fails before any measurement.
    subject.kernel.load().map_err(PlanError::from)?;
    let mut work = ProfileFile { path, stop, saved: Instant::now(), saving: Duration::ZERO };
    work.save(&model)?;

    let machine = Machine::threads(grouping.groups * grouping.threads).config(args.config);
    let mut machine = machine.cancel_token(stop.cancel.clone());
    let mut rest = plan.resume(model.functions());
    let (begun, before) = (Instant::now(), rest.left());
    let weigh = |size: Size| 1 + flops(size.rows, size.length) as u64;
    // Iterated twice instead of collected: there may be hundreds of millions of sizes.
    let weight = plan.resume(model.functions()).map(weigh).fold(0, u64::saturating_add);
    let progress = Progress::weighted(weight, "measuring");
    let (mut unreliable, mut out_of_time) = (0, false);
    for size in rest.by_ref() {
        let done = match measure::<T>(&mut machine, &subject, size, reliability) {
            Ok(done) => done,
            Err(MeasureError::Failed(error)) => return Err(error.into()),
            Err(error) => return Err(LabError::Measuring(error.to_string()).into()),
        };
        unreliable += usize::from(done.stop != Ended::Precise);
        model.add(size, &done.points).map_err(|error| LabError::Measuring(error.to_string()))?;
        work.save_if_cheap(&model)?;
        progress.advance(weigh(size));
        out_of_time = args.budget.is_some_and(|seconds| begun.elapsed().as_secs_f64() > seconds);
        if out_of_time {
            break;
        }
    }
    drop(progress);
    work.save(&model)?;
    if out_of_time && rest.left() > 0 {
        print_message(format_args!(
            "the time limit is reached; the same command measures the remaining {} sizes",
            rest.left()
        ));
    }
    let summary = Summary::of(&model, &work.path, before - rest.left(), rest.left(), unreliable);
    print_answer(args.json, &summary, || summary.table())
}

fn plan<T: Real>(args: &Profile, subject: &Subject) -> Result<Plan, Failure> {
    let step = args.step.get();
    let plan = match args.around.map(NonZeroUsize::get) {
        Some(rows) => {
            let length = args.length.map_or(rows, NonZeroUsize::get);
            Plan::around(rows, length, subject.grouping.groups, step)
        }
        None => Plan::full(args.longest.get(), step),
    };
    let plan = plan.map_err(Failure::usage)?;
    // Besides the rows, memory holds padded copies of them, if they are padded, and the kernel's tables.
    let bytes = memory::available() / 3 / (subject.grouping.groups * size_of::<Complex<T>>()) as u64;
    Ok(plan.within(usize::try_from(bytes).unwrap_or(usize::MAX)))
}

fn reliability(args: &Measuring) -> Result<Reliability, Failure> {
    let &Measuring { confidence, tolerance, least, most, seconds } = args;
    let reliability = Reliability { confidence, tolerance, least, most, seconds };
    let sensible = confidence < 1.0 && least >= 2 && least <= most;
    if sensible { Ok(reliability) } else { Err(LabError::Unreliable.into()) }
}

fn saved_at<T: Real>(pad: Pad) -> Result<PathBuf, Failure> {
    let path = place(T::NAME, pad).ok_or(LabError::NoPlace)?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|source| earth_console::io::atomic_output::WriteError {
            name: folder.display().to_string(),
            source,
        })?;
    }
    Ok(path)
}

/// Returns the model in the file if it has this subject; otherwise a new one. Without `force`, a file of
/// another subject is an error.
fn begun<T: Real>(
    path: &std::path::Path,
    subject: &Subject,
    force: bool,
) -> Result<PerformanceModel, Failure> {
    let (rows, grouping) = (subject.described::<T>(), subject.grouping);
    match load(path, force) {
        Ok(model) if *model.rows() == rows && model.grouping() == grouping => return Ok(model),
        Ok(_) if !force => return Err(LabError::OtherSubject { name: path.display().to_string() }.into()),
        Ok(_) => {}
        Err(Failure::Speeds(LoadError::Unreadable { source, .. }))
            if source.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let new = PerformanceModel::new(rows, grouping, computer::here());
    new.map_err(|error| LabError::Measuring(error.to_string()).into())
}

/// Output file, which is rewritten repeatedly.
struct ProfileFile<'a> {
    path: PathBuf,
    stop: &'a Stop,
    saved: Instant,
    saving: Duration,
}

impl ProfileFile<'_> {
    fn save(&mut self, model: &PerformanceModel) -> Result<(), Failure> {
        let start = Instant::now();
        save(model, &self.path, &self.stop.unfinished)?;
        (self.saved, self.saving) = (Instant::now(), start.elapsed());
        Ok(())
    }

    /// Saves unless saving would take more than a tenth of the time.
    fn save_if_cheap(&mut self, model: &PerformanceModel) -> Result<(), Failure> {
        if self.saved.elapsed() >= 9 * self.saving { self.save(model) } else { Ok(()) }
    }
}

/// Summary of a measurement. The field names are the JSON keys; a change of any raises `schema`.
#[derive(Debug, Serialize)]
struct Summary {
    schema: u32,
    file: String,
    kernel: MeasuredRows,
    groups: usize,
    threads: usize,
    /// Number of sizes measured by this command; below, in the whole file, and remaining.
    measured: usize,
    sizes: usize,
    left: usize,
    /// Number of sizes measured by this command whose means are less reliable than required.
    unreliable: usize,
    speeds: Vec<Speeds>,
}

/// Speeds of a group, in flops per second.
#[derive(Debug, Serialize)]
struct Speeds {
    group: usize,
    least: f64,
    mean: f64,
    most: f64,
    /// Number of points whose times look normal, and number of points that could be tested.
    normal: [usize; 2],
}

impl Speeds {
    fn of((group, function): (usize, &SpeedFunction)) -> Option<Self> {
        let speeds: Vec<_> =
            function.points().map(|(size, point)| flops(size.rows, size.length) / point.mean).collect();
        let tested: Vec<_> = function.points().filter_map(|(_, point)| point.looks_normal()).collect();
        Some(Self {
            group,
            least: speeds.iter().copied().min_by(f64::total_cmp)?,
            mean: mean(speeds.iter().copied()),
            most: speeds.iter().copied().max_by(f64::total_cmp)?,
            normal: [tested.iter().filter(|normal| **normal).count(), tested.len()],
        })
    }
}

impl Summary {
    fn of(
        model: &PerformanceModel,
        path: &std::path::Path,
        measured: usize,
        left: usize,
        unreliable: usize,
    ) -> Self {
        let Grouping { groups, threads } = model.grouping();
        Self {
            schema: 1,
            file: path.display().to_string(),
            kernel: model.rows().clone(),
            groups,
            threads,
            measured,
            sizes: model.functions().first().map_or(0, SpeedFunction::len),
            left,
            unreliable,
            speeds: model.functions().iter().enumerate().filter_map(Speeds::of).collect(),
        }
    }

    fn table(&self) -> String {
        let Self { file, kernel, groups, threads, measured, sizes, left, unreliable, .. } = self;
        let planning = if kernel.planning_included { "included" } else { "not included" };
        let facts = Table::facts([
            ("file", file.clone()),
            ("kernel", format!("{} ({}), planning {planning}", kernel.kernel, kernel.precision)),
            ("padding", kernel.pad.to_string()),
            ("groups", format!("{groups} of {threads}")),
            ("sizes", format!("{sizes} in the file, {measured} measured now, {left} left")),
            ("less reliable than required", unreliable.to_string()),
        ]);
        let row = |speeds: &Speeds| {
            let Speeds { group, least, mean, most, normal: [normal, tested] } = *speeds;
            let [least, mean, most] = [least, mean, most].map(|speed| format!("{:.3}", speed / 1e9));
            [group.to_string(), least, mean, most, format!("{normal} of {tested}")]
        };
        let names = ["group", "least", "mean", "most (GFLOPS)", "normal times (of those tested)"];
        format!("{facts}\n\n{}", Table::new(names).with(self.speeds.iter().map(row)))
    }
}
