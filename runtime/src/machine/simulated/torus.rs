//! Torus, simulated packet by packet: finite buffers, virtual cut-through, and head-of-line blocking.
//!
//! A message is split into packets where it enters. A packet goes from router to router over links, one for
//! each direction of each dimension. A link carries one packet at a time. The head of a packet reaches the
//! next router `hop` cycles after its departure. The end follows after the time that its bytes take on the
//! link. The packet may depart again before its end has arrived (virtual cut-through; Kermani and Kleinrock,
//! 1979).
//!
//! *Buffers.* At its end each link has a buffer for each of its channels, with room for a fixed number of
//! packets. A packet departs if the link is free and the buffer has room. It occupies that room until its end
//! has left the buffer again. A buffer is a FIFO that sends one packet at a time. While its first packet is
//! blocked, the packets behind it wait, even if their links are free (head-of-line blocking).
//!
//! *Paths.* All paths are minimal. With adaptive routing a packet takes a free link that reduces its
//! distance: the one with the most room in an adaptive channel, or the first among equals. If both ways round
//! a ring are equally long, packets alternate between them.
//!
//! *No deadlock.* If the adaptive channels of all its free links are full, a packet may take an escape
//! channel. This is the escape channel of its next link in the order of dimensions. A packet enters the ring
//! of escape channels of one direction only if room for one more packet is left behind it. So a ring is never
//! full (bubble flow control; Puente and others, 1999). With dimension-ordered routing all packets use escape
//! channels.
//!
//! *Turns.* A router serves its queues in turn, starting behind the queue that it served last. It serves the
//! buffers first and then the entries, or all of them in one turn order. A packet at its destination leaves
//! its buffer when its end has arrived.
//!
//! *Symmetry.* The actions of a router at a time depend only on its own queues and on free room reported
//! before. They do not depend on the actions of other routers at that time. So if all nodes send the same
//! messages, relative to their own positions, all routers act identically at all times. Then one router,
//! whose links lead back to itself, represents all of them exactly. [`Torus::symmetric`] builds this router.
//!
//! Cost: two events a packet and hop, each of constant cost.
//!
//! # What is not modelled
//!
//! Links have no errors. Nodes accept all arriving packets at once. Buffers count packets, not bytes.

mod calendar;
mod messages;
mod routers;
mod shape;

pub use messages::Delivery;
pub use shape::MOST_DIMENSIONS;

use super::profile::{NetworkProfile, ProfileError, TorusProfile};
use messages::{Entering, Messages};
use routers::Routers;
use shape::Shape;

/// Torus with its packets in transit.
///
/// ```
/// use earth::simulated::{Profile, Torus};
///
/// let mut network = Profile::free().network;
/// (network.hop, network.byte) = (70.0, 4.0);
/// network.torus.sides = vec![4, 4];
/// let mut torus = Torus::new(&network, 700.0, 16)?;
/// torus.send(0, 0, 5, 200, 7);
/// let mut delivered = Vec::new();
/// while torus.step(&mut delivered) {}
/// // Two hops. The packet has 200 + 16 bytes, which are 7 chunks of 32, and a trailer of 20.
/// assert_eq!((delivered[0].at, delivered[0].to, delivered[0].tag), (2 * 70 + 4 * 244, 5, 7));
/// # Ok::<(), earth::simulated::ProfileError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Torus {
    profile: TorusProfile,
    shape: Shape,
    is_symmetric: bool,
    /// Cycles of the processor for a byte on a link.
    byte: f64,
    routers: Routers,
    messages: Messages,
}

impl Torus {
    /// Builds the torus of a machine of `nodes` nodes with processors of `clock_mhz`. All its times are
    /// cycles of the processor. Of `network` only the times and the torus are used.
    ///
    /// # Errors
    ///
    /// If its sides do not multiply to the number of nodes, or a figure is out of range.
    pub fn new(network: &NetworkProfile, clock_mhz: f64, nodes: usize) -> Result<Self, ProfileError> {
        Self::of(network, clock_mhz, nodes, false)
    }

    /// Builds a torus on which all nodes send the same messages: every message of node 0 stands for a message
    /// of each node, to the node at the same offset. One router represents all.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`new`](Self::new).
    pub fn symmetric(network: &NetworkProfile, clock_mhz: f64, nodes: usize) -> Result<Self, ProfileError> {
        Self::of(network, clock_mhz, nodes, true)
    }

