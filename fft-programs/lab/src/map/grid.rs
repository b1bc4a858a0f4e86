//! Axes of the map, and the sizes of the family at each row.

use earth::Config;
use earth::simulated::Profile;
use earth_programs::chains::Chains;
use earth_report::numbers::short;
use serde::{Deserialize, Serialize};

use crate::compare::Equal;
use crate::parameters::with_su_speed;

/// Comparisons of each case.
pub(crate) const EQUALS: [Equal; 2] = [Equal::Nodes, Equal::Cores];

/// Built-in profiles of the page.
pub(crate) const PROFILES: [&str; 2] = ["epyc-7773x", "manna50"];

/// Sizes of the family.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) struct Shape {
    /// Number of DUAL nodes.
    pub(crate) nodes: u32,
    /// Chains of a DUAL node.
    pub(crate) chains: u32,
    /// Messages of a fiber.
    pub(crate) messages: u32,
    /// Number of these messages that go to other nodes.
    pub(crate) remote: u32,
    /// Bytes of the block of a message; 0 for a word.
    pub(crate) bytes: u32,
}

/// Costs of DUAL that differ from the profile's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) struct Change {
    /// Binary logarithm of the speed of the synchronization unit over the profile's.
    pub(crate) speed: i32,
    /// Quarters of the hand-over's cost.
    pub(crate) hand_over: u64,
}

/// Sizes and costs at a row of a map.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) struct Case {
    pub(crate) shape: Shape,
    pub(crate) change: Change,
}

/// Axis of a map, beside the grain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Axis {
    Messages,
    Parallelism,
    Blocks,
    Nodes,
    Speed,
    HandOver,
}

/// Axes of the simulated maps, and of the measured ones.
pub(crate) const AXES: [Axis; 6] =
    [Axis::Messages, Axis::Parallelism, Axis::Blocks, Axis::Nodes, Axis::Speed, Axis::HandOver];
pub(crate) const MEASURED: [Axis; 3] = [Axis::Messages, Axis::Parallelism, Axis::Blocks];

/// Size of the map.
#[derive(Debug)]
pub(crate) struct Extent {
    /// Grains in nanoseconds, ascending, with about equal ratios.
    pub(crate) grains: &'static [u32],
    /// Messages of a fiber, and how many of them go to other nodes.
    pub(crate) messages: &'static [(u32, u32)],
    pub(crate) chains: &'static [u32],
    pub(crate) bytes: &'static [u32],
    pub(crate) nodes: &'static [u32],
    pub(crate) speeds: &'static [i32],
    /// Quarters of the hand-over's cost.
    pub(crate) hand_overs: &'static [u64],
    /// Sizes where an axis does not change them.
    pub(crate) usual: Shape,
    /// Grains of the table of speeds.
    pub(crate) tabled: &'static [u32],
    /// Pairs of a measured ratio, an odd number.
    pub(crate) pairs: usize,
    /// Time of a measured run, in nanoseconds.
    pub(crate) run: f64,
    /// Whether the example programs have their usual sizes, not the sizes of tests.
    pub(crate) is_usual: bool,
}

/// The page's map.
pub(crate) const WHOLE: Extent = Extent {
    grains: &[10, 22, 46, 100, 215, 464, 1000, 2150, 4640, 10_000, 21_500, 46_400, 100_000],
    messages: &[(1, 0), (2, 0), (4, 0), (8, 0), (2, 1), (4, 1), (4, 2), (4, 3), (8, 4), (8, 7)],
    chains: &[2, 4, 8, 16, 32],
    bytes: &[0, 64, 512, 4096, 32_768],
    nodes: &[2, 4, 16, 64, 256, 1024],
    speeds: &[-2, -1, 0, 1, 2, 3, 4],
    hand_overs: &[4, 2, 0],
    usual: Shape { nodes: 16, chains: 8, messages: 4, remote: 2, bytes: 0 },
    tabled: &[100, 1000, 10_000],
    pairs: 11,
    run: 2e6,
    is_usual: true,
};

/// A small map, which takes seconds.
pub(crate) const SMALL: Extent = Extent {
    grains: &[10, 100, 1000, 10_000],
    messages: &[(1, 0), (2, 1)],
    chains: &[2, 4],
    bytes: &[0, 512],
    nodes: &[2, 4],
    speeds: &[0, 2],
    hand_overs: &[4, 0],
    usual: Shape { nodes: 4, chains: 4, messages: 2, remote: 1, bytes: 0 },
    tabled: &[100],
    pairs: 3,
    run: 1e5,
    is_usual: false,
};

impl Change {
    pub(crate) const NONE: Self = Self { speed: 0, hand_over: 4 };

    /// Returns the profile with the changed costs of DUAL.
    pub(crate) fn of(self, profile: &Profile) -> Profile {
        let mut profile = with_su_speed(profile, f64::from(self.speed).exp2());
        let dual = &mut profile.dual;
        for cost in [&mut dual.issue, &mut dual.issue_frame, &mut dual.hand_over] {
            *cost = *cost * self.hand_over / 4;
        }
        profile
    }
}

