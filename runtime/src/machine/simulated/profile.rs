//! What a simulated machine's operations cost: data, in files that users can write.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::super::settings::Config;
use super::torus::MOST_DIMENSIONS;
use crate::probe::costs::{self, Costs, Operations};
use crate::vocabulary::policy::Policy;

/// The costs of a simulated machine: what each operation takes, what the network is like, what work costs.
///
/// Costs are cycles of the processor's clock. The built-in profiles are files like any user's:
///
/// ```
/// use earth::Machine;
/// use earth::simulated::Profile;
///
/// let mut profile = Profile::named("manna50").expect("a built-in profile");
/// profile.spn.dispatch = 40;
/// let text = profile.to_toml();
/// assert_eq!(Profile::from_toml(&text)?, profile);
/// let machine = Machine::simulated(&profile).nodes(64);
/// # Ok::<(), earth::simulated::ProfileError>(())
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The name of the profile.
    pub name: String,
    /// Cycles in a microsecond.
    pub clock_mhz: f64,
    /// The figures that were published, as `table.key`; all others are estimates.
    #[serde(default)]
    pub published: Vec<String>,
    /// The costs of operations with one processor a node.
    pub spn: Operations,
    /// The costs of operations with two processors a node.
    pub dual: Operations,
    /// The network between the nodes.
    pub network: NetworkProfile,
    /// The costs of what fibers do between operations.
    #[serde(default)]
    pub work: WorkProfile,
    /// The order in which nodes take up what waits for them, with one processor and with two.
    #[serde(default)]
    pub policy: Policy,
}

/// The kinds of network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NetworkKind {
    /// Every message takes its time, whatever else is under way.
    Ideal,
    /// Crossbars, whose links carry one message at a time.
    Crossbar,
    /// A torus, packet by packet.
    Torus,
}

/// The network between the nodes. Times are cycles of the network's own clock.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkProfile {
    /// The kind of network.
    pub kind: NetworkKind,
    /// Cycles in a microsecond; the processor's if it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_mhz: Option<f64>,
    /// Getting into the network and out of it.
    pub interface: f64,
    /// Passing a crossbar, or a router of a torus.
    pub hop: f64,
    /// A byte on a link.
    pub byte: f64,
    /// The bytes of the smallest packet. A message's addresses and words fit in it; blocks come on top.
    pub smallest: u64,
    /// The ports of a crossbar: half of them lead to nodes (or crossbars) below when one is not enough.
    #[serde(default = "sixteen")]
    pub ports: usize,
    /// What a torus is like.
    #[serde(default, skip_serializing_if = "TorusProfile::is_usual")]
    pub torus: TorusProfile,
}

fn sixteen() -> usize {
    16
}

/// By which links a packet goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Routing {
    /// By any that brings it nearer, the one with the most room behind it.
    #[default]
    Adaptive,
    /// Through one dimension after the other, in their order.
    DimensionOrdered,
}

/// A torus with a link for each direction, as its routers have it. The [network](NetworkProfile) has the times of
/// links and routers: `byte`, `hop`, `interface`.
///
/// The default sizes are the published ones of Blue Gene/L.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TorusProfile {
    /// The nodes along each dimension. If there are none, the machine's nodes make as equal sides of three as they can.
    pub sides: Vec<usize>,
    /// By which links packets go.
    pub routing: Routing,
    /// Whether packets under way have the right of way before those that enter.
    pub transit_first: bool,
    /// The bytes of the largest packet, its header included.
    pub packet: u64,
    /// The bytes of a packet that are no data.
    pub header: u64,
    /// The size of a packet is a multiple of this number of bytes.
    pub chunk: u64,
    /// The bytes that a link carries beside each packet: trailer and acknowledgement.
    pub trailer: u64,
    /// The adaptive channels of a link. There is one more, which adaptive packets take when these are full.
    pub channels: usize,
    /// The packets, of any size, that the buffer of a channel holds.
    pub buffers: u32,
    /// The number of queues for packets that enter at a node.
    pub entries: usize,
    /// The packets that an entry holds.
    pub entry_packets: u32,
    /// The time of the hardware barrier, in cycles of the network.
    pub barrier: u64,
}

