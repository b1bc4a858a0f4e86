//! Predicted times of a run on other machines: from a traced run on this computer, with measured times of
//! fibers on a simulated machine.
//!
//! 1. Run the program on one SPN node, traced, and take the mean time of each fiber. The cost of tracing a
//!    fiber is the difference to runs without a trace.
//! 2. Run it on a simulated machine with the costs of operations that [`calibrate`](crate::calibrate) measured,
//!    and without any work of fibers. Its fibers take the time of their operations alone. Subtract this time.
//! 3. Run it on simulated machines with these times: other numbers of nodes, the other configuration, other
//!    policies, another network, other synchronization units. The program computes its real results.
//! 4. Run it on this computer where it can, on threads and on ranks that are threads of one process, and
//!    compare.
//!
//! *Limits.* A fiber has its mean time, wherever its data is. So effects of caches and of the memory that
//! nodes share are missing.

mod document;
mod measured;
mod ranks;

use std::iter;

use earth::simulated::{FiberTimes, NetworkKind, Profile};
use earth::{CancelToken, Config, Machine, Policy, TokenOrder};
use earth_console::work::Progress;
use earth_fft::TransformError;
use earth_fft::computer::usable_cores;
use earth_programs::{Instance, Machines, PROGRAMS, Program};
use earth_report::document::Document;
use earth_report::spread::median;
use serde::Serialize;

use crate::calibrate::{Effort, calibrated, kernels};
use crate::map::Kind;
use crate::parameters::with_su_speed;
use crate::ranks::on_ranks;
use crate::run_cache::SimulateError;

/// A machine of the page.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Variant {
    /// Its name in tables.
    pub name: &'static str,
    /// Its configuration.
    pub config: Config,
    /// Its number of nodes.
    pub nodes: usize,
    /// Whether its nodes are threads or ranks.
    #[serde(skip)]
    kind: Kind,
    /// Its policy.
    #[serde(skip)]
    pub policy: Policy,
}

/// The machine of the traced run.
const BASE: &str = "SPN, 1 node";

impl Variant {
    fn new(name: &'static str, config: Config, nodes: usize, policy: Policy) -> Self {
        Variant { name, config, nodes, kind: Kind::Threads, policy }
    }

    fn of_ranks(name: &'static str, config: Config, nodes: usize) -> Self {
        Variant { kind: Kind::Ranks, ..Variant::new(name, config, nodes, Policy::default()) }
    }

    /// Number of threads of the machine on real cores.
    fn units(&self) -> usize {
        match self.config {
            Config::Spn => self.nodes,
            Config::Dual => 2 * self.nodes,
        }
    }

    /// Calls `of` with the machine on this computer.
    fn real<T>(&self, cancel: &CancelToken, of: impl FnOnce(Machine) -> T) -> T {
        let set = |machine: Machine| machine.config(self.config).policy(self.policy);
        match self.kind {
            Kind::Threads => of(set(Machine::threads(self.nodes)).cancel_token(cancel.clone())),
            Kind::Ranks => on_ranks(self.nodes, set, |machine| of(machine.cancel_token(cancel.clone()))),
        }
    }

    fn simulated(&self, profile: &Profile, times: &FiberTimes, cancel: &CancelToken) -> Machine {
        let machine = Machine::simulated(profile).nodes(self.nodes).config(self.config).policy(self.policy);
        machine.fiber_times(times).cancel_token(cancel.clone())
    }
}

/// Machines that this computer has too, for a program that runs on machines of a kind.
fn variants(of: Machines) -> Vec<Variant> {
    let (spn, dual, usual) = (Config::Spn, Config::Dual, Policy::default());
    let one_queue: Policy = "one-queue".parse().unwrap_or_default();
    let oldest = Policy { tokens: TokenOrder::OldestFirst, ..usual };
    let all = [
        Variant::new(BASE, spn, 1, usual),
        Variant::new("SPN, 2 nodes", spn, 2, usual),
        Variant::new("SPN, 4 nodes", spn, 4, usual),
        Variant::new("DUAL, 1 node", dual, 1, usual),
        Variant::new("DUAL, 2 nodes", dual, 2, usual),
        Variant::new("SPN, 2 nodes, one queue", spn, 2, one_queue),
        Variant::new("SPN, 2 nodes, oldest tokens", spn, 2, oldest),
        Variant::of_ranks("SPN, 2 ranks", spn, 2),
        Variant::of_ranks("SPN, 4 ranks", spn, 4),
        Variant::of_ranks("DUAL, 2 ranks", dual, 2),
    ];
    let cores = usable_cores();
    let runs_on = |kind| kind == Kind::Threads || of != Machines::SharedMemory;
    all.into_iter().filter(|variant| variant.units() <= cores.max(1) && runs_on(variant.kind)).collect()
}

