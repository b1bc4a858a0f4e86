//! Counts that are known only when a function starts, of one-shot slots and of slots with rounds. Frames are
//! made late, or not at all.

use crate::common::{gives, on_every};
use earth::{Config, Eu, Machine, NodeId, Reply, SlotRef, Start, Then, threaded};

/// Receives `n` signals in each of `rounds` rounds, and one more in the first.
struct Rounds {
    left: u64,
    senders: Vec<NodeId>,
    out: Reply<u64>,
}

#[threaded]
impl Rounds {
    fn start(n: u64, rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let senders: Vec<_> = (0..n as usize).map(|i| NodeId::new(i % eu.nodes())).collect();
        let rounds = Rounds { left: rounds, senders, out };
        rounds.ask(eu);
        eu.sync(Self::round());
        rounds
    }

    #[slot(syncs = n as usize, again, first = usize::from(rounds > 0))]
    fn round(&mut self, eu: &mut Eu<Self>) -> Then {
        self.left -= 1;
        if self.left > 0 {
            self.ask(eu);
            return Then::Wait;
        }
        // This slot has its own count, apart from the count of the rounds.
        (0..self.senders.len() * 2).for_each(|_| eu.sync(Self::end()));
        Then::Wait
    }

    #[slot(syncs = 2 * n as usize)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.senders.len() as u64);
    }
}

impl Rounds {
    fn ask(&self, eu: &mut Eu<Self>) {
        let to = eu.slot_ref(Self::round());
        self.senders.iter().for_each(|&sender| eu.invoke(sender, Signals::call(to)));
    }
}

struct Signals;

#[threaded]
impl Signals {
    fn start(to: SlotRef, eu: &mut Eu<Self>) {
        eu.rsync(to);
    }
}

#[test]
fn each_frame_counts_by_its_own_arguments() {
    on_every(|case| {
        for (n, rounds) in [(1, 1), (1, 5), (7, 3), (40, 2)] {
            let run = gives(&mut case.machine(), |out| Rounds::call(n, rounds, out));
            assert_eq!((run.value, run.counters.fibers), (n, 1 + n * rounds + rounds + 1));
            assert_eq!(run.counters.signals, n * rounds + 1 + 2 * n + 1);
        }
    });
}

/// A binary tree of calls; only the inner calls wait.
struct Leaves {
    done: SlotRef,
}

#[threaded(children = if levels > 0 { 2 } else { 0 })]
impl Leaves {
    fn start(levels: u32, done: SlotRef, eu: &mut Eu<Self>) -> Start<Self> {
        if children == 0 {
            eu.rsync(done);
            return Start::End;
        }
        let to = eu.slot_ref(Self::end());
        (0..children).for_each(|_| eu.token(Leaves::call(levels - 1, to)));
        Start::Wait(Leaves { done })
    }

    #[slot(syncs = children)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.rsync(self.done);
    }
}

struct Tree {
    out: Reply<u64>,
}

#[threaded]
impl Tree {
    fn start(levels: u32, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.token(Leaves::call(levels, eu.slot_ref(Self::end())));
        Tree { out }
    }

    #[slot(sync)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 1);
    }
}

#[test]
fn a_function_with_a_size_that_ends_at_once_gets_no_frame() {
    for config in [Config::Spn, Config::Dual] {
        for mut machine in
            [Machine::threads(2), Machine::stepper(1).nodes(3)].map(|machine| machine.config(config))
        {
            let run = gives(&mut machine, |out| Tree::call(6, out));
            assert_eq!(run.value, 1);
            // 64 of the 127 calls are leaves.
            assert_eq!((run.counters.tokens, run.counters.frames), (127, 1 + 63));
        }
    }
}
