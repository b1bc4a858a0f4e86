//! Messages between the nodes of a simulated machine.

use super::events::EventKey;

/// Message from one node to another, in few bytes. Its event, or the token of an answer, stays in the outbox
/// until it is received.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimedMessage {
    pub(super) to: u32,
    /// Whether its [handshake](super::handshakes) is over.
    pub(super) is_granted: bool,
    pub(super) content: Content,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Content {
    /// Event, and the size of its blocks in bytes.
    Event {
        key: EventKey,
        bulk: u64,
    },
    Trade(Trade),
    Handshake(Handshake),
}

/// Message of a [handshake](super::handshakes).
#[derive(Clone, Copy, Debug)]
pub(super) enum Handshake {
    /// A block waits at this sender.
    Request { sender: u32 },
    /// The first of these blocks may leave for this receiver.
    Grant { receiver: u32 },
}

/// Request for a token, or the answer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Trade {
    Ask {
        thief: u32,
    },
    /// The first token, if the victim shared one, and how many further tokens follow.
    Answer(Option<EventKey>, u32),
    Further {
        victim: u32,
        key: EventKey,
    },
}

impl TimedMessage {
    #[inline(always)]
    pub(super) fn event(to: u32, key: EventKey, bulk: u64) -> Self {
        TimedMessage { to, is_granted: false, content: Content::Event { key, bulk } }
    }

    pub(super) fn trade(to: u32, trade: Trade) -> Self {
        TimedMessage { to, is_granted: false, content: Content::Trade(trade) }
    }

    pub(super) fn handshake(to: u32, handshake: Handshake) -> Self {
        TimedMessage { to, is_granted: true, content: Content::Handshake(handshake) }
    }

    /// Returns the size of its blocks in bytes.
    #[inline(always)]
    pub(super) fn bulk(&self) -> u64 {
        if let Content::Event { bulk, .. } = self.content { bulk } else { 0 }
    }
}
