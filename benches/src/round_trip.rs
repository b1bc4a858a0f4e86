//! A signal to another node and one back: the latency between two cores.
//!
//! On earth two functions that signal each other's slot. The peer is a pair of rtrb queues between two
//! spinning threads bound to cores.

use std::time::{Duration, Instant};

use earth::{Machine, NodeId, Reply, SlotRef, Then, threaded_old};

threaded_old! {
    /// Sends `rounds` signals to a partner on the last node and waits for each answer.
    pub fn Ping(rounds: u64, out: Reply<u64>)
    state  { done: u64 = 0, partner: Option<SlotRef> = None }
    calls  { Pong }
    inlets { hello: SlotRef }
    slots  { met: 1 => meet, back: 1, reset 1 => again }
    fiber start(this, eu) {
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke_old::<Pong>(last, (this.rounds, eu.slot_ref(Self::back), eu.reply_to(Self::hello, Self::met)));
        Then::Wait
    }
    fiber meet(this, eu) {
        let partner = eu.take(Self::hello);
        this.partner = Some(partner);
        eu.rsync(partner);
        Then::Wait
    }
    fiber again(this, eu) {
        this.done += 1;
        match this.partner {
            Some(partner) if this.done < this.rounds => {
                eu.rsync(partner);
                Then::Wait
            }
            _ => {
                eu.put(this.out, this.done);
                Then::End
            }
        }
    }
}

threaded_old! {
    /// Answers `rounds` signals.
    fn Pong(rounds: u64, back: SlotRef, hello: Reply<SlotRef>)
    state { done: u64 = 0 }
    slots { there: 1, reset 1 => answer }
    fiber start(this, eu) {
        eu.put(this.hello, eu.slot_ref(Self::there));
        Then::Wait
    }
    fiber answer(this, eu) {
        this.done += 1;
        eu.rsync(this.back);
        if this.done == this.rounds { Then::End } else { Then::Wait }
    }
}

/// On earth.
///
/// # Panics
///
/// If the result is wrong.
pub fn on_earth(machine: &mut Machine, rounds: u64) {
    let run = machine.run_old::<Ping>(rounds).expect("the signals come back");
    assert_eq!(run.value, rounds);
}

/// Two threads, each on a core of its own, and two queues; the threads are started before the clock is.
///
/// # Panics
///
/// If a thread cannot be started.
pub fn on_rtrb(rounds: u64) -> Duration {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let (mut there, mut arrives) = rtrb::RingBuffer::<u64>::new(1024);
    let (mut back, mut returns) = rtrb::RingBuffer::<u64>::new(1024);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            cores.last().map(|core| core_affinity::set_for_current(*core));
            // One more, so that the other side knows that this one is ready.
            for round in 0..=rounds {
                back.push(round).expect("at most one signal is under way");
                if round < rounds {
                    while arrives.pop().is_err() {}
                }
            }
        });
        let asking = scope.spawn(|| {
            cores.first().map(|core| core_affinity::set_for_current(*core));
            while returns.pop().is_err() {}
            let started = Instant::now();
            for round in 0..rounds {
                there.push(round).expect("at most one signal is under way");
                while returns.pop().is_err() {}
            }
            started.elapsed()
        });
        asking.join().expect("the asking thread ends")
    })
}
