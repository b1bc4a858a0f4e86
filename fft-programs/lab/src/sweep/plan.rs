//! Runs of an experiment, always in the same order.

use std::sync::Arc;

use earth::simulated::Profile;
use earth::{CancelToken, Config, Machine};

use super::experiment::{Case, Choice, Chosen, Experiment, Kind};

/// Machine of some runs.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Site {
    pub(super) kind: Kind,
    pub(super) nodes: usize,
    pub(super) config: Config,
    pub(super) profile: Option<Arc<Profile>>,
}

/// Run of a group: under a policy, in a round or with a seed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Turn {
    /// Index of the policy.
    pub(super) policy: usize,
    pub(super) seed: u64,
    pub(super) round: u64,
    /// Whether it is the second run of the baseline in its round.
    pub(super) again: bool,
}

/// Runs of one program, with the same sizes, on one machine.
pub(super) struct Group<'e, 'a> {
    pub(super) case: &'e Case<'a>,
    /// Index of the case, and of the entry of the machines.
    pub(super) number: [usize; 2],
    pub(super) site: Site,
    pub(super) turns: Vec<Turn>,
}

impl Site {
    /// Builds the machine with this policy.
    pub(super) fn machine(&self, policy: &Chosen<'_>, seed: u64, cancel: &CancelToken) -> Machine {
        let machine = match (self.kind, &self.profile) {
            (Kind::Simulated, Some(profile)) => Machine::simulated(profile).nodes(self.nodes).seed(seed),
            (Kind::Stepper, _) => Machine::stepper(seed).nodes(self.nodes),
            _ => Machine::threads(self.nodes),
        };
        policy.set(machine.config(self.config)).cancel_token(cancel.clone())
    }

    /// Returns the name of the machine, without nodes and configuration.
    pub(super) fn name(&self) -> String {
        match &self.profile {
            Some(profile) => format!("{} {}", self.kind.name(), profile.name),
            None => self.kind.name().to_owned(),
        }
    }
}

/// Returns the turns on a machine. On real cores all policies run in each round, and the baseline runs again
/// at its end.
fn turns(experiment: &Experiment<'_>, kind: Kind, seeds: std::ops::Range<u64>) -> Vec<Turn> {
    let all = 0..experiment.policies.len();
    let mut turns = Vec::new();
    if kind == Kind::Threads {
        for round in 0..experiment.repeats {
            let turn = |policy, again| Turn { policy, seed: 0, round, again };
            turns.extend(all.clone().map(|policy| turn(policy, false)));
            turns.push(turn(0, true));
        }
    } else {
        let of = |seed| all.clone().map(move |policy| Turn { policy, seed, round: 0, again: false });
        turns.extend(seeds.flat_map(of));
    }
    turns
}

/// Returns the groups of an experiment. Programs that need real time have groups on threads only.
pub(super) fn groups<'e, 'a>(experiment: &'e Experiment<'a>) -> Vec<Group<'e, 'a>> {
    let mut groups: Vec<Group<'e, 'a>> = Vec::new();
    for (number, case) in experiment.cases.iter().enumerate() {
        for (entry, place) in experiment.machines.iter().enumerate() {
            if !Experiment::can(case, place.kind) {
                continue;
            }
            let profile = place.profile.clone().map(Arc::new);
            for &nodes in &place.nodes {
                for &config in &place.configs {
                    let site = Site { kind: place.kind, nodes, config, profile: profile.clone() };
                    let turns = turns(experiment, place.kind, place.seeds.clone());
                    groups.push(Group { case, number: [number, entry], site, turns });
                }
            }
        }
    }
    groups
}

/// Returns the policy of a turn.
pub(super) fn policy<'e, 'a>(experiment: &'e Experiment<'a>, turn: &Turn) -> &'e Choice<'a> {
    &experiment.policies[turn.policy]
}
