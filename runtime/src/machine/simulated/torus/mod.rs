//! A torus, packet by packet: finite buffers, virtual cut-through, and queues whose first packet holds up the others.
//!
//! A message is cut into packets where it enters. A packet goes from router to router by links, one for each direction of
//! each dimension. A link carries one packet at a time; the head of a packet is at the next router `hop` cycles after it
//! has set out, and its end so many cycles later as its bytes take. It may set out again before its end is there
//! (virtual cut-through; Kermani and Kleinrock, 1979).
//!
//! *Buffers.* At its end each link has a buffer for each of its channels, of so many packets. A packet sets out if the link
//! is free and the buffer has room, which it keeps until its end has left that buffer again. A buffer is a queue, which
//! gives away one packet at a time: while its first one cannot go on, those behind it wait, though their links may be free
//! (head-of-line blocking).
//!
//! *Ways.* All ways are minimal. With adaptive routing a packet takes, of the links that bring it nearer and are free, the one
//! with the most room in an adaptive channel, the first of equals. Of two ways round a ring that are as long,
//! packets take one and the other in turn.
//!
//! *No deadlock.* If the adaptive channels of all its links that are free are full, a packet may take the escape channel of
//! the link that is next in the order of dimensions. Into the ring of escape channels of one direction it comes only if
//! room for one more packet is left behind it, so that a ring is never full (bubble flow control; Puente and others, 1999). With
//! dimension-ordered routing all packets go by escape channels.
//!
//! *Turns.* A router looks at its queues in turn, beginning behind the one that it served last: at the buffers first and then at
//! the entries, or at all of them alike. A packet that is where it belongs leaves its buffer when its end is there.
//!
//! *Symmetry.* What a router does at a time depends on its own queues and on room that it was told of before, not on what the
//! others do at that time. So if all nodes send alike, each relative to its own place, all routers do the same at all times: one router
//! whose links lead back to itself stands for all of them, exactly. [`Torus::symmetric`] is that one.
//!
//! Cost: two events a packet and hop, each of constant cost.
//!
//! # What is not modelled
//!
//! Links make no errors. Nodes take all that arrives at once. Buffers count packets, not bytes.

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

/// A torus with what is under way on it.
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
/// // Two hops, and 200 + 16 bytes, which are 7 chunks of 32, with 20 more.
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
    /// The torus of a machine of `nodes` nodes with processors of `clock_mhz`, in whose cycles all times are. Only the
    /// times and the torus of `network` are asked for.
    ///
    /// # Errors
    ///
    /// If its sides do not multiply to the number of nodes, or a figure makes no sense.
    pub fn new(network: &NetworkProfile, clock_mhz: f64, nodes: usize) -> Result<Self, ProfileError> {
        Self::of(network, clock_mhz, nodes, false)
    }

    /// A torus on which all nodes do alike: what is sent from node 0 is sent from every node, to the node that is as far
    /// away from it. One router stands for all.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    pub fn symmetric(network: &NetworkProfile, clock_mhz: f64, nodes: usize) -> Result<Self, ProfileError> {
        Self::of(network, clock_mhz, nodes, true)
    }

    /// Whether a torus can be made of this.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
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

    fn of(network: &NetworkProfile, clock_mhz: f64, nodes: usize, alike: bool) -> Result<Self, ProfileError> {
        Self::check(network, clock_mhz, nodes)?;
        let profile = network.torus.clone();
        let scale = clock_mhz / network.clock_mhz.unwrap_or(clock_mhz);
        let shape = Shape::of(&profile.sides, nodes);
        let count = if alike { 1 } else { nodes };
        let byte = network.byte * scale;
        // A packet is never at two routers at the same time.
        let hop = ((network.hop * scale).round() as u64).max(1);
        let longest = ticks(profile.packet + profile.trailer, byte);
        let neighbour = |router, link| if alike { 0 } else { shape.neighbour(router, link) };
        let routers = Routers::new(&profile, hop, longest, count, shape.links(), neighbour);
        let messages = Messages::new(count);
        Ok(Torus { profile, shape, is_symmetric: alike, byte, routers, messages })
    }

    /// The nodes along each dimension.
    pub fn sides(&self) -> &[usize] {
        &self.shape.sides
    }

    /// Sends `bytes` bytes from a node to another one at the time `at`, before which nothing may be left to
    /// [happen](Self::next). The message is delivered with this tag.
    ///
    /// # Panics
    ///
    /// If there are no two such nodes, or a symmetric torus sends from another node than 0.
    pub fn send(&mut self, at: u64, from: usize, to: usize, bytes: u64, tag: u64) {
        assert!(from != to && to < self.shape.nodes(), "a message goes from {from} to {to}");
        assert!(!self.is_symmetric || from == 0, "all nodes send what node 0 sends");
        let delivery = Delivery { at, from: from as u32, to: to as u32, tag };
        let message = self.messages.send(delivery, self.profile.packets(bytes));
        let (way, either) = self.shape.way(from, to);
        self.messages.entering[from].push_back(Entering { message, way, either, bytes });
        self.routers.wake_at(at, from);
    }

    /// The time up to which all has happened.
    pub fn now(&self) -> u64 {
        self.routers.now()
    }

    /// When something happens next; [`u64::MAX`] if nothing is under way.
    pub fn next(&self) -> u64 {
        self.routers.next()
    }

    /// Lets all happen that happens [next](Self::next), and adds the messages that arrive by that. Returns whether there
    /// was anything.
    pub fn step(&mut self, delivered: &mut Vec<Delivery>) -> bool {
        let Torus { profile, byte, routers, messages, .. } = self;
        let ticks = |payload| ticks(profile.packet_bytes(payload), *byte) as u32;
        routers.step(messages, profile.payload(), ticks, delivered)
    }

    /// How many cycles each link of a node has carried packets: up and down along the first dimension, then along the
    /// others.
    pub fn carried(&self, node: usize) -> &[u64] {
        self.routers.carried(if self.is_symmetric { 0 } else { node })
    }
}

/// How many cycles so many bytes are on a link.
fn ticks(bytes: u64, byte: f64) -> u64 {
    ((bytes as f64 * byte).round() as u64).max(1)
}
