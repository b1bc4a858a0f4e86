//! `earth-fft calibrate`: what operations cost on this computer, as a profile for the simulated machine, and how
//! well that foretells what the programs take.
//!
//! Each program is run on real cores and, with the profile, in virtual time: a row has both times and how the
//! one compares with the other. No cost is fitted to a program's time.

use earth::{Machine, Profile};
use earth_kernels::Direction;
use num_complex::Complex;
use serde::Serialize;

use super::args::Calibrate;
use super::facts::usable_cores;
use super::failure::Failure;
use super::progress::Progress;
use super::stop::Stop;
use super::table::{Table, seconds};
use super::{print, print_json, say};
use crate::calibrate::{Effort, calibrated, kernels, median};
use crate::io::aside::Output;
use crate::oned::receiver::Asking;
use crate::programs::{self, TransformError, default_block, twod};
use crate::request::Config;

/// The points of every program.
const POINTS: usize = 1 << 14;
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
                twod::matrix(machine, side, side, signal(POINTS), None, forward)?.phases.total()
            }
            Program::Rectangle => {
                twod::matrix(machine, rows, cols, signal(POINTS), None, forward)?.phases.total()
            }
        };
        Ok(time.as_secs_f64())
    }
}

/// One program on one machine.
#[derive(Debug, Serialize)]
struct Row {
    program: &'static str,
    config: Config,
    nodes: usize,
    measured_s: f64,
    predicted_s: f64,
    /// Predicted over measured.
    ratio: f64,
}

/// What the head of a profile's file says of its figures.
const EXPLAINED: &str = "\
# What operations cost on this computer, as earth-fft calibrate measured it, for earth-fft simulate --profile.
#
# clock_mhz is of a made-up clock: a cycle is a tenth of a nanosecond. All costs are its cycles.
# [spn] has the costs of a node with one thread, [dual] those of a node with two.
# [network] is what a message takes between two nodes, beside sending and receiving it.
# [work.kernels] has the cost of each unit of a kernel's work; flop is for work that no kernel is named for.
# [policy] is the order in which nodes take up what waits for them. It is the usual policy of machines here.

";

#[derive(Debug, Serialize)]
struct Answer<'a> {
    schema: u32,
    points: usize,
    profile: &'a Profile,
    rows: &'a [Row],
}

pub(super) fn run(args: &Calibrate, stop: &Stop) -> Result<(), Failure> {
    let output = args.output.as_ref().map(|path| Output::open(path, &stop.unfinished)).transpose()?;
    let machines = machines();
    let progress = Progress::of((1 + machines.len() * PROGRAMS.len()) as u64, "calibrating");
    let machine = |config, nodes| Machine::threads(nodes).config(config).cancel_token(stop.cancel.clone());
    let failure = |error| Failure::Simulation(TransformError::Machine(error));
    let profile = calibrated(machine, Effort::default(), kernels()).map_err(failure)?;
    progress.step();
    let mut rows = Vec::new();
    for &(config, nodes) in &machines {
        let real = &mut machine(config.into(), nodes);
        let simulated = &mut Machine::simulated(&profile).nodes(nodes).config(config.into());
        for program in PROGRAMS.into_iter().filter(|&program| program != Program::Row || nodes == 1) {
            rows.push(row(program, config, real, simulated).map_err(Failure::Simulation)?);
            progress.step();
        }
    }
    drop(progress);
    if let Some(output) = output {
        output.commit(|sink| write!(sink, "{EXPLAINED}{}", profile.to_toml()))?;
    }
    if usable_cores() < 2 {
        say("warning: one core steps both nodes, so messages between them are cheaper than they should be");
    }
    if args.json {
        return print_json(&Answer { schema: 1, points: POINTS, profile: &profile, rows: &rows });
    }
    let mut table =
        Table::with_header(["program", "machine", "nodes", "measured", "predicted", "predicted/measured"]);
    for Row { program, config, nodes, measured_s, predicted_s, ratio } in &rows {
        table.row([
            (*program).to_owned(),
            config.to_string(),
            nodes.to_string(),
            seconds(*measured_s),
            seconds(*predicted_s),
            format!("{ratio:.2}"),
        ]);
    }
    print(table)
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
