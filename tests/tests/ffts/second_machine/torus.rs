//! A second simulation of the torus, cycle by cycle: it follows the rules in the module docs of the machine's
//! torus, and shares no code with it.
//!
//! Time advances by one cycle, and in each cycle the simulation looks at all queues of all nodes. It has no
//! events and no counts of free room. A buffer has room if few packets are in it, on their way to it, or
//! still leaving it. The arrival times of all messages must be equal to the cycle.

use std::collections::{BTreeMap, VecDeque};

use earth::simulated::{Delivery, Profile, Routing, Torus};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng as _};

/// Rules of a torus, and its times in cycles.
#[derive(Clone, Debug)]
struct Rules {
    sides: Vec<usize>,
    adaptive: bool,
    transit_first: bool,
    channels: usize,
    buffers: usize,
    entries: usize,
    entry_packets: usize,
    hop: u64,
    byte: f64,
}

/// A message to send.
#[derive(Clone, Copy, Debug)]
struct Send {
    at: u64,
    from: usize,
    to: usize,
    bytes: u64,
}

#[derive(Clone, Debug)]
struct Packet {
    way: Vec<isize>,
    message: usize,
    long: u64,
    end: u64,
}

/// A buffer or an entry queue.
#[derive(Clone, Default, Debug)]
struct Queue {
    /// Packets whose heads are still on the link, and their times of arrival.
    coming: Vec<(u64, Packet)>,
    waiting: VecDeque<Packet>,
    /// End of the packet that is leaving, and the message if it leaves the network.
    leaving: Option<(u64, Option<usize>)>,
}

impl Queue {
    fn holds(&self) -> usize {
        self.coming.len() + self.waiting.len() + usize::from(self.leaving.is_some())
    }
}

#[derive(Clone, Debug)]
struct Node {
    place: Vec<usize>,
    /// Buffers by link and channel, the escape channel last.
    buffers: Vec<Vec<Queue>>,
    entries: Vec<Queue>,
    busy: Vec<u64>,
    turn: [usize; 2],
    down: Vec<bool>,
    /// Messages, with the hops of their ways and the remaining bytes.
    program: VecDeque<(usize, Vec<isize>, Vec<bool>, u64)>,
}

/// Returns a queue of a node by its position in the order of turns.
fn queue_of(node: &mut Node, number: usize) -> &mut Queue {
    let channels = node.buffers[0].len();
    let buffers = node.buffers.len() * channels;
    if number < buffers {
        &mut node.buffers[number / channels][number % channels]
    } else {
        &mut node.entries[number - buffers]
    }
}

