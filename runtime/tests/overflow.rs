//! Queues that are far too small: what finds no room is kept by its sender, nobody waits for room, and
//! every program still ends.

mod common;

use std::sync::{Mutex, MutexGuard, PoisonError};

use common::{good, on_every};
use earth::{Config, Machine, NodeId, Replies, Reply, SlotRef, Then, threaded_old};

/// One test at a time: through a queue of one, every event waits until the other side has a core.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

threaded_old! {
    /// Every node sends `n` signals and `n` values to node 0 and `n` functions to every node.
    fn Flood(n: u64, out: Reply<u64>)
    state  { sum: u64 = 0, left: u64 = 0 }
    calls  { Floods }
    inlets { x: u64 }
    slots  { came: 1, reset 1 => add, signals: 1 => count, over: 2 => done }
    fiber start(this, eu) {
        let nodes = eu.nodes() as u64;
        this.left = nodes * this.n * (1 + nodes);
        eu.incr(Self::signals, (nodes * this.n) as u32 - 1);
        for node in 0..eu.nodes() {
            let to = (eu.slot_ref(Self::signals), eu.reply_to(Self::x, Self::came));
            eu.invoke_old::<Floods>(NodeId::new(node), (this.n, Box::new(to)));
        }
        Then::Wait
    }
    fiber add(this, eu) {
        this.sum += eu.take(Self::x);
        this.left -= 1;
        if this.left == 0 {
            eu.sync(Self::over);
        }
        Then::Wait
    }
    fiber count(_this, eu) {
        eu.sync(Self::over);
        Then::Wait
    }
    fiber done(this, eu) {
        eu.put(this.out, this.sum);
        Then::End
    }
}

threaded_old! {
    fn Floods(n: u64, to: Box<(SlotRef, Reply<u64>)>)
    calls { Answers }
    fiber start(this, eu) {
        let (signal, value) = *this.to;
        for i in 0..this.n {
            eu.rsync(signal);
            eu.put(value, i);
            for node in 0..eu.nodes() {
                eu.invoke_old::<Answers>(NodeId::new(node), (1_000, value));
            }
        }
        Then::End
    }
}

threaded_old! {
    fn Answers(value: u64, to: Reply<u64>)
    fiber start(this, eu) {
        eu.put(this.to, this.value);
        Then::End
    }
}

#[test]
fn thousands_of_events_pass_through_queues_of_one_and_two() {
    let _alone = alone();
    on_every(|case| {
        let nodes = case.nodes as u64;
        for capacity in [1, 2] {
            // 2,400 events for node 0, a tenth of that where each step is drawn.
            let n = if case.is_stepped() { 240 } else { 2_400 } / (nodes * (nodes + 2));
            let run = good::<Flood>(&mut case.machine().queue_capacity(capacity), n);
            assert_eq!(run.value, nodes * (0..n).sum::<u64>() + nodes * nodes * n * 1_000);
            // A signal and a value each, a value for each answer; the last word of two,
            // and the value of the run.
            assert_eq!(run.counters.signals, 2 * nodes * n + nodes * nodes * n + 2 + 1);
        }
    });
}

/// The inlets of a corner, one for each node: for rounds of even number, and of odd. A node
/// is never two rounds ahead.
type Doors = [Replies<u64>; 2];

/// A corner's inlets, and where it is told those of all.
type Hello = Box<(Doors, Reply<Vec<Doors>>)>;

threaded_old! {
    /// Every node sends to every other in every round, and has heard from all of them before the
    /// next: an all-to-all exchange.
    fn AllToAll(rounds: u64, out: Reply<u64>)
    state  { corners: Vec<Option<Hello>> = Vec::new(), sum: u64 = 0, left: usize = 0 }
    calls  { Corner }
    inlets { hello: (u32, Hello), end: u64 }
    slots  { met: 1, reset 1 => introduce, ended: 1, reset 1 => add }
    fiber start(this, eu) {
        this.left = eu.nodes();
        this.corners.resize_with(eu.nodes(), || None);
        for node in 0..eu.nodes() {
            let to = (eu.reply_to(Self::hello, Self::met), eu.reply_to(Self::end, Self::ended));
            eu.invoke_old::<Corner>(NodeId::new(node), (eu.nodes(), this.rounds, Box::new(to)));
        }
        Then::Wait
    }
    fiber introduce(this, eu) {
        let (node, hello) = eu.take(Self::hello);
        this.corners[node as usize] = Some(hello);
        let doors: Option<Vec<Doors>> = this.corners.iter().map(|corner| Some(corner.as_ref()?.0)).collect();
        if let Some(doors) = doors {
            for corner in this.corners.iter().flatten() {
                eu.put(corner.1, doors.clone());
            }
        }
        Then::Wait
    }
    fiber add(this, eu) {
        this.sum += eu.take(Self::end);
        this.left -= 1;
        if this.left > 0 {
            return Then::Wait;
        }
        eu.put(this.out, this.sum);
        Then::End
    }
}

threaded_old! {
    fn Corner(nodes: usize, rounds: u64, desk: Box<(Reply<(u32, Hello)>, Reply<u64>)>)
    state  { doors: Vec<Doors> = Vec::new(), round: u64 = 0, sum: u64 = 0 }
    inlets { doors: Vec<Doors>, even[this.nodes]: u64, odd[this.nodes]: u64 }
    slots  { known: 1 => begin, all[2]: (this.nodes), reset (this.nodes) => next }
    fiber start(this, eu) {
        let doors = [
            eu.replies_to_one(Self::even, Self::all.at(0)),
            eu.replies_to_one(Self::odd, Self::all.at(1)),
        ];
        let hello = (doors, eu.reply_to(Self::doors, Self::known));
        eu.put(this.desk.0, (eu.node().index() as u32, Box::new(hello)));
        Then::Wait
    }
    fiber begin(this, eu) {
        this.doors = eu.take(Self::doors);
        Self::go_on(this, eu)
    }
    fiber next(this, eu, parity) {
        let inlets = [Self::even, Self::odd][parity];
        for node in 0..this.nodes {
            this.sum += eu.take(inlets.at(node));
        }
        Self::go_on(this, eu)
    }
}

