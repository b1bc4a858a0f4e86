//! Wires: one queue from each node to each other node. They delay messages, so that messages of different
//! senders arrive in any order.
//!
//! A node sends into a wire instead of an inbox, and holds messages back while the wire is full. The stepper
//! moves one message at a time from a wire into the inbox, if the inbox has room. Then it wakes and asks the
//! receiver as a sender does.
//!
//! *Cost.* A queue for each pair of nodes. So only machines of at most [`MOST`] nodes have wires. Half of the
//! seeds use no wires; these runs test the wake-ups of the senders.

use std::sync::Arc;

use earth_signal::event_and_note_queue;

use super::super::draw::Draw;
use super::super::settings::Settings;
use super::super::threads::SharedTransport;
use crate::node::event::Note;
use crate::node::function::{Event, Inbox, InboxSender};

/// Maximum number of nodes of a machine with wires: the number of bits of a word.
const MOST: usize = 64;

/// Wires between all nodes.
pub(super) struct Wires {
    /// Wires, by sender and receiver.
    pairs: Vec<Vec<DelayedWire>>,
    /// Bit set of the receivers with waiting messages, by sender.
    loaded: Vec<u64>,
    /// Bit set of the receivers whose inboxes were full.
    full: u64,
    draw: Draw,
}

/// Wire from one node to another.
struct DelayedWire {
    enters: InboxSender,
    leaves: Inbox,
    /// Message that found the inbox full.
    stuck: Option<Moved>,
}

/// Message in transit.
enum Moved {
    Note(Note),
    Event(Event),
}

impl Wires {
    /// Draws whether a machine has wires, and makes them.
    pub(super) fn new(settings: &Settings, draw: &mut Draw) -> Option<Self> {
        let nodes = settings.nodes;
        if draw.below(2) == 0 || !(2..=MOST).contains(&nodes) {
            return None;
        }
        let wire = |_| {
            let (enters, leaves) = event_and_note_queue(settings.queue());
            DelayedWire { enters, leaves, stuck: None }
        };
        let pairs = (0..nodes).map(|_| (0..nodes).map(wire).collect()).collect();
        Some(Wires { pairs, loaded: vec![0; nodes], full: 0, draw: Draw::new(0) })
    }

    /// Prepares for a run. The wires are empty.
    pub(super) fn begin(&mut self, seed: u64) {
        self.draw = Draw::new(seed);
        self.loaded.fill(0);
        self.full = 0;
    }

    /// Returns the queues into which node `from` sends, by receiver.
    pub(super) fn out_of(&self, from: usize) -> Arc<[InboxSender]> {
        self.pairs[from].iter().map(|wire| wire.enters.clone()).collect()
    }

    /// Returns whether a message of node `from` may arrive.
    pub(super) fn has(&self, from: usize) -> bool {
        self.loaded[from] & !self.full != 0
    }

    /// Updates the waiting messages of node `from`, after its worker has acted. The node's inbox may have
    /// room again.
    pub(super) fn look(&mut self, from: usize) {
        let waits = |wire: &mut DelayedWire| wire.stuck.is_some() || !wire.leaves.is_empty();
        let wires = self.pairs[from].iter_mut().enumerate();
        self.loaded[from] = wires.fold(0, |bits, (to, wire)| bits | u64::from(waits(wire)) << to);
        self.full &= !(1 << from);
    }

    /// Moves a message of node `from` into an inbox, if that has room.
    pub(super) fn carry(&mut self, from: usize, roads: &SharedTransport) {
        let ready = self.loaded[from] & !self.full;
        if ready == 0 {
            return;
        }
        let nth = self.draw.below(ready.count_ones() as usize);
        let to = (0..MOST).filter(|to| ready >> to & 1 == 1).nth(nth).unwrap_or(0);
        let DelayedWire { leaves, stuck, .. } = &mut self.pairs[from][to];
        let inbox = &roads.ends.inboxes[to];
        let mut next = || {
            let note = leaves.receive_note().map(Moved::Note);
            note.or_else(|| leaves.receive().map(Moved::Event))
        };
        let mut message = stuck.take().or_else(&mut next);
        if seeded!(MessagesOvertake)
            && let Some(later) = next()
        {
            *stuck = message.replace(later);
        }
        let waits = stuck.take();
        *stuck = match message {
            Some(_) if seeded!(MessageLost) => None,
            Some(Moved::Note(note)) => inbox.note(note).err().map(|full| Moved::Note(full.0)),
            Some(Moved::Event(event)) => inbox.send(event).err().map(|full| Moved::Event(full.0)),
            None => None,
        };
        if stuck.is_some() {
            self.full |= 1 << to;
            return;
        }
        *stuck = waits;
        if stuck.is_none() && leaves.is_empty() {
            self.loaded[from] &= !(1 << to);
        }
        roads.wake(to);
        // The sender may hold a message for the room in the wire.
        roads.sleepers.wake_holders();
    }
}