/// What work costs, in cycles; see [`Work`](crate::Work).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WorkProfile {
    /// A floating-point operation.
    pub flop: f64,
    /// Kernels with a cost of their own, for each unit of their work.
    pub kernels: BTreeMap<String, f64>,
}

/// Why a profile cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct ProfileError(pub(super) String);

const BUILT_IN: [(&str, &str); 4] = [
    ("manna50", include_str!("../../../profiles/manna50.toml")),
    ("seed140-scaled-net", include_str!("../../../profiles/seed140-scaled-net.toml")),
    ("seed140-fixed-net", include_str!("../../../profiles/seed140-fixed-net.toml")),
    ("bluegene-l", include_str!("../../../profiles/bluegene-l.toml")),
];

impl Profile {
    /// The built-in profile of this name.
    pub fn named(name: &str) -> Option<Self> {
        let (_, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
        Self::from_toml(text).ok()
    }

    /// The names of the built-in profiles.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// A machine on which nothing takes any time.
    pub fn free() -> Self {
        Profile {
            name: "free".to_owned(),
            clock_mhz: 1.0,
            published: Vec::new(),
            spn: Operations::default(),
            dual: Operations::default(),
            network: NetworkProfile {
                kind: NetworkKind::Ideal,
                clock_mhz: None,
                interface: 0.0,
                hop: 0.0,
                byte: 0.0,
                smallest: 0,
                ports: sixteen(),
                torus: TorusProfile::default(),
            },
            work: WorkProfile::default(),
            policy: Policy::default(),
        }
    }

    /// Reads a profile's file.
    ///
    /// # Errors
    ///
    /// If it is no such file, or one of its figures makes no sense.
    pub fn from_toml(text: &str) -> Result<Self, ProfileError> {
        let profile: Profile = toml::from_str(text).map_err(|why| {
            let line = why.span().map_or(1, |span| text[..span.start].lines().count().max(1));
            ProfileError(format!("line {line}: {}", why.message().replace('\n', " ")))
        })?;
        profile.check()?;
        Ok(profile)
    }

    /// The profile as a file.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_else(|why| unreachable!("a profile is tables of figures: {why}"))
    }

    /// Whether a figure (`table.key`) was published.
    pub fn is_published(&self, figure: &str) -> bool {
        self.published.iter().any(|published| published == figure)
    }

    /// Whether its figures make sense.
    ///
    /// # Errors
    ///
    /// The first figure that does not.
    pub fn check(&self) -> Result<(), ProfileError> {
        let network = &self.network;
        let clocks = [("clock_mhz", Some(self.clock_mhz)), ("network.clock_mhz", network.clock_mhz)];
        for (name, clock) in clocks {
            if clock.is_some_and(|clock| !(clock > 0.0 && clock <= 1e6)) {
                return Err(ProfileError(format!("{name} is above 0 and at most a million, in megahertz")));
            }
        }
        let times = [
            ("network.interface", network.interface),
            ("network.hop", network.hop),
            ("network.byte", network.byte),
            ("work.flop", self.work.flop),
        ];
        let kernels = self.work.kernels.iter().map(|(name, &cost)| (name.as_str(), cost));
        for (name, time) in times.into_iter().chain(kernels) {
            if !(0.0..=1e9).contains(&time) {
                return Err(ProfileError(format!("{name} is 0 to a thousand million cycles, not {time}")));
            }
        }
        for (table, operations) in [("spn", &self.spn), ("dual", &self.dual)] {
            let above = |cost: u64| cost > 1_000_000_000;
            let costs = operations.clone().each().into_iter().any(|cost| above(*cost));
            if costs || operations.watchdog.is_some_and(above) {
                return Err(ProfileError(format!("a cost in [{table}] is above a thousand million cycles")));
            }
        }
        self.policy.check().map_err(|why| ProfileError(why.to_string()))?;
        if network.ports < 4 || network.smallest > 1 << 20 {
            let what = "network.ports is at least 4, and network.smallest at most a million bytes";
            return Err(ProfileError(what.to_owned()));
        }
        network.torus.check()
    }

