//! `earth-fft profile2d`: the study of Khokhriakov, Manumachu and Lastovetsky on this computer.
//!
//! 1. [`study::run`](crate::study::run()) measures what `rows.jsonl` in the directory does not have yet, step by
//!    step, so that the command can be ended at any time and goes on where it was;
//! 2. [`document`] is the report, as headings, words, tables and figures, [`figures`] what is drawn;
//! 3. [`text`], [`markdown`] and [`page`] write it for the terminal, for the documentation and as one page;
//!    [`tables`] has all numbers as CSV.

mod document;
mod figures;
mod markdown;
mod page;
mod plots;
mod tables;
mod text;

use std::fs;
use std::path::Path;
use std::time::Instant;

use earth_kernels::Real;
use serde::Serialize;

use super::args::Precision;
use super::args::profile2d::Profile2d;
use super::facts::usable_cores;
use super::failure::Failure;
use super::progress::Progress;
use super::stop::Stop;
use super::{duration, print, print_json, say};
use crate::computer::Computer;
use crate::io::aside::{Output, WriteError};
use crate::kernel::Kernel;
use crate::programs::TransformError;
use crate::study::statements::{self, judged};
use crate::study::{
    self, BenchError, Conditions, Journal, KernelFindings, MatrixBench, Method, RunError, SCHEMA, Sizes,
    Study, Target,
};
use markdown::Markdown;

/// Where rows are kept in the directory, and the report as a page and as Markdown.
const ROWS: &str = "rows.jsonl";
const PAGE: &str = "profile2d.html";
const MARKDOWN: &str = "profile2d.md";

pub(super) fn run(args: &Profile2d, stop: &Stop) -> Result<(), Failure> {
    match args.precision {
        Precision::F32 => run_in::<f32>(args, stop),
        Precision::F64 => run_in::<f64>(args, stop),
    }
}

fn run_in<T: Real>(args: &Profile2d, stop: &Stop) -> Result<(), Failure> {
    let start = Instant::now();
    let sizes = Sizes { from: args.from, to: args.to, step: args.step.get() }.all()?;
    let kernels = kernels::<T>(args)?;
    let conditions = conditions::<T>(args);
    // What cannot be written is known before any work.
    let mut journal = match &args.output {
        Some(directory) => {
            create(directory)?;
            drop(Output::open(&directory.join(PAGE), &stop.unfinished)?);
            Journal::open(&directory.join(ROWS), conditions.clone(), args.force).map_err(RunError::from)?
        }
        None => Journal::in_memory(conditions.clone()),
    };
    if let Some(page) = &args.page {
        drop(Output::open(page, &stop.unfinished)?);
    }
    let bench = MatrixBench::<T>::new(conditions, args.config, args.effort, stop.cancel.clone());
    let mut bench = bench.map_err(BenchError::from).map_err(RunError::from)?;
    let deadline = args.max_seconds.and_then(|seconds| start.checked_add(duration(seconds)));
    let target = Target { kernels: &kernels, sizes: &sizes };
    let study = study::run(&mut bench, target, &mut journal, &mut Shown { bar: None, deadline })?;
    drop(bench);

    let report = Report { command: command(args), statements: judged(&study), study };
    if report.study.left_out > 0 {
        say(format_args!("{} steps are left out, as the time is over", report.study.left_out));
    }
    if let Some(directory) = &args.output {
        write_all(&report, directory, stop)?;
    }
    if let Some(page) = &args.page {
        write_page(&report, page, stop)?;
    }
    if args.json { print_json(&report.answer()) } else { print(report.to_string().trim_end()) }
}

/// What a study found, and what is made of it.
#[derive(Debug)]
struct Report {
    /// The command that makes it.
    command: String,
    study: Study,
    statements: Vec<statements::Row>,
}

/// The version of the JSON.
const ANSWER: u32 = 1;

#[derive(Serialize)]
struct Answer<'a> {
    schema: u32,
    conditions: &'a Conditions,
    kernels: Vec<KernelAnswer<'a>>,
    statements: &'a [statements::Row],
    left_out: usize,
}

#[derive(Serialize)]
struct KernelAnswer<'a> {
    kernel: &'a str,
    version: Option<&'a str>,
    groups: Option<usize>,
    threads: Option<usize>,
    methods: Vec<MethodAnswer>,
    rows: &'a [study::Methods],
}

#[derive(Serialize)]
struct MethodAnswer {
    method: Method,
    average_gflops: f64,
    peak_gflops: f64,
    peak_n: usize,
    average_to_peak: f64,
    mean_width: f64,
    widest: f64,
    mean_of_ratios: Option<f64>,
    ratio_of_means: Option<f64>,
}

impl Report {
    fn answer(&self) -> Answer<'_> {
        let kernel = |found: &'_ KernelFindings| {
            let method = |method: Method| {
                let figures = found.figures(method)?;
                let speed_up = found.speed_up(method, Method::Basic, &study::Band::all());
                Some(MethodAnswer {
                    method,
                    average_gflops: figures.average,
                    peak_gflops: figures.peak.1,
                    peak_n: figures.peak.0,
                    average_to_peak: figures.average_to_peak(),
                    mean_width: figures.mean_width,
                    widest: figures.widest,
                    mean_of_ratios: speed_up.map(|speed_up| speed_up.mean_of_ratios),
                    ratio_of_means: speed_up.map(|speed_up| speed_up.ratio_of_means),
                })
            };
            Method::EXACT.into_iter().filter_map(method).collect::<Vec<_>>()
        };
        let kernels = self.study.kernels.iter().map(|found| KernelAnswer {
            kernel: &found.kernel,
            version: found.version.as_deref(),
            groups: found.grouping.map(|grouping| grouping.groups),
            threads: found.grouping.map(|grouping| grouping.threads),
            methods: kernel(found),
            rows: &found.rows,
        });
        Answer {
            schema: ANSWER,
            conditions: &self.study.conditions,
            kernels: kernels.collect(),
            statements: &self.statements,
            left_out: self.study.left_out,
        }
    }
}

