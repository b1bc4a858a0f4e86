//! Example programs and FFTs as points on the map: grain, messages and busy time from the counters of an SPN
//! run, and the ratio that the model predicts from them.
//!
//! Processors are busy for a share `u` of the run. In this share the slower unit of a node decides, as in a
//! step of very many chains. In the rest the nodes wait for the way of a message, as in a step of one chain.
//! Twice the nodes halve the first share alone.

use earth::simulated::Profile;
use earth::{CancelToken, Config, Counters, Error, Machine};
use earth_programs::{Instance, Machines, PROGRAMS, Program, ProgramError};
use serde::{Deserialize, Serialize};

use super::model::{Costs, Load};
use crate::compare::Equal;
use crate::run_cache::SimulateError;
use crate::sweep::transforms;

/// Program of the map itself, which is no example.
const FAMILY: &str = "chains";

/// Chains of a node that never waits for a message.
const MANY: f64 = 1e6;

/// Run of an example program on a simulated machine.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub(crate) struct PointRun {
    /// Name and fingerprint of the profile.
    pub(crate) machine: String,
    pub(crate) program: &'static str,
    pub(crate) is_dual: bool,
    pub(crate) nodes: u32,
}

/// Time and counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sample {
    pub(crate) seconds: f64,
    pub(crate) fibers: u64,
    /// Signals, invocations and tokens.
    pub(crate) messages: u64,
    /// Messages to other nodes.
    pub(crate) sent: u64,
    /// Time of busy execution units, in seconds.
    pub(crate) busy: f64,
}

impl Sample {
    pub(crate) fn of(seconds: f64, counters: &Counters) -> Self {
        let Counters { fibers, signals, invokes, tokens, events_sent, .. } = *counters;
        Self {
            seconds,
            fibers,
            messages: signals + invokes + tokens,
            sent: events_sent,
            busy: counters.eu_busy.as_secs_f64(),
        }
    }

    /// Returns the load of a node with this many chains.
    pub(crate) fn load(&self, nodes: u32, chains: f64) -> Load {
        let each = |count: u64| count as f64 / self.fibers.max(1) as f64;
        let (messages, sent) = (each(self.messages), each(self.sent));
        let remote = sent.min(messages);
        Load { messages, remote, bytes: 0.0, chains, nodes: nodes as usize, crowd: remote }
    }

    /// Returns the share of the time in which the processors of this many nodes are busy.
    pub(crate) fn share(&self, nodes: u32) -> f64 {
        (self.busy / (self.seconds * f64::from(nodes))).clamp(0.0, 1.0)
    }

    /// Returns the mean work of a fiber in nanoseconds, without the costs of its operations.
    pub(crate) fn grain(&self, profile: &Profile, nodes: u32) -> f64 {
        let load = self.load(nodes, 1.0);
        let costs = Costs::of(profile, Config::Spn, 0.0, load.nodes);
        (self.busy * 1e9 / self.fibers.max(1) as f64 - costs.overhead(&load)).max(0.0)
    }

    /// Predicts DUAL's time over SPN's, if this is the run of SPN on `nodes` nodes.
    pub(crate) fn predicted(&self, profile: &Profile, nodes: u32, equal: Equal) -> f64 {
        let grain = self.grain(profile, nodes);
        let ratio = |chains: f64| {
            let load = self.load(nodes, chains);
            let time = |config| Costs::of(profile, config, 0.0, load.nodes).step(&load, grain);
            time(Config::Dual) / time(Config::Spn)
        };
        let share = self.share(nodes);
        let dual = share * ratio(MANY) + (1.0 - share) * ratio(1.0);
        match equal {
            Equal::Nodes => dual,
            Equal::Cores => dual / (1.0 - share / 2.0),
        }
    }
}

