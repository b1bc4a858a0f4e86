//! Queues that are far too small. A sender keeps the events that find no room, no unit waits for room, and
//! every program still ends.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::common::{gives, on_every};
use earth::{Arrived, Config, Eu, Machine, NodeId, Replies, Reply, SlotRef, Then, threaded};

/// Runs one test at a time: with a queue of one, every event waits until the other side has a core.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes every node send `n` signals and `n` values to node 0, and `n` functions to every node.
struct Flood {
    sum: u64,
    left: u64,
    out: Reply<u64>,
}

#[threaded]
impl Flood {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let nodes = eu.nodes() as u64;
        eu.incr(Self::signals(), (nodes * n) as u32 - 1);
        let (signal, value) = (eu.slot_ref(Self::signals()), eu.reply(Self::add().x));
        for node in 0..eu.nodes() {
            eu.invoke(NodeId::new(node), Floods::call(n, signal, value));
        }
        Flood { sum: 0, left: nodes * n * (1 + nodes), out }
    }

    #[slot(again)]
    fn add(&mut self, x: u64, eu: &mut Eu<Self>) {
        self.sum += x;
        self.left -= 1;
        if self.left == 0 {
            eu.sync(Self::done());
        }
    }

    #[slot(sync)]
    fn signals(&mut self, eu: &mut Eu<Self>) {
        eu.sync(Self::done());
    }

    #[slot(syncs = 2)]
    fn done(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.sum);
    }
}

struct Floods;

#[threaded]
impl Floods {
    fn start(n: u64, signal: SlotRef, value: Reply<u64>, eu: &mut Eu<Self>) {
        for i in 0..n {
            eu.rsync(signal);
            eu.put(value, i);
            for node in 0..eu.nodes() {
                eu.invoke(NodeId::new(node), Answers::call(1_000, value));
            }
        }
    }
}

struct Answers;

#[threaded]
impl Answers {
    fn start(value: u64, to: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(to, value);
    }
}

#[test]
fn thousands_of_events_pass_through_queues_of_one_and_two() {
    let _alone = alone();
    on_every(|case| {
        let nodes = case.nodes as u64;
        for capacity in [1, 2] {
            // 1,200 events for node 0, or a fifth of them if each step is drawn.
            let n = if case.is_stepped() { 240 } else { 1_200 } / (nodes * (nodes + 2));
            let run = gives(&mut case.machine().queue_capacity(capacity), |out| Flood::call(n, out));
            assert_eq!(run.value, nodes * (0..n).sum::<u64>() + nodes * nodes * n * 1_000);
            // A signal and a value each, a value per answer, two final signals, and the value of the run.
            assert_eq!(run.counters.signals, 2 * nodes * n + nodes * nodes * n + 2 + 1);
        }
    });
}

/// The inlets of a corner, one per node: for even and for odd rounds. A node is never two rounds ahead.
type Doors = [Replies<u64>; 2];

/// A corner's inlets, and the address for the inlets of all corners.
type Hello = (Doors, Reply<Vec<Doors>>);

/// An all-to-all exchange: every node sends to every other in every round, and has received from all of them
/// before the next round.
struct AllToAll {
    corners: Vec<Option<Hello>>,
    sum: u64,
    left: usize,
    out: Reply<u64>,
}

#[threaded]
impl AllToAll {
    fn start(rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let nodes = eu.nodes();
        let (hello, ended) = (eu.reply(Self::introduce().hello), eu.reply(Self::add().sum));
        for node in 0..nodes {
            eu.invoke(NodeId::new(node), Corner::call(nodes, rounds, hello, ended));
        }
        AllToAll { corners: vec![None; nodes], sum: 0, left: nodes, out }
    }

    #[slot(again)]
    fn introduce(&mut self, hello: (u32, Hello), eu: &mut Eu<Self>) {
        self.corners[hello.0 as usize] = Some(hello.1);
        let doors: Option<Vec<Doors>> = self.corners.iter().map(|corner| Some(corner.as_ref()?.0)).collect();
        if let Some(doors) = doors {
            for (_, told) in self.corners.iter().flatten() {
                eu.put(*told, doors.clone());
            }
        }
    }

    #[slot(again)]
    fn add(&mut self, sum: u64, eu: &mut Eu<Self>) -> Then {
        self.sum += sum;
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.sum);
        Then::End
    }
}

struct Corner {
    doors: Vec<Doors>,
    rounds: u64,
    round: u64,
    sum: u64,
    ended: Reply<u64>,
}

#[threaded]
impl Corner {
    fn start(
        nodes: usize,
        rounds: u64,
        hello: Reply<(u32, Hello)>,
        ended: Reply<u64>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let doors = [eu.replies(Self::even().values), eu.replies(Self::odd().values)];
        eu.put(hello, (eu.node().index() as u32, (doors, eu.reply(Self::begin().doors))));
        Corner { doors: Vec::new(), rounds, round: 0, sum: 0, ended }
    }

    #[slot]
    fn begin(&mut self, doors: Vec<Doors>, eu: &mut Eu<Self>) -> Then {
        self.doors = doors;
        self.go_on([].into_iter(), eu)
    }

    #[slot(again)]
    fn even(&mut self, #[inlets(nodes)] values: Arrived<'_, u64>, eu: &mut Eu<Self>) -> Then {
        self.go_on(values, eu)
    }

    #[slot(again)]
    fn odd(&mut self, #[inlets(nodes)] values: Arrived<'_, u64>, eu: &mut Eu<Self>) -> Then {
        self.go_on(values, eu)
    }
}

