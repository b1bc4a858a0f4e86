//! The way between nodes that share memory: each node's inbox, and the shared ends of all others.

use std::collections::VecDeque;
use std::sync::Arc;

use earth_signal::{EventSender, Sleepers, Stealer};

use super::super::queues::Ends;
use crate::unit::balance::Token;
use crate::unit::event::Event;
use crate::unit::transport::Transport;

/// The transport of one node.
pub(super) struct ThreadsTransport {
    /// The worker that runs this node's synchronization unit.
    home: usize,
    /// The same of every node.
    homes: Arc<[usize]>,
    sleepers: Arc<Sleepers>,
    inboxes: Vec<EventSender<Event>>,
    /// What found an inbox full, oldest first, by node.
    kept: Vec<VecDeque<Event>>,
    kept_total: usize,
    /// The shared ends of the other nodes, the next node's first.
    others: Vec<Stealer<Token>>,
    /// Where the next theft is tried: where the last one succeeded.
    victim: usize,
}

impl ThreadsTransport {
    /// That of `node`; `homes` has the workers that run the synchronization units of all nodes.
    pub(super) fn new(node: usize, homes: &Arc<[usize]>, sleepers: &Arc<Sleepers>, ends: &Ends) -> Self {
        let nodes = homes.len();
        ThreadsTransport {
            home: homes[node],
            homes: Arc::clone(homes),
            sleepers: Arc::clone(sleepers),
            inboxes: ends.inboxes.clone(),
            kept: (0..nodes).map(|_| VecDeque::new()).collect(),
            kept_total: 0,
            others: (1..nodes).map(|k| ends.shared[(node + k) % nodes].clone()).collect(),
            victim: 0,
        }
    }

    fn wake(&self, node: usize) {
        if self.homes[node] != self.home {
            self.sleepers.wake(self.homes[node]);
        }
    }
}

impl Transport for ThreadsTransport {
    fn send(&mut self, to: u32, event: Event, _now: &mut u64) -> bool {
        let node = to as usize;
        if let Err(full) = self.inboxes[node].send(event) {
            self.kept[node].push_back(full.0);
            self.kept_total += 1;
            return false;
        }
        self.wake(node);
        true
    }

    fn kept(&self) -> usize {
        self.kept_total
    }

    fn flush(&mut self) -> usize {
        for node in 0..self.kept.len() {
            while let Some(event) = self.kept[node].pop_front() {
                if let Err(full) = self.inboxes[node].send(event) {
                    self.kept[node].push_front(full.0);
                    break;
                }
                self.kept_total -= 1;
                self.wake(node);
            }
        }
        self.kept_total
    }

    fn steal(&mut self) -> Option<Token> {
        for _ in 0..self.others.len() {
            if let Some(token) = self.others[self.victim].steal() {
                return Some(token);
            }
            self.victim = (self.victim + 1) % self.others.len();
        }
        None
    }

    fn can_steal(&self) -> bool {
        self.others.iter().any(|other| !other.is_empty())
    }

    fn shares(&mut self) {
        self.sleepers.wake_any();
    }
}
