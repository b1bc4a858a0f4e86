//! Handshakes: a long block leaves when its receiver has granted a request.
//!
//! A profile may set a size, `network.eager`. A message with longer blocks waits at its sender:
//!
//! 1. At its departure the sender's interface sends a request.
//! 2. The receiver takes up the request as it takes up a message of words, and answers with a grant.
//! 3. The sender takes up the grant, and the message leaves. The network reads and writes its blocks without
//!    a processor.
//!
//! In SPN the processor takes up requests and grants between fibers. A long fiber holds up the blocks of its
//! node in both directions, and an idle processor none. In DUAL the synchronization unit takes them up while
//! a fiber runs. MPI libraries without a thread for communication behave as SPN does here: only calls of the
//! library make progress.
//!
//! *Order.* What one node sends to another leaves in the order in which it was sent, so short messages wait
//! behind a block. All blocks send their requests at once.
//!
//! *Not modelled.* The interface takes no time between departure and request.

use std::collections::{HashMap, VecDeque};

use super::message::{Handshake, TimedMessage};

/// Messages that wait for grants.
pub(super) struct Handshakes {
    /// Size of the largest block that needs no handshake, in bytes.
    eager: u64,
    /// Waiting messages, by sender and receiver, in the order in which they were sent.
    waiting: HashMap<(u32, u32), VecDeque<TimedMessage>>,
}

impl Handshakes {
    pub(super) fn new(eager: u64) -> Self {
        Handshakes { eager, waiting: HashMap::new() }
    }

    /// Forgets the messages of a run.
    pub(super) fn reset(&mut self) {
        self.waiting.clear();
    }

    /// Returns the message that leaves node `sender` in place of `message`: itself, or the request for it. A
    /// message that waits behind a block leaves later.
    pub(super) fn leaves(&mut self, sender: u32, message: TimedMessage) -> Option<TimedMessage> {
        let is_long = message.bulk() > self.eager;
        let pair = (sender, message.to);
        if message.is_granted || !is_long && !self.waiting.contains_key(&pair) {
            return Some(message);
        }
        self.waiting.entry(pair).or_default().push_back(message);
        is_long.then(|| TimedMessage::handshake(message.to, Handshake::Request { sender }))
    }

    /// Grants the first block from `sender` to `receiver`. Returns the messages that may now leave.
    pub(super) fn grant(&mut self, sender: u32, receiver: u32) -> Vec<TimedMessage> {
        let (eager, pair) = (self.eager, (sender, receiver));
        let Some(waiting) = self.waiting.get_mut(&pair) else { return Vec::new() };
        if let Some(block) = waiting.iter_mut().find(|message| !message.is_granted && message.bulk() > eager)
        {
            block.is_granted = true;
        }
        let mut granted = Vec::new();
        while let Some(message) = waiting.pop_front_if(|next| next.is_granted || next.bulk() <= eager) {
            granted.push(TimedMessage { is_granted: true, ..message });
        }
        if waiting.is_empty() {
            self.waiting.remove(&pair);
        }
        granted
    }
}
