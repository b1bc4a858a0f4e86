//! The way between ranks: events, which are bytes already, become messages.

use earth_signal::Sent;

use crate::node::function::{Event, Token};
use crate::ranks::Mailbox;
use crate::transport::{Stolen, Transport};

/// The transport of a node that is a process. The mailbox is the machine's between runs.
#[derive(Default)]
pub(in crate::machine) struct RankWay {
    pub(in crate::machine) mailbox: Option<Box<Mailbox>>,
}

impl Transport<Event, Token> for RankWay {
    fn send(&mut self, to: u32, event: Event, _now: &mut u64) -> Sent {
        let Event::Bytes { bytes, .. } = event else { unreachable!("what leaves a rank was packed") };
        self.mailbox.as_mut().map_or(Sent::Queued, |mailbox| mailbox.work(to as usize, bytes))
    }

    fn held_back(&self) -> usize {
        self.mailbox.as_ref().map_or(0, |mailbox| mailbox.held_back())
    }

    fn flush(&mut self) -> usize {
        let Some(mailbox) = &mut self.mailbox else { return 0 };
        mailbox.send_held_back();
        mailbox.held_back()
    }

    fn steal(&mut self) -> Option<Stolen<Token>> {
        let (from, bytes) = self.mailbox.as_mut()?.given.pop_front()?;
        Some(Stolen::Bytes { from: from as u32, bytes })
    }

    fn can_steal(&self) -> bool {
        self.mailbox.as_ref().is_some_and(|mailbox| !mailbox.given.is_empty())
    }
}
