//! One small program for each guarantee of `docs/guide/src/semantics.md` on functions, time, order and ends,
//! as in `litmus`.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::common::{Kind, fails, gives, on_every, on_every_of};
use earth::isolated::IsolatedError;
use earth::patterns::ask;
use earth::simulated::Profile;
use earth::{Arrived, Block, Error, Eu, Machine, NodeId, Reply, SlotRef, Start, Then, Work, threaded};

// ANCHOR: invoke
/// A function runs once, on the node that was given.
struct Invokes {
    out: Reply<Vec<NodeId>>,
}

#[threaded]
impl Invokes {
    fn start(count: usize, out: Reply<Vec<NodeId>>, eu: &mut Eu<Self>) -> Self {
        let at = eu.replies(Self::all().at);
        (0..count).for_each(|i| eu.invoke(NodeId::new(i % eu.nodes()), Says::call(at.at(i))));
        Invokes { out }
    }

    #[slot]
    fn all(self, #[inlets(count)] at: Arrived<'_, NodeId>, eu: &mut Eu<Self>) {
        eu.put(self.out, at.collect());
    }
}

struct Says;

#[threaded]
impl Says {
    fn start(to: Reply<NodeId>, eu: &mut Eu<Self>) {
        eu.put(to, eu.node());
    }
}
// ANCHOR_END: invoke

#[test]
fn invoke() {
    on_every(|case| {
        let run = gives(&mut case.machine(), |out| Invokes::call(17, out));
        assert!(run.value.into_iter().eq((0..17).map(|i| NodeId::new(i % case.nodes))));
        assert_eq!((run.counters.invokes, run.counters.fibers), (17, 19));
    });
}

// ANCHOR: isolated
/// A failure is the answer to the isolated call that it belongs to. Frames that this call made, on any node,
/// are dropped. The run goes on.
struct Asks {
    out: Reply<(u64, String)>,
}

#[threaded]
impl Asks {
    fn start(out: Reply<(u64, String)>, eu: &mut Eu<Self>) -> Self {
        let (good, bad) = (eu.reply(Self::answers().good), eu.reply(Self::answers().bad));
        eu.isolated(NodeId::new(eu.nodes() - 1), |reply| Halves::call(8, reply), good);
        eu.isolated_token(|reply| Halves::call(12, reply), bad);
        Asks { out }
    }

    #[slot]
    fn answers(self, good: Result<u64, IsolatedError>, bad: Result<u64, IsolatedError>, eu: &mut Eu<Self>) {
        let (Ok(number), Err(error)) = (good, bad) else { return };
        eu.put(self.out, (number, error.to_string()));
    }
}

/// Counts how often a number can be halved, with a frame for each half. Fails at an odd number.
struct Halves {
    out: Reply<u64>,
}

#[threaded]
impl Halves {
    fn start(number: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Result<Start<Self>, String> {
        if number == 1 {
            eu.put(out, 0);
            return Ok(Start::End);
        }
        if number % 2 == 1 {
            return Err(format!("{number} is odd"));
        }
        eu.token(Halves::call(number / 2, eu.reply(Self::add().count)));
        Ok(Start::Wait(Halves { out }))
    }

    #[slot]
    fn add(self, count: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, count + 1);
    }
}
// ANCHOR_END: isolated

#[test]
fn isolated() {
    on_every(|case| {
        let (number, error) = gives(&mut case.machine(), Asks::call).value;
        assert_eq!(number, 3);
        assert!(error.starts_with("fiber `start` of ") && error.ends_with(" failed: 3 is odd"), "{error}");
    });
}

// ANCHOR: token
/// A token runs once, on any node. A token with a range of nodes runs inside the range.
struct Tokens {
    out: Reply<Vec<NodeId>>,
}

#[threaded]
impl Tokens {
    fn start(count: usize, out: Reply<Vec<NodeId>>, eu: &mut Eu<Self>) -> Self {
        let (at, last) = (eu.replies(Self::all().at), NodeId::new(eu.nodes() - 1));
        for i in 0..count / 2 {
            eu.token(Says::call(at.at(i)));
        }
        for i in count / 2..count {
            eu.token_within(last..NodeId::new(eu.nodes()), Says::call(at.at(i)));
        }
        Tokens { out }
    }

    #[slot]
    fn all(self, #[inlets(count)] at: Arrived<'_, NodeId>, eu: &mut Eu<Self>) {
        eu.put(self.out, at.collect());
    }
}
// ANCHOR_END: token

#[test]
fn token() {
    on_every(|case| {
        let run = gives(&mut case.machine(), |out| Tokens::call(20, out));
        assert!(run.value.iter().all(|node| node.index() < case.nodes));
        assert!(run.value[10..].iter().all(|&node| node == case.last()));
        assert_eq!((run.counters.tokens, run.counters.fibers), (20, 22));
    });
}

// ANCHOR: token_when
/// A function takes two values that are not there when it is started: of a cell, and of a function that is
/// asked.
struct Awaits {
    out: Reply<Vec<usize>>,
}

#[threaded]
impl Awaits {
    fn start(times: usize, out: Reply<Vec<usize>>, eu: &mut Eu<Self>) -> Self {
        let (ten, last) = (eu.cell_ref(Self::ten()), NodeId::new(eu.nodes() - 1));
        for i in 0..times {
            let node = ask(move |to, eu| eu.invoke(last, Says::call(to)));
            let to = eu.reply(Self::all().sums.at(i));
            eu.token_when((ten, node), move |(ten, node)| Adds::call(ten, node, to));
        }
        eu.write(ten, 10);
        Awaits { out }
    }

    #[cell]
    fn ten() -> usize;