/// Returns the arrival time of each message.
fn arrivals(rules: &Rules, sends: &[Send]) -> Vec<u64> {
    let Rules { sides, channels, hop, .. } = rules;
    let count: usize = sides.iter().product();
    let links = 2 * sides.len();
    let place_of =
        |mut node: usize| -> Vec<usize> { sides.iter().map(|side| (node % side, node /= side).0).collect() };
    let node_at =
        |place: &[usize]| place.iter().zip(sides).rev().fold(0, |node, (at, side)| node * side + at);
    let behind = |place: &[usize], link: usize| {
        let mut next = place.to_vec();
        let side = sides[link / 2];
        next[link / 2] = (next[link / 2] + if link.is_multiple_of(2) { 1 } else { side - 1 }) % side;
        node_at(&next)
    };
    let node = |number: usize| Node {
        place: place_of(number),
        buffers: vec![vec![Queue::default(); channels + 1]; links],
        entries: vec![Queue::default(); rules.entries],
        busy: vec![0; links],
        turn: [0; 2],
        down: vec![false; sides.len()],
        program: VecDeque::new(),
    };
    let mut nodes: Vec<_> = (0..count).map(node).collect();
    let queues = links * (channels + 1) + rules.entries;
    let mut left: Vec<_> = sends.iter().map(|send| send.bytes.div_ceil(240).max(1)).collect();
    let mut times = vec![None; sends.len()];
    let mut now = 0;
    while times.iter().any(Option::is_none) {
        assert!(now < 1_000_000, "nothing arrives any more");
        let mut whole = false;
        for node in &mut nodes {
            for number in 0..queues {
                let queue = queue_of(node, number);
                if let Some(at) = queue.coming.iter().position(|(head, _)| *head == now) {
                    let (_, packet) = queue.coming.remove(at);
                    queue.waiting.push_back(packet);
                }
                if let Some((_, message)) = queue.leaving.take_if(|(until, _)| *until == now)
                    && let Some(message) = message
                {
                    left[message] -= 1;
                    whole |= left[message] == 0;
                }
                let is_here = |packet: &Packet| packet.way.iter().all(|hops| *hops == 0);
                if queue.leaving.is_none() && queue.waiting.front().is_some_and(is_here) {
                    let packet = queue.waiting.pop_front().unwrap();
                    queue.leaving = Some((packet.end.max(now + 1), Some(packet.message)));
                }
            }
        }
        // Messages from one sender to one receiver arrive in order.
        if whole {
            let mut is_open = BTreeMap::new();
            for (message, send) in sends.iter().enumerate() {
                let open = is_open.entry((send.from, send.to)).or_insert(false);
                *open |= left[message] > 0;
                if !*open {
                    times[message].get_or_insert(now);
                }
            }
        }
        for (message, send) in sends.iter().enumerate().filter(|(_, send)| send.at == now) {
            let (mut way, mut either) = (Vec::new(), Vec::new());
            for ((from, to), side) in place_of(send.from).iter().zip(place_of(send.to)).zip(sides) {
                let up = (to + side - from) % side;
                either.push(up * 2 == *side && up > 0);
                let [up, side] = [up, *side].map(usize::cast_signed);
                way.push(if up * 2 > side { up - side } else { up });
            }
            nodes[send.from].program.push_back((message, way, either, send.bytes));
        }
        for number in 0..count {
            enter(&mut nodes[number], rules, now);
            let (buffers, all) = (0..queues - rules.entries, 0..queues);
            let rounds =
                if rules.transit_first { vec![buffers.clone(), buffers.end..queues] } else { vec![all] };
            for (round, among) in rounds.into_iter().enumerate() {
                let turn = nodes[number].turn[round];
                for from in (turn..queues).chain(0..turn).filter(|queue| among.contains(queue)) {
                    let Some((link, channel)) = chosen(&mut nodes, number, from, rules, &behind, now) else {
                        continue;
                    };
                    let next = behind(&nodes[number].place, link);
                    let node = &mut nodes[number];
                    let queue = queue_of(node, from);
                    let mut packet = queue.waiting.pop_front().unwrap();
                    queue.leaving = Some((now + packet.long, None));
                    node.busy[link] = now + packet.long;
                    node.turn[round] = (from + 1) % queues;
                    packet.way[link / 2] -= packet.way[link / 2].signum();
                    packet.end = now + hop + packet.long;
                    nodes[next].buffers[link][channel].coming.push((now + hop, packet));
                }
            }
        }
        now += 1;
    }
    times.into_iter().flatten().collect()
}

/// Cuts messages into packets for the entry queues of a node, the emptiest queue first.
fn enter(node: &mut Node, rules: &Rules, now: u64) {
    while !node.program.is_empty() {
        let emptiest = node.entries.iter().map(Queue::holds).min().unwrap();
        if emptiest >= rules.entry_packets {
            return;
        }
        let (message, way, either, bytes) = node.program.front_mut().unwrap();
        let part = (*bytes).min(240);
        *bytes -= part;
        let mut own = way.clone();
        for (dimension, hops) in own.iter_mut().enumerate() {
            if either[dimension] {
                if node.down[dimension] {
                    *hops = -*hops;
                }
                node.down[dimension] = !node.down[dimension];
            }
        }
        let on_link = (part + 16).div_ceil(32) * 32 + 20;
        let long = ((on_link as f64 * rules.byte).round() as u64).max(1);
        let packet = Packet { way: own, message: *message, long, end: now };
        if *bytes == 0 {
            node.program.pop_front();
        }
        node.entries.iter_mut().find(|entry| entry.holds() == emptiest).unwrap().waiting.push_back(packet);
    }
}

