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
//! there, so it waits at the way out until all that happens earlier has happened.
//!
//! # Stealing
//!
//! A node without work asks one that shares tokens, by a message; that one gives the oldest it shares, by
//! another, or refuses. Who shares tokens is known without a message (the machine looks): whoever shares more
//! is asked by one idle node, and whoever was given a token leads the next idle node there.
//!
//! # What is not modelled
//!
//! Queues cost nothing beside what units spend on them, and there are no caches. What a fiber signals on its
//! own node is applied, in the time of the host, as it runs, and takes effect at its end, since what it
//! enables runs later; a message that interrupts the fiber finds it applied.

use std::collections::VecDeque;
use std::sync::Arc;

use earth_signal::{EventReceiver, Stealer, Verdict, event_queue};

use super::super::crew::Crew;
use super::super::queues::{Bells, Wiring, queues, units};
use super::super::settings::{Config, Settings};
use super::draw::Draw;
use super::lanes::{LANES, Lanes, NEVER};
use super::merged;
use super::network::{Network, network};
use super::node_set::NodeSet;
use super::port::PortTransport;
use super::recording::Choice;
use super::schedule::Chooser;
use super::timeline::Timeline;
use super::{Faults, Simulation};
use crate::error::Error;
use crate::unit::balance::Token;
use crate::unit::event::Event;
use crate::unit::meter::Costs;
use crate::unit::su::Su;
use crate::unit::transport::{Bell, Port};

// The lanes of a node; see the head of this file.
const PROCESSOR: usize = 0;
const SU: usize = 1;
const OUT: usize = 2;

/// What one node sends another.
#[derive(Debug)]
pub(super) enum Message {
    Event(Event),
    /// A question for a token.
    Ask {
        thief: usize,
    },
    Answer(Option<Token>),
}

/// A unit's clock.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    /// When it has done what it does now.
    pub(super) free: u64,
    /// How long it has worked.
    pub(super) busy: u64,
}

impl Clock {
    pub(super) fn work(&mut self, from: u64, until: u64) {
        self.busy += until - from;
        self.free = until;
    }
}

/// One node.
pub(super) struct Node {
    /// Its units in the crew: the same one twice in SPN.
    pub(super) eu: usize,
    pub(super) su: usize,
    pub(super) costs: Arc<Costs>,
    pub(super) processor: Clock,
    /// Its synchronization unit's (DUAL).
    pub(super) su_clock: Clock,
    pub(super) arrivals: Timeline<Message>,
    pub(super) departures: Timeline<(usize, Message)>,
    /// The execution unit's queue to the synchronization unit, which ends here (DUAL), and what came by it, with
    /// the time it was handed over.
    pub(super) from_eu: EventReceiver<Event>,
    pub(super) issued: VecDeque<(u64, Event)>,
    /// When each entry of the ready queue came there (DUAL).
    pub(super) handed_on: VecDeque<u64>,
    /// Since when there is room for more there.
    pub(super) room_since: u64,
    /// Events applied since it last looked for tokens (DUAL).
    pub(super) applied: usize,
    /// Whether a question for a token is under way.
    pub(super) asking: bool,
    /// The node it asked last.
    victim: usize,
    /// Whether it is among the idle ones.
    idle: bool,
    /// Of delays and orders of the messages it sends, which do not depend on when others send theirs: a
    /// schedule that is changed a little changes a little.
    pub(super) draw: Draw,
}

impl Node {
    /// How many events are on their way to its synchronization unit, or wait there.
    pub(super) fn waiting(&self) -> usize {
        self.arrivals.len() + self.issued.len()
    }
}

/// All nodes, and what is between them.
pub(super) struct World {
    pub(super) crew: Crew,
    pub(super) config: Config,
    pub(super) nodes: Vec<Node>,
    pub(super) shared: Vec<Stealer<Token>>,
    lanes: Lanes,
    network: Box<dyn Network>,
    /// Whether lanes act by their times.
    pub(super) keeps_time: bool,
    /// The capacity of queues.
    pub(super) room: usize,
    faults: Faults,
    /// Nodes that may share tokens, and nodes that have none and found nobody who does.
    sharers: NodeSet,
    idle: NodeSet,
}

/// What a unit leaves for the machine.
pub(super) fn port(su: &mut Su) -> &mut Port {
    match su.transport.port() {
        Some(port) => port,
        None => unreachable!("the nodes of a simulated machine have ports"),
    }
}