    #[slot]
    fn all(self, #[inlets(times)] sums: Arrived<'_, usize>, eu: &mut Eu<Self>) {
        eu.put(self.out, sums.collect());
    }
}

struct Adds;

#[threaded]
impl Adds {
    fn start(number: usize, node: NodeId, to: Reply<usize>, eu: &mut Eu<Self>) {
        eu.put(to, number + node.index());
    }
}
// ANCHOR_END: token_when

#[test]
fn token_when() {
    on_every(|case| {
        let run = gives(&mut case.machine(), |out| Awaits::call(9, out));
        assert_eq!(run.value, [10 + case.nodes - 1; 9]);
        // Each time the function that waits is invoked, and the one that is asked.
        assert_eq!((run.counters.tokens, run.counters.invokes, run.counters.frames), (9, 18, 10));
    });
}

// ANCHOR: work
/// Work takes time only by the clock of a simulated machine or a stepper.
struct Works;

#[threaded]
impl Works {
    fn start(out: Reply<Duration>, eu: &mut Eu<Self>) {
        let began = eu.now();
        eu.work(Work::Cycles(50_000));
        eu.put(out, eu.now().saturating_sub(began));
    }
}
// ANCHOR_END: work

#[test]
fn work() {
    let profile = Profile::named("manna50").expect("it is built in");
    on_every(|case| {
        let took = gives(&mut case.machine(), Works::call).value;
        match case.kind {
            Kind::Simulated(None) => assert_eq!(took, profile.time(50_000)),
            Kind::Stepper(_) => assert_eq!(took, Profile::free().time(50_000)),
            Kind::Simulated(Some(_)) | Kind::Threads | Kind::Ranks { .. } => {}
        }
    });
}

// ANCHOR: compute
/// A computation on a block with elements costs the same on a phantom, which has a size but no elements.
struct Computes;

#[threaded]
impl Computes {
    fn start(block: Block<u64>, out: Reply<Option<u64>>, eu: &mut Eu<Self>) {
        let work = Work::Flops(block.len() as u64);
        let sum = eu.compute(&block, work, |block| block.iter_rows().flatten().sum());
        eu.put(out, sum);
    }
}
// ANCHOR_END: compute

#[test]
fn compute() {
    on_every(|case| {
        let run = |block| gives(&mut case.machine(), |out| Computes::call(block, out));
        let with_data = run(Block::from_fn(4, 5, |i, j| (i * j) as u64));
        let without = run(Block::phantom(4, 5).expect("a size"));
        assert_eq!((with_data.value, without.value), (Some(60), None));
        assert_eq!(with_data.cycles, without.cycles);
    });
}

// ANCHOR: order
/// Node 1 sends node 0 a word and then signals node 2, which sends node 0 another word. Only slots order
/// events from two nodes, so either word may arrive first.
struct Hears {
    heard: Vec<u64>,
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Hears {
    fn start(out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(1), Sends::call(1, eu.reply(Self::hear().word)));
        Hears { heard: Vec::new(), out }
    }

    #[slot(again)]
    fn hear(&mut self, word: u64, eu: &mut Eu<Self>) -> Then {
        self.heard.push(word);
        if self.heard.len() < 2 {
            return Then::Wait;
        }
        eu.put(self.out, std::mem::take(&mut self.heard));
        Then::End
    }
}

struct Sends;

#[threaded]
impl Sends {
    fn start(word: u64, to: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(to, word);
        if word == 1 {
            eu.invoke(NodeId::new(2), Sends::call(2, to));
        }
    }
}
// ANCHOR_END: order

#[test]
fn order() {
    let mut seen = BTreeSet::new();
    on_every_of(3, |case| {
        let heard = gives(&mut case.machine(), Hears::call).value;
        assert!(heard == [1, 2] || heard == [2, 1], "{heard:?}");
    });
    for seed in 0..100 {
        seen.insert(gives(&mut Machine::stepper(seed).nodes(3), Hears::call).value);
    }
    // The stepper shows both orders, so it finds a program that relies on one of them.
    assert_eq!(seen.len(), 2);
}

// ANCHOR: end
/// An address that outlived its frame is reported, never followed.
struct Ends;

#[threaded]
impl Ends {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let gone = eu.slot_ref(Self::end());
        eu.invoke(NodeId::new(eu.nodes() - 1), Late::call(gone, out));
        eu.sync(Self::end());
        Ends
    }

    #[slot(sync)]
    fn end(self) {}
}

/// Signals twice. The second signal has no slot, or no frame, that expects it.
struct Late;

#[threaded]
impl Late {
    fn start(gone: SlotRef, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 0);
        eu.rsync(gone);
        eu.rsync(gone);
    }
}
// ANCHOR_END: end

#[test]
fn end() {
    on_every(|case| {
        let error = fails(&mut case.machine(), Ends::call);
        assert!(matches!(error, Error::StaleAddress { .. } | Error::TooManySignals { .. }), "{error}");
    });
}

// ANCHOR: stuck
/// A run ends when no work is left. A frame that still waits is then an error, which lists the missing
/// signals.
struct Waits;

#[threaded]
impl Waits {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.put(out, 1);
        eu.sync(Self::never());
        Waits
    }

    #[slot(syncs = 3)]
    fn never(self) {}
}
// ANCHOR_END: stuck

#[test]
fn stuck() {
    on_every(|case| {
        let Error::Stuck(stuck) = fails(&mut case.machine(), Waits::call) else { panic!("it is not stuck") };
        let slot = &stuck.shown[0].waiting[0];
        assert_eq!((stuck.frames, slot.slot.as_str(), slot.got, slot.expected), (1, "never", 1, 3));
    });
}