/// Returns the link and channel on which the first packet of a queue leaves, if it can leave now.
fn chosen(
    nodes: &mut [Node],
    number: usize,
    from: usize,
    rules: &Rules,
    behind: &impl Fn(&[usize], usize) -> usize,
    now: u64,
) -> Option<(usize, usize)> {
    let queue = queue_of(&mut nodes[number], from);
    if queue.leaving.is_some() {
        return None;
    }
    let way = queue.waiting.front()?.way.clone();
    let nearer =
        |(dimension, hops): (usize, &isize)| (*hops != 0).then_some(2 * dimension + usize::from(*hops < 0));
    let wanted: Vec<_> = way.iter().enumerate().filter_map(nearer).collect();
    let is_free = |link: usize| nodes[number].busy[link] <= now;
    let room = |link: usize, channel: usize| {
        rules.buffers - nodes[behind(&nodes[number].place, link)].buffers[link][channel].holds()
    };
    if rules.adaptive {
        let ways = wanted.iter().filter(|link| is_free(**link));
        let ways = ways.flat_map(|&link| (0..rules.channels).map(move |channel| (link, channel)));
        // The first of the channels with the most room.
        let best = ways.rev().max_by_key(|&(link, channel)| room(link, channel));
        if let Some((link, channel)) = best
            && room(link, channel) > 0
        {
            return Some((link, channel));
        }
    }
    let (link, escape) = (*wanted.first()?, rules.channels);
    let needed = if from == link * (rules.channels + 1) + escape { 1 } else { 2 };
    (is_free(link) && room(link, escape) >= needed).then_some((link, escape))
}

/// Builds the machine's torus under these rules.
fn torus(rules: &Rules, is_symmetric: bool) -> Torus {
    let mut network = Profile::free().network;
    (network.hop, network.byte) = (rules.hop as f64, rules.byte);
    let torus = &mut network.torus;
    torus.sides.clone_from(&rules.sides);
    torus.routing = if rules.adaptive { Routing::Adaptive } else { Routing::DimensionOrdered };
    torus.transit_first = rules.transit_first;
    (torus.channels, torus.buffers) = (rules.channels, rules.buffers as u32);
    (torus.entries, torus.entry_packets) = (rules.entries, rules.entry_packets as u32);
    let nodes = rules.sides.iter().product();
    if is_symmetric { Torus::symmetric(&network, 1.0, nodes) } else { Torus::new(&network, 1.0, nodes) }
        .unwrap()
}

/// Sends messages in order of time, and returns the arrival time of each.
fn delivered(mut torus: Torus, sends: &[Send]) -> (Vec<u64>, Torus) {
    let mut all: Vec<Delivery> = Vec::new();
    for (tag, send) in sends.iter().enumerate() {
        while torus.next() < send.at {
            torus.step(&mut all);
        }
        torus.send(send.at, send.from, send.to, send.bytes, tag as u64);
    }
    while torus.step(&mut all) {}
    all.sort_by_key(|delivery| delivery.tag);
    (all.iter().map(|delivery| delivery.at).collect(), torus)
}

/// Returns bursts, consecutive messages of many sizes, and messages from all nodes to one.
fn traffic(nodes: usize, random: &mut Xoshiro256PlusPlus) -> Vec<Send> {
    let (mut sends, mut at, one) = (Vec::new(), 1, random.random_range(0..nodes));
    for _ in 0..random.random_range(20..120) {
        // Times fall between two cycles of a node, so that no node sends twice at one time.
        at += random.random_range(1..6);
        let from = random.random_range(0..nodes);
        let to = if random.random_range(0..3) == 0 { one } else { random.random_range(0..nodes) };
        let bytes = [0, 1, 33, 240, 241, 900, 3000][random.random_range(0..7)];
        if from != to {
            sends.push(Send { at, from, to, bytes });
        }
    }
    sends
}

