//! Steps of a simulated machine: one lane after the other acts, and determines when its node acts next.
//!
//! The first lane always acts, unless a recording is replayed. After a step the times of the acting node's
//! lanes are reset: all of them, or those that the step can have changed. Lanes of other nodes change in two
//! cases only: at the receiver of a departing message, and at a node that starts a token request.
//!
//! Cost: a step takes some hundred instructions beside the work of the unit. Most of them inspect the queues
//! of one node and find the next lane. Each configuration has its own loop, with all of this inlined.

use super::super::schedule::{Chooser, LANES, OUT, PROCESSOR, RunLimits, SU};
use super::clock::NEVER;
use super::lanes::First;
use super::message::{Handshake, TimedMessage};
use super::node::Node;
use super::port::{Departure, port};
use super::world::{NodeUnits, World};
use crate::probe::costs::{END_OF_TIME, after};
use crate::vocabulary::error::Error;

impl<U: NodeUnits> World<U> {
    /// Lets lanes act until none has work or the run reaches its limits. Most of a step is inlined here,
    /// because a call would take as many instructions as the code between two calls.
    pub(super) fn run_lanes(
        &mut self,
        chooser: &mut Chooser,
        mut limits: RunLimits<'_>,
    ) -> Result<(), Box<Error>> {
        let takes_first = chooser.takes_first();
        loop {
            limits.count()?;
            let first = self.lanes.first();
            // Events of the network precede actions of nodes at the same time.
            if self.carries <= first.map_or(NEVER - 1, |first| first.time) {
                self.carry();
                continue;
            }
            let Some(first) = first else { break };
            let First { node: number, lane, time } = if takes_first {
                first
            } else {
                let lane = chooser.next(LANES * first.node + first.lane, |lane| self.lanes.is_enabled(lane));
                let (node, lane) = (lane / LANES, lane % LANES);
                First { node, lane, time: self.lanes.time(node, lane) }
            };
            if time >= END_OF_TIME {
                return Err(Box::new(Error::TooLong));
            }
            if lane == OUT {
                self.depart(number, time);
                continue;
            }
            self.acting = (number, lane);
            if U::act(self, number, lane, time)? {
                self.look_su_only(number, time, takes_first, &mut limits)?;
                continue;
            }
            if lane != SU {
                limits.check()?;
            }
            self.look(number, time);
        }
        self.network.finish();
        Ok(())
    }

    /// Lets a message leave a node at `time`.
    #[inline(always)]
    fn depart(&mut self, number: usize, time: u64) {
        let idleness = self.nodes[number].idleness(time);
        let left = self.transmit(number, time);
        // A departure changes no other lane of its node.
        self.lanes.set_one(number, OUT, left);
        if let Some(lacks_work) = idleness {
            self.look_for_token(number, time, lacks_work);
        }
    }

    /// Gives the network a message that leaves a node at `time`. It arrives after all earlier messages of its
    /// sender to its receiver. Returns the time at which the node's next message leaves.
    #[inline(always)]
    fn transmit(&mut self, number: usize, time: u64) -> u64 {
        let sender = &mut self.nodes[number];
        let Some((_, message)) = sender.departures.pop() else { return NEVER };
        let left = sender.departures.first();
        let Some(message) = self.leaving(number, message) else { return left };
        match self.network.send(number, message.bulk(), time, message) {
            Some(arrival) => self.arrive(number, arrival, message),
            None => self.carries = self.network.next(),
        }
        left
    }

    /// Performs the next event of the network.
    #[cold]
    #[inline(never)]
    fn carry(&mut self) {
        let mut arrived = std::mem::take(&mut self.arrived);
        self.network.step(&mut arrived);
        self.carries = self.network.next();
        for (sender, arrival, message) in arrived.drain(..) {
            self.arrive(sender, arrival, message);
        }
        self.arrived = arrived;
    }

    /// Queues a message that arrives at `arrival` at its receiver.
    #[inline(always)]
    fn arrive(&mut self, number: usize, mut arrival: u64, message: TimedMessage) {
        let to = message.to as usize;
        if self.faults.delay > 0 {
            let delay = self.nodes[number].draw.next() % self.faults.delay.saturating_add(1);
            arrival = after(arrival, delay);
        }
        if !self.latest.is_empty() {
            let latest = &mut self.latest[number * self.nodes.len() + to];
            if !seeded!(LateOvertakes) {
                arrival = arrival.max(*latest);
            }
            *latest = arrival;
        }
        self.nodes[to].arrivals.push(arrival, message);
        self.lower(to, arrival);
    }