/// A change of the machine that only a simulation can make.
struct Change {
    name: &'static str,
    variant: Variant,
    apply: fn(&mut Profile),
}

fn changes() -> Vec<Change> {
    let usual = Policy::default();
    let on = |name, config, nodes, apply| Change {
        name,
        variant: Variant::new(name, config, nodes, usual),
        apply,
    };
    vec![
        on("SPN, 16 nodes", Config::Spn, 16, |_| ()),
        on("SPN, 64 nodes", Config::Spn, 64, |_| ()),
        on("16 nodes, network 4 times as slow", Config::Spn, 16, |profile| {
            profile.network.interface *= 4.0;
            profile.network.hop *= 4.0;
        }),
        on("16 nodes, free network", Config::Spn, 16, |profile| {
            profile.network.kind = NetworkKind::Ideal;
            (profile.network.interface, profile.network.hop) = (0.0, 0.0);
        }),
        on("DUAL, 16 nodes", Config::Dual, 16, |_| ()),
        on("DUAL, 16 nodes, SU 4 times as fast", Config::Dual, 16, |profile| {
            *profile = with_su_speed(profile, 4.0);
        }),
    ]
}

/// Time of a program on a machine of this computer, measured and predicted, in seconds.
#[derive(Clone, Debug, Serialize)]
pub struct Predicted {
    /// The machine.
    pub machine: &'static str,
    /// Whether its nodes are ranks.
    pub of_ranks: bool,
    /// Least, median and greatest measured time.
    pub measured_s: [f64; 3],
    /// Predicted time.
    pub predicted_s: f64,
}

impl Predicted {
    /// Returns the predicted time over the median of the measured ones.
    pub fn ratio(&self) -> f64 {
        self.predicted_s / self.measured_s[1]
    }

    /// Returns the relative error of the prediction.
    fn error(&self) -> f64 {
        (self.ratio() - 1.0).abs()
    }
}

/// What is known about a program.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Name of the program.
    pub program: &'static str,
    /// Mean time of a fiber, in nanoseconds, without operations of the runtime.
    pub fiber_ns: f64,
    /// Time to encode and decode a message, in nanoseconds, if the program ran on ranks.
    pub encoding_ns: Option<f64>,
    /// Time on the machines of this computer.
    pub predicted: Vec<Predicted>,
    /// Speed-up over one SPN node on machines that are simulated only.
    pub speedups: Vec<(&'static str, f64)>,
}

/// Costs of a signal between two nodes of this computer, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct MessageCosts {
    /// Whether the nodes are ranks.
    pub of_ranks: bool,
    /// Time of the sender and of the receiver.
    pub ends_ns: [f64; 2],
    /// Time between the two.
    pub between_ns: f64,
}

impl MessageCosts {
    fn of(profile: &Profile, of_ranks: bool) -> Self {
        let nanoseconds = |cycles: f64| cycles * 1e3 / profile.clock_mhz;
        let ends_ns =
            [profile.spn.send_word, profile.spn.receive_word].map(|cycles| nanoseconds(cycles as f64));
        MessageCosts { of_ranks, ends_ns, between_ns: nanoseconds(profile.network.interface) }
    }
}

/// The answer as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    schema: u32,
    /// Median of the relative errors of all predictions for threads. The traced machine does not count.
    pub median_error: f64,
    /// Median of the relative errors of all predictions for ranks.
    pub median_error_of_ranks: Option<f64>,
    /// Costs of signals between threads and, with several cores, between ranks.
    pub messages: Vec<MessageCosts>,
    rows: Vec<Row>,
}

