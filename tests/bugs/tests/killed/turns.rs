//! Order and turns: what one node sends another arrives in its order, and everything has its turn.

#[path = "../../../../runtime/tests/common/endless.rs"]
mod endless;

use earth::{Config, Eu, Faults, FiberOrder, Machine, NodeId, Policy, Reply, Then, TokenOrder, threaded_old};
use endless::{FUNCTION, Flood, Oldest, SIBLING, Says, Spins, TOKEN};

use crate::machines::{On, Verdict, ends, everywhere, gives};

threaded_old! {
    /// Takes `each` values of a producer on every other node, all sent in one fiber. Whether each came in order.
    fn InOrder(each: u64, out: Reply<bool>)
    state  { next: Vec<u64> = Vec::new(), left: u64 = 0, good: bool = true }
    calls  { Producer }
    inlets { from_one: u64, from_two: u64 }
    slots  { one: 1, reset 1 => take_one, two: 1, reset 1 => take_two, over: 2 => end }
    fiber start(this, eu) {
        this.next = vec![0; 2];
        this.left = 2 * this.each;
        let to = [eu.reply_to(Self::from_one, Self::one), eu.reply_to(Self::from_two, Self::two)];
        for (producer, to) in to.into_iter().enumerate() {
            eu.invoke_old::<Producer>(NodeId::new(1 + producer), (this.each, to));
        }
        Then::Wait
    }
    fiber take_one(this, eu) { let value = eu.take(Self::from_one); this.check(0, value, eu); Then::Wait }
    fiber take_two(this, eu) { let value = eu.take(Self::from_two); this.check(1, value, eu); Then::Wait }
    fiber end(this, eu) {
        eu.put(this.out, this.good);
        Then::End
    }
}

impl InOrder {
    fn check(&mut self, producer: usize, value: u64, eu: &mut Eu) {
        self.good &= value == self.next[producer];
        self.next[producer] += 1;
        if self.next[producer] == self.each {
            eu.sync(Self::over);
        }
    }
}

threaded_old! {
    fn Producer(each: u64, to: Reply<u64>)
    fiber start(this, eu) {
        (0..this.each).for_each(|n| eu.put(this.to, n));
        Then::End
    }
}

pub(crate) fn in_order() -> Verdict {
    everywhere(4, |machine| gives(machine.run_old::<InOrder>(20), true))?;
    // Values leave a few cycles from each other, and are up to a thousand late.
    for config in [Config::Spn, Config::Dual] {
        let late = |machine: Machine| machine.faults(Faults { delay: 1_000, slowness: 1 });
        On { config, ..On::SPN }.changed(late, |machine| gives(machine.run_old::<InOrder>(20), true))?;
    }
    Ok(())
}

/// Runs the spinner on one node under a policy.
fn spins(config: Config, fibers: FiberOrder, until: u64) -> Verdict {
    let policy = Policy { fibers, in_a_row: 3, token_every: 5, ..Policy::default() };
    let alone = On { config, nodes: 1, ..On::SPN };
    alone.under(policy, |machine| ends(machine.run_old::<Spins>(until)).map(|_| ()))
}

pub(crate) fn newest() -> Verdict {
    spins(Config::Spn, FiberOrder::NewestFirst, SIBLING)?;
    spins(Config::Spn, FiberOrder::NewestFirst, FUNCTION)
}

pub(crate) fn functions() -> Verdict {
    spins(Config::Spn, FiberOrder::FibersFirst, FUNCTION)?;
    spins(Config::Spn, FiberOrder::OneQueue, FUNCTION)
}

pub(crate) fn tokens() -> Verdict {
    spins(Config::Spn, FiberOrder::OneQueue, TOKEN)?;
    // The fiber has to find its successor in the queue, or the execution unit is idle for a moment and is fed.
    spins(Config::Dual, FiberOrder::OneQueue, TOKEN)?;
    let policy = Policy { feed: 1, token_every: 5, ..Policy::default() };
    On { nodes: 1, ..On::DUAL }.under(policy, |machine| gives(machine.run_old::<Busy>(()), true))
}

threaded_old! {
    /// Two fibers enable themselves again, so that one always waits, until a token has run.
    fn Busy(out: Reply<bool>)
    state { heard: u64 = 0 }
    calls { Says }
    slots { said: 1 => hear, over: 2 => end }
    fiber start(_this, eu) {
        eu.token_old::<Says>((eu.slot_ref(Self::said),));
        (0..8).for_each(|_| eu.spawn(Self::spin));
        eu.incr(Self::over, 6);
        Then::Wait
    }
    fiber hear(this, _eu) {
        this.heard = 1;
        Then::Wait
    }
    fiber spin(this, eu) {
        if this.heard == 1 { eu.sync(Self::over); } else { eu.spawn(Self::spin); }
        Then::Wait
    }
    fiber end(this, eu) {
        eu.put(this.out, true);
        Then::End
    }
}

pub(crate) fn oldest() -> Verdict {
    let policy = Policy { tokens: TokenOrder::OldestFirst, ..Policy::default() };
    On { nodes: 1, ..On::SPN }.under(policy, |machine| ends(machine.run_old::<Oldest>(())).map(|_| ()))
}

pub(crate) fn flood() -> Verdict {
    let policy = Policy { batch: 4, ..Policy::default() };
    On::SPN.under(policy, |machine| gives(machine.run_old::<Flood>(true), 40))
}
