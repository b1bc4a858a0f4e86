//! Stealing of tokens by idle nodes of a simulated machine.
//!
//! A node without work sends a request to a node that shares tokens. That node answers with the oldest token
//! that it shares, or refuses. The machine itself knows which nodes share tokens, without a message. When a
//! node shares more tokens, the machine lets one idle node ask it. When a node gets a token, the machine lets
//! the next idle node ask.
//!
//! A [policy](crate::policy::StealPolicy) may take several tokens. The victim then sends each further token as
//! a message of its own, directly after the answer, at the cost of sending a word. The thief queues it at the
//! costs of receiving a word and of queueing a token.

use std::collections::BTreeSet;

use super::events::EventKey;
use super::message::{TimedMessage, Trade};
use super::node::{Node, exchange};
use super::port::port;
use super::world::{NodeUnits, World};
use crate::node::function::Event;
use crate::node::tokens::victims::LookAt;
use crate::transport::StolenToken;
use crate::vocabulary::error::Error;

/// Returns the first node of `nodes`, cyclically from `from` on, that satisfies `is`.
fn next(nodes: &BTreeSet<usize>, from: usize, is: impl Fn(usize) -> bool) -> Option<usize> {
    nodes.range(from..).chain(nodes.range(..from)).copied().find(|node| is(*node))
}

impl<U: NodeUnits> World<U> {
    /// Handles a token request or an answer that a node receives at `time`. Returns the time at which the
    /// node finishes. The answers to a request are then in `answers`, with their times.
    pub(super) fn trade(&mut self, number: usize, time: u64, trade: Trade) -> Result<u64, Box<Error>> {
        let Node { costs, asking, .. } = &mut self.nodes[number];
        match trade {
            Trade::Ask { thief } => {
                let (receive, send) = (costs.receive_word, costs.send_word);
                let first = self.token_for(number, thief);
                let mut further = 0;
                let mut until = time + receive + send;
                if first.is_some() {
                    let shared = &self.shared[number];
                    let thief = &mut self.nodes[thief as usize].victims;
                    further = thief.amount(number, || 1 + shared.waiting()) as u32 - 1;
                }
                self.answers.push((until, TimedMessage::trade(thief, Trade::Answer(first, further))));
                for _ in 0..further {
                    let Some(key) = self.token_for(number, thief) else {
                        unreachable!("the victim shares as many tokens as it sends")
                    };
                    until += send;
                    let trade = Trade::Further { victim: number as u32, key };
                    self.answers.push((until, TimedMessage::trade(thief, trade)));
                }
                if self.shared[number].is_empty() {
                    self.sharers.remove(&number);
                }
                Ok(until)
            }
            Trade::Further { victim, key } => {
                let now = time + costs.receive_word + costs.token;
                let Event::Token { token, .. } = self.outbox.events.remove(key) else { return Ok(now) };
                let su = self.units[number].synchronizer();
                su.now = now;
                exchange(su, &mut self.outbox);
                su.keep_stolen(StolenToken { from: victim, token })?;
                exchange(su, &mut self.outbox);
                Ok(su.now)
            }
            Trade::Answer(key, further) => {
                let victim = if seeded!(AsksOnce) { *asking } else { asking.take() };
                if let Some(victim) = victim {
                    let tokens = if key.is_some() { 1 + further as usize } else { 0 };
                    self.nodes[number].victims.gave(victim as usize, tokens);
                }
                let token = key.and_then(|key| match self.outbox.events.remove(key) {
                    Event::Token { token, .. } => Some(StolenToken { from: victim?, token }),
                    _ => None,
                });
                let until = time + self.nodes[number].costs.receive_word;
                if token.is_some() {
                    self.nodes[number].given = true;
                    port(self.su(number)).token = token;
                    self.wake_one(number, until);
                }
                Ok(until)
            }
        }
    }

    /// Takes the oldest token that a node shares, as an event for `thief`.
    fn token_for(&mut self, victim: usize, thief: u32) -> Option<EventKey> {
        let token = self.shared[victim].steal()?;
        Some(self.outbox.events.insert(Event::Token { node: thief, token }))
    }

    /// Lets the answers of a node leave at their times.
    pub(super) fn send_answers(&mut self, number: usize) {
        for (at, answer) in self.answers.drain(..) {
            self.nodes[number].departures.push(at, answer);
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
        let (sharers, shared) = (&self.sharers, &self.shared);
        let shares = |sharer: usize| sharer != number && !shared[sharer].is_empty();
        let found = victims.choose(
            number,
            count,
            || draw.next(),
            |at| match at {
                LookAt::Node(node) => Some((node, ())).filter(|_| sharers.contains(&node) && shares(node)),
                LookAt::Ring(from) => next(sharers, from, shares).map(|sharer| (sharer, ())),
            },
        );
        let Some((victim, ())) = found else {
            self.idle.insert(number);
            self.nodes[number].idle = true;
            return;
        };
        self.not_idle(number);
        self.nodes[number].victims.found(victim);
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
