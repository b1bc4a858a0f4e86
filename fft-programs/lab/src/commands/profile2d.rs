//! `earth-lab profile2d`: the study of Khokhriakov, Manumachu and Lastovetsky on this computer.
//!
//! [`study::run`](fn@crate::pfft::study::run) measures the steps that `rows.jsonl` in the directory does not
//! have yet. The command can therefore be stopped at any time and resumed. [`Report`] is the result.

use earth_console::Failure;
use earth_console::args::Precision;
use earth_console::output::print_message;
use earth_console::progress::Timed;
use earth_console::stop::Stop;
use earth_fft::computer::{self, usable_cores};
use earth_fft::kernel::Kernel;

use super::args::profile2d::Profile2d;
use super::output::Files;
use crate::pfft::profile2d::Report;
use crate::pfft::study::{
    self, BenchError, Conditions, Journal, MatrixBench, RunError, SCHEMA, Sizes, Target,
};

/// File name of the rows in the directory.
const ROWS: &str = "rows.jsonl";

/// Studies transforms of matrices, and prints or writes the document.
///
/// # Errors
///
/// Returns the errors of the arguments, of the files, of the kernels and of the transforms.
pub(super) fn run(args: &Profile2d, stop: &Stop) -> Result<(), Failure> {
    match args.precision {
        Precision::F32 => run_in::<f32>(args, stop),
        Precision::F64 => run_in::<f64>(args, stop),
    }
}

fn run_in<T: earth_fft::Precision>(args: &Profile2d, stop: &Stop) -> Result<(), Failure> {
    let progress = Timed::weighted("profiling", args.max_seconds);
    let (from, to, step, further) = (args.from, args.to, args.step.get(), args.sizes.clone());
    let sizes = Sizes { from, to, step, further }.all().map_err(Failure::usage)?;
    let kernels = kernels::<T>(args)?;
    let conditions = conditions::<T>(args);
    let files = Files::open(args.output.as_deref(), "profile2d", args.page.as_deref(), stop)?;
    let mut journal = match &args.output {
        Some(directory) => {
            Journal::open(&directory.join(ROWS), conditions.clone(), args.force).map_err(RunError::from)?
        }
        None => Journal::in_memory(conditions.clone()),
    };
    let bench = MatrixBench::<T>::new(conditions, args.config, args.effort, stop.cancel.clone());
    let mut bench = bench.map_err(BenchError::from).map_err(RunError::from)?;
    let target = Target { kernels: &kernels, sizes: &sizes, steps_to: args.to };
    let study = study::run(&mut bench, target, &mut journal, &progress)?;
    drop((bench, progress));

    let report = Report::new(command(args, &study.conditions), study);
    if report.study.left_out > 0 {
        print_message(format_args!(
            "{} steps are left out because the time limit is reached",
            report.study.left_out
        ));
    }
    files.write(&report.document(), report.tables(), args.json.then(|| report.answer()).as_ref())
}

/// Returns the kernels of the command line, or all that are installed. Each is loaded, so that an unusable
/// kernel fails now.
fn kernels<T: earth_fft::Precision>(args: &Profile2d) -> Result<Vec<Kernel>, Failure> {
    if args.kernels.is_empty() {
        let has_precision = |kernel: &Kernel| {
            kernel.load().is_ok_and(|library| {
                library.is_none_or(|library| {
                    library.describe().precisions.iter().any(|half| half.precision == T::NAME)
                })
            })
        };
        let kernels = [Kernel::Earth, Kernel::Fftw, Kernel::Fftw2, Kernel::Mkl];
        return Ok(kernels.into_iter().filter(has_precision).collect());
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
        measure_to: args.measure_to,
        patient_to: args.patient_to,
    }
}

/// Reconstructs the command line: options that differ from their defaults, without names of this computer's
/// folders.
fn command(args: &Profile2d, conditions: &Conditions) -> String {
    let mut words =
        vec![format!("earth-lab profile2d --from {} --to {} --step {}", args.from, args.to, args.step)];
    if !args.sizes.is_empty() {
        let sizes: Vec<_> = args.sizes.iter().map(usize::to_string).collect();
        words.push(format!("--sizes {}", sizes.join(",")));
    }
    for kernel in &args.kernels {
        words.push(match kernel {
            Kernel::File(path) => {
                format!("--kernel …/{}", path.file_name().unwrap_or_default().to_string_lossy())
            }
            named => format!("--kernel {named}"),
        });
    }
    for (name, value, usual) in conditions.options() {
        match value.as_str() {
            // The number of cores is a fact of the computer.
            _ if name == "--cores" => {}
            value if usual == Some(value) => {}
            "true" => words.push(name.to_owned()),
            value => words.push(format!("{name} {value}")),
        }
    }
    words.push("--out DIR --page docs/pfft-paper.md".to_owned());
    words.join(" ")
}
