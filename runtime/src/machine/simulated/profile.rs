//! Costs of a simulated machine's operations, in files that users can write.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::super::settings::Config;
use super::torus::MOST_DIMENSIONS;
use crate::probe::costs::{self, Costs, Operations};
use crate::vocabulary::policy::Policy;

/// Costs of a simulated machine: of operations, of the network, and of work.
///
/// Costs are cycles of the processor's clock. Built-in profiles use the same file format as users' profiles:
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
///
/// In other serialized forms a profile has the keys of its TOML file. Reading such a form does not
/// [check](Profile::check) the figures; a machine checks them when it is built.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Name of the profile.
    pub name: String,
    /// Clock of the processor, in MHz.
    pub clock_mhz: f64,
    /// Figures with a published value, as `table.key`. All others are estimates.
    #[serde(default)]
    pub published: Vec<String>,
    /// Figures that were chosen so that a published result comes out, as `table.key`.
    #[serde(default)]
    pub fitted: Vec<String>,
    /// Costs of operations with one processor a node, in cycles.
    pub spn: Operations,
    /// Costs of operations with two processors a node, in cycles.
    pub dual: Operations,
    /// Network between the nodes.
    pub network: NetworkProfile,
    /// Costs of the work of fibers between operations.
    #[serde(default)]
    pub work: WorkProfile,
    /// Order in which nodes take up waiting work, with one processor and with two.
    #[serde(default)]
    pub policy: Policy,
}

/// Kinds of network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NetworkKind {
    /// Each message takes its time, independent of other traffic.
    Ideal,
    /// Crossbars, whose links carry one message at a time.
    Crossbar,
    /// Torus, simulated packet by packet.
    Torus,
}

/// Network between the nodes. Times are cycles of the network's own clock.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkProfile {
    /// Kind of network.
    pub kind: NetworkKind,
    /// Clock of the network, in MHz. Default: the processor's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_mhz: Option<f64>,
    /// Time to enter and leave the network, in cycles.
    pub interface: f64,
    /// Time to pass a crossbar, or a router of a torus, in cycles.
    pub hop: f64,
    /// Time of a byte on a link, in cycles.
    pub byte: f64,
    /// Size of the smallest packet, in bytes. It contains a message's addresses and words; blocks are
    /// additional.
    pub smallest: u64,
    /// Number of ports of a crossbar. If one crossbar is not enough, half of them lead down to nodes or
    /// crossbars.
    #[serde(default = "sixteen")]
    pub ports: usize,
    /// Size of the largest block that leaves without a handshake, in bytes. A longer block waits until its
    /// receiver has taken up a request, and its sender the answer. Default: no block needs a handshake.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eager: Option<u64>,
    /// Parameters of a torus.
    #[serde(default, skip_serializing_if = "TorusProfile::is_usual")]
    pub torus: TorusProfile,
}

fn sixteen() -> usize {
    16
}

/// Choice of the links of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Routing {
    /// Any link that reduces the distance; the one with the most room behind it.
    #[default]
    Adaptive,
    /// One dimension after the other, in their order.
    DimensionOrdered,
}

/// Torus with a link for each direction, and its routers. The [network](NetworkProfile) has the times of
/// links and routers: `byte`, `hop`, `interface`.
///
/// The default sizes are the published ones of Blue Gene/L.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TorusProfile {
    /// Number of nodes along each dimension. If empty, the machine's nodes form three sides, as equal as
    /// possible.
    pub sides: Vec<usize>,
    /// Choice of the links of packets.
    pub routing: Routing,
    /// Whether packets in transit have priority over packets that enter.
    pub transit_first: bool,
    /// Size of the largest packet including its header, in bytes.
    pub packet: u64,
    /// Size of a packet's header, in bytes.
    pub header: u64,
    /// Packet sizes are multiples of this number of bytes.
    pub chunk: u64,
    /// Additional bytes on a link for each packet: trailer and acknowledgement.
    pub trailer: u64,
    /// Number of adaptive channels of a link. One more channel takes adaptive packets when these are full.
    pub channels: usize,
    /// Capacity of a channel's buffer, in packets of any size.
    pub buffers: u32,
    /// Number of queues for packets that enter at a node.
    pub entries: usize,
    /// Capacity of an entry queue, in packets.
    pub entry_packets: u32,
    /// Time of the hardware barrier, in cycles of the network.
    pub barrier: u64,
}

