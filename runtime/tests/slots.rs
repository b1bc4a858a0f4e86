//! Slots: one-shot, with a reset, raised; fibers enabled directly; signals before the first fiber has ended.

mod common;

use common::{good, on_every};
use earth::{NodeId, Reply, SlotRef, Then, threaded_old};

threaded_old! {
    /// `rounds` rounds of one signal from each node.
    fn Repeats(rounds: u64, out: Reply<u64>)
    state  { round: u64 = 0, peers: Vec<SlotRef> = Vec::new() }
    calls  { Peer }
    inlets { peer: SlotRef }
    slots  { met: 1, reset 1 => meet, round_over: (this.rounds.min(1)), reset (3u32) => next }
    fiber start(this, eu) {
        for node in 0..3 {
            let to = eu.slot_ref(Self::round_over);
            eu.invoke_old::<Peer>(NodeId::new(node % eu.nodes()), (this.rounds, to, eu.reply_to(Self::peer, Self::met)));
        }
        Then::Wait
    }
    fiber meet(this, eu) {
        let peer = eu.take(Self::peer);
        this.peers.push(peer);
        if this.peers.len() == 3 {
            eu.sync(Self::round_over);
        }
        Then::Wait
    }
    fiber next(this, eu) {
        if this.round == this.rounds {
            eu.put(this.out, this.round);
            return Then::End;
        }
        this.round += 1;
        this.peers.iter().for_each(|&peer| eu.rsync(peer));
        Then::Wait
    }
}

threaded_old! {
    fn Peer(rounds: u64, to: SlotRef, out: Reply<SlotRef>)
    slots { poke: 1, reset 1 => poked }
    fiber start(this, eu) {
        eu.put(this.out, eu.slot_ref(Self::poke));
        Then::Wait
    }
    fiber poked(this, eu) {
        eu.rsync(this.to);
        this.rounds -= 1;
        if this.rounds == 0 { Then::End } else { Then::Wait }
    }
}

#[test]
fn a_slot_with_a_reset_counts_round_after_round() {
    on_every(|case| {
        let run = good::<Repeats>(&mut case.machine(), 50);
        assert_eq!(run.value, 50);
        assert_eq!(run.counters.fibers, 1 + 3 + 3 + 51 + 150);
        assert_eq!(run.counters.signals, 3 + 1 + 2 * 150 + 1);
        assert_eq!((run.counters.invokes, run.counters.tokens), (3, 0));
    });
}

threaded_old! {
    /// Starts `n` children in two fibers, raising the count before each; they signal at any time.
    fn Raised(n: u64, out: Reply<u64>)
    state { started: u64 = 0 }
    calls { Signals }
    slots { over: 1 => done, more: 1 => start_rest }
    fiber start(this, eu) {
        for _ in 0..this.n / 2 {
            eu.incr(Self::over, 2);
            eu.token_old::<Signals>((eu.slot_ref(Self::over), 2));
        }
        eu.sync(Self::more);
        Then::Wait
    }
    fiber start_rest(this, eu) {
        for i in this.n / 2..this.n {
            eu.incr(Self::over, 1);
            eu.invoke_old::<Signals>(NodeId::new(i as usize % eu.nodes()), (eu.slot_ref(Self::over), 1));
        }
        this.started = this.n;
        eu.sync(Self::over);
        Then::Wait
    }
    fiber done(this, eu) {
        assert_eq!(this.started, this.n, "the last signal is this function's own");
        eu.put(this.out, this.started);
        Then::End
    }
}

threaded_old! {
    fn Signals(to: SlotRef, times: u64)
    fiber start(this, eu) {
        (0..this.times).for_each(|_| eu.rsync(this.to));
        Then::End
    }
}

#[test]
fn a_raise_comes_before_the_signals_of_what_is_started_afterwards() {
    on_every(|case| {
        let mut machine = case.machine();
        for n in [1, 2, 64, 301] {
            let run = good::<Raised>(&mut machine, n);
            assert_eq!(run.value, n);
            assert_eq!(run.counters.signals, 1 + 2 * (n / 2) + (n - n / 2) + 1 + 1);
            assert_eq!((run.counters.tokens, run.counters.invokes), (n / 2, n - n / 2));
        }
    });
}

threaded_old! {
    /// Enables its fibers directly, with indices; each runs once for each time it was enabled.
    fn Spawns(n: usize, out: Reply<(u64, u64)>)
    state { sum: u64 = 0, plain: u64 = 0 }
    slots { all: (this.n + 3) => done }
    fiber start(this, eu) {
        for i in 0..this.n {
            eu.spawn_at(Self::indexed, i);
        }
        eu.spawn(Self::plain);
        eu.spawn_at(Self::indexed, u32::MAX as usize);
        eu.spawn(Self::indexed);
        Then::Wait
    }
    fiber indexed(this, eu, index) {
        this.sum += index as u64;
        eu.sync(Self::all);
        Then::Wait
    }
    fiber plain(this, eu, index) {
        this.plain += 1 + index as u64;
        eu.sync(Self::all);
        Then::Wait
    }
    fiber done(this, eu) {
        eu.put(this.out, (this.sum, this.plain));
        Then::End
    }
}

