//! `earth-lab profile2d`: the study of Khokhriakov, Manumachu and Lastovetsky on this computer.
//!
//! [`study::run`](fn@crate::study::run) measures what `rows.jsonl` in the directory does not have yet, step by
//! step, so that the command can be ended at any time and goes on where it was;
//! [`Report`] is what is made of it.

use earth_console::Failure;
use earth_console::args::Precision;
use earth_console::folder::{create, write, write_all, write_page};
use earth_console::io::aside::Output;
use earth_console::output::{print, print_json, say};
use earth_console::progress::Timed;
use earth_console::stop::Stop;
use earth_fft::computer::{self, usable_cores};
use earth_fft::kernel::Kernel;

use super::args::profile2d::Profile2d;
use crate::profile2d::Report;
use crate::study::{self, BenchError, Conditions, Journal, MatrixBench, RunError, SCHEMA, Sizes, Target};

/// Where rows are kept in the directory, and the report as a page and as Markdown.
const ROWS: &str = "rows.jsonl";
const PAGE: &str = "profile2d.html";
const MARKDOWN: &str = "profile2d.md";

/// Studies transforms of matrices, and prints or writes the document.
///
/// # Errors
///
/// Why that cannot be.
pub(super) fn run(args: &Profile2d, stop: &Stop) -> Result<(), Failure> {
    match args.precision {
        Precision::F32 => run_in::<f32>(args, stop),
        Precision::F64 => run_in::<f64>(args, stop),
    }
}

fn run_in<T: earth_fft::Precision>(args: &Profile2d, stop: &Stop) -> Result<(), Failure> {
    let progress = Timed::weighted("profiling", args.max_seconds);
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
    let target = Target { kernels: &kernels, sizes: &sizes };
    let study = study::run(&mut bench, target, &mut journal, &progress)?;
    drop((bench, progress));

    let report = Report::new(command(args), study);
    if report.study.left_out > 0 {
        say(format_args!("{} steps are left out, as the time is over", report.study.left_out));
    }
    let document = report.document();
    if let Some(directory) = &args.output {
        write_all(document.plots(), directory, stop)?;
        write_all(report.tables().map_err(Failure::Stdout)?, directory, stop)?;
        write(&directory.join(MARKDOWN), document.markdown("").as_bytes(), stop)?;
        write(&directory.join(PAGE), document.page().as_bytes(), stop)?;
    }
    if let Some(page) = &args.page {
        write_page(&document, page, stop)?;
    }
    if args.json { print_json(&report.answer()) } else { print(document) }
}

/// Those asked for, or all that are here. Each is loaded, so that one that cannot be used is known now.
fn kernels<T: earth_fft::Precision>(args: &Profile2d) -> Result<Vec<Kernel>, Failure> {
    if args.kernels.is_empty() {
        let has_precision = |kernel: &Kernel| {
            kernel.load().is_ok_and(|library| {
                library.is_none_or(|library| {
                    library.describe().precisions.iter().any(|half| half.precision == T::NAME)
                })
            })
        };
        return Ok([Kernel::Earth, Kernel::Fftw, Kernel::Mkl].into_iter().filter(has_precision).collect());
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

fn conditions<T: earth_fft::Precision>(args: &Profile2d) -> Conditions {
    Conditions {
        schema: SCHEMA,
        computer: computer::here(),
        precision: T::NAME.to_owned(),
        config: args.config.name().to_owned(),
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
        vec![format!("earth-lab profile2d --from {} --to {} --step {}", args.from, args.to, args.step)];
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
    option(args.config != earth_fft::Config::Spn, format!("--config {}", args.config.name()));
    option(args.effort.to_string() != "estimate", format!("--effort {}", args.effort));
    option(args.planning, "--planning".to_owned());
    option(args.as_published, "--as-published".to_owned());
    option(true, format!("--repetitions {}", args.repetitions));
    option(true, format!("--point-seconds {}", args.point_seconds));
    option(true, format!("--speed-seconds {}", args.speed_seconds));
    words.push("--out DIR --page docs/pfft-paper.md".to_owned());
    words.join(" ")
}