/// Costs of work, in cycles; see [`Work`](crate::Work).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WorkProfile {
    /// Cost of a floating-point operation.
    pub flop: f64,
    /// Costs of kernels with a cost of their own, for each unit of their work.
    pub kernels: BTreeMap<String, f64>,
}

/// Reason why a profile cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct ProfileError(pub(super) String);

const BUILT_IN: [(&str, &str); 5] = [
    ("manna50", include_str!("../../../profiles/manna50.toml")),
    ("seed140-scaled-net", include_str!("../../../profiles/seed140-scaled-net.toml")),
    ("seed140-fixed-net", include_str!("../../../profiles/seed140-fixed-net.toml")),
    ("bluegene-l", include_str!("../../../profiles/bluegene-l.toml")),
    ("epyc-7773x", include_str!("../../../profiles/epyc-7773x.toml")),
];

impl Profile {
    /// Returns the built-in profile of this name.
    pub fn named(name: &str) -> Option<Self> {
        let (_, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
        Self::from_toml(text).ok()
    }

    /// Returns the names of the built-in profiles.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// Returns a profile whose operations and messages take no time.
    pub fn free() -> Self {
        Profile {
            name: "free".to_owned(),
            clock_mhz: 1.0,
            published: Vec::new(),
            fitted: Vec::new(),
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
                eager: None,
                torus: TorusProfile::default(),
            },
            work: WorkProfile::default(),
            policy: Policy::default(),
        }
    }

    /// Parses a profile's file.
    ///
    /// # Errors
    ///
    /// If the text is not a profile, or a figure is out of range.
    pub fn from_toml(text: &str) -> Result<Self, ProfileError> {
        let profile: Profile = toml::from_str(text).map_err(|why| {
            let line = why.span().map_or(1, |span| text[..span.start].lines().count().max(1));
            ProfileError(format!("line {line}: {}", why.message().replace('\n', " ")))
        })?;
        profile.check()?;
        Ok(profile)
    }

    /// Returns the profile as a TOML file.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_else(|why| unreachable!("a profile is tables of figures: {why}"))
    }

    /// Returns whether a figure (`table.key`) has a published value.
    pub fn is_published(&self, figure: &str) -> bool {
        self.published.iter().any(|published| published == figure)
    }

    /// Checks that all figures are in range.
    ///
    /// # Errors
    ///
    /// The first figure that is out of range.
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
            if !operations.are_in_range() {
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

    /// Returns the costs of operations in a configuration.
    pub fn operations(&self, config: Config) -> &Operations {
        match config {
            Config::Spn => &self.spn,
            Config::Dual => &self.dual,
        }
    }

    /// Returns the time of `cycles` cycles.
    pub fn time(&self, cycles: u64) -> Duration {
        costs::time(cycles, self.clock_mhz)
    }

    /// Returns the costs of a node that is `slowness` times as slow as the others.
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
            model: None,
            fibers: None,
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

    /// Returns the bytes of data in a full packet.
    pub fn payload(&self) -> u64 {
        self.packet - self.header
    }

    /// Returns the number of packets of a message. A message without data takes one packet.
    pub fn packets(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.payload()).max(1)
    }

    /// Returns the bytes that each link carries for a message of `bytes` bytes.
    pub fn link_bytes(&self, bytes: u64) -> u64 {
        let full = self.packets(bytes) - 1;
        full * self.packet_bytes(self.payload()) + self.packet_bytes(bytes - full * self.payload())
    }

    /// Returns the bytes that a link carries for a packet with `payload` bytes of data.
    pub(super) fn packet_bytes(&self, payload: u64) -> u64 {
        (payload + self.header).next_multiple_of(self.chunk) + self.trailer
    }

    /// Returns the number of queues of a router: a buffer for each channel of each incoming link, and the
    /// entries.
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