#[test]
fn a_torus_cycle_by_cycle_comes_to_the_same_times() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(22);
    let shapes = [&[5][..], &[4], &[2], &[4, 3], &[8, 2], &[3, 3, 2], &[4, 2, 2], &[2, 2, 2, 2], &[6, 1, 3]];
    for round in 0..60 {
        let rules = Rules {
            sides: shapes[round % shapes.len()].to_vec(),
            adaptive: random.random_range(0..3) > 0,
            transit_first: random.random(),
            channels: random.random_range(1..3),
            buffers: random.random_range(2..5),
            entries: random.random_range(1..5),
            entry_packets: random.random_range(1..4),
            hop: random.random_range(1..12),
            byte: [0.02, 0.1, 0.26][random.random_range(0..3)],
        };
        let sends = traffic(rules.sides.iter().product(), &mut random);
        let expected = arrivals(&rules, &sends);
        let (times, _) = delivered(torus(&rules, false), &sends);
        assert_eq!(times, expected, "{rules:?}");
    }
}

/// Returns the default rules for a torus of these sides.
fn usual(sides: &[usize]) -> Rules {
    Rules {
        sides: sides.to_vec(),
        adaptive: true,
        transit_first: true,
        channels: 2,
        buffers: 4,
        entries: 6,
        entry_packets: 4,
        hop: 10,
        byte: 1.0,
    }
}

/// On a ring of k nodes, if k is even and each node sends the same amount to every other one, a link carries
/// `k^2 / 8` messages. This is the least time, and adaptive packets in rotated order come close to it. In
/// dimension d of a torus it is `k_d p / 8`.
#[test]
fn all_to_all_comes_near_to_what_the_bisection_allows() {
    for (sides, most) in [(&[8][..], 1.25), (&[16], 1.25), (&[4, 4], 1.25), (&[4, 4, 4], 1.25)] {
        let nodes: usize = sides.iter().product();
        // All nodes send to close and distant nodes, up and down in turn, one packet at a time.
        let order: Vec<_> = (1..=nodes / 2).flat_map(|by| [by, nodes - by]).take(nodes - 1).collect();
        let all = (0..8).flat_map(|_| order.iter());
        let sends: Vec<_> = all.map(|&to| Send { at: 0, from: 0, to, bytes: 240 }).collect();
        let (times, torus) = delivered(torus(&usual(sides), true), &sends);
        let packets = 8 * 276;
        for (link, carried) in torus.carried(0).iter().enumerate() {
            assert_eq!(*carried, (sides[link / 2] * nodes / 8 * packets) as u64, "{sides:?}, link {link}");
        }
        let least = (sides.iter().max().unwrap() * nodes / 8 * packets) as f64;
        let time = *times.iter().max().unwrap() as f64;
        println!("{sides:?}: {:.3} of the least time", time / least);
        assert!((1.0..most).contains(&(time / least)), "{sides:?}: {time} cycles, at least {least}");
    }
}

/// If all nodes send the same traffic, one router gives the times of every node of the whole torus.
#[test]
fn a_symmetric_torus_is_the_whole_one() {
    for (sides, transit_first) in [(&[6][..], true), (&[5, 4], false), (&[4, 3, 2], true)] {
        let rules = Rules { transit_first, ..usual(sides) };
        let nodes: usize = sides.iter().product();
        let place = |node: usize| {
            let mut left = node;
            sides.iter().map(move |side| (left % side, left /= side).0)
        };
        let sum = |from: usize, by: usize| {
            let places = place(from).zip(place(by)).zip(sides).map(|((a, b), side)| (a + b) % side);
            places
                .zip(sides)
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .fold(0, |node, (at, side)| node * side + at)
        };
        let one: Vec<_> =
            (1..nodes).map(|by| Send { at: 0, from: 0, to: by * 5 % nodes, bytes: 700 }).collect();
        let one: Vec<_> = one.into_iter().filter(|send| send.to != 0).collect();
        let whole: Vec<_> = (0..nodes)
            .flat_map(|from| one.iter().map(move |send| (from, send)))
            .map(|(from, send)| Send { from, to: sum(from, send.to), ..*send })
            .collect();
        let (alone, _) = delivered(torus(&rules, true), &one);
        let (times, _) = delivered(torus(&rules, false), &whole);
        for (node, times) in times.chunks(one.len()).enumerate() {
            assert_eq!(times, alone, "{sides:?}, node {node}");
        }
    }
}
