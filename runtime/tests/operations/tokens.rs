//! Tokens: each runs exactly once, on a node in its range, with its arguments. If there are many, idle nodes
//! get some.

use std::time::{Duration, Instant};

use crate::common::{Kind, gives, on_every, on_every_of, scramble};
use earth::{Config, Eu, NodeId, Reply, Start, Then, threaded};

/// Makes `n` tokens. Each token puts its number and its node.
struct Scatters {
    times: Vec<u64>,
    nodes: Vec<u64>,
    left: usize,
    out: Reply<(Vec<u64>, Vec<u64>)>,
}

#[threaded]
impl Scatters {
    fn start(n: usize, out: Reply<(Vec<u64>, Vec<u64>)>, eu: &mut Eu<Self>) -> Self {
        for number in 0..n {
            eu.token(Reports::call(number, eu.reply(Self::count().report)));
        }
        Scatters { times: vec![0; n], nodes: vec![0; eu.nodes()], left: n, out }
    }

    #[slot(again)]
    fn count(&mut self, report: (usize, NodeId), eu: &mut Eu<Self>) -> Then {
        let (number, node) = report;
        self.times[number] += 1;
        self.nodes[node.index()] += 1;
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, (std::mem::take(&mut self.times), std::mem::take(&mut self.nodes)));
        Then::End
    }
}

struct Reports;

#[threaded]
impl Reports {
    fn start(number: usize, to: Reply<(usize, NodeId)>, eu: &mut Eu<Self>) {
        eu.put(to, (number, eu.node()));
    }
}

#[test]
fn every_token_runs_exactly_once() {
    on_every(|case| {
        let n = 500;
        let run = gives(&mut case.machine(), |out| Scatters::call(n as usize, out));
        let (times, nodes) = run.value;
        assert_eq!(times, vec![1; n as usize]);
        assert_eq!(nodes.iter().sum::<u64>(), n);
        assert_eq!((run.counters.tokens, run.counters.fibers), (n, 1 + 2 * n));
        // No token here makes another, so every token that ran on another node was stolen.
        assert_eq!(run.counters.tokens_stolen, nodes[1..].iter().sum::<u64>());
    });
}

/// A binary tree of tokens. Puts the nodes of its leaves, as bits.
struct Tree {
    out: Reply<(u64, u64)>,
}

#[threaded]
impl Tree {
    fn start(depth: u64, out: Reply<(u64, u64)>, eu: &mut Eu<Self>) -> Start<Self> {
        if depth == 0 {
            let started = Instant::now();
            while started.elapsed() < Duration::from_micros(20) {
                std::hint::black_box(scramble(started.elapsed().as_nanos() as u64, 100));
            }
            eu.put(out, (1, 1 << eu.node().index()));
            return Start::End;
        }
        eu.token(Tree::call(depth - 1, eu.reply(Self::join().left)));
        eu.token(Tree::call(depth - 1, eu.reply(Self::join().right)));
        Start::Wait(Tree { out })
    }

    #[slot]
    fn join(self, left: (u64, u64), right: (u64, u64), eu: &mut Eu<Self>) {
        eu.put(self.out, (left.0 + right.0, left.1 | right.1));
    }
}

#[test]
fn idle_nodes_take_part_in_a_tree_of_tokens() {
    // In virtual time a fiber takes longer than a request for a token, so all nodes run tokens. On the
    // stepper the token may be gone before the request arrives, and on real cores the system decides.
    on_every_of(2, |case| {
        let run = gives(&mut case.machine(), |out| Tree::call(if case.is_stepped() { 8 } else { 6 }, out));
        assert_eq!(run.value.0, run.counters.frames_ended + 1);
        assert_eq!(run.counters.tokens, 2 * run.counters.frames_ended);
        if case.is_stepped() {
            assert!(run.counters.tokens_stolen > 0);
        }
        if matches!(case.kind, Kind::Simulated(_)) {
            assert_eq!(run.value.1, (1 << case.nodes) - 1);
        }
    });
}

/// Makes tokens for the nodes `first..end` in a tree that stays in the range, from a node inside or outside.
struct Within;