    /// The operations of a configuration.
    pub fn operations(&self, config: Config) -> &Operations {
        match config {
            Config::Spn => &self.spn,
            Config::Dual => &self.dual,
        }
    }

    /// The time that `cycles` cycles take.
    pub fn time(&self, cycles: u64) -> Duration {
        costs::time(cycles, self.clock_mhz)
    }

    /// The costs of a node that is `slowness` times as slow as the others.
    pub(in crate::machine) fn costs(&self, config: Config, slowness: u64) -> Arc<Costs> {
        let mut operations = self.operations(config).clone();
        operations.dispatch += operations.poll;
        operations.each().into_iter().for_each(|cost| *cost *= slowness);
        let slow = |cost: f64| cost * slowness as f64;
        let kernels = self.work.kernels.iter().map(|(name, cost)| (name.clone(), slow(*cost)));
        Arc::new(Costs {
            clock_mhz: self.clock_mhz,
            operations,
            flop: slow(self.work.flop),
            kernels: kernels.collect(),
        })
    }
}

impl Default for TorusProfile {
    fn default() -> Self {
        TorusProfile {
            sides: Vec::new(),
            routing: Routing::Adaptive,
            transit_first: true,
            packet: 256,
            header: 16,
            chunk: 32,
            trailer: 20,
            channels: 2,
            buffers: 4,
            entries: 6,
            entry_packets: 4,
            barrier: 1050,
        }
    }
}

impl TorusProfile {
    fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// The bytes of data in a full packet.
    pub fn payload(&self) -> u64 {
        self.packet - self.header
    }

    /// The number of packets of a message. A message without data is a packet.
    pub fn packets(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.payload()).max(1)
    }

    /// The bytes that each link carries for a message of `bytes` bytes.
    pub fn link_bytes(&self, bytes: u64) -> u64 {
        let full = self.packets(bytes) - 1;
        full * self.packet_bytes(self.payload()) + self.packet_bytes(bytes - full * self.payload())
    }

    /// The bytes that a link carries for a packet with `payload` bytes of data.
    pub(super) fn packet_bytes(&self, payload: u64) -> u64 {
        (payload + self.header).next_multiple_of(self.chunk) + self.trailer
    }

    /// The queues of a router: a buffer for each channel of each link that leads there, and the entries.
    pub(super) fn queues(&self, links: usize) -> usize {
        links * (self.channels + 1) + self.entries
    }

    pub(super) fn check(&self) -> Result<(), ProfileError> {
        let wrong = |what: &str| Err(ProfileError(format!("network.torus.{what}")));
        let TorusProfile { sides, packet, header, chunk, trailer, .. } = self;
        if sides.len() > MOST_DIMENSIONS || sides.iter().any(|side| !(1..=1 << 15).contains(side)) {
            return wrong(&format!("sides are up to {MOST_DIMENSIONS}, each of 1 to 32768 nodes"));
        }
        if *packet > 1 << 16 || *trailer > 1 << 16 || header >= packet {
            return wrong("packet and trailer are at most 65536 bytes, and header is less than packet");
        }
        if *chunk == 0 || !packet.is_multiple_of(*chunk) {
            return wrong("packet is a multiple of chunk");
        }
        if self.buffers < 2 || self.entry_packets == 0 || self.entries == 0 {
            return wrong("buffers are 2 or more packets, entries and entry_packets 1 or more");
        }
        if self.routing == Routing::Adaptive && self.channels == 0 {
            return wrong("channels are 1 or more where routing is adaptive");
        }
        let links = 2 * sides.len().max(3);
        if self.channels > 64 || self.entries > 64 || self.queues(links) > 64 {
            return wrong("channels and entries: a router has at most 64 queues");
        }
        if self.barrier > 1_000_000_000 {
            return wrong("barrier is at most a thousand million cycles");
        }
        Ok(())
    }
}
