//! Programs that repeat one operation and return the nanoseconds it took by the machine's clock.
//! `earth-lab calibrate` derives the costs of operations from these times.

use std::time::Duration;

use earth::{Eu, NodeId, Reply, SlotRef, Start, Then, Threaded, Work, threaded};

use crate::work::work;

/// A chain of fibers, each enabled by its predecessor.
pub struct Loops {
    way: u64,
    left: u64,
    began: Duration,
    out: Reply<u64>,
}

/// A fiber is enabled directly.
pub const BY_SPAWN: u64 = 0;
/// A fiber is enabled by a signal.
pub const BY_SIGNAL: u64 = 1;
/// A fiber is enabled by a value.
pub const BY_VALUE: u64 = 2;

#[threaded]
impl Loops {
    /// Replies the nanoseconds of all fibers; `way` selects how a fiber is enabled.
    pub fn start(way: u64, rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let loops = Loops { way, left: rounds, began: eu.now(), out };
        loops.enable(eu);
        loops
    }

    #[spawned]
    fn by_spawn(&mut self, eu: &mut Eu<Self>) -> Then {
        self.again(eu)
    }

    #[slot(sync, again)]
    fn by_signal(&mut self, eu: &mut Eu<Self>) -> Then {
        self.again(eu)
    }

    #[slot(again)]
    fn by_value(&mut self, value: u64, eu: &mut Eu<Self>) -> Then {
        self.left -= value;
        self.again(eu)
    }
}

impl Loops {
    fn enable(&self, eu: &mut Eu<Self>) {
        match self.way {
            BY_SPAWN => eu.spawn(Self::by_spawn()),
            BY_SIGNAL => eu.sync(Self::by_signal()),
            _ => eu.put(eu.reply(Self::by_value().value), 0),
        }
    }

    fn again(&mut self, eu: &mut Eu<Self>) -> Then {
        self.left -= 1;
        if self.left > 0 {
            self.enable(eu);
            return Then::Wait;
        }
        eu.put(self.out, nanoseconds(eu, self.began));
        Then::End
    }
}

/// Chains of fibers that run at the same time.
pub struct Crowds {
    alone: u64,
    began: Duration,
    out: Reply<(u64, u64)>,
}

/// Number of chains of a crowd.
const CHAINS: u64 = 16;

/// Work of a fiber of a crowd: rounds on a real processor, and cycles on a simulated one. It takes longer
/// than the other unit needs for the fiber's operation.
const ROUNDS: u64 = 100;
const CYCLES: u64 = 400;

fn labour<F: Threaded>(value: u64, eu: &mut Eu<F>) -> u64 {
    eu.work(Work::Cycles(CYCLES));
    work(value, ROUNDS)
}

#[threaded]
impl Crowds {
    /// Replies the nanoseconds of all fibers, and of their work alone. A fiber enables the next of its chain
    /// by a signal or by a value.
    pub fn start(way: u64, has_work: bool, count: u64, out: Reply<(u64, u64)>, eu: &mut Eu<Self>) -> Self {
        let began = eu.now();
        if has_work {
            std::hint::black_box((0..count).fold(1, |value, _| labour(value, eu)));
        }
        let (alone, began) = (nanoseconds(eu, began), eu.now());
        for _ in 0..CHAINS {
            let (here, done) = (eu.node(), eu.slot_ref(Self::end()));
            eu.invoke(here, Chains::call(way, has_work, count / CHAINS, done));
        }
        Crowds { alone, began, out }
    }

    #[slot(syncs = CHAINS as usize)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, (nanoseconds(eu, self.began), self.alone));
    }
}

/// A chain of a crowd.
struct Chains {
    way: u64,
    has_work: bool,
    left: u64,
    value: u64,
    done: SlotRef,
}

#[threaded]
impl Chains {
    fn start(way: u64, has_work: bool, left: u64, done: SlotRef, eu: &mut Eu<Self>) -> Self {
        let chain = Chains { way, has_work, left, value: 1, done };
        chain.enable(eu);
        chain
    }

    #[slot(sync, again)]
    fn by_signal(&mut self, eu: &mut Eu<Self>) -> Then {
        self.again(eu)
    }

    #[slot(again)]
    fn by_value(&mut self, value: u64, eu: &mut Eu<Self>) -> Then {
        self.value ^= value;
        self.again(eu)
    }
}

impl Chains {
    fn enable(&self, eu: &mut Eu<Self>) {
        match self.way {
            BY_SIGNAL => eu.sync(Self::by_signal()),
            _ => eu.put(eu.reply(Self::by_value().value), self.value),
        }
    }

    fn again(&mut self, eu: &mut Eu<Self>) -> Then {
        if self.has_work {
            self.value = labour(self.value, eu);
        }
        self.left = self.left.saturating_sub(1);
        if self.left > 0 {
            self.enable(eu);
            return Then::Wait;
        }
        eu.rsync(self.done);
        Then::End
    }
}

