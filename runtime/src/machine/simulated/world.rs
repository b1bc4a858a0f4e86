//! The nodes of a simulated machine: their units, their clocks, and what is under way between them.
//!
//! Each node has three lanes, and each lane a time at which it acts next:
//!
//! * its *processor*, which in SPN applies one message that has arrived, or else runs one fiber
//!   ([`merged`](super::merged)), and in DUAL is the execution unit, which runs one fiber;
//! * its *synchronization unit* (DUAL), which applies one event of its execution unit or one message, or else
//!   hands on a token ([`separate`](super::separate));
//! * its *way out*, which gives one message to the network at the moment it leaves.
//!
//! A fiber runs at once in the time of the host. What it sends leaves at its start and what was charged up to
//! there, so it waits at the way out until all that happens earlier has happened. Till then an event lies in
//! the machine's *outbox*, which is lent to each unit that may send while it acts.
//!
//! What a node does that has nothing to run stands in [`stealing`](super::stealing).
//!
//! # What is not modelled
//!
//! Queues cost nothing beside what units spend on them, and there are no caches. What a fiber signals on its
//! own node is applied, in the time of the host, as it runs, and takes effect at its end, since what it
//! enables runs later; a message that interrupts the fiber finds it applied. If the fiber read or wrote cells, what
//! the interrupt sends leaves after all that the fiber sends to the same node, since it may tell of them.

use std::collections::HashMap;
use std::sync::Arc;

use earth_signal::{Stealer, event_and_note_queue};

use super::super::draw::Draw;
use super::super::queues::{Unit, Wakers, Wiring, queues, units};
use super::super::settings::{Config, Settings};
use super::super::unit_set::UnitSet;
use super::arrivals::{Arrivals, Channel};
use super::clock::{Clock, NEVER};
use super::lanes::{First, LANES, Lanes};
use super::network::{Network, network};
use super::node_set::NodeSet;
use super::port::PortTransport;
use super::recording::Choice;
use super::schedule::Chooser;
use super::timeline::Timeline;
use super::{Faults, Limits, Simulation};
use crate::node::event_slab::EventKey;
use crate::node::fifo::Fifo;
use crate::node::function::{Outbox, Port, Token};
use crate::node::issue_meter::Issued;
use crate::node::su::Su;
use crate::node::verdict::RunVerdict;
use crate::node::victims::Victims;
use crate::probe::costs::Costs;
use crate::transport::{Departure, Waker};
use crate::vocabulary::error::Error;
use crate::vocabulary::policy::Policy;

// The lanes of a node; see the head of this file.
const PROCESSOR: usize = 0;
const SU: usize = 1;
const OUT: usize = 2;

/// A message from one node to another, in few bytes. Its event, or the token of an answer, lies in the outbox until it is
/// received, so that little goes from queue to queue.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Message {
    pub(super) to: u32,
    /// The key of its event or token, or the thief.
    number: u32,
    /// The bytes of an event's blocks, or what else the message is.
    bulk: u64,
}

/// More bytes than any event has: of a question, of an answer with a token and of one without.
const ASK: u64 = u64::MAX;
const TOKEN: u64 = u64::MAX - 1;
const REFUSAL: u64 = u64::MAX - 2;

/// What a message says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Content {
    /// An event, and the bytes of its blocks.
    Event {
        key: EventKey,
        bulk: u64,
    },
    Trade(Trade),
}

/// What nodes say about tokens.
#[derive(Clone, Copy, Debug)]
pub(super) enum Trade {
    /// A question for a token.
    Ask {
        thief: u32,
    },
    Answer(Option<EventKey>),
}

impl Message {
    #[inline(always)]
    pub(super) fn event(to: u32, key: EventKey, bulk: u64) -> Self {
        Message { to, number: key.0, bulk }
    }

    pub(super) fn trade(to: u32, trade: Trade) -> Self {
        let (number, bulk) = match trade {
            Trade::Ask { thief } => (thief, ASK),
            Trade::Answer(Some(key)) => (key.0, TOKEN),
            Trade::Answer(None) => (0, REFUSAL),
        };
        Message { to, number, bulk }
    }

    #[inline(always)]
    pub(super) fn content(self) -> Content {
        if self.bulk < REFUSAL {
            return Content::Event { key: EventKey(self.number), bulk: self.bulk };
        }
        Content::Trade(match self.bulk {
            ASK => Trade::Ask { thief: self.number },
            TOKEN => Trade::Answer(Some(EventKey(self.number))),
            _ => Trade::Answer(None),
        })
    }
}