#[threaded]
impl Within {
    fn start(first: usize, end: usize, hop: bool, out: Reply<u64>, eu: &mut Eu<Self>) {
        if hop {
            eu.invoke(NodeId::new(eu.nodes() - 1), Within::call(first, end, false, out));
        } else {
            let (first, end) = (NodeId::new(first), NodeId::new(end));
            eu.token_within(first..end, Stays::call(first, end, 6, out));
        }
    }
}

struct Stays {
    out: Reply<u64>,
}

#[threaded]
impl Stays {
    fn start(first: NodeId, end: NodeId, depth: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        assert!((first..end).contains(&eu.node()), "{} is not in {first}..{end}", eu.node());
        if depth == 0 {
            eu.put(out, 1);
            return Start::End;
        }
        for half in [eu.reply(Self::join().left), eu.reply(Self::join().right)] {
            eu.token_within(first..end, Stays::call(first, end, depth - 1, half));
        }
        Start::Wait(Stays { out })
    }

    #[slot]
    fn join(self, left: u64, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left + right);
    }
}

#[test]
fn tokens_of_a_group_stay_in_the_group() {
    on_every(|case| {
        let mut machine = case.machine();
        let nodes = case.nodes;
        for (first, end) in
            [(0, 1), (0, nodes), (nodes - 1, nodes), (nodes / 2, nodes), (nodes / 3, 2 * nodes / 3 + 1)]
        {
            for hop in [false, true] {
                let run = gives(&mut machine, |out| Within::call(first, end, hop, out));
                assert_eq!((run.value, run.counters.tokens), (64, 127), "{first}..{end}");
            }
        }
    });
}

/// Makes tokens for two groups at once, from every node. The tokens for the other group pass through nodes
/// that may not run them.
struct TwoGroups {
    sum: u64,
    left: usize,
    out: Reply<u64>,
}

#[threaded]
impl TwoGroups {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for node in 0..eu.nodes() {
            eu.invoke(NodeId::new(node), Sends::call(eu.reply(Self::add().x)));
        }
        TwoGroups { sum: 0, left: 60 * eu.nodes(), out }
    }

    #[slot(again)]
    fn add(&mut self, x: u64, eu: &mut Eu<Self>) -> Then {
        self.sum += x;
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.sum);
        Then::End
    }
}

struct Sends;

#[threaded]
impl Sends {
    fn start(to: Reply<u64>, eu: &mut Eu<Self>) {
        let ends = [0, eu.nodes() / 2, eu.nodes()].map(NodeId::new);
        for i in 0..60 {
            let (first, end) = (ends[i % 2], ends[i % 2 + 1]);
            eu.token_within(first..end, Checks::call(first, end, i as u64, to));
        }
    }
}

struct Checks;

#[threaded]
impl Checks {
    fn start(first: NodeId, end: NodeId, value: u64, to: Reply<u64>, eu: &mut Eu<Self>) {
        assert!((first..end).contains(&eu.node()), "{} is not in {first}..{end}", eu.node());
        eu.put(to, value);
    }
}

#[test]
fn tokens_of_two_groups_find_their_nodes() {
    on_every_of(2, |case| {
        let run = gives(&mut case.machine(), TwoGroups::call);
        assert_eq!(run.value, case.nodes as u64 * (0..60).sum::<u64>());
        assert_eq!(run.counters.tokens, 60 * case.nodes as u64);
    });
}

/// One node runs its tokens in LIFO order, so a deep recursion keeps few of them.
struct Deep {
    out: Reply<u64>,
}

#[threaded]
impl Deep {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if n == 0 {
            eu.put(out, 1);
            return Start::End;
        }
        eu.token(Deep::call(n - 1, eu.reply(Self::add().rest)));
        eu.token(Deep::call(0, eu.reply(Self::add().leaf)));
        Start::Wait(Deep { out })
    }

    #[slot]
    fn add(self, rest: u64, leaf: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, rest + leaf);
    }
}

#[test]
fn the_newest_token_runs_first_on_its_own_node() {
    for case in crate::common::cases().filter(|case| case.nodes == 1) {
        let run = gives(&mut case.machine(), |out| Deep::call(1_000, out));
        assert_eq!((run.value, run.counters.tokens), (1_001, 2_000));
        // In DUAL a token may already be on its way to the execution unit when newer ones arrive.
        let most = if case.config == Config::Spn { 2 } else { 64 };
        let high = run.counters.tokens_high;
        assert!(high <= most, "{high} tokens waited at once on {case}");
    }
}
