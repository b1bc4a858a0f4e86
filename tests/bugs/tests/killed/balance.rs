//! Tokens: each runs once, on an allowed node, and idle nodes get some.

use earth::{
    Config, Error, Eu, FiberOrder, Machine, NodeId, Policy, Reply, Shared, SlotRef, Start, Then, Work,
    threaded,
};

use crate::machines::{On, STEPS, Verdict, checked, everywhere, gives, in_time, same};

struct Fib {
    out: Reply<u64>,
}

#[threaded]
impl Fib {
    /// Computes the n-th Fibonacci number, with two tokens per call.
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if n < 2 {
            eu.put(out, n);
            return Start::End;
        }
        eu.token(Fib::call(n - 1, eu.reply(Self::add().left)));
        eu.token(Fib::call(n - 2, eu.reply(Self::add().right)));
        Start::Wait(Fib { out })
    }

    #[slot]
    fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left + right);
    }
}

/// Expected by hand: fib(9) is 34 and takes 109 calls. 54 of the calls join, and all but the first are
/// tokens.
pub(crate) fn fib() -> Verdict {
    everywhere(4, |machine| {
        let counters = checked(machine.run(|out| Fib::call(9, out)), 34)?.counters;
        let found = (counters.fibers, counters.tokens, counters.frames, counters.signals);
        same("fibers, tokens, frames, signals", &found, &(163, 108, 54, 109))
    })
}

/// Raises a count before each token. The token lowers it again, on any node.
struct Raised {
    out: Reply<u64>,
}

#[threaded]
impl Raised {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for _ in 0..32 {
            eu.incr(Self::all(), 1);
            eu.token(Lowers::call(eu.slot_ref(Self::all())));
        }
        eu.sync(Self::all());
        Raised { out }
    }

    #[slot(sync)]
    fn all(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 32);
    }
}

struct Lowers;

#[threaded]
impl Lowers {
    fn start(to: SlotRef, eu: &mut Eu<Self>) {
        eu.rsync(to);
    }
}

/// Units take one message at a time, so that the synchronization unit of node 0 is behind.
pub(crate) fn raised() -> Verdict {
    let policy = Policy { batch: 1, ..Policy::default() };
    [On::SPN, On::DUAL].into_iter().try_for_each(|on| {
        On { room: 64, ..on }.under(policy, |machine| gives(machine.run(Raised::call), 32))
    })
}

/// Makes tokens that contain a value of this process.
struct Lends {
    out: Reply<u64>,
}

#[threaded]
impl Lends {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let value = Shared::new(7);
        (0..12).for_each(|_| eu.token(Borrows::call(value.clone(), eu.slot_ref(Self::all()))));
        Lends { out }
    }

    #[slot(syncs = 12)]
    fn all(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 7);
    }
}

struct Borrows;

#[threaded]
impl Borrows {
    fn start(value: Shared<u64>, done: SlotRef, eu: &mut Eu<Self>) {
        eu.work(Work::Cycles(*value * 10_000));
        eu.rsync(done);
    }
}

/// Idle nodes steal tokens that cannot be encoded as bytes, which ends the run.
pub(crate) fn stolen_bytes() -> Verdict {
    for config in [Config::Spn, Config::Dual] {
        On { config, bytes: true, ..On::SPN }.each(|machine| match machine.run(Lends::call) {
            Ok(run) => same("tokens stolen", &run.counters.tokens_stolen, &0),
            Err(Error::StaysInProcess { .. }) => Ok(()),
            Err(error) => Err(error.to_string()),
        })?;
    }
    Ok(())
}

/// Makes `count` tokens at once, for the nodes `first..end`. Puts the sum of their numbers and the lowest and
/// highest node that a token ran on.
struct Fan {
    left: u64,
    sum: u64,
    low: u64,
    high: u64,
    out: Reply<(u64, u64, u64)>,
}

#[threaded]
impl Fan {
    fn start(count: u64, first: usize, end: usize, out: Reply<(u64, u64, u64)>, eu: &mut Eu<Self>) -> Self {
        let place = eu.reply(Self::note().place);
        for i in 0..count {
            eu.token_within(NodeId::new(first)..NodeId::new(end), Where::call(i, place));
        }
        Fan { left: count, sum: 0, low: u64::MAX, high: 0, out }
    }