/// A node of the simulated machine.
pub(super) struct Node {
    /// The indices of its units in the unit set: one index twice in SPN.
    pub(super) eu: usize,
    pub(super) su: usize,
    pub(super) costs: Arc<Costs>,
    pub(super) processor: Clock,
    /// The clock of its synchronization unit (DUAL).
    pub(super) su_clock: Clock,
    pub(super) arrivals: Arrivals<Message>,
    pub(super) departures: Timeline<Message>,
    /// The events that its execution unit handed over (DUAL).
    pub(super) issued: Fifo<Issued>,
    /// The time at which each entry of the ready queue came there (DUAL).
    pub(super) handed_on: Fifo<u64>,
    /// Whether its synchronization unit has anything to hand on, or a token to give (DUAL).
    pub(super) holds: bool,
    /// The time since which the ready queue has had room (DUAL).
    pub(super) room_since: u64,
    /// Messages applied since the last fiber (SPN); events applied since it last looked for tokens (DUAL).
    pub(super) applied: usize,
    /// How often the fiber that ran last read or wrote cells (SPN).
    pub(super) cell_accesses: u64,
    /// Whether a question for a token is under way.
    pub(super) asking: bool,
    /// Whether a token of another node may lie in its port.
    pub(super) given: bool,
    /// The nodes that it asks for tokens, by the order of stealing.
    pub(super) victims: Victims,
    /// Whether the node is in the set of idle nodes.
    pub(super) idle: bool,
    /// Whether it had nothing to run when its lanes were set last.
    hungry: bool,
    /// Random numbers for the delays and orders of the messages it sends. They do not depend on when other nodes send
    /// theirs, so a small change of a schedule has small effects.
    pub(super) draw: Draw,
}

impl Node {
    /// Whether it has nothing to run, nothing to attend to at `time`, and has not asked for a token.
    fn lacks_work(&self, time: u64) -> bool {
        self.hungry && !self.asking && self.arrivals.first() > time
    }

    /// The message that it receives next, if any has arrived; what comes after it is fetched from memory meanwhile.
    #[inline(always)]
    pub(super) fn arrived(&mut self, outbox: &Outbox) -> Option<Message> {
        let message = self.arrivals.pop()?;
        if let Some(Content::Event { key, .. }) = self.arrivals.next_in_line().map(|next| next.content()) {
            outbox.events.prefetch(key);
        }
        Some(message)
    }

    /// How many events are on their way to its synchronization unit, or wait there.
    pub(super) fn waiting(&self) -> usize {
        self.arrivals.len() + self.issued.len()
    }
}

/// A simulated machine's nodes and the network between them.
pub(super) struct World {
    pub(super) units: UnitSet,
    pub(super) verdict: Arc<RunVerdict>,
    pub(super) config: Config,
    pub(super) policy: Policy,
    pub(super) nodes: Vec<Node>,
    pub(super) shared: Vec<Stealer<Token>>,
    lanes: Lanes,
    network: Box<dyn Network>,
    /// The time at which the last message of each node arrives at each other node, by sender and receiver; empty if
    /// the network keeps messages in order by itself.
    latest: Vec<u64>,
    /// The messages that nodes have sent, until they leave.
    pub(super) outbox: Box<Outbox>,
    /// Whether lanes act by their times.
    pub(super) keeps_time: bool,
    /// Whether units write down what they do.
    pub(super) traced: bool,
    /// The capacity of queues.
    pub(super) room: usize,
    faults: Faults,
    /// Nodes that may share tokens, and nodes that have none and found nobody who does.
    pub(super) sharers: NodeSet,
    pub(super) idle: NodeSet,
}

/// The port of a synchronization unit, where it leaves things for the machine.
pub(super) fn port(su: &mut Su) -> &mut Port {
    match su.transport.port() {
        Some(port) => port,
        None => unreachable!("the nodes of a simulated machine have ports"),
    }
}

/// Whether a token of another node lies in the port of a node's synchronization unit. `given` says whether it may.
#[inline]
pub(super) fn has_token(given: &mut bool, su: &mut Su) -> bool {
    *given = *given && port(su).token.is_some();
    *given
}

/// Lends a unit the machine's outbox, or takes it back.
pub(super) fn exchange(su: &mut Su, outbox: &mut Box<Outbox>) {
    std::mem::swap(outbox, &mut port(su).outbox);
}

