//! Microbenchmarks of the operations on this computer, and the profile for the simulated machine that follows
//! from them.
//!
//! Each program takes its times from the machine's own clock. A simulated machine can therefore be calibrated
//! too, which yields its profile; the tests do this. The costs follow from the times by subtraction:
//!
//! | time | measured with | SPN | DUAL |
//! |---|---|---|---|
//! | burst on one node, sent | many signals to one slot | `sync` | `issue` |
//! | burst on one node, until the last is counted | | | `sync` |
//! | loop by signals | a fiber that signals itself | `sync` + `dispatch` | the same, `issue` and twice `hand_over` |
//! | loops at once, with work | 16 such fibers | | `dispatch` + `issue` beside the work |
//! | loops at once, by signals or by values | 16 fibers without work | | `sync` or `word`, if the execution unit is faster |
//! | loops by spawns, by values | | `spawn`, `word` instead of `sync` | as in SPN |
//! | functions invoked | a function that signals | `spawn` + `dispatch` + `sync` | |
//! | functions invoked with a frame | | the difference is `frame` | as in SPN |
//! | functions by token | | `token` + `token_take` instead of `spawn` | as in SPN |
//! | burst to another node, sent; until counted | | `send_word`; `receive_word` | |
//! | signals to and fro between nodes | a round trip | twice a send, a receive, a dispatch, and `interface` | |
//!
//! *Limits.*
//!
//! * On real cores a queue takes time that belongs to neither unit. Between nodes this time counts as network
//!   time, between the units of a node as `hand_over`.
//! * Blocks move as handles, so a byte costs 0. The other core's time to fetch the cache lines is in no cost.
//! * A kernel costs the same wherever its points are stored.
//! * Messages between DUAL nodes need four cores, so SPN's costs are used for them.

use earth::simulated::{NetworkKind, NetworkProfile, Operations, Profile, TorusProfile, WorkProfile};
use earth::{Call, Config, Machine, Policy, Reply, Threaded, Wire};
use earth_programs::operations::{
    BY_SIGNAL, BY_SPAWN, BY_TOKEN, BY_VALUE, Bursts, Crowds, FRAMED, INVOKED, Loops, Rallies, Starts,
};
use earth_report::spread::median;

/// Clock of the profiles made here: a cycle is a tenth of a nanosecond.
pub(super) const CLOCK_MHZ: f64 = 10_000.0;

/// Effort of a measurement. The time of an operation is the median over runs of the mean over operations.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Number of operations in one run.
    pub operations: u64,
    /// Number of runs.
    pub runs: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { operations: 20_000, runs: 11 }
    }
}

/// Returns the nanoseconds per operation of a program, the median over the runs. `program` receives the
/// number of operations to do.
fn each<F: Threaded, R: Wire>(
    machine: &mut Machine,
    effort: Effort,
    program: impl Fn(u64, Reply<R>) -> Call<F>,
    time: impl Fn(R) -> u64,
) -> Result<f64, earth::Error> {
    let mut times = Vec::new();
    for _ in 0..effort.runs {
        let run = machine.run(|out| program(effort.operations, out))?;
        times.push(time(run.value) as f64 / effort.operations as f64);
    }
    Ok(median(times).unwrap_or(f64::NAN))
}

/// Times of operations, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    burst_sent: f64,
    burst: f64,
    loops: [f64; 3],
    starts: [f64; 3],
    /// Fibers of loops at once: with work, less the work; by signals; by values.
    crowds: [f64; 3],
}

/// A unit counts as slower than the other if its time is at least this many times as long.
const SLOWER: f64 = 1.1;

impl Times {
    fn of(machine: &mut Machine, effort: Effort) -> Result<Self, earth::Error> {
        let mut times = Times {
            burst_sent: each(machine, effort, |count, out| Bursts::call(0, count, out), |(sent, _)| sent)?,
            burst: each(machine, effort, |count, out| Bursts::call(0, count, out), |(_, all)| all)?,
            ..Times::default()
        };
        for way in [BY_SPAWN, BY_SIGNAL, BY_VALUE] {
            times.loops[way as usize] =
                each(machine, effort, |rounds, out| Loops::call(way, rounds, out), |all| all)?;
        }
        for way in [INVOKED, FRAMED, BY_TOKEN] {
            times.starts[way as usize] =
                each(machine, effort, |count, out| Starts::call(way, count, out), |all| all)?;
        }
        for (at, (way, has_work)) in
            [(BY_SIGNAL, true), (BY_SIGNAL, false), (BY_VALUE, false)].into_iter().enumerate()
        {
            let crowd = |count, out| Crowds::call(way, has_work, count, out);
            times.crowds[at] = each(machine, effort, crowd, |(all, work)| all.saturating_sub(work))?;
        }
        Ok(times)
    }

