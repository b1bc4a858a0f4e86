//! The steps of a simulated machine: one lane after the other acts, and what it did decides when its node acts next.
//!
//! In time it is always the first lane that acts, else whichever the schedule chooses. After a step the lanes of the node
//! that acted are set anew: all of them, or as many as the step can have changed. Nobody else's change, but that of the
//! receiver of a message that leaves, and of a node that is led to a token.
//!
//! Cost: a step takes some hundred instructions beside those of the unit that acts, most of them to look at what waits for
//! each unit of one node and to find the next lane. There is a loop for each configuration, in time and out of it, with all
//! of that in line.

use super::super::settings::Config;
use super::Limits;
use super::arrivals::Channel;
use super::clock::NEVER;
use super::lanes::{First, LANES};
use super::message::{Content, Message};
use super::node::{Node, exchange, port};
use super::recording::Choice;
use super::schedule::Chooser;
use super::world::World;
use crate::probe::costs::{END_OF_TIME, after};
use crate::transport::Departure;
use crate::vocabulary::error::Error;

// The lanes of a node; see the head of `world`.
const PROCESSOR: usize = 0;
const SU: usize = 1;
const OUT: usize = 2;

impl World {
    /// Lets lanes act until none has anything to do, or the run has come to its limits.
    pub(super) fn run(
        &mut self,
        chooser: &mut Chooser,
        chosen: impl FnMut(Choice),
        limits: Limits<'_>,
    ) -> Result<(), Box<Error>> {
        match (self.keeps_time, self.config) {
            (true, Config::Spn) => self.run_as::<true, false>(chooser, chosen, limits)?,
            (true, Config::Dual) => self.run_as::<true, true>(chooser, chosen, limits)?,
            (false, Config::Spn) => self.run_as::<false, false>(chooser, chosen, limits)?,
            (false, Config::Dual) => self.run_as::<false, true>(chooser, chosen, limits)?,
        }
        let (sent, received) = self.units.messages();
        assert_eq!(sent, received, "nothing is under way, so all that was sent was received");
        Ok(())
    }

    /// [`run`](Self::run), in time or not, with one processor a node or two. Most of a step is in line here: there are few
    /// instructions between two calls, and as many more around a call.
    fn run_as<const TIMED: bool, const DUAL: bool>(
        &mut self,
        chooser: &mut Chooser,
        mut chosen: impl FnMut(Choice),
        mut limits: Limits<'_>,
    ) -> Result<(), Box<Error>> {
        let takes_first = chooser.takes_first();
        loop {
            limits.count()?;
            let first = self.lanes.first();
            // What happens on the network comes before what nodes do at the same time.
            if TIMED && self.carries <= first.map_or(NEVER - 1, |first| first.time) {
                self.carry::<DUAL>();
                continue;
            }
            let Some(first) = first else { break };
            let (First { node: number, lane, time }, arrive) = if takes_first {
                (first, true)
            } else {
                let choice = chooser.next(&self.lanes, first);
                chosen(choice);
                (self.chosen(choice.lane as usize), choice.arrive)
            };
            if time >= END_OF_TIME {
                return Err(Box::new(Error::TooLong));
            }
            match lane {
                OUT if TIMED => {
                    self.depart::<DUAL>(number, time);
                    continue;
                }
                OUT => self.depart_drawn::<DUAL>(number),
                SU if DUAL => {
                    if self.synchronize::<TIMED>(number, time, arrive)? {
                        self.look_aside(number, time, takes_first, &mut limits)?;
                        continue;
                    }
                }
                _ => {
                    if DUAL {
                        self.execute::<TIMED>(number, time);
                    } else {
                        self.process::<TIMED>(number, time, arrive)?;
                    }
                    limits.check()?;
                }
            }
            self.look::<TIMED, DUAL>(number, time);
        }
        Ok(())
    }

    /// The lane that was chosen, and when it acts.
    fn chosen(&self, lane: usize) -> First {
        let (node, lane) = (lane / LANES, lane % LANES);
        let Node { processor, su_clock, .. } = &self.nodes[node];
        // Out of time, a unit acts as soon as it is free.
        let time = match lane {
            _ if self.keeps_time => self.lanes.time(node, lane),
            SU => su_clock.free,
            _ => processor.free,
        };
        First { node, lane, time }
    }

    /// Lets a message leave a node at `time`.
    #[inline(always)]
    fn depart<const DUAL: bool>(&mut self, number: usize, time: u64) {
        let idleness = self.nodes[number].idleness(time);
        let left = self.transmit::<DUAL>(number, time);
        // A departure changes no other lane of its node.
        self.lanes.set_one(number, OUT, left);
        if let Some(lacks_work) = idleness {
            self.look_for_token(number, time, lacks_work);
        }
    }

    /// Gives a message, which leaves a node at `time`, to the network. It arrives after all that its sender sent to its
    /// receiver before. Returns when the next one leaves the node.
    #[inline(always)]
    fn transmit<const DUAL: bool>(&mut self, number: usize, time: u64) -> u64 {
        let sender = &mut self.nodes[number];
        let Some((_, message)) = sender.departures.pop() else { return NEVER };
        let left = sender.departures.first();
        let bulk = if let Content::Event { bulk, .. } = message.content() { bulk } else { 0 };
        match self.network.send(number, bulk, time, message) {
            Some(arrival) => self.arrive::<DUAL>(number, arrival, message),
            None => self.carries = self.network.next(),
        }
        left
    }

