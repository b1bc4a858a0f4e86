//! Checks how well a profile of this computer predicts the programs: each program runs on real cores and,
//! with the profile, in virtual time. No cost is fitted to a program's time.

use std::num::NonZeroUsize;

use earth::simulated::Profile;
use earth::{CancelToken, Config, Machine};
use earth_console::work::Progress;
use earth_fft::computer::usable_cores;
use earth_fft::{Plan, Problem, TransformError};
use earth_report::spread::median;
use num_complex::Complex;
use serde::Serialize;

use super::kernels::kernels;
use super::profile::{Effort, calibrated};

/// Points of every program.
pub const POINTS: usize = 1 << 14;

/// Runs on real cores per program; their median is reported.
const RUNS: usize = 11;

/// Programs: name, algorithm and lengths of the transform. The row kernel runs on one node only.
const PROGRAMS: [(&str, &str, &[usize]); 6] = [
    (ROW_KERNEL, "auto", &[POINTS]),
    ("sender", "sender", &[POINTS]),
    ("receiver", "receiver", &[POINTS]),
    ("receiver-shared", "receiver-shared", &[POINTS]),
    ("grouped, square", "grouped", &[POINTS.isqrt(); 2]),
    ("grouped, rectangle", "grouped", &[1 << 8, 1 << 6]),
];
const ROW_KERNEL: &str = "row kernel";

/// Returns the time of one run, in seconds of the machine's clock.
fn seconds(plan: &Plan<f64>, machine: &mut Machine) -> Result<f64, TransformError> {
    let signal = (0..POINTS).map(|j| Complex::new(1.0 / (j + 1) as f64, 0.0)).collect();
    Ok(plan.run_on(machine, signal)?.phases.total().as_secs_f64())
}

/// Program on a machine, measured and predicted. The field names are the JSON keys.
#[derive(Debug, Serialize)]
pub struct Row {
    /// Name of the program.
    pub program: &'static str,
    /// Configuration of the machine.
    pub config: Config,
    /// Number of nodes.
    pub nodes: usize,
    /// Median time on real cores, in seconds.
    pub measured_s: f64,
    /// Time in virtual time, in seconds.
    pub predicted_s: f64,
    /// Predicted time over measured time.
    pub ratio: f64,
}

/// Measures the profile of this computer, then measures and predicts the programs in every configuration that
/// has enough cores.
///
/// # Errors
///
/// Returns the machine's errors.
pub fn predicted(
    cancel: &CancelToken,
    progress: &impl Progress,
) -> Result<(Profile, Vec<Row>), TransformError> {
    let machines = machines();
    progress.begin((1 + machines.len() * PROGRAMS.len()) as u64);
    let machine = |config, nodes| Machine::threads(nodes).config(config).cancel_token(cancel.clone());
    let profile = calibrated(machine, Effort::default(), kernels()).map_err(TransformError::Machine)?;
    progress.done(1);
    let mut rows = Vec::new();
    for &(config, nodes) in &machines {
        let real = &mut machine(config, nodes);
        let simulated = &mut Machine::simulated(&profile).nodes(nodes).config(config);
        for (program, algorithm, lengths) in
            PROGRAMS.into_iter().filter(|of| of.0 != ROW_KERNEL || nodes == 1)
        {
            let planner = earth_papers::planner().algorithm(algorithm).nodes(NonZeroUsize::new(nodes));
            let plan = planner.plan(&Problem::complex(lengths))?;
            rows.push(row(program, &plan, config, real, simulated)?);
            progress.done(1);
        }
    }
    Ok((profile, rows))
}

/// Lists the machines with at least one core per unit, and the machines with one node.
fn machines() -> Vec<(Config, usize)> {
    let cores = usable_cores();
    let nodes = (0..4).map(|bits| 1 << bits);
    nodes
        .flat_map(|nodes| [(Config::Spn, nodes, nodes), (Config::Dual, nodes, 2 * nodes)])
        .filter(|&(_, nodes, units)| nodes == 1 || units <= cores)
        .map(|(config, nodes, _)| (config, nodes))
        .collect()
}

fn row(
    program: &'static str,
    plan: &Plan<f64>,
    config: Config,
    real: &mut Machine,
    simulated: &mut Machine,
) -> Result<Row, TransformError> {
    let nodes = real.node_count();
    // The first run wakes threads and touches memory, so it does not count.
    seconds(plan, real)?;
    let times = (0..RUNS).map(|_| seconds(plan, real)).collect::<Result<Vec<_>, _>>()?;
    let (measured_s, predicted_s) = (median(times).unwrap_or(f64::NAN), seconds(plan, simulated)?);
    Ok(Row { program, config, nodes, measured_s, predicted_s, ratio: predicted_s / measured_s })
}