impl Corner {
    /// Adds up the values of a round and sends the next, until all rounds are done. Values that arrive before
    /// `begin` wait for it: they belong to the round that `begin` sends.
    fn go_on(&mut self, values: impl Iterator<Item = u64>, eu: &mut Eu) -> Then {
        self.sum += values.sum::<u64>();
        if self.round == self.rounds {
            eu.put(self.ended, self.sum);
            return Then::End;
        }
        for doors in &self.doors {
            eu.put(doors[self.round as usize % 2].at(eu.node().index()), self.round);
        }
        self.round += 1;
        Then::Wait
    }
}

#[test]
fn nodes_exchange_all_to_all_through_queues_of_one() {
    let _alone = alone();
    on_every(|case| {
        let rounds = if case.is_stepped() { 10 } else { 100 };
        let run = gives(&mut case.machine().queue_capacity(1), |out| AllToAll::call(rounds, out));
        let nodes = case.nodes as u64;
        assert_eq!(run.value, nodes * nodes * (0..rounds).sum::<u64>());
        assert_eq!(run.counters.signals, rounds * nodes * nodes + 3 * nodes + 1);
    });
}

/// The inlets of a member of a ring for the counter and for the address of the next member.
type Addresses = (Reply<u64>, Reply<Reply<u64>>);

/// A ring of functions, one per node, around which a counter makes `hops` hops.
struct Ring {
    hops: u64,
    members: Vec<Option<Addresses>>,
}

#[threaded]
impl Ring {
    fn start(hops: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.incr(Self::go(), eu.nodes() as u32 - 1);
        let (hello, linked) = (eu.reply(Self::introduce().hello), eu.slot_ref(Self::go()));
        for node in 0..eu.nodes() {
            eu.invoke(NodeId::new(node), Member::call(hello, linked, out));
        }
        Ring { hops, members: vec![None; eu.nodes()] }
    }

    #[slot(again)]
    fn introduce(&mut self, hello: (u32, Addresses), eu: &mut Eu<Self>) {
        self.members[hello.0 as usize] = Some(hello.1);
        let members: Option<Vec<_>> = self.members.iter().copied().collect();
        if let Some(members) = members {
            for (node, (_, told)) in members.iter().enumerate() {
                eu.put(*told, members[(node + 1) % members.len()].0);
            }
        }
    }

    #[slot(sync)]
    fn go(self, eu: &mut Eu<Self>) {
        if let Some((first, _)) = self.members[0] {
            eu.put(first, self.hops);
        }
    }
}

struct Member {
    linked: SlotRef,
    next: Option<Reply<u64>>,
    out: Reply<u64>,
}

#[threaded]
impl Member {
    fn start(hello: Reply<(u32, Addresses)>, linked: SlotRef, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let addresses = (eu.reply(Self::pass().counter), eu.reply(Self::link().next));
        eu.put(hello, (eu.node().index() as u32, addresses));
        Member { linked, next: None, out }
    }

    #[slot]
    fn link(&mut self, next: Reply<u64>, eu: &mut Eu<Self>) {
        self.next = Some(next);
        eu.rsync(self.linked);
    }

    #[slot(again)]
    fn pass(&mut self, counter: u64, eu: &mut Eu<Self>) -> Then {
        // The sign bit marks the final counter, which goes around once to end all members.
        let Some(next) = self.next else { unreachable!("all are linked before the counter goes") };
        match counter {
            0 => eu.put(next, LAST | eu.nodes() as u64),
            end if end & LAST != 0 => {
                if end - 1 == LAST {
                    eu.put(self.out, eu.nodes() as u64);
                } else {
                    eu.put(next, end - 1);
                }
                return Then::End;
            }
            hops => eu.put(next, hops - 1),
        }
        Then::Wait
    }
}

const LAST: u64 = 1 << 63;

#[test]
fn a_counter_goes_around_a_ring_of_many_more_nodes_than_cores() {
    let _alone = alone();
    for (config, nodes) in [(Config::Spn, 64), (Config::Dual, 32), (Config::Dual, 64)] {
        for capacity in [1, 1_024] {
            let hops = 1_000;
            let mut machine = Machine::threads(nodes).config(config).queue_capacity(capacity);
            for _ in 0..2 {
                let run = gives(&mut machine, |out| Ring::call(hops, out));
                assert_eq!(run.value, nodes as u64);
                // All hops, the hop that finds 0, and the round that ends; three signals per node before, and
                // the first counter and the value.
                assert_eq!(run.counters.signals, hops + 1 + nodes as u64 + 3 * nodes as u64 + 1);
            }
        }
    }
    on_every(|case| {
        assert_eq!(
            gives(&mut case.machine().queue_capacity(1), |out| Ring::call(50, out)).value,
            case.nodes as u64
        );
    });
}

/// Raises the count of a one-shot slot before each of `n` signals for it. In any other order it would reach
/// zero too early.
struct InOrder {
    n: u64,
    out: Reply<u64>,
}

#[threaded]
impl InOrder {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for _ in 0..n {
            eu.incr(Self::once(), 1);
            eu.sync(Self::once());
        }
        eu.sync(Self::once());
        InOrder { n, out }
    }

    #[slot(sync)]
    fn once(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.n);
    }
}

#[test]
fn the_effects_of_a_fiber_keep_their_order_when_the_queue_is_full() {
    let _alone = alone();
    on_every(|case| {
        for capacity in [1, 2, 64] {
            let n = if case.is_stepped() { 100 } else { 1_000 };
            let run = gives(&mut case.machine().queue_capacity(capacity), |out| InOrder::call(n, out));
            assert_eq!((run.value, run.counters.signals), (n, n + 2));
        }
    });
}