impl Corner {
    /// Sends the next round, until all have been. What comes before `begin` waits for it: it is of the
    /// round that `begin` sends.
    fn go_on(&mut self, eu: &mut earth::Eu) -> Then {
        if self.round == self.rounds {
            eu.put(self.desk.1, self.sum);
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
        let run = good::<AllToAll>(&mut case.machine().queue_capacity(1), rounds);
        let nodes = case.nodes as u64;
        assert_eq!(run.value, nodes * nodes * (0..rounds).sum::<u64>());
        assert_eq!(run.counters.signals, rounds * nodes * nodes + 3 * nodes + 1);
    });
}

threaded_old! {
    /// A ring of functions, one a node, around which a counter goes for `hops` hops.
    fn Ring(hops: u64, out: Reply<u64>)
    state  { members: Vec<Option<Reply<u64>>> = Vec::new(), start_at: Vec<Option<Reply<Reply<u64>>>> = Vec::new(), left: usize = 0 }
    calls  { Member }
    inlets { hello: (u32, Box<(Reply<u64>, Reply<Reply<u64>>)>), ready: u64 }
    slots  { met: 1, reset 1 => introduce, linked: 1 => go }
    fiber start(this, eu) {
        this.members = vec![None; eu.nodes()];
        this.start_at = vec![None; eu.nodes()];
        eu.incr(Self::linked, eu.nodes() as u32 - 1);
        for node in 0..eu.nodes() {
            let (hello, linked) = (eu.reply_to(Self::hello, Self::met), eu.slot_ref(Self::linked));
            eu.invoke_old::<Member>(NodeId::new(node), (Box::new((hello, linked)), this.out));
        }
        Then::Wait
    }
    fiber introduce(this, eu) {
        let (node, addresses) = eu.take(Self::hello);
        this.members[node as usize] = Some(addresses.0);
        this.start_at[node as usize] = Some(addresses.1);
        let members: Option<Vec<_>> = this.members.iter().copied().collect();
        if let Some(members) = members {
            for (node, &to) in this.start_at.iter().enumerate() {
                let Some(to) = to else { unreachable!("whoever is known is known in full") };
                eu.put(to, members[(node + 1) % members.len()]);
            }
        }
        Then::Wait
    }
    fiber go(this, eu) {
        if let Some(first) = this.members[0] {
            eu.put(first, this.hops);
        }
        Then::End
    }
}

threaded_old! {
    fn Member(main: Box<(Reply<(u32, Box<(Reply<u64>, Reply<Reply<u64>>)>)>, SlotRef)>, out: Reply<u64>)
    state  { next: Option<Reply<u64>> = None, passed: u64 = 0 }
    inlets { counter: u64, next: Reply<u64> }
    slots  { arrived: 1, reset 1 => pass, told: 1 => link }
    fiber start(this, eu) {
        let addresses = (eu.reply_to(Self::counter, Self::arrived), eu.reply_to(Self::next, Self::told));
        eu.put(this.main.0, (eu.node().index() as u32, Box::new(addresses)));
        Then::Wait
    }
    fiber link(this, eu) {
        this.next = Some(eu.take(Self::next));
        eu.rsync(this.main.1);
        Then::Wait
    }
    fiber pass(this, eu) {
        // The sign bit says that the counter is done, and goes around once to end everybody.
        let counter = eu.take(Self::counter);
        let Some(next) = this.next else { unreachable!("all are linked before the counter goes") };
        this.passed += 1;
        match counter {
            0 => eu.put(next, LAST | eu.nodes() as u64),
            end if end & LAST != 0 => {
                if end - 1 == LAST {
                    eu.put(this.out, eu.nodes() as u64);
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
                let run = good::<Ring>(&mut machine, hops);
                assert_eq!(run.value, nodes as u64);
                // All hops, the one that finds 0, and the round that ends; three words each before, and the
                // first counter and the value.
                assert_eq!(run.counters.signals, hops + 1 + nodes as u64 + 3 * nodes as u64 + 1);
            }
        }
    }
    on_every(|case| {
        assert_eq!(good::<Ring>(&mut case.machine().queue_capacity(1), 50).value, case.nodes as u64);
    });
}

threaded_old! {
    /// Raises the count of a one-shot slot before each of `n` signals for it. In any other order it
    /// would reach zero too early.
    fn InOrder(n: u64, out: Reply<u64>)
    slots { once: 1 => fired }
    fiber start(this, eu) {
        for _ in 0..this.n {
            eu.incr(Self::once, 1);
            eu.sync(Self::once);
        }
        eu.sync(Self::once);
        Then::Wait
    }
    fiber fired(this, eu) {
        eu.put(this.out, this.n);
        Then::End
    }
}

#[test]
fn the_effects_of_a_fiber_keep_their_order_when_the_queue_is_full() {
    let _alone = alone();
    on_every(|case| {
        for capacity in [1, 2, 64] {
            let n = if case.is_stepped() { 100 } else { 3_000 };
            let run = good::<InOrder>(&mut case.machine().queue_capacity(capacity), n);
            assert_eq!((run.value, run.counters.signals), (n, n + 2));
        }
    });
}