/// Returns the names of the example programs and of the FFTs.
pub(crate) fn names() -> Vec<&'static str> {
    let examples = PROGRAMS.iter().filter(|program| program.machines() != Machines::RealTime);
    let examples = examples.map(|program| program.name()).filter(|name| *name != FAMILY);
    let ffts = transforms(&earth_papers::planner());
    examples.chain(ffts.iter().map(Program::name)).collect()
}

/// Returns a program at its usual sizes, or at the sizes of tests.
pub(crate) fn instance(name: &str, is_usual: bool) -> Result<Instance, ProgramError> {
    if let Some(program) = earth_programs::named(name) {
        return program.at(&if is_usual { program.usual() } else { program.small() });
    }
    let ffts = transforms(&earth_papers::planner());
    let fft = ffts.iter().find(|fft| fft.name() == name);
    let fft = fft.unwrap_or_else(|| unreachable!("{name} is a program of the map"));
    fft.at(&if is_usual { fft.usual() } else { fft.small() })
}

/// Returns `None` instead of the error of a program that does not run at these sizes or on this machine.
///
/// # Errors
///
/// The run was cancelled, or its result is wrong.
pub(crate) fn unless_refused<T>(ran: Result<T, ProgramError>) -> Result<Option<T>, SimulateError> {
    match ran {
        Ok(ran) => Ok(Some(ran)),
        Err(ProgramError::Machine(Error::Cancelled)) => Err(SimulateError::CANCELLED),
        Err(error @ ProgramError::Wrong(_)) => Err(error.into()),
        Err(_) => Ok(None),
    }
}

impl PointRun {
    /// Simulates the run; `None` if the program does not run there.
    pub(crate) fn simulated(
        &self,
        profile: &Profile,
        is_usual: bool,
        cancel: &CancelToken,
    ) -> Result<Option<Sample>, SimulateError> {
        let config = if self.is_dual { Config::Dual } else { Config::Spn };
        let machine = Machine::simulated(profile).nodes(self.nodes as usize).config(config);
        let mut machine = machine.cancel_token(cancel.clone());
        let ran = instance(self.program, is_usual).and_then(|instance| instance.run(&mut machine));
        Ok(unless_refused(ran)?.map(|run| Sample::of(run.elapsed.as_secs_f64(), &run.counters)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manna() -> Profile {
        Profile::named("manna50").unwrap()
    }

    #[test]
    fn every_name_is_once_and_has_a_program() {
        let names = names();
        let distinct: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{names:?}");
        assert!(names.contains(&"fib") && names.contains(&"sender") && !names.contains(&FAMILY));
        assert!(instance("fib", false).is_ok());
    }

    /// 10 fibers of 2 messages each take 26 + 24 + 100 cycles of 20 ns.
    #[test]
    fn the_grain_is_the_busy_time_without_the_costs_of_operations() {
        let busy = 10.0 * 150.0 * 20e-9;
        let sample = Sample { seconds: busy / 4.0, fibers: 10, messages: 20, sent: 0, busy };
        assert!((sample.grain(&manna(), 4) - 2000.0).abs() < 1e-6);
        assert!((sample.share(4) - 1.0).abs() < 1e-12);
        let predicted = |sample: Sample, equal| sample.predicted(&manna(), 4, equal);
        assert!((predicted(sample, Equal::Nodes) - 158.0 / 150.0).abs() < 1e-9);
        assert!((predicted(sample, Equal::Cores) - 2.0 * 158.0 / 150.0).abs() < 1e-9);
        // Nodes that wait for half of the time gain a quarter by twice the nodes. A chain alone waits for its
        // synchronization unit: 28 + 100 + 15 cycles, and 110 for two words.
        let waiting = Sample { seconds: busy / 2.0, ..sample };
        let dual = f64::midpoint(158.0, 253.0) / 150.0;
        assert!((predicted(waiting, Equal::Nodes) - dual).abs() < 1e-9);
        assert!((predicted(waiting, Equal::Cores) - dual / 0.75).abs() < 1e-9);
    }
}
