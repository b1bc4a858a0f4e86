//! What a torus is like: data, in the file of a profile.

use serde::{Deserialize, Serialize};

use super::super::profile::ProfileError;
use super::shape::MOST_DIMENSIONS;

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

/// A torus with a link for each direction, as its routers have it. The times of links and routers are those of the
/// [network](super::super::NetworkProfile): `byte`, `hop`, `interface`.
///
/// The sizes are those of Blue Gene/L as far as they were published.
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
    /// Packets are whole multiples of so many bytes.
    pub chunk: u64,
    /// What a link carries beside each packet: trailer and acknowledgement, in bytes.
    pub trailer: u64,
    /// The adaptive channels of a link. There is one more, which adaptive packets take when these are full.
    pub channels: usize,
    /// The packets, of any size, that the buffer of a channel holds.
    pub buffers: u32,
    /// The queues by which packets enter at a node.
    pub entries: usize,
    /// The packets that an entry holds.
    pub entry_packets: u32,
    /// The time of the hardware barrier, in cycles of the network.
    pub barrier: u64,
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
    /// Whether it says nothing but what is usual.
    pub(in crate::machine::simulated) fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// The bytes of data in a full packet.
    pub fn payload(&self) -> u64 {
        self.packet - self.header
    }

    /// How many packets carry so many bytes. A message without data is a packet.
    pub fn packets(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.payload()).max(1)
    }

    /// The bytes that each link carries for a message of so many bytes.
    pub fn link_bytes(&self, bytes: u64) -> u64 {
        let full = self.packets(bytes) - 1;
        full * self.packet_bytes(self.payload()) + self.packet_bytes(bytes - full * self.payload())
    }

    /// The bytes that a link carries for a packet with so many bytes of data.
    pub(super) fn packet_bytes(&self, payload: u64) -> u64 {
        (payload + self.header).next_multiple_of(self.chunk) + self.trailer
    }

    /// The queues of a router: a buffer for each channel of each link that leads there, and the entries.
    pub(super) fn queues(&self, links: usize) -> usize {
        links * (self.channels + 1) + self.entries
    }

    pub(in crate::machine::simulated) fn check(&self) -> Result<(), ProfileError> {
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
