//! The way between nodes that share memory: each node's inbox, and the shared ends of all others.

use std::sync::Arc;

use earth_signal::{EventSender, HeldBack, Sent, Sleepers, Stealer};

use super::super::draw::Draw;
use super::super::queues::Ends;
use crate::unit::balance::Token;
use crate::unit::event::Event;
use crate::unit::transport::Transport;
use crate::unit::victims::Victims;
use crate::vocabulary::policy::StealOrder;

/// The transport of one node.
pub(super) struct ThreadsTransport {
    /// The worker that runs this node's synchronization unit.
    home: usize,
    /// The worker that runs each node's synchronization unit.
    homes: Arc<[usize]>,
    sleepers: Arc<Sleepers>,
    /// The inbox of each node, and what is held back for it.
    inboxes: Vec<(EventSender<Event>, HeldBack<Event>)>,
    held_back: usize,
    /// The shared ends of the other nodes, the next node's first.
    others: Vec<Stealer<Token>>,
    victims: Victims,
    draw: Draw,
}

impl ThreadsTransport {
    /// The transport of `node`; `homes` has the workers that run the synchronization units of all nodes.
    pub(super) fn new(
        node: usize,
        homes: &Arc<[usize]>,
        sleepers: &Arc<Sleepers>,
        ends: &Ends,
        steal: StealOrder,
    ) -> Self {
        let nodes = homes.len();
        ThreadsTransport {
            home: homes[node],
            homes: Arc::clone(homes),
            sleepers: Arc::clone(sleepers),
            inboxes: ends.inboxes.iter().map(|inbox| (inbox.clone(), HeldBack::new())).collect(),
            held_back: 0,
            others: (1..nodes).map(|k| ends.shared[(node + k) % nodes].clone()).collect(),
            victims: Victims::new(steal),
            draw: Draw::new(node as u64),
        }
    }

    fn wake(&self, node: usize) {
        if self.homes[node] != self.home {
            self.sleepers.wake(self.homes[node]);
        }
    }
}

impl Transport for ThreadsTransport {
    fn send(&mut self, to: u32, event: Event, _now: &mut u64) -> Sent {
        let node = to as usize;
        let (inbox, held) = &mut self.inboxes[node];
        let sent = held.send(event, |event| inbox.send(event));
        match sent {
            Sent::Queued => self.wake(node),
            Sent::HeldBack => self.held_back += 1,
        }
        sent
    }

    fn held_back(&self) -> usize {
        self.held_back
    }

    fn flush(&mut self) -> usize {
        for node in 0..self.inboxes.len() {
            let (inbox, held) = &mut self.inboxes[node];
            let queued = held.flush(|event| inbox.send(event));
            if queued > 0 {
                self.held_back -= queued;
                self.wake(node);
            }
        }
        self.held_back
    }

    fn steal(&mut self) -> Option<Token> {
        let count = self.others.len();
        let first = self.victims.first(count, || self.draw.next());
        (0..count).map(|step| (first + step) % count).find_map(|victim| {
            let token = self.others[victim].steal()?;
            self.victims.gave(victim);
            Some(token)
        })
    }

    fn can_steal(&self) -> bool {
        self.others.iter().any(|other| !other.is_empty())
    }

    fn shares(&mut self) {
        self.sleepers.wake_any();
    }
}
