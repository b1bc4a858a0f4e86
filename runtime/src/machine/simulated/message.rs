//! Messages between the nodes of a simulated machine.

use super::events::EventKey;

/// Message from one node to another, in few bytes. Its event, or the token of an answer, stays in the outbox
/// until it is received.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimedMessage {
    pub(super) to: u32,
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
        TimedMessage { to, content: Content::Event { key, bulk } }
    }

    pub(super) fn trade(to: u32, trade: Trade) -> Self {
        TimedMessage { to, content: Content::Trade(trade) }
    }
}
