//! Messages between ranks, as bytes.
//!
//! The message of an event between nodes is the event itself, byte for byte: it begins with the event's tag,
//! which is small. All other messages begin with one of the bytes below.

use crate::probe::records::gathered::NodeLog;
use crate::vocabulary::counters::Counters;
use crate::vocabulary::error::{Error, Stuck};
use crate::vocabulary::wire::{Packer, Undecodable, Unpacker, Wire};

/// Version of the messages' meaning. Ranks of different versions do not run together.
pub(crate) const VERSION: u32 = 3;

/// First byte of a message that answers a token request. The token follows, as an event.
pub(crate) const GIVEN: u8 = 254;

/// First byte of every other message that is no event.
const CONTROL: u8 = 255;

/// The kind of a received message.
#[derive(Debug)]
pub(crate) enum RankMessage {
    /// An event, packed.
    Event,
    /// A token that this rank has requested, packed as an event behind one byte.
    Given,
    Control(Control),
}

/// A control message, which is no part of the program.
#[derive(Debug, PartialEq, Wire)]
pub(crate) enum Control {
    /// Greeting: the sender begins the run with this number.
    Hello { run: u64, hello: Hello },
    /// The sender is idle and requests a token. The request stays open until a token answers it.
    RequestToken,
    /// There is no token for the receiver now.
    NoToken,
    /// Rank 0 requests a reply when the receiver is idle. The request has this number.
    Wave(u64),
    /// At some moment since the request with this number the sender was idle. It had then sent and received
    /// these numbers of work messages.
    Passive { wave: u64, sent: u64, received: u64 },
    /// No work is left: rank 0 requests the receiver's counters and waiting frames.
    Settle,
    /// The counters of the sender's nodes, their waiting frames, and their records on a machine that traces.
    Settled { counters: Vec<Counters>, stuck: Box<Stuck>, logs: Vec<NodeLog> },
    /// The run has ended well; these are the counters of all nodes.
    End(Vec<Counters>),
    /// This error, which occurred in the sender or was reported to it, has ended its run.
    Failed(Box<Error>),
    /// The sender takes part in no further run.
    Bye,
    /// The sender is alive.
    Beat,
    /// Rank 0 requests the receiver's time.
    AskTime,
    /// The time of the sender, in nanoseconds since its part in the run began.
    Time(u64),
}

/// Data on which all ranks must agree before a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Wire)]
pub(crate) struct Hello {
    pub(crate) version: u32,
    /// Fingerprint of the table of functions.
    pub(crate) fingerprint: u64,
    pub(crate) ranks: u32,
    /// Number of nodes of each rank.
    pub(crate) nodes: u32,
    /// Number of values that the run begins with.
    pub(crate) shared: u32,
    /// Time limit for silent ranks in nanoseconds, or 0.
    pub(crate) heartbeat: u64,
    /// Whether the rank traces.
    pub(crate) traces: bool,
}

impl Hello {
    /// Returns the first difference that keeps ranks with this greeting and `other` from running together, if
    /// any.
    pub(crate) fn differs_from(self, other: Hello) -> Option<String> {
        let differences = [
            ("message version", u64::from(self.version), u64::from(other.version)),
            ("function fingerprint", self.fingerprint, other.fingerprint),
            ("number of ranks", u64::from(self.ranks), u64::from(other.ranks)),
            ("number of nodes", u64::from(self.nodes), u64::from(other.nodes)),
            ("number of shared values", u64::from(self.shared), u64::from(other.shared)),
            ("heartbeat in nanoseconds", self.heartbeat, other.heartbeat),
            ("setting of `trace`", u64::from(self.traces), u64::from(other.traces)),
        ];
        let (what, its, own) = differences.into_iter().find(|(_, its, own)| its != own)?;
        Some(format!("its {what} is {its}, this rank's is {own}"))
    }
}

impl Control {
    /// Returns the message as bytes.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        let mut out = Packer::default();
        (CONTROL, self).pack(&mut out);
        out.into_bytes()
    }
}

pub(crate) fn is_control(message: &[u8]) -> bool {
    message.first() == Some(&CONTROL)
}

impl RankMessage {
    /// Reads a message. Events, including tokens, are decoded later, when the types of their values are
    /// known.
    pub(crate) fn read(message: &[u8]) -> Result<RankMessage, Undecodable> {
        match message.split_first() {
            Some((&GIVEN, _)) => Ok(RankMessage::Given),
            Some((&CONTROL, rest)) => {
                let input = &mut Unpacker::new(rest);
                let control = Control::unpack(input)?;
                if input.left() > 0 { Err(Undecodable) } else { Ok(RankMessage::Control(control)) }
            }
            Some(_) => Ok(RankMessage::Event),
            None => Err(Undecodable),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::error::EntryName;

    #[test]
    fn a_message_is_read_as_it_was_written_and_no_part_of_it_is() {
        let hello = Hello {
            version: VERSION,
            fingerprint: 7,
            ranks: 2,
            nodes: 1,
            shared: 1,
            heartbeat: 9,
            traces: true,
        };
        let [name, function] = ["cell", "Function"].map(str::to_owned);
        let cell = EntryName { what: "cell".into(), name, function, node: 1 };
        let messages = [
            Control::Hello { run: 1, hello },
            Control::RequestToken,
            Control::Beat,
            Control::Passive { wave: 1, sent: 2, received: u64::MAX },
            Control::Settled {
                counters: vec![Counters::default()],
                stuck: Box::default(),
                logs: vec![NodeLog::default()],
            },
            Control::Time(7),
            Control::End(vec![Counters { fibers: 3, ..Counters::default() }; 2]),
            Control::Failed(Box::new(Error::WrittenTwice { cell })),
        ];
        for (number, control) in messages.into_iter().enumerate() {
            let shown = format!("{control:?}");
            let bytes = control.into_bytes();
            assert!(is_control(&bytes));
            for end in 1..bytes.len() {
                assert!(RankMessage::read(&bytes[..end]).is_err(), "{end} bytes of {number}");
            }
            let Ok(RankMessage::Control(back)) = RankMessage::read(&bytes) else {
                panic!("{shown} is not read")
            };
            assert_eq!(format!("{back:?}"), shown);
            assert!(RankMessage::read(&[bytes, vec![0]].concat()).is_err());
        }
        assert!(RankMessage::read(&[]).is_err());
    }
}
