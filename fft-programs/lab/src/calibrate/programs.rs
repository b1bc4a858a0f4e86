//! The small programs that do one thing many times, and the nanoseconds that it took by the machine's clock.

use std::time::Duration;

use earth::{Eu, NodeId, Reply, SlotRef, Then, threaded_old};

threaded_old! {
    /// Fibers one after another, each enabled by the one before in some way; the nanoseconds of all.
    pub(super) fn Loops(way: u64, rounds: u64, out: Reply<u64>)
    state { left: u64 = 0, began: Duration = Duration::ZERO }
    inlets { value: u64 }
    slots { signalled: 1, reset 1 => by_signal, put: 1, reset 1 => by_value }
    fiber start(this, eu) {
        this.left = this.rounds;
        this.began = eu.now();
        this.enable(eu);
        Then::Wait
    }
    fiber by_spawn(this, eu) { this.again(eu) }
    fiber by_signal(this, eu) { this.again(eu) }
    fiber by_value(this, eu) {
        this.left -= eu.take(Self::value);
        this.again(eu)
    }
}

pub(super) const BY_SPAWN: u64 = 0;
pub(super) const BY_SIGNAL: u64 = 1;
pub(super) const BY_VALUE: u64 = 2;

impl Loops {
    fn enable(&self, eu: &mut Eu) {
        match self.way {
            BY_SPAWN => eu.spawn(Self::by_spawn),
            BY_SIGNAL => eu.sync(Self::signalled),
            _ => {
                let to = eu.reply_to(Self::value, Self::put);
                eu.put(to, 0);
            }
        }
    }

    fn again(&mut self, eu: &mut Eu) -> Then {
        self.left -= 1;
        if self.left > 0 {
            self.enable(eu);
            return Then::Wait;
        }
        eu.put(self.out, nanoseconds(eu, self.began));
        Then::End
    }
}

fn nanoseconds(eu: &Eu, since: Duration) -> u64 {
    eu.now().saturating_sub(since).as_nanos() as u64
}

threaded_old! {
    /// Signals to a slot of node `node` from one fiber; the nanoseconds to send them, and until all were
    /// counted there and node 0 knew it.
    pub(super) fn Bursts(node: usize, count: u64, out: Reply<(u64, u64)>)
    state { began: Duration = Duration::ZERO, sent: u64 = 0 }
    calls { Counts }
    inlets { target: SlotRef }
    slots { met: 1 => send, done: 1 => end }
    fiber start(this, eu) {
        let (target, done) = (eu.reply_to(Self::target, Self::met), eu.slot_ref(Self::done));
        eu.invoke_old::<Counts>(NodeId::new(this.node), (this.count, target, done));
        Then::Wait
    }
    fiber send(this, eu) {
        let target = eu.take(Self::target);
        this.began = eu.now();
        for _ in 0..this.count {
            eu.rsync(target);
        }
        this.sent = nanoseconds(eu, this.began);
        Then::Wait
    }
    fiber end(this, eu) {
        eu.put(this.out, (this.sent, nanoseconds(eu, this.began)));
        Then::End
    }
}

threaded_old! {
    fn Counts(count: u64, address: Reply<SlotRef>, done: SlotRef)
    slots { all: (this.count) => full }
    fiber start(this, eu) {
        let all = eu.slot_ref(Self::all);
        eu.put(this.address, all);
        Then::Wait
    }
    fiber full(this, eu) {
        eu.rsync(this.done);
        Then::End
    }
}

threaded_old! {
    /// Functions on this node, started in some way; the nanoseconds of all.
    pub(super) fn Starts(way: u64, count: u64, out: Reply<u64>)
    state { began: Duration = Duration::ZERO }
    calls { Leaf, Framed }
    slots { all: (this.count) => end }
    fiber start(this, eu) {
        this.began = eu.now();
        let (here, done) = (eu.node(), eu.slot_ref(Self::all));
        for _ in 0..this.count {
            match this.way {
                INVOKED => eu.invoke_old::<Leaf>(here, (done,)),
                FRAMED => eu.invoke_old::<Framed>(here, (done,)),
                _ => eu.token_old::<Leaf>((done,)),
            }
        }
        Then::Wait
    }
    fiber end(this, eu) {
        eu.put(this.out, nanoseconds(eu, this.began));
        Then::End
    }
}

pub(super) const INVOKED: u64 = 0;
pub(super) const FRAMED: u64 = 1;
pub(super) const BY_TOKEN: u64 = 2;

threaded_old! {
    fn Leaf(done: SlotRef)
    fiber start(this, eu) {
        eu.rsync(this.done);
        Then::End
    }
}

threaded_old! {
    /// A function whose address is asked for, so that it has a frame.
    fn Framed(done: SlotRef)
    slots { own: 1 => never }
    fiber start(this, eu) {
        std::hint::black_box(eu.slot_ref(Self::own));
        eu.rsync(this.done);
        Then::End
    }
    fiber never(_this, _eu) { Then::End }
}

threaded_old! {
    /// Signals to and fro between this node and node 1; the nanoseconds of all.
    pub(super) fn Rallies(rounds: u64, out: Reply<u64>)
    state { began: Duration = Duration::ZERO, left: u64 = 0, other: Option<SlotRef> = None }
    calls { Returns }
    inlets { other: SlotRef }
    slots { met: 1 => serve, back: 1, reset 1 => hit }
    fiber start(this, eu) {
        let (other, back) = (eu.reply_to(Self::other, Self::met), eu.slot_ref(Self::back));
        eu.invoke_old::<Returns>(NodeId::new(1), (this.rounds, back, other));
        Then::Wait
    }
    fiber serve(this, eu) {
        let other = eu.take(Self::other);
        (this.other, this.left, this.began) = (Some(other), this.rounds, eu.now());
        eu.rsync(other);
        Then::Wait
    }
    fiber hit(this, eu) {
        this.left -= 1;
        match this.other {
            Some(other) if this.left > 0 => {
                eu.rsync(other);
                Then::Wait
            }
            _ => {
                eu.put(this.out, nanoseconds(eu, this.began));
                Then::End
            }
        }
    }
}

threaded_old! {
    fn Returns(left: u64, back: SlotRef, address: Reply<SlotRef>)
    slots { hits: 1, reset 1 => hit }
    fiber start(this, eu) {
        let hits = eu.slot_ref(Self::hits);
        eu.put(this.address, hits);
        Then::Wait
    }
    fiber hit(this, eu) {
        eu.rsync(this.back);
        this.left -= 1;
        if this.left == 0 { Then::End } else { Then::Wait }
    }
}