    /// Checks that a torus can be built from these values.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`new`](Self::new).
    pub(in crate::machine) fn check(
        network: &NetworkProfile,
        clock_mhz: f64,
        nodes: usize,
    ) -> Result<(), ProfileError> {
        let torus = &network.torus;
        torus.check()?;
        let shape = Shape::of(&torus.sides, nodes);
        if shape.nodes() != nodes {
            let sides = shape.sides.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x ");
            return Err(ProfileError(format!("a torus of {sides} has {} nodes, not {nodes}", shape.nodes())));
        }
        let scale = clock_mhz / network.clock_mhz.unwrap_or(clock_mhz);
        let longest = (torus.packet + torus.trailer) as f64 * network.byte * scale + network.hop * scale;
        if longest.is_nan() || longest > f64::from(1 << 22) {
            return Err(ProfileError("a packet takes at most four million cycles on a torus".to_owned()));
        }
        Ok(())
    }

    fn of(
        network: &NetworkProfile,
        clock_mhz: f64,
        nodes: usize,
        symmetric: bool,
    ) -> Result<Self, ProfileError> {
        Self::check(network, clock_mhz, nodes)?;
        let profile = network.torus.clone();
        let scale = clock_mhz / network.clock_mhz.unwrap_or(clock_mhz);
        let shape = Shape::of(&profile.sides, nodes);
        let count = if symmetric { 1 } else { nodes };
        let byte = network.byte * scale;
        // A packet is never at two routers at the same time.
        let hop = ((network.hop * scale).round() as u64).max(1);
        let longest = ticks(profile.packet + profile.trailer, byte);
        let neighbour = |router, link| if symmetric { 0 } else { shape.neighbour(router, link) };
        let routers = Routers::new(&profile, hop, longest, count, shape.links(), neighbour);
        let messages = Messages::new(count);
        Ok(Torus { profile, shape, is_symmetric: symmetric, byte, routers, messages })
    }

    /// Returns the number of nodes along each dimension.
    pub fn sides(&self) -> &[usize] {
        &self.shape.sides
    }

    /// Sends `bytes` bytes from a node to another one at the time `at`. No event before `at` may be left to
    /// [happen](Self::next). The delivery carries `tag`.
    ///
    /// # Panics
    ///
    /// If the nodes are equal or the receiver does not exist, or if a symmetric torus sends from a node other
    /// than 0.
    pub fn send(&mut self, at: u64, from: usize, to: usize, bytes: u64, tag: u64) {
        assert!(from != to && to < self.shape.nodes(), "node {from} cannot send to node {to} on this torus");
        assert!(!self.is_symmetric || from == 0, "only node 0 sends on a symmetric torus, not {from}");
        let delivery = Delivery { at, from: from as u32, to: to as u32, tag };
        let message = self.messages.send(delivery, self.profile.packets(bytes));
        let (transport_as, either) = self.shape.transport_as(from, to);
        self.messages.entering[from].push_back(Entering { message, transport_as, either, bytes });
        self.routers.wake_at(at, from);
    }

    /// Returns the current time: all earlier events have happened.
    pub fn now(&self) -> u64 {
        self.routers.now()
    }

    /// Returns the time of the next event, or [`u64::MAX`] if no packet is in transit.
    pub fn next(&self) -> u64 {
        self.routers.next()
    }

    /// Performs all events of the [next](Self::next) time, and adds the messages that arrive to `delivered`.
    /// Returns whether there was an event.
    pub fn step(&mut self, delivered: &mut Vec<Delivery>) -> bool {
        let Torus { profile, byte, routers, messages, .. } = self;
        let ticks = |payload| ticks(profile.packet_bytes(payload), *byte) as u32;
        routers.step(messages, profile.payload(), ticks, delivered)
    }

    /// Returns the number of cycles that each link of a node was busy with packets: up and down along the
    /// first dimension, then along the others.
    pub fn carried(&self, node: usize) -> &[u64] {
        self.routers.carried(if self.is_symmetric { 0 } else { node })
    }
}

/// Returns the number of cycles that `bytes` bytes take on a link.
fn ticks(bytes: u64, byte: f64) -> u64 {
    ((bytes as f64 * byte).round() as u64).max(1)
}
