//! Routers of a torus: their queues, and which packets depart from them.
//!
//! At each time with events, all packets that arrive or have left move first. Then each router with changes
//! lets packets depart. Departures have effects only at later times, so the order of routers does not matter.

use slab::Slab;

use super::super::profile::{Routing, TorusProfile};
use super::calendar::Calendar;
use super::messages::{Delivery, Messages};
use super::shape::Offset;

/// No packet, and no link: the packet leaves the network.
const NONE: u32 = u32::MAX;
const HERE: u8 = u8::MAX;

#[derive(Clone, Copy, Debug)]
struct Packet {
    /// Hops that are still to go.
    transport_as: Offset,
    message: u32,
    /// Next packet in its queue.
    next: u32,
    /// Number of cycles that it occupies a link.
    ticks: u32,
    /// Time at which its end reaches the router of its head.
    end: u64,
}

/// Queue of packets, as a linked list.
#[derive(Clone, Copy, Debug)]
struct PacketQueue {
    first: u32,
    last: u32,
    len: u32,
    /// Bit set of the links that bring the first packet nearer to its destination.
    wanted: u16,
}

const EMPTY: PacketQueue = PacketQueue { first: NONE, last: NONE, len: 0, wanted: 0 };

/// State of a router beside its queues, as bit sets of queues or links.
#[derive(Clone, Copy, Debug)]
struct Router {
    /// Queues that are sending a packet.
    giving: u64,
    /// Free links, links with room in an adaptive channel, and links with room in the escape channel.
    free: u16,
    open: u16,
    escapes: u16,
    /// Dimensions in which the next packet goes down, if both directions are equally long.
    down: u8,
    /// First buffer and first entry of the next turn.
    turns: [u8; 2],
    is_awake: bool,
}

#[derive(Clone, Copy, Debug)]
enum RouterEvent {
    /// The head of a packet arrives.
    Head { router: u32, queue: u8, packet: u32 },
    /// The end of a packet has left a queue, by a link or out of the network.
    Gone { router: u32, queue: u8, link: u8, packet: u32 },
}

#[derive(Clone, Debug)]
pub(super) struct Routers {
    hop: u64,
    links: usize,
    /// Number of channels of a link; the last is the escape channel.
    channels: usize,
    /// Number of buffers, and of all queues, of a router.
    buffers: usize,
    queues: usize,
    is_adaptive: bool,
    transit_first: bool,
    entry_packets: u32,
    now: u64,
    calendar: Calendar<RouterEvent>,
    events: Vec<RouterEvent>,
    awake: Vec<u32>,
    states: Vec<Router>,
    all_queues: Vec<PacketQueue>,
    /// Bit set, for each link, of the queues whose first packet waits for it.
    wanting: Vec<u64>,
    /// Free room of the buffers at the end of each link, by channels.
    room: Vec<u32>,
    neighbours: Vec<u32>,
    packets: Slab<Packet>,
    carried: Vec<u64>,
}

impl Routers {
    pub(super) fn new(
        profile: &TorusProfile,
        hop: u64,
        longest: u64,
        count: usize,
        links: usize,
        neighbour: impl Fn(usize, usize) -> usize,
    ) -> Self {
        let (channels, queues) = (profile.channels + 1, profile.queues(links));
        let free = ((1_u32 << links) - 1) as u16;
        let open = if profile.channels > 0 { free } else { 0 };
        let router = Router { giving: 0, free, open, escapes: free, down: 0, turns: [0; 2], is_awake: false };
        let neighbours = (0..count * links).map(|at| neighbour(at / links, at % links) as u32);
        Routers {
            hop,
            links,
            channels,
            buffers: links * channels,
            queues,
            is_adaptive: profile.routing == Routing::Adaptive,
            transit_first: profile.transit_first,
            entry_packets: profile.entry_packets,
            now: 0,
            calendar: Calendar::new(longest + hop),
            events: Vec::new(),
            awake: Vec::new(),
            states: vec![router; count],
            all_queues: vec![EMPTY; count * queues],
            wanting: vec![0; count * links],
            room: vec![profile.buffers; count * links * channels],
            neighbours: neighbours.collect(),
            packets: Slab::new(),
            carried: vec![0; count * links],
        }
    }

    pub(super) fn carried(&self, router: usize) -> &[u64] {
        &self.carried[router * self.links..][..self.links]
    }

    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// Returns the time of the next event, or `u64::MAX`.
    pub(super) fn next(&self) -> u64 {
        if self.awake.is_empty() { self.calendar.next().unwrap_or(u64::MAX) } else { self.now }
    }

    /// Lets a router look at its queues at the time `at`, before which no event waits.
    pub(super) fn wake_at(&mut self, at: u64, router: usize) {
        debug_assert!(at >= self.now && self.next() >= at, "what is before {at} has happened");
        // The events of that time remain in the calendar.
        self.now = self.now.max(at);
        self.wake(router);
    }

