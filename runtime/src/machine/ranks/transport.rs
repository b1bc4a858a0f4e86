//! Transport of a node of a rank. Nodes of the same process share memory, as on a machine of threads.
//!
//! The first node of the process has the [mailbox](crate::ranks) and packs events for other processes. The
//! other nodes send the first node their events for other processes, and it sends these on. So an event takes
//! one hop more, and events between two nodes keep their order.

use std::sync::Arc;

use earth_signal::Sent;

use super::super::settings::Settings;
use super::super::threads::{SharedTransport, ThreadsTransport};
use crate::node::event::Note;
use crate::node::function::{Event, Token, UnitTransport};
use crate::ranks::{Mailbox, Message};
use crate::transport::{StolenToken, Transport};

/// Number of the first node among the nodes of its process.
const FIRST: u32 = 0;

/// Transport of one node.
pub(super) struct RankTransport {
    /// Number of the process's first node, and the number of its nodes.
    first: u32,
    nodes: u32,
    /// Transport between the nodes of this process, by their numbers in it.
    local: ThreadsTransport,
    /// Mailbox, while the first node acts.
    pub(super) mailbox: Option<Box<Mailbox>>,
}

impl RankTransport {
    /// Makes the transport of a node, by its number in the process.
    pub(super) fn boxed(node: usize, roads: &Arc<SharedTransport>, settings: &Settings) -> UnitTransport {
        let (first, nodes) = (settings.first_node() as u32, settings.nodes as u32);
        let inboxes = Arc::clone(&roads.ends.inboxes);
        let local = ThreadsTransport::new(node, roads, inboxes, settings);
        UnitTransport::Machine(Box::new(RankTransport { first, nodes, local, mailbox: None }))
    }

    /// Returns the number of a node among the nodes of this process, if it is one of them.
    #[inline]
    fn local(&self, node: u32) -> Option<u32> {
        let local = node.wrapping_sub(self.first);
        (local < self.nodes).then_some(local)
    }
}

impl Transport<Event, Token> for RankTransport {
    fn begin(&mut self) {
        self.local.begin();
    }

    fn send(&mut self, to: u32, event: Event, now: &mut u64) -> Sent {
        let to = self.local(to).unwrap_or(FIRST);
        self.local.send(to, event, now)
    }

    fn signal(&mut self, note: Note, now: &mut u64) -> Sent {
        match self.local(note.to.node()) {
            Some(to) => self.local.send_note(to, note),
            None => self.local.send(FIRST, note.into(), now),
        }
    }

    fn send_packed(&mut self, to: u32, pack: &mut dyn FnMut(&mut Message)) -> Sent {
        let rank = (to / self.nodes) as usize;
        match &mut self.mailbox {
            Some(mailbox) => mailbox.work(rank, pack),
            None => unreachable!("the first node acts while it has the mailbox"),
        }
    }

    fn held_back(&self) -> usize {
        self.local.held_back() + self.mailbox.as_ref().map_or(0, |mailbox| mailbox.held_back())
    }

    fn flush(&mut self) -> usize {
        if let Some(mailbox) = &mut self.mailbox {
            mailbox.send_held_back();
        }
        self.local.flush();
        self.held_back()
    }

    fn attend(&mut self) {
        if let Some(mailbox) = &mut self.mailbox {
            mailbox.attend();
        }
    }

    fn steal(&mut self) -> Option<StolenToken<Token>> {
        self.local.steal()
    }

    fn steal_further(&mut self) -> Option<StolenToken<Token>> {
        self.local.steal_further()
    }

    fn can_steal(&self) -> bool {
        self.local.can_steal()
    }

    fn notify_room(&mut self) {
        self.local.notify_room();
    }

    fn shares(&mut self) {
        self.local.shares();
    }

    fn shares_none(&mut self) {
        self.local.shares_none();
    }
}
