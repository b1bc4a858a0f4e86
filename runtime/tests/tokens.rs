//! Tokens: each runs exactly once, somewhere in its range, with its arguments; idle nodes get some of many.

mod common;

use std::time::{Duration, Instant};

use common::{Kind, good, on_every, on_every_of, scramble};
use earth::{Config, NodeId, Reply, Then, threaded_old};

threaded_old! {
    /// Makes `n` tokens, each of which reports its number and its node.
    fn Scatters(n: u64, out: Reply<Vec<(u64, u64)>>)
    state  { times: Vec<u64> = Vec::new(), nodes: Vec<u64> = Vec::new(), left: u64 = 0 }
    calls  { Reports }
    inlets { report: (u64, NodeId) }
    slots  { came: 1, reset 1 => count }
    fiber start(this, eu) {
        this.times = vec![0; this.n as usize];
        this.nodes = vec![0; eu.nodes()];
        this.left = this.n;
        for number in 0..this.n {
            eu.token_old::<Reports>((number, eu.reply_to(Self::report, Self::came)));
        }
        Then::Wait
    }
    fiber count(this, eu) {
        let (number, node) = eu.take(Self::report);
        this.times[number as usize] += 1;
        this.nodes[node.index()] += 1;
        this.left -= 1;
        if this.left > 0 {
            return Then::Wait;
        }
        let nodes = this.nodes.iter().map(|&times| (u64::MAX, times));
        eu.put(this.out, this.times.iter().map(|&times| (0, times)).chain(nodes).collect());
        Then::End
    }
}

threaded_old! {
    fn Reports(number: u64, to: Reply<(u64, NodeId)>)
    fiber start(this, eu) {
        eu.put(this.to, (this.number, eu.node()));
        Then::End
    }
}

#[test]
fn every_token_runs_exactly_once() {
    on_every(|case| {
        let n = 500;
        let run = good::<Scatters>(&mut case.machine(), n);
        let times = |of| run.value.iter().filter(move |(what, _)| *what == of).map(|(_, times)| *times);
        assert!(times(0).eq(std::iter::repeat_n(1, n as usize)), "{:?}", run.value);
        let nodes: Vec<u64> = times(u64::MAX).collect();
        assert_eq!(nodes.iter().sum::<u64>(), n);
        assert_eq!((run.counters.tokens, run.counters.fibers), (n, 1 + 2 * n));
        // No token here makes another, so whatever ran elsewhere was stolen.
        assert_eq!(run.counters.tokens_stolen, nodes[1..].iter().sum::<u64>());
    });
}

threaded_old! {
    /// A binary tree of tokens; the nodes that its leaves ran on, as bits.
    fn Tree(depth: u64, out: Reply<(u64, u64)>)
    inlets { left: (u64, u64), right: (u64, u64) }
    slots  { both: 2 => join }
    fiber start(this, eu) {
        if this.depth == 0 {
            let started = Instant::now();
            while started.elapsed() < Duration::from_micros(20) {
                std::hint::black_box(scramble(started.elapsed().as_nanos() as u64, 100));
            }
            eu.put(this.out, (1, 1 << eu.node().index()));
            return Then::End;
        }
        eu.token_old::<Tree>((this.depth - 1, eu.reply_to(Self::left, Self::both)));
        eu.token_old::<Tree>((this.depth - 1, eu.reply_to(Self::right, Self::both)));
        Then::Wait
    }
    fiber join(this, eu) {
        let (left, right) = (eu.take(Self::left), eu.take(Self::right));
        eu.put(this.out, (left.0 + right.0, left.1 | right.1));
        Then::End
    }
}