    fn wake(&mut self, router: usize) {
        if !self.states[router].is_awake {
            self.states[router].is_awake = true;
            self.awake.push(router as u32);
        }
    }

    /// Performs all events of the next time, if there are any.
    pub(super) fn step(
        &mut self,
        messages: &mut Messages,
        payload: u64,
        ticks: impl Fn(u64) -> u32,
        delivered: &mut Vec<Delivery>,
    ) -> bool {
        let next = self.next();
        if next == u64::MAX {
            return false;
        }
        self.now = next;
        let mut events = std::mem::take(&mut self.events);
        self.calendar.take(next, &mut events);
        for &event in &events {
            match event {
                RouterEvent::Head { router, queue, packet } => {
                    self.push(router as usize, queue as usize, packet);
                }
                RouterEvent::Gone { router, queue, link, packet } => {
                    let (router, queue) = (router as usize, queue as usize);
                    if link == HERE {
                        let packet = self.packets.remove(packet as usize);
                        messages.arrived(packet.message, next, delivered);
                    } else {
                        self.states[router].free |= 1 << link;
                        if self.wanting[router * self.links + link as usize] != 0 {
                            self.wake(router);
                        }
                    }
                    self.gone(router, queue);
                }
            }
        }
        self.events = events;
        let mut awake = std::mem::take(&mut self.awake);
        for router in awake.drain(..) {
            let router = router as usize;
            self.enter(router, messages, payload, &ticks);
            self.set_out(router);
            self.states[router].is_awake = false;
        }
        self.awake = awake;
        true
    }

    /// Appends a packet to a queue.
    fn push(&mut self, router: usize, queue: usize, packet: u32) {
        let at = router * self.queues + queue;
        let PacketQueue { first, last, len, .. } = &mut self.all_queues[at];
        *len += 1;
        self.packets[packet as usize].next = NONE;
        if *first == NONE {
            (*first, *last) = (packet, packet);
            self.expose(router, queue);
        } else {
            self.packets[*last as usize].next = packet;
            *last = packet;
        }
    }

    /// Takes the first packet of a queue, whose end is still there.
    fn begin(&mut self, router: usize, queue: usize) -> u32 {
        self.states[router].giving |= 1 << queue;
        let at = router * self.queues + queue;
        let packet = self.all_queues[at].first;
        self.all_queues[at].first = self.packets[packet as usize].next;
        packet
    }

    /// Frees the room of a packet whose end has left a queue. The next packet becomes the first.
    fn gone(&mut self, router: usize, queue: usize) {
        self.states[router].giving &= !(1 << queue);
        self.all_queues[router * self.queues + queue].len -= 1;
        if queue < self.buffers {
            let (link, channel) = (queue / self.channels, queue % self.channels);
            let before = self.neighbours[router * self.links + (link ^ 1)] as usize;
            self.room[before * self.buffers + link * self.channels + channel] += 1;
            let sender = &mut self.states[before];
            if channel + 1 < self.channels {
                sender.open |= 1 << link;
            } else {
                sender.escapes |= 1 << link;
            }
            if sender.free >> link & 1 == 1 {
                self.wake(before);
            }
        } else {
            self.wake(router);
        }
        self.expose(router, queue);
    }

    /// Handles the first packet of a queue, which may depart or be at its destination.
    fn expose(&mut self, router: usize, queue: usize) {
        let at = router * self.queues + queue;
        let first = self.all_queues[at].first;
        if first == NONE || self.states[router].giving >> queue & 1 == 1 {
            return;
        }
        let Packet { transport_as, end, .. } = self.packets[first as usize];
        let mut wanted = 0_u16;
        for (dimension, hops) in transport_as[..self.links / 2].iter().enumerate() {
            if *hops != 0 {
                wanted |= 1 << (2 * dimension + usize::from(*hops < 0));
            }
        }
        if wanted == 0 {
            let packet = self.begin(router, queue);
            let gone = RouterEvent::Gone { router: router as u32, queue: queue as u8, link: HERE, packet };
            return self.calendar.push(end.max(self.now + 1), gone);
        }
        let wanted = if self.is_adaptive { wanted } else { wanted & wanted.wrapping_neg() };
        self.all_queues[at].wanted = wanted;
        self.want(router, wanted, |queues| *queues |= 1 << queue);
        if wanted & self.states[router].free != 0 {
            self.wake(router);
        }
    }

    /// Updates, for some links, the queues that wait for them.
    fn want(&mut self, router: usize, mut links: u16, note: impl Fn(&mut u64)) {
        while links != 0 {
            note(&mut self.wanting[router * self.links + links.trailing_zeros() as usize]);
            links &= links - 1;
        }
    }