/// Lets a synchronization unit apply an event, which it has received by `begun`. Returns when it is done.
#[inline(always)]
pub(super) fn attend(
    su: &mut Su,
    outbox: &mut Box<Outbox>,
    key: EventKey,
    begun: u64,
) -> Result<u64, Box<Error>> {
    su.now = begun;
    if outbox.events.get(key).may_send(su.number()) {
        let event = outbox.events.remove(key);
        exchange(su, outbox);
        su.attend(event)?;
        exchange(su, outbox);
    } else {
        su.attend(outbox.events.remove(key))?;
    }
    Ok(su.now)
}

impl World {
    pub(super) fn build(settings: &Settings, simulation: &Simulation) -> Self {
        let Simulation { profile, faults, .. } = simulation;
        // Only errors are declared: when all is quiet is seen directly.
        let verdict = Arc::new(RunVerdict::new());
        let policy = settings.policy.unwrap_or(profile.policy);
        let settings = &Settings { policy: Some(policy), ..settings.clone() };
        // What is under way waits here for its time, so nothing ever comes to an inbox.
        let (own, ends) = queues(&Settings { queue: Some(1), ..settings.clone() });
        let mut draw = Draw::new(settings.seed);
        let (mut all, mut nodes_of, mut nodes) = (Vec::new(), Vec::new(), Vec::new());
        let mut all_costs = HashMap::new();
        for (number, queues) in own.into_iter().enumerate() {
            let slowness = 1 + draw.below(faults.slowness.max(1) as usize) as u64;
            // Nodes that are as slow as each other share their costs, which each step reads.
            let costs =
                all_costs.entry(slowness).or_insert_with(|| profile.costs(settings.config, slowness)).clone();
            let transport = Box::new(PortTransport::new(Arc::clone(&costs), settings.queue()));
            // What execution units hand over is left with them.
            let (unused, _) = event_and_note_queue(1);
            let wakers = Wakers { eu: Waker::none(), su: Waker::none() };
            let wiring = Wiring { own_inbox: &unused, transport, wakers, costs: Some(&costs) };
            let made = units(settings, number, queues, wiring, &verdict);
            let eu = all.len();
            nodes_of.extend(made.iter().map(|_| number));
            all.extend(made);
            nodes.push(Node {
                eu,
                su: all.len() - 1,
                costs,
                processor: Clock::default(),
                su_clock: Clock::default(),
                arrivals: Arrivals::new(),
                departures: Timeline::new(),
                issued: Fifo::new(),
                handed_on: Fifo::new(),
                holds: false,
                room_since: 0,
                applied: 0,
                cell_accesses: 0,
                asking: false,
                given: false,
                victims: Victims::new(policy.steal),
                idle: false,
                hungry: false,
                draw: Draw::new(0),
            });
        }
        let network = network(&profile.network, profile.clock_mhz, settings.nodes);
        let orders = !network.keeps_order() || faults.delay > 0;
        World {
            units: UnitSet::new(all, nodes_of),
            verdict,
            config: settings.config,
            policy,
            lanes: Lanes::new(nodes.len()),
            nodes,
            shared: ends.shared,
            network,
            latest: if orders { vec![0; settings.nodes * settings.nodes] } else { Vec::new() },
            outbox: Box::new(Outbox::new()),
            keeps_time: true,
            traced: settings.trace.is_some(),
            room: settings.queue(),
            faults: faults.clone(),
            sharers: NodeSet::new(settings.nodes),
            idle: NodeSet::new(settings.nodes),
        }
    }

    /// How many lanes there are.
    pub(super) fn lanes(&self) -> usize {
        self.lanes.len()
    }