#[test]
fn idle_nodes_take_part_in_a_tree_of_tokens() {
    // In virtual time, in which a fiber takes longer than a node needs to ask for a token, all nodes do. On the
    // stepper a token may be gone before the question comes, and on real cores the system decides.
    on_every_of(2, |case| {
        let run = good::<Tree>(&mut case.machine(), if case.is_stepped() { 8 } else { 6 });
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

threaded_old! {
    /// Makes tokens for the nodes `first..end` in a tree that stays in the range, from
    /// a node inside or outside.
    fn Within(first: usize, end: usize, hop: bool, out: Reply<u64>)
    calls { Stays }
    fiber start(this, eu) {
        if this.hop {
            let args = (this.first, this.end, false, this.out);
            eu.invoke_old::<Within>(NodeId::new(eu.nodes() - 1), args);
        } else {
            let range = (NodeId::new(this.first), NodeId::new(this.end));
            eu.token_within_old::<Stays>(range.0..range.1, (range, 6, this.out));
        }
        Then::End
    }
}

threaded_old! {
    fn Stays(range: (NodeId, NodeId), depth: u64, out: Reply<u64>)
    inlets { left: u64, right: u64 }
    slots  { both: 2 => join }
    fiber start(this, eu) {
        let (first, end) = this.range;
        assert!((first..end).contains(&eu.node()), "{} is not in {first}..{end}", eu.node());
        if this.depth == 0 {
            eu.put(this.out, 1);
            return Then::End;
        }
        let args = |out| ((first, end), this.depth - 1, out);
        eu.token_within_old::<Stays>(first..end, args(eu.reply_to(Self::left, Self::both)));
        eu.token_within_old::<Stays>(first..end, args(eu.reply_to(Self::right, Self::both)));
        Then::Wait
    }
    fiber join(this, eu) {
        let sum = eu.take(Self::left) + eu.take(Self::right);
        eu.put(this.out, sum);
        Then::End
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
                let run = good::<Within>(&mut machine, (first, end, hop));
                assert_eq!((run.value, run.counters.tokens), (64, 127), "{first}..{end}");
            }
        }
    });
}

threaded_old! {
    /// Tokens for two groups at once, from every node; those for the other group pass through
    /// nodes that may not run them.
    fn TwoGroups(out: Reply<u64>)
    state  { sum: u64 = 0, left: u64 = 0 }
    calls  { Sends }
    inlets { x: u64 }
    slots  { came: 1, reset 1 => add }
    fiber start(this, eu) {
        this.left = 60 * eu.nodes() as u64;
        for node in 0..eu.nodes() {
            eu.invoke_old::<Sends>(NodeId::new(node), (eu.reply_to(Self::x, Self::came),));
        }
        Then::Wait
    }
    fiber add(this, eu) {
        this.sum += eu.take(Self::x);
        this.left -= 1;
        if this.left > 0 {
            return Then::Wait;
        }
        eu.put(this.out, this.sum);
        Then::End
    }
}

threaded_old! {
    fn Sends(to: Reply<u64>)
    calls { Checks }
    fiber start(this, eu) {
        let ends = [0, eu.nodes() / 2, eu.nodes()].map(NodeId::new);
        for i in 0..60 {
            let group = i % 2;
            let range = (ends[group], ends[group + 1]);
            eu.token_within_old::<Checks>(range.0..range.1, (range, i as u64, this.to));
        }
        Then::End
    }
}

threaded_old! {
    fn Checks(range: (NodeId, NodeId), value: u64, to: Reply<u64>)
    fiber start(this, eu) {
        let (first, end) = this.range;
        assert!((first..end).contains(&eu.node()), "{} is not in {first}..{end}", eu.node());
        eu.put(this.to, this.value);
        Then::End
    }
}

#[test]
fn tokens_of_two_groups_find_their_nodes() {
    on_every_of(2, |case| {
        let run = good::<TwoGroups>(&mut case.machine(), ());
        assert_eq!(run.value, case.nodes as u64 * (0..60).sum::<u64>());
        assert_eq!(run.counters.tokens, 60 * case.nodes as u64);
    });
}

threaded_old! {
    /// One node runs its tokens last in, first out, so that a deep recursion holds few of them.
    fn Deep(n: u64, out: Reply<u64>)
    calls { Deep }
    inlets { rest: u64, leaf: u64 }
    slots  { both: 2 => add }
    fiber start(this, eu) {
        if this.n == 0 {
            eu.put(this.out, 1);
            return Then::End;
        }
        eu.token_old::<Deep>((this.n - 1, eu.reply_to(Self::rest, Self::both)));
        eu.token_old::<Deep>((0, eu.reply_to(Self::leaf, Self::both)));
        Then::Wait
    }
    fiber add(this, eu) {
        let sum = eu.take(Self::rest) + eu.take(Self::leaf);
        eu.put(this.out, sum);
        Then::End
    }
}

#[test]
fn the_newest_token_runs_first_on_its_own_node() {
    for case in common::cases().filter(|case| case.nodes == 1) {
        let run = good::<Deep>(&mut case.machine(), 1_000);
        assert_eq!((run.value, run.counters.tokens), (1_001, 2_000));
        // In DUAL a token may already be on its way to the execution unit when newer ones come.
        let most = if case.config == Config::Spn { 2 } else { 64 };
        let high = run.counters.tokens_high;
        assert!(high <= most, "{high} tokens waited at once on {case}");
    }
}