    /// Derives the costs from these times, by the table at the top of this file.
    fn costs(&self, config: Config) -> Operations {
        let [spawned, signalled, valued] = self.loops;
        let [invoked, framed, by_token] = self.starts;
        let [busy, by_signal, by_value] = self.crowds;
        let (issue, sync) = match config {
            Config::Spn => (0.0, self.burst_sent),
            // Chains at once show the slower unit's time of a fiber.
            Config::Dual if by_signal > SLOWER * busy => (self.burst_sent, by_signal.max(self.burst)),
            Config::Dual => (self.burst_sent, self.burst),
        };
        // The time of a fiber in a loop that is neither the operation's nor its issue.
        let between = (signalled - issue - sync).max(0.0);
        let dispatch = match config {
            Config::Spn => between,
            Config::Dual => (busy - issue).clamp(0.0, between),
        };
        let hand_over = (between - dispatch) / 2.0;
        let rest = |time: f64| (time - issue - between).max(0.0);
        let word = if config == Config::Dual && by_value > SLOWER * busy { by_value } else { rest(valued) };
        // A function is invoked, or queued as a token and taken; then it runs and signals. Where EU and SU
        // work concurrently, the time of many functions is the slower unit's time, so it does not show the
        // cost of an invocation.
        let started = |time: f64| (time - between - issue - sync).max(0.0);
        let spawn = if config == Config::Spn { rest(spawned).max(started(invoked)) } else { rest(spawned) };
        let frame = (framed - invoked).max(0.0);
        let [issue, word, token] = [issue, word, started(by_token) / 2.0].map(cycles);
        Operations {
            dispatch: cycles(dispatch),
            issue,
            issue_frame: issue,
            sync: cycles(sync),
            word,
            block: word,
            spawn: cycles(spawn),
            frame: cycles(frame),
            token,
            token_take: token,
            hand_over: cycles(hand_over),
            ..Operations::default()
        }
    }
}

fn cycles(nanoseconds: f64) -> u64 {
    (nanoseconds * CLOCK_MHZ / 1e3).round() as u64
}

/// Measures the costs of a message between nodes: sending it, receiving it, and the time between the two, all
/// in cycles.
fn way(machine: &mut Machine, effort: Effort, dispatch: u64) -> Result<[u64; 3], earth::Error> {
    let send = each(machine, effort, |count, out| Bursts::call(1, count, out), |(sent, _)| sent)?;
    let receive = each(machine, effort, |count, out| Bursts::call(1, count, out), |(_, all)| all)?;
    let round = each(machine, effort, Rallies::call, |all| all)?;
    let between = cycles(round / 2.0 - send - receive);
    Ok([cycles(send), cycles(receive), between.saturating_sub(dispatch)])
}

/// Measures the profile of a computer, or of the machines that `machine` builds for a configuration and a
/// number of nodes. `work` is the cost of the work that fibers do between operations, see
/// [`kernels`](super::kernels()). The profile's policy is the default policy of machines.
///
/// # Errors
///
/// Returns the machine's errors.
pub fn calibrated(
    mut machine: impl FnMut(Config, usize) -> Machine,
    effort: Effort,
    work: WorkProfile,
) -> Result<Profile, earth::Error> {
    let spn = Times::of(&mut machine(Config::Spn, 1), effort)?.costs(Config::Spn);
    let dual = Times::of(&mut machine(Config::Dual, 1), effort)?.costs(Config::Dual);
    let profile = Profile {
        name: "host".to_owned(),
        clock_mhz: CLOCK_MHZ,
        published: Vec::new(),
        fitted: Vec::new(),
        spn,
        dual,
        network: NetworkProfile {
            kind: NetworkKind::Ideal,
            clock_mhz: None,
            interface: 0.0,
            hop: 0.0,
            byte: 0.0,
            smallest: 0,
            ports: 16,
            eager: None,
            torus: TorusProfile::default(),
        },
        work,
        policy: Policy::default(),
    };
    with_messages(profile, &mut machine(Config::Spn, 2), effort)
}

/// Returns the profile with the costs of messages between the two SPN nodes of a machine.
pub(crate) fn with_messages(
    profile: Profile,
    machine: &mut Machine,
    effort: Effort,
) -> Result<Profile, earth::Error> {
    let [send, receive, network] = way(machine, effort, profile.spn.dispatch)?;
    let sent = |costs: Operations| Operations {
        send_word: send,
        send_block: send,
        receive_word: receive,
        receive_block: receive,
        ..costs
    };
    let network = NetworkProfile { interface: network as f64, ..profile.network };
    Ok(Profile { spn: sent(profile.spn), dual: sent(profile.dual), network, ..profile })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calibrating a machine whose costs are known yields these costs.
    #[test]
    fn calibration_of_a_simulated_machine_finds_its_profile() {
        let mut manna = Profile::named("manna50").unwrap();
        manna.dual.hand_over = 30;
        let machine = |config, nodes| Machine::simulated(&manna).nodes(nodes).config(config);
        let effort = Effort { operations: 8_000, runs: 1 };
        let found = calibrated(machine, effort, manna.work.clone()).unwrap();
        assert_eq!(found.check(), Ok(()));
        // Cycles at 50 MHz become tenths of a nanosecond. The means include the ends of the programs.
        let same = |name: &str, found: u64, cycles: u64| {
            let expected = cycles as f64 * 200.0;
            assert!(
                (found as f64 - expected).abs() < 0.01 * expected + 100.0,
                "{name}: {found}, not {expected}"
            );
        };
        let (spn, of) = (&found.spn, &manna.spn);
        same("sync", spn.sync, of.sync);
        same("dispatch", spn.dispatch, of.dispatch + of.poll);
        same("spawn", spn.spawn, of.spawn);
        same("word", spn.word, of.word);
        same("frame", spn.frame, of.frame + of.init);
        same("tokens", spn.token + spn.token_take, of.token + of.token_take);
        same("send", spn.send_word, of.send_word);
        same("receive", spn.receive_word, of.receive_word);
        same("network", found.network.interface as u64, 62);
        let (dual, of) = (&found.dual, &manna.dual);
        same("issue", dual.issue, of.issue);
        same("SU sync", dual.sync, of.sync);
        same("EU dispatch", dual.dispatch, of.dispatch);
        same("SU spawn", dual.spawn, of.spawn);
        same("SU word", dual.word, of.word);
        same("hand-over", dual.hand_over, of.hand_over);
    }
}
