//! Drive of an all-to-all: the processors of the nodes, which put messages into the torus and take them from
//! it.
//!
//! A node does one thing at a time: it receives what has arrived, or else sends what is next in its order.
//! Each piece of a message takes the given time. A node has at most [`WINDOW`] pieces on their way. The
//! buffers of the torus hold far fewer, so the window limits the memory and not the rate.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use earth::CancelToken;
use earth::simulated::{Delivery, Torus};

use super::phases::moved;

/// Most pieces of a node on their way.
const WINDOW: usize = 256;

/// Order as rounds of messages. A round begins `pause` cycles after all messages of the round `ahead` before
/// it have arrived.
#[derive(Debug)]
pub(super) struct Rounds {
    /// Displacements of the receivers of each sender, in its order. In identical orders node 0 sends for all
    /// nodes.
    pub(super) receivers: Vec<Vec<u32>>,
    /// Number of a sender's messages up to the end of each round.
    pub(super) ends: Vec<usize>,
    pub(super) ahead: usize,
    pub(super) pause: u64,
}

/// Processor of a node.
#[derive(Debug, Default)]
struct Node {
    /// Number of pieces that it has sent, and of its pieces that are on their way.
    sent: usize,
    on_their_way: usize,
    /// Rounds of the pieces that have arrived and were not received.
    arrived: VecDeque<u32>,
    is_busy: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Action {
    /// The next rounds begin.
    Begin,
    Receive,
    Send,
}

/// Running all-to-all.
#[derive(Debug)]
pub(super) struct Drive {
    torus: Torus,
    rounds: Rounds,
    /// Bytes of the pieces of a message.
    pieces: Vec<u64>,
    /// Whether a node sends the first piece of all messages, then the second, and so on.
    interleaved: bool,
    /// Cycles to send a piece, and to receive one.
    costs: [u64; 2],
    window: usize,
    nodes: Vec<Node>,
    agenda: BinaryHeap<Reverse<(u64, Action, u32)>>,
    /// Number of pieces of each round that were not received.
    missing: Vec<usize>,
    /// Number of rounds that have begun, and of rounds whose pieces were all received.
    begun: usize,
    whole: usize,
    /// Time at which the last whole round and the pause after it have ended.
    end: u64,
}

impl Drive {
    pub(super) fn new(
        torus: Torus,
        rounds: Rounds,
        pieces: Vec<u64>,
        interleaved: bool,
        costs: [u64; 2],
    ) -> Self {
        let senders = rounds.receivers.len();
        let starts = [0].into_iter().chain(rounds.ends.iter().copied());
        let missing =
            rounds.ends.iter().zip(starts).map(|(end, start)| (end - start) * senders * pieces.len());
        let missing = missing.collect();
        let nodes = (0..senders).map(|_| Node::default()).collect();
        let (window, agenda) = (WINDOW, BinaryHeap::new());
        Self {
            torus,
            rounds,
            pieces,
            interleaved,
            costs,
            window,
            nodes,
            agenda,
            missing,
            begun: 0,
            whole: 0,
            end: 0,
        }
    }

    /// Returns the cycles of the whole exchange, with the pause after its last round; `None` if it was
    /// cancelled.
    pub(super) fn run(mut self, cancel: &CancelToken) -> Option<u64> {
        let mut delivered = Vec::new();
        self.act(0, Action::Begin, 0);
        for step in 1_u64.. {
            if step.is_multiple_of(1 << 12) && cancel.is_cancelled() {
                return None;
            }
            let (of_torus, next) = (self.torus.next(), self.agenda.peek().map(|Reverse(next)| *next));
            match next {
                Some((at, action, node)) if at <= of_torus => {
                    self.agenda.pop();
                    if action != Action::Begin {
                        self.nodes[node as usize].is_busy = false;
                    }
                    self.act(at, action, node as usize);
                }
                None if of_torus == u64::MAX => break,
                _ => {
                    delivered.clear();
                    self.torus.step(&mut delivered);
                    for message in &delivered {
                        self.deliver(message);
                    }
                }
            }
        }
        Some(self.end)
    }

    fn deliver(&mut self, message: &Delivery) {
        // One node stands for all nodes of a symmetric torus.
        let of = |node: u32| if self.nodes.len() == 1 { 0 } else { node as usize };
        let [from, to] = [message.from, message.to].map(of);
        self.nodes[from].on_their_way -= 1;
        self.nodes[to].arrived.push_back(message.tag as u32);
        for node in [to, from] {
            self.turn(message.at, node);
        }
    }