    /// Lets a node act on a message that arrives there at `arrival`. An additional message can only advance
    /// the action of the unit that handles it.
    #[inline(always)]
    fn lower(&mut self, to: usize, arrival: u64) {
        let Node { processor, su_clock, costs, .. } = &self.nodes[to];
        let (lane, time) = if U::DUAL {
            (SU, su_clock.free.max(arrival))
        } else {
            (PROCESSOR, processor.attends(arrival, costs))
        };
        self.lanes.lower(to, lane, time);
    }

    /// Collects what a node that acted at `time` has sent, and determines when it acts next.
    #[inline(always)]
    fn look(&mut self, number: usize, time: u64) {
        debug_assert!(port(self.su(number)).outbox.sent.is_empty(), "what may send is lent the outbox");
        if !self.outbox.sent.is_empty() {
            self.collect(number);
        }
        if std::mem::take(&mut self.outbox.shares) {
            self.sharers.insert(number);
            if !seeded!(IdleNotLed) {
                self.wake_one(number, time);
            }
        }
        if let Some(lacks_work) = self.set_lanes(number, time) {
            self.look_for_token(number, time, lacks_work);
        }
    }

    /// Does the work of [`look`](Self::look) for a node whose synchronization unit left the execution unit
    /// unaffected (DUAL).
    ///
    /// If always the first lane acts, a message that leaves the node at the same time is the next step of the
    /// machine. That step is taken here: a unit that passes on many messages sends one as it takes up the
    /// next.
    #[inline(always)]
    fn look_su_only(
        &mut self,
        number: usize,
        time: u64,
        takes_first: bool,
        limits: &mut RunLimits<'_>,
    ) -> Result<(), Box<Error>> {
        if !self.outbox.sent.is_empty() {
            self.collect(number);
        }
        let node = &self.nodes[number];
        let (su, mut out, idleness) = (node.su_time(), node.departures.first(), node.idleness(time));
        if out == time && su > time && self.carries > time && takes_first && idleness.is_none() {
            limits.count()?;
            out = self.transmit(number, time);
        }
        self.lanes.set(number, [self.lanes.time(number, PROCESSOR), su, out]);
        if let Some(lacks_work) = idleness {
            self.look_for_token(number, time, lacks_work);
        }
        Ok(())
    }

    /// [Sets the lanes](Self::set_lanes) of a node that did not act itself.
    #[inline(never)]
    pub(super) fn set_lanes_again(&mut self, number: usize, time: u64) -> Option<bool> {
        self.set_lanes(number, time)
    }

    /// Moves the sent events of a node to its outgoing lane.
    #[inline(always)]
    fn collect(&mut self, number: usize) {
        let departures = &mut self.nodes[number].departures;
        for &Departure { to, key, bulk, at } in &self.outbox.sent {
            departures.push(at, TimedMessage::event(to, key, bulk));
        }
        self.outbox.sent.clear();
    }

    /// Sets the times at which the lanes of a node act next. Returns whether the node lacks work, if that
    /// requires [an action](Self::look_for_token).
    #[inline(always)]
    fn set_lanes(&mut self, number: usize, time: u64) -> Option<bool> {
        let node = &mut self.nodes[number];
        let (processor, su, had_no_work) = self.units[number].times(node, self.room);
        node.had_no_work = had_no_work;
        let out = node.departures.first();
        let idleness = node.idleness(time);
        self.lanes.set(number, [processor, su, out]);
        idleness
    }

    /// Returns the message that leaves node `sender` in place of `message`, if one leaves now.
    #[inline(always)]
    pub(super) fn leaving(&mut self, sender: usize, message: TimedMessage) -> Option<TimedMessage> {
        match &mut self.handshakes {
            None => Some(message),
            Some(handshakes) => handshakes.leaves(sender as u32, message),
        }
    }

    /// Handles a request or a grant that a node receives at `time`. Returns the time at which the node
    /// finishes. The messages that leave then are in `answers`.
    pub(super) fn shake(&mut self, number: usize, time: u64, handshake: Handshake) -> u64 {
        let costs = &self.nodes[number].costs;
        let received = time + costs.receive_word;
        match handshake {
            Handshake::Request { sender } => {
                let until = received + costs.send_word;
                let grant = Handshake::Grant { receiver: number as u32 };
                self.answers.push((until, TimedMessage::handshake(sender, grant)));
                until
            }
            Handshake::Grant { receiver } => {
                if let Some(handshakes) = &mut self.handshakes {
                    let granted = handshakes.grant(number as u32, receiver);
                    self.answers.extend(granted.into_iter().map(|message| (received, message)));
                }
                received
            }
        }
    }
}