/// Traces, measures and predicts programs, and makes the report. `only` names a program.
///
/// # Errors
///
/// An error of a program or of a machine, or `cancel` was cancelled.
pub fn report(
    only: Option<&str>,
    cancel: &CancelToken,
    progress: &impl Progress,
) -> Result<(Document, Answer), SimulateError> {
    let programs: Vec<&'static dyn Program> = PROGRAMS
        .iter()
        .copied()
        .filter(|program| program.machines() != Machines::RealTime)
        .filter(|program| only.is_none_or(|only| only == program.name()))
        .collect();
    progress.begin(1 + programs.len() as u64);
    let machine = |config, nodes| Machine::threads(nodes).config(config).cancel_token(cancel.clone());
    let calibrated = calibrated(machine, Effort::default(), kernels());
    let threads = calibrated.map_err(|error| SimulateError::Machine(TransformError::Machine(error)))?;
    let ranks = (usable_cores() > 1).then(|| ranks::profile(&threads, cancel)).transpose()?;
    let profiles = Profiles { threads, ranks };
    progress.done(1);
    let mut rows = Vec::new();
    for program in programs {
        let instance = program.at(&program.usual())?;
        rows.push(row(program, &instance, &profiles, cancel)?);
        progress.done(1);
    }
    let median_of = |ranks| median(rows.iter().flat_map(|row| others(row, ranks)).map(Predicted::error));
    let (median_error, median_error_of_ranks) = (median_of(false).unwrap_or(0.0), median_of(true));
    let of_ranks = profiles.ranks.iter().map(|profile| MessageCosts::of(profile, true));
    let messages = iter::once(MessageCosts::of(&profiles.threads, false)).chain(of_ranks).collect();
    let answer = Answer { schema: 1, median_error, median_error_of_ranks, messages, rows };
    Ok((document::document(&answer), answer))
}

/// Returns the predictions of a program for threads or for ranks, without the traced machine.
fn others(row: &Row, of_ranks: bool) -> impl Iterator<Item = &Predicted> {
    row.predicted.iter().filter(move |it| it.of_ranks == of_ranks && it.machine != BASE)
}

/// Costs of operations on this computer. Ranks need several cores.
struct Profiles {
    threads: Profile,
    ranks: Option<Profile>,
}

fn row(
    program: &'static dyn Program,
    instance: &Instance,
    profiles: &Profiles,
    cancel: &CancelToken,
) -> Result<Row, SimulateError> {
    let variants = variants(program.machines());
    let profile = &profiles.threads;
    let measured = measured::measured(instance, &variants, cancel)?;
    let base = &variants[0];
    let bare = FiberTimes::default();
    let run = instance.run(&mut base.simulated(profile, &bare, cancel).trace(true))?;
    let operations = run.records.as_ref().map(FiberTimes::of).unwrap_or_default();
    let times = measured.times.without(&operations);
    let encoding = measured.encoding;
    let ranks = profiles.ranks.as_ref().zip(encoding);
    let ranks = ranks.map(|(profile, encoding)| ranks::with_encoding(profile, encoding));
    let predict = |variant: &Variant, profile: &Profile| {
        let run = instance.run(&mut variant.simulated(profile, &times, cancel))?;
        Ok::<_, SimulateError>(run.elapsed.as_secs_f64())
    };
    let mut predicted = Vec::new();
    for (variant, measured_s) in variants.iter().zip(measured.seconds) {
        let of_ranks = variant.kind == Kind::Ranks;
        let profile = ranks.as_ref().filter(|_| of_ranks).unwrap_or(profile);
        let predicted_s = predict(variant, profile)?;
        predicted.push(Predicted { machine: variant.name, of_ranks, measured_s, predicted_s });
    }
    let one = predicted[0].predicted_s;
    let mut speedups = Vec::new();
    for Change { name, variant, apply } in changes() {
        let mut profile = profile.clone();
        apply(&mut profile);
        speedups.push((name, one / predict(&variant, &profile)?));
    }
    Ok(Row { program: program.name(), fiber_ns: times.mean(), encoding_ns: encoding, predicted, speedups })
}
