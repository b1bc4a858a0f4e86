//! Arrays, numbers of ranks, and machines of the report.

use earth::Config;
use earth::simulated::Profile;
use earth_console::failure::sizes;
use serde::Serialize;

use crate::model::distributed::Transform;

/// Numbers of ranks.
pub(crate) const RANKS: [usize; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/// Numbers of ranks of small arrays, and in tables.
pub(crate) const FEW: [usize; 6] = [1, 2, 4, 8, 16, 32];
pub(crate) const TABLED: [usize; 4] = [4, 32, 256, 1024];

/// Ranks of the table of changed machines.
pub(crate) const CHANGED: usize = 256;

/// Configurations of a rank.
pub(crate) const CONFIGS: [Config; 2] = [Config::Spn, Config::Dual];

/// Orders of the spectrum: transposed, and natural.
pub(crate) const ORDERS: [bool; 2] = [false, true];

/// Arrays of the strong growth.
pub(crate) const STRONG: [&[usize]; 4] =
    [&[1 << 14, 1 << 14], &[512, 512, 512], &[1024, 1024, 1024], &[1 << 28]];

/// Small arrays.
pub(crate) const SMALL: [&[usize]; 3] = [&[256, 256], &[64, 64, 64], &[1 << 20]];

/// Binary logarithm of the points of a rank in the weak growth, and the numbers of dimensions.
pub(crate) const WEAK: u32 = 20;
pub(crate) const DIMENSIONS: [u32; 3] = [2, 3, 1];

/// Change of the machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub(crate) enum Change {
    /// The profile as it is.
    Nothing,
    /// Ranks compute and copy this many times as fast.
    Computing(u32),
    /// Links are this many times as fast.
    Link(u32),
    /// Sending and receiving a message take this part of their time.
    Messages(u32),
    /// Switches with this many ports, and one route to each receiver.
    Switches(usize),
}

/// Number of switches that a message passes at most.
const SWITCHES: f64 = 3.0;

/// Networks of the table of routes: one crossbar, and switches.
pub(crate) const ROUTES: [Change; 2] = [Change::Nothing, Change::Switches(64)];

/// Machines of the table of changes.
pub(crate) const CHANGES: [Change; 6] = [
    Change::Nothing,
    Change::Link(2),
    Change::Messages(10),
    Change::Computing(4),
    Change::Computing(16),
    Change::Computing(64),
];

impl Change {
    /// Returns the changed profile.
    pub(crate) fn of(self, profile: &Profile) -> Profile {
        let mut profile = profile.clone();
        match self {
            Self::Nothing => {}
            Self::Switches(ports) => {
                profile.network.ports = ports;
                profile.network.hop /= SWITCHES;
            }
            Self::Computing(times) => {
                let work = &mut profile.work;
                for cost in work.kernels.values_mut().chain([&mut work.flop]) {
                    *cost /= f64::from(times);
                }
            }
            Self::Link(times) => profile.network.byte /= f64::from(times),
            Self::Messages(part) => {
                for costs in [&mut profile.spn, &mut profile.dual] {
                    let all = [
                        &mut costs.send_word,
                        &mut costs.send_block,
                        &mut costs.receive_word,
                        &mut costs.receive_block,
                    ];
                    for cost in all {
                        *cost /= u64::from(part);
                    }
                }
            }
        }
        profile
    }

    /// Returns its name.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Nothing => "the profile".to_owned(),
            Self::Computing(times) => format!("ranks that compute {times} times as fast"),
            Self::Link(times) => format!("links that are {times} times as fast"),
            Self::Messages(part) => format!("messages that cost 1/{part}"),
            Self::Switches(ports) => format!("switches of {ports} ports, one route to each receiver"),
        }
    }
}

/// Run of a transform.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub(crate) struct Run {
    pub(crate) transform: Transform,
    pub(crate) is_dual: bool,
    pub(crate) change: Change,
}

impl Run {
    /// Returns the run of an array on the profile's machine.
    pub(crate) fn new(lengths: &[usize], is_natural: bool, ranks: usize, config: Config) -> Self {
        let transform = Transform { lengths: lengths.to_vec(), is_natural, ranks };
        Self { transform, is_dual: config == Config::Dual, change: Change::Nothing }
    }

    /// Returns the same run on a changed machine.
    pub(crate) fn with(self, change: Change) -> Self {
        Self { change, ..self }
    }

    pub(crate) fn config(&self) -> Config {
        if self.is_dual { Config::Dual } else { Config::Spn }
    }

    /// Returns about how long the simulation takes.
    pub(crate) fn effort(&self) -> u64 {
        let ranks = self.transform.ranks as u64;
        ranks * ranks * (2 + u64::from(self.transform.is_natural))
    }
}

/// Returns the lengths of an array of the weak growth, as equal as possible.
pub(crate) fn weak(dimensions: u32, ranks: usize) -> Vec<usize> {
    let log = WEAK + ranks.ilog2();
    (0..dimensions).map(|at| 1 << ((log + dimensions - 1 - at) / dimensions)).collect()
}

/// Returns the name of an array.
pub(crate) fn name(lengths: &[usize]) -> String {
    match lengths {
        [points] => format!("2^{}", points.ilog2()),
        _ => sizes(lengths),
    }
}

/// Returns the name of an order.
pub(crate) fn order(is_natural: bool) -> &'static str {
    if is_natural { "natural order" } else { "transposed order" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_the_weak_growth_have_the_same_points_a_rank() {
        assert_eq!(weak(2, 2), [1 << 11, 1 << 10]);
        assert_eq!(weak(3, 4), [1 << 8, 1 << 7, 1 << 7]);
        for (dimensions, ranks) in DIMENSIONS.into_iter().flat_map(|of| RANKS.map(|ranks| (of, ranks))) {
            assert_eq!(weak(dimensions, ranks).iter().product::<usize>(), ranks << WEAK);
        }
    }
}