    /// Prepares for a run, for which the units have been prepared.
    pub(super) fn begin(&mut self, keeps_time: bool, seed: u64) {
        self.keeps_time = keeps_time;
        let mut draw = Draw::new(seed.rotate_left(32));
        self.network.reset();
        self.latest.fill(0);
        self.sharers.clear();
        self.idle.clear();
        for number in 0..self.nodes.len() {
            let node = &mut self.nodes[number];
            (node.processor, node.su_clock) = (Clock::default(), Clock::default());
            (node.room_since, node.applied, node.idle) = (0, 0, false);
            node.victims = Victims::new(self.policy.steal);
            node.draw = Draw::new(draw.next());
            // In time, a queue has room for all: what it holds too much leaves at its own time all the same.
            if let Unit::Eu(side) = self.units.unit(node.eu) {
                side.meter().room = if keeps_time { usize::MAX } else { self.room };
            }
            let lacks_work = self.set_lanes_again(number, 0);
            self.look_for_token(number, 0, lacks_work);
        }
    }

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
            limits.check()?;
            let Some(first) = self.lanes.first() else { break };
            let (First { node: number, lane, time }, arrive) = if takes_first {
                (first, true)
            } else {
                let choice = chooser.next(&self.lanes, first);
                chosen(choice);
                (self.chosen(choice.lane as usize), choice.arrive)
            };
            match lane {
                OUT if TIMED => {
                    self.depart::<DUAL>(number, time);
                    continue;
                }
                OUT => self.depart_drawn::<DUAL>(number),
                SU => {
                    if self.synchronize::<TIMED>(number, time, arrive)? {
                        self.look_aside(number, time);
                        continue;
                    }
                }
                _ if DUAL => self.execute::<TIMED>(number, time),
                _ => self.process::<TIMED>(number, time, arrive)?,
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

    /// The time at which the last unit was done, in cycles.
    pub(super) fn elapsed(&self) -> u64 {
        self.nodes.iter().map(|node| node.processor.free.max(node.su_clock.free)).max().unwrap_or(0)
    }

    pub(super) fn su(&mut self, number: usize) -> &mut Su {
        let unit = self.nodes[number].su;
        self.units.unit(unit).su()
    }

    /// The clock of the unit that attends to messages.
    pub(super) fn messages_clock(&mut self, number: usize) -> &mut Clock {
        let Node { processor, su_clock, .. } = &mut self.nodes[number];
        if self.config == Config::Spn { processor } else { su_clock }
    }

    /// Gives a message, which leaves a node at `time`, to the network. It arrives after all that its sender sent to its
    /// receiver before.
    #[inline(always)]
    fn depart<const DUAL: bool>(&mut self, number: usize, time: u64) {
        let sender = &mut self.nodes[number];
        let Some((_, message)) = sender.departures.pop() else { return };
        let (to, left) = (message.to as usize, sender.departures.first());
        let bulk = if let Content::Event { bulk, .. } = message.content() { bulk } else { 0 };
        let mut arrival = self.network.arrival(number, to, bulk, time);
        if self.faults.delay > 0 {
            arrival += sender.draw.next() % self.faults.delay.saturating_add(1);
        }
        let lacks_work = sender.lacks_work(time);
        if !self.latest.is_empty() {
            let latest = &mut self.latest[number * self.nodes.len() + to];
            if !seeded!(LateOvertakes) {
                arrival = arrival.max(*latest);
            }
            *latest = arrival;
        }
        self.nodes[to].arrivals.push_at(arrival, message);
        self.lower::<true, DUAL>(to, arrival);
        // A departure changes no other lane of its node.
        self.lanes.set_one(number, OUT, left);
        self.look_for_token(number, time, lacks_work);
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
        let (lane, time) = match DUAL {
            false => (PROCESSOR, processor.attends::<TIMED>(arrival, costs)),
            true => (SU, su_clock.free.max(arrival)),
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
        let lacks_work = self.set_lanes::<TIMED, DUAL>(number, time);
        self.look_for_token(number, time, lacks_work);
    }

    /// [Looks](Self::look) at a node whose synchronization unit did nothing for the execution unit (DUAL, in time).
    #[inline(always)]
    fn look_aside(&mut self, number: usize, time: u64) {
        if !self.outbox.sent.is_empty() {
            self.collect::<true>(number);
        }
        let node = &self.nodes[number];
        let (su, out, lacks_work) = (node.su_time(), node.departures.first(), node.lacks_work(time));
        self.lanes.set(number, [self.lanes.time(number, PROCESSOR), su, out]);
        self.look_for_token(number, time, lacks_work);
    }

    /// [Sets the lanes](Self::set_lanes) of a node that did not act itself.
    #[inline(never)]
    pub(super) fn set_lanes_again(&mut self, number: usize, time: u64) -> bool {
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

    /// Sets when each lane of a node acts next. Returns whether the node has nothing to run at `time`, nothing to
    /// attend to, and has not asked for a token.
    #[inline(always)]
    fn set_lanes<const TIMED: bool, const DUAL: bool>(&mut self, number: usize, time: u64) -> bool {
        let node = &mut self.nodes[number];
        let (processor, su, hungry) = match DUAL {
            true => node.dual_times::<TIMED>(self.units.both(node.eu), self.room),
            false => node.spn_times::<TIMED>(self.units.unit(node.eu).merged()),
        };
        node.hungry = hungry;
        let out = node.departures.first();
        let now = if TIMED { time } else { NEVER - 1 };
        let lacks_work = node.lacks_work(now);
        self.lanes.set(number, [processor, su, out]);
        lacks_work
    }
}