    /// Lets the next thing happen on the network.
    #[cold]
    #[inline(never)]
    fn carry<const DUAL: bool>(&mut self) {
        let mut arrived = std::mem::take(&mut self.arrived);
        self.network.step(&mut arrived);
        self.carries = self.network.next();
        for (sender, arrival, message) in arrived.drain(..) {
            self.arrive::<DUAL>(sender, arrival, message);
        }
        self.arrived = arrived;
    }

    /// Lets a message that the network brings at `arrival` wait for its receiver.
    #[inline(always)]
    fn arrive<const DUAL: bool>(&mut self, number: usize, mut arrival: u64, message: Message) {
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
        self.nodes[to].arrivals.push_at(arrival, message);
        self.lower::<true, DUAL>(to, arrival);
    }

    /// Gives a message to its receiver out of time: order is all there is, and it is drawn.
    fn depart_drawn<const DUAL: bool>(&mut self, number: usize) {
        let sender = &mut self.nodes[number];
        let Some((_, message)) = sender.departures.pop() else { return };
        let (to, drawn) = (message.to as usize, sender.draw.next() >> 1);
        let channel = match message.content() {
            Content::Event { .. } => Channel::Events(number as u32),
            Content::Trade(_) => Channel::Tokens(number as u32),
        };
        if !seeded!(MessageLost) {
            self.nodes[to].arrivals.push_drawn(drawn, channel, message);
        }
        self.lower::<false, DUAL>(to, 0);
    }

    /// Lets a node act on a message that arrives there at `arrival`. One more message can only let the unit that attends
    /// to it act sooner.
    #[inline(always)]
    fn lower<const TIMED: bool, const DUAL: bool>(&mut self, to: usize, arrival: u64) {
        let Node { processor, su_clock, costs, .. } = &self.nodes[to];
        let (lane, time) = if DUAL {
            (SU, su_clock.free.max(arrival))
        } else {
            (PROCESSOR, processor.attends::<TIMED>(arrival, costs))
        };
        self.lanes.lower(to, lane, time);
    }

    /// Looks at what a node that acted at `time` has left, and when it acts next.
    #[inline(always)]
    fn look<const TIMED: bool, const DUAL: bool>(&mut self, number: usize, time: u64) {
        debug_assert!(port(self.su(number)).outbox.sent.is_empty(), "what may send is lent the outbox");
        if !self.outbox.sent.is_empty() {
            self.collect::<TIMED>(number);
        }
        if std::mem::take(&mut self.outbox.shares) {
            self.sharers.insert(number);
            if !seeded!(WakeUpDropped) {
                self.wake_one(number, time);
            }
        }
        if let Some(lacks_work) = self.set_lanes::<TIMED, DUAL>(number, time) {
            self.look_for_token(number, time, lacks_work);
        }
    }

    /// [Looks](Self::look) at a node whose synchronization unit did nothing for the execution unit (DUAL, in time). A
    /// message that leaves the node at the same time is the next step of all, which is taken here: a unit with much to pass on
    /// sends one message as it takes up the next. That is so if it is always the first lane that acts.
    #[inline(always)]
    fn look_aside(
        &mut self,
        number: usize,
        time: u64,
        takes_first: bool,
        limits: &mut Limits<'_>,
    ) -> Result<(), Box<Error>> {
        if !self.outbox.sent.is_empty() {
            self.collect::<true>(number);
        }
        let node = &self.nodes[number];
        let (su, mut out, idleness) = (node.su_time(), node.departures.first(), node.idleness(time));
        if out == time && su > time && self.carries > time && takes_first && idleness.is_none() {
            limits.count()?;
            out = self.transmit::<true>(number, time);
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
        match (self.keeps_time, self.config) {
            (true, Config::Spn) => self.set_lanes::<true, false>(number, time),
            (true, Config::Dual) => self.set_lanes::<true, true>(number, time),
            (false, Config::Spn) => self.set_lanes::<false, false>(number, time),
            (false, Config::Dual) => self.set_lanes::<false, true>(number, time),
        }
    }

    /// Takes what a node has sent to its way out. What found no room leaves at its time all the same; out of time it waits
    /// for a later step.
    #[inline(always)]
    fn collect<const TIMED: bool>(&mut self, number: usize) {
        loop {
            let departures = &mut self.nodes[number].departures;
            for &Departure { to, key, bulk, at } in &self.outbox.sent {
                departures.push(at, Message::event(to, key, bulk));
            }
            let full = self.outbox.sent.len() >= self.room;
            self.outbox.sent.clear();
            if !(TIMED && full && self.make_room(number)) {
                break;
            }
        }
    }

    /// Lets a node send what found no room. Returns whether there was any.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, number: usize) -> bool {
        let su = self.units.unit(self.nodes[number].su).su();
        if !su.is_spilled() {
            return false;
        }
        exchange(su, &mut self.outbox);
        su.flush();
        exchange(su, &mut self.outbox);
        true
    }

    /// Sets when each lane of a node acts next. Returns whether it lacks work, if anything has to be
    /// [done](Self::look_for_token) about that.
    #[inline(always)]
    fn set_lanes<const TIMED: bool, const DUAL: bool>(&mut self, number: usize, time: u64) -> Option<bool> {
        let node = &mut self.nodes[number];
        let (processor, su, hungry) = if DUAL {
            node.dual_times::<TIMED>(self.units.both(node.eu), self.room)
        } else {
            node.spn_times::<TIMED>(self.units.unit(node.eu).merged())
        };
        node.hungry = hungry;
        let out = node.departures.first();
        let now = if TIMED { time } else { NEVER - 1 };
        let idleness = node.idleness(now);
        self.lanes.set(number, [processor, su, out]);
        idleness
    }
}