#[test]
fn fibers_are_enabled_directly_with_an_index() {
    on_every(|case| {
        let run = good::<Spawns>(&mut case.machine(), 100);
        assert_eq!(run.value, (99 * 50 + u64::from(u32::MAX), 1));
        assert_eq!((run.counters.fibers, run.counters.signals), (1 + 103 + 1, 103 + 1));
    });
}

threaded_old! {
    /// Signals its own slot in its first fiber: whatever that enables runs after the fiber has
    /// ended, and sees what it did.
    fn Early(out: Reply<u64>)
    state  { steps: Vec<u64> = Vec::new() }
    inlets { x: u64 }
    slots  { now: 1 => then, came: 1 => with }
    fiber start(this, eu) {
        eu.sync(Self::now);
        eu.put(eu.reply_to(Self::x, Self::came), 10);
        this.steps.push(1);
        Then::Wait
    }
    fiber then(this, eu) {
        this.steps.push(2);
        Self::end_after_three(this, eu)
    }
    fiber with(this, eu) {
        let x = eu.take(Self::x);
        this.steps.push(x);
        Self::end_after_three(this, eu)
    }
}

impl Early {
    fn end_after_three(&mut self, eu: &mut earth::Eu) -> Then {
        if self.steps.len() < 3 {
            return Then::Wait;
        }
        assert_eq!(self.steps[0], 1);
        eu.put(self.out, self.steps.iter().sum());
        Then::End
    }
}

#[test]
fn a_fiber_that_enables_others_ends_before_they_start() {
    on_every(|case| assert_eq!(good::<Early>(&mut case.machine(), ()).value, 13));
}

threaded_old! {
    /// Ends in its first fiber after it gave out an address: the frame is made for nothing, and ends.
    fn GivesAndEnds(out: Reply<SlotRef>)
    slots { s: 1 => never }
    fiber start(this, eu) {
        eu.put(this.out, eu.slot_ref(Self::s));
        Then::End
    }
    fiber never(_this, _eu) { Then::Wait }
}

threaded_old! {
    fn Plain(out: Reply<u64>)
    fiber start(this, eu) {
        eu.put(this.out, 1);
        Then::End
    }
}

#[test]
fn a_frame_is_made_only_for_who_waits_or_gives_out_an_address() {
    on_every(|case| {
        let mut machine = case.machine();
        let counters = good::<GivesAndEnds>(&mut machine, ()).counters;
        assert_eq!((counters.frames, counters.frames_ended, counters.frames_high), (1, 1, 1));
        let counters = good::<Plain>(&mut machine, ()).counters;
        assert_eq!((counters.frames, counters.frames_ended, counters.frames_high), (0, 0, 0));
    });
}

threaded_old! {
    /// Leaves its slots half counted, raised or in a later round, and starts itself again `left` times, every
    /// second time counting them in full.
    fn Again(left: u64, sum: u64, out: Reply<u64>)
    state  { fired: u64 = 0 }
    inlets { x: u64, y: u64 }
    slots  { once: 3 => count, repeats: 1, reset 3 => count, values: 2, reset 3 => take }
    fiber start(this, eu) {
        if this.left.is_multiple_of(2) {
            // To the very signal: once, and the first two rounds of the other.
            (0..3).for_each(|_| eu.sync(Self::once));
            (0..4).for_each(|_| eu.sync(Self::repeats));
        } else {
            eu.sync(Self::once);
            eu.incr(Self::once, 7);
            eu.sync(Self::repeats);
        }
        eu.put(eu.reply_to(Self::x, Self::values), 10);
        eu.put(eu.reply_to(Self::y, Self::values), 20);
        Then::Wait
    }
    fiber count(this, eu) {
        this.fired += 1;
        Self::end_after_all(this, eu)
    }
    fiber take(this, eu) {
        this.fired += eu.take(Self::x) + eu.take(Self::y);
        Self::end_after_all(this, eu)
    }
}

impl Again {
    fn end_after_all(&mut self, eu: &mut earth::Eu) -> Then {
        // A full count fires three times, a half one once; a slot that starts with the wrong count fires at
        // the wrong time or never.
        if self.fired < 30 + if self.left.is_multiple_of(2) { 3 } else { 1 } {
            return Then::Wait;
        }
        let sum = self.sum + self.fired;
        if self.left == 0 {
            eu.put(self.out, sum);
        } else {
            eu.invoke_old::<Again>(eu.node(), (self.left - 1, sum, self.out));
        }
        Then::End
    }
}

#[test]
fn a_frame_that_serves_again_starts_as_declared() {
    on_every(|case| {
        let run = good::<Again>(&mut case.machine(), (9, 0));
        assert_eq!(run.value, 5 * (30 + 3) + 5 * (30 + 1));
        assert!(run.counters.frames_high <= 2, "the frames were live one after another");
    });
}
