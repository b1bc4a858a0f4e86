//! How well a profile of this computer foretells what programs take: each is run on real cores and, with the
//! profile, in virtual time. No cost is fitted to a program's time.

use earth::simulated::Profile;
use earth::{CancelToken, Machine};
use earth_fft::dataflow::receiver::Asking;
use earth_fft::programs::{self, TransformError, default_block, matrix};
use earth_fft::request::Config;
use earth_kernels::Direction;
use num_complex::Complex;
use serde::Serialize;

use super::kernels::kernels;
use super::profile::{Effort, calibrated};
use super::times::median;
use crate::computer::usable_cores;
use crate::progress::Progress;

/// The points of every program.
pub const POINTS: usize = 1 << 14;
const SIDES: [usize; 2] = [1 << 8, 1 << 6];

/// Runs on real cores, of which the median counts.
const RUNS: usize = 11;

/// A program of the prediction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Program {
    Row,
    Sender,
    Tree,
    Shared,
    Square,
    Rectangle,
}

const PROGRAMS: [Program; 6] =
    [Program::Row, Program::Sender, Program::Tree, Program::Shared, Program::Square, Program::Rectangle];

impl Program {
    fn name(self) -> &'static str {
        match self {
            Program::Row => "row kernel",
            Program::Sender => "sender",
            Program::Tree => "receiver",
            Program::Shared => "receiver-shared",
            Program::Square => "grouped, square",
            Program::Rectangle => "grouped, rectangle",
        }
    }

    /// The seconds of one run, by the machine's clock.
    fn seconds(self, machine: &mut Machine) -> Result<f64, TransformError> {
        let signal = |n: usize| (0..n).map(|j| Complex::new(1.0 / (j + 1) as f64, 0.0)).collect::<Vec<_>>();
        let nodes = machine.node_count();
        let block = default_block(POINTS, nodes);
        let forward = Direction::Forward;
        let [rows, cols] = SIDES;
        let time = match self {
            Program::Row => programs::row(machine, signal(POINTS), forward)?.phases.total(),
            Program::Sender => programs::sender(machine, signal(POINTS), block, forward)?.phases.total(),
            Program::Tree => {
                programs::receiver(machine, signal(POINTS), Asking::Tree, forward)?.phases.total()
            }
            Program::Shared => {
                programs::receiver(machine, signal(POINTS), Asking::Shared, forward)?.phases.total()
            }
            Program::Square => {
                let side = POINTS.isqrt();
                matrix::matrix(machine, side, side, signal(POINTS), None, forward)?.phases.total()
            }
            Program::Rectangle => {
                matrix::matrix(machine, rows, cols, signal(POINTS), None, forward)?.phases.total()
            }
        };
        Ok(time.as_secs_f64())
    }
}

/// A program on a machine, measured and predicted; the field names are the names in JSON.
#[derive(Debug, Serialize)]
pub struct Row {
    /// Its name.
    pub program: &'static str,
    /// The machine's configuration.
    pub config: Config,
    /// The machine's nodes.
    pub nodes: usize,
    /// Seconds on real cores, the median.
    pub measured_s: f64,
    /// Seconds in virtual time.
    pub predicted_s: f64,
    /// Predicted over measured.
    pub ratio: f64,
}

/// The profile of this computer, and the programs by it, in every configuration that has the cores.
///
/// # Errors
///
/// The machine's.
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
        let real = &mut machine(config.into(), nodes);
        let simulated = &mut Machine::simulated(&profile).nodes(nodes).config(config.into());
        for program in PROGRAMS.into_iter().filter(|&program| program != Program::Row || nodes == 1) {
            rows.push(row(program, config, real, simulated)?);
            progress.done(1);
        }
    }
    Ok((profile, rows))
}

/// The machines whose units have a core each.
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
    program: Program,
    config: Config,
    real: &mut Machine,
    simulated: &mut Machine,
) -> Result<Row, TransformError> {
    let nodes = real.node_count();
    // The first run wakes threads and touches memory.
    program.seconds(real)?;
    let times = (0..RUNS).map(|_| program.seconds(real)).collect::<Result<_, _>>()?;
    let (measured_s, predicted_s) = (median(times), program.seconds(simulated)?);
    Ok(Row {
        program: program.name(),
        config,
        nodes,
        measured_s,
        predicted_s,
        ratio: predicted_s / measured_s,
    })
}
