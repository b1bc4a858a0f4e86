//! What goes from node to node of a simulated machine.

use super::events::EventKey;

/// A message from one node to another, in few bytes. Its event, or the token of an answer, lies in the outbox until it is
/// received, so that little goes from queue to queue.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Message {
    pub(super) to: u32,
    /// The key of its event or token, or the thief.
    number: u32,
    /// The bytes of an event's blocks, or what else the message is.
    bulk: u64,
}

/// More bytes than any event has: of a question, of an answer with a token and of one without.
const ASK: u64 = u64::MAX;
const TOKEN: u64 = u64::MAX - 1;
const REFUSAL: u64 = u64::MAX - 2;

/// What a message says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Content {
    /// An event, and the bytes of its blocks.
    Event {
        key: EventKey,
        bulk: u64,
    },
    Trade(Trade),
}

/// What nodes say about tokens.
#[derive(Clone, Copy, Debug)]
pub(super) enum Trade {
    /// A question for a token.
    Ask {
        thief: u32,
    },
    Answer(Option<EventKey>),
}

impl Message {
    #[inline(always)]
    pub(super) fn event(to: u32, key: EventKey, bulk: u64) -> Self {
        Message { to, number: key.0, bulk }
    }

    pub(super) fn trade(to: u32, trade: Trade) -> Self {
        let (number, bulk) = match trade {
            Trade::Ask { thief } => (thief, ASK),
            Trade::Answer(Some(key)) => (key.0, TOKEN),
            Trade::Answer(None) => (0, REFUSAL),
        };
        Message { to, number, bulk }
    }

    #[inline(always)]
    pub(super) fn content(self) -> Content {
        if self.bulk < REFUSAL {
            return Content::Event { key: EventKey(self.number), bulk: self.bulk };
        }
        Content::Trade(match self.bulk {
            ASK => Trade::Ask { thief: self.number },
            TOKEN => Trade::Answer(Some(EventKey(self.number))),
            _ => Trade::Answer(None),
        })
    }
}