impl World {
    pub(super) fn build(settings: &Settings, simulation: &Simulation) -> Self {
        let Simulation { profile, faults, .. } = simulation;
        // Nobody declares anything: when all is quiet is seen directly.
        let verdict = Arc::new(Verdict::new());
        let dual = settings.config == Config::Dual;
        // What is under way waits here for its time, so nothing ever comes to an inbox.
        let (own, ends) = queues(&Settings { queue: 1, ..settings.clone() });
        let mut draw = Draw::new(settings.seed);
        let (mut all, mut places, mut nodes) = (Vec::new(), Vec::new(), Vec::new());
        for (number, queues) in own.into_iter().enumerate() {
            let slowness = 1 + draw.below(faults.slowness.max(1) as usize) as u64;
            let costs = profile.costs(settings.config, slowness);
            let transport = Box::new(PortTransport::new(Arc::clone(&costs), settings.queue));
            let (to_world, from_eu) = event_queue(if dual { settings.queue } else { 1 });
            let bells = Bells { eu: Bell::silent(), su: Bell::silent() };
            let wiring = Wiring { own_inbox: &to_world, transport, bells, costs: Some(&costs) };
            let made = units(settings, number, queues, wiring, &verdict);
            let eu = all.len();
            places.extend(made.iter().map(|_| number));
            all.extend(made);
            nodes.push(Node {
                eu,
                su: all.len() - 1,
                costs,
                processor: Clock::default(),
                su_clock: Clock::default(),
                arrivals: Timeline::new(),
                departures: Timeline::new(),
                from_eu,
                issued: VecDeque::new(),
                handed_on: VecDeque::new(),
                room_since: 0,
                applied: 0,
                asking: false,
                victim: number,
                idle: false,
                draw: Draw::new(0),
            });
        }
        World {
            crew: Crew::new(all, places),
            config: settings.config,
            lanes: Lanes::new(nodes.len()),
            nodes,
            shared: ends.shared,
            network: network(&profile.network, profile.clock_mhz, settings.nodes),
            keeps_time: true,
            room: settings.queue,
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
        self.sharers.clear();
        self.idle.clear();
        for number in 0..self.nodes.len() {
            let node = &mut self.nodes[number];
            (node.processor, node.su_clock) = (Clock::default(), Clock::default());
            (node.room_since, node.applied, node.victim, node.idle) = (0, 0, number, false);
            node.draw = Draw::new(draw.next());
            self.look(number, 0);
        }
    }

    /// Lets lanes act until none has anything to do. `over` is asked before each step whether to end.
    pub(super) fn run(
        &mut self,
        chooser: &mut Chooser,
        mut chosen: impl FnMut(Choice),
        mut over: impl FnMut() -> Result<(), Box<Error>>,
    ) -> Result<(), Box<Error>> {
        loop {
            over()?;
            let Some(choice) = chooser.next(&self.lanes) else { break };
            chosen(choice);
            let lane = choice.lane as usize;
            let number = lane / LANES;
            let Node { processor, su_clock, .. } = &self.nodes[number];
            // Out of time, a unit acts as soon as it is free.
            let time = match lane % LANES {
                _ if self.keeps_time => self.lanes.time(number, lane % LANES),
                SU => su_clock.free,
                _ => processor.free,
            };
            match (lane % LANES, self.config) {
                (OUT, _) => self.depart(number),
                (SU, _) => self.synchronize(number, time, choice.arrive)?,
                (_, Config::Spn) => self.process(number, time, choice.arrive)?,
                (_, Config::Dual) => self.execute(number, time),
            }
            self.look(number, time);
        }
        let (sent, received) = self.crew.messages();
        assert_eq!(sent, received, "nothing is under way, so all that was sent was received");
        Ok(())
    }

    /// When the last unit was done, and how long execution and synchronization units worked, in cycles.
    pub(super) fn elapsed(&self) -> [u64; 3] {
        self.nodes.iter().fold([0; 3], |[end, eu, su], Node { processor, su_clock, .. }| {
            [end.max(processor.free).max(su_clock.free), eu + processor.busy, su + su_clock.busy]
        })
    }

    pub(super) fn su(&mut self, number: usize) -> &mut Su {
        let unit = self.nodes[number].su;
        self.crew.unit(unit).su()
    }

    /// The clock of the unit that attends to messages.
    pub(super) fn messages_clock(&mut self, number: usize) -> &mut Clock {
        let Node { processor, su_clock, .. } = &mut self.nodes[number];
        if self.config == Config::Spn { processor } else { su_clock }
    }

    /// A message is given to the network.
    fn depart(&mut self, number: usize) {
        let Some((at, (to, message))) = self.nodes[number].departures.pop() else { return };
        let bytes = if let Message::Event(event) = &message { event.bulk_bytes() } else { 0 };
        let draw = &mut self.nodes[number].draw;
        let arrival = if self.keeps_time {
            let delay = if self.faults.delay > 0 { draw.next() % (self.faults.delay + 1) } else { 0 };
            self.network.arrival(number, to, bytes, at) + delay
        } else {
            // Out of time, order is all there is, and it is drawn.
            draw.next() >> 1
        };
        let Node { arrivals, processor, su_clock, costs, .. } = &mut self.nodes[to];
        arrivals.push(arrival, message);
        // One more message can only let the unit that attends to it act sooner.
        let (lane, time) = match self.config {
            Config::Spn => (PROCESSOR, merged::attends(arrival, processor, costs, self.keeps_time)),
            Config::Dual => (SU, su_clock.free.max(arrival)),
        };
        self.lanes.lower(to, lane, time);
    }

    /// A question for a token, or an answer, comes to a node at `time`. Until when that takes.
    pub(super) fn trade(&mut self, number: usize, time: u64, message: Message) -> u64 {
        let Node { costs, departures, asking, .. } = &mut self.nodes[number];
        match message {
            Message::Ask { thief } => {
                let token = self.shared[number].steal();
                if self.shared[number].is_empty() {
                    self.sharers.remove(number);
                }
                let until = time + costs.receive_word + costs.send_word;
                departures.push(until, (thief, Message::Answer(token)));
                until
            }
            Message::Answer(token) => {
                *asking = false;
                let until = time + costs.receive_word;
                if token.is_some() {
                    port(self.su(number)).token = token;
                    self.wake_one(number, until);
                }
                until
            }
            Message::Event(_) => unreachable!("events are no trade in tokens"),
        }
    }

    /// Looks at what a node that acted at `time` has left, and when it acts next.
    fn look(&mut self, number: usize, time: u64) {
        let Node { su, departures, .. } = &mut self.nodes[number];
        let su = self.crew.unit(*su).su();
        while let Some((to, event, at)) = port(su).sent.pop_front() {
            departures.push(at, (to as usize, Message::Event(event)));
            // What found no room leaves at its time all the same; out of time it waits for a later step.
            if self.keeps_time && port(su).sent.is_empty() && su.is_spilled() {
                su.flush();
            }
        }
        let shares = std::mem::take(&mut port(su).shares);
        if shares {
            self.sharers.insert(number);
            self.wake_one(number, time);
        }
        let lacks_work = self.set_lanes(number, time);
        if self.nodes.len() > 1 {
            if lacks_work {
                self.ask_for_token(number, time);
            } else {
                self.not_idle(number);
            }
        }
    }

    /// Leads the idle node next to `number` to whoever shares tokens.
    fn wake_one(&mut self, number: usize, time: u64) {
        if let Some(idle) = self.idle.find_from(number, |idle| idle != number) {
            self.not_idle(idle);
            self.ask_for_token(idle, time);
        }
    }

    fn not_idle(&mut self, number: usize) {
        if std::mem::take(&mut self.nodes[number].idle) {
            self.idle.remove(number);
        }
    }

    /// Sends a question for a token to a node that shares some, the one asked last if that does.
    fn ask_for_token(&mut self, number: usize, time: u64) {
        if self.nodes[number].asking {
            return;
        }
        let from = self.nodes[number].victim;
        let (sharers, shared) = (&self.sharers, &self.shared);
        let found = sharers.find_from(from, |sharer| sharer != number && !shared[sharer].is_empty());
        let Some(victim) = found else {
            self.idle.insert(number);
            self.nodes[number].idle = true;
            return;
        };
        self.not_idle(number);
        if !self.keeps_time && self.nodes[number].draw.next() & 1 == 0 {
            // As on real cores, where a thief helps itself.
            let token = self.shared[victim].steal();
            port(self.su(number)).token = token;
            self.set_lanes(number, time);
            return;
        }
        let send = self.nodes[number].costs.send_word;
        let clock = self.messages_clock(number);
        let from = clock.free.max(time);
        clock.work(from, from + send);
        let node = &mut self.nodes[number];
        (node.asking, node.victim) = (true, victim);
        node.departures.push(from + send, (victim, Message::Ask { thief: number }));
        self.set_lanes(number, time);
    }

    /// Sets when each lane of a node acts next. Whether it has nothing to run at `time`, nothing to attend to,
    /// and has not asked for a token.
    fn set_lanes(&mut self, number: usize, time: u64) -> bool {
        let (processor, su, hungry) = match self.config {
            Config::Spn => {
                let has_work = self.has_work(number);
                (self.processor_time(number, has_work), NEVER, !has_work)
            }
            Config::Dual => self.dual_times(number),
        };
        let Node { departures, arrivals, asking, .. } = &self.nodes[number];
        let out = departures.first().unwrap_or(NEVER);
        let due = arrivals.first().is_some_and(|at| at <= time || !self.keeps_time);
        self.lanes.set(number, [processor, su, out]);
        hungry && !due && !asking
    }
}