impl Shape {
    /// Returns the program of these sizes. One DUAL node has two groups, so that SPN can have two nodes.
    pub(crate) fn program(self, steps: u32) -> Chains {
        let Self { nodes, chains, messages, remote, bytes } = self;
        let groups = nodes.max(2);
        let chains = (nodes * chains / groups).max(1);
        Chains { groups, chains, messages, remote, bytes, steps, rounds: 0, cycles: 0 }
    }

    /// Returns the number of nodes of a configuration.
    pub(crate) fn nodes(self, equal: Equal, config: Config) -> u32 {
        if equal == Equal::Cores && config == Config::Spn { 2 * self.nodes } else { self.nodes }
    }
}

impl Case {
    pub(crate) fn of(shape: Shape) -> Self {
        Self { shape, change: Change::NONE }
    }
}

impl Axis {
    /// Returns its name in the names of files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Parallelism => "parallelism",
            Self::Blocks => "blocks",
            Self::Nodes => "nodes",
            Self::Speed => "su-speed",
            Self::HandOver => "hand-over",
        }
    }

    /// Whether its rows differ in sizes of the program, not in costs.
    pub(crate) fn is_of_sizes(self) -> bool {
        match self {
            Self::Messages | Self::Parallelism | Self::Blocks | Self::Nodes => true,
            Self::Speed | Self::HandOver => false,
        }
    }

    /// Returns its meaning.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Messages => "messages of a fiber, to other nodes",
            Self::Parallelism => "chains of a DUAL node",
            Self::Blocks => "bytes of a message",
            Self::Nodes => "DUAL nodes",
            Self::Speed => "speed of the synchronization unit",
            Self::HandOver => "hand-over",
        }
    }

    /// Returns the rows of its map, where the other sizes are `usual`.
    pub(crate) fn rows(self, extent: &Extent, usual: Shape) -> Vec<(String, Case)> {
        let of = |shape: Shape| Case::of(shape);
        match self {
            Self::Messages => {
                let row = |&(messages, remote): &(u32, u32)| {
                    (format!("{messages}, {remote}"), of(Shape { messages, remote, ..usual }))
                };
                extent.messages.iter().map(row).collect()
            }
            Self::Parallelism => {
                let row = |&chains: &u32| (chains.to_string(), of(Shape { chains, ..usual }));
                extent.chains.iter().map(row).collect()
            }
            Self::Blocks => {
                let row = |&bytes: &u32| {
                    let name = if bytes == 0 { "a word".to_owned() } else { bytes.to_string() };
                    (name, of(Shape { bytes, ..usual }))
                };
                extent.bytes.iter().map(row).collect()
            }
            Self::Nodes => {
                let row = |&nodes: &u32| (nodes.to_string(), of(Shape { nodes, ..usual }));
                extent.nodes.iter().map(row).collect()
            }
            Self::Speed => {
                let row = |&speed: &i32| {
                    let name = format!("x {}", short(f64::from(speed).exp2()));
                    (name, Case { shape: usual, change: Change { speed, ..Change::NONE } })
                };
                extent.speeds.iter().map(row).collect()
            }
            Self::HandOver => {
                let row = |&hand_over: &u64| {
                    let name = match hand_over {
                        0 => "free".to_owned(),
                        4 => "as it is".to_owned(),
                        quarters => format!("x {}", short(quarters as f64 / 4.0)),
                    };
                    (name, Case { shape: usual, change: Change { hand_over, ..Change::NONE } })
                };
                extent.hand_overs.iter().map(row).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_program_that_can_run() {
        for extent in [&WHOLE, &SMALL] {
            for axis in AXES {
                for (name, case) in axis.rows(extent, extent.usual) {
                    let of = case.shape.program(1);
                    assert!(of.groups.is_power_of_two() && of.chains.is_power_of_two(), "{name}");
                    assert!(of.messages > of.remote, "{name}");
                    // SPN has at least a chain a node at equal cores.
                    assert!(of.total() >= 2 * case.shape.nodes, "{name}");
                }
            }
            assert!(extent.grains.is_sorted() && extent.pairs % 2 == 1);
            assert!(extent.tabled.iter().all(|grain| extent.grains.contains(grain)));
        }
    }

    #[test]
    fn a_change_is_of_the_costs_it_names() {
        let manna = Profile::named("manna50").unwrap();
        assert_eq!(Change::NONE.of(&manna), manna);
        let fast = Change { speed: 1, ..Change::NONE }.of(&manna);
        assert_eq!((fast.dual.sync, fast.dual.word, fast.dual.send_block), (21, 28, 33));
        assert_eq!((fast.dual.issue, fast.dual.dispatch, &fast.spn), (15, 28, &manna.spn));
        let half = Change { hand_over: 2, ..Change::NONE }.of(&manna);
        assert_eq!((half.dual.issue, half.dual.issue_frame, half.dual.sync), (7, 10, 42));
    }

    #[test]
    fn equal_cores_give_spn_twice_the_nodes() {
        let shape = WHOLE.usual;
        let nodes = |equal| [Config::Spn, Config::Dual].map(|config| shape.nodes(equal, config));
        assert_eq!((nodes(Equal::Nodes), nodes(Equal::Cores)), ([16, 16], [32, 16]));
        let alone = Shape { nodes: 1, chains: 8, ..shape }.program(3);
        assert_eq!((alone.groups, alone.chains, alone.total()), (2, 4, 8));
    }
}
