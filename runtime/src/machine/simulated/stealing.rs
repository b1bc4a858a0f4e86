//! Stealing of tokens by idle nodes of a simulated machine.
//!
//! A node without work sends a request to a node that shares tokens. That node answers with the oldest token
//! that it shares, or refuses. The machine itself knows which nodes share tokens, without a message. When a
//! node shares more tokens, the machine lets one idle node ask it. When a node gets a token, the machine lets
//! the next idle node ask.

use std::collections::BTreeSet;

use super::message::{TimedMessage, Trade};
use super::node::Node;
use super::port::port;
use super::world::{NodeUnits, World};
use crate::node::function::Event;
use crate::transport::StolenToken;

/// Returns the first node of `nodes`, cyclically from `from` on, that satisfies `is`.
fn next(nodes: &BTreeSet<usize>, from: usize, is: impl Fn(usize) -> bool) -> Option<usize> {
    nodes.range(from..).chain(nodes.range(..from)).copied().find(|node| is(*node))
}

impl<U: NodeUnits> World<U> {
    /// Handles a token request or an answer that a node receives at `time`. Returns the time at which the
    /// node finishes, and the answer to a request.
    pub(super) fn trade(&mut self, number: usize, time: u64, trade: Trade) -> (u64, Option<TimedMessage>) {
        let Node { costs, asking, .. } = &mut self.nodes[number];
        match trade {
            Trade::Ask { thief } => {
                let token = self.shared[number]
                    .steal()
                    .map(|token| self.outbox.events.insert(Event::Token { node: thief, token }));
                if self.shared[number].is_empty() {
                    self.sharers.remove(&number);
                }
                let answer = TimedMessage::trade(thief, Trade::Answer(token));
                (time + costs.receive_word + costs.send_word, Some(answer))
            }
            Trade::Answer(key) => {
                let victim = if seeded!(AsksOnce) { *asking } else { asking.take() };
                let token = key.and_then(|key| match self.outbox.events.remove(key) {
                    Event::Token { token, .. } => Some(StolenToken::Token { from: victim?, token }),
                    _ => None,
                });
                let until = time + costs.receive_word;
                if token.is_some() {
                    self.nodes[number].given = true;
                    port(self.su(number)).token = token;
                    self.wake_one(number, until);
                }
                (until, None)
            }
        }
    }

    /// After a node acted at `time`, requests a token if the node lacks work. Otherwise removes it from the
    /// idle nodes.
    #[cold]
    #[inline(never)]
    pub(super) fn look_for_token(&mut self, number: usize, time: u64, lacks_work: bool) {
        if self.nodes.len() > 1 {
            if lacks_work {
                self.request_token(number, time);
            } else {
                self.not_idle(number);
            }
        }
    }

    /// Lets the idle node next to `number` ask a node that shares tokens.
    pub(super) fn wake_one(&mut self, number: usize, time: u64) {
        if let Some(idle) = next(&self.idle, number, |idle| idle != number) {
            self.not_idle(idle);
            self.request_token(idle, time);
        }
    }

    fn not_idle(&mut self, number: usize) {
        if std::mem::take(&mut self.nodes[number].idle) {
            self.idle.remove(&number);
        }
    }

    /// Sends a token request to a node that shares tokens, the first one in the order of stealing.
    fn request_token(&mut self, number: usize, time: u64) {
        if self.nodes[number].asking.is_some() {
            return;
        }
        let count = self.nodes.len();
        let Node { victims, draw, .. } = &mut self.nodes[number];
        let from = (number + 1 + victims.first(count - 1, || draw.next())) % count;
        let (sharers, shared) = (&self.sharers, &self.shared);
        let found = next(sharers, from, |sharer| sharer != number && !shared[sharer].is_empty());
        let Some(victim) = found else {
            self.idle.insert(number);
            self.nodes[number].idle = true;
            return;
        };
        self.not_idle(number);
        self.nodes[number].victims.gave((victim + count - number - 1) % count);
        let send = self.nodes[number].costs.send_word;
        let clock = self.messages_clock(number);
        let from = clock.free.max(time);
        clock.work(from, from + send);
        let node = &mut self.nodes[number];
        node.asking = Some(victim as u32);
        let question = TimedMessage::trade(victim as u32, Trade::Ask { thief: number as u32 });
        node.departures.push(from + send, question);
        self.set_lanes_again(number, time);
    }
}
