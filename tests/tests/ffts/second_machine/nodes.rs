//! Nodes of one processor each, in virtual time: waiting items, running fibers, and messages on their way.
//!
//! A node applies the messages that have arrived, one after another and at most 64 in a row; otherwise it
//! runs the fiber that has waited longest. The node with the earliest next action acts next. A program
//! defines what a message and a fiber do, and spends their cycles as they run.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use earth::simulated::Profile;

/// Largest number of messages that a node applies before a waiting fiber runs.
const BATCH: usize = 64;

/// Figures of a profile with one processor per node.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    pub(crate) fiber: u64,
    pub(crate) frame: u64,
    pub(crate) sync: u64,
    pub(crate) word: u64,
    pub(crate) block: u64,
    pub(crate) spawn: u64,
    /// For words and for blocks.
    send: [u64; 2],
    receive: [u64; 2],
    interface: u64,
    hop: u64,
    smallest: u64,
    /// Number of nodes that share a crossbar, on a machine with more than one crossbar.
    near: usize,
    ports: usize,
    flop: f64,
}

impl Costs {
    /// Returns the costs of a profile whose network has the clock of its processors and a cycle per byte.
    pub(crate) fn of(profile: &Profile) -> Self {
        let (spn, network) = (&profile.spn, &profile.network);
        assert_eq!((network.clock_mhz.unwrap_or(profile.clock_mhz), network.byte), (profile.clock_mhz, 1.0));
        Self {
            fiber: spn.dispatch + spn.poll,
            // A function has one slot.
            frame: spn.frame + spn.init,
            sync: spn.sync,
            word: spn.word,
            block: spn.block,
            spawn: spn.spawn,
            send: [spn.send_word, spn.send_block],
            receive: [spn.receive_word, spn.receive_block],
            interface: network.interface as u64,
            hop: network.hop as u64,
            smallest: network.smallest,
            near: network.ports / 2,
            ports: network.ports,
            flop: profile.work.flop,
        }
    }

    /// Returns the cycles of `flops` floating-point operations.
    pub(crate) fn flops(&self, flops: f64) -> u64 {
        (flops * self.flop).round() as u64
    }
}

/// The program of the nodes.
pub(crate) trait Program {
    /// A message, or a waiting fiber.
    type Item: Copy;

    /// Handles a message that has arrived at a node.
    fn receive(&mut self, item: Self::Item, act: &mut Act<'_, Self::Item>);

    /// Runs a fiber.
    fn run(&mut self, item: Self::Item, act: &mut Act<'_, Self::Item>);
}

/// The present action of a node: its clock and its effects.
pub(crate) struct Act<'a, I> {
    pub(crate) costs: &'a Costs,
    pub(crate) node: usize,
    pub(crate) now: u64,
    enabled: Vec<I>,
    /// Destination node, time of departure, item, and bytes of its block.
    sent: Vec<(usize, u64, I, u64)>,
}

impl<I> Act<'_, I> {
    pub(crate) fn spend(&mut self, cycles: u64) {
        self.now += cycles;
    }

    /// Enqueues a fiber on this node.
    pub(crate) fn enable(&mut self, item: I) {
        self.enabled.push(item);
    }

    /// Sends a message with a block of `bytes` bytes, or with words alone if it is 0.
    pub(crate) fn send(&mut self, to: usize, item: I, bytes: u64) {
        self.now += self.costs.send[usize::from(bytes > 0)];
        self.sent.push((to, self.now, item, bytes));
    }
}

struct Node<I> {
    free: u64,
    waiting: VecDeque<I>,
    /// Messages by time of arrival, and then by number.
    inbox: BTreeMap<(u64, u64), (I, u64)>,
    applied: usize,
    /// Times when its links to and from the network are free.
    up: u64,
    down: u64,
}

impl<I> Node<I> {
    /// Returns the time of its next action.
    fn next(&self) -> Option<u64> {
        if !self.waiting.is_empty() {
            return Some(self.free);
        }
        self.inbox.keys().next().map(|&(at, _)| at.max(self.free))
    }
}

/// Runs a program, from one fiber on each of the given nodes, until no message or fiber is left.
pub(crate) fn simulate<P: Program>(
    program: &mut P,
    costs: &Costs,
    nodes: usize,
    first: impl IntoIterator<Item = (usize, P::Item)>,
) {
    let node =
        |_| Node { free: 0, waiting: VecDeque::new(), inbox: BTreeMap::new(), applied: 0, up: 0, down: 0 };
    let mut all: Vec<Node<P::Item>> = (0..nodes).map(node).collect();
    for (node, item) in first {
        all[node].waiting.push_back(item);
    }
    let mut messages = 0;
    // Entries with an outdated time of their node are skipped.
    let mut order: BinaryHeap<_> =
        all.iter().enumerate().filter_map(|(node, state)| Some(Reverse((state.next()?, node)))).collect();
    while let Some(Reverse((time, node))) = order.pop() {
        if all[node].next() != Some(time) {
            continue;
        }
        let state = &mut all[node];
        let has_come = state.inbox.keys().next().is_some_and(|&(at, _)| at <= time);
        let mut act = Act { costs, node, now: time, enabled: Vec::new(), sent: Vec::new() };
        if has_come && (state.applied < BATCH || state.waiting.is_empty()) {
            let Some((_, (item, bytes))) = state.inbox.pop_first() else { unreachable!("one has come") };
            state.applied += 1;
            act.now += costs.receive[usize::from(bytes > 0)];
            program.receive(item, &mut act);
        } else {
            let Some(item) = state.waiting.pop_front() else {
                unreachable!("it acts for a message or a fiber")
            };
            state.applied = 0;
            act.now += costs.fiber;
            program.run(item, &mut act);
        }
        state.free = act.now;
        state.waiting.extend(act.enabled);
        for (to, at, item, bytes) in act.sent {
            let body = costs.smallest + bytes;
            let entered = (at + costs.interface).max(all[node].up);
            all[node].up = entered + body;
            // A message to another crossbar passes three crossbars.
            let far = nodes > costs.ports && node / costs.near != to / costs.near;
            let passed = entered + costs.hop * if far { 3 } else { 1 };
            let left = passed.max(all[to].down);
            all[to].down = left + body;
            messages += 1;
            all[to].inbox.insert((left + body, messages), (item, bytes));
            order.extend(all[to].next().map(|next| Reverse((next, to))));
        }
        order.extend(all[node].next().map(|next| Reverse((next, node))));
    }
}