    /// Splits messages into packets while an entry has room. Each packet goes into the shortest entry.
    fn enter(&mut self, router: usize, messages: &mut Messages, payload: u64, ticks: &impl Fn(u64) -> u32) {
        while let Some(entering) = messages.entering[router].front_mut() {
            let len = |queue: &usize| self.all_queues[router * self.queues + queue].len;
            let Some(entry) = (self.buffers..self.queues).min_by_key(len) else { return };
            if len(&entry) >= self.entry_packets {
                return;
            }
            let bytes = entering.bytes.min(payload);
            let mut transport_as = entering.transport_as;
            let down = &mut self.states[router].down;
            for (dimension, hops) in transport_as.iter_mut().enumerate() {
                if (entering.either & *down) >> dimension & 1 == 1 {
                    *hops = -*hops;
                }
            }
            *down ^= entering.either;
            let packet = Packet {
                transport_as,
                message: entering.message,
                next: NONE,
                ticks: ticks(bytes),
                end: self.now,
            };
            entering.bytes -= bytes;
            if entering.bytes == 0 {
                messages.entering[router].pop_front();
            }
            let number = self.packets.insert(packet) as u32;
            self.push(router, entry, number);
        }
    }

    /// Lets packets depart from queues in turn.
    fn set_out(&mut self, router: usize) {
        let buffers = (1_u64 << self.buffers) - 1;
        if self.transit_first {
            self.serve(router, buffers, 0);
            self.serve(router, !buffers, 1);
        } else {
            self.serve(router, u64::MAX, 0);
        }
    }

    /// Lets packets depart from the queues `among`, in turn.
    fn serve(&mut self, router: usize, among: u64, turn: usize) {
        let begins = self.states[router].turns[turn];
        let behind = u64::MAX << begins;
        let Router { free, open, escapes, .. } = self.states[router];
        let (mut links, mut waiting) = (free & (open | escapes), 0);
        while links != 0 {
            waiting |= self.wanting[router * self.links + links.trailing_zeros() as usize];
            links &= links - 1;
        }
        waiting &= among;
        for part in [waiting & behind, waiting & !behind] {
            let mut left = part;
            while left != 0 && self.states[router].free != 0 {
                let queue = left.trailing_zeros() as usize;
                left &= left - 1;
                if let Some((link, channel)) = self.choose(router, queue) {
                    self.begin_hop(router, queue, link, channel);
                    self.states[router].turns[turn] = ((queue + 1) % self.queues) as u8;
                }
            }
        }
    }

    /// Returns a link and channel for the first packet of a queue, if it can depart.
    fn choose(&self, router: usize, queue: usize) -> Option<(usize, usize)> {
        let wanted = self.all_queues[router * self.queues + queue].wanted;
        let Router { free, open, escapes, .. } = self.states[router];
        let free = wanted & free;
        let room = |link: usize| &self.room[router * self.buffers + link * self.channels..][..self.channels];
        let escape = self.channels - 1;
        if self.is_adaptive {
            let (mut links, mut best) = (free & open, (0, 0, 0));
            while links != 0 {
                let link = links.trailing_zeros() as usize;
                links &= links - 1;
                for (channel, &room) in room(link)[..escape].iter().enumerate() {
                    if room > best.0 {
                        best = (room, link, channel);
                    }
                }
            }
            if best.0 > 0 {
                return Some((best.1, best.2));
            }
        }
        let link = wanted.trailing_zeros() as usize;
        if free & escapes & (1 << link) == 0 {
            return None;
        }
        let try_continue = queue == link * self.channels + escape;
        let needed = if try_continue { 1 } else { 2 };
        (room(link)[escape] >= needed).then_some((link, escape))
    }

    fn begin_hop(&mut self, router: usize, queue: usize, link: usize, channel: usize) {
        let number = self.begin(router, queue);
        let wanted = self.all_queues[router * self.queues + queue].wanted;
        self.want(router, wanted, |queues| *queues &= !(1 << queue));
        let room = &mut self.room[router * self.buffers + link * self.channels..][..self.channels];
        room[channel] -= 1;
        let at = &mut self.states[router];
        at.free &= !(1 << link);
        let (escape, adaptive) = (room[self.channels - 1], &room[..self.channels - 1]);
        at.open &= !(u16::from(adaptive.iter().all(|room| *room == 0)) << link);
        at.escapes &= !(u16::from(escape == 0) << link);
        let packet = &mut self.packets[number as usize];
        packet.transport_as[link / 2] -= if link.is_multiple_of(2) { 1 } else { -1 };
        let (head, ticks) = (self.now + self.hop, u64::from(packet.ticks));
        packet.end = head + ticks;
        self.carried[router * self.links + link] += ticks;
        let next = self.neighbours[router * self.links + link];
        let to = (link * self.channels + channel) as u8;
        self.calendar.push(head, RouterEvent::Head { router: next, queue: to, packet: number });
        let gone =
            RouterEvent::Gone { router: router as u32, queue: queue as u8, link: link as u8, packet: NONE };
        self.calendar.push(self.now + ticks, gone);
    }
}