fn nanoseconds(eu: &Eu, since: Duration) -> u64 {
    eu.now().saturating_sub(since).as_nanos() as u64
}

/// Signals from one fiber to a slot of a chosen node.
pub struct Bursts {
    count: u64,
    began: Duration,
    sent: u64,
    out: Reply<(u64, u64)>,
}

#[threaded]
impl Bursts {
    /// Replies the nanoseconds to send all signals, and the nanoseconds until `node` has counted all of them
    /// and this node knows it.
    pub fn start(node: usize, count: u64, out: Reply<(u64, u64)>, eu: &mut Eu<Self>) -> Self {
        let (target, done) = (eu.reply(Self::send().target), eu.slot_ref(Self::end()));
        eu.invoke(NodeId::new(node), Counts::call(count, target, done));
        Bursts { count, began: Duration::ZERO, sent: 0, out }
    }

    #[slot]
    fn send(&mut self, target: SlotRef, eu: &mut Eu<Self>) {
        self.began = eu.now();
        for _ in 0..self.count {
            eu.rsync(target);
        }
        self.sent = nanoseconds(eu, self.began);
    }

    #[slot(sync)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, (self.sent, nanoseconds(eu, self.began)));
    }
}

/// Counts the signals of a burst.
struct Counts {
    done: SlotRef,
}

#[threaded]
impl Counts {
    fn start(count: u64, address: Reply<SlotRef>, done: SlotRef, eu: &mut Eu<Self>) -> Self {
        eu.put(address, eu.slot_ref(Self::full()));
        Counts { done }
    }

    #[slot(syncs = count as usize)]
    fn full(self, eu: &mut Eu<Self>) {
        eu.rsync(self.done);
    }
}

/// Functions started on this node.
pub struct Starts {
    began: Duration,
    out: Reply<u64>,
}

/// Functions are invoked, and need no frame.
pub const INVOKED: u64 = 0;
/// Functions are invoked, and have a frame.
pub const FRAMED: u64 = 1;
/// Functions are tokens.
pub const BY_TOKEN: u64 = 2;

#[threaded]
impl Starts {
    /// Replies the nanoseconds of all functions; `way` selects how they are started.
    pub fn start(way: u64, count: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let began = eu.now();
        let (here, done) = (eu.node(), eu.slot_ref(Self::end()));
        for _ in 0..count {
            match way {
                INVOKED => eu.invoke(here, Leaf::call(done)),
                FRAMED => eu.invoke(here, Framed::call(done)),
                _ => eu.token(Leaf::call(done)),
            }
        }
        Starts { began, out }
    }

    #[slot(syncs = count as usize)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, nanoseconds(eu, self.began));
    }
}

struct Leaf;

#[threaded]
impl Leaf {
    fn start(done: SlotRef, eu: &mut Eu<Self>) {
        eu.rsync(done);
    }
}

/// A function that has a frame because the address of one of its slots is taken.
struct Framed;

#[threaded]
impl Framed {
    fn start(done: SlotRef, eu: &mut Eu<Self>) -> Start<Self> {
        std::hint::black_box(eu.slot_ref(Self::never()));
        eu.rsync(done);
        Start::End
    }

    #[slot(sync)]
    fn never(self) {}
}

/// Signals to and fro between this node and node 1.
pub struct Rallies {
    left: u64,
    began: Duration,
    other: Option<SlotRef>,
    out: Reply<u64>,
}

#[threaded]
impl Rallies {
    /// Replies the nanoseconds of all rounds.
    pub fn start(rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let (other, back) = (eu.reply(Self::serve().other), eu.slot_ref(Self::hit()));
        eu.invoke(NodeId::new(1), Returns::call(rounds, back, other));
        Rallies { left: rounds, began: Duration::ZERO, other: None, out }
    }

    #[slot]
    fn serve(&mut self, other: SlotRef, eu: &mut Eu<Self>) {
        (self.other, self.began) = (Some(other), eu.now());
        eu.rsync(other);
    }

    #[slot(sync, again)]
    fn hit(&mut self, eu: &mut Eu<Self>) -> Then {
        self.left -= 1;
        match self.other {
            Some(other) if self.left > 0 => {
                eu.rsync(other);
                Then::Wait
            }
            _ => {
                eu.put(self.out, nanoseconds(eu, self.began));
                Then::End
            }
        }
    }
}

/// Returns each signal to its sender.
struct Returns {
    left: u64,
    back: SlotRef,
}

#[threaded]
impl Returns {
    fn start(left: u64, back: SlotRef, address: Reply<SlotRef>, eu: &mut Eu<Self>) -> Self {
        eu.put(address, eu.slot_ref(Self::hit()));
        Returns { left, back }
    }

    #[slot(sync, again)]
    fn hit(&mut self, eu: &mut Eu<Self>) -> Then {
        eu.rsync(self.back);
        self.left -= 1;
        if self.left == 0 { Then::End } else { Then::Wait }
    }
}