    /// Lets a node go on until it is busy or idle.
    fn turn(&mut self, now: u64, node: usize) {
        loop {
            let at = &self.nodes[node];
            let action = match () {
                () if at.is_busy => return,
                () if !at.arrived.is_empty() => Action::Receive,
                () if self.may_send(at) => Action::Send,
                () => return,
            };
            let [send, receive] = self.costs;
            let cost = if action == Action::Send { send } else { receive };
            if cost > 0 {
                self.nodes[node].is_busy = true;
                self.agenda.push(Reverse((now + cost, action, node as u32)));
            } else {
                self.apply(now, action, node);
            }
        }
    }

    fn may_send(&self, node: &Node) -> bool {
        let messages = if self.begun == 0 { 0 } else { self.rounds.ends[self.begun - 1] };
        node.sent < messages * self.pieces.len() && node.on_their_way < self.window
    }

    /// Applies an action, and lets the node go on.
    fn act(&mut self, now: u64, action: Action, node: usize) {
        self.apply(now, action, node);
        self.turn(now, node);
    }

    fn apply(&mut self, now: u64, action: Action, node: usize) {
        match action {
            Action::Begin => {
                self.begun = (self.whole + self.rounds.ahead).min(self.rounds.ends.len());
                for node in 0..self.nodes.len() {
                    self.turn(now, node);
                }
            }
            Action::Receive => {
                if let Some(round) = self.nodes[node].arrived.pop_front() {
                    self.missing[round as usize] -= 1;
                }
                let before = self.whole;
                while self.missing.get(self.whole) == Some(&0) {
                    self.whole += 1;
                }
                if self.whole > before {
                    self.end = now + self.rounds.pause;
                    self.agenda.push(Reverse((self.end, Action::Begin, 0)));
                }
            }
            Action::Send => self.send(now, node),
        }
    }

    fn send(&mut self, now: u64, node: usize) {
        let (at, pieces) = (&mut self.nodes[node], self.pieces.len());
        let (message, piece) = if self.interleaved {
            let all = self.rounds.receivers[node].len();
            (at.sent % all, at.sent / all)
        } else {
            (at.sent / pieces, at.sent % pieces)
        };
        at.sent += 1;
        at.on_their_way += 1;
        let by = self.rounds.receivers[node][message] as usize;
        let round = self.rounds.ends.partition_point(|&end| end <= message);
        let to = moved(node, by, self.torus.sides());
        self.torus.send(now, node, to, self.pieces[piece], round as u64);
    }
}

#[cfg(test)]
mod tests {
    use earth::simulated::Profile;

    use super::*;

    fn torus(sides: &[usize]) -> Torus {
        let mut network = Profile::named("bluegene-l").unwrap().network;
        network.torus.sides = sides.to_vec();
        Torus::new(&network, 700.0, sides.iter().product()).unwrap()
    }

    /// All nodes send to all, in the order of the displacements.
    fn drive(sides: &[usize], costs: [u64; 2], window: usize) -> u64 {
        let nodes: usize = sides.iter().product();
        let receivers = (0..nodes).map(|_| (1..nodes as u32).collect()).collect();
        let rounds = Rounds { receivers, ends: vec![nodes - 1], ahead: 1, pause: 0 };
        let mut drive = Drive::new(torus(sides), rounds, vec![240, 16], false, costs);
        drive.window = window;
        drive.run(&CancelToken::new()).unwrap()
    }

    #[test]
    fn the_window_does_not_change_the_time() {
        let sides = [8, 4];
        assert_eq!(drive(&sides, [0, 0], WINDOW), drive(&sides, [0, 0], usize::MAX));
        assert!(drive(&sides, [0, 0], 2) > drive(&sides, [0, 0], WINDOW));
    }

    /// If sending and receiving take longer than the network, a node is always busy with them.
    #[test]
    fn a_slow_processor_determines_the_time() {
        let (pieces, costs) = (2 * 7, [50_000, 30_000]);
        let time = drive(&[4, 2], costs, WINDOW);
        let busy = pieces * (costs[0] + costs[1]);
        assert!((busy..busy + 60_000).contains(&time), "{time}, at least {busy}");
    }
}