    #[slot(again)]
    fn note(&mut self, place: (u64, u64), eu: &mut Eu<Self>) -> Then {
        let (number, node) = place;
        self.sum += number;
        (self.low, self.high) = (self.low.min(node), self.high.max(node));
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, (self.sum, self.low, self.high));
        Then::End
    }
}

/// Puts its number and its node.
struct Where;

#[threaded]
impl Where {
    fn start(number: u64, out: Reply<(u64, u64)>, eu: &mut Eu<Self>) {
        eu.put(out, (number, eu.node().index() as u64));
    }
}

/// Makes more tokens than three chunks hold.
pub(crate) fn fan() -> Verdict {
    everywhere(1, |machine| {
        let run = machine.run(|out| Fan::call(200, 0, 3, out)).map_err(|error| error.to_string())?;
        same("the sum", &run.value.0, &(199 * 200 / 2))?;
        same("fibers", &run.counters.fibers, &(1 + 2 * 200))?;
        same("frames ended", &run.counters.frames_ended, &run.counters.frames)
    })
}

pub(crate) fn ranged() -> Verdict {
    everywhere(4, |machine| {
        let sum = 39 * 40 / 2;
        gives(machine.run(|out| Fan::call(40, 0, 1, out)), (sum, 0, 0))?;
        let run = machine.run(|out| Fan::call(40, 1, 2, out));
        gives(run, (sum, 1, 1))
    })
}

/// Makes a token, then invokes a function on the same node. Puts which of them came first.
struct Order {
    digits: u64,
    out: Reply<u64>,
}

#[threaded]
impl Order {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let place = eu.reply(Self::note().place);
        eu.token(Where::call(1, place));
        eu.invoke(eu.node(), Where::call(2, place));
        Order { digits: 0, out }
    }

    #[slot(again)]
    fn note(&mut self, place: (u64, u64), eu: &mut Eu<Self>) -> Then {
        let first = self.digits;
        self.digits = 10 * first + place.0;
        if first == 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.digits);
        Then::End
    }
}

pub(crate) fn order() -> Verdict {
    On { nodes: 1, ..On::SPN }.each(|machine| gives(machine.run(Order::call), 21))
}

/// In virtual time each of four nodes has work most of the time.
pub(crate) fn idle() -> Verdict {
    for config in [Config::Spn, Config::Dual] {
        let run = checked(in_time(config, 4).run(|out| Fib::call(12, out)), 144)?;
        let stolen = run.counters.tokens_stolen;
        if stolen < 10 {
            return Err(format!("{config}: idle nodes stole {stolen} tokens"));
        }
    }
    Ok(())
}

/// Enables itself repeatedly, makes tokens when the other node has had time to fall asleep, and ends when all
/// have run. Puts whether any token has run on the other node.
struct Late {
    fibers: u32,
    heard: u32,
    elsewhere: bool,
    out: Reply<bool>,
}

/// Number of tokens: too many for one node to run before another one has woken.
const LATE: u32 = 64;

#[threaded]
impl Late {
    fn start(out: Reply<bool>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::next());
        Late { fibers: 0, heard: 0, elsewhere: false, out }
    }

    #[slot(sync, again)]
    fn next(&mut self, eu: &mut Eu<Self>) -> Then {
        self.fibers += 1;
        if self.heard == LATE {
            eu.put(self.out, self.elsewhere);
            return Then::End;
        }
        if self.fibers == 3_000 {
            (0..LATE).for_each(|_| eu.token(Where::call(1, eu.reply(Self::hear().place))));
        }
        eu.sync(Self::next());
        Then::Wait
    }

    #[slot(again)]
    fn hear(&mut self, place: (u64, u64)) {
        self.heard += 1;
        self.elsewhere |= place.1 == 1;
    }
}

/// The token has no turn on the node that makes it.
pub(crate) fn late() -> Verdict {
    let policy = Policy { fibers: FiberOrder::NewestFirst, token_every: 1 << 30, ..Policy::default() };
    for config in [Config::Spn, Config::Dual] {
        for seed in 0..8 {
            let machine = Machine::stepper(seed).config(config).policy(policy).step_limit(STEPS);
            gives({ machine }.run(Late::call), true)
                .map_err(|why| format!("{config}, seed {seed}: {why}"))?;
        }
    }
    Ok(())
}