/// Those asked for, or all that are here. Each is loaded, so that one that cannot be used is known now.
fn kernels<T: Real>(args: &Profile2d) -> Result<Vec<Kernel>, Failure> {
    if args.kernels.is_empty() {
        let has_precision = |kernel: &Kernel| {
            kernel.load().is_ok_and(|library| {
                library.is_none_or(|library| {
                    library.describe().precisions.iter().any(|half| half.precision == T::NAME)
                })
            })
        };
        return Ok([Kernel::RustFft, Kernel::Fftw, Kernel::Mkl].into_iter().filter(has_precision).collect());
    }
    let mut kernels: Vec<Kernel> = Vec::new();
    for kernel in &args.kernels {
        kernel.load().map_err(BenchError::from).map_err(RunError::from)?;
        if !kernels.contains(kernel) {
            kernels.push(kernel.clone());
        }
    }
    Ok(kernels)
}

fn conditions<T: Real>(args: &Profile2d) -> Conditions {
    Conditions {
        schema: SCHEMA,
        computer: Computer::found(),
        precision: T::NAME.to_owned(),
        config: args.config.to_string(),
        cores: args.cores.map_or_else(usable_cores, usize::from),
        effort: args.effort.to_string(),
        planning: args.planning,
        as_published: args.as_published,
        repetitions: args.repetitions,
        point_seconds: args.point_seconds,
        speed_seconds: args.speed_seconds,
    }
}

/// The command as a reader would type it: what was not the default, without names of this computer.
fn command(args: &Profile2d) -> String {
    let mut words =
        vec![format!("earth-fft profile2d --from {} --to {} --step {}", args.from, args.to, args.step)];
    for kernel in &args.kernels {
        words.push(match kernel {
            Kernel::File(path) => {
                format!("--kernel …/{}", path.file_name().unwrap_or_default().to_string_lossy())
            }
            named => format!("--kernel {named}"),
        });
    }
    let mut option = |is_given: bool, text: String| {
        if is_given {
            words.push(text);
        }
    };
    option(args.precision == Precision::F32, "--precision f32".to_owned());
    option(args.config != crate::request::Config::Spn, format!("--config {}", args.config));
    option(args.effort.to_string() != "estimate", format!("--effort {}", args.effort));
    option(args.planning, "--planning".to_owned());
    option(args.as_published, "--as-published".to_owned());
    option(true, format!("--repetitions {}", args.repetitions));
    option(true, format!("--point-seconds {}", args.point_seconds));
    option(true, format!("--speed-seconds {}", args.speed_seconds));
    words.push("--out DIR --page docs/pfft-paper.md".to_owned());
    words.join(" ")
}

fn create(directory: &Path) -> Result<(), Failure> {
    fs::create_dir_all(directory)
        .map_err(|source| WriteError { name: format!("'{}'", directory.display()), source }.into())
}

fn write(path: &Path, content: &[u8], stop: &Stop) -> Result<(), Failure> {
    Ok(Output::open(path, &stop.unfinished)?.commit(|sink| sink.write_all(content))?)
}

fn write_plots(report: &Report, directory: &Path, stop: &Stop) -> Result<(), Failure> {
    for figure in figures::all(&report.study) {
        write(&directory.join(format!("{}.svg", figure.name)), plots::file(&figure).as_bytes(), stop)?;
    }
    Ok(())
}

/// Everything into a directory.
fn write_all(report: &Report, directory: &Path, stop: &Stop) -> Result<(), Failure> {
    write_plots(report, directory, stop)?;
    for (name, content) in tables::all(report).map_err(|error| Failure::Stdout(error.into()))? {
        write(&directory.join(name), &content, stop)?;
    }
    write(&directory.join(MARKDOWN), Markdown { report, folder: "" }.to_string().as_bytes(), stop)?;
    write(&directory.join(PAGE), page::of(report).as_bytes(), stop)
}

/// The Markdown, and the plots in the folder of its name.
fn write_page(report: &Report, path: &Path, stop: &Stop) -> Result<(), Failure> {
    let folder = path.with_extension("");
    create(&folder)?;
    write_plots(report, &folder, stop)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    write(path, Markdown { report, folder: &format!("{name}/") }.to_string().as_bytes(), stop)
}

/// A bar, and when the time is over.
struct Shown {
    bar: Option<Progress>,
    deadline: Option<Instant>,
}

impl study::Progress for Shown {
    fn begin(&mut self, work: u64) {
        self.bar = (work > 0).then(|| Progress::weighted(work, "profiling"));
    }

    fn done(&mut self, work: u64) {
        if let Some(bar) = &self.bar {
            bar.advance(work);
        }
    }

    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Whether a study was ended by Ctrl-C.
pub(super) fn is_interruption(error: &RunError) -> bool {
    matches!(error, RunError::Bench(BenchError::Transform(TransformError::Machine(earth::Error::Cancelled))))
}
