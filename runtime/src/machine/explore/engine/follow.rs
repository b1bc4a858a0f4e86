//! Repetition of a run on real cores: each unit takes up work in the recorded order.
//!
//! Every unit goes on as long as its next entry is possible. An entry waits only for other units: a message
//! that is not sent yet, a token that is not made yet, a fiber that is not handed over yet. If no unit can go
//! on and entries are left, the recording is of another program.

use std::sync::Arc;

use super::super::channels::channels;
use super::Explorer;
use crate::machine::schedule::{Orders, RunLimits};
use crate::node::function::{Event, Runnable, Token};
use crate::node::signature::signature;
use crate::probe::order::Taken;
use crate::probe::recorder::FiberRef;
use crate::transport::{StolenToken, Transport as _};
use crate::vocabulary::error::Error;

/// How far a run has been repeated.
pub(super) struct Follower {
    orders: Arc<Orders>,
    /// The word of the next entry of each unit.
    next: Vec<[usize; 2]>,
    /// Tokens that nodes have given, until they are received, by their names.
    given: Vec<FiberRef>,
    /// How many operations of its next entry each synchronization unit has applied (DUAL).
    applied: Vec<u32>,
}

impl Follower {
    pub(super) fn new(orders: Arc<Orders>) -> Self {
        let nodes = orders.nodes.len();
        Follower { orders, next: vec![[0; 2]; nodes], given: Vec::new(), applied: vec![0; nodes] }
    }

    pub(super) fn begin(&mut self) {
        self.next.fill([0; 2]);
        self.applied.fill(0);
        self.given.clear();
    }

    /// Returns whether a token that is received was given.
    fn receives(&mut self, token: &Token) -> bool {
        let name = signature(&token.call);
        let at = self.given.iter().position(|given| *given == name);
        at.map(|at| self.given.swap_remove(at)).is_some()
    }

    /// Returns the entry after the next one.
    fn after_next(&self, node: usize, unit: usize) -> Option<Taken> {
        let order = &self.orders.nodes[node][unit];
        let (_, next) = order.entry(self.next[node][unit])?;
        Some(order.entry(next)?.0)
    }
}

impl Explorer {
    /// Repeats a run.
    pub(super) fn follow(
        &mut self,
        follower: &mut Follower,
        limits: &mut RunLimits<'_>,
    ) -> Result<(), Box<Error>> {
        let mut any = true;
        while std::mem::take(&mut any) {
            for node in 0..self.nodes.len() {
                for unit in 0..2 {
                    while let Some((taken, next)) =
                        follower.orders.nodes[node][unit].entry(follower.next[node][unit])
                    {
                        limits.count()?;
                        if !self.repeat(follower, node, unit, taken)? {
                            break;
                        }
                        limits.check()?;
                        follower.next[node][unit] = next;
                        any = true;
                    }
                }
            }
        }
        let is_left = |(node, unit): &(usize, usize)| {
            follower.next[*node][*unit] < follower.orders.nodes[*node][*unit].len()
        };
        let mut units = (0..self.nodes.len()).flat_map(|node| [(node, 0), (node, 1)]);
        let why = match units.find(is_left) {
            Some((node, unit)) => {
                let (next, count) = (follower.next[node][unit], follower.orders.nodes[node][unit].len());
                format!("entry {next} of the {count} of node {node} is not possible")
            }
            None if self.has_work() => "the program goes on after the last entry".to_owned(),
            None => return Ok(()),
        };
        Err(Box::new(Error::NotReplayed(why)))
    }

    /// Whether any node has work or messages.
    fn has_work(&mut self) -> bool {
        let nodes = self.nodes.len() as u32;
        self.nodes.iter_mut().any(|node| {
            let sends = (0..nodes).any(|to| channels(node.su()).has(to));
            sends || !node.waiting.is_empty() || !node.tokens.is_empty() || !node.operations.is_empty()
        })
    }

    /// Repeats an entry. Returns whether it was possible.
    fn repeat(
        &mut self,
        follower: &mut Follower,
        number: usize,
        unit: usize,
        taken: Taken,
    ) -> Result<bool, Box<Error>> {
        self.acting = number;
        let node = &mut self.nodes[number];
        match taken {
            Taken::Fiber { frame, by, index } => {
                let own = |next: &Runnable| match next {
                    Runnable::Fiber(ready) => {
                        (ready.id.number(), ready.by().0, ready.index()) == (frame, by, index)
                    }
                    Runnable::Function(_) => false,
                };
                let Some(at) = node.waiting.iter().position(|waiting| own(&waiting.next)) else {
                    return Ok(false);
                };
                let next = node.waiting.remove(at).next;
                node.run_followed(next);
            }
            Taken::Function => {
                let is_function = |next: &Runnable| matches!(next, Runnable::Function(_));
                let Some(at) = node.waiting.iter().position(|waiting| is_function(&waiting.next)) else {
                    return Ok(false);
                };
                let next = node.waiting.remove(at).next;
                node.run_followed(next);
            }
            Taken::Token { node: maker, number: name } => {
                let Some(token) = node.take_token(maker, name) else { return Ok(false) };
                node.run_followed(Runnable::Function(token.call));
            }
            Taken::Message { from } => {
                let sender = self.nodes[from as usize].su();
                let Some(event) = channels(sender).take(number as u32) else { return Ok(false) };
                match event {
                    Event::Token { token, .. } if follower.receives(&token) => {
                        self.nodes[number].su().receive_given(token);
                    }
                    event => self.nodes[number].attend(event)?,
                }
            }
            Taken::Operations { count } => {
                let left = count - follower.applied[number];
                let applied = node.apply_followed(left)?;
                follower.applied[number] =
                    if applied == left { 0 } else { follower.applied[number] + applied };
                node.settle_followed();
                return Ok(applied == left);
            }
            Taken::Steal { node: maker, number: name } => {
                let hands = follower.after_next(number, unit) == Some(Taken::Hand);
                let others = (0..self.nodes.len()).filter(|other| *other != number);
                let mut found = others
                    .map(|from| (from, self.nodes[from].take_token(maker, name)))
                    .find(|(_, token)| token.is_some());
                let Some((from, Some(token))) = found.as_mut().map(|(from, token)| (*from, token.take()))
                else {
                    return Ok(false);
                };
                self.nodes[from].su().sent += 1;
                let node = &mut self.nodes[number];
                channels(node.su()).given = Some(StolenToken { from: from as u32, token });
                node.su().take_given(hands)?;
            }
            Taken::Give { node: maker, number: name, to, given } => {
                let Some(token) = node.take_token(maker, name) else { return Ok(false) };
                if given {
                    follower.given.push(FiberRef::new(maker, name));
                }
                let su = node.su();
                su.sent += 1;
                // Channels always have room.
                let _ = channels(su).send(to, Event::Token { node: to, token }, &mut 0);
            }
            // Its token was handed over when it was taken.
            Taken::Hand => {}
            Taken::Report => node.report_followed(),
            Taken::Timer => {
                if !node.fire_next() {
                    return Ok(false);
                }
            }
        }
        self.nodes[number].settle_followed();
        Ok(true)
    }
}
